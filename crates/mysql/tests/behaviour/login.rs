//! Logins, as transcripts of what each kind of server sends.

use crate::support::{self, err, flag, greeting, ok, packet};
use mysql::protocol::{
    Login, LoginError, LoginOptions, LoginStep, ProtocolError, ServerKey, SessionInfo,
};

const NATIVE: &str = "mysql_native_password";
const CACHING: &str = "caching_sha2_password";
/// Answers to the challenge of `support::CHALLENGE` for the password `secret`, computed from the
/// definitions of both plugins with another implementation of SHA-1 and SHA-256.
const NATIVE_ANSWER: &str = "8817c50fa779daef010ee7577825b0847df9842e";
const CACHING_ANSWER: &str = "c76e2898612a4cf042c77fa8c4702c4c64c0c2c557c53c4d75595aaa6abae809";

fn options() -> LoginOptions {
    LoginOptions {
        user: "bench".into(),
        password: b"secret".to_vec(),
        database: Some("sbtest".into()),
        tls: false,
        compression: false,
        local_transport: false,
        local_infile: false,
        server_key: ServerKey::Refuse,
        may_reveal: true,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A login, and what it has sent since the last look.
struct Client {
    login: Login,
    sent: Vec<u8>,
}

impl Client {
    fn new(options: LoginOptions) -> Self {
        Self { login: Login::new(options), sent: Vec::new() }
    }

    fn receive(&mut self, sequence: u8, payload: &[u8]) -> Result<LoginStep, LoginError> {
        self.login.receive(&packet(sequence, payload), &mut self.sent)
    }

    /// Receives a packet after which there must be more to come.
    fn go_on(&mut self, sequence: u8, payload: &[u8]) {
        let step = self.receive(sequence, payload).unwrap();
        assert_eq!(step, LoginStep::NeedMore { consumed: payload.len() + 4 });
    }

    /// Receives the packet that lets the client in.
    fn finish(&mut self, sequence: u8) -> SessionInfo {
        match self.receive(sequence, &ok(0, 0, 2)).unwrap() {
            LoginStep::Done { session, .. } => session,
            other => panic!("{other:?}"),
        }
    }

    /// The one packet that was sent; its number must be that.
    fn sent(&mut self, sequence: u8) -> Vec<u8> {
        let sent = std::mem::take(&mut self.sent);
        assert_eq!(sent[..4], [(sent.len() - 4) as u8, ((sent.len() - 4) >> 8) as u8, 0, sequence]);
        sent[4..].to_vec()
    }
}

/// A parsed answer to a greeting.
struct Response {
    flags: u32,
    extended: u32,
    user: String,
    answer: Vec<u8>,
    rest: Vec<String>,
}

fn response(packet: &[u8]) -> Response {
    let (head, body) = packet.split_at(32);
    let end = body.iter().position(|&byte| byte == 0).unwrap();
    let length = usize::from(body[end + 1]);
    let rest = &body[end + 2 + length..];
    Response {
        flags: u32::from_le_bytes(head[..4].try_into().unwrap()),
        extended: u32::from_le_bytes(head[28..].try_into().unwrap()),
        user: String::from_utf8(body[..end].to_vec()).unwrap(),
        answer: body[end + 2..end + 2 + length].to_vec(),
        rest: rest.split_inclusive(|&byte| byte == 0).map(text).collect(),
    }
}

fn text(zero_terminated: &[u8]) -> String {
    String::from_utf8(zero_terminated.strip_suffix(&[0]).unwrap().to_vec()).unwrap()
}

#[test]
fn mysql_5_7_with_a_native_password() {
    let mut client = Client::new(options());
    client.go_on(0, &greeting("5.7.44-log", flag::MYSQL_8, 0, NATIVE));
    let response = response(&client.sent(1));
    assert_eq!(response.user, "bench");
    assert_eq!(hex(&response.answer), NATIVE_ANSWER);
    assert_eq!(response.rest, ["sbtest", NATIVE]);
    assert_ne!(response.flags & flag::MYSQL, 0);
    assert_eq!(response.flags & flag::LOCAL_FILES, 0);
    let session = client.finish(2);
    assert_eq!(session.server_version, "5.7.44-log");
    assert_eq!(session.connection_id, 77);
    assert!(session.dialect.deprecate_eof && !session.dialect.cache_metadata);
}

#[test]
fn mysql_8_with_the_password_in_the_servers_cache() {
    let mut client = Client::new(options());
    client.go_on(0, &greeting("8.4.2", flag::MYSQL_8, 0, CACHING));
    let response = response(&client.sent(1));
    assert_eq!(hex(&response.answer), CACHING_ANSWER);
    assert_eq!(response.rest, ["sbtest", CACHING]);
    client.go_on(2, &[1, 3]);
    assert!(client.sent.is_empty(), "nothing is to be said to a hit in the cache");
    assert_eq!(client.finish(3).server_version, "8.4.2");
}

#[test]
fn mysql_8_full_exchange_over_tls_sends_the_password_after_encryption_started() {
    let mut client = Client::new(LoginOptions { tls: true, ..options() });
    let hello = greeting("8.0.40", flag::MYSQL_8 | flag::SSL, 0, CACHING);
    let step = client.receive(0, &hello).unwrap();
    assert_eq!(step, LoginStep::StartTls { consumed: hello.len() + 4 });
    let request = client.sent(1);
    assert_eq!(request.len(), 32, "nothing of the login travels before TLS");
    assert_ne!(u32::from_le_bytes(request[..4].try_into().unwrap()) & flag::SSL, 0);
    client.login.tls_started(&mut client.sent);
    assert_eq!(hex(&response(&client.sent(2)).answer), CACHING_ANSWER);
    client.go_on(3, &[1, 4]);
    assert_eq!(client.sent(4), b"secret\0");
    client.finish(5);
}

#[test]
fn mysql_8_full_exchange_on_a_unix_socket_sends_the_password() {
    let mut client = Client::new(LoginOptions { local_transport: true, ..options() });
    client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, CACHING));
    client.sent(1);
    client.go_on(2, &[1, 4]);
    assert_eq!(client.sent(3), b"secret\0");
    client.finish(4);
}

