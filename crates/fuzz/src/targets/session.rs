//! Whole conversations: a client of the load engine against a server that may send anything.

use super::mysql::{framed, options};
use super::{KIB, MIB};
use crate::Target;
use crate::input::{Cuts, Input, feed};
use crate::seeds;
use engine::{Event, Session};
use model::{KeyValue, Oltp, OltpDialect, OltpMix, RequestTally, ValueSize};
use mysql::load::MysqlWire;
use postgres::load::{Duplicates, PostgresWire};
use redis::load::{KeyValueCommands, KeyValueSession, RedisLogin};
use sql::{ProgramSession, Statements};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use workload::program::Program;
use workload::script::{Options, Parsed, Script, Syntax, parse};

/// A client of an OLTP load.
pub(super) const MYSQL: Target = Target {
    name: "mysql_session",
    mutations: 1000,
    run: mysql,
    seeds: seeds::mysql::sessions,
    longest: 8 * KIB,
    memory: 8 * MIB,
    dictionary: dictionary!(mysql_session),
};

/// A client of an OLTP load on PostgreSQL.
pub(super) const POSTGRES: Target = Target {
    name: "postgres_session",
    mutations: 1000,
    run: postgres,
    seeds: seeds::postgres::sessions,
    longest: 8 * KIB,
    memory: 8 * MIB,
    dictionary: dictionary!(postgres_session),
};

/// A client of a key-value load.
pub(super) const REDIS: Target = Target {
    name: "redis_session",
    mutations: 2000,
    run: redis,
    seeds: seeds::redis::sessions,
    longest: 4 * KIB,
    memory: 8 * MIB,
    dictionary: dictionary!(redis_session),
};

const MIXES: [OltpMix; 10] = OltpMix::REPEATABLE;

/// Byte 0: login and framing. Byte 1: workload. Byte 2: how the stream is cut.
fn mysql(data: &[u8]) {
    let mut input = Input::new(data);
    let (flags, mix, cuts) = (input.byte(), input.byte(), input.byte());
    let mut workload = Oltp::preset(MIXES[usize::from(mix & 15) % MIXES.len()]);
    workload.prepared = mix & 16 == 0;
    workload.tables = 1 + u32::from(mix >> 7);
    workload.dialect = [OltpDialect::Sysbench10, OltpDialect::Sysbench05, OltpDialect::Sysbench04]
        [usize::from(mix >> 5 & 3) % 3];
    let stream = match flags & 32 {
        0 => input.rest().to_vec(),
        _ => framed(input.rest(), 0, 1),
    };
    let statements = Arc::new(Statements::new(workload::oltp::program(&workload), 1, 1));
    let session = || {
        let wire = MysqlWire::new(options(flags & !4), &statements);
        ProgramSession::<MysqlWire, true>::new(wire, Arc::clone(&statements), 0)
    };
    let whole = converse(session(), &stream, Cuts::new(0));
    assert_eq!(whole, converse(session(), &stream, Cuts::new(cuts)), "pieces change a session");
}

/// Byte 0: login. Byte 1: workload. Byte 2: how the stream is cut.
fn postgres(data: &[u8]) {
    let mut input = Input::new(data);
    let (flags, mix, cuts) = (input.byte(), input.byte(), input.byte());
    let mut workload = Oltp::preset(MIXES[usize::from(mix & 15) % MIXES.len()]);
    workload.prepared = mix & 16 == 0;
    workload.tables = 1 + u32::from(mix >> 7);
    let stream = input.rest();
    let program = match mix & 32 {
        0 => workload::oltp::program(&workload),
        _ => together(),
    };
    let statements = Arc::new(Statements::new(program, 1, 1));
    let session = || {
        let options = super::postgres::options(flags & !2);
        let wire = PostgresWire::new(options, &statements, Duplicates::Conflict);
        ProgramSession::<PostgresWire, true>::new(wire, Arc::clone(&statements), 0)
    };
    let whole = converse(session(), stream, Cuts::new(0));
    assert_eq!(whole, converse(session(), stream, Cuts::new(cuts)), "pieces change a session");
}

