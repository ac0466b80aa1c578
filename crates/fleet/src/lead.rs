//! The lead: knows which agents there are, and takes those that a study asks for.

use crate::broker::{Broker, Login, Subscription};
use crate::held;
use crate::session::LeadSession;
use crate::wire::{Answer, Claim, Registration, Subjects, written};
use host::{HELLO, Hello, Lines, Link, Route, random_hex};
use model::{AgentChoice, BrokerAddress, Failure, FailureKind, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long agents are waited for that are not there when they are first asked for.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(10);
/// How often they are called meanwhile.
const CALL_INTERVAL: Duration = Duration::from_secs(1);
/// How long after a call an agent may be taken: then all have answered that are not held up.
const SETTLE_TIME: Duration = Duration::from_millis(300);
/// How long those are waited for that are asked for after that.
const LATE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long a broker that could not be reached is not tried again, for other load hosts.
const FAILURE_MEMORY: Duration = Duration::from_secs(2);
/// How long one is waited for that a load host had before, ahead of others that would do.
const RETURN_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an agent is known that says nothing when it is called.
const MEMORY: Duration = Duration::from_secs(5);
/// How long an agent may take to say whether it can be had, and then to begin.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(3);
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a wait looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Agents that are remembered at most.
const MOST_AGENTS: usize = 20_000;

/// The agents of a broker, as a lead knows them. It is connected to when it is first needed.
pub struct Fleet {
    address: BrokerAddress,
    /// How to log in, when that is needed.
    login: Box<LoginSource>,
    /// What agents call this lead.
    lead: String,
    /// Names that the study gives to load hosts: nobody else may have them.
    reserved: BTreeSet<String>,
    open: Mutex<Option<Arc<Open>>>,
    /// The last time that the broker could not be reached.
    failed: Mutex<Option<(Instant, Failure)>>,
}

/// Finds out how to log in to a broker.
pub type LoginSource = dyn Fn() -> Result<Login, Failure> + Send + Sync;

impl Debug for Fleet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fleet").field("address", &self.address).finish_non_exhaustive()
    }
}

/// An agent that has registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAgent {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub processors: u32,
    /// Who has it.
    pub lead: Option<String>,
    /// Its version, where that is another one than this.
    pub other_version: Option<String>,
}

/// While there is a connection.
struct Open {
    broker: Broker,
    subjects: Subjects,
    state: Arc<(Mutex<State>, Condvar)>,
    /// Of registrations.
    _here: Subscription,
    /// When agents were first asked for.
    since: Instant,
}

impl Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open").field("broker", &self.broker).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct State {
    /// By their numbers.
    agents: BTreeMap<String, Known>,
    called: Option<Instant>,
    /// What load hosts have, or had last: the agent’s number and name.
    taken: BTreeMap<String, (String, String)>,
}

struct Known {
    registration: Registration,
    heard: Instant,
}

impl Fleet {
    /// Of a study that asks for the agents with these names, among others.
    pub fn new(
        address: BrokerAddress,
        login: Box<LoginSource>,
        lead: String,
        reserved: BTreeSet<String>,
    ) -> Self {
        Self { address, login, lead, reserved, open: Mutex::default(), failed: Mutex::default() }
    }

    /// The way to an agent, for a load host of that name.
    pub fn route(self: &Arc<Self>, host: String, choice: AgentChoice) -> Box<dyn Route> {
        Box::new(AgentRoute { fleet: Arc::clone(self), host, choice })
    }

    /// The agents that answer within a second, by name.
    ///
    /// # Errors
    /// Where the broker cannot be reached; [`Failure::stopped`].
    pub fn agents(&self, stop: &Stop) -> Result<Vec<KnownAgent>, Failure> {
        let open = self.open()?;
        open.call();
        let until = Instant::now() + CALL_INTERVAL;
        while Instant::now() < until {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            thread::sleep(POLL_INTERVAL);
        }
        open.broker.check()?;
        let state = held(&open.state.0);
        let own = Hello::own();
        let mut agents: Vec<KnownAgent> = state
            .agents
            .values()
            .map(|Known { registration, .. }| {
                let Registration { hello, name, labels, processors, lead, .. } =
                    registration.clone();
                let other_version = (hello != own).then_some(hello.version);
                KnownAgent { name, labels, processors, lead, other_version }
            })
            .collect();
        agents.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(agents)
    }

