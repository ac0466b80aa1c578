use super::Statements;
use super::classify::{broken, says_goodbye};
use super::operation_error;
use super::reading::Reading;
use crate::protocol::{
    Compressed, Dialect, ExecuteWriter, Login, LoginOptions, PrepareReader, Reply, ResponseReader,
    ServerError, write_query, write_quit,
};
use engine::{Answered, Event, OperationError, Session, SessionError, WithoutServer};
use model::{Effect, ErrorClass, RequestKind, RequestTally};
use std::sync::Arc;
use workload::program::{Next, Run, Statement, StatementKind};

mod login;
mod statement;

/// What the statements of a client count as, in the order of [`StatementKind`]. A transaction that
/// failed ends with a rollback. The last kind is counted only where a program has such statements.
pub static REQUEST_KINDS: [RequestKind; 8] = [
    RequestKind::counted("select", Effect::Read, "Com_select"),
    RequestKind::counted("insert", Effect::Write, "Com_insert"),
    RequestKind::counted("update", Effect::Write, "Com_update"),
    RequestKind::counted("delete", Effect::Write, "Com_delete"),
    RequestKind::counted("begin", Effect::Control, "Com_begin"),
    RequestKind::counted("commit", Effect::Control, "Com_commit"),
    RequestKind::counted("rollback", Effect::Control, "Com_rollback"),
    RequestKind::uncounted("other", Effect::Control),
];

/// After this error the server has rolled the transaction back already.
const ER_LOCK_DEADLOCK: u16 = 1213;

/// One client of a load on a MySQL server, which runs a program. It tells its statements apart for
/// their latencies where `BY_STATEMENT` says so.
pub struct ProgramSession<const BY_STATEMENT: bool = false> {
    login: LoginOptions,
    statements: Arc<Statements>,
    run: Run,
    /// The text of a statement while it is put together.
    text: Vec<u8>,
    /// Puts together executions whose values have no fixed length.
    execution: ExecuteWriter,
    /// Where variables read from answers; made when the login has told the dialect.
    reading: Option<Box<Reading>>,
    /// Whether they read from the answer under way.
    reads: bool,
    /// The number that the answer under way begins with.
    sequence: u8,
    writes_without_effect: u64,
    /// Rows inserted in bulk, acknowledged and under way.
    bulk_rows: [u64; 2],
    /// Rows that the answer to the statement under way must have; 0 where nothing can be said of it.
    rows_due: u64,
    stage: Stage,
    /// Where the login agreed on it, from its end on.
    compression: Option<Box<Compressed>>,
    /// The statement whose reply has just come.
    answered: Option<Answered>,
    /// The statement whose refusal ended the last transaction that failed.
    refused: Option<usize>,
    /// What beginning, or going on after a pause, came to where that is no request.
    event: Option<Event>,
    /// What comes after that.
    then: Option<Event>,
    reader: ResponseReader,
    /// The prepared statements by place.
    prepared: Vec<Prepared>,
    /// Whether the statement in that place has been executed on this connection.
    executed: Vec<bool>,
}

/// What became of a statement that was to be prepared.
enum Prepared {
    /// The server knows it by this id.
    Id(u32),
    /// The server prepares none of its kind: it is sent as this text.
    Text(Box<str>),
}

enum Stage {
    Closed,
    LoggingIn(Box<Login>),
    /// Waiting for the reply to the statement that comes before all others.
    Opening(Dialect),
    Preparing(Box<PrepareReader>, Dialect),
    Idle,
    /// Waiting for the reply to that statement.
    Executing(usize),
    /// Doing nothing for a while, between two statements.
    Thinking,
    /// Waiting for the reply to ROLLBACK after that error.
    RollingBack(Box<OperationError>),
}

