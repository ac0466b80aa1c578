//! One chart in a file of its own, for slides and documents.

mod sheet;

use crate::charts::metrics::stands_out;
use crate::charts::{drawn, heat_maps, metrics, money, percentiles, timelines};
use crate::{tables, words};
use analyse::{Analysis, Cell, Metric, TestAnalysis};
use model::TrialRecord;
use sheet::Sheet;
pub use sheet::Theme;

/// What is to be drawn.
#[derive(Clone, Debug)]
pub struct ChartRequest {
    /// One of [`KINDS`], or the name of a metric.
    pub kind: String,
    /// The test; the first one where it is left out.
    pub test: Option<String>,
    /// Which trial, for charts of one.
    pub trial: TrialChoice,
    pub theme: Theme,
    /// Width of the drawing as it is shown, in pixels.
    pub width: u32,
}

/// Which trial of a test; what is left out is chosen: the level and the target of the recommendation,
/// and the repeat in the middle.
#[derive(Clone, Debug, Default)]
pub struct TrialChoice {
    pub target: Option<String>,
    /// The number that the level has: clients, queue depth or rate.
    pub level: Option<u32>,
    pub repeat: Option<u32>,
}

/// A chart that there is not: what was asked for, and what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoChart {
    pub what: String,
    pub help: String,
}

/// Charts that are no metric, each with what it shows.
pub const KINDS: [(&str, &str); 6] = [
    ("throughput", "throughput against level"),
    ("latency", "95th percentile of latency against level"),
    ("percentiles", "latency by percentile at the level of the recommendation"),
    ("pareto", "monthly cost against peak throughput, with the Pareto front"),
    ("heatmap", "how many operations of one trial took how long, second by second"),
    ("trial", "all that is known of one trial over time"),
];

/// Those of one trial.
pub const CHARTS_OF_TRIALS: [&str; 2] = ["heatmap", "trial"];

/// An SVG of its own, without references to anything.
///
/// # Errors
/// Where there is no such chart.
pub fn chart(analysis: &Analysis, request: &ChartRequest) -> Result<String, NoChart> {
    let test = test(analysis, request.test.as_deref())?;
    let of_trial = || trial(analysis, test, &request.trial);
    let sheet = match request.kind.as_str() {
        "percentiles" => of_percentiles(analysis, test),
        "pareto" => of_costs(analysis, test),
        "heatmap" => heat_map(of_trial()?.1),
        "trial" => {
            let (record, trial) = of_trial()?;
            let body = timelines::plain(analysis, test, record);
            let lines = timelines::key_entries(&[trial]);
            body.map(|body| Sheet::new("Over time", &trial.key.to_string(), body).with_lines(lines))
        }
        name => of_metric(analysis, test, metric(analysis, test, name)?),
    };
    let sheet = sheet.ok_or_else(|| NoChart {
        what: format!(
            "no chart of {} can be drawn: {} has no data for it",
            request.kind, test.test
        ),
        help: match request.kind.as_str() {
            "pareto" => "at least two targets need a `price` in the same currency".to_owned(),
            _ => "weighin report says what is known of the test".to_owned(),
        },
    })?;
    let drawing = sheet.draw(analysis, test, request);
    Ok(model::text::visible(&drawing).into_owned())
}

fn test<'a>(analysis: &'a Analysis, name: Option<&str>) -> Result<&'a TestAnalysis, NoChart> {
    let mut tests = analysis.tests.iter();
    let Some(name) = name else {
        return tests.next().ok_or_else(|| NoChart {
            what: "these results have no test".to_owned(),
            help: "run the study first".to_owned(),
        });
    };
    tests.find(|test| test.test == name).ok_or_else(|| {
        let known: Vec<&str> = analysis.tests.iter().map(|test| test.test.as_str()).collect();
        NoChart {
            what: format!("there is no test `{name}` in these results"),
            help: format!("name one of: {}", known.join(", ")),
        }
    })
}

/// The names of all charts of a test.
fn known(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    let kinds = KINDS.iter().map(|(name, _)| (*name).to_owned());
    let metrics = metrics::all(analysis, test).into_iter();
    let other = metrics.filter(|metric| !matches!(metric, Metric::Throughput | Metric::LatencyP95));
    kinds.chain(other.map(|metric| metric.name())).collect()
}

fn metric(analysis: &Analysis, test: &TestAnalysis, name: &str) -> Result<Metric, NoChart> {
    match name {
        "throughput" => return Ok(Metric::Throughput),
        "latency" => return Ok(Metric::LatencyP95),
        _ => {}
    }
    Metric::from_name(name).ok_or_else(|| NoChart {
        what: format!("there is no chart `{name}`"),
        help: format!("name one of: {}", known(analysis, test).join(", ")),
    })
}

fn of_metric(analysis: &Analysis, test: &TestAnalysis, metric: Metric) -> Option<Sheet> {
    let plain = metrics::plain(analysis, test, metric)?;
    let sheet = Sheet::new(&plain.heading, plain.hint, plain.body);
    Some(sheet.with_legend(plain.needs_legend))
}

