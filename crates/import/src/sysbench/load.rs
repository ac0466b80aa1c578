//! What a run's output says of its load, and by which lines a run is known.

/// What a run's first lines look like.
pub(super) fn banner(line: &str) -> Option<&str> {
    let version = line.strip_prefix("sysbench ")?.split_whitespace().next()?;
    let version = version.trim_end_matches(':');
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// The line that is there when the banner has been cut off.
pub(super) const OPTIONS: &str = "Running the test with following options";

/// What the lines of a run say of its load before it begins.
#[derive(Debug, Default)]
pub(super) struct Described {
    /// The test as the command line names it, where that stands before the run.
    pub(super) command: String,
    /// What it says that it does: `random read test`.
    pub(super) doing: String,
    pub(super) data: String,
    pub(super) size: String,
}

impl Described {
    /// Of a run whose command line names this test; empty where there is none.
    pub(super) fn from_command(command: &str) -> Self {
        Self { command: command.to_owned(), ..Self::default() }
    }

    /// Takes what a line says, if anything.
    pub(super) fn take(&mut self, line: &str) {
        let line = line.trim();
        if let Some(doing) = line.strip_prefix("Doing ") {
            doing.trim_end_matches('.').clone_into(&mut self.doing);
        } else if let Some(running) = line.strip_prefix("Running ").and_then(a_test) {
            running.clone_into(&mut self.doing);
        } else if let Some(limit) = line.strip_prefix("Prime numbers limit: ") {
            self.data = format!("primes to {limit}");
        } else if let Some(total) = line.strip_suffix(" total file size") {
            self.data = format!("{total} of files");
        } else if let Some(size) =
            line.strip_prefix("Block size ").or_else(|| line.strip_prefix("block size: "))
        {
            self.size = format!("blocks of {size}");
        } else if let Some(operation) = line.strip_prefix("operation: ") {
            self.doing = format!("{} {operation}", self.doing);
        }
    }
}

/// `mixed OLTP test`, `memory speed test`, and not `the test with following options`.
fn a_test(running: &str) -> Option<&str> {
    let (name, _) = running.split_once(" test")?;
    (name != "the").then(|| &running[..name.len() + " test".len()])
}

/// A command line that runs a test.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CommandLine<'a> {
    /// The name of the test; empty before any command line.
    pub(super) test: &'a str,
    /// How long it is to run, unless a number of events ends it.
    pub(super) seconds: Option<f64>,
}

/// A command line as a shell shows it in a log:
/// `+ sysbench /usr/share/sysbench/oltp_read_only.lua --threads=8 run`.
pub(super) fn command(line: &str) -> Option<CommandLine<'_>> {
    if !line.contains("sysbench") || banner(line).is_some() {
        return None;
    }
    let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`', ';']));
    words.find(|word| word.rsplit('/').next() == Some("sysbench"))?;
    let (mut test, mut runs, mut seconds, mut events) = (None, false, None, None);
    for word in words {
        let option = word.strip_prefix("--").and_then(|option| option.split_once('='));
        match option {
            Some(("test", named)) => test = Some(named),
            Some(("time" | "max-time", value)) => seconds = value.parse::<f64>().ok(),
            Some(("events" | "max-requests", value)) => events = value.parse::<u64>().ok(),
            _ if word == "run" => runs = true,
            _ if !word.starts_with('-') => test = test.or(Some(word)),
            _ => {}
        }
    }
    // Before version 1.0 a run has 10,000 requests unless it is told otherwise, by these names.
    let old = ["--test=", "--max-time=", "--num-threads="].iter().any(|name| line.contains(name));
    let unlimited = events.map_or(!old, |events| events == 0);
    let name = test?.rsplit('/').next()?;
    let test = name.strip_suffix(".lua").unwrap_or(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let seconds = seconds.filter(|seconds| unlimited && *seconds > 0.0);
    (runs && !test.is_empty() && test.chars().all(plain)).then_some(CommandLine { test, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_in_logs_name_the_test() {
        for (line, expected) in [
            ("+ sysbench oltp_read_only --threads=8 run", Some("oltp_read_only")),
            ("$ /usr/bin/sysbench --test=oltp --num-threads=4 run", Some("oltp")),
            ("time sysbench --threads=8 '/a/oltp_insert.lua' run", Some("oltp_insert")),
            ("sysbench fileio --file-test-mode=rndrd run > x", Some("fileio")),
            ("sysbench oltp_read_only prepare", None),
            ("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)", None),
            ("sysbench 0.4.12:  multi-threaded system evaluation benchmark", None),
            ("we run sysbench", None),
            ("sysbench \u{1b}[31m run", None),
            ("sysbench \" run", None),
        ] {
            assert_eq!(command(line).map(|command| command.test), expected, "{line}");
        }
    }

    #[test]
    fn command_lines_in_logs_say_how_long_a_run_is() {
        for (line, expected) in [
            ("sysbench oltp_read_only --time=60 run", Some(60.0)),
            ("sysbench oltp_read_only --time=60 --events=0 run", Some(60.0)),
            ("sysbench oltp_read_only --time=0 run", None),
            // It may end before its time.
            ("sysbench oltp_read_only --time=60 --events=1000 run", None),
            ("sysbench --test=oltp --max-time=60 run", None),
            ("sysbench --test=oltp --max-time=60 --max-requests=0 run", Some(60.0)),
        ] {
            assert_eq!(command(line).unwrap().seconds, expected, "{line}");
        }
    }
}
