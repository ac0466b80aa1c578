//! Answers to statements, of any number of rows, of which at most one is kept.

use super::error::{ProtocolError, ServerError, Severity};
use super::frame::{CONTROL_LIMIT, Fields, Messages, Want, is_aside, tag};

/// Longest row that is kept, in bytes: values of variables are short.
const LONGEST_ROW: usize = 1 << 20;

/// How an answer ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Done {
        rows: u64,
        /// Rows that the statement inserted, changed or removed; absent of what does none of this.
        affected_rows: Option<u64>,
        transaction: TransactionState,
    },
    /// Absent of an error after which the server closes the connection.
    Failed(Box<ServerError>, Option<TransactionState>),
}

/// What comes in answer to statements that were sent together.
#[derive(Debug, PartialEq, Eq)]
pub enum PipedAnswer {
    /// The next of them has been carried out.
    Done { rows: u64, affected_rows: Option<u64> },
    /// There are no more answers. A failure is that of the next, or of the end of their transaction.
    Ended(Answer),
}

/// What comes although nothing was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaskedMessage {
    /// What the server tells by itself: a notice, a notification, a setting that has changed.
    Notice,
    /// An error with which the server says why it closes the connection.
    LastWord,
    /// What can only be an answer.
    Answer,
}

/// What the session is in after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionState {
    None,
    Open,
    /// A statement of it failed: every other is refused until it is rolled back.
    Failed,
}

impl TransactionState {
    pub(super) fn parse(body: &[u8]) -> Result<Self, ProtocolError> {
        match body {
            b"I" => Ok(Self::None),
            b"T" => Ok(Self::Open),
            b"E" => Ok(Self::Failed),
            _ => Err(ProtocolError::Truncated("the state of a session")),
        }
    }
}

/// The columns of an answer.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// One name after another.
    names: Vec<u8>,
    /// By column, where its name ends.
    ends: Vec<usize>,
}

impl Columns {
    /// Reads a RowDescription. What was there before makes room.
    pub(super) fn read(&mut self, body: &[u8]) -> Result<(), ProtocolError> {
        self.names.clear();
        self.ends.clear();
        let mut fields = Fields::new(body, "a description of columns");
        for _column in 0..fields.u16()? {
            self.names.extend_from_slice(fields.zero_terminated()?);
            self.ends.push(self.names.len());
            let _table_number_type_size_modifier_form = fields.bytes(18)?;
        }
        Ok(())
    }

    /// The column of that name, as the server has it.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names().position(|one| one == name.as_bytes())
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// From the first on.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, to)| &self.names[from..*to])
    }
}

/// A row of an answer that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    First,
    Last,
}

/// What a server reports when the transactions of a session may write from now on.
const WRITES: &[u8] = b"default_transaction_read_only\0off\0";

/// Reads answers: what comes from a statement's first message to the readiness for the next.
#[derive(Debug, Default)]
pub struct AnswerReader {
    messages: Messages,
    rows: u64,
    affected_rows: Option<u64>,
    error: Option<Box<ServerError>>,
    /// Which row is kept, and the columns where they are described.
    kept: Option<Kept>,
    row: Vec<u8>,
    /// Whether the session is to stay one that only reads.
    read_only: bool,
}

impl AnswerReader {
    /// Of a session which changes nothing, if `read_only`. From PostgreSQL 14 on a server says when that is
    /// lifted; what has been sent by then was sent.
    pub fn new(read_only: bool) -> Self {
        Self { read_only, ..Self::default() }
    }

    /// Before an answer of which a row is wanted.
    pub fn keep_row(&mut self, which: Kept) {
        self.kept = Some(which);
        self.row.clear();
    }

    /// Takes bytes up to the end of an answer. Returns how many it took: what is left of them is to be
    /// shown again with more.
    ///
    /// # Errors
    /// When the bytes are no answer, or a row that is kept is too long.
    #[inline]
    pub fn receive(
        &mut self,
        input: &[u8],
        columns: Option<&mut Columns>,
    ) -> Result<(usize, Option<Answer>), ProtocolError> {
        let mut rest = input;
        let mut columns = columns;
        loop {
            let wants_row = match self.kept {
                None => false,
                Some(Kept::First) => self.rows == 0,
                Some(Kept::Last) => true,
            };
            let want = |tag| match tag {
                tag::DATA_ROW if wants_row => Want::Whole { limit: LONGEST_ROW },
                tag::DATA_ROW | tag::COPY_DATA => Want::Skip,
                tag::PARAMETER_STATUS => Want::Whole { limit: CONTROL_LIMIT },
                tag if is_aside(tag) => Want::Skip,
                _ => Want::Whole { limit: CONTROL_LIMIT },
            };
            let Some(message) = self.messages.next(&mut rest, want)? else {
                return Ok((input.len() - rest.len(), None));
            };
            match message.tag {
                tag::DATA_ROW => {
                    if wants_row {
                        self.row.clear();
                        self.row.extend_from_slice(message.body);
                    }
                    self.rows += 1;
                }
                tag::BIND_COMPLETE => {}
                tag::COMMAND_COMPLETE => self.affected_rows = affected_rows(message.body),
                tag::READY => {
                    let transaction = TransactionState::parse(message.body)?;
                    let answer = self.end(Some(transaction));
                    return Ok((input.len() - rest.len(), Some(answer)));
                }
                tag::ROW_DESCRIPTION => {
                    if let (Some(_), Some(columns)) = (self.kept, &mut columns) {
                        columns.read(message.body)?;
                        // Of several answers the last one counts.
                        self.row.clear();
                    }
                    self.rows = 0;
                }
                tag::ERROR => {
                    let error = ServerError::parse(message.body)?;
                    let is_last = error.severity == Severity::Fatal;
                    self.error.get_or_insert_with(|| Box::new(error));
                    if is_last {
                        return Ok((input.len() - rest.len(), Some(self.end(None))));
                    }
                }
                tag => self.check_other(tag, message.body)?,
            }
        }
    }