/// Statements that are sent without waiting.
fn together() -> Program {
    let text = "\\startpipeline\nBEGIN;\nSELECT c FROM t WHERE id = :client_id;\nUPDATE t_:client_id SET c = 1;\n\
                COMMIT;\n\\endpipeline\nSELECT 1;\n";
    let script = Script { text: text.to_owned(), weight: 1, ..Script::default() };
    let options = Options { prepared: true, syntax: Syntax::STANDARD, variables: BTreeMap::new() };
    let parts = parse(&[script], &options).and_then(Parsed::without_values);
    Program::new(parts.unwrap_or_else(|error| panic!("{error}")))
}

/// Byte 0: login and workload. Byte 1: how the stream is cut.
fn redis(data: &[u8]) {
    let mut input = Input::new(data);
    let (flags, cuts) = (input.byte(), input.byte());
    let login = RedisLogin {
        user: (flags & 1 != 0).then(|| "bench".into()),
        password: (flags & 2 != 0).then(|| b"secret".to_vec()),
        database: 0,
    };
    let workload = KeyValue {
        keys: 100,
        value_size: ValueSize::Fixed(3),
        pipeline: 1 + u32::from(flags >> 2 & 7),
        ..KeyValue::default()
    };
    // Made once for each length of a pipeline: they hold the bytes that values are cut from.
    static COMMANDS: [OnceLock<Arc<KeyValueCommands>>; 8] = [const { OnceLock::new() }; 8];
    let commands = COMMANDS[workload.pipeline as usize - 1]
        .get_or_init(|| Arc::new(KeyValueCommands::new(&workload, 1, 1)));
    let session = || KeyValueSession::new(login.clone(), Arc::clone(commands), 0);
    let stream = input.rest();
    let whole = converse(session(), stream, Cuts::new(0));
    assert_eq!(whole, converse(session(), stream, Cuts::new(cuts)), "pieces change a session");
}

/// What became of a conversation.
#[derive(Debug, Default, PartialEq)]
struct Conversation {
    /// How much the client sent: an encrypted password never looks the same twice.
    sent: usize,
    counts: RequestTally,
    done: u64,
    failed: Vec<String>,
    /// Statements, whether they were refused, and their rows.
    answered: Vec<(usize, bool, u64)>,
    end: String,
}

/// Most bytes that a client sends: it answers each reply with a request of so many bytes at most.
const MAX_SENT: usize = 4 * MIB;

/// Logs in and begins an operation whenever the last one has ended.
fn converse(mut session: impl Session, stream: &[u8], cuts: Cuts) -> Conversation {
    let (mut talk, mut sent) = (Conversation::default(), Vec::new());
    session.open(&mut sent);
    feed(stream, cuts, |piece| {
        let event = session.receive(piece, &mut sent, &mut talk.counts);
        let _ = session.awaited();
        while let Some(answered) = session.take_answered() {
            talk.answered.push((answered.kind, answered.refused, answered.rows));
        }
        let (consumed, event) = match event {
            Ok(event) => event,
            Err(error) => {
                talk.end = error.to_string();
                return None;
            }
        };
        match event {
            Event::More | Event::Pause(_) => {}
            Event::StartTls => session.tls_started(&mut sent),
            Event::Ready => session.begin(&mut sent),
            Event::Done => {
                talk.done += 1;
                session.begin(&mut sent);
            }
            Event::Failed(error) => {
                talk.failed.push(format!("{} {:?}", error.name(), error.class));
                session.begin(&mut sent);
            }
        }
        (sent.len() < MAX_SENT).then_some(consumed)
    });
    session.close(&mut sent);
    talk.sent = sent.len();
    talk
}
