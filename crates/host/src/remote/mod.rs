//! Machines that the user's own `ssh` reaches, or whose agents have registered with a broker. An agent,
//! which is weighin too, does there what [`crate::Local`] does here; the lead asks it by messages.

mod agent;
mod channel;
mod clock;
mod held;
mod instance;
mod keep_alive;
mod link;
mod process;
mod server;
mod ssh;
mod stderr;
#[cfg(test)]
mod tests;
mod volume;
mod wire;

pub use self::agent::{Duty, serve};
pub use self::link::{Connection, Link, Route};
pub use self::ssh::AGENT_COMMAND;

use self::channel::Channel;
use self::clock::RoundTrip;
use self::instance::RemoteInstance;
use self::process::RemoteWeighin;
use self::server::RemoteServer;
pub use self::ssh::InstanceDestination;
use self::ssh::SshRoute;
use self::volume::RemoteVolume;
pub use self::wire::{HELLO, Hello};
use self::wire::{Options, Order};
use crate::local::instance::with_environment;
use crate::question::{
    ANSWER_TIMEOUT, Answer, AnyQuestion, Ends, Facts, FindServer, HeldVolume, Host, InstanceOrder,
    IsRoot, KeptInstance, PrivateServer, ProcessClue, RunningServer, SamplerOptions,
    SandboxOptions, Scope, SpaceUsed, Watch, Watched, Weighin, known,
};
use model::{Failure, FailureKind, HostAccount, HostFacts, SshHost, Stop, UnixMillis};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a machine that was lost is waited for, and how often it is tried.
const RETURN_TIMEOUT: Duration = Duration::from_secs(60);
const RETURN_INTERVAL: Duration = Duration::from_secs(1);

fn held<T: ?Sized>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Another machine. It is connected to when it is first needed, and again when it was lost.
#[derive(Debug)]
pub struct Remote {
    name: String,
    route: Box<dyn Route>,
    stop: Stop,
    reached: Mutex<Reached>,
}

#[derive(Debug, Default)]
struct Reached {
    channel: Option<Arc<Channel>>,
    /// Whether there was one before.
    was_there: bool,
}

impl Remote {
    /// One that ssh reaches. Waits for it end when `stop` is requested.
    pub fn over_ssh(host: SshHost, stop: &Stop) -> Self {
        let name = host.name.clone();
        let route = SshRoute { host, provisioned: None, program: OnceLock::new() };
        Self::new(name, Box::new(route), stop)
    }

    /// A provisioned one, which is reached by ssh where that says while it is there.
    pub fn provisioned(host: SshHost, provisioned: InstanceDestination, stop: &Stop) -> Self {
        let name = host.name.clone();
        let route = SshRoute { host, provisioned: Some(provisioned), program: OnceLock::new() };
        Self::new(name, Box::new(route), stop)
    }

    /// One that is reached by that way. Waits for it end when `stop` is requested.
    pub fn new(name: String, route: Box<dyn Route>, stop: &Stop) -> Self {
        Self { name, route, stop: stop.clone(), reached: Mutex::default() }
    }

    /// Removes the copies of weighin from a machine that ssh reaches; whether there were any.
    ///
    /// # Errors
    /// `Unreachable` where ssh does not get there, or they cannot be removed; [`Failure::stopped`].
    pub fn clean(host: &SshHost, stop: &Stop) -> Result<bool, Failure> {
        ssh::clean(host, stop)
    }

    /// The channel, which is opened where there is none; one that was lost is waited for.
    fn channel(&self) -> Result<Arc<Channel>, Failure> {
        self.channel_within(RETURN_TIMEOUT)
    }

    /// The same; one that was lost is waited for that long.
    fn channel_within(&self, limit: Duration) -> Result<Arc<Channel>, Failure> {
        let deadline = Instant::now() + limit;
        loop {
            let mut reached = held(&self.reached);
            if let Some(channel) = reached.channel.as_ref().filter(|c| c.lost().is_none()) {
                return Ok(Arc::clone(channel));
            }
            reached.channel = None;
            match self.route.connect(&self.stop) {
                Ok(link) => {
                    let channel = Arc::new(Channel::open(&self.name, link, self.route.remedy()));
                    reached.was_there = true;
                    reached.channel = Some(Arc::clone(&channel));
                    return Ok(channel);
                }
                Err(failure)
                    if !reached.was_there
                        || failure.is_stop()
                        || Instant::now() + RETURN_INTERVAL > deadline =>
                {
                    return Err(failure);
                }
                Err(_) => {
                    // Others may wait less long, or for nothing.
                    drop(reached);
                    thread::sleep(RETURN_INTERVAL);
                }
            }
        }
    }
}

