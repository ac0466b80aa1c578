//! TLS for connections to servers: what to trust, and how to say why something is not trusted.

use super::private_file::read_public;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Endpoint, Failure, FailureKind, Tls};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme,
};
use std::path::Path;
use std::sync::Arc;

/// Builds the TLS configuration that an address asks for; `None` for no TLS. Build it once for
/// many connections: reading the system's certificates takes milliseconds.
///
/// # Errors
/// `Tls` when there are no certificates to check the server against.
pub fn client_config(tls: &Tls) -> Result<Option<Arc<ClientConfig>>, Failure> {
    let trusted = match tls {
        // Where the server is to say, a connection is begun for each that it may say.
        Tls::Off | Tls::Allowed(_) | Tls::Preferred(_) => return Ok(None),
        Tls::Unverified => None,
        Tls::Verified(Some(path)) | Tls::Chain(path) => Some(trusted_of_file(path)?),
        Tls::Verified(None) => Some((roots_of_system()?, Vec::new())),
        Tls::Pinned(pem) => {
            Some(trusted_in(pem.as_bytes(), "what this server is to be checked against")?)
        }
    };
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| {
            Failure::new(FailureKind::Tls, format!("cannot set up TLS: {error}"), "")
        })?;
    let trust = match trusted {
        Some(trusted) if matches!(tls, Tls::Chain(_)) => {
            Trust::Chain(Authorities::new(trusted, provider)?)
        }
        Some(trusted) => Trust::Named(Authorities::new(trusted, provider)?),
        None => Trust::Anything(provider),
    };
    let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(trust));
    Ok(Some(Arc::new(builder.with_no_client_auth())))
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
        Error::AlertReceived(AlertDescription::HandshakeFailure) => (
            format!(
                "{endpoint} refuses every cipher and key exchange that weighin offers (TLS 1.3, and \
                 TLS 1.2 with ECDHE)"
            ),
            "servers that offer DHE or RSA alone are such, as MySQL before 8.0.16 built with OpenSSL \
             1.0 is: allow an ECDHE cipher (ssl_cipher, or remove that setting; for Redis tls-ciphers), \
             update the server, or connect over its socket or without TLS"
                .to_owned(),
        ),
        Error::AlertReceived(AlertDescription::ProtocolVersion) => (
            format!("{endpoint} speaks neither TLS 1.2 nor 1.3"),
            "allow one of them in the server's settings (tls_version; for Redis tls-protocols), or \
             update the server"
                .to_owned(),
        ),
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
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
            format!("is made out for another name: {reason}"),
            "use a host name that it carries, or make one that carries this (openssl: -addext \
                 subjectAltName=DNS:NAME, or IP:ADDRESS; its CN alone does not count)",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            (format!("has expired: {reason}"), "renew it")
        }
        CertificateError::Other(other) if other.to_string().contains("UnsupportedCertVersion") => (
            "has the old format X.509 v1, which cannot be checked".to_owned(),
            "make one of version 3: openssl does when it is given extensions, as in openssl req -x509 \
             … -addext subjectAltName=DNS:NAME, and openssl x509 -req … -extfile FILE",
        ),
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => (
            "is an authority's own (CA:TRUE), and not the one that was given to check it by"
                .to_owned(),
            "give exactly this certificate as the one to check by (tls_ca), or have the server use one \
             that is signed by an authority whose certificate is given there",
        ),
        _ => (format!("is invalid: {reason}"), "give the server another one"),
    };
    Failure::new(
        FailureKind::Tls,
        format!("the TLS certificate of {endpoint} {problem}"),
        format!("{remedy}, or connect without checking the certificate"),
    )
}

