use crate::program::{Program, ToolSpec};
use host::Host;
use model::Failure;
use std::sync::Arc;

const SYSBENCH: ToolSpec = ToolSpec {
    programs: &["sysbench"],
    wanted: "sysbench 1.0",
    version,
    remedy: "install it (Debian and Ubuntu: the package sysbench), or leave out `cross_check`",
};

/// The installed sysbench.
#[derive(Clone, Debug)]
pub struct Sysbench(pub(super) Program);

impl Sysbench {
    /// Finds sysbench 1.0 on the `PATH` of a host.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or is not of that version.
    pub fn find(host: &Arc<dyn Host>) -> Result<Self, Failure> {
        Program::find(host, &SYSBENCH).map(Self)
    }

    /// Name and version, such as `sysbench 1.0.20`.
    pub fn name(&self) -> String {
        self.0.name()
    }
}

/// `1.0.20` of `sysbench 1.0.20 (using system LuaJIT 2.1)`; `None` for other versions than 1.x.
fn version(says: &str) -> Option<&str> {
    let version = says.strip_prefix("sysbench ")?.split_whitespace().next()?;
    version.starts_with("1.").then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        assert_eq!(version("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)"), Some("1.0.20"));
        assert_eq!(version("sysbench 1.1.0-3ceba0b"), Some("1.1.0-3ceba0b"));
        assert_eq!(version("sysbench 0.4.12"), None);
        assert_eq!(version(""), None);
    }
}
