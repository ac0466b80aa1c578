//! What was added to a run after it had begun, and what that does to its conclusions.

use findings::{
    ConditionChange, ConditionsChanged, Finding, MeasuredAnew, MeasuredLater, RepeatsAdded, Subject,
};
use model::{Dataset, Extension, HostFacts, Level, Plan, TrialKey, TrialRecord, UnixMillis};
use stats::error_of_looks;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What is known of the conditions of a run, for a reader: each fact with its name.
fn conditions(version: &str, host: &HostFacts) -> [(&'static str, String); 9] {
    let or_nothing = |fact: &Option<String>| fact.clone().unwrap_or_default();
    [
        ("weighin", version.to_owned()),
        ("host", host.hostname.clone()),
        ("operating system", host.os.clone()),
        ("kernel", host.kernel.clone()),
        ("processor", format!("{} × {}", host.cpus, host.cpu_model)),
        ("frequency governor", or_nothing(&host.governor)),
        ("virtualisation", or_nothing(&host.virtualisation)),
        ("default file system of private servers", or_nothing(&host.sandbox_filesystem)),
        ("clock source", or_nothing(&host.clock_source)),
    ]
}

/// The facts that differ, where both are known.
pub(crate) fn changes(
    before: (&str, &HostFacts),
    after: (&str, &HostFacts),
) -> Vec<ConditionChange> {
    let both = conditions(before.0, before.1).into_iter().zip(conditions(after.0, after.1));
    let changed = both.filter(|((_, before), (_, after))| {
        before != after && !before.is_empty() && !after.is_empty()
    });
    changed.map(|((what, before), (_, after))| ConditionChange { what, before, after }).collect()
}

pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    let whole = |evidence| Finding::new(Subject::default(), evidence);
    let mut findings = Vec::new();
    if let Some(added) = repeats_added(dataset) {
        findings.push(whole(crate::Evidence::from(added)));
    }
    let anew = dataset.superseded.len();
    if anew > 0 {
        findings.push(whole(MeasuredAnew { trials: anew }.into()));
    }
    findings.extend(measured_later_finding(dataset).map(|later| whole(later.into())));
    let changes = conditions_changed(dataset);
    if !changes.is_empty() {
        findings.push(whole(ConditionsChanged { changes }.into()));
    }
    findings
}

/// The trials that were added to blocks that had run, by position, each with the extension that it
/// is of: of cells that the study gained, and those that are measured anew. They are no pairs with
/// the trials of those blocks, whose conditions may be long gone, but with one another.
pub(crate) fn measured_later(plan: &Plan) -> HashMap<u32, u32> {
    let mut later = HashMap::new();
    // With the extension that first had it.
    let mut blocks: HashMap<u32, u32> = HashMap::new();
    for block in &plan.blocks {
        let first = *blocks.entry(block.number).or_insert(block.extension);
        if first < block.extension {
            later.extend(block.trials.iter().map(|trial| (trial.position, block.extension)));
        }
    }
    later
}

/// Of cells that the study gained. A trial that is measured anew is of such a cell where the one in
/// whose place it stands was.
fn measured_later_finding(dataset: &Dataset) -> Option<MeasuredLater> {
    let later = measured_later(&dataset.plan);
    if later.is_empty() {
        return None;
    }
    let mut first: HashMap<&TrialKey, u32> = HashMap::new();
    for trial in dataset.plan.all_trials() {
        first.entry(&trial.key).or_insert(trial.position);
    }
    let is_gained = |record: &&TrialRecord| {
        first.get(&record.key).is_some_and(|position| later.contains_key(position))
    };
    let (apart, others): (Vec<&TrialRecord>, Vec<&TrialRecord>) =
        dataset.trials.iter().partition(is_gained);
    if apart.is_empty() {
        return None;
    }
    let only_apart = |is: &dyn Fn(&TrialKey) -> bool| {
        apart.iter().any(|record| is(&record.key)) && !others.iter().any(|record| is(&record.key))
    };
    let cells: HashSet<(&str, &str, Level)> = apart
        .iter()
        .map(|record| (&*record.key.target, &*record.key.test, record.key.level))
        .collect();
    let study = &dataset.study;
    let targets = study.measured().map(|target| target.name.clone());
    let tests = study.tests.iter().map(|test| test.name.clone());
    Some(MeasuredLater {
        targets: targets.filter(|name| only_apart(&|key| key.target == *name)).collect(),
        tests: tests.filter(|name| only_apart(&|key| key.test == *name)).collect(),
        cells: cells.len(),
    })
}

/// Single targets are compared with nothing that further repeats could tip.
fn repeats_added(dataset: &Dataset) -> Option<RepeatsAdded> {
    let looks = looks(dataset);
    // A study that says when it looks has made up for it.
    let planned = dataset.study.until.is_some();
    if looks.len() < 2 || dataset.study.targets.len() < 2 || planned {
        return None;
    }
    let stated_error = 1.0 - dataset.study.confidence;
    let error = error_of_looks(stated_error, &looks);
    Some(RepeatsAdded { looks, stated_error, error })
}

/// How many repeats the plan had at first and after each extension that added some. Another run that
/// was merged with this one is none: nobody decided on its repeats by what this one had shown.
fn looks(dataset: &Dataset) -> Vec<u32> {
    let extensions = &dataset.run.extensions;
    let is_merged = |number: u32| {
        let place = (number as usize).checked_sub(1);
        place.and_then(|place| extensions.get(place)).is_some_and(|one| one.merged_from.is_some())
    };
    let mut looks: Vec<u32> = Vec::new();
    let mut of_extension = None;
    let mut most = 0;
    for block in &dataset.plan.blocks {
        if block.number <= most {
            continue;
        }
        most = block.number;
        let goes_on = of_extension == Some(block.extension) || is_merged(block.extension);
        match looks.last_mut() {
            Some(last) if goes_on => *last = most,
            _ => looks.push(most),
        }
        of_extension = Some(block.extension);
    }
    looks
}

/// Of the extensions under which trials have run. A fact that changed there and back is named once.
fn conditions_changed(dataset: &Dataset) -> Vec<ConditionChange> {
    let run = &dataset.run;
    let recorded: BTreeSet<u32> = dataset.trials.iter().map(|record| record.position).collect();
    let blocks = dataset.plan.blocks.iter();
    let ran = blocks.filter(|block| block.trials.iter().any(|t| recorded.contains(&t.position)));
    let ran: BTreeSet<u32> = ran.map(|block| block.extension).collect();
    // Trials that were planned before an extension may have run after it, under its conditions: an
    // extension may have none of its own. Its own are known by the plan, whatever clocks say.
    let nexts = run.extensions.iter().skip(1).map(|next| Some(next.at)).chain([None]);
    let is_under = |at: UnixMillis, next: Option<UnixMillis>| {
        let mut trials = dataset.trials.iter().map(|record| record.started_at);
        trials.any(|started| started >= at && next.is_none_or(|next| started < next))
    };
    let extensions = (1..).zip(run.extensions.iter().zip(nexts));
    let extensions = extensions
        .filter(|(number, (one, next))| ran.contains(number) || is_under(one.at, *next))
        .map(|(_, (one, _))| one);
    let of = |extension: &Extension| {
        changes((&run.weighin_version, &run.host), (&extension.weighin_version, &extension.host))
    };
    let mut all: Vec<ConditionChange> = Vec::new();
    for change in extensions.flat_map(of) {
        if !all.contains(&change) {
            all.push(change);
        }
    }
    all
}
