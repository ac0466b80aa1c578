//! The hot path's packets against a real server: prepared statements in binary protocol, and
//! column definitions that are sent once.

use crate::support::Server;
use mysql::protocol::{
    ExecuteTemplate, Login, LoginOptions, LoginStep, ParamKind, PrepareReader, Prepared, Reply,
    ResponseReader, ServerKey, SessionInfo, write_close_statement, write_ping, write_prepare,
    write_query,
};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// A session as the load engine has it: packets in buffers.
struct Session {
    stream: UnixStream,
    info: SessionInfo,
    out: Vec<u8>,
    reader: ResponseReader,
    prepares: PrepareReader,
}

impl Session {
    fn open(server: &Server) -> Self {
        let mut stream = UnixStream::connect(server.sandbox.socket()).unwrap();
        let mut login = Login::new(LoginOptions {
            user: "weighin".into(),
            password: server.sandbox.password().reveal().into(),
            database: Some("sbtest".into()),
            tls: false,
            compression: false,
            local_transport: true,
            local_infile: false,
            server_key: ServerKey::Refuse,
            may_reveal: false,
        });
        let (mut input, mut out) = (Vec::new(), Vec::new());
        loop {
            match login.receive(&input, &mut out).unwrap() {
                LoginStep::Done { session: info, .. } => {
                    let (reader, prepares) =
                        (ResponseReader::new(info.dialect), PrepareReader::new(info.dialect));
                    return Self { stream, info, out, reader, prepares };
                }
                LoginStep::NeedMore { consumed } => drop(input.drain(..consumed)),
                LoginStep::StartTls { .. } => panic!("TLS was not asked for"),
            }
            stream.write_all(&out).unwrap();
            out.clear();
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).unwrap();
            assert_ne!(length, 0);
            input.extend_from_slice(&buffer[..length]);
        }
    }

    /// Sends what was written and reads one reply, a few bytes at a time; also how many bytes it
    /// had.
    fn reply(&mut self) -> (Reply, usize) {
        self.stream.write_all(&self.out).unwrap();
        self.out.clear();
        let (mut total, mut buffer) = (0, [0; 7]);
        loop {
            let length = self.stream.read(&mut buffer).unwrap();
            assert_ne!(length, 0, "the server hung up");
            let (consumed, reply) = self.reader.receive(&buffer[..length]).unwrap();
            total += consumed;
            if let Some(reply) = reply {
                assert_eq!(consumed, length, "nothing comes after a reply");
                return (reply, total);
            }
        }
    }

    fn query(&mut self, sql: &str) -> Reply {
        write_query(sql, &mut self.out);
        self.reply().0
    }

    fn prepare(&mut self, sql: &str) -> Prepared {
        write_prepare(sql, &mut self.out);
        self.stream.write_all(&self.out).unwrap();
        self.out.clear();
        let mut buffer = [0; 7];
        loop {
            let length = self.stream.read(&mut buffer).unwrap();
            assert_ne!(length, 0, "the server hung up");
            if let (_, Some(reply)) = self.prepares.receive(&buffer[..length]).unwrap() {
                return reply.unwrap();
            }
        }
    }
}

fn rows(rows: u64) -> Reply {
    Reply::Rows { rows, more_results: false }
}

fn changed(affected_rows: u64) -> Reply {
    Reply::Ok { affected_rows, more_results: false }
}

#[test]
fn prepared_statements_run_with_types_sent_once_and_definitions_left_out() {
    let server = Server::start(&[]);
    let mut session = Session::open(&server);
    // MariaDB 10.6 and later offer it; older ones send definitions every time.
    assert!(session.info.dialect.cache_metadata, "{}", session.info.server_version);
    let create = "CREATE TABLE t (id INT PRIMARY KEY, k INT, c CHAR(5))";
    assert_eq!(session.query(create), changed(0));

    let insert = session.prepare("INSERT INTO t VALUES (?, ?, ?)");
    assert_eq!((insert.params, insert.columns), (3, 0));
    let template = ExecuteTemplate::new(&[ParamKind::Int, ParamKind::Int, ParamKind::Str(5)]);
    for id in 0..100 {
        let mut slots = template.write(insert.id, id == 0, &mut session.out);
        slots.set_int(0, id);
        slots.set_int(1, -id);
        slots.str_slot(2).copy_from_slice(format!("c{id:04}").as_bytes());
        assert_eq!(session.reply().0, changed(1));
    }

    let range = session.prepare("SELECT c, k FROM t WHERE id BETWEEN ? AND ?");
    assert_eq!((range.params, range.columns), (2, 2));
    let template = ExecuteTemplate::new(&[ParamKind::Int, ParamKind::Int]);
    let mut sizes = Vec::new();
    for (first, highest, found) in
        [(true, 14, 10), (false, 14, 10), (false, 14, 10), (false, -1, 0)]
    {
        let mut slots = template.write(range.id, first, &mut session.out);
        slots.set_int(0, 5);
        slots.set_int(1, highest);
        let (reply, size) = session.reply();
        assert_eq!(reply, rows(found));
        sizes.push(size);
    }
    // Header, 10 rows of 16 bytes and an end: two definitions would take 60 bytes more.
    assert_eq!(sizes[1], sizes[2]);
    assert!(sizes[1] < 6 + 10 * 16 + 20, "{sizes:?}");

    // When the columns change, their definitions are sent again.
    assert_eq!(session.query("ALTER TABLE t MODIFY c VARCHAR(90)"), changed(100));
    for first in [true, false] {
        let mut slots = template.write(range.id, first, &mut session.out);
        slots.set_int(0, 5);
        slots.set_int(1, 14);
        assert_eq!(session.reply().0, rows(10));
    }

    for (sql, expected) in [("BEGIN", changed(0)), ("COMMIT", changed(0))] {
        let statement = session.prepare(sql);
        ExecuteTemplate::new(&[]).write(statement.id, true, &mut session.out);
        assert_eq!(session.reply().0, expected);
    }
    write_close_statement(range.id, &mut session.out);
    template.write(range.id, false, &mut session.out);
    let (reply, _) = session.reply();
    assert!(matches!(reply, Reply::Err(error) if error.code == 1243));
    write_ping(&mut session.out);
    assert_eq!(session.reply().0, changed(0));
}

#[test]
fn values_arrive_as_they_were_set() {
    let server = Server::start(&[]);
    let mut session = Session::open(&server);
    let same = session.prepare("SELECT 1 FROM DUAL WHERE ? = ? AND ? = 'naïve' AND ? < 0");
    let template = ExecuteTemplate::new(&[
        ParamKind::Int,
        ParamKind::Int,
        ParamKind::Str("naïve".len() as u8),
        ParamKind::Int,
    ]);
    for (turn, value) in [0, 1, -1, i64::MIN, i64::MAX].into_iter().enumerate() {
        let mut slots = template.write(same.id, turn == 0, &mut session.out);
        slots.set_int(0, value);
        slots.set_int(1, value);
        slots.str_slot(2).copy_from_slice("naïve".as_bytes());
        slots.set_int(3, i64::MIN);
        assert_eq!(session.reply().0, rows(1), "{value}");
    }
}
