//! The agent: registers, and waits for a lead that takes it.

use crate::broker::{Broker, Heard, Login, Subscription};
use crate::session::AgentSession;
use crate::wire::{Answer, Claim, Registration, Subjects, is_name, written};
use host::{Duty, Hello, random_hex};
use model::{Failure, FailureKind};
use std::collections::BTreeMap;
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
    Call,
    Claim(Heard),
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
    let no_random = |error: io::Error| {
        Failure::new(
            FailureKind::Other,
            format!("no random number: {error}"),
            "see whether /dev is mounted",
        )
    };
    let registration = Registration {
        hello: Hello::own(),
        name: options.name.clone(),
        id: random_hex(16).map_err(no_random)?,
        labels: options.labels.clone(),
        processors: host::this_machine().processors(),
        lead: None,
    };
    let subjects = Subjects::of(&options.login.address.fleet);
    let agent =
        Agent { broker, subjects, registration, generator: options.generator, events: sender };
    agent.run(&events, told)
}

struct Agent {
    broker: Broker,
    subjects: Subjects,
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
        let _calls = self.hear(self.subjects.call(), |_| Event::Call).map_err(not_taken)?;
        let own = self.subjects.agent(&self.registration.id);
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
                Ok(Event::Call) | Err(RecvTimeoutError::Timeout) => self.register(),
                Ok(Event::Claim(claim)) => self.answer(&claim, told),
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
        event: impl Fn(Heard) -> Event + Send + 'static,
    ) -> io::Result<Subscription> {
        let events = self.events.clone();
        self.broker.subscribe(subject, move |heard| events.send(event(heard)).is_ok())
    }

    /// Says who it is.
    fn register(&self) {
        // When the broker is there again, it is said again.
        let _ = self.broker.publish(self.subjects.here(), written(&self.registration));
    }

    fn answer(&mut self, heard: &Heard, told: &mut dyn FnMut(AgentEvent<'_>)) {
        let (Some(claim), Some(reply)) = (Claim::read(&heard.payload), &heard.reply) else {
            return;
        };
        let answer = match &self.registration.lead {
            _ if claim.hello != self.registration.hello => {
                Answer::OtherVersion(self.registration.hello.clone())
            }
            Some(lead) => Answer::Busy(lead.clone()),
            None => match self.begin(&claim) {
                Ok(()) => Answer::Taken,
                // A lead that hears nothing asks again.
                Err(_) => return,
            },
        };
        if matches!(answer, Answer::Taken) {
            told(AgentEvent::Taken { lead: &claim.lead });
            self.registration.lead = Some(claim.lead);
            self.register();
        }
        // As above.
        let _ = self.broker.publish(reply.clone(), written(&answer));
    }

    /// Begins a session, on threads of its own.
    fn begin(&self, claim: &Claim) -> io::Result<()> {
        let session = AgentSession::open(&self.broker, &self.subjects, &claim.session)?;
        let AgentSession { sender, receiver, carrier } = session;
        let (generator, events) = (self.generator, self.events.clone());
        thread::Builder::new().name("session".to_owned()).spawn(move || {
            let served = host::serve(BufReader::new(receiver), sender, Duty::Load { generator });
            // Where the lead is gone, nobody hears it.
            carrier.end_with(match &served {
                Ok(()) => "heard nothing of its lead any more",
                Err(_) => "could not begin",
            });
            // The agent ends with its process alone.
            let _ = events.send(Event::Over);
        })?;
        Ok(())
    }
}
