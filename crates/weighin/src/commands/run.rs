mod finish;
mod instances;
mod judge;
mod metrics;
mod same_server;

use super::report::render;
use super::{Outcome, bearable, planned, print, secrets, space};
use crate::Exit;
use crate::arguments::{RunArguments, TellingArguments};
use crate::exit::CliError;
use crate::messages::{print_styled, shown, tell};
use crate::output::{self, Replaces, html_path};
use crate::progress::{RunProgress, Telling, TrialCount};
use crate::signals::{self, Unfinished};
use crate::stores;
use analyse::Analysis;
use campaign::{Campaign, Consent, Event, Instances, Preflight, RunError, Summary};
use engine::Stop;
use finish::finish;
pub(super) use instances::OUTPUT_READER;
use judge::Judge;
use model::bounds::MAX_REPEATS;
use model::{Block, Plan, ReadLimit, Study, Trial, TrialKey};
use report::Format;
use report::numbers::counted;
use same_server::other_server;
use serve::FigureListener;
use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Store, StoreError};
use study::{Additions, Conflict, Part};
use system::Hosts;
use system::client::SecretRules;

/// What the results say that they were made with.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Most changes that a message names.
const MOST_CONFLICTS: usize = 5;
/// Width of the summary where the terminal does not tell its own.
const WIDTH: usize = 80;

/// Runs a study, or goes on with it.
pub(crate) fn run(arguments: &RunArguments) -> Outcome {
    // From here on a signal is a request: before that, it could leave an empty results file.
    let _ = signals::stop();
    let file = &arguments.study;
    let loaded = study::load(file)?;
    let rules = secrets::rules(file, &loaded, &arguments.secrets)?;
    let terms = Terms {
        consent: arguments.consent.given(),
        secrets: &rules,
        telling: &arguments.telling,
        // An address that cannot be had is told before anything is made.
        listener: metrics::listen(&arguments.metrics)?,
    };
    if arguments.resume || arguments.retry_failed || arguments.more.is_some() {
        let results = match &arguments.store {
            Some(path) => path.clone(),
            None => stores::latest(&loaded, file)?,
        };
        let store = stores::resume(&results, arguments.reading)?;
        let addition = addition(&store, &loaded, arguments)?;
        let ended = go(store, addition, &results, terms);
        tell_left(&loaded, file);
        return finish(ended, arguments.on_finish.as_deref(), &results);
    }
    let study = study::scaled(&loaded, arguments.scale);
    if !arguments.telling.quiet {
        space::scaled(&loaded, &study, arguments.scale).iter().for_each(|line| tell(line));
    }
    let results = arguments.store.clone().unwrap_or_else(|| stores::new_path(&study, file));
    let store = begin(&study, &results, arguments.scale)?;
    let ended = go(store, None, &results, terms);
    tell_left(&study, file);
    finish(ended, arguments.on_finish.as_deref(), &results)
}

/// Says what stays on volumes when a run has ended, however it did.
fn tell_left(study: &Study, file: &Path) {
    space::left(study, file).iter().for_each(|line| tell(line));
}

/// Runs a study from its beginning and reports on it.
pub(super) fn run_study(study: &Study, results: &Path, scale: f64) -> Outcome {
    let store = begin(study, results, scale)?;
    // It has private servers alone.
    let terms = Terms {
        consent: Consent::default(),
        secrets: &Arc::default(),
        telling: &TellingArguments::default(),
        listener: None,
    };
    go(store, None, results, terms)
}

/// What the command line says of how a run is made.
struct Terms<'a> {
    /// What may be changed.
    consent: Consent<'a>,
    /// What may be sent to servers.
    secrets: &'a Arc<SecretRules>,
    telling: &'a TellingArguments,
    /// Where its figures can be asked for.
    listener: Option<FigureListener>,
}

fn begin(study: &Study, results: &Path, scale: f64) -> Result<Store, CliError> {
    let (plan, _) = planned(study)?;
    // From here on there is something to tidy up.
    signals::stop();
    let host = host::this_machine().facts();
    Ok(Store::create(results, study, &plan, &host, VERSION, scale)?)
}

/// What is to be added to a run, once its targets are known to be usable.
struct Addition {
    /// As it is from then on.
    study: Study,
    /// Where the study has changed, what.
    changes: Option<Vec<String>>,
    blocks: Vec<Block>,
}

