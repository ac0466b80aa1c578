//! What a lead and an agent say to each other in a session is sealed: X25519 with keys that are drawn for
//! this session alone, HKDF-SHA-256, ChaCha20-Poly1305 with another key for each direction. Both shares
//! are in messages that are signed (see [`crate::identity`]) where the two have seeds: then neither the
//! broker nor anybody who listens to all of it can read or change a word. Without seeds whoever can send
//! in the other’s name may stand between them.

use crate::identity::{hex, unhex};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, MAX_TAG_LEN, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral};
use ring::digest::{Context, SHA256};
use ring::hkdf::{HKDF_SHA256, Prk, Salt};
use ring::rand::SystemRandom;
use std::io;

/// How many bytes longer a sealed piece is: its number and a tag.
pub(crate) const OVERHEAD: usize = 8 + MAX_TAG_LEN;

/// One side’s part of a session’s keys.
pub(crate) struct Share {
    private: EphemeralPrivateKey,
    /// What the other side gets.
    pub public: String,
}

/// The keys of a session.
pub(crate) struct Keys {
    pub sealer: Sealer,
    pub opener: Opener,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Lead,
    Agent,
}

impl Share {
    /// # Errors
    /// Where the system gives no random numbers.
    pub fn draw() -> io::Result<Self> {
        let failed = |_| io::Error::other("no random number");
        let private =
            EphemeralPrivateKey::generate(&X25519, &SystemRandom::new()).map_err(failed)?;
        let public = hex(private.compute_public_key().map_err(failed)?.as_ref());
        Ok(Self { private, public })
    }

    /// The keys that belong to both shares, and to the two messages that they were in.
    pub fn keys(self, side: Side, other: &str, claim: &[u8], answer: &[u8]) -> Option<Keys> {
        let other = UnparsedPublicKey::new(&X25519, unhex::<32>(other)?);
        let mut messages = Context::new(&SHA256);
        for message in [claim, answer] {
            messages.update(&(message.len() as u64).to_be_bytes());
            messages.update(message);
        }
        let salt = Salt::new(HKDF_SHA256, messages.finish().as_ref());
        let secret = agree_ephemeral(self.private, &other, |shared| salt.extract(shared)).ok()?;
        let (orders, answers) = (key(&secret, b"orders")?, key(&secret, b"answers")?);
        let (own, others) = if side == Side::Lead { (orders, answers) } else { (answers, orders) };
        Some(Keys { sealer: Sealer { key: own, next: 0 }, opener: Opener { key: others, next: 0 } })
    }
}

fn key(secret: &Prk, direction: &[u8]) -> Option<LessSafeKey> {
    let direction = [direction];
    let material = secret.expand(&direction, &CHACHA20_POLY1305).ok();
    material.map(|material| LessSafeKey::new(UnboundKey::from(material)))
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; NONCE_LEN];
    bytes[NONCE_LEN - 8..].copy_from_slice(&number.to_be_bytes());
    Nonce::assume_unique_for_key(bytes)
}

/// Seals what one side says. Every message has a number of its own, also one that is said once more.
pub(crate) struct Sealer {
    key: LessSafeKey,
    next: u64,
}

impl Sealer {
    pub fn seal(&mut self, mut piece: Vec<u8>) -> io::Result<Vec<u8>> {
        let failed = || io::Error::other("the session has sealed too much");
        let number = self.next;
        self.next = number.checked_add(1).ok_or_else(failed)?;
        let sealed = self.key.seal_in_place_append_tag(nonce(number), Aad::empty(), &mut piece);
        sealed.map_err(|_| failed())?;
        piece.extend_from_slice(&number.to_be_bytes());
        Ok(piece)
    }
}

/// Opens what the other side says, in the order in which it says it.
pub(crate) struct Opener {
    key: LessSafeKey,
    next: u64,
}

impl Opener {
    /// Leaves the piece of a message; whether the other side has said it, and not before.
    pub fn open(&mut self, message: &mut Vec<u8>) -> bool {
        let Some((_, number)) = message.split_last_chunk::<8>() else { return false };
        let number = u64::from_be_bytes(*number);
        if number < self.next {
            return false;
        }
        message.truncate(message.len() - 8);
        let opened = self.key.open_in_place(nonce(number), Aad::empty(), message);
        let Ok(length) = opened.map(|piece| piece.len()) else { return false };
        message.truncate(length);
        self.next = number.saturating_add(1);
        true
    }
}

#[cfg(test)]
pub(crate) fn pair() -> (Keys, Keys) {
    let (lead, agent) = (Share::draw().unwrap(), Share::draw().unwrap());
    let (of_lead, of_agent) = (lead.public.clone(), agent.public.clone());
    let keys = |share: Share, side, other: &str| share.keys(side, other, b"claim", b"answer");
    (keys(lead, Side::Lead, &of_agent).unwrap(), keys(agent, Side::Agent, &of_lead).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_once_by_the_other_side_alone() {
        let (mut lead, mut agent) = pair();
        let first = lead.sealer.seal(b"s3cret".to_vec()).unwrap();
        let second = lead.sealer.seal(b"s3cret".to_vec()).unwrap();
        assert_eq!(first.len(), 6 + OVERHEAD);
        assert_ne!(first[..6], second[..6]);
        assert!(!first.windows(6).any(|part| part == b"s3cret"));
        // Neither its own direction, nor another session, nor any change.
        assert!(!lead.opener.open(&mut first.clone()));
        assert!(!pair().1.opener.open(&mut first.clone()));
        for place in 0..first.len() {
            let mut changed = first.clone();
            changed[place] ^= 1;
            assert!(!agent.opener.open(&mut changed), "{place}");
        }
        assert!(!agent.opener.open(&mut first[..7].to_vec()));
        let mut opened = second.clone();
        assert!(agent.opener.open(&mut opened));
        assert_eq!(opened, b"s3cret");
        for replayed in [first, second] {
            assert!(!agent.opener.open(&mut replayed.clone()));
        }
    }

    #[test]
    fn keys_belong_to_the_messages_that_the_shares_were_in() {
        let (lead, agent) = (Share::draw().unwrap(), Share::draw().unwrap());
        let (of_lead, of_agent) = (lead.public.clone(), agent.public.clone());
        let mut lead = lead.keys(Side::Lead, &of_agent, b"claim", b"answer").unwrap();
        let mut agent = agent.keys(Side::Agent, &of_lead, b"claim", b"another").unwrap();
        let mut sealed = lead.sealer.seal(b"s3cret".to_vec()).unwrap();
        assert!(!agent.opener.open(&mut sealed));
        let draw = || Share::draw().unwrap();
        for no_share in ["", "00", &"g".repeat(64), &"00".repeat(32)] {
            assert!(draw().keys(Side::Lead, no_share, b"", b"").is_none(), "{no_share}");
        }
    }
}
