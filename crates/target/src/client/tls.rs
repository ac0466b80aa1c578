//! TLS for connections to servers: what to trust, and how to say why something is not trusted.

use super::private_file::read_public;
use model::{Endpoint, Failure, FailureKind, Tls};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use std::path::Path;
use std::sync::Arc;

/// Builds the TLS configuration that an address asks for; `None` for no TLS. Build it once for
/// many connections: reading the system's certificates takes milliseconds.
///
/// # Errors
/// `Tls` when there are no certificates to check the server against.
pub fn client_config(tls: &Tls) -> Result<Option<Arc<ClientConfig>>, Failure> {
    let roots = match tls {
        Tls::Off => return Ok(None),
        Tls::Unverified => None,
        Tls::Verified(Some(path)) => Some(roots_of_file(path)?),
        Tls::Verified(None) => Some(roots_of_system()?),
        Tls::Pinned(pem) => {
            Some(roots_in(pem.as_bytes(), "what this server is to be checked against")?)
        }
    };
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| {
            Failure::new(FailureKind::Tls, format!("cannot set up TLS: {error}"), "")
        })?;
    let config = match roots {
        Some(roots) => builder.with_root_certificates(roots).with_no_client_auth(),
        None => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(TrustAnything { provider }))
            .with_no_client_auth(),
    };
    Ok(Some(Arc::new(config)))
}

/// The same for a process on another machine, which has not the files of this one: the certificates of a
/// file are in it, and nothing else of that file. What cannot be read or is no certificate gives none,
/// with which no server is trusted.
pub fn carried(tls: &Tls) -> Tls {
    let Tls::Verified(Some(path)) = tls else { return tls.clone() };
    let place = path.display().to_string();
    let read = read_public(path).map_err(|error| unusable(&place, &error.to_string()));
    let certificates = read.and_then(|pem| certificates_in(&pem, &place)).unwrap_or_default();
    Tls::Pinned(certificates.iter().map(|certificate| pem_of(certificate)).collect())
}

/// The name that the certificate of a server at that place must carry.
///
/// # Errors
/// `Tls` when the host is not a name that a certificate can carry.
pub fn server_name(endpoint: &Endpoint) -> Result<ServerName<'static>, Failure> {
    let host = match endpoint {
        Endpoint::Tcp { host, .. } => host.as_str(),
        Endpoint::Socket(_) | Endpoint::NotUp => "localhost",
    };
    ServerName::try_from(host.to_owned()).map_err(|_| {
        Failure::new(
            FailureKind::Tls,
            format!("{host} is not a host name that a TLS certificate can carry"),
            "use the server's DNS name or its IP address",
        )
    })
}

/// Turns a TLS error at a server into a failure that says what to do.
pub fn failure(error: &Error, endpoint: &Endpoint) -> Failure {
    let (message, remedy) = match error {
        Error::InvalidCertificate(reason) => return untrusted(reason, endpoint),
        Error::PeerIncompatible(_) => (
            format!("no common TLS version or cipher with {endpoint}: {error}"),
            "allow TLS 1.2 or 1.3 in the server's settings".to_owned(),
        ),
        other => (
            format!("TLS with {endpoint} failed: {other}"),
            "see the server's error log".to_owned(),
        ),
    };
    Failure::new(FailureKind::Tls, message, remedy)
}

/// Why a certificate was not accepted. rustls names most reasons by their variant only.
fn untrusted(reason: &CertificateError, endpoint: &Endpoint) -> Failure {
    let (problem, remedy) = match reason {
        CertificateError::UnknownIssuer => (
            "is signed by an authority that is not known here".to_owned(),
            "give the file with that authority's certificate",
        ),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            (format!("is made out for another name: {reason}"), "use a host name that it carries")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            (format!("has expired: {reason}"), "renew it")
        }
        CertificateError::Other(other) if other.to_string().contains("UnsupportedCertVersion") => (
            "has the old format X.509 v1, which cannot be checked".to_owned(),
            "create one of version 3 (openssl does when it is given extensions such as \
             subjectAltName)",
        ),
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => (
            "is an authority's own, not a server's".to_owned(),
            "create a certificate signed by that authority for the server",
        ),
        _ => (format!("is invalid: {reason}"), "give the server another one"),
    };
    Failure::new(
        FailureKind::Tls,
        format!("the TLS certificate of {endpoint} {problem}"),
        format!("{remedy}, or connect without checking the certificate"),
    )
}

fn roots_of_file(path: &Path) -> Result<RootCertStore, Failure> {
    let place = path.display().to_string();
    let pem = read_public(path).map_err(|error| unusable(&place, &error.to_string()))?;
    roots_in(&pem, &place)
}

fn unusable(place: &str, reason: &str) -> Failure {
    Failure::new(
        FailureKind::Tls,
        format!("cannot use the certificates in {place}: {reason}"),
        "give a PEM file that holds the certificate of the authority that signed the server's",
    )
}

fn roots_in(pem: &[u8], place: &str) -> Result<RootCertStore, Failure> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates_in(pem, place)? {
        roots.add(certificate).map_err(|e| unusable(place, &e.to_string()))?;
    }
    Ok(roots)
}

/// The certificates of a PEM file, at least one, each parsed from its first byte to its last. Whatever
/// else is in the file, such as a private key, is left out.
fn certificates_in(pem: &[u8], place: &str) -> Result<Vec<CertificateDer<'static>>, Failure> {
    let mut certificates = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|e| unusable(place, &e.to_string()))?;
        RootCertStore::empty()
            .add(certificate.clone())
            .map_err(|e| unusable(place, &e.to_string()))?;
        certificates.push(certificate);
    }
    match certificates.is_empty() {
        true => Err(unusable(place, "there are none in it")),
        false => Ok(certificates),
    }
}

/// A certificate as PEM (RFC 7468).
fn pem_of(certificate: &CertificateDer<'_>) -> String {
    const WIDTH: usize = 64;
    let text = base64(certificate);
    let mut pem = "-----BEGIN CERTIFICATE-----\n".to_owned();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(WIDTH));
        pem += line;
        pem.push('\n');
        rest = after;
    }
    pem + "-----END CERTIFICATE-----\n"
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let whole = (0..3).fold(0, |all, at| all << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        for at in 0..4 {
            let digit = DIGITS[(whole >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= group.len() { digit.into() } else { '=' });
        }
    }
    text
}

fn roots_of_system() -> Result<RootCertStore, Failure> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // Systems carry certificates that are malformed or outdated; the others count.
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let reason = found.errors.first().map(|e| format!(": {e}")).unwrap_or_default();
        return Err(Failure::new(
            FailureKind::Tls,
            format!("this system has no root certificates to check a server against{reason}"),
            "install the package ca-certificates, or give a file with the authority's certificate",
        ));
    }
    Ok(roots)
}

/// Takes every certificate, of whatever format: the connection is encrypted, and nobody knows with
/// whom. The signature of the handshake proves nothing then, so it is not checked either, and
/// certificates of X.509 v1 pass, which rustls could not read.
#[derive(Debug)]
struct TrustAnything {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for TrustAnything {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A study names the file, and must not be able to fill the memory or stop weighin for ever.
    #[test]
    fn certificates_that_never_end_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        for path in ["/dev/zero", fifo.to_str().unwrap()] {
            let failure = client_config(&Tls::Verified(Some(path.into()))).unwrap_err();
            assert!(failure.message.contains(path), "{failure}");
        }
    }
}
