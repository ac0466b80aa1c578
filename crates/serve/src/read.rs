//! What one results file says, read anew.

use analyse::Analysis;
use analyse::runs::RunPoints;
use files::Directory;
use model::{Block, Dataset, OverBudget, Plan, ReadLimit, Trial, TrialRecord, text};
use report::Format;
use report::site::{RunState, SiteSummary, answer_in_a_line, best_figure, latest_and_findings};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use store::Store;

/// By how much more or less than estimated trials may take for the others to be expected to as well.
const LEAST_SCALE: f64 = 0.1;
const MOST_SCALE: f64 = 20.0;

/// What shows that a results file has changed: of the file, and of its log of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    file: [i64; 5],
    log: [i64; 3],
    pub(crate) modified_ms: u64,
}

impl Mark {
    /// Which file it is, whatever was written to it since.
    pub(crate) fn identity(&self) -> (i64, i64) {
        (self.file[0], self.file[1])
    }

    #[cfg(test)]
    pub(crate) fn of_file(number: i64) -> Self {
        Self { file: [number, 0, 0, 0, 0], ..Self::default() }
    }

    /// Whether it is of the same file, which may have grown.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

/// An entry of a directory that may be a results file, looked at without being opened: a descriptor of
/// it that is closed would take SQLite's locks with it.
pub(crate) fn mark(directory: &Directory, name: &OsStr) -> Option<Mark> {
    let facts = |name: &OsStr| std::fs::symlink_metadata(directory.path().join(name)).ok();
    let file = facts(name).filter(|facts| facts.is_file())?;
    let mut log_name = name.to_owned();
    log_name.push("-wal");
    // Who reads makes an empty one.
    let log = facts(&log_name).filter(|facts| facts.len() > 0);
    let log = log.map_or([0; 3], |log| [log.len() as i64, log.mtime(), log.mtime_nsec()]);
    let modified_ms = file.mtime().max(log[1]).max(0) as u64 * 1000;
    let file =
        [file.ino() as i64, file.dev() as i64, file.len() as i64, file.mtime(), file.mtime_nsec()];
    Some(Mark { file, log, modified_ms })
}

/// What is kept of a run.
pub(crate) struct Reading {
    pub(crate) summary: SiteSummary,
    /// Its latest trials, and what they say so far, as a part of a page.
    pub(crate) so_far: String,
    pub(crate) points: RunPoints,
}

impl Reading {
    /// About how much memory it takes, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let SiteSummary { study, question, answer, best, .. } = &self.summary;
        let best = best.as_ref().map_or(0, |best| best.of.len());
        let texts = [study.len(), answer.len(), question.as_ref().map_or(0, String::len), best];
        texts.iter().sum::<usize>() as u64 + self.so_far.len() as u64 + self.points.memory()
    }
}

/// Reads a results file.
///
/// # Errors
/// Why that cannot be, in a sentence.
pub(crate) fn reading(
    directory: &Directory,
    name: &OsStr,
    limit: ReadLimit,
    is_held: bool,
) -> Result<Reading, String> {
    guarded(|| {
        let limit = store::limit_for(&directory.path().join(name), limit);
        let dataset = dataset(directory, name, limit)?;
        // What grows with the trials alone, while they are being measured.
        let budget = &limit.budget();
        let analysis = match is_held {
            true => analyse::analyse_without_laws_within(&dataset, budget),
            false => analyse::analyse_within(&dataset, budget),
        };
        let analysis = analysis.map_err(|over| not_analysed(name, over))?;
        let reading = || {
            let summary = summary(&analysis, is_held);
            Reading {
                so_far: latest_and_findings(&analysis, summary.state),
                summary,
                points: RunPoints::from_dataset(shown(name), &dataset),
            }
        };
        budget.bound(reading).map_err(|over| not_analysed(name, over))
    })
}

