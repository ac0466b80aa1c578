use crate::pipeline::Pipeline;
use crate::{Answer, Piped, Ready, Statements, Wire};
use engine::{
    Account, Answered, Event, LoadError, LoadSpec, OperationError, PartRun, RunLoad, ServedBy,
    Session, SessionError, SocketLoad, Unasked, WithoutServer,
};
use model::{ErrorClass, RequestKind, RequestTally};
use std::sync::Arc;
use workload::program::{Next, Run, StatementKind};

/// One client of a load on a server of SQL, which runs a program. It tells its statements apart for
/// their latencies where `BY_STATEMENT` says so.
pub struct ProgramSession<W, const BY_STATEMENT: bool = false> {
    wire: W,
    statements: Arc<Statements>,
    run: Run,
    stage: Stage,
    writes_without_effect: u64,
    /// Rows inserted in bulk, acknowledged and under way.
    bulk_rows: [u64; 2],
    /// Rows that the answer to the statement under way must have; 0 where nothing can be said of it.
    rows_due: u64,
    /// The statement whose reply has just come.
    answered: Option<Answered>,
    /// The statement whose refusal ended the last transaction that failed.
    refused: Option<usize>,
    /// What beginning, or going on after a pause, came to where that is no request.
    event: Option<Event>,
    /// What comes after that.
    then: Option<Event>,
    /// Of programs that have pipelines.
    pipeline: Option<Box<Pipeline>>,
}

enum Stage {
    Closed,
    GettingReady,
    Idle,
    /// Waiting for the reply to that statement.
    Executing(usize),
    /// Waiting for the replies to the statements of a pipeline.
    Piping,
    /// Doing nothing for a while, between two statements.
    Thinking,
    /// Waiting for the reply to ROLLBACK after that error.
    RollingBack(Box<OperationError>),
}

/// Why an operation cannot go on that its server did not refuse.
fn failure(message: String) -> Box<OperationError> {
    Box::new(OperationError {
        class: ErrorClass::Statement,
        code: "script".to_owned(),
        sql_state: String::new(),
        message,
    })
}

/// Runs a part of a load, whose clients have wires like this one.
///
/// # Errors
/// As [`engine::RunLoad::run_part`].
pub fn run_part<W: Wire + Clone + Sync>(
    wire: &W,
    statements: &Arc<Statements>,
    by_statement: bool,
    spec: &LoadSpec,
    run: &mut PartRun<'_>,
) -> Result<Account, LoadError> {
    fn session<W: Wire + Clone, const BY_STATEMENT: bool>(
        wire: &W,
        statements: &Arc<Statements>,
    ) -> impl Fn(u32) -> ProgramSession<W, BY_STATEMENT> {
        |client| ProgramSession::new(wire.clone(), Arc::clone(statements), client)
    }
    // Decided here, once, and not for every statement.
    match by_statement {
        true => SocketLoad { spec, session: session::<W, true>(wire, statements) }.run_part(run),
        false => SocketLoad { spec, session: session::<W, false>(wire, statements) }.run_part(run),
    }
}

