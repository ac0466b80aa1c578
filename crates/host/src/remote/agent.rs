//! The agent: weighin on another machine, which does there what its lead asks.

use super::channel::read_line;
use super::held;
use super::held::{Held, unknown, value};
use super::server::HeldServers;
use super::volume::HeldVolumes;
use super::wire::{
    Commanded, FromAgent, HELLO, Hello, LONGEST_LINE, Options, Order, ToAgent, line, pieces,
};
use crate::local::this_machine;
use crate::question::{Asker, Heard, Host, KeptInstance, SamplerOptions, Scope, Watch, Weighin};
use engine::Clock;
use model::{Failure, FailureKind, Stop};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

/// How long the lead may be silent: it says something twice a second.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(3);
/// How often it is looked whether it is.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Furthest that a load may begin from now on.
const FURTHEST: Duration = Duration::from_secs(365 * 86_400);

/// Longest line that a process of weighin says, in bytes: an account has a few histograms, of at most
/// 200 kB each.
const LONGEST_SAID: usize = 64 << 20;

/// Orders that an agent carries out at a time, processes of weighin and watches that it has.
const MOST_ORDERS: usize = 64;
const MOST_PROCESSES: usize = model::Load::MAX_LOAD_GENERATORS as usize;
const MOST_WATCHES: usize = 16;
const MOST_INSTANCES: usize = 64;
/// Lines of a user's command that the lead is told, the last ones.
const MOST_LINES: usize = 40;

