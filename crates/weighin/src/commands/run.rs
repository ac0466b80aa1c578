use super::report::render;
use super::{Outcome, bearable, planned, print};
use crate::Exit;
use crate::arguments::RunArguments;
use crate::exit::CliError;
use crate::messages::{print_styled, shown, tell};
use crate::output::{self, Replaces, html_path};
use crate::progress::RunProgress;
use crate::signals::{self, Unfinished};
use crate::stores;
use analyse::Analysis;
use campaign::{Campaign, Event, Hosts, Preflight, RunError, Summary};
use engine::Stop;
use model::Study;
use model::bounds::MAX_REPEATS;
use report::Format;
use report::numbers::counted;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use store::Store;
use study::Additions;

/// What the results say that they were made with.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Width of the summary where the terminal does not tell its own.
const WIDTH: usize = 80;

/// Runs a study, or goes on with it.
pub(crate) fn run(arguments: &RunArguments) -> Outcome {
    // From here on a signal is a request: before that, it could leave an empty results file.
    let _ = signals::stop();
    let file = &arguments.study;
    let loaded = study::load(file)?;
    if arguments.resume || arguments.retry_failed || arguments.more.is_some() {
        let results = match &arguments.store {
            Some(path) => path.clone(),
            None => stores::latest(&loaded, file)?,
        };
        let mut store = Store::resume(&results)?;
        extend(&mut store, &loaded, arguments)?;
        return go(store, &results, &arguments.erase);
    }
    let study = study::scaled(&loaded, arguments.scale);
    let results = arguments.store.clone().unwrap_or_else(|| stores::new_path(&study, file));
    run_study(&study, &results, arguments.scale, &arguments.erase)
}

/// Runs a study from its beginning and reports on it.
pub(super) fn run_study(study: &Study, results: &Path, scale: f64, erase: &[PathBuf]) -> Outcome {
    let (plan, _) = planned(study)?;
    // From here on there is something to tidy up.
    signals::stop();
    let host = host::this_machine().facts();
    go(Store::create(results, study, &plan, &host, VERSION, scale)?, results, erase)
}

/// Adds to the plan of a run what the arguments ask for.
fn extend(store: &mut Store, loaded: &Study, arguments: &RunArguments) -> Result<(), CliError> {
    let results = store.path().display().to_string();
    if store.study().source != loaded.source {
        return Err(CliError::usage(
            format!(
                "the study file {} has changed since the run in {results} began",
                arguments.study.display(),
            ),
            "undo the change, or start anew without --resume",
        ));
    }
    let missing = store.plan().trials().count() - store.completed().len();
    if arguments.more.is_some() && missing > 0 {
        return Err(CliError::usage(
            format!("{} of the run in {results} did not run yet", counted(missing, "trial")),
            "complete the run with --resume before you add repeats to it",
        ));
    }
    let anew = if arguments.retry_failed { store.failed()? } else { Vec::new() };
    if arguments.retry_failed && anew.is_empty() {
        tell(&format!("no trial of the run in {} failed", shown(store.path())));
    }
    let additions =
        Additions { repeats: arguments.more.unwrap_or(0), anew: anew.into_iter().collect() };
    let blocks = study::extend(store.study(), store.plan(), &additions);
    if blocks.is_empty() {
        return Ok(());
    }
    let mut extended = store.plan().clone();
    extended.blocks.extend_from_slice(&blocks);
    if extended.repeats() > MAX_REPEATS {
        return Err(CliError::usage(
            format!("the run would have {} repeats of every trial", extended.repeats()),
            format!("a run may have {MAX_REPEATS}: ask for fewer"),
        ));
    }
    bearable(&extended, store.study())?;
    let host = host::this_machine().facts();
    Ok(store.extend(VERSION, &host, None, &blocks)?)
}

