//! Figures that cannot all be true: the arithmetic.

use crate::{Severity, Range};
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, count, percent};
use model::{FigureNumber, FigureValue, Metric};
use std::mem::discriminant;

/// How much of its terms an equation shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Terms {
    /// Their names.
    Names,
    /// Their values as well.
    Values,
    /// And where each comes from.
    Origins,
}

/// A figure that cannot be true together with others: the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contradiction {
    /// Which identity does not hold.
    pub identity: Identity,
    /// The file that the figures are printed in; empty for weighin's own results.
    pub file: String,
    /// What the arithmetic starts from.
    pub terms: Vec<Term>,
    /// What follows from the terms for the figure, in the unit in which it is printed.
    pub follows: Range,
    /// The figure as it is printed.
    pub printed: Term,
    /// The printed figure less what follows, in its unit.
    pub off: f64,
}

impl Contradiction {
    /// By how much the figure is off, as a share of what follows: 0.05 is 5 %.
    pub fn relative(&self) -> f64 {
        if self.identity == Identity::NotNegative {
            return 1.0;
        }
        self.off.abs() / self.follows.nominal.abs().max(f64::MIN_POSITIVE)
    }

    /// Whether a metric is among the figures that cannot all be true, off by more than that margin:
    /// nothing is to be chosen by it then.
    pub fn is_against(&self, metric: Metric, margin: f64) -> bool {
        let is_of_it = |term: &Term| metric.printed_names().any(|known| known.name == term.name);
        self.relative() > margin && self.terms.iter().chain([&self.printed]).any(is_of_it)
    }
}

/// Sentence on figures below zero, which contradict no other figure.
fn negative(found: &Group<'_, Contradiction>) -> String {
    let printed = &found.first.printed;
    let none = "no rate and no latency is below zero";
    match found.is_one() {
        true => {
            let given = with_origin(value(printed), printed.origin);
            format!("{} is given as {given}, but {none}", printed.name)
        }
        false => {
            let all = count(found.all.len() as u64);
            format!("{all} figures of {} are below zero, but {none}", printed.name)
        }
    }
}

impl FindingKind for Contradiction {
    const HEADING: &'static str = "Contradictory figures";

    fn is_like(&self, other: &Self) -> bool {
        let names = |found: &Self| -> Vec<String> {
            found.terms.iter().map(|term| term.name.clone()).collect()
        };
        discriminant(&self.identity) == discriminant(&other.identity)
            && self.printed.name == other.printed.name
            && names(self) == names(other)
    }

    fn say(found: &Group<'_, Self>) -> String {
        let first = found.first;
        if first.identity == Identity::NotNegative {
            return negative(found);
        }
        if !found.is_one() {
            return format!(
                "{} figures of {} do not agree with {}: they are off by {}; a separate table shows \
                 the arithmetic",
                count(found.all.len() as u64),
                first.printed.name,
                equation(first, Terms::Names),
                numbers::percents(found.range(Self::relative)),
            );
        }
        let (follows, bounds) = follows(first);
        format!(
            "{} is given as {}, but {} {} {follows}{}: {}",
            first.printed.name,
            with_origin(value(&first.printed), first.printed.origin),
            equation(first, Terms::Origins),
            if is_bound(&first.follows) { "allow" } else { "make" },
            bounds.map_or_else(String::new, |bounds| format!(" ({bounds})")),
            off(first),
        )
    }
}

