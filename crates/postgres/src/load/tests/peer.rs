//! A server that accepts everybody, prepares everything and answers as it is told.

use crate::load::wire::PostgresWire;
use crate::load::{Duplicates, ProgramSession};
use crate::protocol::LoginOptions;
use engine::{Event, Session, SessionError};
use model::RequestTally;
use sql::Statements;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use workload::program::Program;

/// What it answers to an execution in place of what it answers usually.
#[derive(Clone, Debug)]
pub(super) enum Said {
    /// Rows of one column, which is called `v`.
    Rows(Vec<Option<&'static str>>),
    Refusal {
        state: &'static str,
        fatal: bool,
    },
}

#[derive(Default)]
pub(super) struct Peer {
    started: bool,
    /// By name.
    prepared: HashMap<Vec<u8>, String>,
    bound: Vec<u8>,
    /// The state of the session, as it says it.
    state: u8,
    failed: bool,
    /// It has closed the connection.
    gone: bool,
    /// What comes next, before the usual.
    pub(super) script: VecDeque<Option<Said>>,
    /// What it answers to the next Sync before it is ready.
    pub(super) refuses_at_sync: Option<&'static str>,
    /// Whether it says of each statement twice that it is done.
    pub(super) says_twice: bool,
    /// Every text that was executed.
    pub(super) executed: Vec<String>,
}

pub(super) fn message(tag: u8, body: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&(body.len() as i32 + 4).to_be_bytes());
    out.extend_from_slice(body);
}

fn text_of(body: &[u8]) -> (&[u8], &[u8]) {
    let end = body.iter().position(|&byte| byte == 0).unwrap();
    (&body[..end], &body[end + 1..])
}

impl Peer {
    /// Its answer to whole messages.
    pub(super) fn answer(&mut self, mut input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        if !std::mem::replace(&mut self.started, true) {
            let length = i32::from_be_bytes(input[..4].try_into().unwrap()) as usize;
            input = &input[length..];
            self.state = b'I';
            message(b'R', &[0; 4], &mut out);
            message(b'S', b"server_version\x0015.0\0", &mut out);
            message(b'K', &[0, 0, 0, 7, 1, 2, 3, 4], &mut out);
            self.ready(&mut out);
        }
        while !input.is_empty() {
            let length = i32::from_be_bytes(input[1..5].try_into().unwrap()) as usize;
            let (tag, body) = (input[0], &input[5..=length]);
            input = &input[length + 1..];
            self.take(tag, body, &mut out);
        }
        out
    }

    fn take(&mut self, tag: u8, body: &[u8], out: &mut Vec<u8>) {
        match tag {
            _ if self.gone => {}
            b'S' => {
                if let Some(state) = self.refuses_at_sync.take() {
                    let body = format!("SERROR\0VERROR\0C{state}\0Mrefused\0\0");
                    message(b'E', body.as_bytes(), out);
                }
                self.ready(out);
            }
            _ if self.failed => {}
            b'P' => {
                let (name, rest) = text_of(body);
                let sql = String::from_utf8(text_of(rest).0.to_vec()).unwrap();
                self.prepared.insert(name.to_vec(), sql);
                message(b'1', b"", out);
            }
            b'D' => {
                let sql = &self.prepared[text_of(&body[1..]).0];
                let parameters = sql.matches('$').count() as u16;
                let mut types = parameters.to_be_bytes().to_vec();
                (0..parameters).for_each(|_| types.extend_from_slice(&23_u32.to_be_bytes()));
                message(b't', &types, out);
                match sql.starts_with("SELECT") {
                    true => describe(out),
                    false => message(b'n', b"", out),
                }
            }
            b'B' => {
                self.bound = text_of(&body[1..]).0.to_vec();
                message(b'2', b"", out);
            }
            b'E' => {
                let sql = self.prepared[&self.bound].clone();
                self.execute(sql, false, out);
            }
            b'Q' => {
                let sql = String::from_utf8(text_of(body).0.to_vec()).unwrap();
                match sql.as_str() {
                    "" => message(b'I', b"", out),
                    _ => self.execute(sql, true, out),
                }
                self.ready(out);
            }
            b'X' => {}
            other => panic!("message {other}"),
        }
    }

    fn ready(&mut self, out: &mut Vec<u8>) {
        self.failed = false;
        message(b'Z', &[self.state], out);
    }

