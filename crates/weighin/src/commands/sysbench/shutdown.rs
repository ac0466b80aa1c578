//! How a run ends whose last events are not answered.

use super::options::Options;
use crate::exit::CliError;
use std::time::Duration;

/// How long to wait for replies after the last event began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shutdown {
    pub(super) after: Duration,
    /// Whether `--forced-shutdown` asked for it.
    pub(super) forced: bool,
}

impl Shutdown {
    /// What holds where nothing is asked for.
    pub(super) const PATIENT: Self = Self { after: Duration::from_secs(30), forced: false };

    /// What `--forced-shutdown` asks for, with this limit of time.
    pub(super) fn from_options(
        options: &Options,
        time: Option<Duration>,
    ) -> Result<Self, CliError> {
        let text = options.text("forced-shutdown");
        if text.eq_ignore_ascii_case("off") {
            return Ok(Self::PATIENT);
        }
        let Some(time) = time else {
            return Err(CliError::usage(
                format!("--forced-shutdown={text} needs a limit of time"),
                "limit the time, or leave it out",
            ));
        };
        let number = |digits: &str| digits.parse::<u32>().ok();
        let after = match (text, text.strip_suffix('%')) {
            ("", _) => Some(time / 20),
            (_, Some(percent)) => {
                number(percent).map(|percent| time.saturating_mul(percent.min(100)) / 100)
            }
            (seconds, None) => number(seconds).map(|s| Duration::from_secs(s.into())),
        };
        after.map(|after| Self { after, forced: true }).ok_or_else(|| {
            CliError::usage(
                format!("--forced-shutdown={text} is not supported"),
                "give a number of seconds, a percentage such as 10%, or off",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::generation::Generation;
    use super::super::words::Words;
    use super::*;

    fn shutdown_of(word: &str, time: Option<u64>) -> Option<(u64, bool)> {
        let words = Words::parse(&[word.into()]).unwrap();
        let options = Options::check(&words, Generation::V10).unwrap();
        let shutdown = Shutdown::from_options(&options, time.map(Duration::from_secs)).ok()?;
        Some((shutdown.after.as_secs(), shutdown.forced))
    }

    #[test]
    fn it_is_a_number_of_seconds_or_a_part_of_the_time() {
        assert_eq!(shutdown_of("--forced-shutdown=OFF", None), Some((30, false)));
        assert_eq!(shutdown_of("--forced-shutdown=7", Some(60)), Some((7, true)));
        assert_eq!(shutdown_of("--forced-shutdown=10%", Some(60)), Some((6, true)));
        assert_eq!(shutdown_of("--forced-shutdown", Some(60)), Some((3, true)));
        assert_eq!(shutdown_of("--forced-shutdown=soon", Some(60)), None);
        assert_eq!(shutdown_of("--forced-shutdown=7", None), None);
    }
}
