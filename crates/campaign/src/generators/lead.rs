//! The lead: starts the generators, lets them begin together, and puts together what they did.

use super::allowance::{Kept, Unread};
use super::process::{GeneratorMessage, listen, tell, tell_at_beats};
use super::wire::{Answer, Assignment, Instruction};
use super::{GENERATOR_COMMAND, REMOTE_GENERATOR_COMMAND};
use crate::together::{Member, start_notice};
use engine::{Assembly, Clock, Nanos, OVERDUE, Part, Progress, RunLoad, Stop, Timing};
use host::{Host, ProcessorSet, Weighin};
use model::{Failure, FailureKind, LoadResult, ReadLimit};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use system::at_once;
use system::load::PreparedLoad;

/// How often the lead looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long a generator may say nothing: while it has work to do it tells something every second.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);
/// What a generator has done that says more than any load has to say.
const TOO_MUCH: &str = "sent more than the account of any load takes";
/// How many answers are taken in before the lead looks again whether it is to stop.
const MOST_AT_ONCE: usize = 1_000;

/// Processes of weighin that make a load together with this one, or in its place.
#[derive(Clone, Debug, Default)]
pub struct GeneratorProcesses {
    pub here: Vec<u32>,
    /// On each of the other machines that make the load.
    pub elsewhere: Vec<Vec<u32>>,
}

/// Generators of one load, not begun yet. They end when this is dropped.
pub(crate) struct Generators<'a> {
    load: &'a PreparedLoad,
    crowd: GeneratorGroup,
    answers: Receiver<(u32, GeneratorMessage)>,
    assembly: Assembly,
    kept: Kept,
    /// When the load starts, once that is known.
    start: Option<Nanos>,
    /// How many are ready.
    ready: usize,
    /// When it is looked next whether one is silent.
    look: Instant,
    /// Whether they were told that enough was measured.
    told_enough: bool,
    /// How many other machines there are.
    elsewhere: usize,
    /// The machine that leads.
    host: &'a dyn Host,
    /// From when all are ready until they begin.
    notice: Duration,
    /// The loads that begin at the same moment.
    together: Option<Member>,
}

/// All of them; told to end together when this is dropped, and then waited for one by one.
struct GeneratorGroup(Vec<Generator>);

impl Drop for GeneratorGroup {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|generator| generator.weighin.dismiss());
    }
}

struct Generator {
    weighin: Box<dyn Weighin>,
    is_ready: bool,
    done: bool,
    heard_at: Instant,
    intervals: u32,
    unread: Unread,
}

impl<'a> Generators<'a> {
    /// Starts so many generators, which get ready: on this machine, there on `processors` where these are
    /// theirs, or in turns on the others where there are any.
    ///
    /// # Errors
    /// When a process cannot be started, or a machine does not answer.
    pub(crate) fn start(
        host: &'a dyn Host,
        others: &[Arc<dyn Host>],
        load: &'a PreparedLoad,
        count: u32,
        processors: Option<&ProcessorSet>,
    ) -> Result<Self, Failure> {
        let hosts =
            if others.is_empty() { vec![host] } else { others.iter().map(Arc::as_ref).collect() };
        let (elsewhere, machines) = (others.len(), hosts.len() as u32);
        // One on volumes is made only over SSH, by an agent that may do all that the login there may.
        let command = match elsewhere {
            0 => GENERATOR_COMMAND,
            _ if load.is_of_volumes() => GENERATOR_COMMAND,
            _ => REMOTE_GENERATOR_COMMAND,
        };
        let (sender, answers) = channel();
        let unread = Unread::for_generators(count);
        let mut crowd = GeneratorGroup(Vec::new());
        let placed = (0..count).zip(hosts.iter().cycle()).map(|(_, host)| *host).collect();
        // Others are asked what time it is first, which takes a second where they are far away.
        let started = at_once(placed, |host: &dyn Host| host.start_weighin(command));
        let started: Vec<_> = started.into_iter().collect::<Result<_, _>>()?;
        let far = started.iter().map(|weighin| weighin.round_trip()).max().unwrap_or_default();
        // Before they count their processors.
        for (set, weighin) in processors.iter().cycle().zip(&started) {
            set.add(weighin.pid())?;
        }
        for (index, mut weighin) in (0..count).zip(started) {
            let unread = unread.beside();
            if let Some(answers) = weighin.take_answers() {
                listen(index, answers, unread.clone(), &sender);
            }
            let beside = (count - index % machines).div_ceil(machines);
            let assignment = Assignment { part: Part { index, of: count, beside }, load };
            // One that has ended already is noticed when its answers end.
            let _ = tell(weighin.as_mut(), &Instruction::Prepare(Box::new(assignment)));
            if elsewhere > 0 {
                // As above.
                let _ = tell_at_beats(weighin.as_mut(), &Instruction::Beat);
            }
            crowd.0.push(Generator {
                weighin,
                is_ready: false,
                done: false,
                heard_at: Instant::now(),
                intervals: 0,
                unread,
            });
        }
        let mut assembly = Assembly::new(count);
        assembly.is_elsewhere(others.iter().map(|host| host.name().to_owned()).collect());
        Ok(Self {
            load,
            crowd,
            answers,
            assembly,
            kept: Kept::up_to(ReadLimit::BYTES),
            start: None,
            ready: 0,
            look: Instant::now(),
            told_enough: false,
            elsewhere,
            host,
            notice: start_notice(far),
            together: None,
        })
    }

