use super::workload::{headline, refuse};
use super::{Outcome, print, slo, targets, unless_stopped};
use crate::Exit;
use crate::arguments::{IoName, LoadArguments};
use crate::checks::{AdHocLoad, Checks};
use crate::exit::CliError;
use crate::load_output::LoadOutput;
use crate::messages::{print_json, tell};
use crate::passing::Progress;
use crate::progress::waiting;
use crate::signals;
use campaign::{Goal, LoadProgress, Measured, Measurement, measure};
use engine::Limit;
use model::{IoMethod, Level, Load, Storage, Target, Test, Transactions, Workload};
use report::numbers::figure;
use study::CommandLine;
use system::{Preparing, TargetHandle};

/// A load by hand, and what it runs on.
struct AdHoc {
    target: Target,
    test: Test,
    level: Level,
    limit: Limit,
}

/// Runs one load by hand.
pub(crate) fn load(arguments: &LoadArguments) -> Outcome {
    let ad_hoc = understood(arguments)?;
    let AdHoc { test, level, .. } = &ad_hoc;
    let load = test.runnable_load()?;
    let stop = signals::stop();
    let mut target =
        targets::hold(&ad_hoc.target, &load.workload, &arguments.target, &arguments.erase)?;
    let bar = Progress::start("bytes");
    let mut preparing = Preparing {
        seed: arguments.seed,
        repeat: 0,
        may_write: false,
        is_private: false,
        connections: None,
        stop: &stop,
        progress: &mut |step| bar.show(step),
    };
    let checked = target.check_load(&load.workload, level.clients, &mut preparing);
    bar.finish();
    let filled =
        load.workload.storage().map(|_| "the next load fills the volume from its beginning");
    unless_stopped(checked, filled.unwrap_or_default())?;
    let target = target.as_mut();
    let measurement = ad_hoc.measurement(load, arguments);
    if let Some((bound, over)) = test.bound().zip(level.search) {
        let goal = Goal { bound, over, arrivals: load.arrivals };
        let found = slo::search_by_hand(arguments.json, target, &measurement, &goal, &stop)?;
        let checks = ad_hoc.checks(&found.measured, target, arguments)?;
        return slo::end(arguments.json, &found, load, &checks);
    }
    let measured = measure(target, &measurement, &stop, &mut |progress| {
        if let LoadProgress::Waiting(limit) = progress {
            tell(&waiting(limit));
        }
    })?;
    let checks = ad_hoc.checks(&measured, target, arguments)?;
    let mut result =
        LoadOutput::new(&measured, &load.workload, &arguments.percentiles).with_checks(&checks);
    result.asked = load.operations;
    match arguments.json {
        true => print_json(&result.json()?)?,
        false => print(&result.text(&headline(&load.workload)))?,
    }
    Ok(Exit::Done)
}

/// Reads the arguments up to where a server or a volume would be needed.
pub(crate) fn understand(arguments: &LoadArguments) -> Result<(), CliError> {
    understood(arguments).map(drop)
}

fn understood(arguments: &LoadArguments) -> Result<AdHoc, CliError> {
    let mut line = targets::describe(&arguments.target, &arguments.erase)?;
    arguments.keys.describe(&mut line);
    arguments.scripts.describe(&mut line);
    complete(&mut line, targets::is_volume(&arguments.target.url));
    let (target, test) = line.read()?;
    let load = test.runnable_load()?;
    let &[level] = load.levels.as_slice() else {
        return Err(CliError::usage(
            format!("a load by hand has one level, and here are {}", load.levels.len()),
            "name one, or write a study file: weighin init",
        ));
    };
    refuse("--statements", arguments.statements, &load.workload)?;
    enough_workers(arguments, &load.workload)?;
    // A rate is judged in a window: what comes back later has not kept up. Otherwise every
    // transaction that the server saw is counted, as sysbench does.
    let limit = match (level.rate, level.search) {
        (None, None) => Limit::LastReply { duration: Some(load.duration), events: load.operations },
        _ => Limit::Window(load.duration),
    };
    Ok(AdHoc { target, test, level, limit })
}

/// Adds what is usual of a load by hand where nothing else is said.
pub(super) fn complete(line: &mut CommandLine, is_volume: bool) {
    if is_volume && line.get("workload").is_none() {
        line.test("workload", Storage::NAME);
    }
    if line.get("built_in").is_some() && line.get("workload").is_none() {
        line.test("workload", Transactions::NAME);
    }
    let on_volume = line.get("workload") == Some(Storage::NAME);
    let mut usually = |key: &str, text: &str, unless: &[&str]| {
        if line.get(key).is_none() && unless.iter().all(|other| line.get(other).is_none()) {
            line.test(key, text);
        }
    };
    match on_volume {
        true => usually("pattern", "t1 o32 b4k", &["block"]),
        false => usually("clients", "1", &["rate", "load_profile", "slo"]),
    }
    usually("warmup", "0s", &["slo", "cpu_limit"]);
    let measured_otherwise = ["load_profile", "slo", "cpu_limit", "transactions", "operations"];
    usually("duration", "10s", &measured_otherwise);
}

impl AdHoc {
    /// What the checks of trials say of it.
    fn checks(
        &self,
        measured: &Measured,
        target: &mut dyn TargetHandle,
        arguments: &LoadArguments,
    ) -> Result<Checks, CliError> {
        let load = AdHocLoad {
            target: &self.target,
            test: &self.test,
            level: self.level,
            seed: arguments.seed,
        };
        Checks::run(load, measured, target.facts().ok(), &host::Local)
    }

    /// What is ordered of the target.
    fn measurement<'a>(&self, load: &'a Load, arguments: &LoadArguments) -> Measurement<'a> {
        let mut measurement = Measurement::for_load(load, self.level, arguments.seed, &host::Local);
        measurement.asks_server = false;
        measurement.load.workers = arguments.workers;
        measurement.load.io = match arguments.io {
            IoName::Auto => None,
            IoName::Epoll => Some(IoMethod::Epoll),
            IoName::IoUring => Some(IoMethod::IoUring),
        };
        measurement.load.schedule.limit = self.limit;
        measurement.load.by_statement |= arguments.statements;
        measurement
    }
}

/// Fewer threads than the virtual machines have processors could not use these.
fn enough_workers(arguments: &LoadArguments, workload: &Workload) -> Result<(), CliError> {
    let storage = workload.storage();
    let shared = storage.and_then(|storage| storage.oversubscription.map(|s| (storage.vms, s)));
    let (Some(workers), Some((vms, shared))) = (arguments.workers, shared) else { return Ok(()) };
    if shared.fits(vms, workers as usize) {
        return Ok(());
    }
    let (count, needed) = (shared.processors(vms), shared.whole_processors(vms));
    Err(CliError::usage(
        format!("{} processors cannot be used by fewer threads", figure(count)),
        format!("take --workers={needed} at least, or leave it out"),
    ))
}
