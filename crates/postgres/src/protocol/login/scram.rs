//! SCRAM-SHA-256 (RFC 5802, RFC 7677), bound to the encrypted channel where the server offers that.
//!
//! A server has one salt for an account: the keys that a password is stretched to are the same for every
//! connection, and are made once for all of a load. A thousand logins would take a second of processor
//! time otherwise.

use super::LoginError;
use crate::protocol::command::{push_text, write_message};
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::tag;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac, pbkdf2};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

const SCRAM_SHA_256: &str = "SCRAM-SHA-256";
const SCRAM_SHA_256_PLUS: &str = "SCRAM-SHA-256-PLUS";
/// Bytes of chance in a nonce; as Base64 there is no comma among them.
const NONCE_BYTES: usize = 18;
/// Rounds of stretching that a server may ask for: 4,096 is usual, and who would have the client work
/// for hours is no server of ours.
const MOST_ROUNDS: u32 = 100_000;

/// Keys that are shared by the logins of one account, once the first of them has made them.
#[derive(Clone, Default)]
pub struct ScramKeys(Arc<Mutex<Option<(Stretch, Keys)>>>);

impl std::fmt::Debug for ScramKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ScramKeys(***)")
    }
}

impl ScramKeys {
    /// Those of a password, made only where they are not the last ones. Who needs the same waits.
    fn get(&self, wanted: Stretch) -> Keys {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((stretch, keys)) if *stretch == wanted => *keys,
            _ => {
                let keys = wanted.keys();
                *last = Some((wanted, keys));
                keys
            }
        }
    }
}

/// What keys are made of.
#[derive(PartialEq, Eq)]
struct Stretch {
    password: Vec<u8>,
    salt: Vec<u8>,
    rounds: NonZeroU32,
}

#[derive(Clone, Copy)]
struct Keys {
    client: [u8; digest::SHA256_OUTPUT_LEN],
    server: [u8; digest::SHA256_OUTPUT_LEN],
}

impl Stretch {
    fn keys(&self) -> Keys {
        let mut salted = [0; digest::SHA256_OUTPUT_LEN];
        let algorithm = pbkdf2::PBKDF2_HMAC_SHA256;
        pbkdf2::derive(algorithm, self.rounds, &self.salt, &self.password, &mut salted);
        Keys { client: sign(&salted, b"Client Key"), server: sign(&salted, b"Server Key") }
    }
}

impl Keys {
    /// What shows that the client knows the password: ClientKey XOR HMAC(H(ClientKey), AuthMessage).
    fn proof(&self, exchanged: &str) -> [u8; digest::SHA256_OUTPUT_LEN] {
        let stored = digest::digest(&digest::SHA256, &self.client);
        let mut proof = sign(stored.as_ref(), exchanged.as_bytes());
        proof.iter_mut().zip(self.client).for_each(|(byte, key)| *byte ^= key);
        proof
    }
}

fn sign(key: &[u8], text: &[u8]) -> [u8; digest::SHA256_OUTPUT_LEN] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text);
    let mut bytes = [0; digest::SHA256_OUTPUT_LEN];
    bytes.copy_from_slice(tag.as_ref());
    bytes
}

pub(super) struct Scram {
    mechanism: &'static str,
    /// What the client says first of the channel that the login is bound to.
    header: &'static str,
    certificate_hash: Vec<u8>,
    password: Vec<u8>,
    keys: ScramKeys,
    nonce: String,
    stage: Stage,
}

/// What has come from the server.
enum Stage {
    Nothing,
    /// How the server is to sign which text.
    Challenge {
        key: hmac::Key,
        exchanged: String,
    },
    Proof,
}

impl std::fmt::Debug for Scram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scram").field("mechanism", &self.mechanism).finish_non_exhaustive()
    }
}

