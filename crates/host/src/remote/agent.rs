//! The agent: weighin on another machine, which does there what its lead asks.

use super::channel::read_line;
use super::held;
use super::server::HeldServers;
use super::volume::HeldVolumes;
use super::wire::{
    Commanded, FromAgent, HELLO, Hello, LONGEST_LINE, Options, Order, ToAgent, line, pieces,
};
use crate::local::this_machine;
use crate::question::{Heard, Host, KeptInstance, SamplerOptions, Scope, Watch, Weighin};
use engine::Clock;
use model::{Failure, FailureKind, Stop};
use serde::Serialize;
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
            Order::Facts
            | Order::Processors
            | Order::IsRoot
            | Order::OpenFiles
            | Order::Boot
            | Order::EndWatch { .. }
            | Order::CheckConnection(_) => true,
            Order::Watch(scope) => *scope == Scope::default(),
            Order::Sample { options, .. } => {
                let Options { server_pid, replica_pids, .. } = options;
                server_pid.is_none() && replica_pids.is_empty()
            }
            Order::StartWeighin(command) => command == generator,
            Order::DiskCounters
            | Order::CheckCaches
            | Order::DropCaches
            | Order::Space(_)
            | Order::FindProgram(_)
            | Order::RunningServer(..)
            | Order::KeepInstance(_)
            | Order::BringUp { .. }
            | Order::TakeDown { .. }
            | Order::LetGo { .. }
            | Order::Server(_)
            | Order::CheckProcessors(_)
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
        watches: Mutex::new(Some(HashMap::new())),
        processes: Mutex::new(Some(HashMap::new())),
        instances: Mutex::new(Some(HashMap::new())),
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
    let watches = held(&agent.watches).take();
    let mut processes = held(&agent.processes).take().unwrap_or_default();
    processes.values_mut().for_each(|process| process.weighin.dismiss());
    // Those that are up are taken down by their keepers.
    let instances = held(&agent.instances).take();
    drop((watches, processes, instances));
    agent.servers.end();
    Ok(())
}