impl<const BY_STATEMENT: bool> ProgramSession<BY_STATEMENT> {
    /// Client number `client` of a load, which logs in with these options.
    pub fn new(login: LoginOptions, statements: Arc<Statements>, client: u32) -> Self {
        Self {
            run: statements.run(client),
            bulk_rows: [0, 0],
            text: Vec::new(),
            execution: ExecuteWriter::default(),
            reading: None,
            reads: false,
            sequence: 1,
            writes_without_effect: 0,
            rows_due: 0,
            prepared: Vec::with_capacity(statements.per_client()),
            executed: vec![false; statements.per_client()],
            login,
            statements,
            stage: Stage::Closed,
            compression: None,
            answered: None,
            refused: None,
            event: None,
            then: None,
            // Replaced when the login has told the dialect.
            reader: ResponseReader::new(Dialect::default()),
        }
    }

    /// A client that logs in nowhere: see [`WithoutServer`].
    pub fn dry(statements: Arc<Statements>, client: u32) -> Self {
        Self::new(LoginOptions::default(), statements, client)
    }

    /// How many statements that write have changed no row so far: sysbench 1.0 does not count those
    /// as writes.
    pub fn writes_without_effect(&self) -> u64 {
        self.writes_without_effect
    }

    /// How many rows inserted in bulk the server has acknowledged so far: sysbench counts each as an
    /// event.
    pub fn bulk_rows(&self) -> u64 {
        self.bulk_rows[0]
    }

    #[inline]
    fn note_effect(&mut self, affected_rows: u64) {
        use StatementKind::{Delete, Insert, Update};
        self.bulk_rows[0] += std::mem::take(&mut self.bulk_rows[1]);
        if affected_rows > 0 {
            return;
        }
        if let Stage::Executing(statement) = self.stage
            && matches!(self.statements.form(statement).kind, Insert | Update | Delete)
        {
            self.writes_without_effect += 1;
        }
    }

    #[inline]
    fn check_answer(&self, rows: u64, tally: &mut RequestTally) {
        tally.answers.checked += u64::from(self.rows_due > 0);
        tally.answers.short += u64::from(rows < self.rows_due);
    }

    /// Goes on with the transaction: appends its next statement, or says what else there is.
    #[inline]
    fn execute_next(&mut self, out: &mut Vec<u8>) -> Event {
        match self.run.advance() {
            Next::Execute { statement, text } => {
                self.write(statement, text, out);
                self.stage = Stage::Executing(statement);
                Event::More
            }
            Next::Ended => {
                self.stage = Stage::Idle;
                if let Some(time) = self.run.take_rest() {
                    self.event = Some(Event::Pause(time));
                }
                Event::Done
            }
            Next::Think(time) => {
                self.stage = Stage::Thinking;
                Event::Pause(time)
            }
            Next::Failed => self.cannot_go_on(out),
        }
    }

    /// Beginning, or going on, came to something else than a request. The pause that may be in store
    /// already comes after it.
    #[cold]
    fn without_request(&mut self, event: Event) {
        self.then = self.event.replace(event);
    }

    /// A value of the next statement cannot be computed: the transaction is abandoned.
    #[cold]
    fn cannot_go_on(&mut self, out: &mut Vec<u8>) -> Event {
        self.refused = None;
        let reason = self.run.error().map(|error| error.to_string());
        let failure = OperationError {
            class: ErrorClass::Statement,
            code: String::new(),
            sql_state: String::new(),
            message: reason.unwrap_or_default(),
        };
        self.abandon(Box::new(failure), false, out)
    }

