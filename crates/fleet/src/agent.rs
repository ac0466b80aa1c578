//! The agent: registers, and waits for a lead that takes it.

use crate::broker::{Broker, Login, Subscription};
use crate::identity::{Identity, Kind, Opened, written};
use crate::keys::PublicKey;
use crate::seal::{Share, Side};
use crate::session::AgentSession;
use crate::wire::{Answer, Call, Claim, Registration, Reply, Subjects, is_name};
use host::{Duty, Hello, random_hex};
use model::{Failure, FailureKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How often a broker is tried that is not there when the agent begins.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// How often an agent says that it is there, whoever asks.
const BEAT_INTERVAL: Duration = Duration::from_secs(30);

/// How an agent registers.
#[derive(Debug)]
pub struct AgentOptions {
    pub login: Login,
    /// Letters, digits, `.`, `_` and `-`, at most 64.
    pub name: String,
    pub labels: BTreeMap<String, String>,
    /// Where the agent has a seed: the keys of the leads whose orders it takes.
    pub leads: BTreeSet<PublicKey>,
    /// The hidden command that makes load.
    pub generator: &'static str,
}

/// What becomes of an agent.
#[derive(Debug)]
pub enum AgentEvent<'a> {
    /// The broker is not there, or not there any more, and is tried again.
    NoBroker(Option<&'a Failure>),
    /// It has registered, under that name and number.
    Registered {
        name: &'a str,
        id: &'a str,
    },
    Taken {
        lead: &'a str,
    },
    /// By the lead that had it.
    Free {
        lead: &'a str,
    },
}

/// What the agent waits for.
enum Event {
    Call(Vec<u8>),
    Claim(Vec<u8>),
    Broker(bool),
    /// A session has ended.
    Over,
}

/// Registers with a broker and does what leads ask of a machine that makes load, one lead at a time; ends
/// only where that cannot be. A broker that is not there is waited for.
///
/// # Errors
/// `AccessDenied` where the broker is not one to take orders from.
pub fn wait_for_leads(
    options: &AgentOptions,
    told: &mut dyn FnMut(AgentEvent<'_>),
) -> Result<(), Failure> {
    if !is_name(&options.name) {
        return Err(Failure::new(
            FailureKind::Other,
            format!("{} is no name for an agent", options.name),
            "give it one of letters, digits, `.`, `_` and `-`, at most 64, with --name",
        ));
    }
    let (sender, events) = channel();
    let mut why = None;
    let broker = loop {
        let changed = sender.clone();
        // Nobody is left to hear it when the agent has failed.
        let changed = move |is_there| drop(changed.send(Event::Broker(is_there)));
        match Broker::connect(&options.login, changed) {
            Ok(broker) => break broker,
            Err(failure) if failure.kind == FailureKind::Unreachable => {
                if why.as_ref() != Some(&failure.message) {
                    told(AgentEvent::NoBroker(Some(&failure)));
                }
                why = Some(failure.message);
                thread::sleep(RETRY_INTERVAL);
            }
            Err(failure) => return Err(failure),
        }
    };
    let registration = Registration {
        hello: Hello::own(),
        name: options.name.clone(),
        id: token()?,
        labels: options.labels.clone(),
        processors: host::this_machine().processors(),
        lead: None,
        call: None,
        challenge: token()?,
        count: 0,
    };
    let subjects = Subjects::for_fleet(&options.login.address.fleet);
    let identity = options.login.proof.identity().cloned();
    let place = identity.as_ref().map_or_else(|| registration.id.clone(), Identity::public_key);
    let (leads, generator) = (options.leads.clone(), options.generator);
    let agent =
        Agent { broker, subjects, identity, place, leads, registration, generator, events: sender };
    agent.run(&events, told)
}

/// A number that nobody can guess.
fn token() -> Result<String, Failure> {
    random_hex(16).map_err(|error| {
        let message = format!("no random number: {error}");
        Failure::new(FailureKind::Other, message, "see whether /dev is mounted")
    })
}

struct Agent {
    broker: Broker,
    subjects: Subjects,
    identity: Option<Identity>,
    /// Of its own in the subjects.
    place: String,
    /// Where it has an identity, it listens to these alone.
    leads: BTreeSet<PublicKey>,
    registration: Registration,
    generator: &'static str,
    events: Sender<Event>,
}

impl Agent {
    fn run(
        mut self,
        events: &std::sync::mpsc::Receiver<Event>,
        told: &mut dyn FnMut(AgentEvent<'_>),
    ) -> Result<(), Failure> {
        let not_taken = |error: io::Error| {
            Failure::new(
                FailureKind::Unreachable,
                format!("the broker takes no subscription: {error}"),
                "see its log; where the broker gives accounts permissions, this one must be allowed to publish \
                 and subscribe to weighin.>",
            )
        };
        let _calls = self.hear(self.subjects.call(), Event::Call).map_err(not_taken)?;
        let own = self.subjects.claims(&self.place, &self.registration.id);
        let _claims = self.hear(own, Event::Claim).map_err(not_taken)?;
        let mut is_registered = false;
        loop {
            let event = events.recv_timeout(BEAT_INTERVAL);
            // The one that is there now may be another than at the last event.
            self.broker.check()?;
            match event {
                Ok(Event::Broker(true)) => {
                    self.register();
                    if !is_registered {
                        is_registered = true;
                        let Registration { name, id, .. } = &self.registration;
                        told(AgentEvent::Registered { name, id });
                    }
                }
                Ok(Event::Broker(false)) => {
                    is_registered = false;
                    told(AgentEvent::NoBroker(None));
                }
                Ok(Event::Call(call)) => {
                    if let Some(Call { nonce }) = Call::read(&call) {
                        self.registration.call = Some(nonce);
                        self.register();
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.register(),
                Ok(Event::Claim(claim)) => self.answer(&claim, told)?,
                Ok(Event::Over) => {
                    if let Some(lead) = self.registration.lead.take() {
                        told(AgentEvent::Free { lead: &lead });
                    }
                    self.register();
                }
                // It holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn hear(
        &self,
        subject: String,
        event: impl Fn(Vec<u8>) -> Event + Send + 'static,
    ) -> io::Result<Subscription> {
        let events = self.events.clone();
        self.broker.subscribe(subject, move |heard| events.send(event(heard)).is_ok())
    }

    /// Says who it is.
    fn register(&mut self) {
        self.registration.count += 1;
        let said = self.written(Kind::Registration, &self.registration).0;
        // When the broker is there again, it is said again.
        let _ = self.broker.publish(self.subjects.here(), said);
    }

    /// A message as it is sent, and what of it is signed.
    fn written(&self, kind: Kind, message: &impl Serialize) -> (Vec<u8>, Vec<u8>) {
        written(self.identity.as_ref(), kind, &self.subjects.fleet, message)
    }

    /// What a lead asks for that may, and means this process. It is all that anybody can make an agent do
    /// from outside, so nothing is said to others, of whom there may be many.
    fn claim(&self, payload: &[u8]) -> Option<Opened<Claim>> {
        let heard = Claim::read(&self.subjects.fleet, payload)?;
        let may = match &self.identity {
            None => true,
            Some(identity) => {
                heard.message.agent_key == Some(identity.public_key())
                    && heard.key.as_ref().is_some_and(|key| self.leads.contains(key))
            }
        };
        (may && heard.message.agent == self.registration.id).then_some(heard)
    }

    fn answer(
        &mut self,
        payload: &[u8],
        told: &mut dyn FnMut(AgentEvent<'_>),
    ) -> Result<(), Failure> {
        let Some(heard) = self.claim(payload) else { return Ok(()) };
        let claim = &heard.message;
        if claim.challenge != self.registration.challenge {
            self.reply(claim, Reply::Late);
            return Ok(());
        }
        // Whoever repeats this claim is late.
        self.registration.challenge = token()?;
        if claim.hello != self.registration.hello {
            self.reply(claim, Reply::OtherVersion(self.registration.hello.clone()));
        } else if let Some(lead) = self.registration.lead.clone() {
            self.reply(claim, Reply::Busy(lead));
        } else if self.begin(&heard).is_ok() {
            // A lead that hears nothing asks again.
            told(AgentEvent::Taken { lead: &claim.lead });
            self.registration.lead = Some(heard.message.lead);
        }
        self.register();
        Ok(())
    }

    /// Answers a claim; what of it was signed.
    fn reply(&self, claim: &Claim, answer: Reply) -> Vec<u8> {
        let (session, challenge) = (claim.session.clone(), claim.challenge.clone());
        let subject = self.subjects.answer(&self.place, &session);
        let (payload, signed) = self.written(Kind::Answer, &Answer { session, challenge, answer });
        // A lead that hears nothing asks again.
        let _ = self.broker.publish(subject, payload);
        signed
    }

    /// Begins a session, on threads of its own.
    fn begin(&self, heard: &Opened<Claim>) -> io::Result<()> {
        let claim = &heard.message;
        let orders = self.broker.listen(self.subjects.orders(&self.place, &claim.session))?;
        let share = Share::draw()?;
        let signed = self.reply(claim, Reply::Taken(share.public.clone()));
        let keys = share.keys(Side::Agent, &claim.share, &heard.said, &signed);
        let keys = keys.ok_or_else(|| io::Error::other("the lead has sent no key"))?;
        let to = self.subjects.answers(&self.place, &claim.session);
        let AgentSession { sender, receiver, connection } =
            AgentSession::open(&self.broker, to, orders, keys);
        let (generator, events) = (self.generator, self.events.clone());
        thread::Builder::new().name("session".to_owned()).spawn(move || {
            let served = host::serve(BufReader::new(receiver), sender, Duty::Load { generator });
            // Where the lead is gone, nobody hears it.
            connection.end_with(match &served {
                Ok(()) => "heard nothing of its lead any more",
                Err(_) => "could not begin",
            });
            // The agent ends with its process alone.
            let _ = events.send(Event::Over);
        })?;
        Ok(())
    }
}
