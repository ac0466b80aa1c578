//! memtier_benchmark.

mod arguments;
pub(crate) mod output;

use super::{Server, trouble};
use crate::Measured;
use crate::program::{Program, ToolSpec};
use arguments::arguments;
use host::{Host, ProgramOrder};
use model::{Failure, KeyValue, Tls};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const MEMTIER: ToolSpec = ToolSpec {
    programs: &["memtier_benchmark"],
    wanted: "memtier_benchmark 1.3 or later",
    version,
    remedy: "build it from github.com/redis/memtier_benchmark, or leave out `cross_check`",
};
/// How long it may take beyond the load itself: to connect a thousand clients, and to wait for
/// what is under way.
const EXTRA_TIME: Duration = Duration::from_secs(30);
/// What its complaints begin with or hold, on standard error, where progress goes as well.
const COMPLAINTS: [&str; 6] =
    ["error", "Error", "connection dropped", "connect failed", "failed to", "Connection timeout"];

/// The installed memtier_benchmark.
#[derive(Clone, Debug)]
pub struct Memtier(Program);

impl Memtier {
    /// Finds it on the `PATH` of a host.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or is another program.
    pub fn find(host: &Arc<dyn Host>) -> Result<Self, Failure> {
        Program::find(host, &MEMTIER).map(Self)
    }

    /// The program of that path on a host.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn at(host: &Arc<dyn Host>, path: PathBuf) -> Result<Self, Failure> {
        Program::at(host, &MEMTIER, MEMTIER.programs[0], path).map(Self)
    }

    /// Name and version, such as `memtier_benchmark 2.1.1`.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Why it cannot run a workload, as the predicate of a sentence about it; `None` when it can.
    pub fn unsupported(workload: &KeyValue, tls: &Tls) -> Option<&'static str> {
        arguments::unsupported(workload, tls)
    }

    /// Runs a workload on keys that are there; `None` when `stop` said so. The duration is rounded
    /// up to whole seconds. Two threads where the number of clients is even, one otherwise.
    ///
    /// # Errors
    /// What it complains of, errors of the server included; `TimedOut` when it does not end.
    pub fn load(
        &self,
        server: &Server,
        workload: &KeyValue,
        clients: u32,
        duration: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Measured>, Failure> {
        let arguments = arguments(server, workload, clients, duration);
        let slow = "see with SLOWLOG GET what keeps the server";
        let order = self.0.order(&arguments, duration + EXTRA_TIME);
        // Of its JSON it takes back what it has written, which only a file allows.
        let order = ProgramOrder { result_option: Some("--json-out-file="), ..order };
        let Some(finished) = self.0.run(&order, slow, stop)? else {
            return Ok(None);
        };
        // It writes its progress over and over into one line, and goes on after most errors.
        let said = finished.stderr.split(['\n', '\r']);
        let mut complaints =
            said.filter(|line| COMPLAINTS.iter().any(|word| line.contains(word))).peekable();
        if !finished.status.success() || complaints.peek().is_some() {
            return Err(trouble::complaint(&self.0, &finished, complaints));
        }
        let figures = output::figures(&finished.result, workload, &finished.usage)
            .map_err(|message| self.0.not_understood(&message))?;
        Ok(Some(Measured::from_finished(figures, &finished)))
    }

    #[cfg(test)]
    pub(super) fn fake() -> Self {
        Self(Program::fake("memtier_benchmark", "2.1.1"))
    }
}

/// `2.1.1` of `memtier_benchmark 2.1.1`, which newer versions write as `v=2.1.1`.
fn version(says: &str) -> Option<&str> {
    let version = says.strip_prefix("memtier_benchmark ")?.split_whitespace().next()?;
    Some(version.trim_start_matches("v="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_saying_the_version_are_known() {
        assert_eq!(version("memtier_benchmark 1.3.0\nCopyright (C)"), Some("1.3.0"));
        assert_eq!(version("memtier_benchmark v=2.1.1 sha=2f74d611:0 bits=64"), Some("2.1.1"));
        assert_eq!(version("something else"), None);
    }
}
