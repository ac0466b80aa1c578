//! The answer of a gate, for people, for continuous integration and for monitoring.

use crate::document::Document;
use crate::mark::{FIRST_METRIC, SUITES};
use crate::numbers::{counted, interval, percent};
use crate::runs::{RunFacts, RunName, RunsFormat, between_runs, json_text, level, ratio};
use crate::tables::{Table, TableCell, Tone, numbers, words};
use crate::words::metric_name;
use analyse::runs::{Gate, GateItem, GateOutcome, GateReason};
use maud::{Markup, PreEscaped, html};
use model::{Level, text};
use serde::Serialize;
use std::fmt::Write;

/// Raised when a field changes its meaning or goes away; new fields may come without.
const VERSION: u32 = 1;

/// A gate with the runs that it stands between.
pub struct Gated<'a> {
    pub baseline: RunName<'a>,
    pub new: RunName<'a>,
    pub gate: &'a Gate,
}

/// The answer in that form.
pub fn render_gate(gated: &Gated<'_>, format: RunsFormat) -> String {
    format.write(|| document(gated), || json(gated))
}

fn json(gated: &Gated<'_>) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'static str,
        format_version: u32,
        baseline: RunFacts<'a>,
        new: RunFacts<'a>,
        outcome: GateOutcome,
        #[serde(flatten)]
        gate: &'a Gate,
    }
    json_text(&Document {
        format: "weighin-gate",
        format_version: VERSION,
        baseline: gated.baseline.into(),
        new: gated.new.into(),
        outcome: gated.gate.outcome(),
        gate: gated.gate,
    })
}

fn document(gated: &Gated<'_>) -> Document {
    let Gated { baseline, new, gate } = gated;
    let limit = percent(gate.question.max_regression);
    let title = match gate.outcome() {
        GateOutcome::NotWorse => format!("Not worse: no figure lost more than {limit}"),
        GateOutcome::Worse => {
            let worse = gate.items.iter().filter(|item| item.outcome == GateOutcome::Worse).count();
            format!("Worse: {} lost more than {limit}", counted(worse, "figure"))
        }
        GateOutcome::NotKnown => format!("Not known whether any figure lost more than {limit}"),
        GateOutcome::NoResult => {
            let none = gate.items.iter().filter(|item| item.outcome == GateOutcome::NoResult);
            format!("No result: the new run lacks {}", counted(none.count(), "figure"))
        }
    };
    let mut table = Table::new([
        words("test"),
        words("target"),
        words("level"),
        words("figure"),
        numbers("baseline"),
        numbers("new"),
        numbers("new ÷ baseline"),
        numbers("interval"),
        words("answer"),
    ]);
    for item in &gate.items {
        let figure = |estimate: Option<&stats::Estimate>| {
            TableCell::text(estimate.map_or(crate::numbers::NOTHING.to_owned(), |estimate| {
                crate::numbers::figure(estimate.point)
            }))
        };
        let tone = match item.outcome {
            GateOutcome::NotWorse => Tone::Good,
            GateOutcome::Worse => Tone::Bad,
            GateOutcome::NotKnown | GateOutcome::NoResult => Tone::Doubtful,
        };
        table.push([
            TableCell::text(&item.test),
            TableCell::text(&item.target),
            TableCell::text(match item.level {
                Some(Level::NONE) => String::new(),
                other => level(other, item.some_levels.as_deref()),
            }),
            TableCell::text(metric_name(item.metric)),
            figure(item.old.as_ref()),
            figure(item.new.as_ref()),
            figure(item.ratio.as_ref()),
            TableCell::text(item.ratio.as_ref().map_or(String::new(), interval)),
            TableCell::text(with_reason(item)).with_tone(tone),
        ]);
    }
    let confidence = percent(gate.confidence);
    let more = match gate.earlier_runs {
        0 => "further repeats of both runs",
        _ => "runs that differ less from one another",
    };
    let how = format!(
        "Worse: at {confidence}, held for all figures together, the whole interval lies beyond a loss of \
         {limit}. Not worse: at {confidence} for each figure, the interval excludes such a loss. Not \
         known: neither; where no reason is given, {more} tell more."
    );
    Document::new(title, |b| {
        b.bullets([
            format!("Baseline: {}", baseline.describe()),
            format!("New: {}", new.describe()),
        ]);
        b.table(table.without_empty_columns());
        b.paragraph(how);
        b.paragraph(between_runs(gate.earlier_runs, 0.0));
    })
}

/// An outcome in a word or two.
pub fn answer(outcome: GateOutcome) -> &'static str {
    match outcome {
        GateOutcome::NotWorse => "not worse",
        GateOutcome::Worse => "worse",
        GateOutcome::NotKnown => "not known",
        GateOutcome::NoResult => "no result",
    }
}

/// The answer for a figure, with why there is no ratio that decides.
fn with_reason(item: &GateItem) -> String {
    let reason = item.reason.map(|reason| match reason {
        GateReason::NoTrialCounts => "no trial of the new run counts there",
        GateReason::NoSuchTest => "the new run lacks the test, or judges it by another figure",
        GateReason::TestDiffers => "the test did something else",
        GateReason::TrialsLost => {
            "more trials of the new run failed or are void than of the baseline"
        }
        GateReason::Zero => "a figure is zero, of which there is no ratio",
        GateReason::NoiseFloor => "the loss does not clear the noise floor of the runs",
    });
    let answer = answer(item.outcome);
    reason.map_or(answer.to_owned(), |reason| format!("{answer}: {reason}"))
}