impl Scram {
    /// Chooses among the mechanisms that the server offers.
    pub(super) fn begin(
        offered: &[u8],
        password: &[u8],
        keys: ScramKeys,
        certificate_hash: Option<Vec<u8>>,
        tls: bool,
    ) -> Result<Self, LoginError> {
        let offers = |mechanism: &str| {
            offered.split(|&byte| byte == 0).any(|one| one == mechanism.as_bytes())
        };
        let (header, certificate_hash, mechanism) = match certificate_hash {
            Some(hash) if offers(SCRAM_SHA_256_PLUS) => {
                ("p=tls-server-end-point,,", hash, SCRAM_SHA_256_PLUS)
            }
            _ if !offers(SCRAM_SHA_256) => {
                let names = offered.split(|&byte| byte == 0).filter(|name| !name.is_empty());
                let names: Vec<_> = names.map(String::from_utf8_lossy).collect();
                return Err(LoginError::Unsupported(names.join(", ")));
            }
            // The server would see that somebody took its offer away.
            Some(_) if tls => ("y,,", Vec::new(), SCRAM_SHA_256),
            _ => ("n,,", Vec::new(), SCRAM_SHA_256),
        };
        let mut nonce = [0; NONCE_BYTES];
        let no_chance = |_| not_proven("the system gives no random numbers");
        SystemRandom::new().fill(&mut nonce).map_err(no_chance)?;
        Ok(Self {
            mechanism,
            header,
            certificate_hash,
            password: prepared(password),
            keys,
            nonce: BASE64.encode(nonce),
            stage: Stage::Nothing,
        })
    }

    /// Without the header. The server takes the user from the startup message.
    fn first_bare(&self) -> String {
        format!("n=,r={}", self.nonce)
    }

    pub(super) fn write_first(&self, out: &mut Vec<u8>) {
        let message = format!("{}{}", self.header, self.first_bare());
        write_message(b'p', out, |out| {
            push_text(self.mechanism.as_bytes(), out);
            out.extend_from_slice(&(message.len() as i32).to_be_bytes());
            out.extend_from_slice(message.as_bytes());
        });
    }

    pub(super) fn answer(&mut self, challenge: &[u8], out: &mut Vec<u8>) -> Result<(), LoginError> {
        let Stage::Nothing = self.stage else { return Err(out_of_turn()) };
        let challenge = text(challenge)?;
        let (nonce, salt, rounds) = parse_challenge(challenge)?;
        if !nonce.starts_with(&self.nonce) {
            return Err(not_proven("its challenge is the answer to another login"));
        }
        let keys = self.keys.get(Stretch { password: self.password.clone(), salt, rounds });
        let bound = BASE64.encode([self.header.as_bytes(), &self.certificate_hash].concat());
        let last = format!("c={bound},r={nonce}");
        let exchanged = format!("{},{challenge},{last}", self.first_bare());
        let proof = BASE64.encode(keys.proof(&exchanged));
        write_message(b'p', out, |out| {
            out.extend_from_slice(format!("{last},p={proof}").as_bytes())
        });
        let key = hmac::Key::new(hmac::HMAC_SHA256, &keys.server);
        self.stage = Stage::Challenge { key, exchanged };
        Ok(())
    }

    pub(super) fn finish(&mut self, proof: &[u8]) -> Result<(), LoginError> {
        let Stage::Challenge { key, exchanged } = &self.stage else { return Err(out_of_turn()) };
        let proof = text(proof)?;
        let Some(signature) = proof.strip_prefix("v=") else {
            return Err(not_proven("it did not sign what was exchanged"));
        };
        let signature = decode(signature.split(',').next().unwrap_or_default())?;
        hmac::verify(key, exchanged.as_bytes(), &signature)
            .map_err(|_| not_proven("its signature is that of another password"))?;
        self.stage = Stage::Proof;
        Ok(())
    }

    /// Whether the server has shown that it knows the password.
    pub(super) fn is_proven(&self) -> bool {
        matches!(self.stage, Stage::Proof)
    }
}

/// A password as SASL compares it. PostgreSQL takes one that has no such form as it is.
fn prepared(password: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(password).ok();
    let prepared = text.and_then(|text| stringprep::saslprep(text).ok());
    prepared.map_or_else(|| password.to_vec(), |text| text.into_owned().into_bytes())
}

