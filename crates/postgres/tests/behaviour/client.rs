//! Control connections on a real server.

use crate::support::{ADMINISTRATOR, Server, address, open};
use model::{FailureKind, ServerAddress, Stop, Tls};
use postgres::client::Connection;
use std::time::Duration;
use system::client::{Credentials, Limits, Secret};

const HBA: &str = "hostssl all plain 127.0.0.1/32 password\n\
                   hostnossl all plain 127.0.0.1/32 password\n\
                   host all old 127.0.0.1/32 md5\n\
                   hostssl all new 127.0.0.1/32 scram-sha-256\n\
                   hostnossl all new 127.0.0.1/32 scram-sha-256\n\
                   hostssl all only_tls 127.0.0.1/32 scram-sha-256\n";

/// Accounts for every way to log in.
fn make_accounts(server: &Server) {
    let mut control = server.connect();
    for sql in [
        "SET password_encryption = 'md5'; CREATE USER old PASSWORD 'p:w'",
        "SET password_encryption = 'scram-sha-256'; CREATE USER new PASSWORD 'p:w'",
        "CREATE USER plain PASSWORD 'p:w'",
        "CREATE USER only_tls PASSWORD 'p:w'",
    ] {
        control.execute(sql).unwrap();
    }
}

/// Who logged in, and how: `tls` or not.
fn session(connection: &mut Connection) -> (String, bool) {
    let sql = "SELECT current_user, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let rows = connection.query(sql).unwrap().rows;
    (rows[0][0].clone().unwrap(), rows[0][1].as_deref() == Some("t"))
}

#[test]
fn every_way_of_logging_in_by_password_works_or_says_why_not() {
    let server = Server::start(&[], HBA);
    make_accounts(&server);
    let tcp = || address(server.tcp());
    let tls = |tls| ServerAddress { tls, ..tcp() };
    let certificate = || Some(server.certificate());

    // SCRAM alone, then bound to the channel, of a certificate that is verified and one that is not.
    for address in [tcp(), tls(Tls::Unverified), tls(Tls::Verified(certificate()))] {
        let mut connection = open(&address, "new", "p:w").unwrap();
        assert_eq!(session(&mut connection), ("new".to_owned(), address.tls != Tls::Off));
    }
    let refused = open(&tcp(), "new", "wrong").unwrap_err();
    assert_eq!(refused.kind, FailureKind::AccessDenied, "{refused:?}");
    assert!(refused.message.contains("28P01") && refused.message.contains("'new'"), "{refused}");
    let none = open(&tcp(), "new", "").unwrap_err();
    assert_eq!(none.kind, FailureKind::AccessDenied);
    assert!(none.remedy.contains(".pgpass"), "{none:?}");

    // A password as it is, and hashed by MD5, not where somebody could listen.
    let told = |may_reveal, address: &ServerAddress, user: &str| {
        let credentials =
            Credentials::found_elsewhere(user, Secret::new("p:w"), "the test", may_reveal);
        Connection::open_within(address, &credentials, Limits::default(), &Stop::default())
    };
    let refused = told(true, &tcp(), "plain").unwrap_err();
    assert_eq!(refused.kind, FailureKind::Tls, "{refused:?}");
    let refused = told(false, &tls(Tls::Unverified), "plain").unwrap_err();
    assert!(refused.message.contains("not verified"), "{refused:?}");
    assert!(session(&mut told(true, &tls(Tls::Unverified), "plain").unwrap()).1);
    let refused = told(false, &tcp(), "old").unwrap_err();
    assert!(refused.message.contains("MD5"), "{refused:?}");
    assert_eq!(session(&mut told(true, &tcp(), "old").unwrap()).0, "old");
    assert_eq!(session(&mut told(false, &tls(Tls::Unverified), "old").unwrap()).0, "old");

    // What the server's own table of logins refuses, and a database that is not there.
    let refused = open(&tcp(), "only_tls", "p:w").unwrap_err();
    assert!(refused.remedy.contains("pg_hba.conf"), "{refused:?}");
    assert!(open(&tls(Tls::Unverified), "only_tls", "p:w").is_ok());
    let elsewhere = ServerAddress { database: "nowhere".to_owned(), ..address(server.socket()) };
    let missing = open(&elsewhere, ADMINISTRATOR, "").unwrap_err();
    assert_eq!(missing.kind, FailureKind::MissingDatabase);
}

