//! TLS with a real server.

use crate::support::{Certificates, Server, address, value};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Tls};
use target::client::Connection;

fn secured(server: &Server, host: &str, tls: Tls) -> ServerAddress {
    let endpoint = Endpoint::Tcp { host: host.to_owned(), port: server.sandbox.port() };
    ServerAddress { tls, ..address(endpoint) }
}

/// The cipher of a connection that must succeed.
fn cipher(server: &Server, address: &ServerAddress) -> String {
    let mut connection = Connection::open(address, &server.administrator()).unwrap();
    let rows = connection.query("SHOW STATUS LIKE 'Ssl_cipher'").unwrap().rows;
    String::from_utf8(rows[0][1].clone().unwrap()).unwrap()
}

fn refusal(server: &Server, address: &ServerAddress) -> Failure {
    let failure = Connection::open(address, &server.administrator()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Tls, "{failure}");
    assert!(!failure.remedy.is_empty(), "{failure}");
    failure
}

#[test]
fn connections_are_encrypted_and_certificates_checked() {
    let certificates = Certificates::make(3);
    let server = certificates.start_server();
    let authority = Tls::Verified(Some(certificates.file("ca.pem")));

    assert_eq!(cipher(&server, &secured(&server, "localhost", Tls::Off)), "");
    assert_ne!(cipher(&server, &secured(&server, "127.0.0.1", Tls::Unverified)), "");
    let verified = secured(&server, "localhost", authority.clone());
    assert_ne!(cipher(&server, &verified), "");
    let socket = ServerAddress { tls: authority.clone(), ..address(server.socket()) };
    assert_ne!(cipher(&server, &socket), "");

    let failure = refusal(&server, &secured(&server, "127.0.0.1", authority));
    assert!(failure.remedy.contains("host name"), "{failure}: {}", failure.remedy);

    let other = Tls::Verified(Some(Certificates::make(3).file("ca.pem")));
    let failure = refusal(&server, &secured(&server, "localhost", other));
    assert!(failure.remedy.contains("authority"), "{failure}: {}", failure.remedy);

    let gone = Tls::Verified(Some(certificates.file("missing.pem")));
    let failure = refusal(&server, &secured(&server, "localhost", gone));
    assert!(failure.message.contains("missing.pem"), "{failure}");
    let no_certificate = Tls::Verified(Some(certificates.file("server.key")));
    let failure = refusal(&server, &secured(&server, "localhost", no_certificate));
    assert!(failure.message.contains("server.key"), "{failure}");

    // More than one TLS record in either direction.
    let mut connection = Connection::open(&verified, &server.administrator()).unwrap();
    let text = "x".repeat(100_000);
    assert_eq!(value(&mut connection, &format!("SELECT REPEAT('{text}', 2)")).len(), 200_000);
}

#[test]
fn a_server_that_shows_its_authoritys_certificate_is_explained() {
    let certificates = Certificates::make(3);
    let (certificate, key) = (certificates.file("ca.pem"), certificates.file("ca.key"));
    let server = Server::start(&[
        ("ssl_cert", certificate.to_str().unwrap()),
        ("ssl_key", key.to_str().unwrap()),
    ]);
    let verified = secured(&server, "localhost", Tls::Verified(Some(certificate)));
    let failure = refusal(&server, &verified);
    assert!(failure.message.contains("an authority's own"), "{failure}");
}

#[test]
fn an_account_that_requires_tls_gets_in_with_it() {
    let certificates = Certificates::make(3);
    let server = certificates.start_server();
    server.connect().execute("ALTER USER weighin@'127.0.0.1' REQUIRE SSL").unwrap();
    let plain = secured(&server, "127.0.0.1", Tls::Off);
    let failure = Connection::open(&plain, &server.administrator()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::AccessDenied);
    assert!(failure.remedy.contains("TLS"), "{}", failure.remedy);
    assert_ne!(cipher(&server, &secured(&server, "127.0.0.1", Tls::Unverified)), "");
}

#[test]
fn a_certificate_of_version_1_passes_unchecked_and_is_explained_otherwise() {
    let certificates = Certificates::make(1);
    let server = certificates.start_server();
    assert_ne!(cipher(&server, &secured(&server, "localhost", Tls::Unverified)), "");
    let verified = Tls::Verified(Some(certificates.file("ca.pem")));
    let failure = refusal(&server, &secured(&server, "localhost", verified));
    assert!(failure.message.contains("X.509 v1"), "{failure}");
}

#[test]
fn a_server_without_tls_is_not_talked_to_in_clear() {
    let server = Server::start(&[("skip_ssl", "")]);
    let failure = refusal(&server, &secured(&server, "127.0.0.1", Tls::Unverified));
    assert!(failure.message.contains("does not offer TLS"), "{failure}");
}
