//! The lead's end of the channel to an agent: questions and answers, beats, and the clock.
//!
//! Nothing that the agent says is trusted: a line has a length, an answer a time and a form, samples
//! come no more often than they were asked for, and whatever is otherwise ends the channel.

mod asking;

use super::clock::RoundTrip;
use super::held;
use super::keep_alive::{self, KeptAlive};
use super::link::{Connection, Link};
use super::wire::{FromAgent, LONGEST_LINE, Options, Order, ToAgent, line};
use crate::question::{Heard, Lines, Mouthpiece};
use engine::{Clock, Nanos};
use model::{Failure, FailureKind, LONGEST_TIME, Sample, Stop};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How often a wait looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Round trips of one reading of the clock, and the time that they may take together.
const ROUND_TRIPS: usize = 24;
const ROUND_TRIPS_LIMIT: Duration = Duration::from_secs(1);

/// Bytes of a sample; that of a machine with a thousand disks is shorter.
const LONGEST_SAMPLE: usize = 256 << 10;
/// Bytes of all samples of a watch, which are kept in memory: those of a thousand disks, one a
/// second for an hour, are fewer.
const LONGEST_WATCH: usize = 1 << 30;
/// Bytes that a process may say before anybody hears it.
const MOST_WAITING: usize = 1 << 20;

/// The samples of a watch.
#[derive(Default)]
struct Stream {
    samples: Vec<Sample>,
    /// Of their messages.
    bytes: usize,
    every: Duration,
    /// When they were asked for.
    began: Option<Instant>,
    /// Requested when the machine is lost.
    stop: Option<Stop>,
}

impl Stream {
    /// More than that cannot have been taken, with the edges of the measured phase.
    fn most(&self) -> f64 {
        let elapsed = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        1.5 * elapsed / self.every.as_secs_f64().max(0.01) + 20.0
    }

    /// Keeps a sample that came as a message of so many bytes.
    ///
    /// # Errors
    /// Why it cannot be one, in words that follow the other's name.
    fn keep(&mut self, sample: Sample, length: usize) -> Result<(), String> {
        if self.samples.len() as f64 > self.most() {
            return Err("sent more samples than it was asked for".to_owned());
        }
        if length > LONGEST_SAMPLE {
            return Err(format!("sent a sample of more than {LONGEST_SAMPLE} bytes"));
        }
        if sample.length > LONGEST_TIME || !sample.at_seconds.is_finite() {
            return Err("sent a sample of a time that cannot be".to_owned());
        }
        self.bytes += length;
        if self.bytes > LONGEST_WATCH {
            return Err(format!("sent samples of more than {LONGEST_WATCH} bytes together"));
        }
        self.samples.push(Sample { counters: None, ..sample });
        Ok(())
    }
}

/// A process of weighin there, as the channel hears it.
pub(super) struct Process {
    said: Arc<Mouthpiece>,
    how_it_ended: Arc<OnceLock<String>>,
}

impl Process {
    /// One whose words `said` passes on.
    pub(super) fn new(said: Mouthpiece, how_it_ended: Arc<OnceLock<String>>) -> Self {
        Self { said: Arc::new(said), how_it_ended }
    }

    /// Where it says something.
    fn said(&self) -> Arc<Mouthpiece> {
        Arc::clone(&self.said)
    }

    fn end(self, how: String) {
        let _ = self.how_it_ended.set(how);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.said.end();
    }
}

#[derive(Default)]
struct State {
    /// Why the channel is of no use any more.
    lost: Option<String>,
    /// Questions that wait; with the answer when it has come.
    asked: HashMap<u64, Option<Result<Value, Failure>>>,
    streams: HashMap<u64, Stream>,
    /// How far orders are, where somebody wants to know.
    progress: HashMap<u64, Option<(u64, u64)>>,
    /// What processes of weighin say, and how they ended.
    processes: HashMap<u64, Process>,
    /// Beats that were sent, and when, by the monotonic clock and the time of day.
    beats: HashMap<u64, (Nanos, u128)>,
    answered: Option<(u64, RoundTrip)>,
    next: u64,
}

