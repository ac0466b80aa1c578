//! The token that visitors must know, and the sessions of browsers that gave it.

use model::{Failure, FailureKind};
use rustls::crypto::ring;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Fewer characters could be tried out.
const SHORTEST: usize = 16;
const LONGEST: usize = 1024;
/// How long a browser that gave the token need not give it again.
pub(crate) const SESSION: Duration = Duration::from_secs(12 * 3600);
/// Most sessions; the oldest goes.
const MOST_SESSIONS: usize = 256;

/// The digests of what browsers keep of their sessions, and when each began.
type Sessions = VecDeque<([u8; 32], Instant)>;

/// What visitors must know; kept as its digest.
#[derive(Clone)]
pub(crate) struct Token {
    digest: [u8; 32],
    sessions: Arc<Mutex<Sessions>>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl Token {
    /// # Errors
    /// When it could be tried out, or typed into no form.
    pub(crate) fn new(token: &[u8], prefix: &str) -> Result<Self, Failure> {
        let fits = (SHORTEST..=LONGEST).contains(&token.len());
        if !fits || !token.iter().all(u8::is_ascii_graphic) {
            return Err(Failure::new(
                FailureKind::AccessDenied,
                format!(
                    "the token does not have {SHORTEST} to {LONGEST} printable characters without spaces"
                ),
                format!(
                    "make one with: openssl rand -hex 32 > FILE; chmod 600 FILE; and name it with \
                     {prefix}token-file FILE"
                ),
            ));
        }
        Ok(Self { digest: Sha256::digest(token).into(), sessions: Arc::default() })
    }

    pub(crate) fn is(&self, given: &[u8]) -> bool {
        same(&self.digest, &Sha256::digest(given).into())
    }

    /// Begins a session and gives what the browser keeps of it; `None` where there is no random number.
    pub(crate) fn begin_session(&self, now: Instant) -> Option<String> {
        let mut bytes = [0; 32];
        ring::default_provider().secure_random.fill(&mut bytes).ok()?;
        let id = bytes.iter().fold(String::new(), |mut id, byte| {
            // Writing to a String cannot fail.
            let _ = write!(id, "{byte:02x}");
            id
        });
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.push_back((Sha256::digest(&id).into(), now));
        while sessions.len() > MOST_SESSIONS {
            sessions.pop_front();
        }
        Some(id)
    }

    pub(crate) fn has_session(&self, id: &[u8], now: Instant) -> bool {
        let digest = Sha256::digest(id).into();
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|(_, began)| now.saturating_duration_since(*began) < SESSION);
        sessions.iter().fold(false, |found, (session, _)| found | same(session, &digest))
    }
}

/// Whether two digests are the same, in a time that does not tell how far they are.
fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    black_box(a.iter().zip(b).fold(0, |differ, (a, b)| black_box(differ | (a ^ b)))) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_and_known_only_as_a_whole() {
        for bad in ["", "short", "with a space in it", "with\na line break", "grün und lang genug"]
        {
            assert!(Token::new(bad.as_bytes(), "--").is_err(), "{bad}");
        }
        let token = Token::new(b"0123456789abcdef", "--").unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdefg", "0123456789abcdeF"] {
            assert!(!token.is(wrong.as_bytes()), "{wrong}");
        }
        assert!(!format!("{token:?}").contains("0123"));
    }

    #[test]
    fn sessions_end_and_are_not_many() {
        let token = Token::new(b"0123456789abcdef", "--").unwrap();
        let now = Instant::now();
        let first = token.begin_session(now).unwrap();
        assert!(token.has_session(first.as_bytes(), now));
        assert!(!token.has_session(b"0123456789abcdef", now));
        assert!(!token.has_session(first.as_bytes(), now + SESSION));
        let ids: Vec<String> =
            (0..=MOST_SESSIONS).map(|_| token.begin_session(now).unwrap()).collect();
        assert!(!token.has_session(ids[0].as_bytes(), now));
        assert!(ids[1..].iter().all(|id| token.has_session(id.as_bytes(), now)));
    }
}
