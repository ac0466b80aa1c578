use super::builtin;
use super::words::Words;
use crate::exit::CliError;
use model::{OltpDialect, OltpMix};

/// A release of sysbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Release {
    /// 0.4: tests compiled in, `--test=oltp`.
    V04,
    /// 0.5: `--test=PATH.lua` with options that start with `oltp-`.
    V05,
    /// 1.0: the test's name stands by itself.
    V10,
    /// What came after 1.0.20 and calls itself 1.1.0.
    V11,
}

/// The sysbench that a command line was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Generation {
    /// The program: its general options, and what it prints.
    pub(super) program: Release,
    /// Its tests: their options and statements. 1.0 came with the scripts of 0.5, as `oltp_legacy`.
    pub(super) tests: Release,
}

/// The scripts that came with 0.5 and that its successor no longer had under this name.
const SCRIPTS_OF_05: [&str; 8] = [
    "oltp", "oltp_simple", "select", "insert", "delete", "update_index", "update_non_index",
    "parallel_prepare",
];

/// Options that 1.0 does not have.
const ONLY_11: [&str; 5] =
    ["warmup-time", "thread-init-timeout", "create-table-options", "rand-zipfian-exp", "reconnect"];

/// The command that 1.0 does not have.
const COMMAND_OF_11: &str = "warmup";

/// The directory in which 1.0 has the scripts of 0.5.
const LEGACY: &str = "oltp_legacy/";

impl Generation {
    pub(super) const V04: Self = Self::whole(Release::V04);
    pub(super) const V05: Self = Self::whole(Release::V05);
    pub(super) const V10: Self = Self::whole(Release::V10);
    pub(super) const V11: Self = Self::whole(Release::V11);
    /// 1.0 with the scripts of 0.5.
    pub(super) const LEGACY: Self = Self { program: Release::V10, tests: Release::V05 };
    #[cfg(test)]
    pub(super) const ALL: [Self; 5] = [Self::V04, Self::V05, Self::V10, Self::V11, Self::LEGACY];

    const fn whole(release: Release) -> Self {
        Self { program: release, tests: release }
    }

    /// Tells the generation from the form of the command line, unless `--weighin-compat` names it.
    pub(super) fn from_words(words: &Words) -> Result<Self, CliError> {
        let test = words.value("test").or(words.positional.first().map(String::as_str));
        let is_legacy = test.is_some_and(|test| test.contains(LEGACY));
        if let Some(named) = words.value("weighin-compat") {
            return match named {
                "0.4" => Ok(Self::V04),
                "0.5" => Ok(Self::V05),
                "1.0" if is_legacy => Ok(Self::LEGACY),
                "1.0" => Ok(Self::V10),
                "1.1" => Ok(Self::V11),
                other => Err(CliError::usage(
                    format!("--weighin-compat={other}: there is no such generation of sysbench"),
                    "possible values: 0.4, 0.5, 1.0, 1.1",
                )),
            };
        }
        if is_legacy {
            return Ok(Self::LEGACY);
        }
        let is_newer = words.positional.last().is_some_and(|word| word == COMMAND_OF_11)
            || words.options.iter().any(|(option, _)| ONLY_11.contains(&&**option));
        let recent = if is_newer { Self::V11 } else { Self::V10 };
        let Some(test) = words.value("test") else { return Ok(recent) };
        let name = script_name(test);
        let is_file = test != name;
        let older_options = words.options.iter().any(|(option, _)| {
            option.starts_with("oltp-") || ["max-requests", "num-threads"].contains(&&**option)
        });
        let newer_options = words
            .options
            .iter()
            .any(|(option, _)| ["threads", "time", "events"].contains(&&**option));
        let is_of_10 = OltpMix::from_name(name).is_some() || builtin::TESTS.contains(&name);
        Ok(match () {
            () if newer_options || (is_of_10 && !older_options && test != "oltp") => recent,
            () if is_file || (SCRIPTS_OF_05.contains(&name) && name != "oltp") => Self::V05,
            () => Self::V04,
        })
    }