    fn open(&self) -> Result<Arc<Open>, Failure> {
        let mut open = held(&self.open);
        if let Some(open) = open.as_ref() {
            return Ok(Arc::clone(open));
        }
        // A connection that is lost is noticed by those who use it.
        if let Some((at, failure)) = held(&self.failed).as_ref()
            && at.elapsed() < FAILURE_MEMORY
        {
            return Err(failure.clone());
        }
        let broker = (self.login)().and_then(|login| Broker::connect(&login, |_| ()));
        let broker = broker.inspect_err(|failure| {
            *held(&self.failed) = Some((Instant::now(), failure.clone()));
        })?;
        let subjects = Subjects::of(&self.address.fleet);
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let heard = Arc::clone(&state);
        let here = broker.subscribe(subjects.here(), move |message| {
            if let Some(registration) = Registration::read(&message.payload) {
                let mut state = held(&heard.0);
                let is_known = state.agents.contains_key(&registration.id);
                if is_known || state.agents.len() < MOST_AGENTS {
                    let known = Known { heard: Instant::now(), registration };
                    state.agents.insert(known.registration.id.clone(), known);
                }
                drop(state);
                heard.1.notify_all();
            }
            true
        });
        let here = here.map_err(|error| self.no_session(&error))?;
        let made = Open { broker, subjects, state, _here: here, since: Instant::now() };
        Ok(Arc::clone(open.insert(Arc::new(made))))
    }

    fn no_session(&self, error: &io::Error) -> Failure {
        Failure::new(
            FailureKind::Unreachable,
            format!("the broker {} takes no message: {error}", self.address),
            "see whether nats-server runs there, and its log",
        )
    }

    /// Takes an agent for a load host: who it is, and the session with it.
    fn take(
        &self,
        open: &Open,
        host: &str,
        choice: &AgentChoice,
        stop: &Stop,
    ) -> Result<(Registration, LeadSession), Failure> {
        let now = Instant::now();
        let had_one = held(&open.state.0).taken.contains_key(host);
        let patience = if had_one { RETURN_TIMEOUT + CLAIM_TIMEOUT } else { LATE_TIMEOUT };
        let deadline = (open.since + ARRIVAL_TIMEOUT).max(now + patience);
        let mut why = self.absent(choice);
        loop {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            open.broker.check()?;
            if Instant::now() > deadline {
                return Err(if open.broker.is_connected() { why } else { self.gone() });
            }
            open.call_again();
            match self.find(open, host, choice, now) {
                Found::One(agent) => match self.claim(open, &agent)? {
                    Claimed::Session(session) => return Ok((*agent, session)),
                    Claimed::Busy(failure, lead) => {
                        why = failure;
                        // Its own session with it may be about to end.
                        if lead != self.lead {
                            open.give_up(host);
                        }
                    }
                    Claimed::Gone => {}
                },
                Found::Failure(failure) => return Err(failure),
                Found::None => {}
            }
            let state = held(&open.state.0);
            // Or more is heard of agents.
            drop(open.state.1.wait_timeout(state, POLL_INTERVAL));
        }
    }

    /// An agent to be tried for a load host, which is not another’s from now on.
    fn find(&self, open: &Open, host: &str, choice: &AgentChoice, began: Instant) -> Found {
        let mut state = held(&open.state.0);
        state.agents.retain(|_, known| known.heard.elapsed() < MEMORY);
        let before = state.taken.get(host).map(|(_, name)| name.clone());
        let others: BTreeSet<&String> =
            state.taken.iter().filter(|(of, _)| *of != host).map(|(_, (id, _))| id).collect();
        let agents = state.agents.values().map(|known| &known.registration);
        let free = agents.filter(|agent| !others.contains(&agent.id));
        // Then all have answered, so that it is the same one each time, and a second of its name is known.
        if state.called.is_none_or(|at| at.elapsed() < SETTLE_TIME) {
            return Found::None;
        }
        let found = match choice {
            AgentChoice::Named(name) => {
                let mut named = free.filter(|agent| agent.name == *name);
                let (first, second) = (named.next(), named.next());
                if second.is_some() {
                    return Found::Failure(Failure::new(
                        FailureKind::Other,
                        format!("two agents have registered as {name}"),
                        "end one of them, or give it another name with --name",
                    ));
                }
                first.cloned()
            }
            AgentChoice::Any(labels) => {
                let suits = |agent: &&Registration| {
                    !self.reserved.contains(&agent.name)
                        && labels.iter().all(|(key, value)| agent.labels.get(key) == Some(value))
                };
                let mut suitable: Vec<&Registration> = free.filter(suits).collect();
                let key = |agent: &&Registration| {
                    let is_other = before.as_ref() != Some(&agent.name);
                    let is_foreign = agent.hello != Hello::own();
                    (
                        is_other,
                        agent.lead.is_some(),
                        is_foreign,
                        agent.name.clone(),
                        agent.id.clone(),
                    )
                };
                suitable.sort_by_cached_key(key);
                let first = suitable.first().copied();
                let is_back = |agent: &&Registration| before.as_ref() == Some(&agent.name);
                let waits = before.is_some() && began.elapsed() < RETURN_TIMEOUT;
                first.filter(|agent| !waits || is_back(agent)).cloned()
            }
        };
        let Some(agent) = found else { return Found::None };
        if let Err(failure) = agent.hello.check(&agent.name, OTHER_VERSION) {
            return Found::Failure(failure);
        }
        state.taken.insert(host.to_owned(), (agent.id.clone(), agent.name.clone()));
        Found::One(Box::new(agent))
    }

