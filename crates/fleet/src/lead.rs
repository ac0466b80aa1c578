//! The lead: knows which agents there are, and takes those that a study asks for.

use crate::broker::{Broker, Login, Subscription};
use crate::held;
use crate::identity::{AgentKeys, Identity, Kind, written};
use crate::keys::PublicKey;
use crate::roster::{KnownAgent, OTHER_VERSION, RETURN_TIMEOUT, RosterEntry, State};
use crate::seal::{Share, Side};
use crate::session::LeadSession;
use crate::wire::{Answer, Call, Claim, Registration, Reply, Subjects};
use host::{HELLO, Hello, Lines, Link, Route, random_hex};
use model::{AgentChoice, BrokerAddress, Failure, FailureKind, Stop};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::io;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long agents are waited for that are not there when they are first asked for.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(10);
/// How often they are called meanwhile.
const CALL_INTERVAL: Duration = Duration::from_secs(1);
/// How long those are waited for that are asked for after that.
const LATE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long a broker that could not be reached is not tried again, for other load hosts.
const FAILURE_MEMORY: Duration = Duration::from_secs(2);
/// How long an agent may take to say whether it can be had, and then to begin.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(3);
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a wait looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The agents of a broker, as a lead knows them. It is connected to when it is first needed.
pub struct Fleet {
    address: BrokerAddress,
    /// How to log in, when that is needed.
    login: Box<LoginSource>,
    /// What agents call this lead.
    lead: String,
    /// Names that the study gives to load hosts: nobody else may have them.
    reserved: BTreeSet<String>,
    /// Where leads and agents have seeds.
    agents: Option<AgentKeys>,
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

/// While there is a connection.
struct Open {
    broker: Broker,
    /// This lead’s, where it has a seed.
    identity: Option<Identity>,
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

impl Fleet {
    /// Of a study that asks for the agents with these names, among others. With `agents` it takes none
    /// but those.
    pub fn new(
        address: BrokerAddress,
        login: Box<LoginSource>,
        lead: String,
        reserved: BTreeSet<String>,
        agents: Option<AgentKeys>,
    ) -> Self {
        let (open, failed) = (Mutex::default(), Mutex::default());
        Self { address, login, lead, reserved, agents, open, failed }
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
        Ok(held(&open.state.0).known())
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
        let connected = (self.login)().and_then(|login| {
            let identity = login.proof.identity().cloned();
            Broker::connect(&login, |_| ()).map(|broker| (broker, identity))
        });
        let (broker, identity) = connected.inspect_err(|failure| {
            *held(&self.failed) = Some((Instant::now(), failure.clone()));
        })?;
        let subjects = Subjects::for_fleet(&self.address.fleet);
        let state = Arc::new((Mutex::new(State::default()), Condvar::new()));
        let heard = Arc::clone(&state);
        let (fleet, agents) = (self.address.fleet.clone(), self.agents.clone());
        let here = broker.subscribe(subjects.here(), move |payload| {
            if let Some(said) = Registration::read(&fleet, &payload) {
                let is_listed = agents.as_ref().is_none_or(|agents| {
                    said.key.as_ref().is_some_and(|key| agents.has(&said.message.name, key))
                });
                held(&heard.0).hear(said.message, said.key, is_listed);
                heard.1.notify_all();
            }
            true
        });
        let here = here.map_err(|error| self.no_session(&error))?;
        let made = Open { broker, identity, subjects, state, _here: here, since: Instant::now() };
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
        let mut why = None;
        loop {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            open.broker.check()?;
            if Instant::now() > deadline {
                return Err(match open.broker.is_connected() {
                    true => why.unwrap_or_else(|| self.absent(open, choice)),
                    false => self.gone(),
                });
            }
            open.call_again();
            let found = held(&open.state.0).find(host, choice, &self.reserved, now);
            match found {
                RosterEntry::One(agent, key) => match self.claim(open, &agent, key.as_ref())? {
                    Claimed::Session(session) => return Ok((*agent, session)),
                    Claimed::Busy(failure, lead) => {
                        why = Some(failure);
                        // Its own session with it may be about to end.
                        if lead != self.lead {
                            open.give_up(host);
                        }
                    }
                    Claimed::Gone => {}
                    Claimed::Silent => why = Some(silent(open, &agent)),
                },
                RosterEntry::Failure(failure) => return Err(failure),
                RosterEntry::None => {}
            }
            let state = held(&open.state.0);
            // Or more is heard of agents.
            drop(open.state.1.wait_timeout(state, POLL_INTERVAL));
        }
    }

