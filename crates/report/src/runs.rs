//! Two runs against each other, and the gate between them, for people and programs.

use crate::document::{Blocks, Document, Fold};
use crate::formats::{html, markdown, terminal};
use crate::numbers::{self, count, counted, date, interval, list, percent};
use crate::tables::{Picture, Table, TableCell, Tone, numbers as column, words};
use crate::words::{
    capitalised, in_unit, levels, metric_name, resources_heading, resources_of_runs, with_unit,
};
use analyse::Verdict;
use analyse::runs::{LastingTarget, RunComparison, RunResult, TestRuns, Unmatched};
use findings::names::target_name;
use model::{Dataset, Level, Metric, text};
use serde::Serialize;
use stats::Estimate;
use std::collections::HashSet;

/// Raised when a field changes its meaning or goes away; new fields may come without.
const VERSION: u32 = 1;
/// Most changes of one kind that are listed one by one.
const MOST_LISTED: usize = 40;
/// Most figures that a sentence names.
const MOST_NAMED: usize = 4;
/// Most tests whose conclusions stand open.
const MOST_TESTS: usize = 8;
/// How many times to either side of 1 the axis of ratios reaches at least, and at most.
const LEAST_REACH: f64 = 1.1;
const MOST_REACH: f64 = 4.0;

/// Two runs and what was found between them.
pub struct Runs<'a> {
    pub old: RunName<'a>,
    pub new: RunName<'a>,
    pub found: &'a RunComparison,
    /// What differs between the studies, in words.
    pub study: &'a [String],
}

/// A run, and the name that the user gave for it.
#[derive(Clone, Copy)]
pub struct RunName<'a> {
    pub file: &'a str,
    pub dataset: &'a Dataset,
}

impl RunName<'_> {
    pub(crate) fn describe(&self) -> String {
        let run = &self.dataset.run;
        let (file, study) = (text::line(self.file), text::line(&self.dataset.study.name));
        format!("{file} (study {study}, run of {})", date(run.started_at))
    }
}

/// What a comparison of runs is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsFormat {
    /// For a terminal of that width, with colours or without.
    Terminal {
        width: usize,
        colour: bool,
    },
    Markdown,
    Html,
    Json,
}

impl RunsFormat {
    /// A document, or the same as JSON.
    pub(crate) fn write(
        self,
        document: impl FnOnce() -> Document,
        json: impl FnOnce() -> String,
    ) -> String {
        match self {
            Self::Terminal { width, colour } => terminal::document(&document(), width, colour),
            Self::Markdown => markdown::document(&document()),
            Self::Html => html::document(&document()),
            Self::Json => json(),
        }
    }
}

/// A comparison of runs in that form.
pub fn render_runs(runs: &Runs<'_>, format: RunsFormat) -> String {
    format.write(|| document(runs), || json(runs))
}

#[derive(Serialize)]
pub(crate) struct RunFacts<'a> {
    file: &'a str,
    study: &'a str,
    started_at_ms: u64,
    weighin_version: &'a str,
}

impl<'a> From<RunName<'a>> for RunFacts<'a> {
    fn from(RunName { file, dataset }: RunName<'a>) -> Self {
        let run = &dataset.run;
        let (study, weighin_version) = (&dataset.study.name, &run.weighin_version);
        Self { file, study, started_at_ms: run.started_at.0, weighin_version }
    }
}

fn json(runs: &Runs<'_>) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'static str,
        format_version: u32,
        old: RunFacts<'a>,
        new: RunFacts<'a>,
        study_changes: &'a [String],
        #[serde(flatten)]
        found: &'a RunComparison,
    }
    json_text(&Document {
        format: "weighin-comparison",
        format_version: VERSION,
        old: runs.old.into(),
        new: runs.new.into(),
        study_changes: runs.study,
        found: runs.found,
    })
}

/// A document for programs, without what deceives a reader.
pub(crate) fn json_text(document: &impl Serialize) -> String {
    // Numbers, texts and lists always have a JSON form.
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    text::json(&text).into_owned() + "\n"
}

fn document(runs: &Runs<'_>) -> Document {
    let Runs { old, new, found, study } = runs;
    Document::new("Two runs compared", |b| {
        b.bullets([format!("Old: {}", old.describe()), format!("New: {}", new.describe())]);
        conclusions(found, new.dataset.study.margin, b);
        b.section("What changed", |b| changes(found, study, b));
        found.tests.iter().for_each(|test| b.section(&test.test, |b| of_test(test, b)));
        if found.tests.is_empty() {
            b.warning("The two runs have no test in common.");
        }
        unmatched(&found.unmatched).for_each(|cells| b.warning(cells));
        b.paragraph(methods(new.dataset));
        let results = found.tests.iter().flat_map(|test| &test.results);
        let scatter = results.filter_map(|result| result.between_runs).fold(0.0, f64::max);
        b.paragraph(between_runs(found.earlier_runs, scatter));
    })
}

