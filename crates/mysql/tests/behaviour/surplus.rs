//! Servers that answer more than was asked.

use crate::support::{flag, greeting, ok, packet};
use engine::{Address, ErrorPolicy, Limit, LoadError, LoadSpec, Schedule, SocketLoad};
use model::{IoMethod, LoadResult, Stop};
use mysql::load::{MysqlWire, ProgramSession};
use mysql::protocol::LoginOptions;
use sql::Statements;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use workload::program::Program;
use workload::script::{Options, Script, Syntax, parse};

const LONG: Duration = Duration::from_secs(120);
const TRANSACTIONS: u64 = 20;

fn read_packet(stream: &mut TcpStream) -> io::Result<()> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let mut payload = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
    stream.read_exact(&mut payload)
}

/// A server that lets everybody in, and answers every statement so many times at once.
fn answering(times: usize) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || -> io::Result<()> {
                let mut client = client;
                let flags = flag::MYSQL_8 & !flag::MYSQL;
                let hello = greeting("10.11.6-MariaDB", flags, 0, "mysql_native_password");
                client.write_all(&packet(0, &hello))?;
                read_packet(&mut client)?;
                client.write_all(&packet(2, &ok(0, 0, 2)))?;
                loop {
                    read_packet(&mut client)?;
                    client.write_all(&packet(1, &ok(0, 1, 2)).repeat(times))?;
                }
            });
        }
    });
    Address::Tcp(address)
}

fn load(to: Address, text: &str, io: Option<IoMethod>) -> Result<LoadResult, LoadError> {
    let script = Script { text: text.to_owned(), weight: 1, ..Script::default() };
    let options =
        Options { prepared: false, syntax: Syntax::STANDARD, variables: Default::default() };
    let program = Program::new(parse(&[script], &options).unwrap().without_values().unwrap());
    let statements = Arc::new(Statements::new(program, 7, 1));
    let login = LoginOptions { user: "bench".to_owned(), ..LoginOptions::default() };
    let wire = MysqlWire::new(login, &statements);
    let spec = LoadSpec {
        delay: None,
        addresses: vec![to],
        tls: None,
        clients: 1,
        workers: Some(1),
        io,
        schedule: Schedule {
            warmup: Duration::ZERO,
            limit: Limit::LastReply { duration: None, events: Some(TRANSACTIONS) },
            turns: None,
        },
        open: None,
        reconnect_after: None,
        policy: ErrorPolicy::default(),
        connect_limit: LONG,
        drain_limit: LONG,
        fails_unanswered: true,
        enough: Stop::default(),
    };
    let session =
        |client| ProgramSession::<true>::new(wire.clone(), Arc::clone(&statements), client);
    engine::run(&SocketLoad { spec: &spec, session }, &Stop::default(), &mut |_| {})
}

#[test]
fn an_answer_that_nobody_asked_for_ends_a_load() {
    // The best that is permitted here, and what there is everywhere.
    for io in [None, Some(IoMethod::Epoll)] {
        for text in ["DELETE FROM t;\n", "DELETE FROM t;\nDELETE FROM u;\n"] {
            let ledger = load(answering(1), text, io).unwrap().ledger;
            assert_eq!((ledger.ok, ledger.failed), (TRANSACTIONS, 0));
            let error = load(answering(2), text, io).unwrap_err().to_string();
            assert!(error.contains("an answer that nobody asked for"), "{error}");
        }
    }
}
