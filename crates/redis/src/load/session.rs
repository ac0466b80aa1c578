use super::{KeyValueCommands, operation_error};
use crate::protocol::{Reply, ReplyReader, write_command};
use engine::{Event, OperationError, ServedBy, Session, SessionError};
use model::{Effect, RequestKind, RequestTally};
use std::collections::VecDeque;
use std::sync::Arc;
use workload::key_value::{Command, KeyValueSource};

/// What the commands of a client count as.
static REQUEST_KINDS: [RequestKind; 2] = [
    RequestKind::counted("get", Effect::Read, "cmdstat_get"),
    RequestKind::counted("set", Effect::Write, "cmdstat_set"),
];
const GET: usize = 0;
const SET: usize = 1;

/// How a client logs in.
#[derive(Clone, Default)]
pub struct RedisLogin {
    /// Name of an ACL user; the server's default user when absent.
    pub user: Option<String>,
    /// Password; none is sent when absent.
    pub password: Option<Vec<u8>>,
    /// Number of the logical database.
    pub database: u32,
}

impl std::fmt::Debug for RedisLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisLogin")
            .field("user", &self.user)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

impl RedisLogin {
    /// Appends the commands of a login, and returns how many they are: at least one.
    pub fn write(&self, out: &mut Vec<u8>) -> usize {
        let mut commands = 1;
        if let Some(password) = &self.password {
            match &self.user {
                Some(user) => write_command(&[b"AUTH", user.as_bytes(), password], out),
                None => write_command(&[b"AUTH", password], out),
            }
            commands += 1;
        }
        // Also tells whether the server wants a password that was not given.
        write_command(&[b"SELECT", self.database.to_string().as_bytes()], out);
        commands
    }
}

/// One client of a key-value load on a server that speaks the protocol of Redis.
///
/// An operation is as many commands as the workload's pipeline is deep, sent together; it is done
/// when all replies are there, and failed when one of them is an error.
pub struct KeyValueSession {
    login: RedisLogin,
    commands: Arc<KeyValueCommands>,
    source: KeyValueSource,
    reader: ReplyReader,
    stage: Stage,
    /// Whether the commands under way write, in order.
    writes: VecDeque<bool>,
    /// The first error among the replies so far.
    error: Option<Box<OperationError>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Closed,
    /// Waiting for so many replies to the login.
    LoggingIn(usize),
    Idle,
    Working,
}

impl KeyValueSession {
    /// Client number `client` of a load.
    pub fn new(login: RedisLogin, commands: Arc<KeyValueCommands>, client: u32) -> Self {
        Self {
            source: commands.source(client),
            writes: VecDeque::with_capacity(commands.pipeline()),
            login,
            commands,
            reader: ReplyReader::default(),
            stage: Stage::Closed,
            error: None,
        }
    }

    fn log_in(&mut self, left: usize, reply: Reply) -> Result<Event, SessionError> {
        if let Reply::Error(line) = reply {
            return Err(SessionError::LoginRefused(Box::new(operation_error(&line))));
        }
        Ok(if left > 1 {
            self.stage = Stage::LoggingIn(left - 1);
            Event::More
        } else {
            self.stage = Stage::Idle;
            Event::Ready
        })
    }

    /// Counts a reply; whether it was the last one of the operation.
    #[inline]
    fn count(&mut self, reply: Reply, tally: &mut RequestTally) -> Result<bool, SessionError> {
        let write = self.writes.pop_front().ok_or_else(SessionError::unasked)?;
        match reply {
            Reply::Error(line) => {
                self.error.get_or_insert_with(|| Box::new(operation_error(&line)));
            }
            // A reply of the wrong kind would mean that replies and commands are out of step.
            Reply::Done if write => tally.kinds[SET] += 1,
            Reply::Value(_) if !write => {
                tally.kinds[GET] += 1;
                tally.found += 1;
            }
            Reply::Nothing if !write => tally.kinds[GET] += 1,
            other => {
                let command = if write { "SET" } else { "GET" };
                return Err(SessionError::Protocol(format!("{other:?} in reply to {command}")));
            }
        }
        Ok(self.writes.is_empty())
    }
}

impl Session for KeyValueSession {
    const KINDS: &'static [RequestKind] = &REQUEST_KINDS;
    const ENCRYPTED_AT_ONCE: bool = true;
    const SERVED_BY: ServedBy = ServedBy::Threads(1);

    fn open(&mut self, out: &mut Vec<u8>) {
        self.reader = ReplyReader::default();
        self.writes.clear();
        self.error = None;
        self.stage = Stage::LoggingIn(self.login.write(out));
    }

    fn tls_started(&mut self, _out: &mut Vec<u8>) {}

