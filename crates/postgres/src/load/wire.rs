use super::classify::{Duplicates, broken, kept_out, operation_error};
use super::prepared::{Known, Shared, name, text};
use crate::names::{LOAD_NAME, ROWS_INSERTED, TABLE_SCANS, TRANSACTIONS};
use crate::protocol::{
    Answer, AnswerReader, Columns, Kept, Login, LoginOptions, LoginStep, PrepareAnswer,
    PrepareReader, Prepared, ServerError, TransactionState, UnaskedMessage, certificate_hash,
    write_prepare, write_query, write_sync, write_terminate, write_text_query,
};
use engine::{OperationError, ServedBy, SessionError, Unasked};
use model::{Effect, RequestKind};
use sql::{PipelineWire, Ready, Statements, TextTemplate, Wire, read_row, wrong_rows};
use std::sync::Arc;
use workload::program::{Parameter, RowRead, Run, Statement, StatementKind, Text, Value};

/// The server counts transactions: those that COMMIT and ROLLBACK end, and implicit ones.
static BY_TRANSACTIONS: [RequestKind; 8] = [
    RequestKind::uncounted("select", Effect::Read),
    RequestKind::uncounted("insert", Effect::Write),
    RequestKind::uncounted("update", Effect::Write),
    RequestKind::uncounted("delete", Effect::Write),
    RequestKind::uncounted("begin", Effect::Control),
    // What prepares a session's statements is one transaction.
    RequestKind::counted("commit", Effect::Control, TRANSACTIONS)
        .and_each_session(1)
        .and_each_implicit(1),
    RequestKind::counted("rollback", Effect::Control, TRANSACTIONS),
    RequestKind::uncounted("other", Effect::Control),
];

/// Where every statement looks once for a row or a range of rows of one table, or inserts one row: the
/// tables' own counters know of no other sessions, logins and background work.
static BY_TABLES: [RequestKind; 8] = [
    RequestKind::counted("select", Effect::Read, TABLE_SCANS),
    RequestKind::counted("insert", Effect::Write, ROWS_INSERTED),
    RequestKind::counted("update", Effect::Write, TABLE_SCANS),
    RequestKind::counted("delete", Effect::Write, TABLE_SCANS),
    RequestKind::uncounted("begin", Effect::Control),
    RequestKind::uncounted("commit", Effect::Control),
    RequestKind::uncounted("rollback", Effect::Control),
    RequestKind::uncounted("other", Effect::Control),
];

/// How statements of the family begin that read one row, or a range of rows.
const ONE_SCAN: [&str; 4] = [
    "SELECT c FROM sbtest",
    "SELECT pad FROM sbtest",
    "SELECT SUM(k) FROM sbtest",
    "SELECT DISTINCT c FROM sbtest",
];

/// Whether a statement is one of the sbtest family that scans a table once, or inserts one row.
fn is_counted_by_tables(statement: &Statement) -> bool {
    let texts = || statement.texts.iter().map(Text::with_marks);
    match statement.kind {
        StatementKind::Select => texts().all(|text| {
            let once = ONE_SCAN.iter().any(|start| text.starts_with(start));
            once && ![" IN", " OR ", " JOIN ", ","].iter().any(|more| text.contains(more))
        }),
        StatementKind::Update => texts().all(|text| text.starts_with("UPDATE sbtest")),
        StatementKind::Delete => texts().all(|text| text.starts_with("DELETE FROM sbtest")),
        StatementKind::Insert => {
            let many = statement.parameters.iter().any(|one| matches!(one, Parameter::Made(_)));
            !many && texts().all(|text| text.starts_with("INSERT INTO sbtest"))
        }
        StatementKind::Begin | StatementKind::Commit | StatementKind::Rollback => true,
        StatementKind::Other => false,
    }
}

