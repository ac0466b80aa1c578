//! Keys of NATS users: Ed25519 keys in the text form that NATS has for them. Stands in for the crate of
//! this name on crates.io, of which async-nats uses [`KeyPair::from_seed`], [`KeyPair::sign`] and
//! [`KeyPair::public_key`].
//!
//! The form is base32 without padding of a prefix, 32 bytes, and a CRC-16 (XMODEM, low byte first) of what
//! is before it: see *NATS nkeys*, `docs.nats.io`.

use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use std::fmt;

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// `U`: a user's public key.
const PUBLIC: [u8; 1] = [0xA0];
/// `SU`: a user's seed.
const SEED: [u8; 2] = [0x95, 0x00];
const KEY_LENGTH: usize = 32;

/// Why a text is no key. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Not the text of a user's seed.
    Seed,
    /// Not the text of a user's public key.
    PublicKey,
    /// The system gives no random numbers.
    Random,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seed => "this is no seed of a user (58 characters that begin with SU)",
            Self::PublicKey => {
                "this is no public key of a user (56 characters that begin with U, of which the last \
                 ones are a checksum)"
            }
            Self::Random => "the system gives no random numbers",
        })
    }
}

impl std::error::Error for Error {}

/// A user's key, with the part that is secret.
pub struct KeyPair {
    seed: [u8; KEY_LENGTH],
    pair: Ed25519KeyPair,
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyPair").field(&self.public_key()).finish()
    }
}

impl KeyPair {
    /// A new user.
    ///
    /// # Errors
    /// [`Error::Random`].
    pub fn new_user() -> Result<Self, Error> {
        let mut seed = [0; KEY_LENGTH];
        SystemRandom::new().fill(&mut seed).map_err(|_| Error::Random)?;
        Self::of(seed)
    }

    /// # Errors
    /// [`Error::Seed`].
    pub fn from_seed(text: &str) -> Result<Self, Error> {
        Self::of(decoded(text, SEED).ok_or(Error::Seed)?)
    }

    fn of(seed: [u8; KEY_LENGTH]) -> Result<Self, Error> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| Error::Seed)?;
        Ok(Self { seed, pair })
    }

    /// The secret, as text.
    pub fn seed(&self) -> String {
        encoded(SEED, &self.seed)
    }

    pub fn public_key(&self) -> String {
        encoded(PUBLIC, self.pair.public_key().as_ref())
    }

    /// # Errors
    /// None: the form is that of the crate that this one stands in for.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.pair.sign(message).as_ref().to_vec())
    }
}

/// A user's public key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey([u8; KEY_LENGTH]);

impl PublicKey {
    /// # Errors
    /// [`Error::PublicKey`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        decoded(text, PUBLIC).map(Self).ok_or(Error::PublicKey)
    }

    /// Whether the owner of the seed signed that message.
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encoded(PUBLIC, &self.0))
    }
}

fn encoded<const PREFIX: usize>(prefix: [u8; PREFIX], key: &[u8]) -> String {
    let mut bytes = prefix.to_vec();
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(&crc16(&bytes).to_le_bytes());
    let mut text = String::new();
    for group in bytes.chunks(5) {
        let mut five = [0; 5];
        five[..group.len()].copy_from_slice(group);
        let bits = five.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        for place in 0..(group.len() * 8).div_ceil(5) {
            let letter = bits >> (35 - 5 * place) & 31;
            text.push(char::from(ALPHABET[letter as usize]));
        }
    }
    text
}

fn decoded<const PREFIX: usize>(text: &str, prefix: [u8; PREFIX]) -> Option<[u8; KEY_LENGTH]> {
    let length = PREFIX + KEY_LENGTH + 2;
    if text.len() != (length * 8).div_ceil(5) {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(length), 0_u32, 0);
    for letter in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter)?;
        bits = (bits & 0xFF) << 5 | u32::try_from(value).ok()?;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    // What is left over of the last letter is nothing.
    if bits & ((1 << count) - 1) != 0 {
        return None;
    }
    let (content, checksum) = bytes.split_last_chunk::<2>()?;
    let key = content.strip_prefix(&prefix)?;
    (crc16(content).to_le_bytes() == *checksum).then(|| key.try_into().ok()).flatten()
}

/// CRC-16/XMODEM.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc: u16, _| match crc & 0x8000 {
            0 => crc << 1,
            _ => crc << 1 ^ 0x1021,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair that the documentation of NATS shows.
    const KNOWN: [&str; 2] = [
        "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY",
        "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
    ];

    #[test]
    fn keys_have_the_form_of_nats() {
        let pair = KeyPair::from_seed(KNOWN[0]).unwrap();
        assert_eq!(pair.seed(), KNOWN[0]);
        assert_eq!(pair.public_key(), KNOWN[1]);
        assert_eq!(PublicKey::parse(KNOWN[1]).unwrap().to_string(), KNOWN[1]);
        assert!(!format!("{pair:?}").contains(KNOWN[0]));
        let new = KeyPair::new_user().unwrap();
        assert_eq!(KeyPair::from_seed(&new.seed()).unwrap().public_key(), new.public_key());
        assert_ne!(new.seed(), KeyPair::new_user().unwrap().seed());
    }

    #[test]
    fn a_slip_of_one_letter_is_no_key() {
        for place in 0..KNOWN[1].len() {
            for letter in "A7 a=ü".chars() {
                let mut text = KNOWN[1].to_owned();
                text.replace_range(place..=place, &letter.to_string());
                assert_eq!(PublicKey::parse(&text).is_ok(), text == KNOWN[1], "{text}");
            }
        }
        for text in ["", "U", KNOWN[0], &KNOWN[1][1..], &format!("{}A", KNOWN[1])] {
            assert_eq!(PublicKey::parse(text), Err(Error::PublicKey));
        }
        for text in ["", KNOWN[1], &KNOWN[0][..57]] {
            assert_eq!(KeyPair::from_seed(text).err(), Some(Error::Seed));
        }
    }

    #[test]
    fn a_signature_is_of_one_message_and_one_key() {
        let pair = KeyPair::from_seed(KNOWN[0]).unwrap();
        let key = PublicKey::parse(KNOWN[1]).unwrap();
        let signature = pair.sign(b"message").unwrap();
        assert!(key.has_signed(b"message", &signature));
        assert!(!key.has_signed(b"Message", &signature));
        assert!(!key.has_signed(b"message", &signature[1..]));
        let other = PublicKey::parse(&KeyPair::new_user().unwrap().public_key()).unwrap();
        assert!(!other.has_signed(b"message", &signature));
    }
}