    #[inline]
    fn begin(&mut self, out: &mut Vec<u8>) {
        for _ in 0..self.commands.pipeline() {
            let command = self.source.next_command();
            self.commands.write(command, out);
            self.writes.push_back(matches!(command, Command::Set { .. }));
        }
        self.stage = Stage::Working;
    }

    #[inline]
    fn receive(
        &mut self,
        input: &[u8],
        _out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let mut at = 0;
        loop {
            let (consumed, reply) = self.reader.receive(&input[at..]).map_err(broken)?;
            at += consumed;
            let Some(reply) = reply else { return Ok((at, Event::More)) };
            match self.stage {
                Stage::Working => {
                    if self.count(reply, tally)? {
                        self.stage = Stage::Idle;
                        let failed = self.error.take();
                        return Ok((at, failed.map_or(Event::Done, Event::Failed)));
                    }
                }
                Stage::LoggingIn(left) => match self.log_in(left, reply)? {
                    Event::More => {}
                    event => return Ok((at, event)),
                },
                Stage::Idle | Stage::Closed => return Err(SessionError::unasked()),
            }
        }
    }

    fn close(&mut self, _out: &mut Vec<u8>) {}
}

fn broken(error: crate::protocol::RespError) -> SessionError {
    SessionError::Protocol(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::KeyValue;

    fn session(workload: &KeyValue, login: RedisLogin) -> KeyValueSession {
        KeyValueSession::new(login, Arc::new(KeyValueCommands::new(workload, 1, 1)), 0)
    }

    fn logged_in(workload: &KeyValue) -> KeyValueSession {
        let mut session = session(workload, RedisLogin::default());
        session.open(&mut Vec::new());
        assert!(matches!(receive(&mut session, b"+OK\r\n").0, Ok((5, Event::Ready))));
        session
    }

    fn receive(
        session: &mut KeyValueSession,
        input: &[u8],
    ) -> (Result<(usize, Event), SessionError>, RequestTally) {
        let mut counts = RequestTally::default();
        (session.receive(input, &mut Vec::new(), &mut counts), counts)
    }

    #[test]
    fn a_login_sends_what_it_has_and_names_a_refusal() {
        let login =
            RedisLogin { user: Some("bench".into()), password: Some(b"pw".to_vec()), database: 3 };
        let mut session = session(&KeyValue::default(), login.clone());
        let mut out = Vec::new();
        session.open(&mut out);
        let sent = String::from_utf8(out).unwrap();
        assert!(sent.contains("AUTH\r\n$5\r\nbench\r\n$2\r\npw") && sent.ends_with("$1\r\n3\r\n"));
        let (refused, _) = receive(&mut session, b"-WRONGPASS invalid username-password pair\r\n");
        let Err(SessionError::LoginRefused(error)) = refused else { panic!("{refused:?}") };
        assert_eq!(error.code, "WRONGPASS");
        assert!(!format!("{login:?}").contains("pw"));
    }

    #[test]
    fn an_operation_ends_with_the_last_reply_of_its_pipeline() {
        let workload = KeyValue { pipeline: 3, sets_to_gets: (0, 1), ..KeyValue::default() };
        let mut session = logged_in(&workload);
        let mut out = Vec::new();
        session.begin(&mut out);
        assert_eq!(out.windows(3).filter(|bytes| bytes == b"GET").count(), 3);
        let (event, counts) = receive(&mut session, b"$2\r\nab\r\n$-1\r\n$5\r\nabc");
        assert!(matches!(event, Ok((_, Event::More))));
        assert_eq!((counts.kinds[GET], counts.found), (2, 1));
        let (event, counts) = receive(&mut session, b"de\r\n");
        assert!(matches!(event, Ok((4, Event::Done))));
        assert_eq!((counts.kinds[GET], counts.found), (1, 1));
    }

    #[test]
    fn an_error_fails_the_operation_after_the_other_replies() {
        let workload = KeyValue { pipeline: 2, sets_to_gets: (1, 0), ..KeyValue::default() };
        let mut session = logged_in(&workload);
        session.begin(&mut Vec::new());
        let (event, counts) = receive(&mut session, b"-OOM no memory\r\n+OK\r\n");
        let Ok((_, Event::Failed(error))) = event else { panic!("{event:?}") };
        assert_eq!((error.code.as_str(), counts.kinds[SET]), ("OOM", 1));
        session.begin(&mut Vec::new());
        assert!(matches!(receive(&mut session, b"+OK\r\n+OK\r\n").0, Ok((10, Event::Done))));
    }

    #[test]
    fn replies_out_of_step_end_the_session() {
        let writes = KeyValue { sets_to_gets: (1, 0), ..KeyValue::default() };
        let mut session = logged_in(&writes);
        session.begin(&mut Vec::new());
        assert!(receive(&mut session, b"$1\r\nx\r\n").0.is_err());
        assert!(receive(&mut logged_in(&writes), b"+OK\r\n").0.is_err());
    }
}