/// The nonce, the salt and the rounds of `r=NONCE,s=SALT,i=ROUNDS`. What begins with something else is an
/// extension that has to be understood.
fn parse_challenge(challenge: &str) -> Result<(&str, Vec<u8>, NonZeroU32), LoginError> {
    let mut parts = challenge.split(',');
    let mut part = |name| parts.next().and_then(|part| part.strip_prefix(name));
    let (nonce, salt, rounds) = (part("r="), part("s="), part("i="));
    let (Some(nonce), Some(salt), Some(rounds)) = (nonce, salt, rounds) else {
        return Err(not_proven("its challenge is none"));
    };
    match rounds.parse::<NonZeroU32>() {
        Ok(rounds) if rounds.get() <= MOST_ROUNDS => Ok((nonce, decode(salt)?, rounds)),
        _ => Err(not_proven("it asks for more rounds of hashing than any client should make")),
    }
}

fn text(bytes: &[u8]) -> Result<&str, LoginError> {
    std::str::from_utf8(bytes).map_err(|_| not_proven("what it sent is no text"))
}

fn decode(base64: &str) -> Result<Vec<u8>, LoginError> {
    BASE64.decode(base64).map_err(|_| not_proven("what it sent is no Base64"))
}

fn out_of_turn() -> LoginError {
    let expected = "the next step of an authentication";
    ProtocolError::Unexpected { expected, tag: tag::AUTHENTICATION }.into()
}

fn not_proven(why: &str) -> LoginError {
    LoginError::NotProven(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(password: &str) -> Stretch {
        let salt = BASE64.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let rounds = NonZeroU32::new(4096).unwrap();
        Stretch { password: prepared(password.as_bytes()), salt, rounds }
    }

    /// The example of RFC 7677, section 3.
    #[test]
    fn proofs_and_signatures_are_those_of_the_standard() {
        let nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
        let exchanged = format!(
            "n=user,r=rOprNGfwEbeRWgbNEkqO,r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r={nonce}"
        );
        let keys = stretch("pencil").keys();
        let proof = BASE64.encode(keys.proof(&exchanged));
        assert_eq!(proof, "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        let signature = BASE64.encode(sign(&keys.server, exchanged.as_bytes()));
        assert_eq!(signature, "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    #[test]
    fn keys_are_made_anew_for_another_password_salt_or_count() {
        let keys = ScramKeys::default();
        let first = keys.get(stretch("pencil")).client;
        assert_eq!(keys.get(stretch("pencil")).client, first);
        assert_ne!(keys.get(stretch("pen")).client, first);
        let salt = b"another".to_vec();
        assert_ne!(keys.get(Stretch { salt, ..stretch("pencil") }).client, first);
        let rounds = NonZeroU32::new(4097).unwrap();
        assert_ne!(keys.get(Stretch { rounds, ..stretch("pencil") }).client, first);
        assert_eq!(keys.get(stretch("pencil")).client, first);
    }

    #[test]
    fn what_is_no_challenge_is_refused() {
        for wrong in [
            "",
            "r=a",
            "r=a,s=AAAA",
            "m=a,r=a,s=AAAA,i=1",
            "r=a,s=!,i=1",
            "r=a,s=AAAA,i=0",
            "r=a,s=AAAA,i=100001",
            "r=a,s=AAAA,i=99999999999",
        ] {
            let parsed = parse_challenge(wrong);
            assert!(matches!(parsed, Err(LoginError::NotProven(_))), "{wrong}: {parsed:?}");
        }
        assert!(parse_challenge("r=a,s=AAAA,i=100000").is_ok());
    }

    /// As the server's own SASLprep has it: what is mapped to nothing, and what is not allowed.
    #[test]
    fn passwords_are_compared_as_the_server_compares_them() {
        assert_eq!(prepared("I\u{ad}X".as_bytes()), b"IX");
        assert_eq!(prepared(b"\x07a"), b"\x07a");
        assert_eq!(prepared(b"\xffa"), b"\xffa");
    }
}