/// What must hold between figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Identity {
    /// A rate is its count ÷ the time.
    Rate,
    /// Counts of one trial with their rates all give the same time.
    SameTime,
    /// Elapsed time is the end less the start.
    Elapsed,
    /// Bytes per second are operations per second × block size.
    Bandwidth {
        /// How megabytes and the like are to be read.
        prefix: Prefix,
        /// In how many figures of the file this way of reading holds.
        holds: usize,
        /// Whether in this one figure the other way of reading would hold.
        other_holds: bool,
    },
    /// A total ÷ the same per unit is the number of units, and the same in all rows of a set-up.
    PerUnit {
        /// In how many rows it is the same.
        holds: usize,
    },
    /// Operations per second × latency are no more than may be outstanding (Little's law).
    Outstanding,
    /// No more operations per second are served than are offered.
    Offered,
    /// No rate and no latency is below zero.
    NotNegative,
    /// A higher percentile is no lower; the minimum is below all, the maximum above.
    PercentileOrder,
    /// A mean lies between minimum and maximum.
    MeanInRange,
    /// A total is the sum of its parts; a part alone, or what is counted at least that often, is
    /// a bound.
    Sum,
    /// A rank follows from the values.
    Rank,
    /// So many statements per transaction, as the workload has it.
    StatementsPerTransaction,
}

/// Whose figures were audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Those that others printed.
    Others,
    /// Those that weighin recorded.
    Own,
}

/// How prefixes such as the M of MB are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefix {
    /// Powers of 1000.
    Decimal,
    /// Powers of 1024.
    Binary,
}

/// A figure of the arithmetic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// Its name in the source, or that of the part of a result that it is.
    pub name: String,
    pub value: FigureValue,
    /// Its unit as printed; empty where none is given.
    pub unit: String,
    pub origin: Origin,
}

impl Term {
    pub fn printed(figure: &model::Figure) -> Self {
        Self {
            name: figure.metric.clone(),
            value: figure.value.clone(),
            unit: figure.unit.clone(),
            origin: Origin::Line(figure.printed.as_ref().map_or(0, |printed| printed.line)),
        }
    }
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It is printed in that line; 0 where lines mean nothing.
    Line(u32),
    /// The name of the test says it.
    TestName,
    /// The level says it.
    Level,
    /// It follows from other rows of the same set-up.
    OtherRows,
    /// Weighin recorded it.
    Recorded,
    /// The study asks for it.
    Study,
}

/// Identities between figures were checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArithmeticChecked {
    pub source: Source,
    pub checked: usize,
    /// How many of them do not hold.
    pub violated: usize,
}

impl FindingKind for ArithmeticChecked {
    const HEADING: &'static str = "Arithmetic";

    fn severity(&self) -> Severity {
        if self.violated == 0 { Severity::Passed } else { Severity::Notice }
    }

    fn say(found: &Group<'_, Self>) -> String {
        let Self { source, checked, violated } = found.first;
        let all = count(*checked as u64);
        let (of, within, so) = match source {
            Source::Others => (
                "imported figures",
                " within the printed precision",
                "these figures cannot all be true",
            ),
            Source::Own => (
                "weighin’s own figures",
                "",
                "weighin has a defect, and trials with such figures are void",
            ),
        };
        let fail = match violated {
            0 if *checked == 1 => {
                return format!("the 1 relation between {of} that could be checked holds");
            }
            0 => return format!("all {all} relations between {of} that could be checked hold"),
            1 => "1 does not hold".to_owned(),
            several => format!("{} do not hold", count(*several as u64)),
        };
        format!("of {all} relations between {of} that could be checked, {fail}{within}, so {so}")
    }
}

/// What the figure is reckoned from.
pub fn equation(found: &Contradiction, show: Terms) -> String {
    let term = |term: &Term| match show {
        Terms::Names => term.name.clone(),
        Terms::Values => format!("{} {}", term.name, value(term)),
        Terms::Origins => with_origin(format!("{} {}", term.name, value(term)), term.origin),
    };
    let terms: Vec<String> = found.terms.iter().map(term).collect();
    let joined = |sign: &str| terms.join(sign);
    match (&found.identity, terms.as_slice()) {
        (Identity::Rate, [counted, end, start]) => format!("{counted} ÷ ({end} − {start})"),
        (Identity::Rate | Identity::PerUnit { .. } | Identity::Outstanding, _) => joined(" ÷ "),
        (Identity::SameTime, [counted, other, rate]) => format!("{counted} ÷ ({other} ÷ {rate})"),
        (Identity::Elapsed, _) => joined(" − "),
        (Identity::Bandwidth { .. }, _) => joined(" × "),
        (Identity::StatementsPerTransaction, _) => joined(" × "),
        (Identity::Sum, [share]) if found.printed.name.ends_with("percent") => {
            format!("100 − {share}")
        }
        (Identity::Sum, _) => joined(" + "),
        (
            Identity::SameTime
            | Identity::Offered
            | Identity::NotNegative
            | Identity::PercentileOrder
            | Identity::MeanInRange
            | Identity::Rank,
            _,
        ) => joined(", "),
    }
}