/// The protocol by which a client runs the statements of a program.
#[derive(Debug)]
pub struct PostgresWire {
    login: LoginOptions,
    duplicates: Duplicates,
    shared: Arc<Shared>,
    /// By statement; absent of those that are prepared.
    pub(super) texts: Arc<[Box<[TextTemplate]>]>,
    stage: Stage,
    pub(super) reader: AnswerReader,
    /// By place, where this connection's server has told otherwise than others.
    own: Vec<Option<Box<Known>>>,
    /// The columns of the answer under way, from which variables read.
    columns: Columns,
    /// The place of the prepared statement that is answered, from whose answer variables read.
    place: Option<usize>,
    /// A value while it is put into words.
    value: Vec<u8>,
}

#[derive(Debug)]
enum Stage {
    Closed,
    LoggingIn(Box<Login>),
    /// So many statements have been prepared.
    Preparing(usize, Box<PrepareReader>),
    Ready,
}

impl Clone for PostgresWire {
    /// Another client of the same load.
    fn clone(&self) -> Self {
        let (shared, texts) = (Arc::clone(&self.shared), Arc::clone(&self.texts));
        Self::of_client(self.login.clone(), self.duplicates, shared, texts)
    }
}

impl PostgresWire {
    /// Of the clients of a load, which log in with these options.
    pub fn new(login: LoginOptions, statements: &Statements, duplicates: Duplicates) -> Self {
        let templates = statements.program().statements().iter().map(|statement| {
            let texts = statement.texts.iter().filter(|_| !statement.prepared);
            texts.map(|text| TextTemplate::new(text, &statement.parameters)).collect()
        });
        let shared = Arc::new(Shared::new(statements));
        Self::of_client(login, duplicates, shared, templates.collect())
    }

    fn of_client(
        login: LoginOptions,
        duplicates: Duplicates,
        shared: Arc<Shared>,
        texts: Arc<[Box<[TextTemplate]>]>,
    ) -> Self {
        Self {
            login,
            duplicates,
            shared,
            texts,
            stage: Stage::Closed,
            reader: AnswerReader::default(),
            own: Vec::new(),
            columns: Columns::default(),
            place: None,
            value: Vec::new(),
        }
    }

    /// Of clients that log in nowhere.
    pub fn dry(statements: &Statements) -> Self {
        let login = LoginOptions {
            local_transport: true,
            application_name: LOAD_NAME,
            ..LoginOptions::default()
        };
        Self::new(login, statements, Duplicates::Violate)
    }

    /// Has all statements prepared at once. Whatever there is to prepare, this is one transaction, which
    /// [`RequestKind::each_session`] tells.
    fn prepare_all(&mut self, statements: &Statements, out: &mut Vec<u8>) {
        self.own.clear();
        self.own.resize_with(statements.per_client(), || None);
        let mut place = 0;
        while let Some(sql) = text(statements, place) {
            write_prepare(&name(place), &sql, out);
            place += 1;
        }
        match place {
            0 => write_query(b"", out),
            _ => write_sync(out),
        }
        self.stage = Stage::Preparing(0, Box::default());
    }

    fn take_prepared(
        &mut self,
        statements: &Statements,
        input: &[u8],
    ) -> Result<(usize, Ready), SessionError> {
        let mut consumed = 0;
        loop {
            let Stage::Preparing(place, reader) = &mut self.stage else {
                return Ok((consumed, Ready::Ready));
            };
            let (used, answer) = reader.receive(&input[consumed..]).map_err(broken)?;
            consumed += used;
            match answer {
                None => return Ok((consumed, Ready::NotYet)),
                Some(PrepareAnswer::Prepared(prepared)) if *place < self.own.len() => {
                    self.own[*place] = self.shared.learn(*place, prepared).map(Box::new);
                    *place += 1;
                }
                Some(PrepareAnswer::Refused(error)) => {
                    let statement = text(statements, *place).unwrap_or_default();
                    let error = Box::new(operation_error(*error, self.duplicates));
                    return Err(SessionError::Prepare { statement, error });
                }
                Some(PrepareAnswer::Ready) if *place == self.own.len() => {
                    self.stage = Stage::Ready;
                    return Ok((consumed, Ready::Ready));
                }
                Some(PrepareAnswer::Prepared(_) | PrepareAnswer::Ready) => {
                    let what = "another number of statements than were prepared";
                    return Err(SessionError::Protocol(what.to_owned()));
                }
            }
        }
    }

