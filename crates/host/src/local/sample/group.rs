//! What the kernel counts for a control group with a limit of processor time (cgroups(7)).

use model::{ProcessorCount, Throttling};
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

/// What the threads of a group did since it was made: `stat` is its file `cpu.stat`, and `usage`
/// that in which version 1 of control groups counts processor time, which is not there in version 2.
///
/// # Errors
/// When the group is gone or does not count, with the file that does not tell.
pub fn group_count(stat: &Path, usage: &Path) -> io::Result<ProcessorCount> {
    let text = read(stat)?;
    let first = match read(usage) {
        Ok(usage) => Some(usage),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    parse(&text, first.as_deref()).ok_or_else(|| {
        let message = format!("{} does not count processor time and throttling", stat.display());
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

fn read(file: &Path) -> io::Result<String> {
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot read {}: {error}", file.display()))
    };
    fs::read_to_string(file).map_err(named)
}

/// Version 1 counts in nanoseconds, and version 2 in microseconds.
pub(crate) fn parse(stat: &str, usage: Option<&str>) -> Option<ProcessorCount> {
    let (used, throttled_for) = match usage {
        Some(usage) => (
            Duration::from_nanos(usage.trim().parse().ok()?),
            Duration::from_nanos(number(stat, "throttled_time ")?),
        ),
        None => (
            Duration::from_micros(number(stat, "usage_usec ")?),
            Duration::from_micros(number(stat, "throttled_usec ")?),
        ),
    };
    Some(ProcessorCount { used, throttling: parse_throttling(stat)?, throttled_for })
}

/// Reads `cpu.stat`; `None` for a group that cannot have a limit.
pub(crate) fn parse_throttling(text: &str) -> Option<Throttling> {
    let count = |word| number(text, word);
    Some(Throttling { periods: count("nr_periods ")?, throttled: count("nr_throttled ")? })
}

/// The number after a word that begins a line.
pub(crate) fn number(text: &str, word: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(word))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttling_is_read_from_either_version() {
        let limit = |periods, throttled| Some(Throttling { periods, throttled });
        let second = "usage_usec 9\nnr_periods 40\nnr_throttled 7\nthrottled_usec 1\n";
        assert_eq!(parse_throttling(second), limit(40, 7));
        assert_eq!(parse_throttling("nr_periods 0\nnr_throttled 0\nthrottled_time 0"), limit(0, 0));
        assert_eq!(parse_throttling("usage_usec 9\n"), None, "the root has no limit");
    }

    #[test]
    fn both_versions_say_the_same_in_their_units() {
        let first = "nr_periods 40\nnr_throttled 7\nthrottled_time 5000000\n";
        let second = "usage_usec 9000\nnr_periods 40\nnr_throttled 7\nthrottled_usec 5000\n";
        let expected = ProcessorCount {
            used: Duration::from_millis(9),
            throttling: Throttling { periods: 40, throttled: 7 },
            throttled_for: Duration::from_millis(5),
        };
        assert_eq!(parse(first, Some("9000000\n")), Some(expected));
        assert_eq!(parse(second, None), Some(expected));
        assert_eq!(parse("usage_usec 9\n", None), None);
    }

    #[test]
    fn a_file_that_does_not_tell_is_named() {
        let gone = Path::new("/no/such/group");
        let error = group_count(gone, gone).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains("/no/such/group: No such file"), "{error}");
        let place = tempfile::tempdir().unwrap();
        let stat = place.path().join("cpu.stat");
        fs::write(&stat, "nr_periods 4\nnr_throttled 1\nthrottled_time 5\n").unwrap();
        // What is there and can't be read is not taken for version 2.
        let error = group_count(&stat, place.path()).unwrap_err();
        assert!(error.to_string().contains(&place.path().display().to_string()), "{error}");
    }
}