    /// Asks an agent whether it can be had.
    fn claim(&self, open: &Open, agent: &Registration) -> Result<Claimed, Failure> {
        let failed = |error: io::Error| self.no_session(&error);
        let session = random_hex(16).map_err(failed)?;
        // Listens before anything can be said.
        let opened = LeadSession::open(&open.broker, &open.subjects, &session);
        let opened = opened.map_err(failed)?;
        let claim = Claim { hello: Hello::own(), lead: self.lead.clone(), session };
        let subject = open.subjects.agent(&agent.id);
        let answer =
            open.broker.request(subject, written(&claim), CLAIM_TIMEOUT).map_err(failed)?;
        match answer.as_deref().and_then(Answer::read) {
            Some(Answer::Taken) => Ok(Claimed::Session(opened)),
            Some(Answer::Busy(lead)) => {
                let lead: String = lead.chars().take(200).collect();
                let failure = Failure::new(
                    FailureKind::Unreachable,
                    format!("the agent {} makes load for {lead}", agent.name),
                    "wait until that is done, or name another agent",
                );
                Ok(Claimed::Busy(failure, lead))
            }
            Some(Answer::OtherVersion(hello)) => {
                hello.check(&agent.name, OTHER_VERSION).map(|()| Claimed::Gone)
            }
            None => {
                held(&open.state.0).agents.remove(&agent.id);
                Ok(Claimed::Gone)
            }
        }
    }

    fn gone(&self) -> Failure {
        Failure::new(
            FailureKind::Unreachable,
            format!("the broker {} is gone", self.address),
            "see whether nats-server runs there; it is connected to again when it does",
        )
    }

    /// That no such agent has registered.
    fn absent(&self, choice: &AgentChoice) -> Failure {
        let address = &self.address;
        let what = match choice {
            AgentChoice::Named(name) => format!("no agent has registered as {name} with {address}"),
            AgentChoice::Any(labels) if labels.is_empty() => {
                format!("too few agents have registered with {address}")
            }
            AgentChoice::Any(labels) => {
                let labels: Vec<String> =
                    labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
                format!("too few agents with {} have registered with {address}", labels.join(", "))
            }
        };
        Failure::new(
            FailureKind::Unreachable,
            what,
            format!(
                "start one there: weighin agent {address} --token-file FILE; weighin hosts STUDY lists them"
            ),
        )
    }
}

/// What to do about an agent of another version.
const OTHER_VERSION: &str = "install the same weighin there and here";

enum Found {
    One(Box<Registration>),
    None,
    Failure(Failure),
}

enum Claimed {
    Session(LeadSession),
    /// Another lead has it.
    Busy(Failure, String),
    /// It does not answer.
    Gone,
}

impl Open {
    /// Has a load host look for another agent.
    fn give_up(&self, host: &str) {
        held(&self.state.0).taken.remove(host);
    }

    /// Has all agents say who they are.
    fn call(&self) {
        held(&self.state.0).called = Some(Instant::now());
        // Where the broker is gone, nobody is found.
        let _ = self.broker.publish(self.subjects.call(), Vec::new());
    }

    /// The same, where that was not done just now.
    fn call_again(&self) {
        let called = held(&self.state.0).called;
        if called.is_none_or(|at| at.elapsed() > CALL_INTERVAL) {
            self.call();
        }
    }
}

#[derive(Debug)]
struct AgentRoute {
    fleet: Arc<Fleet>,
    host: String,
    choice: AgentChoice,
}

impl Route for AgentRoute {
    fn connect(&self, stop: &Stop) -> Result<Link, Failure> {
        let open = self.fleet.open()?;
        let (agent, session) = self.fleet.take(&open, &self.host, &self.choice, stop)?;
        let LeadSession { sender, lines, carrier } = session;
        let lost = |why: &str| {
            carrier.end_with("");
            Failure::new(
                FailureKind::HostLost,
                format!("the agent {} {why}", agent.name),
                self.remedy(),
            )
        };
        let hello = lines.first_line(HELLO_TIMEOUT).ok_or_else(|| lost("did not begin"))?;
        let hello = String::from_utf8_lossy(&hello);
        let said = hello.strip_prefix(HELLO).and_then(|said| serde_json::from_str(said).ok());
        let said: Hello = said.ok_or_else(|| lost("said something that is no message"))?;
        let checked = said.check(&agent.name, OTHER_VERSION);
        checked.inspect_err(|_| carrier.end_with("is no agent of this version"))?;
        Ok(Link {
            orders: Box::new(sender),
            answers: Lines::Handed(lines),
            carrier: Box::new(carrier),
        })
    }

    fn remedy(&self) -> &'static str {
        "see whether the machine runs, and whether it reaches the broker; the next trial takes it again"
    }
}
