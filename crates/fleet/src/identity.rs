//! Who says something: keys of agents and leads, and messages that are signed with them.

use crate::keys::{KeyError, PublicKey, pair_of};
use nkeys::KeyPair;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest of the messages that can be signed, in bytes.
const LONGEST: usize = 32 << 10;
/// Begins what is signed. A broker has its clients sign a text of its own when they log in: no text of
/// UTF-8 begins with this byte.
const NO_TEXT: u8 = 0xFF;

/// An agent’s or a lead’s seed.
#[derive(Clone, Debug)]
pub struct Identity(Arc<KeyPair>);

impl Identity {
    /// From the text of a seed.
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(seed: &str) -> Result<Self, KeyError> {
        pair_of(seed).map(|pair| Self(Arc::new(pair)))
    }

    pub fn public_key(&self) -> String {
        self.0.public_key()
    }

    /// Signs what a broker asks of those who log in.
    pub(crate) fn sign_nonce(&self, nonce: &[u8]) -> Option<Vec<u8>> {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
        let is_nonce = (8..=64).contains(&nonce.len()) && nonce.iter().all(is_plain);
        is_nonce.then(|| self.0.sign(nonce).ok()).flatten()
    }
}

/// Which agents a study believes: the public key of each name. A name that ends with `*` stands for all
/// that begin so and are not named themselves.
#[derive(Clone, Debug, Default)]
pub struct AgentKeys(BTreeMap<String, PublicKey>);

impl AgentKeys {
    /// # Errors
    /// Where a key is none.
    pub fn read(keys: &BTreeMap<String, String>) -> Result<Self, KeyError> {
        let pair = |(name, key): (&String, &String)| Ok((name.clone(), PublicKey::parse(key)?));
        keys.iter().map(pair).collect::<Result<_, KeyError>>().map(Self)
    }

    /// Whether the owner of a key may have that name.
    pub(crate) fn has(&self, name: &str, key: &PublicKey) -> bool {
        if let Some(own) = self.0.get(name) {
            return own == key;
        }
        let stands_for = |(pattern, _): &(&String, &PublicKey)| {
            pattern.strip_suffix('*').is_some_and(|start| name.starts_with(start))
        };
        self.0.iter().filter(stands_for).any(|(_, of_pattern)| of_pattern == key)
    }
}

/// What a message is, so that none is taken for one of another kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Registration,
    Claim,
    Answer,
}

/// A message as it travels.
#[derive(Serialize, Deserialize)]
struct Envelope {
    said: String,
    /// Who says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// A message that was heard.
pub(crate) struct Opened<T> {
    pub message: T,
    /// Who has signed it.
    pub key: Option<PublicKey>,
    /// As it was signed.
    pub said: Vec<u8>,
}

/// All that a signature is for.
fn signed(kind: Kind, fleet: &str, said: &str) -> Vec<u8> {
    let mut bytes = vec![NO_TEXT];
    for part in ["weighin", &format!("{kind:?}"), fleet, said] {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    bytes
}

/// A message as it is sent, and what of it was signed.
pub(crate) fn written(
    identity: Option<&Identity>,
    kind: Kind,
    fleet: &str,
    message: &impl Serialize,
) -> (Vec<u8>, Vec<u8>) {
    // None of them has a form that JSON lacks.
    let said = serde_json::to_string(message).unwrap_or_default();
    let bytes = signed(kind, fleet, &said);
    let signature = identity.and_then(|identity| identity.0.sign(&bytes).ok());
    let envelope = Envelope {
        said,
        key: identity.map(Identity::public_key),
        signature: signature.as_deref().map(hex),
    };
    (serde_json::to_vec(&envelope).unwrap_or_default(), bytes)
}

/// Reads a message; `None` where it makes no sense, or the signature is not that of its key.
pub(crate) fn opened<T: DeserializeOwned>(
    kind: Kind,
    fleet: &str,
    payload: &[u8],
) -> Option<Opened<T>> {
    let fits = payload.len() <= LONGEST;
    let Envelope { said, key, signature } =
        fits.then(|| serde_json::from_slice(payload).ok()).flatten()?;
    let bytes = signed(kind, fleet, &said);
    let key = match (key, signature) {
        (None, None) => None,
        (key, signature) => {
            let key = PublicKey::parse(&key?).ok()?;
            let signature = unhex::<64>(&signature?)?;
            Some(key).filter(|key| key.has_signed(&bytes, &signature)).map(Some)?
        }
    };
    Some(Opened { message: serde_json::from_str(&said).ok()?, key, said: bytes })
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn unhex<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let bytes: Vec<u8> =
        digits?.chunks_exact(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
    (text.len() == 2 * LENGTH).then(|| bytes.try_into().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> (Identity, PublicKey) {
        let identity = Identity(Arc::new(KeyPair::new_user()));
        let key = PublicKey::parse(&identity.public_key()).unwrap();
        (identity, key)
    }

    #[test]
    fn a_signature_holds_for_one_kind_of_message_of_one_fleet() {
        let (own, key) = identity();
        let (payload, _) = written(Some(&own), Kind::Claim, "f", &["said"]);
        let read = |kind, fleet, payload: &[u8]| opened::<Vec<String>>(kind, fleet, payload);
        assert_eq!(read(Kind::Claim, "f", &payload).unwrap().key, Some(key));
        assert!(read(Kind::Answer, "f", &payload).is_none());
        assert!(read(Kind::Claim, "g", &payload).is_none());
        let text = String::from_utf8(payload).unwrap();
        for changed in [
            text.replace("said\\\"", "sold\\\""),
            text.replace(&own.public_key(), &identity().0.public_key()),
            text.replace(&own.public_key(), "U"),
            text.split_once(",\"signature\"").unwrap().0.to_owned() + "}",
        ] {
            assert_ne!(changed, text);
            assert!(read(Kind::Claim, "f", changed.as_bytes()).is_none(), "{changed}");
        }
        let (unsigned, _) = written(None, Kind::Claim, "f", &["said"]);
        assert_eq!(read(Kind::Claim, "f", &unsigned).unwrap().key, None);
    }

    /// Else a broker could have an agent sign what it likes when that logs in.
    #[test]
    fn what_a_broker_asks_to_sign_is_no_message() {
        let (own, _) = identity();
        let message = signed(Kind::Claim, "f", "[]");
        assert!(own.sign_nonce(&message).is_none());
        assert!(String::from_utf8(message).is_err(), "a nonce is text");
        assert!(own.sign_nonce(b"{\"lead\":\"me\"}").is_none());
        assert!(own.sign_nonce(b"").is_none() && own.sign_nonce(&[b'a'; 65]).is_none());
        assert!(own.sign_nonce(b"RcXvBPbX9xPzBg-_").is_some());
    }

    #[test]
    fn a_name_that_is_listed_is_of_one_key() {
        let ((_, one), (_, group)) = (identity(), identity());
        let keys = [("a1", &one), ("a*", &group)];
        let keys = keys.map(|(name, key)| (name.to_owned(), key.to_string()));
        let keys = AgentKeys::read(&keys.into()).unwrap();
        assert!(keys.has("a1", &one) && !keys.has("a1", &group));
        assert!(keys.has("a2", &group) && !keys.has("a2", &one));
        assert!(!keys.has("b", &group) && !keys.has("b", &one) && keys.has("a", &group));
    }
}