#[test]
fn without_a_password_the_answer_is_empty() {
    for plugin in [NATIVE, CACHING] {
        let mut client = Client::new(LoginOptions { password: vec![], ..options() });
        client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, plugin));
        assert!(response(&client.sent(1)).answer.is_empty());
        client.finish(2);
    }
}

#[test]
fn mariadb_agrees_on_results_without_definitions() {
    let offered = flag::MYSQL_8 & !flag::MYSQL;
    let mut client = Client::new(LoginOptions { local_infile: true, ..options() });
    client.go_on(0, &greeting("5.5.5-10.11.6-MariaDB", offered, 0x1F, NATIVE));
    let response = response(&client.sent(1));
    assert_eq!(response.flags & flag::MYSQL, 0);
    assert_ne!(response.flags & flag::LOCAL_FILES, 0);
    assert_eq!(response.extended, 0x10);
    let session = client.finish(2);
    assert_eq!(session.server_version, "10.11.6-MariaDB");
    assert!(session.dialect.deprecate_eof && session.dialect.cache_metadata);
}

#[test]
fn a_server_may_switch_to_another_plugin() {
    let mut client = Client::new(options());
    client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, "sha256_password"));
    client.sent(1);
    let switch = [b"\xFEmysql_native_password\0", &support::CHALLENGE[..], &[0]].concat();
    client.go_on(2, &switch);
    assert_eq!(hex(&client.sent(3)), NATIVE_ANSWER);
    client.finish(4);
}

#[test]
fn a_password_in_clear_is_only_sent_over_tls() {
    let switch = b"\xFEmysql_clear_password\0";
    let mut client = Client::new(options());
    client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, NATIVE));
    client.sent(1);
    assert_eq!(client.receive(2, switch).unwrap_err(), LoginError::CleartextRefused);
    assert!(client.sent.is_empty());

    let mut client = Client::new(LoginOptions { tls: true, ..options() });
    client.receive(0, &greeting("8.0.40", flag::MYSQL_8 | flag::SSL, 0, NATIVE)).unwrap();
    client.sent(1);
    client.login.tls_started(&mut client.sent);
    client.sent(2);
    client.go_on(3, switch);
    assert_eq!(client.sent(4), b"secret\0");
}

