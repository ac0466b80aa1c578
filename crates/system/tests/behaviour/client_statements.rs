//! Statements on a connection to a real server.

use crate::support::{Server, value};
use model::FailureKind;
use mysql::client::ClientError;
use std::time::Duration;

#[test]
fn queries_give_rows_and_statements_give_counts() {
    let server = Server::start(&[]);
    let mut connection = server.connect();
    assert_eq!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY, c TEXT)").unwrap(), 0);
    assert_eq!(connection.execute("INSERT INTO t VALUES (1, NULL), (2, ''), (3, 'ä')").unwrap(), 3);
    let table = connection.query("SELECT id, c AS text FROM t ORDER BY id").unwrap();
    assert_eq!(table.columns, ["id", "text"]);
    let expected = [
        [Some(b"1".to_vec()), None],
        [Some(b"2".to_vec()), Some(vec![])],
        [Some(b"3".to_vec()), Some("ä".into())],
    ];
    assert_eq!(table.rows, expected);
    assert_eq!(connection.query("DO 1").unwrap().columns, [""; 0]);

    let error = connection.query("SELECT * FROM missing").unwrap_err();
    assert_eq!(error.code(), Some(1146));
    assert_eq!(error.failure("cannot count").kind, FailureKind::MissingTables);
    // The connection is as good as before.
    assert_eq!(value(&mut connection, "SELECT COUNT(*) FROM t"), "3");
    // A procedure gives rows and then an outcome of its own.
    connection.execute("CREATE PROCEDURE p() SELECT 5").unwrap();
    assert_eq!(value(&mut connection, "CALL p()"), "5");
    assert_eq!(value(&mut connection, "SELECT 6"), "6");
}

#[test]
fn large_rows_and_statements_pass_whole() {
    let server = Server::start(&[("max_allowed_packet", "64M")]);
    let mut connection = server.connect();
    let row = connection.query("SELECT REPEAT('v', 10000000), 'w'").unwrap().rows.remove(0);
    assert_eq!(row[0].as_ref().unwrap().len(), 10_000_000);
    assert_eq!(row[1].as_deref(), Some(&b"w"[..]));

    // Sizes around those at which a packet takes another frame.
    for length in [3_000_000, 0xFF_FFFF - 17, 0xFF_FFFF - 16, 0xFF_FFFF - 15, 40_000_000] {
        let sql = format!("SELECT LENGTH('{}')", "x".repeat(length));
        assert_eq!(value(&mut connection, &sql), length.to_string());
    }
}

#[test]
fn a_statement_that_is_too_long_for_the_server_says_so() {
    let server = Server::start(&[("max_allowed_packet", "1M")]);
    let mut connection = server.connect();
    let error = connection.query(&format!("SELECT '{}'", "x".repeat(8 << 20))).unwrap_err();
    assert_eq!(error.code(), Some(1153), "{error}");
}

#[test]
fn local_data_is_loaded_from_memory() {
    let server = Server::start(&[]);
    let mut connection = server.connect();
    connection.execute("CREATE TABLE t (id INT PRIMARY KEY, c CHAR(20))").unwrap();
    let load = "LOAD DATA LOCAL INFILE 'memory' INTO TABLE t";
    let mut pieces = 0;
    let loaded = connection.load_local(load, &mut |out| {
        for id in pieces * 1000..(pieces + 1) * 1000 {
            out.extend_from_slice(format!("{id}\tvalue {id}\n").as_bytes());
        }
        pieces += 1;
        pieces < 300
    });
    assert_eq!(loaded.unwrap(), 300_000);
    assert_eq!(
        value(&mut connection, "SELECT COUNT(*) FROM t WHERE c = CONCAT('value ', id)"),
        "300000"
    );
    let none = connection.load_local(load, &mut |_| false);
    assert_eq!(none.unwrap(), 0);

    let wrong = connection.load_local("SELECT 1", &mut |_| false).unwrap_err();
    assert!(matches!(wrong, ClientError::Infile(_)), "{wrong}");
    let unasked = connection.query(load).unwrap_err();
    assert!(matches!(unasked, ClientError::Infile(_)), "{unasked}");
    assert_eq!(value(&mut connection, "SELECT COUNT(*) FROM t"), "300000");

    connection.execute("SET GLOBAL local_infile = 0").unwrap();
    let failure =
        server.connect().load_local(load, &mut |_| false).unwrap_err().failure("cannot load");
    assert_eq!(failure.kind, FailureKind::NotPermitted, "{failure}");
    assert!(failure.remedy.contains("local_infile"));
}

#[test]
fn a_late_answer_is_never_taken_for_the_next_one() {
    let server = Server::start(&[]);
    let mut connection = server.connect();
    connection.set_answer_limit(Duration::from_millis(100));
    let error = connection.query("SELECT SLEEP(30)").unwrap_err();
    let how = |error: &ClientError| match error {
        ClientError::Broken(broken) => format!("{:?}", broken.how),
        other => other.to_string(),
    };
    assert!(how(&error).starts_with("TimedOut"), "{error}");
    assert_eq!(error.failure("cannot wait").kind, FailureKind::TimedOut);
    let error = connection.query("SELECT 1").unwrap_err();
    assert!(how(&error).starts_with("Lost"), "{error}");
}

#[test]
fn a_connection_that_the_server_ends_is_lost() {
    let server = Server::start(&[]);
    let mut connection = server.connect();
    let id = connection.connection_id();
    server.connect().execute(&format!("KILL {id}")).unwrap();
    let error = connection.query("SELECT 1").unwrap_err();
    let failure = error.failure("cannot go on");
    assert_eq!(failure.kind, FailureKind::ServerLost, "{failure}");
}