struct Shared {
    /// What messages call the machine.
    name: String,
    state: Mutex<State>,
    changed: Condvar,
    connection: Box<dyn Connection>,
    /// What the agent is told; `None` when that has ended.
    orders: Mutex<Option<Box<dyn Write + Send>>>,
    /// What to do when it was lost.
    remedy: &'static str,
}

/// A channel to an agent; the agent ends when this is dropped.
pub(super) struct Channel {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Channel").field("name", &self.shared.name).finish_non_exhaustive()
    }
}

fn unix_nanos() -> u128 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos()
}

impl Channel {
    pub(super) fn open(name: &str, link: Link, remedy: &'static str) -> Self {
        let Link { orders, answers, connection } = link;
        let shared = Arc::new(Shared {
            name: name.to_owned(),
            state: Mutex::default(),
            changed: Condvar::new(),
            connection,
            orders: Mutex::new(Some(orders)),
            remedy,
        });
        let waits_in_memory = matches!(answers, Lines::Handed(_));
        let hearer = Arc::clone(&shared);
        answers.hear(LONGEST_LINE, move |heard| {
            let why = match heard {
                Heard::Line(line) => match hearer.hear(line) {
                    Ok(()) => return true,
                    Err(why) => why,
                },
                Heard::End(why) => why.unwrap_or_else(|| hearer.connection.how_it_ended()),
            };
            hearer.lose(&why);
            false
        });
        keep_alive::watch(Arc::<Shared>::clone(&shared), waits_in_memory);
        Self { shared }
    }

    /// Why it is of no use any more.
    pub(super) fn lost(&self) -> Option<Failure> {
        let state = held(&self.shared.state);
        Some(self.shared.loss(state.lost.as_deref()?))
    }

    /// Starts weighin there with a hidden command, and hears it; the number of the order, and the id of
    /// the process.
    pub(super) fn start_weighin(
        &self,
        command: &str,
        process: Process,
        limit: Duration,
        stop: &Stop,
    ) -> Result<(u64, u32), Failure> {
        let number = self.number();
        // It may speak before it is known that it was started.
        held(&self.shared.state).processes.insert(number, process);
        let order = Order::StartWeighin(command.to_owned());
        let started =
            self.send(number, order, true).and_then(|()| self.answer(number, limit, stop));
        if started.is_err() {
            self.dismiss(number);
        }
        Ok((number, started?))
    }

    /// Ends a process, unless it has ended.
    pub(super) fn dismiss(&self, process: u64) {
        if held(&self.shared.state).processes.remove(&process).is_some() {
            // A channel that is lost has ended it.
            let _ = self.tell(&ToAgent::Dismiss(process));
        }
    }

    /// Asks for something that the agent then holds under the number of the order; that number.
    pub(super) fn begin(&self, order: Order, limit: Duration, stop: &Stop) -> Result<u64, Failure> {
        self.ask_numbered::<()>(order, limit, stop).map(|(number, ())| number)
    }

    /// Lets go of what the agent holds, without an answer.
    pub(super) fn let_go(&self, order: Order) {
        // A channel that is lost has let it go.
        let _ = self.send(self.number(), order, false);
    }

    /// Has samples taken, without waiting for an answer.
    pub(super) fn sample(&self, watch: u64, options: Options) {
        let mut state = held(&self.shared.state);
        let stream = state.streams.entry(watch).or_default();
        (stream.every, stream.began) = (options.every, Some(Instant::now()));
        drop(state);
        // A channel that is lost is found to be when the watch ends.
        let _ = self.send(self.number(), Order::Sample { watch, options }, false);
    }

    /// Requests a stop when the machine is lost.
    pub(super) fn stop_when_lost(&self, watch: u64, stop: &Stop) {
        let mut state = held(&self.shared.state);
        state.streams.entry(watch).or_default().stop = Some(stop.clone());
        if state.lost.is_some() {
            stop.request();
        }
    }

    /// Ends a watch without an answer.
    pub(super) fn abandon(&self, watch: u64) {
        self.samples(watch);
        // A channel that is lost has ended it.
        let _ = self.send(self.number(), Order::EndWatch { watch }, false);
    }

