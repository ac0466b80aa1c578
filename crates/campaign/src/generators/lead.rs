//! The lead: starts the generators, lets them begin together, and puts together what they did.

use super::GENERATOR_COMMAND;
use super::process::{GeneratorMessage, listen, tell};
use super::wire::{Answer, Assignment, Order};
use crate::systems::load::PreparedLoad;
use engine::{Assembly, Clock, Nanos, Part, Progress, Stop};
use host::{Host, Weighin};
use model::{Failure, FailureKind, LoadResult};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often the lead looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// From when all are ready until all begin: time for the news to reach every thread.
const START_NOTICE: Duration = Duration::from_millis(250);
/// How long a generator may say nothing: while it has work to do it tells something every second.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);

/// Generators of one load, not begun yet. They end when this is dropped.
pub(crate) struct Generators<'a> {
    load: &'a PreparedLoad,
    crowd: GeneratorGroup,
    answers: Receiver<(u32, GeneratorMessage)>,
    assembly: Assembly,
    /// When the load starts, once that is known.
    start: Option<Nanos>,
    /// Whether they were told that enough was measured.
    told_enough: bool,
}

/// All of them; told to end together when this is dropped, and then waited for one by one.
struct GeneratorGroup(Vec<Generator>);

impl Drop for GeneratorGroup {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|generator| generator.weighin.dismiss());
    }
}

struct Generator {
    weighin: Weighin,
    ready: bool,
    done: bool,
    heard_at: Instant,
}

impl<'a> Generators<'a> {
    /// Starts so many generators on a machine, which get ready.
    ///
    /// # Errors
    /// When a process cannot be started.
    pub(crate) fn start(
        host: &dyn Host,
        load: &'a PreparedLoad,
        count: u32,
    ) -> Result<Self, Failure> {
        let (sender, answers) = channel();
        let mut crowd = GeneratorGroup(Vec::new());
        for index in 0..count {
            let weighin = host.start_weighin(GENERATOR_COMMAND);
            let mut weighin = weighin.map_err(|error| not_started(&error))?;
            if let Some(answers) = weighin.take_answers() {
                let heard = sender.clone();
                std::thread::spawn(move || listen(index, answers, &heard));
            }
            let assignment = Assignment { part: Part { index, of: count }, load };
            // One that has ended already is noticed when its answers end.
            let _ = tell(&mut weighin, &Order::Prepare(Box::new(assignment)));
            crowd.0.push(Generator {
                weighin,
                ready: false,
                done: false,
                heard_at: Instant::now(),
            });
        }
        Ok(Self {
            load,
            crowd,
            answers,
            assembly: Assembly::new(count),
            start: None,
            told_enough: false,
        })
    }

    /// The processes' numbers.
    pub(crate) fn pids(&self) -> Vec<u32> {
        self.crowd.0.iter().map(|generator| generator.weighin.pid()).collect()
    }

    /// Runs the load.
    ///
    /// # Errors
    /// When a generator could not do its part, or died or fell silent over it;
    /// [`Failure::stopped`].
    pub(crate) fn run(
        mut self,
        stop: &Stop,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<LoadResult, Failure> {
        let ready_limit = self.load.runner().ready_limit();
        let ready_by = ready_limit
            .checked_add(SILENCE_TIMEOUT)
            .and_then(|limit| Instant::now().checked_add(limit));
        while !self.assembly.is_complete() {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            match self.answers.recv_timeout(POLL_INTERVAL) {
                Ok((index, heard)) => self.take(index, heard, progress)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.assembly.look();
            self.pass_on_enough();
            match self.start {
                None if self.crowd.0.iter().all(|generator| generator.ready) => {
                    self.begin(progress)
                }
                None if ready_by.is_some_and(|by| Instant::now() > by) => {
                    let silent = self.crowd.0.iter().position(|generator| !generator.ready);
                    return Err(self.silent(silent.unwrap_or_default()));
                }
                None => {}
                Some(start) => self.check_silence(start)?,
            }
        }
        let done = self.assembly.finish(self.load.runner(), progress);
        done.map_err(|error| self.load.failure(&error))
    }

    fn take(
        &mut self,
        index: u32,
        heard: GeneratorMessage,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(), Failure> {
        let place = index as usize;
        let Some(generator) = self.crowd.0.get_mut(place) else { return Ok(()) };
        generator.heard_at = Instant::now();
        match heard {
            GeneratorMessage::Answer(Answer::Ready) => generator.ready = true,
            GeneratorMessage::Answer(Answer::Interval(ended)) => {
                self.assembly.interval(*ended, progress)
            }
            GeneratorMessage::Answer(Answer::Done(account)) => {
                generator.done = true;
                self.assembly.ended(index, *account);
            }
            GeneratorMessage::Answer(Answer::Failed(failure)) => return Err(failure),
            GeneratorMessage::End if generator.done => {}
            GeneratorMessage::End => {
                let words = generator.weighin.last_words();
                return Err(self.lost(place, &words));
            }
            GeneratorMessage::Invalid => return Err(self.lost(place, "sent an unexpected message")),
        }
        Ok(())
    }

    /// Lets all begin at the same moment.
    fn begin(&mut self, progress: &mut dyn FnMut(Progress<'_>)) {
        let start = Clock.now().plus(START_NOTICE);
        for generator in &mut self.crowd.0 {
            // One that has ended already is noticed when its answers end.
            let _ = tell(&mut generator.weighin, &Order::Start(start));
            generator.heard_at = Instant::now();
        }
        self.start = Some(start);
        self.assembly.starts(self.load.runner().schedule(), start);
        progress(Progress::Started(Clock.instant(start)));
    }

    /// Tells all when enough was measured.
    fn pass_on_enough(&mut self) {
        let enough = self.load.runner().enough().is_some_and(Stop::is_requested);
        if enough && !self.told_enough {
            self.told_enough = true;
            for generator in &mut self.crowd.0 {
                // As when they begin.
                let _ = tell(&mut generator.weighin, &Order::Enough);
            }
        }
    }

    /// Whether a generator has said nothing for too long: of its intervals while they last, and
    /// then of its end, which may take as long as the last replies may.
    fn check_silence(&self, start: Nanos) -> Result<(), Failure> {
        let load = self.load.runner();
        let end = load.schedule().window_end(start);
        for (place, generator) in self.crowd.0.iter().enumerate().filter(|(_, g)| !g.done) {
            let now = Clock.now();
            let too_late = now > end.plus(load.drain_limit() + SILENCE_TIMEOUT);
            if too_late
                || now < end && generator.heard_at.elapsed() > START_NOTICE + SILENCE_TIMEOUT
            {
                return Err(self.silent(place));
            }
        }
        Ok(())
    }

    fn silent(&self, place: usize) -> Failure {
        self.lost(place, &format!("sent nothing for {} s", SILENCE_TIMEOUT.as_secs()))
    }

    /// That a generator was lost, and how.
    fn lost(&self, place: usize, how: &str) -> Failure {
        let pid = self.crowd.0.get(place).map_or(0, |generator| generator.weighin.pid());
        let when = self.start.map_or("before the load began".to_owned(), |start| {
            format!("{:.1} s into the load", Clock.now().since(start).as_secs_f64())
        });
        Failure::new(
            FailureKind::Other,
            format!(
                "load generator {} of {} (process {pid}) {how}, {when}",
                place + 1,
                self.crowd.0.len()
            ),
            "see in the system’s log (dmesg) whether memory ran out, or run fewer generators",
        )
    }
}

fn not_started(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("cannot start a load generator: {error}"),
        "check the limit on processes (ulimit -u) and the memory that is free",
    )
}
