//! What agents and leads say to each other before there is a session, and the subjects of all messages.

use host::Hello;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest of these messages, in bytes.
const LONGEST: usize = 16 << 10;
/// Longest name or label, in characters, and most labels.
const LONGEST_NAME: usize = 64;
pub const MOST_LABELS: usize = 16;
/// Longest name of a lead, in characters.
const LONGEST_LEAD: usize = 200;

/// The subjects of a fleet.
#[derive(Clone, Debug)]
pub(crate) struct Subjects(String);

impl Subjects {
    pub fn of(fleet: &str) -> Self {
        Self(format!("weighin.{fleet}"))
    }

    /// Here agents say who they are.
    pub fn here(&self) -> String {
        format!("{}.here", self.0)
    }

    /// Here leads ask them to.
    pub fn call(&self) -> String {
        format!("{}.call", self.0)
    }

    /// Here leads ask for an agent.
    pub fn agent(&self, id: &str) -> String {
        format!("{}.agent.{id}", self.0)
    }

    /// What the lead says in a session.
    pub fn orders(&self, session: &str) -> String {
        format!("{}.session.{session}.orders", self.0)
    }

    /// What the agent says in a session.
    pub fn answers(&self, session: &str) -> String {
        format!("{}.session.{session}.answers", self.0)
    }
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
}

/// A lead asks for an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub hello: Hello,
    /// Who asks.
    pub lead: String,
    /// The name of the session: see [`is_token`].
    pub session: String,
}

/// What the agent says to that.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Taken,
    /// Another lead has it.
    Busy(String),
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

impl Registration {
    /// What an agent said, where it makes sense.
    pub fn read(payload: &[u8]) -> Option<Self> {
        let said: Self = read(payload)?;
        let labels = said.labels.iter();
        let labels_are_short = said.labels.len() <= MOST_LABELS
            && labels.flat_map(|(key, value)| [key, value]).all(|s| is_short(s, LONGEST_NAME));
        let is_sound = is_token(&said.id)
            && is_name(&said.name)
            && is_short(&said.hello.version, LONGEST_NAME)
            && said.lead.iter().all(|lead| is_short(lead, LONGEST_LEAD))
            && labels_are_short;
        is_sound.then_some(said)
    }
}

impl Claim {
    /// What a lead said, where it makes sense.
    pub fn read(payload: &[u8]) -> Option<Self> {
        read(payload)
            .filter(|said: &Self| is_token(&said.session) && is_short(&said.lead, LONGEST_LEAD))
    }
}

impl Answer {
    pub fn read(payload: &[u8]) -> Option<Self> {
        read(payload)
    }
}

fn read<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    (payload.len() <= LONGEST).then(|| serde_json::from_slice(payload).ok()).flatten()
}

/// A message as it is sent.
pub(crate) fn written(message: &impl Serialize) -> Vec<u8> {
    // None of them has a form that JSON lacks.
    serde_json::to_vec(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_not_heard() {
        let sound = Registration {
            hello: Hello::own(),
            name: "load-1.internal".into(),
            id: "0123456789abcdef0123456789ABCDEF".into(),
            labels: [("zone".into(), "a".into())].into(),
            processors: 2,
            lead: None,
        };
        let heard = |change: &dyn Fn(&mut Registration)| {
            let mut said = sound.clone();
            change(&mut said);
            Registration::read(&written(&said))
        };
        assert_eq!(heard(&|_| ()), Some(sound.clone()));
        let wrong: [&dyn Fn(&mut Registration); 6] = [
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
        let long = format!("{}{}", " ".repeat(LONGEST), String::from_utf8_lossy(&written(&sound)));
        assert_eq!(Registration::read(long.as_bytes()), None);
        let claim = |session: &str| {
            Claim::read(&written(&Claim {
                hello: Hello::own(),
                lead: "me".into(),
                session: session.into(),
            }))
        };
        assert!(claim(&sound.id).is_some());
        assert!(claim("*").is_none() && claim(">").is_none() && claim("").is_none());
    }
}
