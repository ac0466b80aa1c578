//! Interventions: acts during a load. Each waits for its moment, and is carried out, on a thread of
//! its own, which is never one that measures.

use crate::caution::control_commands;
use crate::trial_clock::seconds_from;
use host::{CommandOrder, Host};
use model::bounds::MAX_DURATION;
use model::{
    Act, ActResult, Failure, FailureKind, Intervention, Mark, Query, Statement, Stop, Study,
    TimedStatement,
};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use system::{Acted, Perform, TargetHandle};

/// Something that is done during a load, which begins at that moment; the marks that it leaves.
pub(crate) type Job = Box<dyn FnMut(Instant) -> Vec<Mark> + Send>;

/// What runs beside a load for its own sake.
pub(crate) struct BesideWork {
    /// When it begins, from the start of the measured phase.
    pub(crate) at: Duration,
    pub(crate) job: Job,
    /// Requested when the load has ended: then it ends as well.
    pub(crate) over: Stop,
}

/// What is done during a load. Its moments are those of the engine's clock, which an [`Instant`]
/// reads too.
pub(crate) struct Interventions {
    /// Requested when the load has ended.
    over: Stop,
    ready: Vec<(Duration, Job)>,
    waiting: Vec<Waiting>,
}

/// A thread that waits, acts, and then hands over what it holds.
struct Waiting {
    /// Dropped to end the waiting.
    cancel: Sender<()>,
    thread: JoinHandle<(Vec<Mark>, Job)>,
}

impl Interventions {
    /// Opens the connections that acts need, so that none is opened while the load is measured.
    /// Commands run on `host`.
    ///
    /// # Errors
    /// When the target cannot be reached, or cannot be subjected to such an act.
    pub(crate) fn prepare(
        target: &mut dyn TargetHandle,
        host: &dyn Host,
        interventions: &[Intervention],
        beside: Option<BesideWork>,
    ) -> Result<Self, Failure> {
        let over = beside.as_ref().map_or_else(Stop::default, |beside| beside.over.clone());
        let mut ready = |one: &Intervention| {
            let (one, mut perform) = (one.clone(), perform(target, host, one, &over)?);
            let at = one.at;
            let job: Job = Box::new(move |origin| vec![carry_out(&one, &mut perform, origin)]);
            Ok((at, job))
        };
        let mut ready =
            interventions.iter().map(&mut ready).collect::<Result<Vec<_>, Failure>>()?;
        ready.extend(beside.map(|beside| (beside.at, beside.job)));
        Ok(Self { over, ready, waiting: Vec::new() })
    }

    /// Begins to wait. `origin` is the start of the load, which may lie ahead, and `measured` that of
    /// the measured phase, counted from it.
    pub(crate) fn schedule(&mut self, origin: Instant, measured: Duration) {
        for (at, mut job) in self.ready.drain(..) {
            let (cancel, cancelled) = channel();
            let over = self.over.clone();
            let thread = thread::spawn(move || {
                let due = origin + measured + at;
                let wait = due.saturating_duration_since(Instant::now());
                let waited = cancelled.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
                let act = waited && !over.is_requested();
                (if act { job(origin) } else { Vec::new() }, job)
            });
            self.waiting.push(Waiting { cancel, thread });
        }
    }

    /// The load has ended: cuts off what is under way. The marks of all that began, in order of time.
    pub(crate) fn end(self) -> Vec<Mark> {
        self.over.request();
        let (cancels, threads): (Vec<_>, Vec<_>) =
            self.waiting.into_iter().map(|waiting| (waiting.cancel, waiting.thread)).unzip();
        drop(cancels);
        let marks = threads.into_iter().filter_map(|thread| Some(thread.join().ok()?.0));
        let mut marks: Vec<Mark> = marks.flatten().collect();
        marks.sort_by(|a, b| a.at_seconds.total_cmp(&b.at_seconds));
        marks
    }
}

/// What carries an intervention out.
fn perform(
    target: &mut dyn TargetHandle,
    host: &dyn Host,
    intervention: &Intervention,
    stop: &Stop,
) -> Result<Perform, Failure> {
    let limit = intervention.timeout.unwrap_or(MAX_DURATION);
    Ok(match &intervention.act {
        Act::BackgroundWork(work) => target.background_work(*work, limit, stop)?,
        Act::Statement(sql) => {
            let (name, query) = (intervention.name.clone(), Query::Own(sql.clone()));
            let timed = TimedStatement { name, query };
            let statement = Statement {
                statements: vec![timed.clone()],
                data: None,
                timeout: limit,
                warmup_runs: 0,
                writes: true,
                beside: None,
            };
            let mut session = target.statement_session(&statement, stop)?;
            Box::new(move || session.run(&timed).map(|_| Acted::default()))
        }
        Act::Command(words) => {
            let (words, variables) = (words.clone(), target.variables());
            let mut command = host.user_command(CommandOrder { words, variables, limit }, stop)?;
            Box::new(move || Ok(Acted { began: None, note: command.run()? }))
        }
    })
}

fn carry_out(intervention: &Intervention, perform: &mut Perform, origin: Instant) -> Mark {
    let told = Instant::now();
    let done = perform();
    let ended = Instant::now();
    let began = done.as_ref().ok().and_then(|acted| acted.began).unwrap_or(told);
    let (result, note) = match done {
        Ok(acted) => (ActResult::Done, acted.note),
        Err(failure) if failure.is_stop() => (ActResult::CutOff, None),
        Err(failure) => (ActResult::Failed, Some(failure.message)),
    };
    let span = (seconds_from(origin, began), seconds_from(origin, ended));
    Mark {
        result: Some(result),
        work: match intervention.act {
            Act::BackgroundWork(work) => Some(work),
            Act::Statement(_) | Act::Command(_) => None,
        },
        note,
        ..Mark::span(&intervention.name, span.0, span.1)
    }
}

/// Finds a command of a study whose program is not there.
///
/// # Errors
/// `MissingProgram` for the first one.
pub(crate) fn check_programs(study: &Study, host: &dyn Host) -> Result<(), Failure> {
    let control = study.targets.iter().flat_map(|target| {
        let of_target = move |words: &'_ Vec<String>| {
            (format!("the replication of {}", target.name), words.clone())
        };
        control_commands(target).map(of_target)
    });
    let of_tests = study.tests.iter().flat_map(|test| test.commands());
    let of_tests = of_tests.map(|(what, words)| (what, words.to_vec()));
    let of_targets =
        study.targets.iter().filter_map(|target| Some((&target.name, target.instance()?)));
    let of_hosts = study.host_instances.iter().map(|host| (&host.name, &host.spec));
    let of_instances = of_targets.chain(of_hosts).map(|(name, spec)| {
        let of = |key: &str, words: &Vec<String>| (format!("`{key}` of {name}"), words.clone());
        [of("up", &spec.up), of("down", &spec.down)]
    });
    for (what, words) in of_tests.chain(control).chain(of_instances.flatten()) {
        let program = words.first().map_or("", String::as_str);
        if host.find_program(program).is_none() {
            return Err(Failure::new(
                FailureKind::MissingProgram,
                format!("{what} runs {program}, and there is no such program"),
                "install it, or name it by its path; a path counts from the directory in which \
                 weighin is started",
            ));
        }
    }
    Ok(())
}