#[test]
fn a_server_without_tls_is_not_spoken_to_where_tls_is_asked_for() {
    let server = Server::start(&[], "host all all 127.0.0.1/32 trust");
    let tls = ServerAddress { tls: Tls::Unverified, ..address(server.tcp()) };
    let refused = open(&tls, ADMINISTRATOR, "").unwrap_err();
    assert_eq!(refused.kind, FailureKind::Tls);
    assert!(refused.message.contains("does not offer TLS"), "{refused}");
    // Nobody listens on a socket.
    let socket = ServerAddress { tls: Tls::Unverified, ..address(server.socket()) };
    assert!(open(&socket, ADMINISTRATOR, "").is_ok());
}

#[test]
fn statements_are_answered_with_rows_counts_and_errors() {
    let server = Server::start(&[], "");
    let mut control = server.connect();
    assert!(control.server_version().starts_with(|first: char| first.is_ascii_digit()));

    let rows = control.query("SELECT 1 AS one, NULL AS none, 'ä' AS text").unwrap();
    assert_eq!(rows.columns, ["one", "none", "text"]);
    assert_eq!(rows.rows, [[Some("1".to_owned()), None, Some("ä".to_owned())]]);

    // Notices and changed parameters come in the middle, and answer nothing.
    let noisy = "DO $$ BEGIN FOR i IN 1..50 LOOP RAISE WARNING 'w %', i; END LOOP; END $$; \
                 SET DateStyle = 'SQL'; SELECT 7; SET application_name = 'x'";
    assert_eq!(control.query(noisy).unwrap().rows, [[Some("7".to_owned())]]);

    control.execute("CREATE TABLE t (id int PRIMARY KEY, v text)").unwrap();
    let mut next = 0..3;
    let copied = control.copy_in("COPY t FROM STDIN", &mut |out| match next.next() {
        Some(number) => {
            out.extend_from_slice(format!("{number}\tx\n").as_bytes());
            true
        }
        None => false,
    });
    assert_eq!(copied.unwrap(), 3);
    assert_eq!(control.execute("UPDATE t SET v = 'y' WHERE id > 0").unwrap(), 2);
    let second = Duration::from_secs(60);
    assert_eq!(control.count_rows("SELECT generate_series(1, 100000)", second).unwrap(), 100_000);

    // An error, whatever it is, leaves the connection as good as before.
    let error = control.execute("INSERT INTO t VALUES (1, 'z')").unwrap_err();
    assert_eq!(error.sql_state(), Some("23505"));
    assert!(error.to_string().contains("(id)=(1)"), "{error}");
    assert_eq!(control.query("SELEC 1").unwrap_err().sql_state(), Some("42601"));
    assert_eq!(control.count_rows("SELECT 1/0", second).unwrap_err().sql_state(), Some("22012"));
    // Data that a statement asks for and nobody has.
    assert!(control.execute("COPY t FROM STDIN").unwrap_err().to_string().contains("COPY"));
    let broken = control.copy_in("COPY t FROM STDIN", &mut |out| {
        out.extend_from_slice(b"not a number\tx\n");
        false
    });
    assert_eq!(broken.unwrap_err().sql_state(), Some("22P02"));
    assert_eq!(control.query("SELECT count(*) FROM t").unwrap().rows[0][0].as_deref(), Some("3"));
}

#[test]
fn a_statement_is_cancelled_from_beside_and_a_session_that_was_ended_says_so() {
    let server = Server::start(&[], "");
    let mut sleeping = server.connect();
    let canceller = sleeping.canceller();
    let (mut other, pid) = (server.connect(), sleeping.backend_process());
    let ended = std::thread::scope(|scope| {
        let sleeper = scope.spawn(move || sleeping.execute_long("SELECT pg_sleep(600)"));
        let asleep =
            format!("SELECT 1 FROM pg_stat_activity WHERE pid = {pid} AND state = 'active'");
        while other.query(&asleep).unwrap().rows.is_empty() {}
        while !sleeper.is_finished() {
            canceller.cancel().unwrap();
        }
        sleeper.join().unwrap()
    });
    assert_eq!(ended.unwrap_err().sql_state(), Some("57014"));

    let mut victim = server.connect();
    let pid = victim.backend_process();
    other.execute(&format!("SELECT pg_terminate_backend({pid}, 60000)")).unwrap();
    let error = victim.query("SELECT 1").unwrap_err();
    let failure = error.failure("cannot count");
    assert_eq!(failure.kind, FailureKind::ServerLost, "{failure:?}");
    assert!(victim.query("SELECT 1").unwrap_err().to_string().contains("given up"));
}

#[test]
fn an_answer_that_does_not_come_is_not_waited_for() {
    let server = Server::start(&[], "");
    let mut control = server.connect();
    control.set_answer_limit(Duration::from_millis(200));
    let failure = control.query("SELECT pg_sleep(600)").unwrap_err().failure("cannot look");
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert!(failure.remedy.contains("pg_stat_activity"), "{failure:?}");
}
