//! Addresses of brokers.

use crate::text::url::host_and_port;
use model::{BrokerAddress, Endpoint};
use std::net::IpAddr;

/// Longest name of a fleet, in characters.
const LONGEST_FLEET: usize = 64;

/// Why an address of a broker is refused. Never holds text of it that could be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokerError {
    #[error("a broker's address begins with tls:// or nats://")]
    Scheme,
    #[error("the address of the broker holds an account or a token")]
    Secret,
    #[error("the address has no host, or an invalid port")]
    Host,
    #[error("the name of a fleet has letters, digits, - and _, at most {LONGEST_FLEET}")]
    Fleet,
    #[error("nats:// would send tokens and passwords over a network as they are")]
    Plain,
}

impl BrokerError {
    /// How to fix it.
    pub fn help(self) -> &'static str {
        match self {
            Self::Scheme | Self::Host => "write tls://broker.internal:4222",
            Self::Secret => {
                "remove it, and say where the secret is: seed_env, seed_file, token_env or token_file in \
                 a study, --seed-file or --token-file and the like on the command line"
            }
            Self::Fleet => "write tls://broker.internal:4222/nightly",
            Self::Plain => {
                "write tls://, and give the broker a certificate (its `tls` block); nats:// is for \
                 a broker on this very machine, by 127.0.0.1, [::1] or localhost"
            }
        }
    }
}

/// Reads the address of a broker: `tls://host:port/fleet`, or `nats://` on this very machine.
///
/// # Errors
/// Why it is none, or must not be used.
pub fn parse_broker(text: &str) -> Result<BrokerAddress, BrokerError> {
    let (scheme, rest) = text.split_once("://").ok_or(BrokerError::Scheme)?;
    let tls = match scheme {
        "tls" => true,
        "nats" => false,
        _ => return Err(BrokerError::Scheme),
    };
    if rest.contains(['@', '?', '#']) {
        return Err(BrokerError::Secret);
    }
    let (authority, fleet) = rest.split_once('/').unwrap_or((rest, ""));
    let Ok(Endpoint::Tcp { host, port }) = host_and_port(authority, BrokerAddress::PORT) else {
        return Err(BrokerError::Host);
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || "._-:%".contains(c);
    if !host.chars().all(is_host) {
        return Err(BrokerError::Host);
    }
    let fleet = fleet.strip_suffix('/').unwrap_or(fleet);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if fleet.len() > LONGEST_FLEET || !fleet.chars().all(is_name) {
        return Err(BrokerError::Fleet);
    }
    let fleet = if fleet.is_empty() { BrokerAddress::FLEET } else { fleet }.to_owned();
    let address = BrokerAddress { tls, host, port, fleet };
    if !tls && !is_loopback(&address.host) {
        return Err(BrokerError::Plain);
    }
    Ok(address)
}

/// Whether what is sent to a host stays on this machine.
fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_encrypted_or_of_this_machine() {
        for (text, shown) in [
            ("tls://broker.internal", "tls://broker.internal:4222"),
            ("tls://10.0.0.7:4333/nightly", "tls://10.0.0.7:4333/nightly"),
            ("tls://[fd00::7]/", "tls://[fd00::7]:4222"),
            ("nats://127.0.0.1:4222", "nats://127.0.0.1:4222"),
            ("nats://localhost/a-b_c", "nats://localhost:4222/a-b_c"),
            ("nats://[::1]:1", "nats://[::1]:1"),
        ] {
            assert_eq!(parse_broker(text).map(|address| address.to_string()), Ok(shown.to_owned()));
        }
        for (text, error) in [
            ("broker:4222", BrokerError::Scheme),
            ("ws://broker:4222", BrokerError::Scheme),
            ("tls://s3cret@broker", BrokerError::Secret),
            ("tls://broker?token=s3cret", BrokerError::Secret),
            ("tls://:4222", BrokerError::Host),
            ("tls://broker:0", BrokerError::Host),
            ("tls://bro ker", BrokerError::Host),
            ("tls://broker,other:4222", BrokerError::Host),
            ("tls://broker/a.b", BrokerError::Fleet),
            ("tls://broker/a/b", BrokerError::Fleet),
            ("nats://10.0.0.7:4222", BrokerError::Plain),
            ("nats://broker", BrokerError::Plain),
            ("nats://127.0.0.1.nip.io", BrokerError::Plain),
        ] {
            assert_eq!(parse_broker(text), Err(error), "{text}");
        }
    }
}