fn of_percentiles(analysis: &Analysis, test: &TestAnalysis) -> Option<Sheet> {
    let (chart, at) = percentiles::chart(analysis, test, 0)?;
    let heading = format!("Latency by percentile{at}, ms (log scale)");
    let needs_legend = chart.needs_legend();
    Some(Sheet::new(&heading, "lower is better", chart.body()).with_legend(needs_legend))
}

fn of_costs(analysis: &Analysis, test: &TestAnalysis) -> Option<Sheet> {
    let plane = money::charts(analysis, test, 0).into_iter().next()?;
    let needs_legend = plane.needs_legend();
    let heading = "Cost and performance, each target at its peak";
    let hint = "the line joins those on the Pareto front";
    Some(Sheet::new(heading, hint, plane.body()).with_legend(needs_legend))
}

fn heat_map(record: &TrialRecord) -> Option<Sheet> {
    let chart = heat_maps::plain(record)?;
    let hint = "darker: more operations (log scale); warm-up in grey";
    let sheet = Sheet::new("Latency over time, ms (log scale)", hint, chart.body());
    Some(sheet.of_trial(&record.key))
}

/// The trial that is meant, with its place among the records.
fn trial<'a>(
    analysis: &'a Analysis,
    test: &TestAnalysis,
    choice: &TrialChoice,
) -> Result<(usize, &'a TrialRecord), NoChart> {
    let level_of = |cell: &Cell| cell.level.rate.unwrap_or(cell.level.clients);
    let is_meant = |cell: &&Cell| {
        choice.target.as_ref().is_none_or(|target| *target == cell.target)
            && choice.level.is_none_or(|level| level == level_of(cell))
    };
    let has = |cell: &&Cell| {
        let mut repeats = cell.trials.iter().map(|trial| trial.repeat);
        choice.repeat.map_or(!cell.trials.is_empty(), |repeat| repeats.any(|one| one == repeat))
    };
    let meant: Vec<&Cell> = test.cells.iter().filter(is_meant).filter(has).collect();
    let decided = tables::decision_level(test);
    let best = crate::view::ranked(test).next().map(|place| place.target.as_str());
    let rank = |cell: &&&Cell| (Some(cell.level) == decided, Some(cell.target.as_str()) == best);
    let cell = meant.iter().max_by_key(rank).ok_or_else(|| {
        let cells = test.cells.iter().filter(|cell| !cell.trials.is_empty());
        let known: Vec<String> =
            cells.map(|cell| format!("{} {}", cell.target, level_of(cell))).collect();
        let shown = known.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
        NoChart {
            what: format!("no trial of {} is meant by that target, level and repeat", test.test),
            help: format!("targets and levels with trials: {shown}"),
        }
    })?;
    let of_repeat = |repeat| cell.trials.iter().find(|trial| trial.repeat == repeat);
    let found = match choice.repeat {
        Some(repeat) => of_repeat(repeat),
        None => drawn::typical(cell).or(cell.trials.first()),
    };
    found
        .and_then(|trial| Some((trial.record, analysis.dataset.trials.get(trial.record)?)))
        .ok_or_else(|| NoChart {
            what: format!("{} has no such trial", test.test),
            help: "leave out --repeat".to_owned(),
        })
}

/// The targets of a legend: those that are drawn in colour, by number.
fn coloured<'a>(
    analysis: &'a Analysis,
    test: &'a TestAnalysis,
) -> impl Iterator<Item = (usize, &'a str)> {
    let targets = analysis.dataset.study.targets.iter().enumerate();
    let named = targets.map(|(number, target)| (number, target.name.as_str()));
    named.filter(|(_, name)| stands_out(test, name))
}

/// What a chart rests on, under its heading, in so many characters; where these are few, without what
/// the test does, then without more than its own name.
fn source(analysis: &Analysis, test: &TestAnalysis, trial: Option<&str>, most: usize) -> String {
    let dataset = analysis.dataset;
    let day = crate::numbers::date(dataset.run.started_at);
    let day = day.split(' ').next().unwrap_or_default();
    let described = dataset.study.tests.iter().find(|study| study.name == test.test);
    let described = described.filter(|_| trial.is_none()).map(words::workload).unwrap_or_default();
    let (study, of) = (&dataset.study.name, trial.unwrap_or(&test.test));
    let version = format!("weighin {}", dataset.run.weighin_version);
    let whole = format!("{study} · {of}: {described} · {day} · {version}");
    let shorter = format!("{study} · {of} · {day} · {version}");
    let fits = |text: &String| text.chars().count() <= most;
    match (described.is_empty(), fits(&whole), fits(&shorter)) {
        (false, true, _) => whole,
        (_, _, true) => shorter,
        _ => format!("{} · {day}", trial.unwrap_or(study)),
    }
}
