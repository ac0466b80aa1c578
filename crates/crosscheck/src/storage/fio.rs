//! fio.

pub(crate) mod output;

use super::StorageOrder;
use super::jobs::{jobs, splits_evenly};
use crate::Measured;
use crate::program::{Program, ToolSpec};
use host::{Finished, Host, ProgramOrder};
use model::{Direction, Failure, FailureKind, Storage};
use std::sync::Arc;
use std::time::Duration;

const FIO: ToolSpec = ToolSpec {
    programs: &["fio"],
    wanted: "fio 3",
    version,
    remedy: "install it (Debian and Ubuntu: the package fio), or leave out `cross_check`",
};
/// How long it may take beyond the load itself: to start its jobs, and to wait for what is under
/// way on a slow disk.
const EXTRA_TIME: Duration = Duration::from_secs(120);

/// How fio hands reads and writes to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoEngine {
    /// io_uring as it is by default.
    IoUring,
    /// io_uring with registered files and buffers, and no record of which blocks were visited: every
    /// place is as likely each time, as with weighin.
    IoUringTuned,
    /// Linux's older interface, where io_uring is not permitted; without such a record either.
    LibAio,
}

impl IoEngine {
    fn options(self) -> Vec<String> {
        let options: &[&str] = match self {
            Self::IoUring => &["ioengine=io_uring"],
            Self::IoUringTuned => {
                &["ioengine=io_uring", "fixedbufs=1", "registerfiles=1", "norandommap=1"]
            }
            Self::LibAio => &["ioengine=libaio", "norandommap=1"],
        };
        options.iter().map(|option| format!("--{option}")).collect()
    }
}

/// Why fio cannot run a workload as it is, as the predicate of a sentence about it; `None` when it
/// can.
pub fn unsupported(storage: &Storage) -> Option<&'static str> {
    (!splits_evenly(storage)).then_some("takes shares of block sizes in whole percent only")
}

/// The installed fio.
#[derive(Clone, Debug)]
pub struct Fio(Program);

impl Fio {
    /// Finds fio 3 on the `PATH` of a host.
    ///
    /// # Errors
    /// `MissingProgram` when it is not there, or is of another version.
    pub fn find(host: &Arc<dyn Host>) -> Result<Self, Failure> {
        Program::find(host, &FIO).map(Self)
    }

    /// Name and version, such as `fio 3.33`.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Runs a load on data that is there; `None` when `stop` said so. It has so many processors
    /// among its jobs, or all.
    ///
    /// # Errors
    /// What it complains of; `TimedOut` when it does not end.
    pub fn load(
        &self,
        order: &StorageOrder<'_>,
        engine: IoEngine,
        seed: u64,
        processors: Option<f64>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Measured>, Failure> {
        let mut arguments = engine.options();
        arguments.extend(REPORTING.map(|option| format!("--{option}")));
        arguments.extend(jobs(order, seed));
        let limit = order.warmup + order.duration + EXTRA_TIME;
        let slow = "see with iostat -x what the disk is busy with";
        let run = ProgramOrder { processors, ..self.0.order(&arguments, limit) };
        let Some(finished) = self.0.run(&run, slow, stop)? else {
            return Ok(None);
        };
        if !finished.status.success() {
            return Err(complaint(&finished));
        }
        let (figures, p99_ms) =
            output::figures(&finished.stdout, only(order.storage), &finished.usage)
                .map_err(|message| self.0.not_understood(&message))?;
        Ok(Some(Measured {
            figures,
            p99_ms,
            elapsed: finished.elapsed,
            system: finished.usage.system,
        }))
    }
}

/// The one direction of a load that does not have both.
fn only(storage: &Storage) -> Option<Direction> {
    match storage.read_percent {
        0 => Some(Direction::Write),
        100.. => Some(Direction::Read),
        _ => None,
    }
}

/// How results are wanted: all jobs as one, with every class of latencies from submission to
/// completion.
const REPORTING: [&str; 4] =
    ["group_reporting", "output-format=json+", "lat_percentiles=1", "clat_percentiles=0"];

/// The command line of fio that means a load, to be repeated by hand.
pub fn fio_line(order: &StorageOrder<'_>) -> String {
    let mut words = vec!["fio".to_owned()];
    words.extend(IoEngine::IoUringTuned.options());
    words.push("--group_reporting".to_owned());
    words.extend(jobs(order, 1).iter().map(|word| quoted(word)));
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:%+".contains(c);
    match word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// What fio said when it gave up: on standard error, or between the lines of its results.
fn complaint(finished: &Finished) -> Failure {
    let lines = finished.stderr.lines().chain(finished.stdout.lines());
    let said = lines.map(str::trim).find_map(|line| line.strip_prefix("fio: "));
    let Some(said) = said else {
        return Failure::new(FailureKind::Other, format!("fio ended with {}", finished.status), "");
    };
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let (kind, remedy) = if any(&["No space left"]) {
        (FailureKind::DiskFull, "free space on the volume")
    } else if any(&["Permission denied", "Operation not permitted"]) {
        (FailureKind::NotPermitted, "check the rights on the file, and whether io_uring is allowed")
    } else if any(&["Invalid argument"]) {
        (FailureKind::NotPermitted, "see whether the file system takes O_DIRECT with such blocks")
    } else {
        (FailureKind::Other, "run the same fio by hand to see all that it says")
    };
    Failure::new(kind, format!("fio gave up: {said}"), remedy)
}

/// `3.33` of `fio-3.33`; `None` for other versions than 3.x.
fn version(says: &str) -> Option<&str> {
    says.strip_prefix("fio-").filter(|version| version.starts_with("3."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        assert_eq!(version("fio-3.33"), Some("3.33"));
        assert_eq!(version("fio-2.16"), None);
        assert_eq!(version(""), None);
    }

    #[test]
    fn words_are_quoted_for_a_shell_where_they_must_be() {
        assert_eq!(quoted("--bssplit=4096/75:16384/25"), "--bssplit=4096/75:16384/25");
        assert_eq!(quoted("--filename=/a b/it's"), "'--filename=/a b/it'\\''s'");
        assert_eq!(quoted("--filename=/a\\:b"), "'--filename=/a\\:b'");
    }
}