/// What an agent may be asked.
#[derive(Clone, Copy, Debug)]
pub enum Duty {
    /// All that a lead asks, which has a login to the machine anyway.
    Anything,
    /// What a machine is asked that makes load: what it is, to be watched as a whole, and to start
    /// weighin with that hidden command.
    Load { generator: &'static str },
}

impl Duty {
    fn permits(self, order: &Order) -> bool {
        let Self::Load { generator } = self else { return true };
        match order {
            Order::Question(question) => question.asker() == Asker::Anyone,
            Order::EndWatch { .. } => true,
            Order::Watch(scope) => *scope == Scope::default(),
            Order::Sample { options, .. } => {
                let Options { server_pid, replica_pids, .. } = options;
                server_pid.is_none() && replica_pids.is_empty()
            }
            Order::StartWeighin(command) => command == generator,
            Order::KeepInstance(_)
            | Order::BringUp { .. }
            | Order::TakeDown { .. }
            | Order::LetGo { .. }
            | Order::Server(_)
            | Order::Volume(_) => false,
        }
    }
}

/// Does what a lead asks that writes to `orders` and reads `answers`, until it is gone or has been
/// silent for 3 s. What was begun ends then, or with the process.
///
/// # Errors
/// When nobody reads the first line.
pub fn serve(
    orders: impl BufRead + Send + 'static,
    mut answers: impl Write + Send + 'static,
    duty: Duty,
) -> Result<(), Failure> {
    let hello = serde_json::to_string(&Hello::own()).unwrap_or_default();
    let said = writeln!(answers, "{HELLO}{hello}").and_then(|()| answers.flush());
    said.map_err(|error| {
        let remedy = "an agent is started by weighin itself, for a target with `ssh`";
        Failure::new(
            FailureKind::Other,
            format!("the agent has nobody to talk to: {error}"),
            remedy,
        )
    })?;
    let agent = Arc::new(Agent {
        host: this_machine(),
        duty,
        answers: Mutex::new(Box::new(answers)),
        watches: Held::new("watch", MOST_WATCHES),
        processes: Held::new("process", MOST_PROCESSES),
        instances: Held::new("instance", MOST_INSTANCES),
        servers: HeldServers::default(),
        volumes: HeldVolumes::default(),
        stops: Mutex::default(),
    });
    let (heard, hears) = channel();
    let listener = Arc::clone(&agent);
    // Not waited for: where the lead is silent and its channel open, it ends with the channel.
    thread::spawn(move || {
        let mut orders = orders;
        while let Ok(Some(line)) = read_line(&mut orders, LONGEST_LINE) {
            listener.hear(&line);
            if heard.send(()).is_err() {
                return;
            }
        }
    });
    // Until it is silent or gone. A machine that was held up for longer has not listened.
    let mut silent = Duration::ZERO;
    while silent < SILENCE_TIMEOUT {
        match hears.recv_timeout(POLL_INTERVAL) {
            Ok(()) => silent = Duration::ZERO,
            Err(RecvTimeoutError::Timeout) => silent += POLL_INTERVAL,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    held(&agent.stops).values().for_each(Stop::request);
    agent.processes.for_each(|process| process.weighin.dismiss());
    agent.watches.end();
    agent.processes.end();
    // Those that are up are taken down by their keepers.
    agent.instances.end();
    agent.servers.end();
    agent.volumes.end();
    Ok(())
}

struct Agent {
    host: Arc<dyn Host>,
    duty: Duty,
    answers: Mutex<Box<dyn Write + Send>>,
    /// `None` where one is being ended.
    watches: Held<Option<Box<dyn Watch>>>,
    /// Of weighin, which end with this one.
    processes: Held<Started>,
    /// What commands of the user provision.
    instances: Held<Box<dyn KeptInstance>>,
    servers: HeldServers,
    volumes: HeldVolumes,
    /// Of orders that are being carried out.
    stops: Mutex<HashMap<u64, Stop>>,
}

/// A process of weighin.
struct Started {
    weighin: Box<dyn Weighin>,
    /// What it is told at each beat.
    at_beats: Option<String>,
}

impl Agent {
    fn hear(self: &Arc<Self>, text: &[u8]) {
        match serde_json::from_slice(text) {
            Ok(ToAgent::Beat(number)) => {
                let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let unix_nanos = unix.unwrap_or_default().as_nanos().try_into().unwrap_or(u64::MAX);
                self.say(&FromAgent::Beat { number, clock: Clock.now(), unix_nanos });
                self.processes.for_each(|process| {
                    if let Some(text) = &process.at_beats {
                        // One that has ended says so by itself.
                        let _ = process.weighin.tell(text);
                    }
                });
            }
            Ok(ToAgent::Ask { number, order }) => self.ask(number, order),
            Ok(ToAgent::Tell { process, text }) => {
                // As above.
                let _ = self.processes.with(process, |told| Ok(told.weighin.tell(&text)));
            }
            Ok(ToAgent::TellAtBeats { process, text }) => {
                let _ = self.processes.with(process, |told| {
                    told.at_beats = Some(text);
                    Ok(())
                });
            }
            Ok(ToAgent::Dismiss(process)) => {
                // Waits for its end, and kills it where that does not come.
                let dismissed = self.processes.take(process);
                thread::spawn(move || drop(dismissed));
            }
            Ok(ToAgent::Cancel(number)) => {
                if let Some(stop) = held(&self.stops).get(&number) {
                    stop.request();
                }
            }
            // A lead of another version would have refused this one.
            Err(_) => {}
        }
    }

    fn ask(self: &Arc<Self>, number: u64, order: Order) {
        let stop = Stop::default();
        let mut stops = held(&self.stops);
        if stops.len() >= MOST_ORDERS {
            drop(stops);
            let result = Err(unknown("it is asked too much at a time"));
            return self.say(&FromAgent::Answer { number, result });
        }
        stops.insert(number, stop.clone());
        drop(stops);
        let agent = Arc::clone(self);
        thread::spawn(move || {
            let result = agent.carry_out(number, order, &stop);
            held(&agent.stops).remove(&number);
            agent.say(&FromAgent::Answer { number, result });
        });
    }

    fn say(&self, message: &FromAgent) {
        let Ok(line) = line(message) else { return };
        let mut answers = held(&self.answers);
        // A lead that is gone is noticed when its orders end.
        let _ = answers.write_all(&line).and_then(|()| answers.flush());
    }

    /// Passes on a line that a process says, or its end.
    fn pass_on(&self, process: u64, heard: Heard<'_>) -> bool {
        if let Heard::Line(line) = heard {
            for text in pieces(&(String::from_utf8_lossy(line) + "\n")) {
                self.say(&FromAgent::Said { process, text: text.to_owned() });
            }
            return true;
        }
        let ended = self.processes.take(process);
        let how = ended.map_or_else(String::new, |ended| held(&ended).weighin.last_words());
        self.say(&FromAgent::Ended { process, how });
        false
    }

    /// Those of these processes that were started for the lead, where it may ask for no others.
    fn own(&self, pids: Vec<u32>) -> Vec<u32> {
        let Duty::Load { .. } = self.duty else { return pids };
        let mut own = Vec::new();
        self.processes.for_each(|process| own.push(process.weighin.pid()));
        pids.into_iter().filter(|pid| own.contains(pid)).collect()
    }

    /// Has a command of the user run.
    fn command(
        &self,
        instance: u64,
        run: impl FnOnce(&mut dyn KeptInstance, &mut dyn FnMut(&str)) -> Result<String, Failure>,
    ) -> Result<Value, Failure> {
        let mut said = VecDeque::new();
        let commanded: Commanded = self.instances.with(instance, |kept| {
            let ended = run(kept.as_mut(), &mut |line| {
                said.push_back(line.to_owned());
                if said.len() > MOST_LINES {
                    said.pop_front();
                }
            });
            Ok((ended, said.into()))
        })?;
        value(commanded)
    }

    fn carry_out(
        self: &Arc<Self>,
        number: u64,
        order: Order,
        stop: &Stop,
    ) -> Result<Value, Failure> {
        let host = &self.host;
        if !self.duty.permits(&order) {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                "the agent makes loads, and does nothing else",
                "reach the machine over SSH for what it was asked",
            ));
        }
        match order {
            Order::Question(question) => {
                let answer = host.carry(question, Some(stop))?;
                answer.json().map_err(|error| unknown(&error.to_string()))
            }
            Order::Watch(scope) => {
                let watch = host.watch(&scope)?;
                self.watches.hold(number, Some(watch))?;
                value(())
            }
            Order::Sample { watch, options } => {
                let now = Clock.now();
                if options.origin > now.plus(FURTHEST) || now > options.origin.plus(FURTHEST) {
                    return Err(unknown("a load that begins in another year"));
                }
                let agent = Arc::clone(self);
                let companions = self.own(options.companions);
                let options = SamplerOptions {
                    every: options.every,
                    origin: Clock.instant(options.origin),
                    measured: options.measured,
                    server_pid: options.server_pid,
                    replica_pids: options.replica_pids,
                    proxy_pid: None,
                    companions,
                    processors: None,
                    counters: None,
                    on_sample: Some(Box::new(move |sample| {
                        let sample = Box::new(sample.clone());
                        agent.say(&FromAgent::Sample { watch, sample });
                    })),
                };
                self.watches.with(watch, |watched| {
                    let watched = watched.as_mut().ok_or_else(|| unknown("the watch has ended"))?;
                    watched.sample(options);
                    value(())
                })
            }
            Order::EndWatch { watch } => {
                let watched = self.watches.take(watch).and_then(|watched| held(&watched).take());
                let watched = watched.ok_or_else(|| unknown("there is no watch"))?.end()?;
                // The samples have been told one by one.
                value((watched.account, watched.space))
            }
            Order::StartWeighin(command) => {
                let mut weighin = host.start_weighin(&command)?;
                let (pid, answers) = (weighin.pid(), weighin.take_answers());
                let started = Started { weighin, at_beats: None };
                self.processes.hold(number, started)?;
                if let Some(answers) = answers {
                    let agent = Arc::clone(self);
                    answers.hear(LONGEST_SAID, move |heard| agent.pass_on(number, heard));
                }
                value(pid)
            }
            Order::KeepInstance(order) => {
                let instance = host.keep_instance(order)?;
                self.instances.hold(number, instance)?;
                value(())
            }
            Order::BringUp { instance } => self.command(instance, |kept, said| kept.up(stop, said)),
            Order::TakeDown { instance } => {
                self.command(instance, |kept, said| kept.down(said).map(|()| String::new()))
            }
            Order::Server(order) => self.servers.carry_out(host.as_ref(), number, order, stop),
            Order::LetGo { instance } => {
                drop(self.instances.take(instance));
                value(())
            }
            Order::Volume(order) => {
                let tell = |done, of| self.say(&FromAgent::Progress { number, done, of });
                self.volumes.carry_out(host.as_ref(), number, order, stop, &tell)
            }
        }
    }
}
