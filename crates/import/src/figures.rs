//! What parsers put together.

use crate::{ImportedTrial, Problem, Source, printed_number};
use model::{
    FailureKind, Figure, FigureNumber, FigureValue, Latencies, Level, Printed, Sampling, TrialEnd,
    text,
};

/// The figures of one trial while its file is read.
#[derive(Debug, Default)]
pub(crate) struct Figures(pub(crate) Vec<Figure>);

impl Figures {
    /// A figure as printed; `false` when the text is no number.
    pub(crate) fn printed(&mut self, metric: &str, text: &str, unit: &str, line: u32) -> bool {
        let number = printed_number(text);
        if let Some(number) = number {
            self.number(metric, number, unit, line);
        }
        number.is_some()
    }

    /// A number that was counted, which is exact; `false` when the text is no number.
    pub(crate) fn counted(&mut self, metric: &str, text: &str, line: u32) -> bool {
        let number = text.trim().parse::<u64>().ok();
        if let Some(number) = number {
            let number = FigureNumber { value: number as f64, resolution: 0.0 };
            self.number(metric, number, "", line);
        }
        number.is_some()
    }

    /// A number.
    pub(crate) fn number(&mut self, metric: &str, number: FigureNumber, unit: &str, line: u32) {
        self.noted(metric, number, unit, "", line);
    }

    /// A number with a note.
    pub(crate) fn noted(
        &mut self,
        metric: &str,
        number: FigureNumber,
        unit: &str,
        note: &str,
        line: u32,
    ) {
        let mut figure = Figure {
            metric: metric.to_owned(),
            value: FigureValue::Number(number),
            unit: unit.to_owned(),
            printed: Some(Printed { line, note: note.to_owned() }),
        };
        if stands_for_none(number.value) {
            figure.unknown("the largest number that the tool has");
        }
        self.0.push(figure);
    }

    /// Mean, percentiles and largest value of a whole distribution, to the grain that weighin
    /// keeps distributions with.
    pub(crate) fn distribution(&mut self, latencies: &Latencies) {
        self.percentiles(latencies);
        for (name, value) in [("avg", latencies.mean_ms()), ("max", latencies.max_ms())] {
            self.of_histogram(&format!("latency_{name}"), value);
        }
    }

    /// Its percentiles alone.
    pub(crate) fn percentiles(&mut self, latencies: &Latencies) {
        self.percentiles_up_to(latencies, f64::INFINITY);
    }

    /// The same, none of them above the largest value in milliseconds, where that is known better than to
    /// the grain.
    pub(crate) fn percentiles_up_to(&mut self, latencies: &Latencies, most: f64) {
        for rank in [50.0, 95.0, 99.0, 99.9] {
            let value = latencies.percentile_ms(rank).map(|value| value.min(most));
            self.of_histogram(&percentile(rank), value);
        }
    }

    fn of_histogram(&mut self, metric: &str, value: Option<f64>) {
        let Some(value) = value else { return };
        let number = FigureNumber { value, resolution: value / 1e3 };
        self.noted(metric, number, "ms", "from the histogram", 0);
        if let Some(figure) = self.0.last_mut().filter(|_| value >= Latencies::LONGEST_MS) {
            figure.at_least(Latencies::LONGEST_MS, "where weighin’s histogram ends");
        }
    }
}

/// Bytes of memory that a trial takes besides its figures and latencies.
const BYTES_OF_TRIAL: u64 = 1024;

/// What follows from printed figures, with one digit more than is known of it.
pub(crate) fn reckoned(value: f64, resolution: f64) -> FigureNumber {
    const MOST_DECIMALS: f64 = 12.0;
    let decimals = (1.0 - resolution.log10().floor()).clamp(0.0, MOST_DECIMALS);
    let decimals = if resolution > 0.0 { decimals as usize } else { MOST_DECIMALS as usize };
    let rounded = format!("{value:.decimals$}").parse().unwrap_or(value);
    FigureNumber { value: rounded, resolution }
}

/// The name of a percentile's figure: `latency_p95`, `latency_p99.9`.
pub(crate) fn percentile(rank: f64) -> String {
    format!("latency_p{rank}")
}

/// The number that a text begins with, as a text, and what follows it: `4.65` and `ms` of
/// `4.65ms`.
pub(crate) fn with_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// A figure of which only a bound is known.
pub(crate) trait Bounded {
    /// Says that nothing is known of it, because of what stands in its place.
    fn unknown(&mut self, because: &str);

    /// Says that it is this or more, because of what its tool can tell.
    fn at_least(&mut self, value: f64, because: &str);
}

