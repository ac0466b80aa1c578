//! The sessions of loads, on a real server.

use crate::support::{ADMINISTRATOR, DATABASE, Server, address, open};
use engine::{Address, ErrorPolicy, Limit, LoadError, LoadSpec, Schedule, SocketLoad};
use model::{ErrorAction, ErrorClass, IoMethod, LoadResult, ServerAddress, Stop, System, Tls};
use postgres::client::Connection;
use postgres::load::{Duplicates, PostgresWire, ProgramSession, TRANSACTIONS};
use postgres::protocol::LoginOptions;
use sql::Statements;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use system::Login;
use system::client::{Credentials, Secret};
use workload::program::Program;
use workload::script::{Options, Script, Syntax, parse};

/// What scripts of these tests may be refused for.
const DIVISION_BY_ZERO: &str = "22012";
const LONG: Duration = Duration::from_secs(120);

fn script(text: &str, prepared: bool) -> Program {
    let script = Script { text: text.to_owned(), weight: 1, ..Script::default() };
    let options = Options { prepared, syntax: Syntax::STANDARD, variables: Default::default() };
    Program::new(parse(&[script], &options).unwrap().without_values().unwrap())
}

/// Runs so many transactions of a script.
fn run(
    server: &Server,
    login: &Login,
    options: LoginOptions,
    what: (Program, u32, u64),
) -> Result<LoadResult, LoadError> {
    run_with(None, server, login, options, what)
}

/// The same, moving bytes in this way.
fn run_with(
    io: Option<IoMethod>,
    server: &Server,
    login: &Login,
    options: LoginOptions,
    what: (Program, u32, u64),
) -> Result<LoadResult, LoadError> {
    let to = match &login.address().endpoint {
        model::Endpoint::Socket(path) => Address::Unix(path.clone()),
        _ => Address::Tcp(([127, 0, 0, 1], server.port).into()),
    };
    run_at(to, io, login, options, what)
}

/// The same at an address.
fn run_at(
    to: Address,
    io: Option<IoMethod>,
    login: &Login,
    options: LoginOptions,
    what: (Program, u32, u64),
) -> Result<LoadResult, LoadError> {
    let (program, clients, transactions) = what;
    let statements = Arc::new(Statements::new(program, 7, clients));
    let wire = PostgresWire::new(options, &statements, Duplicates::Conflict);
    let spec = LoadSpec {
        delay: None,
        addresses: vec![to],
        tls: login.tls().unwrap(),
        clients,
        workers: Some(2),
        io,
        schedule: Schedule {
            warmup: Duration::ZERO,
            limit: Limit::LastReply { duration: None, events: Some(transactions) },
            turns: None,
        },
        open: None,
        reconnect_after: None,
        policy: ErrorPolicy {
            codes: vec![(DIVISION_BY_ZERO.to_owned(), ErrorAction::Ignore)],
            ..ErrorPolicy::default()
        },
        connect_limit: LONG,
        drain_limit: LONG,
        fails_unanswered: true,
        enough: Stop::default(),
    };
    let session =
        |client| ProgramSession::<true>::new(wire.clone(), Arc::clone(&statements), client);
    engine::run(&SocketLoad { spec: &spec, session }, &Stop::default(), &mut |_| {})
}

fn options(user: &str, password: &str) -> LoginOptions {
    LoginOptions {
        user: user.to_owned(),
        password: password.as_bytes().to_vec(),
        database: Some(DATABASE.to_owned()),
        local_transport: true,
        application_name: "a test",
        ..LoginOptions::default()
    }
}

const TRANSFER: &str = "\\set from random(1, 4)\n\\set to random(1, 4)\nBEGIN;\n\
    SELECT v AS had, NULL AS none FROM account WHERE id = :from \\gset\n\
    UPDATE account SET v = :had::int - 1 WHERE id = :from;\n\
    UPDATE account SET v = v + 1 WHERE id = :to;\nCOMMIT;\n";

fn accounts(server: &Server) {
    server
        .connect()
        .execute(
            "CREATE TABLE account (id int PRIMARY KEY, v int); \
             INSERT INTO account SELECT i, 1000 FROM generate_series(1, 4) i",
        )
        .unwrap();
}

fn sum(server: &Server) -> String {
    let rows = server.connect().query("SELECT sum(v) FROM account").unwrap().rows;
    rows[0][0].clone().unwrap()
}

