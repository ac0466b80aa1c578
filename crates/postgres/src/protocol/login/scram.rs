//! SCRAM-SHA-256, bound to the encrypted channel where the server offers that.

use super::LoginError;
use crate::protocol::command::{push_text, write_message};
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::tag;
use postgres_protocol::authentication::sasl::{
    ChannelBinding, SCRAM_SHA_256, SCRAM_SHA_256_PLUS, ScramSha256,
};

pub(super) struct Scram {
    exchange: ScramSha256,
    mechanism: &'static str,
    stage: Stage,
}

/// What has come from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Nothing,
    Challenge,
    Proof,
}

impl std::fmt::Debug for Scram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scram").field("stage", &self.stage).finish_non_exhaustive()
    }
}

impl Scram {
    /// Chooses among the mechanisms that the server offers.
    pub(super) fn begin(
        offered: &[u8],
        password: &[u8],
        certificate_hash: Option<Vec<u8>>,
        tls: bool,
    ) -> Result<Self, LoginError> {
        let offers = |mechanism: &str| {
            offered.split(|&byte| byte == 0).any(|one| one == mechanism.as_bytes())
        };
        let (binding, mechanism) = match certificate_hash {
            Some(hash) if offers(SCRAM_SHA_256_PLUS) => {
                (ChannelBinding::tls_server_end_point(hash), SCRAM_SHA_256_PLUS)
            }
            _ if !offers(SCRAM_SHA_256) => {
                let names = offered.split(|&byte| byte == 0).filter(|name| !name.is_empty());
                let names: Vec<_> = names.map(String::from_utf8_lossy).collect();
                return Err(LoginError::Unsupported(names.join(", ")));
            }
            // The server would see that somebody took its offer away.
            Some(_) if tls => (ChannelBinding::unrequested(), SCRAM_SHA_256),
            _ => (ChannelBinding::unsupported(), SCRAM_SHA_256),
        };
        Ok(Self { exchange: ScramSha256::new(password, binding), mechanism, stage: Stage::Nothing })
    }

    pub(super) fn write_first(&self, out: &mut Vec<u8>) {
        let message = self.exchange.message();
        write_message(b'p', out, |out| {
            push_text(self.mechanism.as_bytes(), out);
            out.extend_from_slice(&(message.len() as i32).to_be_bytes());
            out.extend_from_slice(message);
        });
    }

    pub(super) fn answer(&mut self, challenge: &[u8], out: &mut Vec<u8>) -> Result<(), LoginError> {
        self.step(Stage::Nothing, Stage::Challenge)?;
        self.exchange.update(challenge).map_err(not_proven)?;
        write_message(b'p', out, |out| out.extend_from_slice(self.exchange.message()));
        Ok(())
    }

    pub(super) fn finish(&mut self, proof: &[u8]) -> Result<(), LoginError> {
        self.step(Stage::Challenge, Stage::Proof)?;
        self.exchange.finish(proof).map_err(not_proven)
    }

    fn step(&mut self, from: Stage, to: Stage) -> Result<(), LoginError> {
        if self.stage != from {
            let expected = "the next step of an authentication";
            return Err(ProtocolError::Unexpected { expected, tag: tag::AUTHENTICATION }.into());
        }
        self.stage = to;
        Ok(())
    }

    /// Whether the server has shown that it knows the password.
    pub(super) fn is_proven(&self) -> bool {
        self.stage == Stage::Proof
    }
}

fn not_proven(error: std::io::Error) -> LoginError {
    LoginError::NotProven(error.to_string())
}