/// Everything that is known of a run.
///
/// # Errors
/// As [`reading`].
pub(crate) fn dataset(
    directory: &Directory,
    name: &OsStr,
    limit: ReadLimit,
) -> Result<Dataset, String> {
    let read = Store::open_found(directory, name, limit).and_then(Store::into_dataset);
    // The page says in which directory they all are.
    let place = format!("{}/", directory.path().display());
    let dataset =
        read.map_err(|error| text::message(&error.to_string().replace(&place, "")).into_owned())?;
    let limit = store::limit_for(&directory.path().join(name), limit);
    let charged = limit.budget().charge(analyse::memory(&dataset));
    charged.map_err(|over| {
        format!("{}: an analysis compares all pairs of targets at each level: {over}", shown(name))
    })?;
    Ok(dataset)
}

/// The report, as `weighin report` makes it.
///
/// # Errors
/// As [`reading`].
pub(crate) fn report(
    directory: &Directory,
    name: &OsStr,
    limit: ReadLimit,
) -> Result<Vec<u8>, String> {
    guarded(|| {
        let limit = store::limit_for(&directory.path().join(name), limit);
        let dataset = dataset(directory, name, limit)?;
        let mut page = Vec::new();
        let budget = limit.budget();
        let analysis = analyse::analyse_for_pages_within(&dataset, &budget)
            .map_err(|over| not_analysed(name, over))?;
        budget
            .bound(|| report::render(&analysis, Format::Html, &mut page))
            .map_err(|over| format!("{}: to make the report {over}", shown(name)))?
            .map_err(|error| error.to_string())?;
        Ok(page)
    })
}

fn not_analysed(name: &OsStr, over: OverBudget) -> String {
    format!("{}: to analyse {over}", shown(name))
}

/// Whatever a file holds, it must not take the others with it.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err("weighin failed at this file, which is an error in weighin; its log says where".into())
    })
}

/// The name of a file for people.
pub(crate) fn shown(name: &OsStr) -> String {
    text::line(&name.to_string_lossy()).into_owned()
}

fn summary(analysis: &Analysis, is_held: bool) -> SiteSummary {
    let dataset = analysis.dataset;
    let planned = dataset.plan.trials().count();
    let done = dataset.trials.len();
    let state = match (is_held, done < planned) {
        (true, _) => RunState::Running,
        (false, true) => RunState::CutOff,
        (false, false) => RunState::Finished,
    };
    SiteSummary {
        study: dataset.study.name.clone(),
        question: dataset.study.question.clone(),
        started_at: dataset.run.started_at,
        state,
        done,
        planned,
        left: left(dataset),
        answer: answer_in_a_line(analysis),
        best: best_figure(analysis),
    }
}

/// How long the trials without a record should take: as long as estimated, as far as that was right of
/// those that have one.
fn left(dataset: &Dataset) -> Option<Duration> {
    let recorded: BTreeSet<u32> = dataset.trials.iter().map(|trial| trial.position).collect();
    let of = |wanted: &dyn Fn(&Trial) -> bool| {
        let mut plan: Plan = dataset.plan.clone();
        plan.blocks.iter_mut().for_each(|block: &mut Block| block.trials.retain(wanted));
        let set_up = study::estimate_set_up(&dataset.study);
        study::estimate(&plan, &dataset.study).saturating_sub(set_up)
    };
    let open = of(&|trial| !recorded.contains(&trial.position));
    if open.is_zero() {
        return None;
    }
    let took = |trial: &TrialRecord| trial.finished_at.since(trial.started_at);
    let took: Duration = dataset.trials.iter().map(took).sum();
    let estimated = of(&|trial| recorded.contains(&trial.position));
    let scale = match estimated.is_zero() || took.is_zero() {
        true => 1.0,
        false => took.as_secs_f64() / estimated.as_secs_f64(),
    };
    Some(open.mul_f64(scale.clamp(LEAST_SCALE, MOST_SCALE)))
}
