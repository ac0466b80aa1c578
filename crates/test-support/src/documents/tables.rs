//! Random results that others measured, as a table.

use super::truth::{Draw, Truth};
use import::{Format as _, Source, Table, assemble};
use model::{Dataset, ReadBudget};
use std::fmt::Write;

const HEAD: &str = "target,test,concurrency,rate,block,metric,value,unit,note\n";

/// A figure beside the first, which no trial lacks that has that.
#[derive(Clone, Copy, PartialEq)]
enum Figure {
    Throughput,
    P95,
    Elapsed,
    Stalls,
}

/// A table of one to three tests.
pub(super) fn imported(draw: &mut Draw) -> Dataset {
    let mut truth = Truth::draw(draw);
    let mut table = HEAD.to_owned();
    let tests = draw.one_of(&[1, 1, 1, 2, 3]);
    let in_turns = draw.once_in(2);
    let stalls = draw.once_in(8);
    let rate = draw.once_in(6).then(|| draw.one_of(&[100, 1_000]));
    let figures: &[Figure] = match draw.below(6) {
        0 => &[Figure::P95],
        1 => &[Figure::Elapsed],
        2 => &[Figure::Throughput, Figure::P95, Figure::Elapsed],
        3 => &[Figure::Throughput, Figure::Stalls],
        4 => &[Figure::Throughput],
        _ => &[Figure::Throughput, Figure::P95],
    };
    for test in 0..tests {
        if test > 0 {
            truth = Truth::for_targets(truth.targets, draw);
        }
        let mut rows = Rows { truth: &truth, test, rate, stalls, figures, table: &mut table };
        rows.write(draw);
    }
    for (place, target) in truth.targets.iter().enumerate() {
        if truth.is_labelled {
            for (label, value) in [("disk", place % 2), ("mem", place / 2 % 3)] {
                let _ = writeln!(table, "{target},label,,,,{label},{},,", ["x", "y", "z"][value]);
            }
        }
        if truth.is_priced {
            let monthly = 40 + 10 * draw.below(5);
            let _ = writeln!(table, "{target},price,,,,instance_monthly,{monthly},EUR,");
            if draw.once_in(3) {
                let each = draw.one_of(&["0.01", "0.02", "0.04"]);
                let _ = writeln!(table, "{target},price,,,,req_per_million_requests,{each},EUR,");
            }
        }
    }
    // A column of blocks says that targets took turns, one of repeats does not.
    if !in_turns {
        table = table.replacen(",block,", ",repeat,", 1);
    }
    // Repeats that were printed alike are left out as copies.
    let source = Source { file: "random.csv", text: &table, budget: &ReadBudget::default() };
    assemble("random", crate::run(), vec![Table.parse(source)]).0
}

/// The rows of a test.
struct Rows<'a> {
    truth: &'a Truth,
    test: usize,
    rate: Option<u32>,
    stalls: bool,
    figures: &'a [Figure],
    table: &'a mut String,
}

impl Rows<'_> {
    fn write(&mut self, draw: &mut Draw) {
        for target in &self.truth.targets {
            for &clients in &self.truth.levels {
                for repeat in 1..=self.truth.repeats {
                    self.trial(draw, target, clients, repeat);
                }
            }
        }
    }

    fn trial(&mut self, draw: &mut Draw, target: &str, clients: u32, repeat: u32) {
        let rate = self.rate.map(|each| each * clients);
        let (at, rate_text) = match rate {
            Some(rate) => (64, rate.to_string()),
            None => (clients, String::new()),
        };
        let key = format!("{target},w{},{at},{rate_text},{repeat}", self.test);
        if self.truth.is_missing(draw) {
            if draw.once_in(2) {
                let _ = writeln!(self.table, "{key},failure,,,crashed");
            }
            return;
        }
        let most = self.truth.throughput(draw, target, clients);
        let throughput = match rate {
            _ if self.stalls && draw.once_in(10) => 0.0,
            Some(rate) => most.min(f64::from(rate)),
            None => most,
        };
        for figure in self.figures {
            let (name, value, unit) = match figure {
                Figure::Throughput => ("transactions_per_s", throughput, "1/s"),
                Figure::P95 => {
                    let mean = f64::from(clients) / most * 1e3;
                    let p95 = 1.2 * mean * draw.factor(self.truth.scatter);
                    ("latency_p95", self.truth.rounded(p95), "ms")
                }
                Figure::Elapsed => ("elapsed", self.truth.rounded(1e5 / most), "s"),
                Figure::Stalls => ("stalls", draw.below(3) as f64, ""),
            };
            let _ = writeln!(self.table, "{key},{name},{value},{unit},");
        }
    }
}