/// What the arguments, and changes of the study, ask to be added to a run.
fn addition(
    store: &Store,
    loaded: &Study,
    arguments: &RunArguments,
) -> Result<Option<Addition>, CliError> {
    let results = store.path().display().to_string();
    let (mut study, changes) = current(store, loaded, arguments)?;
    study.take_levels(store.plan());
    let missing = store.plan().trials().count() - store.completed().len();
    if arguments.more.is_some() && missing > 0 {
        return Err(CliError::usage(
            format!("{} of the run in {results} did not run yet", counted(missing, "trial")),
            "complete the run with --resume before you add repeats to it",
        ));
    }
    if arguments.more.is_some() && store.study().until.is_some() {
        return Err(CliError::usage(
            "the repeats of this study end where all is resolved, so none can be added",
            "to measure more, raise `max` of `repeats` and start a new run",
        ));
    }
    let anew = if arguments.retry_failed { store.failed()? } else { Vec::new() };
    if arguments.retry_failed && anew.is_empty() {
        tell(&format!("no trial of the run in {} failed", shown(store.path())));
    }
    let additions =
        Additions { repeats: arguments.more.unwrap_or(0), anew: anew.into_iter().collect() };
    let blocks = study::extend(&study, store.plan(), &additions);
    if blocks.is_empty() && changes.is_none() {
        return Ok(None);
    }
    let mut extended = store.plan().clone();
    extended.blocks.extend_from_slice(&blocks);
    if extended.repeats() > MAX_REPEATS {
        return Err(CliError::usage(
            format!("the run would have {} repeats of every trial", extended.repeats()),
            format!("a run may have {MAX_REPEATS}: ask for fewer"),
        ));
    }
    bearable(&extended, &study)?;
    Ok(Some(Addition { study, changes, blocks }))
}

/// Keeps what is added to a run, if anything is.
fn extend(store: &mut Store, addition: Option<Addition>) -> Result<(), StoreError> {
    let Some(Addition { study, changes, blocks }) = addition else { return Ok(()) };
    let host = host::this_machine().facts();
    store.extend(VERSION, &host, changes.map(|changes| (&study, changes)), &blocks)
}

/// The study of a run as its file has it now, and what has changed in it, where anything has.
///
/// # Errors
/// When trials were planned or measured with what was there.
fn current(
    store: &Store,
    loaded: &Study,
    arguments: &RunArguments,
) -> Result<(Study, Option<Vec<String>>), CliError> {
    let asked = study::scaled(loaded, store.run().scale);
    if store.study().source == asked.source {
        return Ok((store.study().clone(), None));
    }
    let file = shown(&arguments.study);
    match study::changes(store.study(), &asked) {
        Ok(mut changes) => {
            if changes.is_empty() {
                changes.push("comments".to_owned());
            }
            tell(&format!("{file} has changed since this run began: {}", changes.join(", ")));
            Ok((asked, Some(changes)))
        }
        Err(conflicts) => {
            let one = |conflict: &Conflict| {
                let measured = counted(trials_of(store, &conflict.part), "trial");
                format!("{}: {}; {measured} ran with the former", conflict.part, conflict.change)
            };
            let all: Vec<String> = conflicts.iter().take(MOST_CONFLICTS).map(one).collect();
            let more = match conflicts.len() - all.len() {
                0 => String::new(),
                more => format!("\nand {}", counted(more, "further change")),
            };
            Err(CliError::usage(
                format!(
                    "{file} has changed in what the trials in {} depend on:\n{}{more}",
                    shown(store.path()),
                    all.join("\n"),
                ),
                "undo that, or give the changed target or test another name to have it measured \
                 beside the others, or start a new run without --resume",
            ))
        }
    }
}

/// How many trials that a part of a study belongs to have a record.
fn trials_of(store: &Store, part: &Part) -> usize {
    let of_part = |key: &&TrialKey| match part {
        Part::Study => true,
        Part::Target(name) => key.target == *name,
        Part::Test(name) => key.test == *name,
    };
    store.completed().iter().filter(of_part).count()
}

