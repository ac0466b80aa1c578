//! Runs of one study, made on several machines, as one run.

use crate::plan::change::{Conflict, changes};
use model::bounds::MAX_REPEATS;
use model::{
    Block, Dataset, Extension, Instance, ServerFacts, SideBySide, Study, SupersededTrial, Trial,
    TrialKey, TrialRecord,
};
use std::collections::{BTreeSet, HashSet};

/// A run with the name that it has for the user.
#[derive(Clone, Debug)]
pub struct NamedRun {
    pub name: String,
    pub dataset: Dataset,
}

/// Why runs cannot be one. Each names the run that does not go with those before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    #[error("{run} is of another study than {first}: {}", said(.conflicts))]
    OtherStudy { first: String, run: String, conflicts: Vec<Conflict> },
    #[error("{run} was run with --scale {scale}, and {first} with --scale {of_first}")]
    OtherScale { first: String, run: String, scale: String, of_first: String },
    #[error("{run} and {other} hold the same trial: {trial}")]
    SameTrial { run: String, other: String, trial: TrialKey },
    #[error("of the run in {run} {missing} trials did not run")]
    Incomplete { run: String, missing: usize },
    #[error(
        "the repeats of this study end when all is resolved, and each run decided that for itself"
    )]
    Until,
    #[error("a test of this study places its levels, and each run placed its own")]
    Placed,
    #[error("{run} holds imported results")]
    Imported { run: String },
    #[error("{target} was {now} in {run}, and {before} in {first}")]
    OtherServer { first: String, run: String, target: String, before: String, now: String },
    #[error(
        "together they have {repeats} repeats of every trial, and a run may have {MAX_REPEATS}"
    )]
    TooMany { repeats: u32 },
    #[error("two runs are needed")]
    TooFew,
}

impl MergeError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::OtherStudy { .. } | Self::OtherScale { .. } => {
                "only runs of one study become one; show runs that differ side by side with weighin \
                 compare"
            }
            Self::SameTrial { .. } => "name each run once, and no copy of one",
            Self::Incomplete { .. } => {
                "complete it first, with weighin run --resume on its machine"
            }
            Self::Until | Self::Placed => {
                "show the runs side by side with weighin compare, or give `repeats` and `clients` as \
                 numbers"
            }
            Self::Imported { .. } => "import all of the results together with weighin import",
            Self::OtherServer { .. } => {
                "measure the same server everywhere, or compare the runs with weighin compare"
            }
            Self::TooMany { .. } => "merge fewer runs",
            Self::TooFew => "name the results files of two runs or more",
        }
    }
}

fn said(conflicts: &[Conflict]) -> String {
    /// Changes that a message names.
    const MOST: usize = 5;
    let named = conflicts.iter().take(MOST).map(|one| format!("{}: {}", one.part, one.change));
    named.collect::<Vec<_>>().join("; ")
}

/// Makes one run of several: the first, extended by the others. Their blocks are numbered after each
/// other, so that trials of different runs are in no block together and make no pairs; each keeps its
/// seeds, its dates, and the host that it ran on.
///
/// # Errors
/// When they are not runs of one study, or are no runs that go together.
pub fn merged(runs: Vec<NamedRun>) -> Result<Dataset, MergeError> {
    let mut runs = runs.into_iter();
    let (Some(first), rest) = (runs.next(), runs) else { return Err(MergeError::TooFew) };
    if rest.len() == 0 {
        return Err(MergeError::TooFew);
    }
    check_alone(&first)?;
    let mut taken: Vec<(String, HashSet<Moment>)> =
        vec![(first.name.clone(), moments(&first.dataset))];
    let NamedRun { name: first, dataset: mut whole } = first;
    for run in rest {
        check_alone(&run)?;
        check_study(&first, &whole, &run)?;
        let own = moments(&run.dataset);
        for (other, moments) in &taken {
            let trials = run.dataset.trials.iter();
            if let Some(record) =
                trials.into_iter().find(|record| moments.contains(&moment(record)))
            {
                let (run, other) = (run.name.clone(), other.clone());
                return Err(MergeError::SameTrial { run, other, trial: record.key.clone() });
            }
        }
        taken.push((run.name.clone(), own));
        append(&first, &mut whole, run)?;
    }
    whole.notes.sort_by_key(|note| note.at);
    Ok(whole)
}

/// What no two trials have in common.
type Moment = (String, String, String, u64, u64);

fn moment(record: &TrialRecord) -> Moment {
    model::deadline::look();
    let TrialKey { target, test, level, .. } = &record.key;
    let times = (record.started_at.0, record.finished_at.0);
    (target.clone(), test.clone(), level.to_string(), times.0, times.1)
}

fn moments(dataset: &Dataset) -> HashSet<Moment> {
    dataset.trials.iter().map(moment).collect()
}

/// What keeps a run from being merged with any.
fn check_alone(run: &NamedRun) -> Result<(), MergeError> {
    let dataset = &run.dataset;
    if dataset.trials.iter().any(|record| record.imported().is_some()) {
        return Err(MergeError::Imported { run: run.name.clone() });
    }
    if dataset.study.until.is_some() {
        return Err(MergeError::Until);
    }
    if dataset.study.places_levels() {
        return Err(MergeError::Placed);
    }
    match dataset.missing().count() {
        0 => Ok(()),
        missing => Err(MergeError::Incomplete { run: run.name.clone(), missing }),
    }
}