impl<W: Wire, const BY_STATEMENT: bool> ProgramSession<W, BY_STATEMENT> {
    /// Client number `client` of a load.
    pub fn new(wire: W, statements: Arc<Statements>, client: u32) -> Self {
        Self {
            wire,
            run: statements.run(client),
            pipeline: statements.program().has_pipelines().then(Box::default),
            statements,
            stage: Stage::Closed,
            writes_without_effect: 0,
            bulk_rows: [0, 0],
            rows_due: 0,
            answered: None,
            refused: None,
            event: None,
            then: None,
        }
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
    fn note_effect(&mut self, statement: Option<usize>, affected_rows: Option<u64>) {
        use StatementKind::{Delete, Insert, Update};
        self.bulk_rows[0] += std::mem::take(&mut self.bulk_rows[1]);
        if affected_rows == Some(0)
            && let Some(statement) = statement
            && matches!(self.statements.form(statement).kind, Insert | Update | Delete)
        {
            self.writes_without_effect += 1;
        }
    }

    /// The statement of a pipeline whose answer comes next.
    fn awaited_in_pipeline(&self) -> Option<usize> {
        self.pipeline.as_ref()?.awaited.front().copied()
    }

    /// The next statement of a pipeline was answered: which it is.
    fn answer_piped(
        &mut self,
        refused: bool,
        rows: u64,
        tally: &mut RequestTally,
    ) -> Result<usize, SessionError> {
        let Some((pipeline, statement)) = self.pipeline.as_mut().and_then(|pipeline| {
            let statement = pipeline.awaited.pop_front()?;
            Some((pipeline, statement))
        }) else {
            let what = "more answers than the statements of a pipeline";
            return Err(SessionError::Protocol(what.to_owned()));
        };
        let kind = self.statements.form(statement).kind;
        tally.kinds[kind as usize] += 1;
        pipeline.answered(kind);
        if BY_STATEMENT {
            let answered = Answered { kind: statement, refused, rows };
            match &self.answered {
                None => self.answered = Some(answered),
                Some(_) => pipeline.untold.push_back(answered),
            }
        }
        Ok(statement)
    }

    /// Goes on with the transaction: appends its next statement, or says what else there is.
    #[inline]
    fn execute_next(&mut self, out: &mut Vec<u8>) -> Event {
        match self.run.advance() {
            Next::Execute { statement, text } => {
                self.rows_due = self.run.rows_due(self.statements.form(statement).rows_due);
                let what = (statement, text);
                self.bulk_rows[1] = self.wire.write(&self.statements, what, &mut self.run, out);
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
            Next::OpenPipeline => self.begin_pipeline(out),
            // Pipelines end where they are written.
            Next::EndPipeline => self.execute_next(out),
            Next::Failed => self.cannot_go_on(self.run.in_transaction(), out),
        }
    }

    #[inline(never)]
    fn begin_pipeline(&mut self, out: &mut Vec<u8>) -> Event {
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.begin(self.run.in_transaction());
        }
        self.write_pipeline(out)
    }

    /// Appends the statements of a pipeline up to its end, or to the next pause in it.
    fn write_pipeline(&mut self, out: &mut Vec<u8>) -> Event {
        let (Some(pipeline), Some(wire)) = (&mut self.pipeline, self.wire.pipelines()) else {
            let message = "the protocol of this system has no pipelines".to_owned();
            return self.abandon(failure(message), self.run.in_transaction(), out);
        };
        let from = out.len();
        loop {
            match self.run.advance() {
                Next::Execute { statement, text } => {
                    wire.write(&self.statements, (statement, text), &mut self.run, out);
                    pipeline.wrote(statement);
                }
                Next::Think(time) => {
                    pipeline.hold(from, out);
                    self.stage = Stage::Thinking;
                    return Event::Pause(time);
                }
                Next::Failed => {
                    // The server has heard nothing of it.
                    out.truncate(from);
                    pipeline.clear();
                    let in_transaction = pipeline.in_transaction;
                    return self.cannot_go_on(in_transaction, out);
                }
                Next::EndPipeline | Next::Ended | Next::OpenPipeline => {
                    pipeline.give_back(from, out);
                    wire.end(out);
                    self.stage = Stage::Piping;
                    return Event::More;
                }
            }
        }
    }

    /// Takes in answers to the statements of a pipeline.
    #[inline(never)]
    fn receive_piped(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let mut consumed = 0;
        loop {
            let came = match self.wire.pipelines() {
                Some(wire) => wire.receive(&input[consumed..])?,
                None => (0, None),
            };
            consumed += came.0;
            let event = match came.1 {
                None => Event::More,
                Some(Piped::Done { rows, affected_rows }) => {
                    let rows = affected_rows.unwrap_or(rows);
                    let statement = self.answer_piped(false, rows, tally)?;
                    self.note_effect(Some(statement), affected_rows);
                    continue;
                }
                Some(Piped::Failed { error, rolled_back }) => {
                    // Where all are answered, it is the end of their transaction that was refused.
                    self.refused = match self.awaited_in_pipeline() {
                        Some(_) => Some(self.answer_piped(true, 0, tally)?),
                        None => self.pipeline.as_ref().and_then(|pipeline| pipeline.last),
                    };
                    self.end_pipeline(tally);
                    self.abandon(error, !rolled_back, out)
                }
                Some(Piped::Ended) if self.awaited_in_pipeline().is_none() => {
                    self.end_pipeline(tally);
                    self.execute_next(out)
                }
                Some(Piped::Ended) => {
                    let what = "fewer answers than the statements of a pipeline";
                    return Err(SessionError::Protocol(what.to_owned()));
                }
            };
            return Ok((consumed, event));
        }
    }

    /// The server has committed or rolled back what a pipeline left to its end.
    fn end_pipeline(&mut self, tally: &mut RequestTally) {
        let is_implicit = self.pipeline.as_mut().is_some_and(|pipeline| pipeline.take_implicit());
        tally.implicit += u64::from(is_implicit);
    }

    /// Beginning, or going on, came to something else than a request. The pause that may be in store
    /// already comes after it.
    #[cold]
    fn without_request(&mut self, event: Event) {
        self.then = self.event.replace(event);
    }

    /// A value of the next statement cannot be computed: the transaction is abandoned.
    #[cold]
    fn cannot_go_on(&mut self, in_transaction: bool, out: &mut Vec<u8>) -> Event {
        self.refused = None;
        self.abandon(failure(self.run.error_in_words()), in_transaction, out)
    }

    /// A statement was answered.
    #[inline]
    fn answered_with(
        &mut self,
        statement: usize,
        answer: Answer,
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Event {
        let kind = self.statements.form(statement).kind;
        tally.kinds[kind as usize] += 1;
        tally.implicit += u64::from(!self.run.in_transaction() && !kind.ends_transaction());
        if BY_STATEMENT {
            let (refused, rows) = match &answer {
                Answer::Done { rows, affected_rows } => (false, affected_rows.unwrap_or(*rows)),
                Answer::Failed { .. } => (true, 0),
            };
            self.answered = Some(Answered { kind: statement, refused, rows });
        }
        match answer {
            Answer::Done { .. } => self.execute_next(out),
            Answer::Failed { error, rolled_back } => {
                self.refused = Some(statement);
                self.abandon(error, self.run.in_transaction() && !rolled_back, out)
            }
        }
    }

    /// Ends a transaction that failed, on the server too where that has it open.
    fn abandon(
        &mut self,
        failure: Box<OperationError>,
        in_transaction: bool,
        out: &mut Vec<u8>,
    ) -> Event {
        match failure.class == ErrorClass::Conflict && self.run.can_retry() {
            true => self.run.again(),
            false => self.run.restart(),
        }
        if in_transaction {
            self.rows_due = 0;
            self.wire.write_rollback(out);
            self.stage = Stage::RollingBack(failure);
            return Event::More;
        }
        self.stage = Stage::Idle;
        Event::Failed(failure)
    }

    fn get_ready(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(usize, Event), SessionError> {
        let (consumed, ready) = self.wire.get_ready(&self.statements, input, out)?;
        let event = match ready {
            Ready::NotYet => Event::More,
            Ready::StartTls => Event::StartTls,
            Ready::Ready => {
                self.stage = Stage::Idle;
                Event::Ready
            }
        };
        Ok((consumed, event))
    }
}

impl<W: Wire, const BY_STATEMENT: bool> Session for ProgramSession<W, BY_STATEMENT> {
    const KINDS: &'static [RequestKind] = W::KINDS;
    const BY_STATEMENT: bool = BY_STATEMENT;
    const SERVED_BY: ServedBy = W::SERVED_BY;

    fn kinds(&self) -> &'static [RequestKind] {
        W::kinds(&self.statements)
    }

    fn names(&self) -> Vec<String> {
        let statements = self.statements.program().statements();
        statements.iter().map(|statement| statement.name.clone()).collect()
    }

    fn transaction_names(&self) -> Vec<String> {
        let transactions = self.statements.program().transactions();
        transactions.iter().map(|transaction| transaction.name.clone()).collect()
    }

    fn open(&mut self, out: &mut Vec<u8>) {
        (self.event, self.then) = (None, None);
        if let Some(pipeline) = &mut self.pipeline {
            pipeline.clear();
        }
        self.run.restart();
        self.stage = Stage::GettingReady;
        self.wire.open(out);
    }

    fn tls_started(&mut self, out: &mut Vec<u8>) {
        if matches!(self.stage, Stage::GettingReady) {
            self.wire.tls_started(out);
        }
    }

    fn peer_certificate(&mut self, certificate: &[u8]) {
        if matches!(self.stage, Stage::GettingReady) {
            self.wire.peer_certificate(certificate);
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        let event = self.execute_next(out);
        if !matches!(event, Event::More) {
            self.without_request(event);
        }
    }

    fn resume(&mut self, out: &mut Vec<u8>) {
        if !self.pipeline.as_ref().is_some_and(|pipeline| pipeline.is_open) {
            return self.begin(out);
        }
        let event = self.write_pipeline(out);
        if !matches!(event, Event::More) {
            self.without_request(event);
        }
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
        let statement = match &self.stage {
            Stage::Executing(statement) => Some(*statement),
            Stage::RollingBack(_) => None,
            Stage::Piping => return self.receive_piped(input, out, tally),
            Stage::GettingReady => return self.get_ready(input, out),
            Stage::Idle | Stage::Closed | Stage::Thinking => {
                return Err(SessionError::unasked());
            }
        };
        let (consumed, answer) =
            self.wire.receive(&self.statements, statement, &mut self.run, input)?;
        let Some(answer) = answer else { return Ok((consumed, Event::More)) };
        if let Answer::Done { rows, affected_rows } = answer {
            tally.answers.checked += u64::from(self.rows_due > 0);
            tally.answers.short += u64::from(rows < self.rows_due);
            self.note_effect(statement, affected_rows);
        }
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

    #[inline]
    fn take_answered(&mut self) -> Option<Answered> {
        let answered = self.answered.take()?;
        if let Some(pipeline) = &mut self.pipeline {
            self.answered = pipeline.untold.pop_front();
        }
        Some(answered)
    }

    fn awaited(&self) -> Option<usize> {
        match self.stage {
            Stage::Executing(statement) if BY_STATEMENT => Some(statement),
            Stage::Piping if BY_STATEMENT => self.awaited_in_pipeline(),
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

    fn unasked(&mut self, input: &[u8]) -> Result<Unasked, SessionError> {
        self.wire.unasked(input)
    }

    fn close(&mut self, out: &mut Vec<u8>) {
        self.wire.close(out);
    }
}

impl<W: Wire, const BY_STATEMENT: bool> WithoutServer for ProgramSession<W, BY_STATEMENT> {
    fn pretend_login(&mut self) {
        self.wire.pretend_ready(&self.statements);
        self.stage = Stage::Idle;
    }

    fn pretend_answer(&mut self, out: &mut Vec<u8>, tally: &mut RequestTally) -> Event {
        if matches!(self.stage, Stage::Thinking) {
            return Event::More;
        }
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Executing(statement) => {
                self.note_effect(Some(statement), Some(1));
                let answer = Answer::Done { rows: 0, affected_rows: Some(1) };
                self.answered_with(statement, answer, out, tally)
            }
            Stage::Piping => {
                while self.awaited_in_pipeline().is_some() {
                    // One is awaited.
                    let _ = self.answer_piped(false, 1, tally);
                }
                self.end_pipeline(tally);
                self.execute_next(out)
            }
            // Nothing else is under way where nothing is refused.
            _ => Event::Done,
        }
    }
}
