//! Keys of NATS users (nkeys) in their text form: a seed is secret, a public key says whose it is.

use nkeys::{KeyPair, KeyPairType};
use std::fmt;

/// Why a text is no key. Holds nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("this is no seed of a user (58 characters that begin with SU)")]
    Seed,
    #[error(
        "this is no public key of a user (56 characters that begin with U, of which the last ones are a \
         checksum)"
    )]
    PublicKey,
}

/// The pair of a user's seed; those of servers, accounts and operators are another matter.
pub(crate) fn pair_of(seed: &str) -> Result<KeyPair, KeyError> {
    let pair = KeyPair::from_seed(seed).map_err(|_| KeyError::Seed)?;
    (pair.key_pair_type() == KeyPairType::User).then_some(pair).ok_or(KeyError::Seed)
}

/// A new user's seed, and its public key.
pub fn new_seed() -> (String, PublicKey) {
    let pair = KeyPair::new_user();
    let seed = pair.seed().unwrap_or_else(|_| unreachable!("a new pair has its seed"));
    (seed, PublicKey(pair.public_key()))
}

/// A user's public key. A key has one text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey(String);

impl PublicKey {
    /// # Errors
    /// [`KeyError::PublicKey`].
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let is_user = |pair: &KeyPair| pair.key_pair_type() == KeyPairType::User;
        let pair = KeyPair::from_public_key(text).ok().filter(is_user);
        pair.map(|pair| Self(pair.public_key())).ok_or(KeyError::PublicKey)
    }

    /// That of a seed.
    ///
    /// # Errors
    /// [`KeyError::Seed`].
    pub fn of_seed(seed: &str) -> Result<Self, KeyError> {
        pair_of(seed).map(|pair| Self(pair.public_key()))
    }

    /// Whether the owner of the seed signed that message.
    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let pair = KeyPair::from_public_key(&self.0);
        pair.is_ok_and(|pair| pair.verify(message, signature).is_ok())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
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
        assert_eq!(PublicKey::of_seed(KNOWN[0]).unwrap().to_string(), KNOWN[1]);
        assert_eq!(PublicKey::parse(KNOWN[1]).unwrap().to_string(), KNOWN[1]);
        let (seed, key) = new_seed();
        assert_eq!(PublicKey::of_seed(&seed), Ok(key));
        assert_ne!(new_seed().0, seed);
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
        let account = KeyPair::new_account();
        let [seed, key] = [account.seed().unwrap(), account.public_key()];
        for text in ["", "U", KNOWN[0], &KNOWN[1][1..], &format!("{}A", KNOWN[1]), &key] {
            assert_eq!(PublicKey::parse(text), Err(KeyError::PublicKey));
        }
        for text in ["", KNOWN[1], &KNOWN[0][..57], &seed] {
            assert_eq!(pair_of(text).err(), Some(KeyError::Seed));
        }
    }

    #[test]
    fn a_signature_is_of_one_message_and_one_key() {
        let pair = pair_of(KNOWN[0]).unwrap();
        let key = PublicKey::parse(KNOWN[1]).unwrap();
        let signature = pair.sign(b"message").unwrap();
        assert!(key.has_signed(b"message", &signature));
        assert!(!key.has_signed(b"Message", &signature));
        assert!(!key.has_signed(b"message", &signature[1..]));
        assert!(!new_seed().1.has_signed(b"message", &signature));
    }
}
