//! Answers that are kept: rows as text.

use super::answer::{Columns, TransactionState, affected_rows};
use super::error::{ProtocolError, ServerError, Severity};
use super::frame::{CONTROL_LIMIT, Fields, Messages, Want, is_aside, tag};

/// Longest row that is kept, in bytes.
const LONGEST_ROW: usize = 16 << 20;
/// Most memory that the rows of an answer take, about.
const MOST_KEPT: usize = 64 << 20;
/// What a row or a value takes beside its bytes.
const OVERHEAD: usize = 48;

/// The rows of an answer, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextRows {
    /// Their names, as the server has them.
    pub columns: Vec<String>,
    /// NULL is `None`.
    pub rows: Vec<Vec<Option<String>>>,
}

/// What [`TextReader`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum TextAnswer {
    Done {
        /// Those of the last statement that gave some.
        rows: TextRows,
        affected_rows: u64,
    },
    Failed(Box<ServerError>),
    /// The server takes the data of a COPY now; the answer goes on after it.
    CopyIn,
}

/// Reads the answer to a simple query, and keeps all of it.
#[derive(Debug, Default)]
pub struct TextReader {
    messages: Messages,
    columns: Columns,
    rows: TextRows,
    affected_rows: u64,
    error: Option<Box<ServerError>>,
    kept: usize,
}

impl TextReader {
    /// Takes bytes up to the end of the answer, or to where it waits for data.
    ///
    /// # Errors
    /// When the bytes are no answer.
    pub fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<TextAnswer>), ProtocolError> {
        let mut rest = input;
        loop {
            let want = |tag| match tag {
                tag::DATA_ROW => Want::Whole { limit: LONGEST_ROW },
                tag::COPY_DATA => Want::Skip,
                tag if is_aside(tag) => Want::Skip,
                _ => Want::Whole { limit: CONTROL_LIMIT },
            };
            let Some(message) = self.messages.next(&mut rest, want)? else {
                return Ok((input.len() - rest.len(), None));
            };
            match message.tag {
                tag::ROW_DESCRIPTION => {
                    self.columns.read(message.body)?;
                    let names = self.columns.names();
                    let text = |name| String::from_utf8_lossy(name).into_owned();
                    self.rows = TextRows { columns: names.map(text).collect(), rows: Vec::new() };
                }
                tag::DATA_ROW => self.row(message.body)?,
                tag::COMMAND_COMPLETE => {
                    self.affected_rows += affected_rows(message.body).unwrap_or(0);
                }
                tag::ERROR => {
                    let error = Box::new(ServerError::parse(message.body)?);
                    if error.severity == Severity::Fatal {
                        return Ok((input.len() - rest.len(), Some(TextAnswer::Failed(error))));
                    }
                    self.error.get_or_insert(error);
                }
                tag::COPY_IN => {
                    return Ok((input.len() - rest.len(), Some(TextAnswer::CopyIn)));
                }
                tag::READY => {
                    TransactionState::parse(message.body)?;
                    let answer = match self.error.take() {
                        Some(error) => TextAnswer::Failed(error),
                        None => TextAnswer::Done {
                            rows: std::mem::take(&mut self.rows),
                            affected_rows: std::mem::take(&mut self.affected_rows),
                        },
                    };
                    return Ok((input.len() - rest.len(), Some(answer)));
                }
                tag::COPY_BOTH => return Err(ProtocolError::UnwantedCopy),
                tag::EMPTY_QUERY | tag::COPY_OUT | tag::COPY_DATA | tag::COPY_DONE => {}
                tag if is_aside(tag) => {}
                tag => return Err(ProtocolError::Unexpected { expected: "an answer", tag }),
            }
        }
    }

    fn row(&mut self, body: &[u8]) -> Result<(), ProtocolError> {
        let mut fields = Fields::new(body, "a row");
        if usize::from(fields.u16()?) != self.columns.len() {
            return Err(ProtocolError::NoColumns);
        }
        self.kept += body.len() + OVERHEAD * (1 + self.columns.len());
        if self.kept > MOST_KEPT {
            return Err(ProtocolError::TooMuch { limit: MOST_KEPT });
        }
        let mut row = Vec::with_capacity(self.columns.len());
        for _column in 0..self.columns.len() {
            row.push(fields.value()?.map(|value| String::from_utf8_lossy(value).into_owned()));
        }
        self.rows.rows.push(row);
        Ok(())
    }
}
