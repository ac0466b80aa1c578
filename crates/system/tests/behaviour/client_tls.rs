//! TLS with a real server.

use crate::support::{Certificates, Server, address, value};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Tls};
use mysql::client::Connection;
use system::client::tls;

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
fn a_certificate_of_openssl_req_x509_is_believed_where_it_is_the_one_that_was_given() {
    let certificates = Certificates::self_signed();
    let server = certificates.start_server();
    let given = |file: &str| Tls::Verified(Some(certificates.file(file)));
    assert_ne!(cipher(&server, &secured(&server, "localhost", given("server.pem"))), "");
    let failure = refusal(&server, &secured(&server, "127.0.0.1", given("server.pem")));
    assert!(failure.message.contains("another name"), "{failure}");
    assert!(failure.remedy.contains("subjectAltName"), "{}", failure.remedy);
    let failure = refusal(&server, &secured(&server, "localhost", given("ca.pem")));
    assert!(failure.message.contains("an authority's own"), "{failure}");
    assert!(failure.remedy.contains("exactly this certificate"), "{}", failure.remedy);
    // The certificate is no secret: a server without its key shows it in vain.
    let other = Certificates::self_signed();
    std::fs::copy(certificates.file("server.pem"), other.file("stolen.pem")).unwrap();
    let pinned = Tls::Verified(Some(other.file("stolen.pem")));
    let impostor = other.start_server();
    refusal(&impostor, &secured(&impostor, "localhost", pinned));
}

#[test]
fn a_servers_certificate_that_was_given_needs_no_authority() {
    let certificates = Certificates::make(3);
    let server = certificates.start_server();
    let given = Tls::Verified(Some(certificates.file("server.pem")));
    assert_ne!(cipher(&server, &secured(&server, "localhost", given)), "");
}

#[test]
fn a_server_without_ecdhe_is_explained() {
    let certificates = Certificates::make(3);
    let (certificate, key) = (certificates.file("server.pem"), certificates.file("server.key"));
    let settings =
        [("ssl_cert", certificate.to_str().unwrap()), ("ssl_key", key.to_str().unwrap())];
    let tls12 = ("tls_version", "TLSv1.2");
    for cipher in ["DHE-RSA-AES256-GCM-SHA384", "AES256-GCM-SHA384"] {
        let server = Server::start(&[&settings[..], &[tls12, ("ssl_cipher", cipher)]].concat());
        let failure = refusal(&server, &secured(&server, "localhost", Tls::Unverified));
        assert!(failure.message.contains("TLS 1.2 with ECDHE"), "{failure}");
        assert!(failure.remedy.contains("ssl_cipher"), "{}", failure.remedy);
    }
}

#[test]
fn load_hosts_get_the_certificates_of_a_file_and_nothing_else_of_it() {
    let certificates = Certificates::make(3);
    let read = |name: &str| std::fs::read_to_string(certificates.file(name)).unwrap();
    let (authority, key) = (read("ca.pem"), read("ca.key"));
    let bundle = certificates.file("bundle.pem");
    let carried = |content: &str| {
        std::fs::write(&bundle, content).unwrap();
        let Tls::Pinned(pem) = tls::carried(&Tls::Verified(Some(bundle.clone()))) else {
            panic!("a file is named")
        };
        pem
    };
    let pem = carried(&format!("comment hunter2\n{key}\n{authority}more hunter2\n"));
    assert_eq!(pem.trim(), authority.trim());
    assert!(!pem.contains("PRIVATE") && !pem.contains("hunter2"), "{pem}");
    assert!(tls::client_config(&Tls::Pinned(pem)).is_ok());
    // What is no certificate, although it says so, is sent to nobody.
    let label = |text: &str, from: &str| text.replace(from, "CERTIFICATE");
    let disguised = label(&label(&key, "RSA PRIVATE KEY"), "EC PRIVATE KEY");
    for content in [
        "",
        "hunter2",
        &key,
        &disguised.replace("PRIVATE KEY", "CERTIFICATE"),
        "-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n",
    ] {
        assert_eq!(carried(content), "", "{content}");
        let garbage_behind = carried(&format!("{authority}{content}"));
        assert!(garbage_behind.is_empty() || garbage_behind.trim() == authority.trim());
    }
    let gone = Tls::Verified(Some(certificates.file("missing.pem")));
    assert!(tls::client_config(&tls::carried(&gone)).is_err());
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
    let given = Tls::Verified(Some(certificates.file("server.pem")));
    let failure = refusal(&server, &secured(&server, "localhost", given));
    assert!(failure.message.contains("X.509 v1"), "{failure}");
    assert!(failure.remedy.contains("openssl req -x509"), "{}", failure.remedy);
}

#[test]
fn a_server_without_tls_is_not_talked_to_in_clear() {
    let server = Server::start(&[("skip_ssl", "")]);
    let failure = refusal(&server, &secured(&server, "127.0.0.1", Tls::Unverified));
    assert!(failure.message.contains("does not offer TLS"), "{failure}");
}