    /// A statement was answered.
    #[inline]
    fn answered_with(
        &mut self,
        statement: usize,
        answer: Result<u64, ServerError>,
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Event {
        tally.kinds[self.statements.form(statement).kind as usize] += 1;
        let misread = if self.reads && answer.is_ok() { self.misread(statement) } else { None };
        if BY_STATEMENT {
            let rows = answer.as_ref().map_or(0, |rows| *rows);
            let refused = answer.is_err() || misread.is_some();
            self.answered = Some(Answered { kind: statement, refused, rows });
        }
        match (answer, misread) {
            (Err(error), _) => self.refused(statement, error, out),
            (Ok(_), Some(failure)) => {
                self.refused = Some(statement);
                self.abandon(failure, false, out)
            }
            (Ok(_), None) => self.execute_next(out),
        }
    }

    /// A statement was refused: the transaction is abandoned.
    fn refused(&mut self, statement: usize, error: ServerError, out: &mut Vec<u8>) -> Event {
        self.refused = Some(statement);
        let rolled_back = error.code == ER_LOCK_DEADLOCK;
        self.abandon(Box::new(operation_error(error)), rolled_back, out)
    }

    /// Ends a transaction that failed, on the server too where that has it open.
    fn abandon(
        &mut self,
        failure: Box<OperationError>,
        rolled_back: bool,
        out: &mut Vec<u8>,
    ) -> Event {
        let in_transaction = self.run.in_transaction();
        match failure.class == ErrorClass::Conflict && self.run.can_retry() {
            true => self.run.again(),
            false => self.run.restart(),
        }
        if in_transaction && !rolled_back {
            self.reads = false;
            write_query("ROLLBACK", out);
            self.stage = Stage::RollingBack(failure);
            return Event::More;
        }
        self.stage = Stage::Idle;
        Event::Failed(failure)
    }
}

impl<const BY_STATEMENT: bool> Session for ProgramSession<BY_STATEMENT> {
    const KINDS: &'static [RequestKind] = &REQUEST_KINDS;
    const BY_STATEMENT: bool = BY_STATEMENT;

    fn kinds(&self) -> &'static [RequestKind] {
        let other = |statement: &Statement| statement.kind == StatementKind::Other;
        match self.statements.program().statements().iter().any(other) {
            true => &REQUEST_KINDS,
            false => &REQUEST_KINDS[..StatementKind::Other as usize],
        }
    }

    fn names(&self) -> Vec<String> {
        let statements = self.statements.program().statements();
        statements.iter().map(|statement| statement.name.clone()).collect()
    }

    fn transaction_names(&self) -> Vec<String> {
        let transactions = self.statements.program().transactions();
        transactions.iter().map(|transaction| transaction.name.clone()).collect()
    }

    fn open(&mut self, _out: &mut Vec<u8>) {
        self.compression = None;
        (self.event, self.then) = (None, None);
        self.prepared.clear();
        self.executed.fill(false);
        self.run.restart();
        self.stage = Stage::LoggingIn(Box::new(Login::new(self.login.clone())));
    }

    fn tls_started(&mut self, out: &mut Vec<u8>) {
        if let Stage::LoggingIn(login) = &mut self.stage {
            login.tls_started(out);
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        let from = out.len();
        let event = self.execute_next(out);
        if !matches!(event, Event::More) {
            self.without_request(event);
        }
        self.compress(out, from);
    }

    fn resume(&mut self, out: &mut Vec<u8>) {
        self.begin(out);
    }

    #[inline]
    fn take_event(&mut self) -> Option<Event> {
        let event = self.event.take()?;
        self.event = self.then.take();
        Some(event)
    }

    #[inline]
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let from = out.len();
        let received = match self.compression.take() {
            None => self.receive_clear(input, out, tally),
            Some(mut compression) => {
                let received = self.receive_compressed(&mut compression, input, out, tally);
                self.compression = Some(compression);
                received
            }
        };
        // The end of the login has a command behind it that is compressed already.
        self.compress(out, from);
        received
    }

    #[inline]
    fn take_answered(&mut self) -> Option<Answered> {
        self.answered.take()
    }

    fn awaited(&self) -> Option<usize> {
        match self.stage {
            Stage::Executing(statement) if BY_STATEMENT => Some(statement),
            _ => None,
        }
    }

    fn transaction(&self) -> Option<usize> {
        Some(self.run.transaction())
    }

    fn refused_statement(&self) -> Option<usize> {
        self.refused
    }

    fn does_again(&self) -> bool {
        self.run.comes_again()
    }

    /// MySQL 8 says so of a connection that has idled for longer than `wait_timeout`.
    fn is_farewell(&self, input: &[u8]) -> bool {
        self.compression.is_none() && says_goodbye(input)
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        let from = out.len();
        write_quit(out);
        self.compress(out, from);
    }
}