/// What one transaction takes from an account another gives back: with serializable transactions the
/// sum stays whatever happens, and what conflicts is counted and rolled back.
#[test]
fn transactions_that_conflict_are_rolled_back_and_counted() {
    for prepared in ["prepared", "text"] {
        let server = Server::start(&[("default_transaction_isolation", "serializable")], "");
        accounts(&server);
        let program = script(TRANSFER, prepared == "prepared");
        let load =
            run(&server, &server.login(), options(ADMINISTRATOR, ""), (program, 8, 400)).unwrap();
        assert_eq!(sum(&server), "4000", "{prepared}");
        let ledger = &load.ledger;
        assert_eq!(ledger.scheduled, ledger.ok + ledger.failed, "{prepared}: {ledger:?}");
        assert!(ledger.ok > 0 && ledger.failed > 0, "{prepared}: {ledger:?}");
        let is_conflict = |error: &model::ErrorCount| error.class == ErrorClass::Conflict;
        assert!(load.errors.iter().all(is_conflict), "{prepared}: {:?}", load.errors);
        assert_eq!(load.requests.count_of("begin"), ledger.scheduled, "{prepared}");
        assert!(load.requests.count_of("rollback") <= ledger.failed, "{prepared}");
    }
}

#[test]
fn sessions_log_in_with_scram_over_tls_and_change_nothing_where_they_may_not() {
    let server = Server::start(&[], "hostssl all ann 127.0.0.1/32 scram-sha-256");
    accounts(&server);
    let mut control = server.connect();
    control.execute("CREATE USER ann PASSWORD 'p:w'; GRANT ALL ON account TO ann").unwrap();
    let tls =
        ServerAddress { tls: Tls::Verified(Some(server.certificate())), ..address(server.tcp()) };
    let credentials = Credentials::new("ann", Secret::new("p:w"));
    let login = Login::with_credentials(System::Postgres, tls, credentials).unwrap();
    let own = LoginOptions { tls: true, local_transport: false, ..options("ann", "p:w") };
    let read = "SELECT v FROM account WHERE id = 1;\n";
    let load = run(&server, &login, own.clone(), (script(read, true), 3, 60)).unwrap();
    assert_eq!((load.ledger.ok, load.requests.count_of("select")), (60, 60));

    let reading = LoginOptions { read_only: true, ..own };
    let load = run(&server, &login, reading.clone(), (script(read, true), 1, 5)).unwrap();
    assert_eq!(load.ledger.ok, 5);
    let write = script("UPDATE account SET v = 0;\n", true);
    let refused = run(&server, &login, reading, (write, 1, 1));
    assert!(refused.unwrap_err().to_string().contains("25006"));
    assert_eq!(sum(&server), "4000");
}

/// Statements that are sent together are carried out as with pgbench, and the server counts as many.
#[test]
fn pipelines_do_what_they_do_with_pgbench_and_the_server_counts_their_statements() {
    const MANY: u64 = 120;
    let text = "\\set id random(1, 1) + :client_id\n\\startpipeline\nBEGIN;\n\
                UPDATE account SET v = v + 3 WHERE id <= 2;\n\
                INSERT INTO log SELECT 7 FROM account WHERE id > 1;\n\\if 0\nSELECT 8;\n\\endif\n\
                SELECT v FROM account WHERE id >= :id;\nCOMMIT;\n\\endpipeline\n\
                SELECT count(*) FROM account WHERE id = :id;\n";
    let server = Server::start(&[("shared_preload_libraries", "pg_stat_statements")], "");
    accounts(&server);
    let mut control = server.connect();
    control.execute("CREATE TABLE log (n int); CREATE EXTENSION pg_stat_statements").unwrap();
    let mut tell = |sql: &str| control.query(sql).unwrap().rows;
    let contents =
        "SELECT string_agg(v::text, ' ' ORDER BY id), (SELECT count(*) FROM log) FROM account";
    let sent = "SELECT sum(calls) FILTER (WHERE query ~ '^UPDATE account'), \
                sum(calls) FILTER (WHERE query ~ '^INSERT INTO log'), \
                sum(calls) FILTER (WHERE query ~ '^SELECT v FROM account WHERE') \
                FROM pg_stat_statements";

    let login = server.login();
    let program = script(text, true);
    tell("SELECT pg_stat_statements_reset()");
    let load = run(&server, &login, options(ADMINISTRATOR, ""), (program, 3, MANY)).unwrap();
    assert_eq!((load.ledger.ok, load.ledger.failed), (MANY, 0));
    for (kind, times) in [("begin", 1), ("update", 1), ("insert", 1), ("select", 2), ("commit", 1)]
    {
        assert_eq!(load.requests.count_of(kind), times * MANY, "{kind}");
    }
    let named: Vec<u64> = load.by_statement.iter().map(|one| one.ok).collect();
    assert_eq!(named, [MANY; 6], "the one that never comes has no figures");
    assert!(load.by_statement[3].rows >= 2 * MANY, "two accounts at least are read");
    let ours = tell(contents);
    assert_eq!(tell(sent)[0], vec![Some(MANY.to_string()); 3]);

    tell("UPDATE account SET v = 1000");
    tell("TRUNCATE log");
    let file = server.file("pipeline.sql", text);
    let ran = server.pgbench(&["-M", "prepared", "-c", "3", "-t", "40", "-f", &file]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(tell(contents), ours);
}

/// Messages lie across the ends of buffers wherever they happen to: long ones that are passed over, and
/// short ones that are read whole.
#[test]
fn pipelines_have_answers_of_any_size() {
    let server = Server::start(&[], "");
    for (length, statements, transactions) in [(30_000, 600, 6), (1, 4_000, 20)] {
        let one = format!("SELECT repeat('x', {length});\n");
        let text = format!("\\startpipeline\n{}\\endpipeline\n", one.repeat(statements));
        // The best that is permitted here, and what there is everywhere.
        for io in [None, Some(IoMethod::Epoll)] {
            let what = (script(&text, true), 2, transactions);
            let options = options(ADMINISTRATOR, "");
            let load = run_with(io, &server, &server.login(), options, what).unwrap();
            assert_eq!(
                (load.ledger.ok, load.ledger.failed),
                (transactions, 0),
                "{:?}",
                load.errors
            );
            assert_eq!(load.requests.count_of("select"), transactions * statements as u64);
        }
    }
}

/// Hands connections to a server through, and adds to each of its answers to statements what is said.
fn adding(server: u16, add: fn(&[u8]) -> Vec<u8>) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || -> std::io::Result<()> {
                let (mut client, mut server) = (client, TcpStream::connect(("127.0.0.1", server))?);
                let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
                thread::spawn(move || std::io::copy(&mut from, &mut to));
                let mut answer = vec![0; 1 << 16];
                loop {
                    let length = server.read(&mut answer)?;
                    // Rows begin with their description, and what is no answer to a statement does not.
                    let added = match answer[..length].first() {
                        None => return Ok(()),
                        Some(b'T') => add(&answer[..length]),
                        Some(_) => Vec::new(),
                    };
                    client.write_all(&[&answer[..length], &added].concat())?;
                }
            });
        }
    });
    Address::Tcp(address)
}