#[test]
fn plugins_that_are_not_there_or_not_safe_are_named() {
    let cases: [(&[u8], LoginError); 4] = [
        (b"\xFEdialog\0Password: ", LoginError::UnsupportedPlugin("dialog".into())),
        (b"\xFEparsec\0challenge", LoginError::UnsupportedPlugin("parsec".into())),
        (b"\xFEmysql_old_password\0abcdefgh\0", LoginError::TooOld),
        (b"\xFE", LoginError::TooOld),
    ];
    for (switch, expected) in cases {
        let mut client = Client::new(options());
        client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, NATIVE));
        assert_eq!(client.receive(2, switch).unwrap_err(), expected);
    }
}

#[test]
fn the_servers_refusal_is_handed_on() {
    // Before the greeting there is no SQL state.
    let mut client = Client::new(options());
    let refusal = [&[0xFF][..], &1040_u16.to_le_bytes(), b"Too many connections"].concat();
    let LoginError::Server(error) = client.receive(0, &refusal).unwrap_err() else { panic!() };
    assert_eq!((error.code, error.sql_state_str()), (1040, "HY000"));
    assert_eq!(error.message, "Too many connections");

    let mut client = Client::new(options());
    client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, NATIVE));
    let denied = client.receive(2, &err(1045, "28000", "Access denied")).unwrap_err();
    assert!(matches!(denied, LoginError::Server(error) if error.code == 1045));
}

#[test]
fn tls_is_never_given_up_for_a_server_without_it() {
    let mut client = Client::new(LoginOptions { tls: true, ..options() });
    let hello = greeting("8.0.40", flag::MYSQL_8, 0, NATIVE);
    assert_eq!(client.receive(0, &hello).unwrap_err(), LoginError::TlsNotOffered);
    assert!(client.sent.is_empty());
}

#[test]
fn data_that_comes_before_tls_starts_is_refused() {
    let mut client = Client::new(LoginOptions { tls: true, ..options() });
    let hello = packet(0, &greeting("8.0.40", flag::MYSQL_8 | flag::SSL, 0, NATIVE));
    let bytes = [hello, packet(1, &ok(0, 0, 2))].concat();
    let result = client.login.receive(&bytes, &mut client.sent);
    assert_eq!(result.unwrap_err(), LoginError::DataBeforeTls);
}

#[test]
fn whatever_does_not_speak_mysql_is_recognised() {
    for words in [&b"HTTP/1.1 400 Bad Request\r\n"[..], b"SSH-2.0-OpenSSH_9.2p1\r\n", b"-ERR x\r\n"]
    {
        let result = Login::new(options()).receive(words, &mut Vec::new());
        assert!(matches!(result, Err(LoginError::NotMySql(_))), "{result:?}");
    }
    let ancient = Login::new(options()).receive(&packet(0, b"\x093.20.1\0"), &mut Vec::new());
    assert_eq!(ancient.unwrap_err(), LoginError::TooOld);
    let cut = Login::new(options()).receive(&packet(0, b"\x0A8.0.40\0\x01"), &mut Vec::new());
    assert!(matches!(cut, Err(LoginError::NotMySql(ProtocolError::Truncated(_)))));
}

#[test]
fn names_that_the_protocol_cannot_express_are_refused() {
    let hello = packet(0, &greeting("8.0.40", flag::MYSQL_8, 0, NATIVE));
    let user = LoginOptions { user: "a\0b".into(), ..options() };
    let database = LoginOptions { database: Some("a\0b".into()), ..options() };
    for (options, which) in [(user, "user"), (database, "database")] {
        let result = Login::new(options).receive(&hello, &mut Vec::new());
        assert_eq!(result.unwrap_err(), LoginError::ZeroByte(which));
    }
}

#[test]
fn only_whole_packets_are_taken() {
    let hello = packet(0, &greeting("8.0.40", flag::MYSQL_8, 0, NATIVE));
    let mut login = Login::new(options());
    let mut sent = Vec::new();
    for end in 0..hello.len() {
        let step = login.receive(&hello[..end], &mut sent).unwrap();
        assert_eq!(step, LoginStep::NeedMore { consumed: 0 });
    }
    assert!(sent.is_empty());
    // What follows the last packet of the login belongs to the caller.
    login.receive(&hello, &mut sent).unwrap();
    let bytes = [packet(2, &ok(0, 0, 2)), b"more".to_vec()].concat();
    let step = login.receive(&bytes, &mut sent).unwrap();
    assert!(matches!(step, LoginStep::Done { consumed, .. } if consumed == bytes.len() - 4));
}

#[test]
fn the_password_does_not_show_in_debug_output() {
    assert!(!format!("{:?}", Login::new(options())).contains("secret"));
    assert!(!format!("{:?}", Login::new(options())).contains("115, 101"));
}

