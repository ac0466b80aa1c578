use super::words::Words;
use crate::exit::CliError;
use model::{OltpDialect, OltpMix};

/// The generation of sysbench that a command line was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// 0.4: tests compiled in, `--test=oltp`.
    V04,
    /// 0.5: `--test=PATH.lua` with options that start with `oltp-`.
    V05,
    /// 1.0: the test's name stands by itself.
    V10,
}

/// The scripts that came with 0.5 and that its successor no longer had under this name.
const SCRIPTS_OF_05: [&str; 8] = [
    "oltp",
    "oltp_simple",
    "select",
    "insert",
    "delete",
    "update_index",
    "update_non_index",
    "parallel_prepare",
];

impl Generation {
    /// Tells the generation from the form of the command line, unless `--weighin-compat` names it.
    pub(super) fn of(words: &Words) -> Result<Self, CliError> {
        if let Some(named) = words.value("weighin-compat") {
            return match named {
                "0.4" => Ok(Self::V04),
                "0.5" => Ok(Self::V05),
                "1.0" => Ok(Self::V10),
                other => Err(CliError::usage(
                    format!("--weighin-compat={other}: there is no such generation of sysbench"),
                    "possible values: 0.4, 0.5, 1.0",
                )),
            };
        }
        let Some(test) = words.value("test") else { return Ok(Self::V10) };
        let name = script_name(test);
        let is_file = test != name;
        let older_options = words.options.iter().any(|(option, _)| {
            option.starts_with("oltp-") || ["max-requests", "num-threads"].contains(&&**option)
        });
        Ok(match () {
            () if OltpMix::from_name(name).is_some() && !older_options => Self::V10,
            () if is_file || (SCRIPTS_OF_05.contains(&name) && name != "oltp") => Self::V05,
            () => Self::V04,
        })
    }

    /// The version that `--version` prints.
    pub(super) fn version(self) -> &'static str {
        match self {
            Self::V04 => "0.4.12",
            Self::V05 => "0.5",
            Self::V10 => "1.0.20",
        }
    }

    /// The first line of the output. Parsers know the version by it, so it is the original's.
    pub(super) fn banner(self) -> String {
        let version = self.version();
        match self {
            Self::V04 | Self::V05 => {
                format!("sysbench {version}:  multi-threaded system evaluation benchmark")
            }
            Self::V10 => format!("sysbench {version} (using system LuaJIT 2.1.0-beta3)"),
        }
    }

    /// In whose words its statements are.
    pub(super) fn dialect(self) -> OltpDialect {
        match self {
            Self::V04 => OltpDialect::Sysbench04,
            Self::V05 => OltpDialect::Sysbench05,
            Self::V10 => OltpDialect::Sysbench10,
        }
    }
}

/// The name of a test that may be given as the path of its script.
pub(super) fn script_name(test: &str) -> &str {
    let file = test.rsplit('/').next().unwrap_or(test);
    file.strip_suffix(".lua").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> Generation {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        Generation::of(&Words::parse(&words).unwrap()).unwrap()
    }

    #[test]
    fn the_form_tells_the_generation() {
        assert_eq!(of(&["--test=oltp", "run"]), Generation::V04);
        assert_eq!(of(&["--test=/x/tests/db/oltp.lua", "run"]), Generation::V05);
        assert_eq!(of(&["--test=insert.lua", "--oltp-table-size=1", "run"]), Generation::V05);
        assert_eq!(of(&["oltp_read_write", "--tables=4", "run"]), Generation::V10);
        assert_eq!(of(&["--test=/usr/share/sysbench/oltp_insert.lua", "run"]), Generation::V10);
        assert_eq!(of(&["--test=bulk_insert.lua", "--max-requests=0", "run"]), Generation::V05);
    }

    #[test]
    fn the_user_may_name_the_generation() {
        assert_eq!(of(&["--weighin-compat=0.4", "run"]), Generation::V04);
        let words = Words::parse(&["--weighin-compat=2".into()]).unwrap();
        assert!(Generation::of(&words).is_err());
    }
}