struct Agent {
    host: Arc<dyn Host>,
    duty: Duty,
    answers: Mutex<Box<dyn Write + Send>>,
    /// `None` when the lead is gone: none begins any more.
    watches: Held<Box<dyn Watch>>,
    /// Of weighin, which end with this one; as above.
    processes: Held<Started>,
    /// What comes and goes by commands of the user; as above.
    instances: Held<Shared<dyn KeptInstance>>,
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

/// What is held for the lead, by the number of the order.
pub(super) type Held<T> = Mutex<Option<HashMap<u64, T>>>;
/// What may be asked for something while it does something else: the later one waits.
pub(super) type Shared<T> = Arc<Mutex<Box<T>>>;

/// Holds something for the lead, unless that is gone or has too many.
pub(super) fn hold<T>(all: &Held<T>, number: u64, one: T, most: usize) -> Result<(), Failure> {
    match held(all).as_mut() {
        Some(all) if all.len() < most => {
            all.insert(number, one);
            Ok(())
        }
        Some(_) => Err(unknown(&format!("it has {most} of them"))),
        None => Err(unknown("the lead is gone")),
    }
}

impl Agent {
    fn hear(self: &Arc<Self>, text: &[u8]) {
        match serde_json::from_slice(text) {
            Ok(ToAgent::Beat(number)) => {
                let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                let unix_nanos = unix.unwrap_or_default().as_nanos().try_into().unwrap_or(u64::MAX);
                self.say(&FromAgent::Beat { number, clock: Clock.now(), unix_nanos });
                let mut processes = held(&self.processes);
                for process in processes.iter_mut().flat_map(HashMap::values_mut) {
                    if let Some(text) = &process.at_beats {
                        // One that has ended says so by itself.
                        let _ = process.weighin.tell(text);
                    }
                }
            }
            Ok(ToAgent::Ask { number, order }) => self.ask(number, order),
            Ok(ToAgent::Tell { process, text }) => {
                let mut processes = held(&self.processes);
                if let Some(told) = processes.as_mut().and_then(|all| all.get_mut(&process)) {
                    // As above.
                    let _ = told.weighin.tell(&text);
                }
            }
            Ok(ToAgent::TellAtBeats { process, text }) => {
                let mut processes = held(&self.processes);
                if let Some(told) = processes.as_mut().and_then(|all| all.get_mut(&process)) {
                    told.at_beats = Some(text);
                }
            }
            Ok(ToAgent::Dismiss(process)) => {
                // Waits for its end, and kills it where that does not come.
                let dismissed = held(&self.processes).as_mut().and_then(|all| all.remove(&process));
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
        let ended = held(&self.processes).as_mut().and_then(|all| all.remove(&process));
        let how = ended.map_or_else(String::new, |mut ended| ended.weighin.last_words());
        self.say(&FromAgent::Ended { process, how });
        false
    }

    /// Those of these processes that were started for the lead, where it may ask for no others.
    fn own(&self, pids: Vec<u32>) -> Vec<u32> {
        let Duty::Load { .. } = self.duty else { return pids };
        let processes = held(&self.processes);
        let own: Vec<u32> =
            processes.iter().flat_map(|all| all.values()).map(|p| p.weighin.pid()).collect();
        pids.into_iter().filter(|pid| own.contains(pid)).collect()
    }

    /// Has a command of the user run.
    fn command(
        &self,
        instance: u64,
        run: impl FnOnce(&mut dyn KeptInstance, &mut dyn FnMut(&str)) -> Result<String, Failure>,
    ) -> Result<Value, Failure> {
        let kept = held(&self.instances).as_ref().and_then(|all| all.get(&instance).cloned());
        let kept = kept.ok_or_else(|| unknown("nothing that comes and goes"))?;
        let mut said = VecDeque::new();
        let ended = run(held(&kept).as_mut(), &mut |line| {
            said.push_back(line.to_owned());
            if said.len() > MOST_LINES {
                said.pop_front();
            }
        });
        let commanded: Commanded = (ended, said.into());
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
            Order::Facts => value(host.facts()),
            Order::Processors => value(host.processors()),
            Order::IsRoot => value(host.is_root()),
            Order::OpenFiles => value(host.open_files()),
            Order::Boot => value(host.boot()),
            Order::DiskCounters => value(host.disk_counters()),
            Order::CheckCaches => value(host.check_caches()?),
            Order::DropCaches => value(host.drop_caches(stop)?),
            Order::Space(directory) => value(host.space(directory.as_deref())),
            Order::FindProgram(name) => value(host.find_program(&name)),
            Order::RunningServer(ends, clue) => value(host.running_server(&ends, &clue)),
            Order::Watch(scope) => {
                let watch = host.watch(&scope)?;
                hold(&self.watches, number, watch, MOST_WATCHES)?;
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
                    companions,
                    counters: None,
                    on_sample: Some(Box::new(move |sample| {
                        let sample = Box::new(sample.clone());
                        agent.say(&FromAgent::Sample { watch, sample });
                    })),
                };
                let mut watches = held(&self.watches);
                let watched = watches.as_mut().and_then(|all| all.get_mut(&watch));
                let watched = watched.ok_or_else(|| unknown("no watch"))?;
                watched.sample(options);
                value(())
            }
            Order::EndWatch { watch } => {
                let watched = held(&self.watches).as_mut().and_then(|all| all.remove(&watch));
                let watched = watched.ok_or_else(|| unknown("no watch"))?.end()?;
                // The samples have been told one by one.
                value((watched.account, watched.space))
            }
            Order::StartWeighin(command) => {
                let mut weighin = host.start_weighin(&command)?;
                let (pid, answers) = (weighin.pid(), weighin.take_answers());
                let started = Started { weighin, at_beats: None };
                hold(&self.processes, number, started, MOST_PROCESSES)?;
                if let Some(answers) = answers {
                    let agent = Arc::clone(self);
                    answers.hear(LONGEST_SAID, move |heard| agent.pass_on(number, heard));
                }
                value(pid)
            }
            Order::CheckConnection(address) => value(host.check_connection(address)?),
            Order::KeepInstance(order) => {
                let instance = host.keep_instance(order)?;
                let instance = Arc::new(Mutex::new(instance));
                hold(&self.instances, number, instance, MOST_INSTANCES)?;
                value(())
            }
            Order::BringUp { instance } => self.command(instance, |kept, said| kept.up(stop, said)),
            Order::TakeDown { instance } => {
                self.command(instance, |kept, said| kept.down(said).map(|()| String::new()))
            }
            Order::Server(order) => self.servers.carry_out(host.as_ref(), number, order, stop),
            Order::LetGo { instance } => {
                drop(held(&self.instances).as_mut().and_then(|all| all.remove(&instance)));
                value(())
            }
            Order::CheckProcessors(count) => value(host.check_processors(count)?),
            Order::Volume(order) => {
                let tell = |done, of| self.say(&FromAgent::Progress { number, done, of });
                self.volumes.carry_out(host.as_ref(), number, order, stop, &tell)
            }
        }
    }
}

pub(super) fn value(answer: impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|error| unknown(&error.to_string()))
}

pub(super) fn unknown(what: &str) -> Failure {
    Failure::new(FailureKind::Other, format!("the agent cannot answer: {what}"), "")
}