impl Bounded for Figure {
    fn unknown(&mut self, because: &str) {
        self.value = FigureValue::Text("not known".to_owned());
        if let Some(printed) = &mut self.printed {
            because.clone_into(&mut printed.note);
        }
    }

    fn at_least(&mut self, value: f64, because: &str) {
        self.value = FigureValue::Text(format!("at least {value}"));
        if let Some(printed) = &mut self.printed {
            because.clone_into(&mut printed.note);
        }
    }
}

/// What kind of trouble a tool complains of, where it did not get as far as a load: a start that failed
/// says nothing of what the target bears.
pub(crate) fn failure_kind(reason: &str, began: bool) -> FailureKind {
    const KINDS: [(&str, FailureKind); 13] = [
        ("too many", FailureKind::TooFewConnections),
        ("access denied", FailureKind::AccessDenied),
        ("authentication failed", FailureKind::AccessDenied),
        ("unknown database", FailureKind::MissingDatabase),
        ("database \"", FailureKind::MissingDatabase),
        ("relation \"", FailureKind::MissingTables),
        ("doesn't exist", FailureKind::MissingTables),
        ("unable to connect", FailureKind::Unreachable),
        ("could not connect", FailureKind::Unreachable),
        ("can't connect", FailureKind::Unreachable),
        ("connection to", FailureKind::Unreachable),
        ("connection refused", FailureKind::Unreachable),
        ("lost connection", FailureKind::Unreachable),
    ];
    let reason = reason.to_lowercase();
    let found = KINDS.into_iter().find(|(words, _)| reason.contains(words));
    found.filter(|_| !began).map_or(FailureKind::Other, |(_, kind)| kind)
}

/// Whether a number is the largest that 64 bits have, as such or in a larger unit: tools begin to look
/// for the least value with it, and print it where there was none.
fn stands_for_none(value: f64) -> bool {
    const LARGEST: [f64; 2] = [u64::MAX as f64, i64::MAX as f64];
    let is = |largest: &f64| {
        [1.0, 1e3, 1e6, 1e9].iter().any(|unit| (value.abs() * unit / largest - 1.0).abs() < 1e-12)
    };
    LARGEST.iter().any(is)
}

/// Whether a run ended so long before its time that something must have ended it.
pub(crate) fn is_cut_short(ran: f64, asked: f64) -> bool {
    const SHARE: f64 = 0.9;
    // Runs of a second or two may end before a clock's tick.
    const SLACK: f64 = 1.0;
    asked > 0.0 && ran < asked * SHARE && ran < asked - SLACK
}

/// A problem in a line of a file.
pub(crate) fn problem(source: &Source<'_>, line: u32, message: impl Into<String>) -> Problem {
    // A heading of megabytes would be quoted for each row otherwise.
    let message = text::message(&message.into()).into_owned();
    Problem { file: source.file.to_owned(), line, message }
}

/// A trial whose target and test its path will say, with nothing sampled and no dates.
pub(crate) fn trial(
    source: &Source<'_>,
    tool: &'static str,
    level: Level,
    end: TrialEnd,
) -> ImportedTrial {
    if let TrialEnd::Completed(outcome) = &end {
        // Overdrawn, it ends the loop over the file's parts.
        let latencies = outcome.latencies.as_ref().map_or(0, Latencies::memory);
        let _ = source.budget.charge(latencies + BYTES_OF_TRIAL);
    }
    ImportedTrial {
        file: source.file.to_owned(),
        target: String::new(),
        test: String::new(),
        tool,
        part: String::new(),
        said: Vec::new(),
        load: Vec::new(),
        repeat: String::new(),
        block: None,
        level,
        started_at: None,
        finished_at: None,
        end,
        sampling: Sampling::default(),
    }
}

/// `1 trial`, `3 trials`.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_numbers_stand_for_none() {
        for value in [18_446_744_073_709.55, 9_223_372_036_854_776.0, 18_446_744_073_709_551_615.0]
        {
            assert!(stands_for_none(value), "{value}");
        }
        assert!(!stands_for_none(18_446_744_073.0));
        assert!(!stands_for_none(0.0));
    }

    #[test]
    fn what_is_reckoned_has_no_more_digits_than_are_known() {
        for (value, resolution, expected) in [
            (3_322.259_136, 66.4, 3322.0),
            (1_791.020_029_181, 0.0594, 1791.02),
            (0.322_300_128, 0.000_16, 0.3223),
            (1e300, 1e290, 1e300),
            (0.1, 0.0, 0.1),
            (f64::INFINITY, 1.0, f64::INFINITY),
        ] {
            assert_eq!(reckoned(value, resolution).value, expected, "{value}");
        }
    }
}