/// What the runs say, test by test.
fn conclusions(found: &RunComparison, margin: f64, b: &mut Blocks) {
    let said = |test: &TestRuns| [conclusion(test, margin), conclusion_on_machines(test)];
    if let [only] = found.tests.as_slice() {
        return said(only).into_iter().for_each(|said| b.headline(said));
    }
    let of_test = |test: &TestRuns| {
        let said: Vec<String> = said(test).into_iter().filter(|said| !said.is_empty()).collect();
        (!said.is_empty()).then(|| format!("{}: {}", test.test, said.join(" ")))
    };
    b.first_bullets(found.tests.iter().filter_map(of_test), MOST_TESTS);
}

fn of_test(test: &TestRuns, b: &mut Blocks) {
    if !test.is_same {
        b.warning(
            "The test is not the same in both runs (see what changed): a difference may come from that.",
        );
    }
    let (of_work, of_machines): (Vec<&RunResult>, Vec<&RunResult>) =
        test.results.iter().partition(|result| result.metric.resource().is_none());
    if test.results.is_empty() {
        b.paragraph("Nothing in it can be compared.");
    }
    for (metric, own) in by_figure(&of_work) {
        b.part(3, with_unit(metric, test.basis.counted), |b| b.table(table(test, &own, false)));
    }
    b.paragraph(noise_floor(test).unwrap_or_default());
    if let Some(lasting) = lasting(test) {
        b.warning(lasting);
    }
    if let Some(assumed) = test.independence_assumed {
        b.paragraph(capitalised(&assumed.sentence()) + ".");
    }
    let counted = test.basis.counted;
    b.folded(3, resources_heading(counted), Fold::OnScreen, |b| {
        b.explained(table(test, &in_short(&of_machines), true), resources_of_runs(counted));
    });
}

/// The results of each figure, in the order in which the figures first appear.
fn by_figure<'a>(results: &[&'a RunResult]) -> Vec<(Metric, Vec<&'a RunResult>)> {
    let mut all: Vec<(Metric, Vec<&RunResult>)> = Vec::new();
    for result in results {
        match all.iter_mut().find(|(metric, _)| *metric == result.metric) {
            Some((_, own)) => own.push(result),
            None => all.push((result.metric, vec![result])),
        }
    }
    all
}

/// What is said of all levels together, or of the only one; of others only where they differ.
fn in_short<'a>(results: &[&'a RunResult]) -> Vec<&'a RunResult> {
    let over_all: HashSet<_> =
        over_all(results).map(|result| (&result.target, result.metric, result.level)).collect();
    let is_said = |result: &&&RunResult| {
        differs(result) || over_all.contains(&(&result.target, result.metric, result.level))
    };
    results.iter().filter(is_said).copied().collect()
}

/// Of each figure of a target that over all levels together, or at the only one.
fn over_all<'a>(results: &[&'a RunResult]) -> impl Iterator<Item = &'a RunResult> {
    let means = results.iter().filter(|result| result.level.is_none());
    let means: HashSet<_> = means.map(|result| (&result.target, result.metric)).collect();
    let is_over_all = move |result: &&RunResult| {
        result.level.is_none() || !means.contains(&(&result.target, result.metric))
    };
    results.iter().copied().filter(is_over_all)
}

fn differs(result: &RunResult) -> bool {
    matches!(result.verdict, Verdict::CandidateBetter | Verdict::BaselineBetter)
}

/// What the runs say of each target by the figure that decides, in a sentence; empty where they say nothing, or of
/// targets whose levels do not go together.
fn conclusion(test: &TestRuns, margin: f64) -> String {
    let has = |metric: &Metric| test.results.iter().any(|result| result.metric == *metric);
    let decides = [test.basis.at_each_level(), test.basis.metric].into_iter().find(has);
    let by = test.results.iter().filter(|result| Some(result.metric) == decides);
    let all: Vec<&RunResult> = over_all(&by.collect::<Vec<_>>()).collect();
    let targets: HashSet<&String> = all.iter().map(|result| &result.target).collect();
    let Some(metric) = decides.filter(|_| targets.len() == all.len()) else {
        return String::new();
    };
    let same = format!("the same within {} on", percent(margin));
    let kinds = [
        (Verdict::CandidateBetter, "better on"),
        (Verdict::BaselineBetter, "worse on"),
        (Verdict::Equivalent, same.as_str()),
        (Verdict::Unresolved, "not told apart from the old one on"),
    ];
    let said = kinds.into_iter().filter_map(|(verdict, words)| {
        let own: Vec<String> = all
            .iter()
            .filter(|result| result.verdict == verdict)
            .map(|result| match differs(result) {
                true => with_ratio(&target_name(&result.target), result),
                false => target_name(&result.target),
            })
            .collect();
        (!own.is_empty()).then(|| format!("{words} {}", some(own)))
    });
    let said = list(&said.collect::<Vec<String>>());
    let over = if all.iter().any(|result| result.level.is_none()) {
        " over all levels together"
    } else {
        ""
    };
    format!("By {}{over} the new run is {said}.", metric_name(metric))
}