/// Runs what the store has no record of yet, and what is to be added, and reports.
fn go(
    mut store: Store,
    mut addition: Option<Addition>,
    results: &Path,
    terms: Terms<'_>,
) -> Outcome {
    let Terms { consent, secrets, telling: arguments, listener } = terms;
    let mut recorded = Recorded {
        results,
        recorded: store.completed().len(),
        empty: store.is_empty().then(|| Unfinished::new(files_of(results))),
        is_extended: addition.is_none(),
    };
    let adds_trials = addition.as_ref().is_some_and(|addition| !addition.blocks.is_empty());
    if !adds_trials && recorded.recorded == store.plan().trials().count() {
        if let Err(error) = plan_next(&mut store, addition.take()) {
            return Err(ended_early(error.into(), store, &recorded));
        }
        recorded.is_extended = true;
    }
    let (mut study, mut plan) = (store.study().clone(), store.plan().clone());
    let mut done = store.completed();
    if let Some(addition) = &addition {
        study.clone_from(&addition.study);
        plan.blocks.extend_from_slice(&addition.blocks);
        let added = addition.blocks.iter().flat_map(|block| &block.trials);
        let added: HashSet<&TrialKey> = added.map(|trial| &trial.key).collect();
        done.retain(|key| !added.contains(key));
    }
    let stop = signals::stop();
    recorded.recorded = done.len();
    recorded.say();
    let total = plan.trials().count();
    let estimate = study::estimate(&plan, &study);
    let counts = TrialCount { total, done: done.len() };
    if done.len() < total && !arguments.quiet {
        space::lines(&study).iter().for_each(|line| tell(line));
    }
    let name = results.file_name().unwrap_or_default().to_string_lossy();
    let started_at = store.run().started_at;
    let telling = Telling { arguments, listener, results: &name, started_at };
    let mut progress = match RunProgress::start(&study, counts, estimate, &stop, telling) {
        Ok(progress) => progress,
        Err(error) if store.is_empty() => {
            store.discard();
            return Err(error);
        }
        Err(error) => return Err(error),
    };
    let (hosts, course);
    // The targets. They go when all has been reported: that may have to wait for others.
    let mut campaign = None;
    let outcome = if done.len() == total {
        Ok(Summary { skipped: total, ..Summary::default() })
    } else {
        let is_open = |trial: &&Trial| !done.contains(&trial.key);
        let open = plan.trials().filter(is_open).cloned().collect();
        course = Course { study: &study, plan: &plan, open, consent, stop: &stop };
        hosts = campaign::hosts_of_study(&study, secrets, &stop);
        let kept = Kept { store: &mut store, progress: &mut progress, recorded: &mut recorded };
        let went = walk(&course, &hosts, addition, kept);
        went.map(|(summary, targets)| {
            campaign = targets;
            summary
        })
    };
    let noted = keep(&progress, &mut store);
    drop(progress);
    let summary = match outcome.and_then(|summary| noted.map(|()| summary).map_err(RunError::from))
    {
        Ok(summary) => summary,
        Err(error) => return Err(ended_early(error, store, &recorded)),
    };
    let reported = report(&store, results, summary.failed);
    drop(campaign);
    reported
}

/// Reports on a run that has ended.
fn report(store: &Store, results: &Path, failed: usize) -> Outcome {
    let dataset = store.dataset()?;
    let analysis = analyse::analyse(&dataset);
    let page = html_path(results);
    let budget = ReadLimit::NONE.budget();
    let written = output::write_beside(&page, Replaces::Reports, &mut |out| {
        render(&analysis, Format::Html, &budget, out)
    });
    show(&analysis, results, written.as_deref().ok())?;
    if let Err(mut error) = written {
        let results = results.display();
        error.add_help(&format!(
            "all results are safe in {results}; make the report with: weighin report {results} --out FILE"
        ));
        return Err(error);
    }
    let failed = failed + dataset.trials.iter().filter(|trial| trial.has_failed()).count();
    Ok(if failed > 0 { Exit::Failed } else { Exit::Done })
}

/// What is run, with what is added to it.
struct Course<'a> {
    study: &'a Study,
    plan: &'a Plan,
    /// The trials of it that are to run.
    open: Vec<Trial>,
    /// What the command line allows.
    consent: Consent<'a>,
    stop: &'a Stop,
}

/// Where what comes of trials is kept and told.
struct Kept<'a, 'r> {
    store: &'a mut Store,
    progress: &'a mut RunProgress,
    recorded: &'a mut Recorded<'r>,
}

/// Runs the trials; gives the targets too, but for where some of them are provisioned: these are taken down
/// after all others, and what came of that is reported.
fn walk<'a>(
    course: &'a Course<'_>,
    hosts: &'a Hosts,
    addition: Option<Addition>,
    mut kept: Kept<'_, '_>,
) -> Result<(Summary, Option<Campaign<'a>>), RunError> {
    let mut instances = instances::for_study(course.study, hosts, kept.store, course.stop)?;
    let went = walk_with(course, hosts, addition, &mut kept, &mut instances);
    let went =
        went.map(|(summary, campaign)| (summary, Some(campaign).filter(|_| !instances.any_up())));
    instances::end(&mut instances, kept.store, kept.progress)?;
    went
}