/// The answer as JUnit XML: a suite for each test, a case for each figure. What is worse is a
/// failure, what has no result an error, and what is not known is skipped.
pub fn junit(gated: &Gated<'_>) -> String {
    let items = &gated.gate.items;
    let mut tests: Vec<&str> = items.iter().map(|item| item.test.as_str()).collect();
    tests.dedup();
    let suites = html! {
        @for test in tests { (suite(gated, test)) }
    };
    let attributes = counts(items.iter());
    let page = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{SUITES}{attributes}>{}</testsuites>\n",
        suites.into_string()
    );
    text::visible(&page).into_owned()
}

/// How many cases there are, and how they ended, as attributes.
fn counts<'a>(items: impl Iterator<Item = &'a GateItem> + Clone) -> String {
    let of = |outcome| items.clone().filter(|item| item.outcome == outcome).count();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        items.clone().count(),
        of(GateOutcome::Worse),
        of(GateOutcome::NoResult),
        of(GateOutcome::NotKnown)
    )
}

fn suite(gated: &Gated<'_>, test: &str) -> Markup {
    let own = gated.gate.items.iter().filter(|item| item.test == test);
    let name = html! { (text::line(test)) }.into_string();
    let opening = format!("\n<testsuite name=\"{name}\"{}>", counts(own.clone()));
    html! {
        (PreEscaped(opening))
        @for item in own { (case(gated, item)) }
        (PreEscaped("\n</testsuite>"))
    }
}

fn case(gated: &Gated<'_>, item: &GateItem) -> Markup {
    let place = match item.level {
        Some(Level::NONE) => text::line(&item.target).into_owned(),
        other => {
            format!("{}, {}", text::line(&item.target), level(other, item.some_levels.as_deref()))
        }
    };
    let name = format!("{place}: {}", metric_name(item.metric));
    let class = format!("{}.{}", gated.new.dataset.study.name, text::line(&item.test));
    let limit = percent(gated.gate.question.max_regression);
    let figures = format!("new ÷ baseline {}, allowed loss {limit}", ratio(item.ratio.as_ref()));
    let said = match item.reason {
        Some(_) => with_reason(item),
        None => format!("{}: {figures}", answer(item.outcome)),
    };
    html! {
        (PreEscaped("\n"))
        testcase classname=(class) name=(name) {
            @match item.outcome {
                GateOutcome::NotWorse => {},
                GateOutcome::Worse => { failure type="worse" message=(said) {} }
                GateOutcome::NoResult => { error type="no result" message=(said) {} }
                GateOutcome::NotKnown => { skipped message=(said) {} }
            }
        }
    }
}

/// What a gauge shows of a figure, where that is known.
type Value = fn(&GateItem) -> Option<f64>;

/// The answer in the OpenMetrics text format: for each figure the ratio with the ends of its
/// interval, both figures and the outcome, and the outcome of all.
pub fn openmetrics(gated: &Gated<'_>) -> String {
    let study = label("study", &gated.new.dataset.study.name);
    let of = |item: &GateItem| {
        let level = match item.level {
            Some(Level::NONE) => String::new(),
            other => level(other, item.some_levels.as_deref()),
        };
        let labels = [
            label("test", &item.test),
            label("target", &item.target),
            label("level", &level),
            label("metric", &item.metric.name()),
        ];
        format!("{study},{}", labels.join(","))
    };
    let mut text = format!(
        "{FIRST_METRIC}\n# HELP weighin_gate_outcome Answer over all figures.\n{}",
        states("weighin_gate_outcome", &study, gated.gate.outcome())
    );
    text += "# TYPE weighin_gate_figure_outcome stateset\n\
             # HELP weighin_gate_figure_outcome Answer for a figure.\n";
    for item in &gated.gate.items {
        text += &states("weighin_gate_figure_outcome", &of(item), item.outcome);
    }
    let gauges: [(&str, &str, Value); 5] = [
        ("weighin_gate_ratio", "New run divided by baseline.", |item| {
            Some(item.ratio.as_ref()?.point)
        }),
        ("weighin_gate_ratio_low", "Lower end of the interval of the ratio.", |item| {
            Some(item.ratio.as_ref()?.interval?.low)
        }),
        ("weighin_gate_ratio_high", "Upper end of the interval of the ratio.", |item| {
            Some(item.ratio.as_ref()?.interval?.high)
        }),
        ("weighin_gate_baseline", "Figure of the baseline, in the unit of its metric.", |item| {
            Some(item.old.as_ref()?.point)
        }),
        ("weighin_gate_new", "Figure of the new run, in the unit of its metric.", |item| {
            Some(item.new.as_ref()?.point)
        }),
    ];
    for (name, help, value) in gauges {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "# TYPE {name} gauge\n# HELP {name} {help}");
        for item in &gated.gate.items {
            if let Some(value) = value(item) {
                let _ = writeln!(text, "{name}{{{}}} {value}", of(item));
            }
        }
    }
    text += "# EOF\n";
    text
}

/// The lines of a set of states, of which one is the case.
fn states(name: &str, labels: &str, outcome: GateOutcome) -> String {
    let all =
        [GateOutcome::NotWorse, GateOutcome::Worse, GateOutcome::NotKnown, GateOutcome::NoResult];
    let line = |state: GateOutcome| {
        let is = u8::from(state == outcome);
        format!("{name}{{{labels},{}}} {is}\n", label(name, answer(state)))
    };
    all.map(line).concat()
}

/// A label of a metric, its value on one line and escaped.
fn label(name: &str, value: &str) -> String {
    let value = text::line(value).replace('\\', "\\\\").replace('"', "\\\"");
    format!("{name}=\"{value}\"")
}