/// Whether a run is of the study of the others, aside from what touches no trial.
fn check_study(first: &str, whole: &Dataset, run: &NamedRun) -> Result<(), MergeError> {
    let (a, b) = (&whole.study, &run.dataset.study);
    // Each way, since what one has and the other lacks is a conflict one way alone.
    for (was, is) in [(a, b), (b, a)] {
        let is = &Study { repeats: was.repeats, ..is.clone() };
        if let Err(conflicts) = changes(was, is) {
            let (first, run) = (first.to_owned(), run.name.clone());
            return Err(MergeError::OtherStudy { first, run, conflicts });
        }
    }
    let (of_first, scale) = (whole.run.scale, run.dataset.run.scale);
    if of_first != scale {
        return Err(MergeError::OtherScale {
            first: first.to_owned(),
            run: run.name.clone(),
            scale: scale.to_string(),
            of_first: of_first.to_string(),
        });
    }
    for facts in &run.dataset.targets {
        let Some(before) = whole.targets.iter().find(|one| one.target == facts.target) else {
            continue;
        };
        if let Some((before, now)) = other_server(&before.server, &facts.server) {
            let (first, run) = (first.to_owned(), run.name.clone());
            let target = facts.target.clone();
            return Err(MergeError::OtherServer { first, run, target, before, now });
        }
    }
    Ok(())
}

/// The versions of a server, where they differ.
fn other_server(before: &ServerFacts, now: &ServerFacts) -> Option<(String, String)> {
    let differs =
        before.version != now.version && !before.version.is_empty() && !now.version.is_empty();
    differs.then(|| (before.version.clone(), now.version.clone()))
}

/// Adds a run behind what is there.
fn append(first: &str, whole: &mut Dataset, run: NamedRun) -> Result<(), MergeError> {
    let NamedRun { name, dataset } = run;
    let block = whole.plan.repeats();
    let position = whole.plan.all_trials().map(|trial| trial.position).max().unwrap_or(0);
    let extension = whole.run.extensions.len() as u32 + 1;
    let instance = whole.instances.iter().map(|one| one.number).max().unwrap_or(0);
    let repeats = block + dataset.plan.repeats();
    if repeats > MAX_REPEATS {
        return Err(MergeError::TooMany { repeats });
    }
    settings(first, whole, &name, &dataset);
    let key = |key: TrialKey| TrialKey { repeat: key.repeat + block, ..key };
    let trial =
        |trial: Trial| Trial { key: key(trial.key), position: trial.position + position, ..trial };
    let record = |record: TrialRecord| TrialRecord {
        key: key(record.key),
        position: record.position + position,
        side_by_side: record.side_by_side.map(|others| SideBySide {
            with: others.with.into_iter().map(|other| other + position).collect(),
            ..others
        }),
        ..record
    };
    let model::RunInfo { started_at: at, weighin_version, host, extensions, .. } = dataset.run;
    let (changes, merged_from) = (Vec::new(), Some(name));
    whole.run.extensions.push(Extension { at, weighin_version, host, changes, merged_from });
    whole.run.extensions.extend(extensions);
    whole.plan.blocks.extend(dataset.plan.blocks.into_iter().map(|one| Block {
        number: one.number + block,
        extension: one.extension + extension,
        trials: one.trials.into_iter().map(trial).collect(),
    }));
    whole.trials.extend(dataset.trials.into_iter().map(record));
    let superseded = dataset.superseded.into_iter();
    whole
        .superseded
        .extend(superseded.map(|one| SupersededTrial { record: record(one.record), at: one.at }));
    whole.instances.extend(dataset.instances.into_iter().map(|one| Instance {
        number: one.number + instance,
        first_position: one.first_position + position,
        ..one
    }));
    whole.notes.extend(dataset.notes);
    for facts in dataset.targets {
        if whole.targets.iter().all(|one| one.target != facts.target) {
            whole.targets.push(facts);
        }
    }
    Ok(())
}

/// Notes in which settings the servers of a run differ from those of the first, whose settings stand
/// in the report.
fn settings(first: &str, whole: &mut Dataset, name: &str, run: &Dataset) {
    /// Settings that a note names.
    const MOST: usize = 10;
    for facts in &run.targets {
        let Some(before) = whole.targets.iter().find(|one| one.target == facts.target) else {
            continue;
        };
        let (was, is) = (&before.server, &facts.server);
        let names: BTreeSet<&String> = was.variables.keys().chain(is.variables.keys()).collect();
        let differ: Vec<&str> = names
            .into_iter()
            .filter(|name| !was.incidental.contains(*name) && !is.incidental.contains(*name))
            .filter(|name| was.variables.get(*name) != is.variables.get(*name))
            .map(String::as_str)
            .collect();
        if differ.is_empty() {
            continue;
        }
        let more = if differ.len() > MOST { ", …" } else { "" };
        let named = differ.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
        let target = &facts.target;
        let text = format!(
            "merged: the settings of {target} shown are those of {first}; in {name} it has others: \
             {named}{more}"
        );
        whole.notes.push(model::Note { at: run.run.started_at, text });
    }
}