/// Runs what the store has no record of yet, and reports. `erase` names the volumes that may be
/// overwritten.
fn go(mut store: Store, results: &Path, erase: &[PathBuf]) -> Outcome {
    let (study, plan) = (store.study().clone(), store.plan().clone());
    let stop = signals::stop();
    let done = store.completed().len();
    let mut recorded = Recorded::new(results, done, store.is_empty());
    let total = plan.trials().count();
    let mut progress = RunProgress::start(&study, total, done, study::estimate(&plan, &study));
    let outcome = if done == total {
        Ok(Summary { skipped: done, ..Summary::default() })
    } else {
        walk(&study, &mut store, (erase, &stop), &mut progress, &mut recorded)
    };
    progress.finish();
    let summary = match outcome {
        Ok(summary) => summary,
        Err(error) => return Err(ended_early(error, store, results)),
    };
    report(&store, results, summary.failed)
}

/// Reports on a run that has ended.
fn report(store: &Store, results: &Path, failed: usize) -> Outcome {
    let dataset = store.dataset()?;
    let analysis = analyse::analyse(&dataset);
    let page = html_path(results);
    let written = render(&analysis, Format::Html)
        .and_then(|text| output::write(&page, &text, Replaces::Reports));
    show(&analysis, results, written.as_deref().ok())?;
    if let Err(mut error) = written {
        let results = results.display();
        error.add_help(&format!(
            "all results are safe in {results}; make the report with: weighin report {results} --out FILE"
        ));
        return Err(error);
    }
    let failed = failed + dataset.trials.iter().filter(|trial| trial.has_failed()).count();
    Ok(if failed > 0 { Exit::TrialsFailed } else { Exit::Done })
}

fn walk(
    study: &Study,
    store: &mut Store,
    (erase, stop): (&[PathBuf], &Stop),
    progress: &mut RunProgress,
    recorded: &mut Recorded<'_>,
) -> Result<Summary, RunError> {
    let plan = store.plan().clone();
    let hosts = Hosts::default();
    let mut show = |event: Event<'_>| progress.show(&event);
    let preflight = Preflight::examine(study, &hosts, erase, stop, &mut show);
    let preflight = preflight.map_err(|_| RunError::Stopped)?;
    let mut campaign = Campaign::prepare(preflight, &mut show)?;
    for facts in campaign.facts() {
        store.record_target(facts)?;
    }
    campaign.run(&plan, store, &mut |event| {
        if let Event::TrialEnded { .. } = event {
            recorded.one_more();
        }
        progress.show(&event);
    })
}

/// What stays of a run that is ended and cannot say so itself: nothing before its first trial is
/// recorded, and then how to go on.
struct Recorded<'a> {
    results: &'a Path,
    recorded: usize,
    empty: Option<Unfinished>,
}

impl<'a> Recorded<'a> {
    fn new(results: &'a Path, recorded: usize, is_empty: bool) -> Self {
        let empty = is_empty.then(|| Unfinished::new(files_of(results)));
        let recorded = Self { results, recorded, empty };
        recorded.say();
        recorded
    }

    fn one_more(&mut self) {
        self.recorded += 1;
        self.empty = None;
        self.say();
    }

    fn say(&self) {
        signals::if_ended(match self.empty {
            Some(_) => String::new(),
            None => how_to_go_on(self.recorded, self.results),
        });
    }
}

fn how_to_go_on(recorded: usize, results: &Path) -> String {
    format!("{recorded} completed trials are safe in {}; go on with --resume", shown(results))
}

/// A run that recorded nothing leaves no results file behind; one that did says how to go on.
fn ended_early(error: RunError, store: Store, results: &Path) -> CliError {
    let mut error = CliError::from(error);
    if store.is_empty() {
        store.discard();
    } else {
        error.add_help(&how_to_go_on(store.completed().len(), results));
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
    let width = if terminal { crate::progress::terminal_width() } else { WIDTH };
    let summary = report::terminal_summary(analysis, width.min(100), terminal);
    print_styled(&format!("\n{summary}\n"))?;
    let page =
        page.map(|page| format!("Report:  {}\n", model::text::line(page))).unwrap_or_default();
    print(&format!("Results: {}\n{page}", shown(results)))
}