    /// The samples of a watch that has ended.
    pub(super) fn samples(&self, watch: u64) -> Vec<Sample> {
        let stream = held(&self.shared.state).streams.remove(&watch);
        stream.map(|stream| stream.samples).unwrap_or_default()
    }

    /// Reads the agent's clock: what the shortest of many round trips says.
    ///
    /// # Errors
    /// `HostLost`.
    pub(super) fn clock(&self) -> Result<RoundTrip, Failure> {
        let mut shortest: Option<RoundTrip> = None;
        let began = Instant::now();
        for _ in 0..ROUND_TRIPS {
            let sent = self
                .shared
                .beat()
                .map_err(|error| self.shared.loss(&format!("listens no more: {error}")))?;
            let mut state = held(&self.shared.state);
            let trip = loop {
                // Or a beat of the keep-alive's that was sent after it.
                if let Some((_, trip)) = state.answered.filter(|(number, _)| *number >= sent) {
                    break trip;
                }
                if let Some(why) = &state.lost {
                    return Err(self.shared.loss(why));
                }
                let waited = self.shared.changed.wait_timeout(state, POLL_INTERVAL);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            };
            if shortest.is_none_or(|shortest| trip.took < shortest.took) {
                shortest = Some(trip);
            }
            if began.elapsed() > ROUND_TRIPS_LIMIT {
                break;
            }
        }
        shortest.ok_or_else(|| self.shared.loss("did not say what time it is"))
    }

    /// A number that no order has yet.
    fn number(&self) -> u64 {
        let mut state = held(&self.shared.state);
        state.next += 1;
        state.next
    }

    fn send(&self, number: u64, order: Order, waits: bool) -> Result<(), Failure> {
        if waits {
            held(&self.shared.state).asked.insert(number, None);
        }
        let told = self.tell(&ToAgent::Ask { number, order });
        told.map_err(|error| {
            let state = held(&self.shared.state);
            let why = state.lost.clone().unwrap_or_else(|| format!("listens no more: {error}"));
            self.shared.loss(&why)
        })
    }

    pub(super) fn tell(&self, message: &ToAgent) -> io::Result<()> {
        self.shared.tell(message)
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        *held(&self.shared.orders) = None;
        self.shared.connection.end();
    }
}

impl Shared {
    fn tell(&self, message: &ToAgent) -> io::Result<()> {
        let mut orders = held(&self.orders);
        let orders = orders.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        orders.write_all(&line(message)?)?;
        orders.flush()
    }

    fn loss(&self, why: &str) -> Failure {
        Failure::new(
            FailureKind::HostLost,
            format!("the agent on {} {why}", self.name),
            self.remedy,
        )
    }

    /// Notes why the channel is of no use any more, the first time, and cuts the link.
    fn lose(&self, why: &str) {
        let mut state = held(&self.state);
        if state.lost.is_none() {
            state.lost = Some(why.to_owned());
            state.streams.values().filter_map(|s| s.stop.as_ref()).for_each(Stop::request);
        }
        // Nobody says anything any more.
        let processes = std::mem::take(&mut state.processes);
        drop(state);
        drop(processes);
        self.changed.notify_all();
        self.connection.cut();
    }

