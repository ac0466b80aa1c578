//! The agents that have registered, as a lead knows them.

use crate::keys::PublicKey;
use crate::wire::Registration;
use host::Hello;
use model::{AgentChoice, Failure, FailureKind};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

/// How long after a call an agent may be taken: then all have answered that are not held up.
const SETTLE_TIME: Duration = Duration::from_millis(300);
/// How long one is waited for that a load host had before, ahead of others that would do.
pub(crate) const RETURN_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an agent is known that says nothing when it is called.
const MEMORY: Duration = Duration::from_secs(5);
/// Agents that are remembered at most, and of those that the study does not list.
const MOST_AGENTS: usize = 20_000;
const MOST_STRANGERS: usize = 1_000;
/// So many calls may be answered: those of a few seconds.
const MOST_CALLS: usize = 8;
/// What to do about an agent of another version.
pub(crate) const OTHER_VERSION: &str = "install the same weighin there and here";

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
    /// Its public key, where the study does not give it that name: it is not taken.
    pub stranger: Option<Stranger>,
}

/// Whose agent has a name that the study does not give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stranger {
    /// It has this key.
    Key(String),
    /// It has registered without one.
    NoKey,
}

#[derive(Default)]
pub(crate) struct State {
    /// By their numbers.
    pub agents: BTreeMap<String, RegisteredAgent>,
    pub called: Option<Instant>,
    /// The nonces of the last calls. A registration that answers none of them is an old one.
    pub calls: VecDeque<String>,
    /// What load hosts have, or had last: the agent’s number and name.
    pub taken: BTreeMap<String, (String, String)>,
}

pub(crate) struct RegisteredAgent {
    registration: Registration,
    /// Of whoever has signed that.
    key: Option<PublicKey>,
    /// Whether the study takes it.
    is_listed: bool,
    heard: Instant,
    /// Whether its challenge was named: it has to say another one first.
    is_spent: bool,
}

impl State {
    /// Takes in what an agent says of itself, where that answers a call.
    pub fn hear(&mut self, registration: Registration, key: Option<PublicKey>, is_listed: bool) {
        if !registration.call.as_ref().is_some_and(|call| self.calls.contains(call)) {
            return;
        }
        let fits = match self.agents.get(&registration.id) {
            // Its number is no secret: another must not speak for it, nor repeat what it said.
            Some(known) => known.key == key && known.registration.count < registration.count,
            None if is_listed => self.agents.len() < MOST_AGENTS,
            None => self.agents.values().filter(|known| !known.is_listed).count() < MOST_STRANGERS,
        };
        // A stranger that took the number of one that is listed makes way.
        let makes_way =
            self.agents.get(&registration.id).is_some_and(|known| !known.is_listed && is_listed);
        if fits || makes_way {
            let id = registration.id.clone();
            let known = RegisteredAgent {
                registration,
                key,
                is_listed,
                heard: Instant::now(),
                is_spent: false,
            };
            self.agents.insert(id, known);
        }
    }

    /// Begins a call.
    pub fn call(&mut self, nonce: String) {
        self.called = Some(Instant::now());
        self.calls.push_back(nonce);
        if self.calls.len() > MOST_CALLS {
            self.calls.pop_front();
        }
    }

    /// An agent’s challenge was named by a claim.
    pub fn spend(&mut self, id: &str) {
        if let Some(known) = self.agents.get_mut(id) {
            known.is_spent = true;
        }
    }

    /// All of them, by name.
    pub fn known(&self) -> Vec<KnownAgent> {
        let own = Hello::own();
        let known = |known: &RegisteredAgent| {
            let Registration { hello, name, labels, processors, lead, .. } =
                known.registration.clone();
            let other_version = (hello != own).then_some(hello.version);
            let key = known.key.as_ref();
            let stranger = (!known.is_listed)
                .then(|| key.map_or(Stranger::NoKey, |key| Stranger::Key(key.to_string())));
            KnownAgent { name, labels, processors, lead, other_version, stranger }
        };
        let mut agents: Vec<KnownAgent> = self.agents.values().map(known).collect();
        agents.sort_by(|one, other| one.name.cmp(&other.name));
        agents
    }

    /// An agent to be tried for a load host, which is not another’s from now on.
    pub fn find(
        &mut self,
        host: &str,
        choice: &AgentChoice,
        reserved: &BTreeSet<String>,
        began: Instant,
    ) -> RosterEntry {
        self.agents.retain(|_, known| known.heard.elapsed() < MEMORY);
        let before = self.taken.get(host).map(|(_, name)| name.clone());
        let others: BTreeSet<&String> =
            self.taken.iter().filter(|(of, _)| *of != host).map(|(_, (id, _))| id).collect();
        let listed = self.agents.values().filter(|known| known.is_listed);
        let free = listed.filter(|known| !others.contains(&known.registration.id));
        // Then all have answered, so that it is the same one each time, and a second of its name is known.
        if self.called.is_none_or(|at| at.elapsed() < SETTLE_TIME) {
            return RosterEntry::None;
        }
        let found = match choice {
            AgentChoice::Named(name) => {
                let mut named = free.filter(|known| known.registration.name == *name);
                let (first, second) = (named.next(), named.next());
                if second.is_some() {
                    return RosterEntry::Failure(Failure::new(
                        FailureKind::Other,
                        format!("two agents have registered as {name}"),
                        "end one of them, or give it another name with --name",
                    ));
                }
                let first = first.filter(|known| !known.is_spent);
                first.map(|known| known.registration.clone())
            }
            AgentChoice::Any(labels) => {
                let suits = |agent: &&Registration| {
                    !reserved.contains(&agent.name)
                        && labels.iter().all(|(key, value)| agent.labels.get(key) == Some(value))
                };
                let free = free.filter(|known| !known.is_spent).map(|known| &known.registration);
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
        let Some(agent) = found else { return RosterEntry::None };
        if let Err(failure) = agent.hello.check(&agent.name, OTHER_VERSION) {
            return RosterEntry::Failure(failure);
        }
        self.taken.insert(host.to_owned(), (agent.id.clone(), agent.name.clone()));
        let key = self.agents.get(&agent.id).and_then(|known| known.key.clone());
        RosterEntry::One(Box::new(agent), key)
    }

    /// Of an agent that has registered under a name that the study does not give it.
    pub fn stranger(&self, name: &str) -> Option<Failure> {
        let is_one = |known: &&RegisteredAgent| !known.is_listed && known.registration.name == name;
        let stranger = self.agents.values().find(is_one)?;
        let (what, remedy) = match &stranger.key {
            Some(key) => (
                format!("with the key {key}, which the study does not list for it"),
                "if that is its key (weighin seed FILE prints it there), write it in agents of [fleet]",
            ),
            None => ("without a key".to_owned(), "start it with --seed-file FILE --lead KEY"),
        };
        Some(Failure::new(
            FailureKind::AccessDenied,
            format!("an agent has registered as {name} {what}"),
            remedy,
        ))
    }
}

/// What there is for a load host.
pub(crate) enum RosterEntry {
    /// With its key, where it has one.
    One(Box<Registration>, Option<PublicKey>),
    None,
    Failure(Failure),
}