#[test]
fn an_answer_that_nobody_asked_for_ends_a_load_and_a_notice_does_not() {
    let server = Server::start(&[], "host all all 127.0.0.1/32 trust");
    let load = |add, text: &str, io| {
        let options = LoginOptions { local_transport: false, ..options(ADMINISTRATOR, "") };
        let what = (script(text, false), 1, 20);
        run_at(adding(server.port, add), io, &server.login(), options, what)
    };
    let again = |answer: &[u8]| answer.to_vec();
    let notice = |_: &[u8]| b"N\0\0\0\x19SNOTICE\0Mby the way\0\0".to_vec();
    // The best that is permitted here, and what there is everywhere.
    for io in [None, Some(IoMethod::Epoll)] {
        for text in ["SELECT 1;\n", "SELECT 1;\nSELECT 2;\n"] {
            let error = load(again, text, io).unwrap_err().to_string();
            assert!(error.contains("an answer that nobody asked for"), "{error}");
            let ledger = load(notice, text, io).unwrap().ledger;
            assert_eq!((ledger.ok, ledger.failed), (20, 0));
        }
    }
}

/// Clients that listen hear of every notification at once, whatever they do: while they think in a
/// transaction, while they rest between two, and beside an answer.
#[test]
fn what_a_server_tells_by_itself_ends_no_load() {
    let server = Server::start(&[], "host all all 127.0.0.1/32 trust");
    let text = "LISTEN news;\nSELECT 1;\n\\sleep 20 ms\nSELECT 2;\n\\sleep 20 ms\n";
    for io in [None, Some(IoMethod::Epoll)] {
        let (stop, told) = (Stop::default(), AtomicU32::new(0));
        let ledgers = thread::scope(|scope| {
            scope.spawn(|| {
                let mut connection = server.connect();
                while !stop.is_requested() {
                    connection.execute("NOTIFY news, 'by the way'").unwrap();
                    told.fetch_add(1, Ordering::Relaxed);
                }
            });
            // However long who tells has to wait for a processor.
            let (deadline, mut ledgers) = (Instant::now() + LONG, Vec::new());
            while told.load(Ordering::Relaxed) <= 40 && Instant::now() < deadline {
                let options = LoginOptions { local_transport: false, ..options(ADMINISTRATOR, "") };
                let to = Address::Tcp(([127, 0, 0, 1], server.port).into());
                let load = run_at(to, io, &server.login(), options, (script(text, true), 2, 40));
                ledgers.push(load.map(|load| load.ledger));
            }
            stop.request();
            ledgers
        });
        assert!(told.into_inner() > 40);
        for ledger in ledgers {
            let ledger = ledger.unwrap();
            assert_eq!((ledger.ok, ledger.failed), (40, 0));
        }
    }
}