    /// They begin together with others, where there are any.
    pub(crate) fn beginning_with(self, together: Option<Member>) -> Self {
        Self { together, ..self }
    }

    /// They may have so many bytes kept beyond what is honest.
    #[cfg(test)]
    pub(super) fn keeping(self, bytes: u64) -> Self {
        Self { kept: Kept::up_to(bytes), ..self }
    }

    /// The numbers of the processes.
    pub(crate) fn processes(&self) -> GeneratorProcesses {
        let pids = self.crowd.0.iter().map(|generator| generator.weighin.pid());
        let on = |host| pids.clone().skip(host).step_by(self.elsewhere.max(1)).collect();
        match self.elsewhere {
            0 => GeneratorProcesses { here: on(0), ..GeneratorProcesses::default() },
            hosts => GeneratorProcesses {
                elsewhere: (0..hosts).map(on).collect(),
                ..GeneratorProcesses::default()
            },
        }
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
        let ready_limit = self.load.runner().timing().ready_limit;
        let ready_by = ready_limit
            .checked_add(SILENCE_TIMEOUT)
            .and_then(|limit| Instant::now().checked_add(limit));
        let mut said_waiting = false;
        while !self.assembly.is_complete() {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            if let Ok((index, heard)) = self.answers.recv_timeout(POLL_INTERVAL) {
                self.take(index, heard, progress)?;
                // What follows looks at all of them.
                for _ in 1..MOST_AT_ONCE {
                    let Ok((index, heard)) = self.answers.try_recv() else { break };
                    self.take(index, heard, progress)?;
                }
            }
            self.assembly.look();
            self.pass_on_enough();
            match self.start {
                None if self.ready == self.crowd.0.len() => {
                    if let Some(start) = self.agreed_start() {
                        self.begin(start, progress);
                    }
                }
                None if ready_by.is_some_and(|by| Instant::now() > by) => {
                    let silent = self.crowd.0.iter().position(|generator| !generator.is_ready);
                    return Err(self.silent(silent.unwrap_or_default(), SILENCE_TIMEOUT));
                }
                None => {}
                Some(start) if Instant::now() >= self.look => {
                    self.look = Instant::now() + POLL_INTERVAL;
                    self.check_silence(start)?;
                    let timing = self.load.runner().timing();
                    let overdue = timing.schedule.last_begin(start).plus(OVERDUE);
                    if !said_waiting && Clock.now() >= overdue {
                        said_waiting = true;
                        progress(Progress::Waiting(timing.drain_limit));
                    }
                }
                Some(_) => {}
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
        let answer = match heard {
            GeneratorMessage::Said(line) => {
                let bytes = line.len() as u64;
                generator.unread.give_back(bytes);
                let read = || Answer::read(&line, self.load.runner());
                match self.kept.read(bytes, read) {
                    Ok(answer) => answer,
                    Err(_) => return Err(self.lost(place, TOO_MUCH)),
                }
            }
            GeneratorMessage::Flood => return Err(self.lost(place, TOO_MUCH)),
            GeneratorMessage::End if generator.done => return Ok(()),
            GeneratorMessage::End => {
                if let Some(lost) = generator.weighin.lost() {
                    return Err(lost);
                }
                let words = generator.weighin.last_words();
                return Err(self.lost(place, &words));
            }
        };
        match answer {
            Some(Answer::Ready) => {
                self.ready += usize::from(!generator.is_ready);
                generator.is_ready = true;
            }
            Some(Answer::Interval(ended)) => {
                generator.intervals += 1;
                if generator.intervals > self.most_intervals() {
                    return Err(self.lost(place, "sent more intervals than have passed"));
                }
                self.assembly.interval(*ended, progress)
            }
            Some(Answer::Done(account)) => {
                generator.done = true;
                self.assembly.ended(index, *account);
            }
            Some(Answer::Failed(failure)) => return Err(failure),
            None => return Err(self.lost(place, "sent an unexpected message")),
        }
        Ok(())
    }

    /// When all begin, now that they are ready; `None` while others are waited for.
    fn agreed_start(&self) -> Option<Nanos> {
        match &self.together {
            Some(member) => member.start(self.host.time(), self.notice),
            None => Some(Clock.now().plus(self.notice)),
        }
    }

    /// Lets all begin at the same moment.
    fn begin(&mut self, start: Nanos, progress: &mut dyn FnMut(Progress<'_>)) {
        for generator in &mut self.crowd.0 {
            let there = generator.weighin.there(Clock.instant(start));
            // One that has ended already is noticed when its answers end.
            let _ = tell(generator.weighin.as_mut(), &Instruction::Start(there));
            generator.heard_at = Instant::now();
        }
        self.start = Some(start);
        self.assembly.starts(self.load.runner().timing().schedule, start);
        progress(Progress::Started(Clock.instant(start)));
    }

    /// Tells all when enough was measured.
    fn pass_on_enough(&mut self) {
        let enough = self.load.runner().timing().enough.is_some_and(Stop::is_requested);
        if enough && !self.told_enough {
            self.told_enough = true;
            for generator in &mut self.crowd.0 {
                // As when they begin.
                let _ = tell(generator.weighin.as_mut(), &Instruction::Enough);
            }
        }
    }

    /// More than one a second, and some at the edges of phases, cannot have ended.
    fn most_intervals(&self) -> u32 {
        let elapsed = self.start.map_or(Duration::ZERO, |start| Clock.now().since(start));
        u32::try_from(elapsed.as_secs()).map_or(u32::MAX, |seconds| seconds.saturating_add(20))
    }

    fn check_silence(&self, start: Nanos) -> Result<(), Failure> {
        for (place, generator) in self.crowd.0.iter().enumerate().filter(|(_, g)| !g.done) {
            let unheard = generator.heard_at.elapsed().saturating_sub(self.notice);
            if let Some(limit) = too_silent(self.load.runner(), start, Clock.now(), unheard) {
                return Err(self.silent(place, limit));
            }
        }
        Ok(())
    }

    fn silent(&self, place: usize, limit: Duration) -> Failure {
        self.lost(place, &format!("sent nothing for {} s", limit.as_secs()))
    }

    /// That a generator was lost, and how.
    fn lost(&self, place: usize, how: &str) -> Failure {
        let pid = self.crowd.0.get(place).map_or(0, |generator| generator.weighin.pid());
        let on =
            self.assembly.host_of(place as u32).map_or(String::new(), |on| format!(" on {on}"));
        let when = self.start.map_or("before the load began".to_owned(), |start| {
            format!("{:.1} s into the load", Clock.now().since(start).as_secs_f64())
        });
        Failure::new(
            FailureKind::Other,
            format!(
                "load generator {} of {} (process {pid}{on}) {how}, {when}",
                place + 1,
                self.crowd.0.len()
            ),
            "see in the system’s log (dmesg) whether memory ran out, or run fewer generators",
        )
    }
}

/// The limit that a generator of a load that began at `start` has passed, unheard for so long: of its
/// intervals while they last, and then of its end, which may take as long as the last replies and the end
/// of its connections may.
pub(super) fn too_silent(
    load: &dyn RunLoad,
    start: Nanos,
    now: Nanos,
    unheard: Duration,
) -> Option<Duration> {
    let Timing { schedule, drain_limit, goodbye_limit, .. } = load.timing();
    let end = schedule.window_end(start);
    // Nobody knows when a fixed amount of work is done: who is silent may be at its end.
    let goes_on = now < schedule.last_begin(start) && schedule.events().is_none();
    let limit = SILENCE_TIMEOUT
        + schedule.longest_pause()
        + if goes_on { Duration::ZERO } else { goodbye_limit };
    let latest = end.plus(drain_limit + goodbye_limit + SILENCE_TIMEOUT);
    (now > latest || now < end && unheard > limit).then_some(limit)
}