impl<const BY_STATEMENT: bool> ProgramSession<BY_STATEMENT> {
    /// Compresses what was appended from that place on, where that was agreed.
    #[inline]
    fn compress(&mut self, out: &mut Vec<u8>, from: usize) {
        if let Some(compression) = &mut self.compression {
            compression.wrap(out, from);
        }
    }

    fn receive_compressed(
        &mut self,
        compression: &mut Compressed,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let mut rest = input;
        loop {
            let clear = compression.unwrap(&mut rest).map_err(broken)?;
            if clear.is_empty() {
                return Ok((input.len(), Event::More));
            }
            let all = clear.len();
            let sent = out.len();
            let (used, event) = self.receive_clear(clear, out, tally)?;
            if used < all {
                return Err(SessionError::Protocol("more than one reply".to_owned()));
            }
            if !matches!(event, Event::More) || out.len() > sent {
                return Ok((input.len() - rest.len(), event));
            }
        }
    }

    /// Takes in the next answer of the same command, if it has come.
    #[cold]
    fn receive_rest(
        &mut self,
        input: &[u8],
        consumed: usize,
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let (more, event) = self.receive_clear(&input[consumed..], out, tally)?;
        Ok((consumed + more, event))
    }

    /// Takes in what has come, without compression.
    #[inline]
    fn receive_clear(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        match &self.stage {
            Stage::Executing(_) | Stage::RollingBack(_) => {}
            Stage::LoggingIn(_) => return self.log_in(input, out),
            Stage::Opening(dialect) => return self.opening(*dialect, input, out),
            Stage::Preparing(..) => return self.prepare(input, out),
            Stage::Idle | Stage::Closed | Stage::Thinking => {
                return Err(SessionError::Protocol("bytes that were not asked for".to_owned()));
            }
        }
        let (consumed, reply) = match self.reads {
            false => self.reader.receive(input).map_err(broken)?,
            true => self.receive_row(input)?,
        };
        let answer = match reply {
            None => return Ok((consumed, Event::More)),
            // Of a procedure there are several answers; the last counts.
            Some(Reply::Rows { more_results: true, .. } | Reply::Ok { more_results: true, .. }) => {
                return self.receive_rest(input, consumed, out, tally);
            }
            Some(Reply::Rows { rows, .. }) => {
                self.check_answer(rows, tally);
                Ok(rows)
            }
            Some(Reply::Ok { affected_rows, .. }) => {
                self.note_effect(affected_rows);
                Ok(affected_rows)
            }
            Some(Reply::Err(error)) => Err(*error),
            Some(Reply::LocalInfile { .. }) => {
                return Err(SessionError::Protocol("the server asks for a file".to_owned()));
            }
        };
        let event = match (std::mem::replace(&mut self.stage, Stage::Idle), answer) {
            (Stage::RollingBack(failure), _) => {
                tally.kinds[StatementKind::Rollback as usize] += 1;
                Event::Failed(failure)
            }
            (Stage::Executing(statement), answer) => {
                self.answered_with(statement, answer, out, tally)
            }
            // The stage was checked above.
            _ => Event::More,
        };
        Ok((consumed, event))
    }
}

impl<const BY_STATEMENT: bool> WithoutServer for ProgramSession<BY_STATEMENT> {
    fn pretend_login(&mut self) {
        self.prepared.clear();
        self.prepared.resize_with(self.statements.per_client(), || Prepared::Id(0));
        self.stage = Stage::Idle;
    }

    fn pretend_answer(&mut self, out: &mut Vec<u8>, tally: &mut RequestTally) -> Event {
        if matches!(self.stage, Stage::Thinking) {
            return Event::More;
        }
        self.note_effect(1);
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Executing(statement) => self.answered_with(statement, Ok(0), out, tally),
            // Nothing else is under way where nothing is refused.
            _ => Event::Done,
        }
    }
}