/// In a pipeline too, what conflicts is rolled back whole and counted.
#[test]
fn pipelines_that_conflict_are_rolled_back_whole() {
    let server = Server::start(&[("default_transaction_isolation", "serializable")], "");
    accounts(&server);
    for around in [["", ""], ["BEGIN;\n", "COMMIT;\n"]] {
        let [begin, commit] = around;
        let text = format!(
            "\\set from random(1, 4)\n\\set to random(1, 4)\n\\startpipeline\n{begin}\
             UPDATE account SET v = v - 1 WHERE id = :from;\n\
             UPDATE account SET v = v + 1 WHERE id = :to;\n{commit}\\endpipeline\n"
        );
        let what = (script(&text, true), 8, 400);
        let load = run(&server, &server.login(), options(ADMINISTRATOR, ""), what).unwrap();
        let ledger = &load.ledger;
        assert_eq!(ledger.scheduled, ledger.ok + ledger.failed, "{ledger:?}");
        assert!(ledger.ok > 0 && ledger.failed > 0, "{ledger:?}");
        assert!(load.errors.iter().all(|error| error.class == ErrorClass::Conflict), "{load:?}");
        assert_eq!(sum(&server), "4000");
    }
}

/// Transactions that ended in the database of the tests, logins aside, once all clients of loads have gone,
/// asked in another database.
fn ended(control: &mut Connection) -> u64 {
    let gone = "SELECT count(*) FROM pg_stat_activity \
                WHERE datname = 'postgres' AND backend_type = 'client backend'";
    let deadline = Instant::now() + LONG;
    while control.query(gone).unwrap().rows[0][0].as_deref() != Some("0") {
        assert!(Instant::now() < deadline, "clients stay");
        thread::sleep(Duration::from_millis(20));
    }
    let sql = "SELECT xact_commit + xact_rollback - sessions FROM pg_stat_database \
               WHERE datname = 'postgres'";
    control.query(sql).unwrap().rows[0][0].as_ref().unwrap().parse().unwrap()
}

/// Whatever a script leaves to the end of a pipeline, or to no COMMIT at all, the server counts as many
/// transactions as are expected of it, conflicts and refusals included.
#[test]
fn implicit_transactions_are_counted_as_the_server_counts_them() {
    const SCRIPTS: [&str; 8] = [
        "\\startpipeline\nSELECT 1;\nUPDATE account SET v = v + 1 WHERE id = :id;\n\\endpipeline\n",
        "\\startpipeline\nSELECT 1;\nBEGIN;\nSELECT 2;\nCOMMIT;\nSELECT 3;\n\\endpipeline\n",
        "\\startpipeline\nSELECT 1;\nCOMMIT;\nSELECT 2;\nROLLBACK;\n\\endpipeline\nSELECT 3;\n",
        "BEGIN;\n\\startpipeline\nSELECT 1;\nSELECT 2;\n\\endpipeline\nCOMMIT;\nSELECT 3;\n",
        "\\startpipeline\nBEGIN;\nSELECT 1;\n\\endpipeline\nSELECT 2;\nEND;\n\\startpipeline\n\\endpipeline\n",
        "\\startpipeline\nUPDATE account SET v = v - 1 WHERE id = :id;\nSELECT 1 / (:id % 3);\nSELECT 2;\n\\endpipeline\n",
        "\\if :id % 2 = 0\nBEGIN;\n\\endif\nSELECT 1 / (:id % 3);\nCOMMIT;\nSELECT 2;\n",
        "\\if :id % 2 = 0\nBEGIN;\nUPDATE account SET v = v + 1 WHERE id = :id;\nROLLBACK;\n\\endif\n\
         UPDATE account SET v = v - 1 WHERE id = :id;\n",
    ];
    let settings = [("autovacuum", "off"), ("default_transaction_isolation", "repeatable read")];
    let server = Server::start(&settings, "");
    accounts(&server);
    let mut address = address(server.socket());
    address.database = "template1".to_owned();
    let mut control = open(&address, ADMINISTRATOR, "").unwrap();
    for text in SCRIPTS {
        let before = ended(&mut control);
        let text = format!("\\set id random(1, 4)\n{text}");
        let what = (script(&text, true), 8, 200);
        let load = run(&server, &server.login(), options(ADMINISTRATOR, ""), what).unwrap();
        assert!(load.ledger.ok > 0, "{text}{load:?}");
        let counted = ended(&mut control) - before;
        assert_eq!(load.requests.expected(), [(TRANSACTIONS, counted)], "{text}");
    }
}