    /// Variables take their values from a row of an answer, which has so many. Gives the reason where
    /// they cannot.
    #[cold]
    fn read_row(
        &mut self,
        statements: &Statements,
        statement: usize,
        rows: u64,
        run: &mut Run,
    ) -> Result<Option<Box<OperationError>>, SessionError> {
        let statement = &statements.program().statements()[statement];
        if let Some(wrong) = wrong_rows(statement, rows) {
            return Ok(Some(wrong));
        }
        let columns = match self.place {
            None => &self.columns,
            Some(place) => match (&self.own[place], self.shared.get(place)) {
                (Some(known), _) => &known.columns,
                (None, Some(known)) => &known.columns,
                (None, None) => &self.columns,
            },
        };
        let read = |column, value: &mut _| self.reader.read(column, value).map_err(broken);
        let find = |name: &str| columns.find(name);
        read_row(statement, rows, &mut run.variables, find, read, &mut self.value)?;
        Ok(None)
    }

    /// What an error amounts to, and whether the server has no transaction open any more.
    pub(super) fn failed(
        &self,
        error: ServerError,
        transaction: Option<TransactionState>,
    ) -> (Box<OperationError>, bool) {
        // Without a state there is no connection any more.
        let rolled_back =
            !matches!(transaction, Some(TransactionState::Open | TransactionState::Failed));
        (Box::new(operation_error(error, self.duplicates)), rolled_back)
    }

    #[inline]
    pub(super) fn write_prepared(
        &mut self,
        place: usize,
        parameters: &[Parameter],
        run: &mut Run,
        out: &mut Vec<u8>,
    ) {
        let known = match (&self.own[place], self.shared.get(place)) {
            (None, Some(known)) => known,
            (Some(known), _) => known,
            // Nothing is executed before everything is prepared.
            (None, None) => return,
        };
        let mut execution = known.template.begin(out);
        for parameter in parameters {
            let variable = match *parameter {
                Parameter::Variable(variable) | Parameter::Verbatim(variable) => variable,
                Parameter::Digits(template) => {
                    run.draws.fill(template, execution.text_slot(template.len()));
                    continue;
                }
                // What a source makes is not prepared.
                Parameter::Made(_) => {
                    execution.null();
                    continue;
                }
            };
            match run.variables.get(variable) {
                Value::Integer(number) => execution.integer(number),
                Value::Null => execution.null(),
                Value::Text(holder) => execution.text_value(run.variables.text(holder)),
                Value::Double(number) => {
                    self.value.clear();
                    run.variables.append(Value::Double(number), &mut self.value);
                    execution.double(number, &self.value);
                }
                Value::Boolean(is) => execution.text_value(if is { b"true" } else { b"false" }),
            }
        }
        execution.end();
    }
}

impl Wire for PostgresWire {
    const KINDS: &'static [RequestKind] = &BY_TRANSACTIONS;
    const SERVED_BY: ServedBy = ServedBy::ProcessOfEach;

