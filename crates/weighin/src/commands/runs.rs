//! What is said of two runs.

use super::history::runs_in;
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{
    CompareArguments, EarlierArguments, GateArguments, ReadArguments, RunsFormatName, RunsOutput,
};
use crate::exit::CliError;
use crate::messages::{print_json, print_styled, shown};
use crate::output::{self, Replaces};
use crate::stores;
use analyse::Metric;
use analyse::runs::{
    EarlierRuns, Gate, GateOutcome, GateQuestion, RunPoints, compare_runs, gate as hold,
};
use model::{Better, Dataset, ReadLimit, text};
use report::{Gated, RunName, Runs, RunsFormat};
use std::io::IsTerminal;
use std::path::Path;

/// Width of lines where they go to no terminal.
const WIDTH: usize = 120;

/// A run with the name of its file.
struct Run {
    file: String,
    dataset: Dataset,
    /// What it may take.
    limit: ReadLimit,
}

impl Run {
    fn open(named: &Path, reading: ReadArguments) -> Result<Self, CliError> {
        let path = stores::find(Some(named))?;
        let dataset = stores::dataset(&path, reading)?;
        Ok(Self { file: shown(&path), dataset, limit: stores::limit(&path, reading) })
    }

    fn name(&self) -> RunName<'_> {
        RunName { file: &self.file, dataset: &self.dataset }
    }
}

/// Shows two runs side by side.
pub(crate) fn compare(arguments: &CompareArguments) -> Outcome {
    let (old, new) = (
        Run::open(&arguments.old, arguments.reading)?,
        Run::open(&arguments.new, arguments.reading)?,
    );
    let earlier = earlier_runs(&arguments.earlier, &new, arguments.reading)?;
    let compare = || compare_runs(&old.dataset, &new.dataset, &earlier);
    let found = stores::bound("the comparison", old.limit.and(new.limit), compare)?;
    if found.tests.iter().all(|test| test.results.is_empty()) {
        return Err(nothing_common(&old, &new));
    }
    let study = study::differences(&old.dataset.study, &new.dataset.study);
    let runs = Runs { old: old.name(), new: new.name(), found: &found, study: &study };
    let render = || report::render_runs(&runs, arguments.output.format());
    let text = stores::bound("the comparison", old.limit.and(new.limit), render)?;
    arguments.output.write(&text)?;
    Ok(Exit::Done)
}

/// The earlier runs that are named; a directory without two of them is an error, as it would say nothing.
fn earlier_runs(
    named: &EarlierArguments,
    new: &Run,
    reading: ReadArguments,
) -> Result<EarlierRuns, CliError> {
    let Some(directory) = &named.history else { return Ok(EarlierRuns::default()) };
    let study = &new.dataset.study.name;
    let found = EarlierRuns::from_points(
        runs_in(directory, reading)?,
        study,
        RunPoints::began(&new.dataset),
    );
    match found.len() {
        0 | 1 => Err(CliError::usage(
            format!(
                "{} holds {} of the study {} from before {}",
                shown(directory),
                report::numbers::counted(found.len(), "run"),
                text::line(study),
                new.file
            ),
            "name a directory with the results files (*.weighin) of at least two earlier runs of this \
             study, or leave --history out",
        )),
        _ => Ok(found),
    }
}

fn nothing_common(old: &Run, new: &Run) -> CliError {
    CliError::usage(
        format!("{} and {} have no result of the same test, target and level", old.file, new.file),
        "name two runs of one study; names of tests and targets must be the same in both",
    )
}

/// Says whether a run is worse than a baseline.
pub(crate) fn gate(arguments: &GateArguments) -> Outcome {
    let metric = arguments.metric.as_deref().map(metric).transpose()?;
    let (baseline, new) = (
        Run::open(&arguments.baseline, arguments.reading)?,
        Run::open(&arguments.new, arguments.reading)?,
    );
    let question = GateQuestion {
        max_regression: arguments.max_regression,
        metric,
        each_level: arguments.each_level,
    };
    let earlier = earlier_runs(&arguments.earlier, &new, arguments.reading)?;
    let judge = || hold(&baseline.dataset, &new.dataset, question, &earlier);
    let found: Gate = stores::bound("the comparison", baseline.limit.and(new.limit), judge)?;
    if found.items.iter().all(|item| item.outcome == GateOutcome::NoResult) {
        return Err(nothing_common(&baseline, &new));
    }
    let gated = Gated { baseline: baseline.name(), new: new.name(), gate: &found };
    if let Some(path) = &arguments.junit {
        write(path, &report::junit(&gated))?;
    }
    if let Some(path) = &arguments.openmetrics {
        write(path, &report::openmetrics(&gated))?;
    }
    arguments.output.write(&report::render_gate(&gated, arguments.output.format()))?;
    Ok(match found.outcome() {
        GateOutcome::NotWorse => Exit::Done,
        GateOutcome::Worse => Exit::Failed,
        GateOutcome::NotKnown | GateOutcome::NoResult => Exit::NotKnown,
    })
}

/// The metric of that name, which must have a better side.
fn metric(name: &str) -> Result<Metric, CliError> {
    let held = || Metric::ALL.iter().filter(|metric| metric.better() != Better::Neither);
    held().find(|metric| metric.name() == name).copied().ok_or_else(|| {
        let known: Vec<String> = held().map(|metric| metric.name()).collect();
        CliError::usage(
            format!("there is no metric `{name}` that could be worse"),
            format!("name one of: {}", known.join(", ")),
        )
    })
}

impl RunsOutput {
    pub(super) fn format(&self) -> RunsFormat {
        let terminal = self.out.is_none() && std::io::stdout().is_terminal();
        let width = if terminal { crate::messages::terminal_width() } else { WIDTH };
        match self.format {
            RunsFormatName::Terminal => RunsFormat::Terminal { width, colour: terminal },
            RunsFormatName::Markdown => RunsFormat::Markdown,
            RunsFormatName::Html => RunsFormat::Html,
            RunsFormatName::Json => RunsFormat::Json,
        }
    }

    pub(super) fn write(&self, said: &str) -> Result<(), CliError> {
        match (&self.out, self.format) {
            (Some(path), _) => write(path, said),
            (None, RunsFormatName::Json) => print_json(said),
            (None, RunsFormatName::Terminal) => print_styled(said),
            (None, _) => print(said),
        }
    }
}

/// Writes a file and says so.
fn write(path: &Path, said: &str) -> Result<(), CliError> {
    let written = output::write(path, said.as_bytes(), Replaces::Reports)?;
    print(&format!("Wrote {}\n", text::line(&written)))
}