    /// Asks an agent whether it can be had.
    fn claim(
        &self,
        open: &Open,
        agent: &Registration,
        key: Option<&PublicKey>,
    ) -> Result<Claimed, Failure> {
        let failed = |error: io::Error| self.no_session(&error);
        let session = random_hex(16).map_err(failed)?;
        let agent_key = key.map(ToString::to_string);
        let place = agent_key.clone().unwrap_or_else(|| agent.id.clone());
        let (subjects, share) = (&open.subjects, Share::draw().map_err(failed)?);
        // Listens before anything can be said.
        let answers = open.broker.listen(subjects.answers(&place, &session)).map_err(failed)?;
        let claim = Claim {
            hello: Hello::own(),
            lead: self.lead.clone(),
            session: session.clone(),
            agent: agent.id.clone(),
            agent_key,
            challenge: agent.challenge.clone(),
            share: share.public.clone(),
        };
        let (payload, claimed) =
            written(open.identity.as_ref(), Kind::Claim, &subjects.fleet, &claim);
        let way = (subjects.claims(&place, &agent.id), subjects.answer(&place, &session));
        let answer = open.broker.request(way, payload, CLAIM_TIMEOUT).map_err(failed)?;
        let answer = answer.and_then(|answer| Answer::read(&subjects.fleet, &answer));
        // Nobody else may say it for the agent, nor repeat what it has said.
        let answer = answer.filter(|said| {
            said.key.as_ref() == key
                && said.message.session == session
                && said.message.challenge == agent.challenge
        });
        // Its next claim needs another challenge.
        held(&open.state.0).spend(&agent.id);
        let Some(answer) = answer else { return Ok(Claimed::Silent) };
        match answer.message.answer {
            Reply::Taken(of_agent) => {
                let Some(keys) = share.keys(Side::Lead, &of_agent, &claimed, &answer.said) else {
                    return Ok(Claimed::Gone);
                };
                let to = subjects.orders(&place, &session);
                let opened = LeadSession::open(&open.broker, to, answers, keys);
                opened.map(Claimed::Session).map_err(failed)
            }
            Reply::Busy(lead) => {
                let lead: String = lead.chars().take(200).collect();
                let failure = Failure::new(
                    FailureKind::Unreachable,
                    format!("the agent {} makes load for {lead}", agent.name),
                    "wait until that is done, or name another agent",
                );
                Ok(Claimed::Busy(failure, lead))
            }
            Reply::Late => {
                open.call();
                Ok(Claimed::Gone)
            }
            Reply::OtherVersion(hello) => {
                hello.check(&agent.name, OTHER_VERSION).map(|()| Claimed::Gone)
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
    fn absent(&self, open: &Open, choice: &AgentChoice) -> Failure {
        let address = &self.address;
        if let AgentChoice::Named(name) = choice
            && let Some(stranger) = held(&open.state.0).stranger(name)
        {
            return stranger;
        }
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
                "start one there: weighin agent {address} {}; weighin hosts STUDY lists them",
                match self.agents {
                    Some(_) => "--seed-file FILE --lead KEY",
                    None => "--token-file FILE",
                }
            ),
        )
    }
}

enum Claimed {
    Session(LeadSession),
    /// Another lead has it.
    Busy(Failure, String),
    /// It cannot be had just now.
    Gone,
    /// It does not answer.
    Silent,
}

/// Of an agent that has registered, and says nothing to a claim.
fn silent(open: &Open, agent: &Registration) -> Failure {
    let remedy = match &open.identity {
        Some(own) => format!(
            "see whether it runs, and whether it takes orders of this lead: --lead {}",
            own.public_key()
        ),
        None => "see whether it runs".to_owned(),
    };
    let message = format!("the agent {} does not answer this lead", agent.name);
    Failure::new(FailureKind::Unreachable, message, remedy)
}

impl Open {
    /// Has a load host look for another agent.
    fn give_up(&self, host: &str) {
        held(&self.state.0).taken.remove(host);
    }

    /// Has all agents say who they are.
    fn call(&self) {
        // Where there are no random numbers, or no broker, nobody is found.
        let Ok(nonce) = random_hex(16) else { return };
        held(&self.state.0).call(nonce.clone());
        let _ = self.broker.publish(self.subjects.call(), Call { nonce }.written());
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
        let LeadSession { sender, lines, connection } = session;
        let lost = |why: &str| {
            connection.end_with("");
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
        checked.inspect_err(|_| connection.end_with("is no agent of this version"))?;
        Ok(Link {
            orders: Box::new(sender),
            answers: Lines::Handed(lines),
            connection: Box::new(connection),
        })
    }

    fn remedy(&self) -> &'static str {
        "see whether the machine runs, and whether it reaches the broker; the next trial takes it again"
    }
}
