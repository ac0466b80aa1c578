//! What agents and leads say to each other before there is a session, and the subjects of all messages.

use crate::identity::{Kind, Opened, opened};
use host::Hello;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest name or label, in characters, and most labels.
const LONGEST_NAME: usize = 64;
pub const MOST_LABELS: usize = 16;
/// Longest name of a lead, in characters.
const LONGEST_LEAD: usize = 200;
/// Longest call, in bytes.
const LONGEST_CALL: usize = 256;

/// The subjects of a fleet. Those of an agent’s own have a place with its public key, or, where it has
/// none, with its number, so that a broker can keep agents from what is not theirs.
#[derive(Clone, Debug)]
pub(crate) struct Subjects {
    pub fleet: String,
}

impl Subjects {
    pub fn for_fleet(fleet: &str) -> Self {
        Self { fleet: fleet.to_owned() }
    }

    fn subject(&self, rest: &str) -> String {
        format!("weighin.{}.{rest}", self.fleet)
    }

    /// Here agents say who they are.
    pub fn here(&self) -> String {
        self.subject("here")
    }

    /// Here leads ask them to.
    pub fn call(&self) -> String {
        self.subject("call")
    }

    /// Here leads ask for an agent.
    pub fn claims(&self, place: &str, id: &str) -> String {
        self.subject(&format!("to.{place}.claim.{id}"))
    }

    /// Here it says whether it can be had.
    pub fn answer(&self, place: &str, session: &str) -> String {
        self.subject(&format!("from.{place}.claim.{session}"))
    }

    /// What the lead says in a session.
    pub fn orders(&self, place: &str, session: &str) -> String {
        self.subject(&format!("to.{place}.session.{session}"))
    }

    /// What the agent says in a session.
    pub fn answers(&self, place: &str, session: &str) -> String {
        self.subject(&format!("from.{place}.session.{session}"))
    }
}

/// A lead asks agents to say who they are.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Drawn for this call: an answer that is repeated later has that of another.
    pub nonce: String,
}

/// What an agent says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Registration {
    pub hello: Hello,
    pub name: String,
    /// Another one for each process.
    pub id: String,
    pub labels: BTreeMap<String, String>,
    pub processors: u32,
    /// Who has it.
    pub lead: Option<String>,
    /// The nonce of the call that was heard last.
    pub call: Option<String>,
    /// To be named by the next claim, and by no other.
    pub challenge: String,
    /// How often this process has said who it is: the highest number is the newest.
    pub count: u64,
}

/// A lead asks for an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub hello: Hello,
    /// Who asks.
    pub lead: String,
    /// The name of the session: see [`is_token`].
    pub session: String,
    /// Which process is asked for, by its number, and whose it is where it has a key.
    pub agent: String,
    pub agent_key: Option<String>,
    /// Of its registration.
    pub challenge: String,
    /// The lead’s part of the session’s keys.
    pub share: String,
}

/// What the agent says to a claim.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The name of the session.
    pub session: String,
    /// The challenge that the claim named.
    pub challenge: String,
    pub answer: Reply,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// With the agent’s part of the session’s keys.
    Taken(String),
    /// Another lead has it.
    Busy(String),
    /// The challenge was named before.
    Late,
    /// The lead is of another version than the agent.
    OtherVersion(Hello),
}

/// Whether a text is a number of 128 bits that was drawn for this purpose, and no other subject.
pub(crate) fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a name is one that an agent may have.
pub(crate) fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_allowed)
}

fn is_short(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest
}

impl Call {
    /// What a lead said, where it makes sense.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let is_short = payload.len() <= LONGEST_CALL;
        let said: Self = is_short.then(|| serde_json::from_slice(payload).ok()).flatten()?;
        is_token(&said.nonce).then_some(said)
    }

    pub fn written(&self) -> Vec<u8> {
        // It has no form that JSON lacks.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

impl Registration {
    /// What an agent said, where it makes sense.
    pub fn read(fleet: &str, payload: &[u8]) -> Option<Opened<Self>> {
        opened(Kind::Registration, fleet, payload)
            .filter(|heard: &Opened<Self>| heard.message.is_sound())
    }

    fn is_sound(&self) -> bool {
        let labels = self.labels.iter();
        let labels_are_short = self.labels.len() <= MOST_LABELS
            && labels.flat_map(|(key, value)| [key, value]).all(|s| is_short(s, LONGEST_NAME));
        is_token(&self.id)
            && is_token(&self.challenge)
            && is_name(&self.name)
            && is_short(&self.hello.version, LONGEST_NAME)
            && self.lead.iter().all(|lead| is_short(lead, LONGEST_LEAD))
            && labels_are_short
    }
}

impl Claim {
    /// What a lead said, where it makes sense.
    pub fn read(fleet: &str, payload: &[u8]) -> Option<Opened<Self>> {
        opened(Kind::Claim, fleet, payload).filter(|heard: &Opened<Self>| {
            is_token(&heard.message.session) && is_short(&heard.message.lead, LONGEST_LEAD)
        })
    }
}

impl Answer {
    pub fn read(fleet: &str, payload: &[u8]) -> Option<Opened<Self>> {
        opened(Kind::Answer, fleet, payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::written;

    #[test]
    fn what_makes_no_sense_is_not_heard() {
        let sound = Registration {
            hello: Hello::own(),
            name: "load-1.internal".into(),
            id: "0123456789abcdef0123456789ABCDEF".into(),
            labels: [("zone".into(), "a".into())].into(),
            processors: 2,
            lead: None,
            call: None,
            challenge: "0123456789abcdef0123456789abcdef".into(),
            count: 1,
        };
        let heard = |change: &dyn Fn(&mut Registration)| {
            let mut said = sound.clone();
            change(&mut said);
            let (payload, _) = written(None, Kind::Registration, "f", &said);
            Registration::read("f", &payload).map(|heard| heard.message)
        };
        assert_eq!(heard(&|_| ()), Some(sound.clone()));
        let wrong: [&dyn Fn(&mut Registration); 7] = [
            &|said| said.challenge = "old".into(),
            &|said| said.id = "a.b".into(),
            &|said| said.id = format!("{}.>", &said.id[2..]),
            &|said| said.name = "a\u{1b}[2J".into(),
            &|said| said.name = "n".repeat(65),
            &|said| said.labels = (0..17).map(|n| (n.to_string(), String::new())).collect(),
            &|said| said.lead = Some("l".repeat(201)),
        ];
        for change in wrong {
            assert_eq!(heard(change), None);
        }
        let (payload, _) = written(None, Kind::Registration, "f", &sound);
        let long = format!("{}{}", " ".repeat(32 << 10), String::from_utf8_lossy(&payload));
        assert!(Registration::read("f", long.as_bytes()).is_none());
        let claim = |session: &str| {
            let claim = Claim {
                hello: Hello::own(),
                lead: "me".into(),
                session: session.into(),
                agent: sound.id.clone(),
                agent_key: None,
                challenge: sound.challenge.clone(),
                share: String::new(),
            };
            Claim::read("f", &written(None, Kind::Claim, "f", &claim).0)
        };
        assert!(claim(&sound.id).is_some());
        assert!(claim("*").is_none() && claim(">").is_none() && claim("").is_none());
        let call = |nonce: &str| Call::read(&Call { nonce: nonce.into() }.written());
        assert!(
            call(&sound.id).is_some() && call("").is_none() && call(&"a".repeat(300)).is_none()
        );
    }
}