/// What follows, and in small print the bounds that rounding leaves and how units were read.
pub fn follows(found: &Contradiction) -> (String, Option<String>) {
    let range = found.follows;
    let unit = unit(&found.printed);
    let finer = match found.printed.value {
        FigureValue::Number(number) => number.resolution / 10.0,
        FigureValue::Text(_) => 0.0,
    };
    let resolution = if matches!(found.identity, Identity::Rank) { 1.0 } else { finer };
    let show = |value: f64| numbers::printed(FigureNumber { value, resolution });
    if range.high == f64::INFINITY {
        return (format!("at least {}{unit}", show(range.low)), None);
    }
    if range.low == f64::NEG_INFINITY {
        return (format!("at most {}{unit}", show(range.high)), None);
    }
    let (low, high) = (show(range.low), show(range.high));
    let bounds = (low != high).then(|| format!("{low} to {high}"));
    let notes: Vec<String> = bounds.into_iter().chain(reading(&found.identity)).collect();
    (format!("{}{unit}", show(range.nominal)), (!notes.is_empty()).then(|| notes.join("; ")))
}

/// By how much the figure is off.
pub fn off(found: &Contradiction) -> String {
    if matches!(found.identity, Identity::Rank) {
        return numbers::counted(found.off.abs().round() as usize, "place");
    }
    if found.identity == Identity::NotNegative {
        return "below zero".to_owned();
    }
    let direction = if found.off > 0.0 { "too much" } else { "too little" };
    format!("{} {direction}", percent(found.relative()))
}

/// How megabytes were read, and what else would fit.
fn reading(identity: &Identity) -> Option<String> {
    let Identity::Bandwidth { prefix, holds, other_holds } = identity else { return None };
    let (this, other) = match prefix {
        Prefix::Decimal => ("1000", "1024"),
        Prefix::Binary => ("1024", "1000"),
    };
    let otherwise = if *other_holds {
        format!("; powers of {other} would fit this figure")
    } else {
        String::new()
    };
    Some(format!("in powers of {this}, which {holds} figures of the file are in{otherwise}"))
}

fn is_bound(range: &Range) -> bool {
    !range.low.is_finite() || !range.high.is_finite()
}

/// A value with its unit: `29,228.05/s`, `266 min`.
pub fn value(term: &Term) -> String {
    let number = match &term.value {
        FigureValue::Text(text) => text.clone(),
        // An inferred number has bounds of its own, and no digits of print.
        FigureValue::Number(number) if term.origin == Origin::OtherRows => {
            numbers::figure(number.value)
        }
        FigureValue::Number(number) => numbers::printed(*number),
    };
    match &term.value {
        FigureValue::Text(_) => number,
        FigureValue::Number(_) => format!("{number}{}", unit(term)),
    }
}

fn unit(term: &Term) -> String {
    match term.unit.as_str() {
        "" | "count" => String::new(),
        "percent" => "\u{a0}%".to_owned(),
        unit => match unit.strip_prefix("1/") {
            Some(per) => format!("/{per}"),
            None => format!("\u{a0}{unit}"),
        },
    }
}

fn with_origin(text: String, origin: Origin) -> String {
    match origin_of(origin) {
        Some(origin) => format!("{text} ({origin})"),
        None => text,
    }
}