    /// Takes a line of the agent's.
    ///
    /// # Errors
    /// Why it is none.
    fn hear(&self, line: &[u8]) -> Result<(), String> {
        let arrived = Clock.now();
        let Ok(said) = serde_json::from_slice::<FromAgent>(line) else {
            return Err("sent something that is no message".to_owned());
        };
        let mut state = held(&self.state);
        match said {
            FromAgent::Beat { number, clock, unix_nanos } => {
                let Some((sent, unix_sent)) = state.beats.remove(&number) else {
                    return Err("answered what it was not asked".to_owned());
                };
                let took = arrived.since(sent);
                let half = took.as_nanos() as i128 / 2;
                let trip = RoundTrip {
                    took,
                    clock_ahead: i128::from(clock.0) - (i128::from(sent.0) + half),
                    time_ahead: i128::from(unix_nanos) - (unix_sent as i128 + half),
                };
                state.answered = Some((number, trip));
            }
            FromAgent::Answer { number, result } => {
                // An answer that nobody waits for any more is dropped.
                if let Some(answer) = state.asked.get_mut(&number) {
                    *answer = Some(result);
                }
            }
            FromAgent::Progress { number, done, of } => {
                if let Some(told) = state.progress.get_mut(&number) {
                    *told = Some((done, of));
                }
            }
            FromAgent::Said { process, text } => {
                let said = state.processes.get(&process).map(Process::said);
                // Others are not held up by who hears it.
                drop(state);
                if let Some(said) = said
                    && !said.say(text.as_bytes(), MOST_WAITING)
                {
                    // Nobody wants to hear more of it.
                    held(&self.state).processes.remove(&process);
                }
                return Ok(());
            }
            FromAgent::Ended { process, how } => {
                let ended = state.processes.remove(&process);
                drop(state);
                if let Some(process) = ended {
                    process.end(how);
                }
                return Ok(());
            }
            FromAgent::Sample { watch, sample } => {
                if let Some(stream) = state.streams.get_mut(&watch) {
                    stream.keep(*sample, line.len())?;
                }
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }
}

impl KeptAlive for Shared {
    fn is_alive(&self) -> bool {
        held(&self.state).lost.is_none()
    }

    fn beat(&self) -> io::Result<u64> {
        let mut state = held(&self.state);
        state.next += 1;
        let number = state.next;
        state.beats.insert(number, (Clock.now(), unix_nanos()));
        drop(state);
        self.tell(&ToAgent::Beat(number))?;
        Ok(number)
    }

    fn silence(&self) -> Duration {
        let state = held(&self.state);
        let waiting = state.beats.values().map(|(sent, _)| *sent).min();
        waiting.map_or(Duration::ZERO, |sent| Clock.now().since(sent))
    }

    fn lose_silent(&self, silent: Duration) {
        let why = self.connection.why_silent().map_or(String::new(), |why| format!(": {why}"));
        self.lose(&format!("was silent for {:.1} s{why}", silent.as_secs_f64()));
    }
}

/// The next line, without its end; `None` at the end of everything.
///
/// # Errors
/// Why there is none: it is too long, or cannot be read.
pub(super) fn read_line(
    from: &mut impl BufRead,
    longest: usize,
) -> Result<Option<Vec<u8>>, String> {
    let mut line = Vec::new();
    let read = from.by_ref().take(longest as u64 + 1).read_until(b'\n', &mut line);
    read.map_err(|error| format!("cannot be heard: {error}"))?;
    match line.pop() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line)),
        Some(_) if line.len() >= longest => {
            Err(format!("sent a line of more than {longest} bytes"))
        }
        // The end of a message that was cut off.
        Some(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_keeps_as_many_and_as_long_samples_as_there_can_be() {
        let stream = |began| Stream { every: Duration::from_secs(1), began, ..Stream::default() };
        let refused = |stream: &mut Stream, sample: Sample, length, words: &str| {
            let why = stream.keep(sample, length).expect_err(words);
            assert!(why.contains(words), "{why}");
        };
        let mut flooded = stream(Some(Instant::now()));
        // By the next one there may be time for more.
        let why = (0..10_000).find_map(|_| flooded.keep(Sample::default(), 1).err());
        let (why, kept) = (why.unwrap(), flooded.samples.len());
        assert!(why.contains("more samples than"), "{why}");
        assert!((20..1_000).contains(&kept), "{kept}");

        let mut one = stream(None);
        refused(&mut one, Sample::default(), LONGEST_SAMPLE + 1, "262144 bytes");
        let late = Sample { length: LONGEST_TIME * 2, ..Sample::default() };
        refused(&mut one, late, 1, "a time that cannot be");
        let never = Sample { at_seconds: f64::NAN, ..Sample::default() };
        refused(&mut one, never, 1, "a time that cannot be");
        assert!(one.samples.is_empty() && one.bytes == 0);

        one.bytes = LONGEST_WATCH - 10;
        assert_eq!(one.keep(Sample::default(), 10), Ok(()));
        refused(&mut one, Sample::default(), 1, "together");
    }
}