    fn kinds(statements: &Statements) -> &'static [RequestKind] {
        match statements.program().statements().iter().all(is_counted_by_tables) {
            true => &BY_TABLES,
            false => &BY_TRANSACTIONS,
        }
    }

    fn open(&mut self, out: &mut Vec<u8>) {
        self.reader = AnswerReader::new(self.login.read_only);
        self.stage = Stage::LoggingIn(Box::new(Login::begin(self.login.clone(), out)));
    }

    fn tls_started(&mut self, out: &mut Vec<u8>) {
        if let Stage::LoggingIn(login) = &mut self.stage {
            login.tls_started(out);
        }
    }

    fn peer_certificate(&mut self, certificate: &[u8]) {
        if let (Stage::LoggingIn(login), Some(hash)) =
            (&mut self.stage, certificate_hash(certificate))
        {
            login.bind(hash);
        }
    }

    fn get_ready(
        &mut self,
        statements: &Statements,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Ready), SessionError> {
        let Stage::LoggingIn(login) = &mut self.stage else {
            return self.take_prepared(statements, input);
        };
        match login.receive(input, out).map_err(kept_out)? {
            LoginStep::NeedMore { consumed } => Ok((consumed, Ready::NotYet)),
            LoginStep::StartTls { consumed } => Ok((consumed, Ready::StartTls)),
            LoginStep::Done { consumed, .. } => {
                self.prepare_all(statements, out);
                Ok((consumed, Ready::NotYet))
            }
        }
    }

    fn pretend_ready(&mut self, statements: &Statements) {
        self.own.clear();
        self.own.resize_with(statements.per_client(), || None);
        for (place, (statement, _)) in statements.to_prepare().iter().enumerate() {
            let parameters = &statements.program().statements()[*statement].parameters;
            let prepared =
                Prepared { parameters: vec![0; parameters.len()], ..Prepared::default() };
            self.shared.learn(place, prepared);
        }
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
        let place = statements.place(statement, text);
        if let Some(row) = statements.row_read(statement) {
            self.reader.keep_row(if row == RowRead::Last { Kept::Last } else { Kept::First });
            self.place = place;
        }
        match place {
            Some(place) => {
                let parameters = &statements.program().statements()[statement].parameters;
                self.write_prepared(place, parameters, run, out);
                0
            }
            None => {
                let template = &self.texts[statement][text];
                write_text_query(out, |out| template.write(run, quote, out))
            }
        }
    }

    fn write_rollback(&mut self, out: &mut Vec<u8>) {
        write_query(b"ROLLBACK", out);
    }

    #[inline]
    fn receive(
        &mut self,
        statements: &Statements,
        statement: Option<usize>,
        run: &mut Run,
        input: &[u8],
    ) -> Result<(usize, Option<sql::Answer>), SessionError> {
        let columns = self.place.is_none().then_some(&mut self.columns);
        let (consumed, answer) = self.reader.receive(input, columns).map_err(broken)?;
        let answer = match answer {
            None => return Ok((consumed, None)),
            Some(Answer::Done { rows, affected_rows, .. }) => {
                let misread = match statement {
                    Some(statement) if statements.row_read(statement).is_some() => {
                        self.read_row(statements, statement, rows, run)?
                    }
                    _ => None,
                };
                match misread {
                    None => sql::Answer::Done { rows, affected_rows },
                    Some(error) => sql::Answer::Failed { error, rolled_back: false },
                }
            }
            Some(Answer::Failed(error, transaction)) => {
                let (error, rolled_back) = self.failed(*error, transaction);
                sql::Answer::Failed { error, rolled_back }
            }
        };
        Ok((consumed, Some(answer)))
    }

    fn unasked(&mut self, input: &[u8]) -> Result<Unasked, SessionError> {
        let (taken, message) = self.reader.receive_unasked(input).map_err(broken)?;
        Ok(match message {
            Some(UnaskedMessage::Notice) => Unasked::Notice(taken),
            Some(UnaskedMessage::LastWord) => Unasked::Farewell,
            Some(UnaskedMessage::Answer) => Unasked::Answer,
            // The end of one that is passed over.
            None if taken > 0 => Unasked::Notice(taken),
            None => Unasked::Unfinished,
        })
    }

    fn pipelines(&mut self) -> Option<&mut dyn PipelineWire> {
        Some(self)
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        write_terminate(out);
    }
}

/// Appends a text as a constant, which a backslash does not change whatever the server is set to.
pub(crate) fn quote(text: &[u8], out: &mut Vec<u8>) {
    let escapes = text.contains(&b'\\');
    if escapes {
        out.extend_from_slice(b" E");
    }
    out.push(b'\'');
    for &byte in text {
        if byte == b'\'' || escapes && byte == b'\\' {
            out.push(byte);
        }
        out.push(byte);
    }
    out.push(b'\'');
}