    /// The version that `--version` prints.
    pub(super) fn version(self) -> &'static str {
        match self.program {
            Release::V04 => "0.4.12",
            Release::V05 => "0.5",
            Release::V10 => "1.0.20",
            Release::V11 => "1.1.0",
        }
    }

    /// The first line of the output. Parsers know the version by it, so it is the original's.
    pub(super) fn banner(self) -> String {
        let version = self.version();
        match self.program {
            Release::V04 | Release::V05 => {
                format!("sysbench {version}:  multi-threaded system evaluation benchmark")
            }
            Release::V10 => format!("sysbench {version} (using system LuaJIT 2.1.0-beta3)"),
            Release::V11 => format!("sysbench {version} (using bundled LuaJIT 2.1.0-beta3)"),
        }
    }

    /// In whose words its statements are.
    pub(super) fn dialect(self) -> OltpDialect {
        match self.tests {
            Release::V04 => OltpDialect::Sysbench04,
            Release::V05 => OltpDialect::Sysbench05,
            Release::V10 | Release::V11 => OltpDialect::Sysbench10,
        }
    }

    /// Whether the program is 1.0 or later.
    pub(super) fn is_recent(self) -> bool {
        self.program >= Release::V10
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

    fn generation_of(words: &[&str]) -> Generation {
        let words: Vec<_> = words.iter().map(Into::into).collect();
        Generation::from_words(&Words::parse(&words).unwrap()).unwrap()
    }

    #[test]
    fn the_form_tells_the_generation() {
        assert_eq!(generation_of(&["--test=oltp", "run"]), Generation::V04);
        assert_eq!(generation_of(&["--test=/x/tests/db/oltp.lua", "run"]), Generation::V05);
        assert_eq!(
            generation_of(&["--test=insert.lua", "--oltp-table-size=1", "run"]),
            Generation::V05
        );
        assert_eq!(generation_of(&["oltp_read_write", "--tables=4", "run"]), Generation::V10);
        assert_eq!(
            generation_of(&["--test=/usr/share/sysbench/oltp_insert.lua", "run"]),
            Generation::V10
        );
        assert_eq!(
            generation_of(&["--test=bulk_insert.lua", "--max-requests=0", "run"]),
            Generation::V05
        );
        assert_eq!(
            generation_of(&["tests/include/oltp_legacy/oltp.lua", "run"]),
            Generation::LEGACY
        );
        assert_eq!(generation_of(&["--test=oltp_legacy/select.lua", "run"]), Generation::LEGACY);
        assert_eq!(generation_of(&["--test=cpu", "run"]), Generation::V10);
    }

    #[test]
    fn what_only_11_has_is_enough_to_know_it_by() {
        let newer = ["warmup-time=3", "reconnect=10", "rand-zipfian-exp=0.9"];
        for option in newer.map(|option| format!("--{option}")) {
            assert_eq!(
                generation_of(&["oltp_read_only", &option, "run"]),
                Generation::V11,
                "{option}"
            );
            assert_eq!(
                generation_of(&["--test=oltp_insert", &option, "run"]),
                Generation::V11,
                "{option}"
            );
        }
        assert_eq!(generation_of(&["oltp_read_only", "warmup"]), Generation::V11);
        assert_eq!(generation_of(&["--test=oltp_read_only", "warmup"]), Generation::V11);
        assert_eq!(generation_of(&["oltp_read_only", "prewarm"]), Generation::V10);
        assert_eq!(
            generation_of(&["oltp_read_only", "--weighin-compat=1.0", "warmup"]),
            Generation::V10
        );
    }

    #[test]
    fn the_user_may_name_the_generation() {
        assert_eq!(generation_of(&["--weighin-compat=0.4", "run"]), Generation::V04);
        assert_eq!(
            generation_of(&["oltp_read_only", "--weighin-compat=1.1", "run"]),
            Generation::V11
        );
        assert_eq!(
            generation_of(&["x/oltp_legacy/insert.lua", "--weighin-compat=1.0", "run"]),
            Generation::LEGACY
        );
        let words = Words::parse(&["--weighin-compat=2".into()]).unwrap();
        assert!(Generation::from_words(&words).is_err());
    }
}