/// The greeting of a server whose accounts have that plugin, and the packet in which it asks for the
/// password itself.
fn asks_for_the_password(plugin: &str) -> (Vec<u8>, Vec<u8>) {
    let hello = greeting("8.0.40", flag::MYSQL_8, 0, plugin);
    match plugin {
        CACHING => (hello, vec![1, 4]),
        other => {
            let head = [b"\xFE", other.as_bytes(), b"\0"].concat();
            (hello, [&head[..], &support::CHALLENGE[..], &[0]].concat())
        }
    }
}

#[test]
fn no_key_is_asked_for_that_anybody_may_answer_with() {
    for plugin in [CACHING, "sha256_password"] {
        let (hello, question) = asks_for_the_password(plugin);
        let mut client = Client::new(options());
        client.go_on(0, &hello);
        client.sent(1);
        assert_eq!(client.receive(2, &question).unwrap_err(), LoginError::KeyNotTrusted);
        assert!(client.sent.is_empty(), "{plugin}");

        // Unless told to.
        let mut client = Client::new(LoginOptions { server_key: ServerKey::Request, ..options() });
        client.go_on(0, &hello);
        client.sent(1);
        client.go_on(2, &question);
        assert_eq!(client.sent(3), if plugin == CACHING { [2] } else { [1] });
    }
}

#[test]
fn a_server_that_is_not_verified_gets_a_proof_and_never_the_password() {
    let unverified = || LoginOptions { may_reveal: false, ..options() };
    // Over TLS with a certificate that nobody checked, and encrypted with whichever key it sends.
    for plugin in [CACHING, "sha256_password"] {
        let (hello, question) = asks_for_the_password(plugin);
        for (tls, server_key) in [(true, ServerKey::Refuse), (false, ServerKey::Request)] {
            let mut client = Client::new(LoginOptions { tls, server_key, ..unverified() });
            let hello = match tls {
                true => greeting("8.0.40", flag::MYSQL_8 | flag::SSL, 0, plugin),
                false => hello.clone(),
            };
            client.receive(0, &hello).unwrap();
            let mut next = 2;
            if tls {
                client.login.tls_started(&mut client.sent);
                next = 3;
            }
            client.sent.clear();
            assert!(client.receive(next, &question).is_err(), "{plugin} {tls}");
            assert!(client.sent.is_empty(), "{plugin} {tls}");
        }
    }
    // The fast path of a server that has seen the password is a proof.
    let mut client = Client::new(unverified());
    client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, CACHING));
    client.sent(1);
    client.go_on(2, &[1, 3]);
    client.finish(3);
    // In clear text, over TLS.
    let mut client = Client::new(LoginOptions { tls: true, ..unverified() });
    client.receive(0, &greeting("8.0.40", flag::MYSQL_8 | flag::SSL, 0, NATIVE)).unwrap();
    client.login.tls_started(&mut client.sent);
    client.sent.clear();
    let refused = client.receive(3, b"\xFEmysql_clear_password\0").unwrap_err();
    assert_eq!(refused, LoginError::WouldReveal);
    assert!(client.sent.is_empty());
}

#[test]
fn a_key_that_nobody_asked_for_is_not_used() {
    let mut client = Client::new(options());
    client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, CACHING));
    client.sent(1);
    assert!(client.receive(2, b"\x01-----BEGIN PUBLIC KEY-----").is_err());
    assert!(client.sent.is_empty());
}

#[test]
fn a_login_that_never_ends_is_given_up() {
    let mut client = Client::new(options());
    client.go_on(0, &greeting("8.0.40", flag::MYSQL_8, 0, NATIVE));
    client.sent(1);
    let switch = [b"\xFEmysql_native_password\0", &support::CHALLENGE[..], &[0]].concat();
    let ended = (0..100_u8).find_map(|turn| client.receive(2 + 2 * turn, &switch).err());
    assert_eq!(ended, Some(LoginError::Endless));
    assert!(client.sent.len() < 1000);
}

#[test]
fn a_version_without_end_is_cut() {
    let mut client = Client::new(options());
    client.go_on(0, &greeting(&"8".repeat(50_000), flag::MYSQL_8, 0, NATIVE));
    client.sent(1);
    assert_eq!(client.finish(2).server_version.len(), 255);
}