    fn execute(&mut self, sql: String, describes: bool, out: &mut Vec<u8>) {
        let said = match sql.as_str() {
            "ROLLBACK" => None,
            _ => self.script.pop_front().flatten(),
        };
        // Asides come whenever they like.
        message(b'N', b"SNOTICE\0C00000\0Mnothing\0\0", out);
        let mut tag = "SELECT 1".to_owned();
        match (said, sql.as_str()) {
            (Some(Said::Refusal { state, fatal }), _) => {
                let severity = if fatal { "FATAL" } else { "ERROR" };
                let body = format!("SX\0V{severity}\0C{state}\0Mrefused\0Dwhy\0\0");
                message(b'E', body.as_bytes(), out);
                self.failed = true;
                self.gone = fatal;
                self.state = if self.state == b'I' { b'I' } else { b'E' };
                self.executed.push(sql);
                return;
            }
            (said, text) if text.starts_with("SELECT") => {
                let rows = match said {
                    Some(Said::Rows(rows)) => rows,
                    _ => vec![Some("x"); 100],
                };
                if describes {
                    describe(out);
                }
                for row in rows {
                    let mut body = vec![0, 1];
                    let length = row.map_or(-1, |value| value.len() as i32);
                    body.extend_from_slice(&length.to_be_bytes());
                    body.extend_from_slice(row.unwrap_or_default().as_bytes());
                    message(b'D', &body, out);
                    message(b'S', b"TimeZone\0UTC\0", out);
                }
            }
            (_, "BEGIN") => (self.state, tag) = (b'T', "BEGIN".to_owned()),
            (_, end @ ("COMMIT" | "ROLLBACK")) => (self.state, tag) = (b'I', end.to_owned()),
            (_, text) => tag = format!("{} 1", &text[..6]),
        }
        for _ in 0..1 + u8::from(self.says_twice) {
            message(b'C', &[tag.as_bytes(), &[0]].concat(), out);
        }
        self.executed.push(sql);
    }
}

fn describe(out: &mut Vec<u8>) {
    message(b'T', &[&[0, 1, b'v', 0][..], &[0; 18]].concat(), out);
}

/// A session with a peer: what is said is heard in pieces of that many bytes.
pub(super) struct Talk {
    pub(super) session: ProgramSession<true>,
    pub(super) peer: Peer,
    pub(super) tally: RequestTally,
    piece: usize,
    /// All that the session has said.
    pub(super) said: Vec<u8>,
}

impl Talk {
    pub(super) fn new(program: Program, piece: usize) -> Self {
        let statements = Arc::new(Statements::new(program, 7, 1));
        let options = LoginOptions { user: "ann".to_owned(), ..LoginOptions::default() };
        let wire = PostgresWire::new(options, &statements, Duplicates::Conflict);
        let mut talk = Self {
            session: ProgramSession::new(wire, statements, 0),
            peer: Peer::default(),
            tally: RequestTally::default(),
            piece,
            said: Vec::new(),
        };
        let mut out = Vec::new();
        talk.session.open(&mut out);
        assert!(matches!(talk.go_on(out).unwrap(), Event::Ready));
        talk
    }

    /// One operation.
    pub(super) fn operation(&mut self) -> Result<Event, SessionError> {
        let mut out = Vec::new();
        self.session.begin(&mut out);
        if let Some(event) = self.session.take_event() {
            return Ok(event);
        }
        self.go_on(out)
    }

    /// Goes on after a pause.
    pub(super) fn resume(&mut self) -> Result<Event, SessionError> {
        let mut out = Vec::new();
        self.session.resume(&mut out);
        match self.session.take_event() {
            Some(event) => Ok(event),
            None => self.go_on(out),
        }
    }

    /// What has been answered since the last call.
    pub(super) fn answered(&mut self) -> Vec<(usize, bool, u64)> {
        let answered = std::iter::from_fn(|| self.session.take_answered());
        answered.map(|one| (one.kind, one.refused, one.rows)).collect()
    }

    /// Goes on until something else comes than more.
    fn go_on(&mut self, mut out: Vec<u8>) -> Result<Event, SessionError> {
        let mut input = Vec::new();
        loop {
            self.said.extend_from_slice(&out);
            let heard = self.peer.answer(&out);
            assert!(!heard.is_empty(), "nobody says anything any more");
            out.clear();
            let mut event = Event::More;
            for piece in heard.chunks(self.piece) {
                input.extend_from_slice(piece);
                let (used, came) = self.session.receive(&input, &mut out, &mut self.tally)?;
                input.drain(..used);
                event = came;
            }
            if !matches!(event, Event::More) {
                assert!(input.is_empty(), "something was left over");
                return Ok(event);
            }
        }
    }
}