/// Where the terms of an equation come from: `lines 7, 9 and 10`.
pub fn origins(terms: &[Term]) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for term in terms {
        match term.origin {
            Origin::Line(line @ 1..) => lines.push(line.to_string()),
            origin => others.extend(origin_of(origin).map(|from| format!("{} {from}", term.name))),
        }
    }
    let lines = match lines.as_slice() {
        [] => None,
        [one] => Some(format!("line {one}")),
        several => Some(format!("lines {}", numbers::list(several))),
    };
    let all: Vec<String> = lines.into_iter().chain(others).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn origin_of(origin: Origin) -> Option<String> {
    match origin {
        Origin::Line(0) | Origin::Recorded => None,
        Origin::Line(line) => Some(format!("line {line}")),
        Origin::TestName => Some("from the name of the test".to_owned()),
        Origin::Level => Some("from the level".to_owned()),
        Origin::OtherRows => Some("from other rows".to_owned()),
        Origin::Study => Some("from the study".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use crate::sentence::tests::said;
    use super::*;

    fn term(name: &str, value: f64, resolution: f64, unit: &str, line: u32) -> Term {
        Term {
            name: name.into(),
            value: FigureValue::Number(FigureNumber { value, resolution }),
            unit: unit.into(),
            origin: Origin::Line(line),
        }
    }

    #[test]
    fn a_contradiction_shows_its_arithmetic() {
        let found = Contradiction {
            identity: Identity::SameTime,
            file: "table.csv".into(),
            terms: vec![
                term("reads", 14_000_238.0, 1.0, "count", 7),
                term("transactions", 1_000_017.0, 1.0, "count", 9),
                term("transactions_per_s", 2084.99, 0.01, "1/s", 10),
            ],
            follows: Range { nominal: 29_189.863, low: 29_189.721, high: 29_190.005 },
            printed: term("reads_per_s", 29_228.05, 0.01, "1/s", 8),
            off: 38.187,
        };
        assert_eq!(
            said(found),
            "Reads_per_s is given as 29,228.05/s (line 8), but reads 14,000,238 (line 7) ÷ \
             (transactions 1,000,017 (line 9) ÷ transactions_per_s 2,084.99/s (line 10)) make \
             29,189.863/s (29,189.721 to 29,190.005): 0.1\u{a0}% too much"
        );
    }

    #[test]
    fn what_does_not_agree_in_weighins_own_figures_is_said_as_its_defect() {
        let recorded = |name, value, origin| Term { origin, ..term(name, value, 0.0, "", 0) };
        let found = Contradiction {
            identity: Identity::StatementsPerTransaction,
            file: String::new(),
            terms: vec![
                recorded("ledger.ok", 1_000.0, Origin::Recorded),
                recorded("updates each", 2.0, Origin::Study),
            ],
            follows: Range { nominal: 2_000.0, low: 2_000.0, high: 2_000.0 },
            printed: recorded("updates", 2_040.0, Origin::Recorded),
            off: 40.0,
        };
        assert_eq!(
            said(found),
            "Updates is given as 2,040, but ledger.ok 1,000 × updates each 2 (from the study) \
             make 2,000: 2\u{a0}% too much"
        );
        assert_eq!(
            said(ArithmeticChecked { source: Source::Own, checked: 27, violated: 1 }),
            "Of 27 relations between weighin’s own figures that could be checked, 1 does not \
             hold, so weighin has a defect, and trials with such figures are void"
        );
    }

    #[test]
    fn bounds_are_said_as_bounds() {
        let found = Contradiction {
            identity: Identity::PercentileOrder,
            file: String::new(),
            terms: vec![term("latency_p50", 20.0, 0.1, "ms", 0)],
            follows: Range { nominal: 20.0, low: 19.9, high: f64::INFINITY },
            printed: term("latency_p95", 15.0, 0.1, "ms", 0),
            off: -5.0,
        };
        assert_eq!(
            said(found),
            "Latency_p95 is given as 15.0\u{a0}ms, but latency_p50 20.0\u{a0}ms allow at least \
             19.90\u{a0}ms: 25\u{a0}% too little"
        );
    }
}
