use super::classify::{broken, kept_out, operation_error, unasked};
use super::packets::{Composer, Encoding, Fixed, ways};
use super::reading::Reading;
use crate::protocol::{
    Compressed, Dialect, Login, LoginOptions, LoginStep, PrepareReader, Reply, ResponseReader,
    write_prepare, write_query, write_quit,
};
use engine::{OperationError, SessionError, Unasked};
use model::{Effect, RequestKind};
use sql::{Answer, Ready, Statements, Wire};
use std::sync::Arc;
use workload::program::{RowRead, Run, Statement, StatementKind};

/// What the statements of a client count as, in the order of [`StatementKind`]. A transaction that
/// failed ends with a rollback. The last kind is counted only where a program has such statements.
static REQUEST_KINDS: [RequestKind; 8] = [
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
/// MySQL prepares no BEGIN, MariaDB does: as sysbench does it, the statement is sent as text then.
const ER_UNSUPPORTED_PS: u16 = 1295;

/// The protocol by which a client runs the statements of a program.
pub struct MysqlWire {
    login: LoginOptions,
    /// What each connection begins with, before anything is prepared.
    opening: Option<&'static str>,
    /// By statement.
    ways: Arc<[Encoding]>,
    stage: Stage,
    /// Where the login agreed on it, from its end on.
    compression: Option<Box<Compressed>>,
    reader: ResponseReader,
    /// The prepared statements by place.
    prepared: Vec<Prepared>,
    /// Whether the statement in that place has been executed on this connection.
    executed: Vec<bool>,
    composer: Composer,
    /// Where variables read from answers; made when the login has told the dialect.
    reading: Option<Box<Reading>>,
    /// Whether they read from the answer under way.
    reads: bool,
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
    Ready,
}

impl Clone for MysqlWire {
    /// Another client of the same load.
    fn clone(&self) -> Self {
        Self::of_client(self.login.clone(), self.opening, Arc::clone(&self.ways))
    }
}

impl MysqlWire {
    /// Of the clients of a load, which log in with these options.
    pub fn new(login: LoginOptions, statements: &Statements) -> Self {
        Self::of_client(login, None, ways(statements))
    }

    /// Of clients that log in nowhere: see [`engine::WithoutServer`].
    pub fn dry(statements: &Statements) -> Self {
        Self::new(LoginOptions::default(), statements)
    }

    /// The same on connections that the server lets change nothing.
    #[must_use]
    pub fn reading_only(self) -> Self {
        Self { opening: Some("SET SESSION TRANSACTION READ ONLY"), ..self }
    }

    fn of_client(
        login: LoginOptions,
        opening: Option<&'static str>,
        ways: Arc<[Encoding]>,
    ) -> Self {
        Self {
            login,
            opening,
            ways,
            stage: Stage::Closed,
            compression: None,
            // Replaced when the login has told the dialect.
            reader: ResponseReader::new(Dialect::default()),
            prepared: Vec::new(),
            executed: Vec::new(),
            composer: Composer::default(),
            reading: None,
            reads: false,
        }
    }

    fn log_in(
        &mut self,
        statements: &Statements,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Ready), SessionError> {
        let dialect = match &mut self.stage {
            Stage::LoggingIn(login) => {
                let step = login.receive(input, out);
                match step.map_err(kept_out)? {
                    LoginStep::NeedMore { consumed } => return Ok((consumed, Ready::NotYet)),
                    LoginStep::StartTls { consumed } => return Ok((consumed, Ready::StartTls)),
                    LoginStep::Done { consumed, session } => {
                        let ready = self.logged_in(statements, session.dialect, out);
                        return Ok((consumed, ready));
                    }
                }
            }
            Stage::Preparing(_, dialect) => {
                let dialect = *dialect;
                return self.take_prepared(statements, dialect, input, out);
            }
            Stage::Opening(dialect) => *dialect,
            Stage::Closed | Stage::Ready => {
                return Err(SessionError::Protocol("a greeting after the login".to_owned()));
            }
        };
        let (consumed, reply) = self.reader.receive(input).map_err(broken)?;
        match reply {
            None => Ok((consumed, Ready::NotYet)),
            Some(Reply::Err(error)) => {
                Err(SessionError::LoginRefused(Box::new(operation_error(*error))))
            }
            Some(_) => Ok((consumed, self.prepare_next(statements, dialect, out))),
        }
    }

    /// Sends what comes before all other statements, where there is such.
    fn logged_in(&mut self, statements: &Statements, dialect: Dialect, out: &mut Vec<u8>) -> Ready {
        self.reader = ResponseReader::new(dialect);
        self.compression = dialect.compressed.then(Box::default);
        let reading = || Box::new(Reading::new(dialect, statements));
        self.reading = statements.any_reads().then(reading);
        self.executed.resize(statements.per_client(), false);
        match self.opening {
            Some(sql) => {
                write_query(sql, out);
                self.stage = Stage::Opening(dialect);
                Ready::NotYet
            }
            None => self.prepare_next(statements, dialect, out),
        }
    }

    fn prepare_next(
        &mut self,
        statements: &Statements,
        dialect: Dialect,
        out: &mut Vec<u8>,
    ) -> Ready {
        match statements.to_prepare().get(self.prepared.len()) {
            Some(&(statement, text)) => {
                let own = &statements.program().statements()[statement];
                write_prepare(&own.texts[text].with_marks(), out);
                let reader = match statements.row_read(statement) {
                    Some(_) => PrepareReader::with_columns(dialect),
                    None => PrepareReader::new(dialect),
                };
                self.stage = Stage::Preparing(Box::new(reader), dialect);
                Ready::NotYet
            }
            None => {
                self.stage = Stage::Ready;
                Ready::Ready
            }
        }
    }

    fn take_prepared(
        &mut self,
        statements: &Statements,
        dialect: Dialect,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Ready), SessionError> {
        let Stage::Preparing(reader, _) = &mut self.stage else {
            return Err(SessionError::Protocol("a statement that was not prepared".to_owned()));
        };
        let (consumed, prepared) = reader.receive(input).map_err(broken)?;
        let Some(prepared) = prepared else { return Ok((consumed, Ready::NotYet)) };
        let place = self.prepared.len();
        match prepared {
            Ok(prepared) => {
                if let Some(reading) = &mut self.reading {
                    reading.prepared(place, reader.take_columns());
                }
                self.prepared.push(Prepared::Id(prepared.id));
            }
            Err(error) => {
                let (number, text) = statements.to_prepare()[place];
                let own = &statements.program().statements()[number];
                let statement = own.texts[text].with_marks();
                if error.code != ER_UNSUPPORTED_PS || !own.parameters.is_empty() {
                    let error = Box::new(operation_error(error));
                    return Err(SessionError::Prepare { statement, error });
                }
                self.prepared.push(Prepared::Text(statement.into()));
            }
        }
        Ok((consumed, self.prepare_next(statements, dialect, out)))
    }

    /// Compresses what was appended from that place on, where that was agreed.
    #[inline]
    fn compress(&mut self, out: &mut Vec<u8>, from: usize) {
        if let Some(compression) = &mut self.compression {
            compression.wrap(out, from);
        }
    }

    /// Gives what came compressed to `take`, piece by piece, until that has something to say.
    fn unwrapped<T>(
        &mut self,
        mut compression: Box<Compressed>,
        input: &[u8],
        mut take: impl FnMut(&mut Self, &[u8]) -> Result<(usize, Option<T>), SessionError>,
    ) -> Result<(usize, Option<T>), SessionError> {
        let mut rest = input;
        let taken = loop {
            let clear = match compression.unwrap(&mut rest) {
                Ok(clear) => clear,
                Err(error) => break Err(broken(error)),
            };
            if clear.is_empty() {
                break Ok(None);
            }
            let all = clear.len();
            match take(self, clear) {
                Ok((used, _)) if used < all => {
                    break Err(SessionError::Protocol("more than one reply".to_owned()));
                }
                Ok((_, None)) => {}
                Ok((_, taken)) => break Ok(taken),
                Err(error) => break Err(error),
            }
        };
        self.compression = Some(compression);
        Ok((input.len() - rest.len(), taken?))
    }

    /// Variables read from the answer to what was sent, which begins with that sequence number.
    #[cold]
    fn expect_row(
        &mut self,
        statements: &Statements,
        (statement, text): (usize, usize),
        sequence: u8,
        row: RowRead,
    ) {
        let (place, binary) = match statements.place(statement, text) {
            Some(place) => (place, matches!(self.prepared[place], Prepared::Id(_))),
            None => (statements.per_client() + statement, false),
        };
        if let Some(reading) = &mut self.reading {
            reading.expect(place, sequence, binary, row);
        }
    }

    /// Takes in an answer from which variables read.
    #[cold]
    fn receive_row(
        &mut self,
        statement: &Statement,
        run: &mut Run,
        input: &[u8],
    ) -> Result<(usize, Option<Reply>), SessionError> {
        let Some(reading) = &mut self.reading else {
            return self.reader.receive(input).map_err(broken);
        };
        let received = reading.receive(input)?;
        if let (_, Some(Reply::Rows { rows, .. })) = received {
            reading.take(statement, rows, run)?;
        }
        Ok(received)
    }

    /// Why variables cannot read from an answer that has ended.
    #[cold]
    fn misread(&self, statement: &Statement) -> Option<Box<OperationError>> {
        self.reading.as_ref()?.wrong_rows(statement)
    }

    /// Takes in the next answer of the same command, if it has come.
    #[cold]
    fn receive_rest(
        &mut self,
        reads: Option<&Statement>,
        run: &mut Run,
        input: &[u8],
        consumed: usize,
    ) -> Result<(usize, Option<Answer>), SessionError> {
        let (more, answer) = self.receive_clear(reads, run, &input[consumed..])?;
        Ok((consumed + more, answer))
    }

    /// Takes in what has come, without compression; from it variables read where there is a statement.
    #[inline]
    fn receive_clear(
        &mut self,
        reads: Option<&Statement>,
        run: &mut Run,
        input: &[u8],
    ) -> Result<(usize, Option<Answer>), SessionError> {
        let (consumed, reply) = match reads {
            None => self.reader.receive(input).map_err(broken)?,
            Some(statement) => self.receive_row(statement, run, input)?,
        };
        let (rows, affected_rows) = match reply {
            None => return Ok((consumed, None)),
            // Of a procedure there are several answers; the last counts.
            Some(Reply::Rows { more_results: true, .. } | Reply::Ok { more_results: true, .. }) => {
                return self.receive_rest(reads, run, input, consumed);
            }
            Some(Reply::Rows { rows, .. }) => (rows, None),
            Some(Reply::Ok { affected_rows, .. }) => (0, Some(affected_rows)),
            Some(Reply::Err(error)) => {
                let rolled_back = error.code == ER_LOCK_DEADLOCK;
                let error = Box::new(operation_error(*error));
                return Ok((consumed, Some(Answer::Failed { error, rolled_back })));
            }
            Some(Reply::LocalInfile { .. }) => {
                return Err(SessionError::Protocol("the server asks for a file".to_owned()));
            }
        };
        let answer = match reads.and_then(|statement| self.misread(statement)) {
            None => Answer::Done { rows, affected_rows },
            Some(error) => Answer::Failed { error, rolled_back: false },
        };
        Ok((consumed, Some(answer)))
    }
}

impl Wire for MysqlWire {
    const KINDS: &'static [RequestKind] = &REQUEST_KINDS;

    fn kinds(statements: &Statements) -> &'static [RequestKind] {
        let other = |statement: &Statement| statement.kind == StatementKind::Other;
        match statements.program().statements().iter().any(other) {
            true => &REQUEST_KINDS,
            false => &REQUEST_KINDS[..StatementKind::Other as usize],
        }
    }

    /// The server speaks first.
    fn open(&mut self, _out: &mut Vec<u8>) {
        self.compression = None;
        self.prepared.clear();
        self.executed.fill(false);
        self.stage = Stage::LoggingIn(Box::new(Login::new(self.login.clone())));
    }

    fn tls_started(&mut self, out: &mut Vec<u8>) {
        if let Stage::LoggingIn(login) = &mut self.stage {
            login.tls_started(out);
        }
    }

    fn get_ready(
        &mut self,
        statements: &Statements,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Ready), SessionError> {
        let from = out.len();
        let ready = match self.compression.take() {
            None => self.log_in(statements, input, out)?,
            Some(compression) => {
                let (consumed, ready) = self.unwrapped(compression, input, |wire, clear| {
                    let sent = out.len();
                    let (used, ready) = wire.log_in(statements, clear, out)?;
                    Ok((used, (ready != Ready::NotYet || out.len() > sent).then_some(ready)))
                })?;
                (consumed, ready.unwrap_or(Ready::NotYet))
            }
        };
        // The end of the login has a command behind it that is compressed already.
        self.compress(out, from);
        Ok(ready)
    }

    fn pretend_ready(&mut self, statements: &Statements) {
        self.prepared.clear();
        self.prepared.resize_with(statements.per_client(), || Prepared::Id(0));
        self.executed.resize(statements.per_client(), false);
        self.stage = Stage::Ready;
    }

    #[inline]
    fn write(
        &mut self,
        statements: &Statements,
        (statement, text): (usize, usize),
        run: &mut Run,
        out: &mut Vec<u8>,
    ) -> u64 {
        let from = out.len();
        let (mut rows, mut sequence) = (0, 1);
        match &self.ways[statement] {
            Encoding::Fixed { packet, values, first } => {
                let place = first + text;
                match &self.prepared[place] {
                    Prepared::Id(id) => {
                        let first_time = !std::mem::replace(&mut self.executed[place], true);
                        let mut slots = packet.write(*id, first_time, out);
                        for (index, value) in values.iter().enumerate() {
                            match value {
                                Fixed::Integer(one) => slots.set_int(index, run.integer(*one)),
                                Fixed::Digits(template) => {
                                    run.draws.fill(template, slots.str_slot(index));
                                }
                            }
                        }
                    }
                    Prepared::Text(sql) => {
                        write_query(&**sql, out);
                    }
                }
            }
            Encoding::Text(templates) => {
                let (sql, made) = self.composer.text(&templates[text], run);
                rows = made;
                sequence = write_query(sql, out);
            }
            Encoding::Typed { types, parameters, first } => {
                let place = first + text;
                // A statement with values that is not prepared ends the login.
                if let Prepared::Id(id) = self.prepared[place] {
                    let first_time = !std::mem::replace(&mut self.executed[place], true);
                    let what = (id, first_time);
                    sequence = self.composer.execute(what, (types, parameters), run, out);
                }
            }
        }
        let row = statements.row_read(statement);
        self.reads = row.is_some();
        match row {
            Some(row) => self.expect_row(statements, (statement, text), sequence, row),
            // Another than usual after a command of several frames.
            None if sequence != 1 => self.reader.expect_sequence(sequence),
            None => {}
        }
        self.compress(out, from);
        rows
    }

    fn write_rollback(&mut self, out: &mut Vec<u8>) {
        let from = out.len();
        self.reads = false;
        write_query("ROLLBACK", out);
        self.compress(out, from);
    }

    #[inline]
    fn receive(
        &mut self,
        statements: &Statements,
        statement: Option<usize>,
        run: &mut Run,
        input: &[u8],
    ) -> Result<(usize, Option<Answer>), SessionError> {
        let reads = statement.filter(|_| self.reads);
        let reads = reads.map(|number| &statements.program().statements()[number]);
        match self.compression.take() {
            None => self.receive_clear(reads, run, input),
            Some(compression) => self
                .unwrapped(compression, input, |wire, clear| wire.receive_clear(reads, run, clear)),
        }
    }

    /// MySQL 8 says goodbye to a connection that has idled for longer than `wait_timeout`.
    fn unasked(&mut self, input: &[u8]) -> Result<Unasked, SessionError> {
        Ok(match self.compression {
            None => unasked(input),
            Some(_) => Unasked::Answer,
        })
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        let from = out.len();
        write_quit(out);
        self.compress(out, from);
    }
}