/// Of what an operation takes what became more or less, in a sentence; empty where nothing did.
fn conclusion_on_machines(test: &TestRuns) -> String {
    let machines: Vec<&RunResult> =
        test.results.iter().filter(|result| result.metric.resource().is_some()).collect();
    let all: Vec<&RunResult> = over_all(&machines).filter(|result| differs(result)).collect();
    let of = |verdict: Verdict, words: &str| {
        let own = all.iter().filter(|result| result.verdict == verdict).map(|result| {
            let what = format!("{} of {}", metric_name(result.metric), target_name(&result.target));
            with_ratio(&what, result)
        });
        let own: Vec<String> = own.collect();
        (!own.is_empty()).then(|| format!("{words}: {}", some(own)))
    };
    let said = [of(Verdict::BaselineBetter, "It rose"), of(Verdict::CandidateBetter, "it fell")];
    let said: Vec<String> = said.into_iter().flatten().collect();
    if said.is_empty() {
        return String::new();
    }
    format!("{} changed. {}.", resources_heading(test.basis.counted), capitalised(&said.join("; ")))
}

/// `a (1.20 ×)`.
fn with_ratio(what: &str, result: &RunResult) -> String {
    format!("{what} ({} ×)", numbers::figure(result.ratio.point))
}

/// A few of many.
fn some(mut all: Vec<String>) -> String {
    let more = all.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        all.truncate(MOST_NAMED);
        all.push(format!("{more} more"));
    }
    list(&all)
}

fn changes(found: &RunComparison, study: &[String], b: &mut Blocks) {
    let line = |text: &str| text::line(text).into_owned();
    let mut said: Vec<String> =
        study.iter().map(|change| format!("study: {}", line(change))).collect();
    said.extend(found.conditions.iter().map(|change| {
        format!("{} was {}, is {}", change.what, line(&change.before), line(&change.after))
    }));
    let shown = |value: &str| match value {
        "" => "not set".to_owned(),
        value => line(value),
    };
    said.extend(found.servers.iter().map(|change| {
        let (old, new) = (shown(&change.old), shown(&change.new));
        format!("target {}: {} was {old}, is {new}", line(&change.target), line(&change.what))
    }));
    let more = said.len().saturating_sub(MOST_LISTED);
    said.truncate(MOST_LISTED);
    if more > 0 {
        said.push(format!("and {} (all of them are in the JSON)", counted(more, "further change")));
    }
    if said.is_empty() {
        b.paragraph(
            "Nothing that weighin knows of: study, host, versions and settings are the same.",
        );
    }
    b.bullets(said);
}

/// Of which targets repeats say less than they seem to.
fn lasting(test: &TestRuns) -> Option<String> {
    let names: Vec<String> =
        test.lasting.iter().map(|one| text::line(&one.target).into_owned()).collect();
    let most = |of: fn(&LastingTarget) -> f64| {
        numbers::figure(test.lasting.iter().map(of).fold(0.0, f64::max))
    };
    (!names.is_empty()).then(|| {
        format!(
            "Noise of {} lasts from block to block (autocorrelation {}), as on a machine that drifts: \
             repeats in a row then say little more than a few. Intervals of new ÷ old are {} times as \
             wide for it; runs whose blocks are spread over more time tell more.",
            list(&names),
            most(|one| one.autocorrelation),
            most(|one| one.widening),
        )
    })
}

/// Below which differences are not claimed, where a run has an A/A control.
fn noise_floor(test: &TestRuns) -> Option<String> {
    let floors: Vec<String> = test
        .floors
        .iter()
        .map(|floor| format!("{} ±{}", metric_name(floor.metric), percent(floor.factor - 1.0)))
        .collect();
    (!floors.is_empty()).then(|| {
        format!(
            "Noise floor (the higher one of both runs): {}. A difference that does not clear it is \
             not claimed.",
            list(&floors)
        )
    })
}