/// Authorities, and the certificates that they have.
type Trusted = (RootCertStore, Vec<CertificateDer<'static>>);

fn trusted_of_file(path: &Path) -> Result<Trusted, Failure> {
    let place = path.display().to_string();
    let pem = read_public(path).map_err(|error| unusable(&place, &error.to_string()))?;
    trusted_in(&pem, &place)
}

fn unusable(place: &str, reason: &str) -> Failure {
    Failure::new(
        FailureKind::Tls,
        format!("cannot use the certificates in {place}: {reason}"),
        "give a PEM file that holds the certificate of the authority that signed the server's",
    )
}

fn trusted_in(pem: &[u8], place: &str) -> Result<Trusted, Failure> {
    let (mut roots, named) = (RootCertStore::empty(), certificates_in(pem, place)?);
    for certificate in &named {
        roots.add(certificate.clone()).map_err(|e| unusable(place, &e.to_string()))?;
    }
    Ok((roots, named))
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
    let text = STANDARD.encode(certificate);
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

/// What a certificate must show.
#[derive(Debug)]
enum Trust {
    /// That an authority which was named has signed it, and that it is made out for the host; where a server
    /// shows the very certificate that was named, that one: `openssl req -x509` marks what it makes as an
    /// authority’s own, and it is given to both sides all the same. Time, host name and the signature of
    /// the handshake are checked in either case.
    Named(Authorities),
    /// The same for whichever host the certificate is: with an authority that signs for others as well, a
    /// server of theirs could answer.
    Chain(Authorities),
    /// Nothing, in whatever format it is: the connection is encrypted, and nobody knows with whom. The
    /// signature of the handshake proves nothing then, so it is not checked either, and certificates of
    /// X.509 v1 pass, which rustls could not read.
    Anything(Arc<CryptoProvider>),
}

/// Authorities, and the certificates that were named.
#[derive(Debug)]
struct Authorities {
    verifier: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl Authorities {
    fn new((roots, named): Trusted, provider: Arc<CryptoProvider>) -> Result<Self, Failure> {
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let verifier = verifier.map_err(|error| {
            Failure::new(FailureKind::Tls, format!("cannot set up TLS: {error}"), "")
        })?;
        Ok(Self { verifier, named })
    }
}

/// Whether all that is wrong with a certificate is who signed it, or that it could sign others. Both are
/// looked at after its time.
fn is_of_issuer(error: &Error) -> bool {
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => true,
        Error::InvalidCertificate(CertificateError::Other(other)) => {
            other.to_string().contains("CaUsedAsEndEntity")
        }
        _ => false,
    }
}

/// Whether a certificate is made out for another name. That is looked at last: all else is right where that
/// alone is wrong.
fn is_of_name(error: &Error) -> bool {
    use CertificateError::{NotValidForName, NotValidForNameContext};
    matches!(error, Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }))
}

impl Trust {
    /// The authorities whose word it takes.
    fn authorities(&self) -> Option<&Authorities> {
        match self {
            Self::Named(authorities) | Self::Chain(authorities) => Some(authorities),
            Self::Anything(_) => None,
        }
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let assertion = ServerCertVerified::assertion();
        let Some(Authorities { verifier, named }) = self.authorities() else {
            return Ok(assertion);
        };
        let verified =
            verifier.verify_server_cert(end_entity, intermediates, name, ocsp_response, now);
        let verified = match verified {
            Err(error) if is_of_issuer(&error) && named.contains(end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, name)
                    .map(|()| assertion)
            }
            verified => verified,
        };
        match (self, verified) {
            (Self::Chain(_), Err(error)) if is_of_name(&error) => {
                Ok(ServerCertVerified::assertion())
            }
            (_, verified) => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.authorities() {
            Some(all) => all.verifier.verify_tls12_signature(message, cert, signature),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        match self.authorities() {
            Some(all) => all.verifier.verify_tls13_signature(message, cert, signature),
            None => Ok(HandshakeSignatureValid::assertion()),
        }
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        match self {
            Self::Named(all) | Self::Chain(all) => all.verifier.supported_verify_schemes(),
            Self::Anything(provider) => {
                provider.signature_verification_algorithms.supported_schemes()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the servers of tests cannot show: another time, and a certificate of the same key that is not
    /// the same.
    #[test]
    fn a_certificate_that_was_given_is_checked_for_time_and_name() {
        let directory = tempfile::tempdir().unwrap();
        let make = |arguments: &str| {
            let ran = std::process::Command::new("openssl")
                .args(arguments.split(' '))
                .current_dir(&directory)
                .output();
            assert!(ran.unwrap().status.success(), "{arguments}");
        };
        let names = "-days 1 -subj /CN=x -addext subjectAltName=DNS:db.internal";
        make(&format!("req -x509 -newkey rsa:2048 -nodes -keyout key -out one {names}"));
        make(&format!("req -x509 -new -key key -out two {names}"));
        let read = |file| std::fs::read(directory.path().join(file)).unwrap();
        let trusted = trusted_in(&read("one"), "one").unwrap();
        let other = trusted_in(&read("two"), "two").unwrap().1;
        let one = trusted.1.clone();
        let authorities = Authorities::new(trusted, Arc::new(ring::default_provider())).unwrap();
        let verifier = Trust::Named(authorities);
        let day = std::time::Duration::from_secs(86_400);
        let today = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let verify = |certificate: &CertificateDer<'_>, name: &'static str, at| {
            let (name, at) = (ServerName::try_from(name).unwrap(), UnixTime::since_unix_epoch(at));
            verifier.verify_server_cert(certificate, &[], &name, &[], at).map(|_| ())
        };
        let now = today + day / 24;
        assert_eq!(verify(&one[0], "db.internal", now), Ok(()));
        assert!(verify(&one[0], "db.external", now).is_err());
        assert!(verify(&one[0], "db.internal", today + 2 * day).is_err());
        assert!(verify(&one[0], "db.internal", today - day).is_err());
        assert!(verify(&other[0], "db.internal", now).is_err());
    }

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