impl Host for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn carry(
        &self,
        question: AnyQuestion,
        stop: Option<&Stop>,
    ) -> Result<Box<dyn Answer>, Failure> {
        self.channel()?.carry(question, stop.unwrap_or(&self.stop))
    }

    fn carry_if_connected(&self, question: AnyQuestion) -> Result<Box<dyn Answer>, Failure> {
        let channel = held(&self.reached).channel.clone();
        let channel = channel.ok_or_else(|| unreached(&self.name))?;
        channel.carry(question, &self.stop)
    }

    fn facts(&self) -> HostFacts {
        HostFacts { sandbox_filesystem: None, ..known(self, Facts()) }
    }

    fn time(&self) -> UnixMillis {
        let reached = held(&self.reached);
        let ahead = reached.channel.as_ref().and_then(|channel| channel.clock().ok());
        let ahead = ahead.map_or(0.0, |trip| trip.reading().ahead_seconds * 1e3);
        let UnixMillis(here) = crate::Local.time();
        UnixMillis((here as f64 + ahead).max(0.0) as u64)
    }

    fn reach(&self) -> Result<(), Failure> {
        // One that says who it is need not answer.
        self.carry(IsRoot().into(), None).map(drop)
    }

    fn find(&self) -> Result<(), Failure> {
        self.channel_within(Duration::ZERO)?.carry(IsRoot().into(), &self.stop).map(drop)
    }

    fn watch(&self, scope: &Scope) -> Result<Box<dyn Watch>, Failure> {
        let channel = self.channel()?;
        let clock = channel.clock()?;
        let number = channel.begin(Order::Watch(scope.clone()), ANSWER_TIMEOUT, &self.stop)?;
        let (stop, origin, has_ended) = (self.stop.clone(), None, false);
        Ok(Box::new(RemoteWatch { channel, number, clock, origin, stop, has_ended }))
    }

    fn keep_instance(&self, order: InstanceOrder) -> Result<Box<dyn KeptInstance>, Failure> {
        // Variables of this machine are meant.
        let order = with_environment(order)?;
        let kept = RemoteInstance::keep(&self.channel()?, order, &self.stop)?;
        Ok(Box::new(kept))
    }

    fn start_weighin(&self, command: &str) -> Result<Box<dyn Weighin>, Failure> {
        let channel = self.channel()?;
        let started = RemoteWeighin::start(channel, command, ANSWER_TIMEOUT, &self.stop)?;
        Ok(Box::new(started))
    }

    fn running_server(&self, ends: &Ends, clue: &ProcessClue) -> Option<RunningServer> {
        let ask = |ends| known(self, FindServer(ends, clue.clone()));
        // A socket here leads to no process there.
        let ends = *ends;
        let direct = match ends {
            Ends::Tcp { .. } => ask(ends),
            Ends::Unix { .. } | Ends::Translated => None,
        };
        direct.or_else(|| ask(Ends::Translated))
    }

    fn start_server(&self, options: SandboxOptions) -> Result<Box<dyn PrivateServer>, Failure> {
        Ok(Box::new(RemoteServer::start(self.channel()?, options)?))
    }

    fn hold_volume(&self, path: &Path, block: u32) -> Result<Box<dyn HeldVolume>, Failure> {
        Ok(Box::new(RemoteVolume::hold(&self.channel()?, path, block, &self.stop)?))
    }
}

fn unreached(name: &str) -> Failure {
    Failure::new(FailureKind::Unreachable, format!("{name} is not connected to"), "")
}

/// A watch there.
struct RemoteWatch {
    channel: Arc<Channel>,
    number: u64,
    /// Its clock when watching began.
    clock: RoundTrip,
    /// The start of the load, once it is known.
    origin: Option<Instant>,
    stop: Stop,
    has_ended: bool,
}

impl Drop for RemoteWatch {
    fn drop(&mut self) {
        if !self.has_ended {
            // The load did not come about.
            self.channel.abandon(self.number);
        }
    }
}

impl Watch for RemoteWatch {
    fn sample(&mut self, options: SamplerOptions) {
        self.origin = Some(options.origin);
        let order = Options {
            every: options.every,
            origin: self.clock.there(options.origin),
            measured: options.measured,
            server_pid: options.server_pid,
            replica_pids: options.replica_pids,
            companions: options.companions,
        };
        self.channel.sample(self.number, order);
    }

    fn stop_when_lost(&mut self, stop: &Stop) {
        self.channel.stop_when_lost(self.number, stop);
    }

    fn end(mut self: Box<Self>) -> Result<Watched, Failure> {
        self.has_ended = true;
        let order = Order::EndWatch { watch: self.number };
        let answer: Result<(HostAccount, SpaceUsed), Failure> =
            self.channel.ask(order, ANSWER_TIMEOUT, &self.stop);
        let mut samples = self.channel.samples(self.number);
        let (account, space) = answer?;
        let clock = self.channel.clock()?;
        // Two clocks that run apart: what they have gained by then is spread over the time since.
        let gained = clock.gained_since(self.clock);
        let length = self.origin.map_or(0.0, |origin| origin.elapsed().as_secs_f64());
        for sample in &mut samples {
            if length > 0.0 {
                sample.at_seconds -= gained * (sample.at_seconds / length).clamp(0.0, 1.0);
            }
        }
        let clocks = Some((self.clock.reading(), clock.reading()));
        Ok(Watched { samples, account, space, clocks })
    }
}