/// The results of one figure, or of several that its rows name.
fn table(test: &TestRuns, results: &[&RunResult], names_figure: bool) -> Table {
    let several = results.iter().any(|result| result.level != Some(Level::NONE));
    let mut columns = vec![words("target")];
    if several {
        columns.push(words("level"));
    }
    if names_figure {
        columns.push(words("figure"));
    }
    columns.extend([
        column("old"),
        column("new"),
        column("new ÷ old"),
        column("interval"),
        words("verdict"),
    ]);
    let ends = results.iter().filter_map(|result| result.ratio.interval);
    let furthest = ends.flat_map(|ends| [ends.low.recip(), ends.high]).fold(LEAST_REACH, f64::max);
    let reach = furthest.min(MOST_REACH);
    let mut table = Table::new(columns);
    let mut previous = None;
    for result in results {
        let mut row = vec![TableCell::text(&result.target)];
        if several {
            row.push(TableCell::text(level(result.level, result.some_levels.as_deref())));
        }
        if names_figure {
            row.push(TableCell::text(with_unit(result.metric, test.basis.counted)));
        }
        let figure = |run: &Estimate| numbers::figure(in_unit(result.metric, run).point);
        row.extend([
            TableCell::text(figure(&result.old)),
            TableCell::text(figure(&result.new)),
            TableCell::text(numbers::figure(result.ratio.point)),
            TableCell {
                picture: picture(&result.ratio, reach),
                ..TableCell::text(interval(&result.ratio))
            },
            verdict(result),
        ]);
        match previous.replace(&result.target) == Some(&result.target) {
            true => table.push(row),
            false => table.push_group(row),
        }
    }
    table
}

/// A ratio as it is drawn; nothing without an interval.
fn picture(ratio: &Estimate, reach: f64) -> Option<Picture> {
    let ends = ratio.interval?;
    Some(Picture::Ratio { point: ratio.point, interval: (ends.low, ends.high), reach })
}

/// A level of a cell; all of them together where it is absent, or some of them.
pub(crate) fn level(level: Option<Level>, some: Option<&[Level]>) -> String {
    match (level, some) {
        (None, None) => "all levels".to_owned(),
        (None, Some(some)) => format!("{} together", levels(some)),
        (Some(level), _) => level.to_string(),
    }
}

fn verdict(result: &RunResult) -> TableCell {
    match result.verdict {
        Verdict::CandidateBetter => TableCell::text("better").with_tone(Tone::Good),
        Verdict::BaselineBetter => TableCell::text("worse").with_tone(Tone::Bad),
        Verdict::Equivalent => TableCell::text("same within the margin"),
        Verdict::Unresolved if result.strength.below_noise_floor => {
            TableCell::text("below the noise floor").with_tone(Tone::Doubtful)
        }
        Verdict::Unresolved => TableCell::text("not resolved").with_tone(Tone::Doubtful),
    }
}

fn unmatched(cells: &[Unmatched]) -> impl Iterator<Item = String> {
    let of = |is_new: bool| -> Option<String> {
        let own: Vec<String> = cells
            .iter()
            .filter(|cell| cell.is_new == is_new)
            .map(|cell| {
                let place = format!("{} on {}", text::line(&cell.test), text::line(&cell.target));
                if cell.level == Level::NONE { place } else { format!("{place} at {}", cell.level) }
            })
            .collect();
        let which = if is_new { "new" } else { "old" };
        let first: Vec<&String> = own.iter().take(MOST_LISTED).collect();
        let more = match own.len() - first.len() {
            0 => String::new(),
            more => format!(", and {} more", count(more as u64)),
        };
        (!own.is_empty())
            .then(|| format!("Only the {which} run has results of {}{more}.", list(&first)))
    };
    [of(false), of(true)].into_iter().flatten()
}

/// What the figures rest on.
fn methods(new: &Dataset) -> String {
    let confidence = percent(new.study.confidence);
    let margin = percent(new.study.margin);
    format!(
        "Figures are geometric means over the repeats, outliers as far off as they count; their ratio \
         is new ÷ old. Blocks of different runs have nothing in common, so ratios are not paired. \
         Intervals hold at {confidence} for all results of one figure \
         together, level by level or over all levels; results within {margin} of each other count as \
         the same."
    )
}

/// Whether anything is known of how much runs of the same differ.
pub(crate) fn between_runs(earlier: usize, scatter: f64) -> String {
    if earlier == 0 {
        return "A run is one draw of whatever differs from run to run, such as the place of data in \
                memory or neighbours on the machine. How much that is, these two runs cannot show, and \
                what is said is said of these two: name a directory of earlier runs of the study with \
                --history, and a difference has to be more than that."
            .to_owned();
    }
    let by = match scatter {
        0.0 => String::new(),
        scatter => format!(", by up to {} (one standard deviation)", percent(scatter)),
    };
    format!(
        "How much runs of the same differ is known from {}{by}: a difference has to be more than that.",
        counted(earlier, "earlier run")
    )
}

/// A ratio with its interval as text.
pub(crate) fn ratio(ratio: Option<&Estimate>) -> String {
    ratio.map_or_else(
        || numbers::NOTHING.to_owned(),
        |ratio| format!("{} ({})", numbers::figure(ratio.point), interval(ratio)),
    )
}
