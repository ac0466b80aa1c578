//! Where weighin listens, and who may come in.

use crate::token::Token;
use model::{Failure, FailureKind};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// A door as it is asked for.
#[derive(Debug)]
pub struct DoorOptions {
    pub listen: SocketAddr,
    /// What visitors must know.
    pub token: Option<Vec<u8>>,
    pub tls: Option<Pem>,
    /// Host names by which it is asked, besides addresses and `localhost`.
    pub names: Vec<String>,
    /// What the options of the command line begin with that set these, for messages: `--`.
    pub prefix: &'static str,
}

/// A certificate, with those between it and its authority, and its key, both in PEM.
pub struct Pem {
    pub certificate: Vec<u8>,
    pub key: Vec<u8>,
}

impl std::fmt::Debug for Pem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

/// Where weighin listens, and who may come in. On an address that others can reach that takes a token,
/// and TLS, without which the token and the pages could be read on the way.
#[derive(Clone, Debug)]
pub struct Door {
    pub(crate) listen: SocketAddr,
    pub(crate) token: Option<Token>,
    pub(crate) tls: Option<Arc<ServerConfig>>,
    names: Vec<String>,
    prefix: &'static str,
}

impl Door {
    /// # Errors
    /// When what the address needs is missing, the token is too short, or certificate and key cannot be
    /// used.
    pub fn new(options: DoorOptions) -> Result<Self, Failure> {
        let DoorOptions { listen, token, tls, names, prefix } = options;
        let is_open = !listen.ip().to_canonical().is_loopback();
        let missing: Vec<String> = [
            (
                token.is_none(),
                format!("a token ({prefix}token-file FILE or {prefix}token-env NAME)"),
            ),
            (tls.is_none(), format!("TLS ({prefix}certificate FILE and {prefix}key FILE)")),
        ]
        .into_iter()
        .filter_map(|(is_missing, what)| is_missing.then_some(what))
        .collect();
        if is_open && !missing.is_empty() {
            return Err(denied(
                format!("{} can be reached from other machines", listen.ip()),
                format!(
                    "add {}, or listen on 127.0.0.1 and reach it through ssh -L",
                    missing.join(" and ")
                ),
            ));
        }
        if let Some(name) = names.iter().find(|name| !is_host_name(name)) {
            return Err(denied(
                format!("{name} is no host name"),
                format!("write {prefix}name without scheme and port, such as bench.example.org"),
            ));
        }
        let token = token.as_deref().map(|token| Token::new(token, prefix)).transpose()?;
        let tls = tls.map(|pem| config(&pem, prefix)).transpose()?;
        let names = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
        Ok(Self { listen, token, tls, names, prefix })
    }

    /// Whether a request for this host is meant for this door. A page of another site can have its own
    /// name resolved to this machine, and would then read what it asks for: by an address, or a name
    /// that only this machine is known by, it cannot.
    pub(crate) fn is_for(&self, host: &str) -> bool {
        let Some(host) = host_of(host) else { return false };
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        address.unwrap_or(&host).parse::<IpAddr>().is_ok()
            || host == "localhost"
            || self.names.contains(&host)
    }

    pub(crate) fn name_option(&self) -> String {
        format!("{}name", self.prefix)
    }
}

/// A host without its port.
fn host_of(host: &str) -> Option<&str> {
    let end = match host.rfind(']') {
        Some(bracket) => bracket + 1,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (host, port) = host.split_at_checked(end)?;
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(host)
}

fn is_host_name(name: &str) -> bool {
    let part = |part: &str| {
        (1..=63).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    name.len() <= 253 && name.split('.').all(part)
}

fn config(pem: &Pem, prefix: &str) -> Result<Arc<ServerConfig>, Failure> {
    let unusable = |what: &str, reason: String| {
        Failure::new(
            FailureKind::Tls,
            format!("the {what} cannot be used: {reason}"),
            format!(
                "give {prefix}certificate a PEM file with the certificate and those between it and its \
                 authority, and {prefix}key one with its private key"
            ),
        )
    };
    let chain: Vec<CertificateDer<'_>> = CertificateDer::pem_slice_iter(&pem.certificate)
        .collect::<Result<_, _>>()
        .map_err(|error| unusable("certificate", error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable("certificate", "its file holds none".to_owned()));
    }
    let chain = chain.into_iter().map(CertificateDer::into_owned).collect();
    let key = PrivateKeyDer::from_pem_slice(&pem.key)
        .map_err(|error| unusable("private key", error.to_string()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable("library for TLS", error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| unusable("certificate or its key", error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn denied(message: String, remedy: String) -> Failure {
    Failure::new(FailureKind::AccessDenied, message, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(listen: &str) -> DoorOptions {
        let listen = listen.parse().unwrap();
        DoorOptions { listen, token: None, tls: None, names: Vec::new(), prefix: "--" }
    }

    #[test]
    fn what_others_can_reach_needs_a_token_and_tls() {
        for loopback in ["127.0.0.1:0", "127.3.2.1:80", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
            Door::new(options(loopback)).unwrap();
        }
        for open in ["0.0.0.0:0", "10.0.0.1:80", "[::]:0", "[2001:db8::1]:0", "[::ffff:10.0.0.1]:0"]
        {
            let failure = Door::new(options(open)).unwrap_err();
            assert!(failure.message.contains("other machines"), "{failure}");
            assert!(failure.remedy.contains("--token-file") && failure.remedy.contains("--key"));
            let token = Some(b"0123456789abcdef".to_vec());
            let failure = Door::new(DoorOptions { token, ..options(open) }).unwrap_err();
            assert!(!failure.remedy.contains("--token-file") && failure.remedy.contains("--key"));
        }
    }

    #[test]
    fn only_addresses_and_own_names_are_asked_for() {
        let names = vec!["Bench.example.org".to_owned()];
        let door = Door::new(DoorOptions { names, ..options("127.0.0.1:0") }).unwrap();
        for own in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8470",
            "[::1]:80",
            "[::1]",
            "192.168.1.7",
            "bench.example.org:443",
            "bench.example.org.",
        ] {
            assert!(door.is_for(own), "{own}");
        }
        for other in [
            "",
            "example.org",
            "localhost.example.org",
            "127.0.0.1.example.org",
            "localhost:80:80",
            "localhost:x",
            "[::1",
            "::1",
            "evil@localhost",
            "a.bench.example.org",
            "[::1]é",
        ] {
            assert!(!door.is_for(other), "{other}");
        }
    }

    #[test]
    fn names_without_scheme_and_port_are_taken() {
        for bad in ["", "http://a", "a:1", "a/b", "a b", "a..b"] {
            let names = vec![bad.to_owned()];
            let failure = Door::new(DoorOptions { names, ..options("127.0.0.1:0") }).unwrap_err();
            assert!(failure.message.contains("no host name"), "{failure}");
        }
    }
}