    /// Takes bytes up to the end of an answer to one of the statements that were sent together, or of all;
    /// as [`Self::receive`].
    ///
    /// # Errors
    /// When the bytes are no such answer.
    pub fn receive_piped(
        &mut self,
        input: &[u8],
    ) -> Result<(usize, Option<PipedAnswer>), ProtocolError> {
        let mut rest = input;
        loop {
            let want = |tag| match tag {
                tag::DATA_ROW | tag::COPY_DATA => Want::Skip,
                tag::PARAMETER_STATUS => Want::Whole { limit: CONTROL_LIMIT },
                tag if is_aside(tag) => Want::Skip,
                _ => Want::Whole { limit: CONTROL_LIMIT },
            };
            let Some(message) = self.messages.next(&mut rest, want)? else {
                return Ok((input.len() - rest.len(), None));
            };
            let answer = match message.tag {
                tag::DATA_ROW => {
                    self.rows += 1;
                    continue;
                }
                tag::COMMAND_COMPLETE | tag::EMPTY_QUERY => {
                    let rows = std::mem::take(&mut self.rows);
                    PipedAnswer::Done { rows, affected_rows: affected_rows(message.body) }
                }
                tag::READY => {
                    let transaction = TransactionState::parse(message.body)?;
                    PipedAnswer::Ended(self.end(Some(transaction)))
                }
                tag::ERROR => {
                    let error = ServerError::parse(message.body)?;
                    let is_last = error.severity == Severity::Fatal;
                    self.error.get_or_insert_with(|| Box::new(error));
                    if !is_last {
                        continue;
                    }
                    PipedAnswer::Ended(self.end(None))
                }
                tag::BIND_COMPLETE => continue,
                tag => {
                    self.check_other(tag, message.body)?;
                    continue;
                }
            };
            return Ok((input.len() - rest.len(), Some(answer)));
        }
    }

    /// What may come in an answer besides, and what may not.
    #[cold]
    fn check_other(&self, tag: u8, body: &[u8]) -> Result<(), ProtocolError> {
        let may_write = tag == tag::PARAMETER_STATUS && body == WRITES;
        if self.read_only && may_write { Err(ProtocolError::MayWrite) } else { check_other(tag) }
    }

    /// Takes a message that came although nothing was asked, as [`Self::receive`].
    ///
    /// # Errors
    /// When the bytes are no message, or say that the session may write.
    pub fn receive_unasked(
        &mut self,
        input: &[u8],
    ) -> Result<(usize, Option<UnaskedMessage>), ProtocolError> {
        let mut rest = input;
        let want = |tag| match tag {
            tag::NOTICE | tag::NOTIFICATION => Want::Skip,
            _ => Want::Whole { limit: CONTROL_LIMIT },
        };
        let message = match self.messages.next(&mut rest, want)? {
            Some(message) if is_aside(message.tag) => {
                self.check_other(message.tag, message.body)?;
                Some(UnaskedMessage::Notice)
            }
            Some(message) if message.tag == tag::ERROR => {
                match ServerError::parse(message.body)?.is_last_word() {
                    true => Some(UnaskedMessage::LastWord),
                    false => Some(UnaskedMessage::Answer),
                }
            }
            Some(_) => Some(UnaskedMessage::Answer),
            // Its first byte tells what it will be.
            None => {
                let is_answer = |tag: &u8| *tag != tag::ERROR && !is_aside(*tag);
                rest.first().copied().filter(is_answer).map(|_| UnaskedMessage::Answer)
            }
        };
        Ok((input.len() - rest.len(), message))
    }