fn walk_with<'a>(
    course: &'a Course<'_>,
    hosts: &'a Hosts,
    addition: Option<Addition>,
    kept: &mut Kept<'_, '_>,
    instances: &mut Instances<'_>,
) -> Result<(Summary, Campaign<'a>), RunError> {
    let Course { study, plan, consent, stop, .. } = *course;
    let (store, progress) = (&mut *kept.store, &mut *kept.progress);
    let recorded = &mut *kept.recorded;
    let mut show = |event: Event<'_>| progress.show(&event);
    instances.bring_up(course.open.iter(), Some(store), &mut show)?;
    let preflight = Preflight::examine(study, hosts, consent, instances, stop, &mut show);
    let preflight = preflight.map_err(|_| RunError::Stopped)?;
    let mut campaign = Campaign::prepare(preflight, &mut show)?;
    campaign.on_sample(progress.on_sample());
    if let Some((target, failure)) = other_server(store, campaign.facts())? {
        return Err(RunError::Target { target, failure });
    }
    extend(store, addition)?;
    recorded.is_extended = true;
    recorded.say();
    for facts in campaign.facts() {
        store.record_target(facts)?;
    }
    let mut summary = Summary::default();
    let mut plan = plan.clone();
    let mut judge = Judge::default();
    if !store.is_empty() {
        judge.look(progress, store);
    }
    loop {
        let mut lost = None;
        let part = campaign.run(&plan, store, instances, &mut |event| {
            progress.show(&event);
            if let Event::TrialEnded { store, .. } = event {
                recorded.one_more();
                lost = keep(progress, store).err().or(lost.take());
                judge.look(progress, store);
            }
        })?;
        if let Some(error) = lost {
            return Err(error.into());
        }
        summary.completed += part.completed;
        summary.failed += part.failed;
        let blocks = next_blocks(store)?;
        if blocks.is_empty() {
            break;
        }
        store.add_blocks(&blocks)?;
        progress.next_blocks(&blocks, &plan);
        plan.blocks.extend(blocks);
    }
    campaign.finish(store)?;
    Ok((summary, campaign))
}

/// Keeps what has changed in the study of a run whose plan is done, and plans its next blocks, where
/// there are any: a run may have been ended after the last trial of a block and before the next was
/// planned. The study comes first, since it decides what is resolved.
fn plan_next(store: &mut Store, addition: Option<Addition>) -> Result<(), StoreError> {
    extend(store, addition)?;
    let blocks = next_blocks(store)?;
    store.add_blocks(&blocks)
}

/// What a run whose plan is done measures next: levels that its tests place, and then, where its
/// repeats go on until all is resolved, what is not.
fn next_blocks(store: &Store) -> Result<Vec<Block>, StoreError> {
    if store.study().until.is_none() && !store.study().places_levels() {
        return Ok(Vec::new());
    }
    let dataset = store.dataset()?;
    let analysis = analyse::analyse_without_laws(&dataset);
    let placed = analyse::levels_to_place(&analysis);
    if !placed.is_empty() {
        return Ok(study::next_levels(&dataset.study, &dataset.plan, &placed));
    }
    let open = analyse::open_trials(&analysis);
    Ok(study::next_block(&dataset.study, &dataset.plan, &open).into_iter().collect())
}

/// Keeps what the user has noted since.
fn keep(progress: &RunProgress, store: &mut Store) -> Result<(), StoreError> {
    progress.take_notes().iter().try_for_each(|note| store.add_note(note))
}

/// What stays of a run that is ended and cannot say so itself: nothing before its first trial is
/// recorded, and then how to go on.
struct Recorded<'a> {
    results: &'a Path,
    recorded: usize,
    empty: Option<Unfinished>,
    /// Whether what is to be added to the run is in its plan.
    is_extended: bool,
}

impl Recorded<'_> {
    fn one_more(&mut self) {
        self.recorded += 1;
        self.empty = None;
        self.say();
    }

    fn say(&self) {
        signals::if_ended(match self.empty {
            Some(_) => String::new(),
            None => self.how_to_go_on(),
        });
    }

    fn how_to_go_on(&self) -> String {
        let again = if self.is_extended { "--resume" } else { "the same command" };
        let (recorded, results) = (self.recorded, shown(self.results));
        format!("{recorded} completed trials are safe in {results}; go on with {again}")
    }
}

/// A run that recorded nothing leaves no results file behind; one that did says how to go on.
fn ended_early(error: RunError, store: Store, recorded: &Recorded<'_>) -> CliError {
    let mut error = CliError::from(error);
    if store.is_empty() {
        store.discard();
    } else {
        error.add_help(&recorded.how_to_go_on());
    }
    error
}

/// A results file with what SQLite keeps beside it.
pub(super) fn files_of(results: &Path) -> Vec<PathBuf> {
    let beside = |suffix: &str| {
        let mut name = results.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", "-wal", "-shm", ".lock"].map(beside).into()
}

/// Shows the answers, and where results and report are.
fn show(analysis: &Analysis<'_>, results: &Path, page: Option<&str>) -> Result<(), CliError> {
    let terminal = std::io::stdout().is_terminal();
    let width = if terminal { crate::messages::terminal_width() } else { WIDTH };
    let summary = report::terminal_summary(analysis, width.min(100), terminal);
    print_styled(&format!("\n{summary}\n"))?;
    let page =
        page.map(|page| format!("Report:  {}\n", model::text::line(page))).unwrap_or_default();
    print(&format!("Results: {}\n{page}", shown(results)))
}
