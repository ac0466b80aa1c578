//! Elapsed time against the dates of start and end.

use super::checked::Checked;
use super::figure::Row;
use super::units::Dimension;
use findings::{Identity, Range, Term};
use model::{Figure, FigureValue};

/// Names of the time that a trial took.
pub(super) const ELAPSED: [&str; 4] = ["elapsed", "total_time", "duration", "runtime"];

const START: [&str; 3] = ["started_at", "start", "begin"];
const END: [&str; 4] = ["ended_at", "finished_at", "end", "finish"];

pub(super) fn check(row: &Row<'_>, checked: &mut Checked) {
    let elapsed = row.any(&ELAPSED, Dimension::Time);
    if let Some((elapsed, (terms, span))) = elapsed.zip(span(row)) {
        checked.expect(row, Identity::Elapsed, terms, span, &elapsed);
    }
}

/// From start to end in seconds, where both are printed and the end is the later. Either may have
/// been cut off, so the length may be off by one unit of the coarser.
pub(super) fn span(row: &Row<'_>) -> Option<(Vec<Term>, Range)> {
    let (start, started) = date(row, &START)?;
    let (end, ended) = date(row, &END)?;
    let length = ended.seconds - started.seconds;
    let range = Range::around(length, started.resolution.max(ended.resolution));
    (length >= 0.0).then(|| (vec![Term::printed(end), Term::printed(start)], range))
}

/// A date in seconds since 1970, wherever its clock stood, and how precisely it is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment {
    seconds: f64,
    resolution: f64,
}

fn date<'a>(row: &Row<'a>, names: &[&str]) -> Option<(&'a Figure, Moment)> {
    names.iter().find_map(|name| {
        let figure = row.outcome.figure(name)?;
        let FigureValue::Text(text) = &figure.value else { return None };
        Some((figure, moment(text)?))
    })
}

/// `2016-06-09 11:21:20`, with `T` or a space, with seconds or without.
fn moment(text: &str) -> Option<Moment> {
    const TO_MINUTES: usize = "2016-06-09 11:21".len();
    let mut text = text.trim().replacen('T', " ", 1);
    let resolution = if text.len() == TO_MINUTES { 60.0 } else { 1.0 };
    if text.len() == TO_MINUTES {
        text.push_str(":00");
    }
    let at = humantime::parse_rfc3339_weak(&text).ok()?;
    let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Moment { seconds: since.as_secs_f64(), resolution })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_they_are_printed() {
        let second = moment("2016-06-09T11:21:20").unwrap();
        assert_eq!(moment("2016-06-09 11:21:20"), Some(second));
        assert_eq!(second.resolution, 1.0);
        let minute = moment("2016-06-09 11:21").unwrap();
        assert_eq!((second.seconds - minute.seconds, minute.resolution), (20.0, 60.0));
        assert_eq!(moment("2016-06-14 24:36:15"), None);
        assert_eq!(moment("lunch"), None);
    }
}