    fn end(&mut self, transaction: Option<TransactionState>) -> Answer {
        self.kept = None;
        let (rows, affected_rows) =
            (std::mem::take(&mut self.rows), std::mem::take(&mut self.affected_rows));
        match (self.error.take(), transaction) {
            (None, Some(transaction)) => Answer::Done { rows, affected_rows, transaction },
            (Some(error), transaction) => Answer::Failed(error, transaction),
            // Only an error ends an answer without the session's state.
            (None, None) => {
                Answer::Done { rows, affected_rows, transaction: TransactionState::None }
            }
        }
    }

    /// Replaces `out` by the value of a column of the row that was kept, as text; false where it is
    /// NULL, or there is no row or no such column.
    ///
    /// # Errors
    /// When what was kept is no row.
    pub fn read(&self, column: usize, out: &mut Vec<u8>) -> Result<bool, ProtocolError> {
        out.clear();
        if self.row.is_empty() {
            return Ok(false);
        }
        let mut fields = Fields::new(&self.row, "a row");
        if column >= usize::from(fields.u16()?) {
            return Ok(false);
        }
        for _before in 0..column {
            fields.value()?;
        }
        let value = fields.value()?;
        out.extend_from_slice(value.unwrap_or_default());
        Ok(value.is_some())
    }
}

#[cold]
fn check_other(tag: u8) -> Result<(), ProtocolError> {
    match tag {
        tag::PARSE_COMPLETE
        | tag::CLOSE_COMPLETE
        | tag::NO_DATA
        | tag::PARAMETER_DESCRIPTION
        | tag::EMPTY_QUERY
        | tag::PORTAL_SUSPENDED
        | tag::COPY_OUT
        | tag::COPY_DATA
        | tag::COPY_DONE => Ok(()),
        tag::COPY_IN | tag::COPY_BOTH => Err(ProtocolError::UnwantedCopy),
        tag if is_aside(tag) => Ok(()),
        tag => Err(ProtocolError::Unexpected { expected: "an answer", tag }),
    }
}

/// The rows of a tag such as `UPDATE 3` or `INSERT 0 1`.
#[inline]
pub(super) fn affected_rows(command_tag: &[u8]) -> Option<u64> {
    let text = command_tag.strip_suffix(&[0]).unwrap_or(command_tag);
    if !matches!(text.first(), Some(b'I' | b'U' | b'D' | b'M' | b'C')) {
        return None;
    }
    let mut number: u64 = 0;
    let mut scale: u64 = 1;
    let mut digits = 0;
    for &byte in text.iter().rev() {
        match byte {
            b'0'..=b'9' => {
                number = number.wrapping_add(u64::from(byte - b'0').wrapping_mul(scale));
                scale = scale.wrapping_mul(10);
                digits += 1;
            }
            b' ' if digits > 0 => return Some(number),
            _ => return None,
        }
    }
    None
}

/// Reads the answers to [`super::write_prepare`], one statement after another.
#[derive(Debug, Default)]
pub struct PrepareReader {
    messages: Messages,
    prepared: Prepared,
}

/// A prepared statement.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The types of its parameters.
    pub parameters: Vec<u32>,
    pub columns: Columns,
}

/// What [`PrepareReader`] found.
#[derive(Debug)]
pub enum PrepareAnswer {
    Prepared(Prepared),
    /// Those after it are not prepared either.
    Refused(Box<ServerError>),
    /// There are no more.
    Ready,
}

impl PrepareReader {
    /// Takes bytes up to the end of the next answer, as [`AnswerReader::receive`].
    ///
    /// # Errors
    /// When the bytes are no such answer.
    pub fn receive(
        &mut self,
        input: &[u8],
    ) -> Result<(usize, Option<PrepareAnswer>), ProtocolError> {
        let mut rest = input;
        loop {
            let want = |tag| match is_aside(tag) {
                true => Want::Skip,
                false => Want::Whole { limit: CONTROL_LIMIT },
            };
            let Some(message) = self.messages.next(&mut rest, want)? else {
                return Ok((input.len() - rest.len(), None));
            };
            let answer = match message.tag {
                tag::PARAMETER_DESCRIPTION => {
                    let mut fields = Fields::new(message.body, "a description of parameters");
                    let count = fields.u16()?;
                    let types: Result<_, _> = (0..count).map(|_| fields.u32()).collect();
                    self.prepared.parameters = types?;
                    continue;
                }
                tag::ROW_DESCRIPTION => {
                    self.prepared.columns.read(message.body)?;
                    PrepareAnswer::Prepared(std::mem::take(&mut self.prepared))
                }
                tag::NO_DATA => PrepareAnswer::Prepared(std::mem::take(&mut self.prepared)),
                tag::ERROR => PrepareAnswer::Refused(Box::new(ServerError::parse(message.body)?)),
                tag::READY => PrepareAnswer::Ready,
                tag::PARSE_COMPLETE | tag::EMPTY_QUERY => continue,
                tag if is_aside(tag) => continue,
                tag => {
                    let expected = "the description of a statement";
                    return Err(ProtocolError::Unexpected { expected, tag });
                }
            };
            return Ok((input.len() - rest.len(), Some(answer)));
        }
    }
}
