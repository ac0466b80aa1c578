use super::capabilities::Dialect;
use super::error::{ProtocolError, ServerError};
use super::frame::{Packets, Want};
use super::packet::{Head, OkPacket, ends_rows, parse_end};
use super::wire::Fields;

/// Most memory in bytes that the rows of one reply take. What control work asks for is a list of
/// settings, counters or tables: the largest is a few MiB.
const MAX_MEMORY: usize = 32 << 20;
/// Longest single row or definition in bytes.
const LONGEST_PACKET: usize = 16 << 20;
/// What an allocation of any length costs besides its bytes.
const ALLOCATION: usize = 16;

/// A table as the server sent it, values as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextRows {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows with a value per column; `None` is NULL.
    pub rows: Vec<Vec<Option<Vec<u8>>>>,
}

/// What became of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextReply {
    /// Done, without rows.
    Ok {
        /// Rows inserted, deleted or changed.
        affected_rows: u64,
        /// Whether the reply to another statement of the same query follows.
        more_results: bool,
    },
    /// Done, with rows.
    Rows {
        /// The rows.
        rows: TextRows,
        /// Whether the reply to another statement of the same query follows.
        more_results: bool,
    },
    /// The server waits for a file, as with [`super::Reply::LocalInfile`].
    LocalInfile {
        /// The file's name as the statement gave it.
        filename: Box<str>,
        /// Sequence number of the first packet of the answer.
        sequence: u8,
    },
    /// Refused, or failed on the way.
    Err(Box<ServerError>),
}

/// Reads the replies to one `COM_QUERY` and keeps the rows: for control connections.
#[derive(Debug)]
pub struct TextReader {
    dialect: Dialect,
    packets: Packets,
    state: State,
    table: TextRows,
    /// Memory that the table may still take, in bytes.
    left: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Head,
    Definitions { left: u64 },
    DefinitionsEnd,
    Rows,
}

impl TextReader {
    /// A reader for the replies to one query, of which the first has that sequence number (what
    /// [`super::write_query`] or [`super::write_infile_end`] returned).
    pub fn new(dialect: Dialect, sequence: u8) -> Self {
        Self {
            dialect,
            packets: Packets::new(sequence),
            state: State::Head,
            table: TextRows::default(),
            left: MAX_MEMORY,
        }
    }

    /// Takes bytes up to the end of a reply; returns how many were taken, and the reply if it has
    /// ended.
    ///
    /// # Errors
    /// When the bytes are not a reply in this dialect, or the rows take more than 32 MiB of
    /// memory; the connection must be given up then.
    pub fn receive(&mut self, input: &[u8]) -> Result<(usize, Option<TextReply>), ProtocolError> {
        let mut rest = input;
        loop {
            let limit = self.left.min(LONGEST_PACKET);
            let packet = self.packets.next(&mut rest, |_| Want::Collect { limit })?;
            let Some(packet) = packet else { return Ok((input.len(), None)) };
            let reply = match self.state {
                State::Head => match Head::parse(packet.payload, self.dialect)? {
                    Head::Columns { count, defined: true } => {
                        self.state = State::Definitions { left: count };
                        continue;
                    }
                    Head::Columns { .. } => return Err(ProtocolError::MissingDefinitions),
                    Head::Ok(OkPacket { affected_rows, more_results }) => {
                        TextReply::Ok { affected_rows, more_results }
                    }
                    Head::Err(error) => TextReply::Err(error),
                    Head::LocalInfile { filename } => {
                        let filename = String::from_utf8_lossy(filename).into();
                        TextReply::LocalInfile { filename, sequence: self.packets.next_sequence() }
                    }
                },
                State::Definitions { left } => {
                    let name = column_name(packet.payload)?;
                    charge(&mut self.left, 2 * size_of::<String>() + ALLOCATION + name.len())?;
                    self.table.columns.push(name);
                    self.state = match left - 1 {
                        0 if self.dialect.deprecate_eof => State::Rows,
                        0 => State::DefinitionsEnd,
                        left => State::Definitions { left },
                    };
                    continue;
                }
                State::DefinitionsEnd => match parse_end(packet.payload, self.dialect)? {
                    Ok(_) => {
                        self.state = State::Rows;
                        continue;
                    }
                    Err(error) => TextReply::Err(error),
                },
                State::Rows if !ends_rows(packet.start, self.dialect) => {
                    let columns = self.table.columns.len();
                    self.table.rows.push(row(packet.payload, columns, &mut self.left)?);
                    continue;
                }
                State::Rows => match parse_end(packet.payload, self.dialect)? {
                    Ok(more_results) => {
                        let rows = std::mem::take(&mut self.table);
                        self.left = MAX_MEMORY;
                        TextReply::Rows { rows, more_results }
                    }
                    Err(error) => TextReply::Err(error),
                },
            };
            self.state = State::Head;
            return Ok((input.len() - rest.len(), Some(reply)));
        }
    }
}

/// The name in a column definition.
fn column_name(packet: &[u8]) -> Result<String, ProtocolError> {
    const WHAT: &str = "a column definition";
    let mut fields = Fields::new(packet, WHAT);
    let (_catalog, _schema, _table, _original_table) = (
        fields.lenenc_bytes()?,
        fields.lenenc_bytes()?,
        fields.lenenc_bytes()?,
        fields.lenenc_bytes()?,
    );
    let name = fields.lenenc_bytes()?.ok_or(ProtocolError::Truncated(WHAT))?;
    Ok(String::from_utf8_lossy(name).into_owned())
}

fn row(
    packet: &[u8],
    columns: usize,
    left: &mut usize,
) -> Result<Vec<Option<Vec<u8>>>, ProtocolError> {
    const VALUE: usize = size_of::<Option<Vec<u8>>>();
    let mut fields = Fields::new(packet, "a row");
    // The list of rows grows by doubling.
    charge(left, 2 * VALUE + ALLOCATION + columns * VALUE)?;
    let mut values = Vec::with_capacity(columns);
    for _ in 0..columns {
        let value = fields.lenenc_bytes()?;
        charge(left, value.map_or(0, |value| value.len() + ALLOCATION))?;
        values.push(value.map(<[u8]>::to_vec));
    }
    Ok(values)
}

/// Takes so many bytes from what is left.
fn charge(left: &mut usize, bytes: usize) -> Result<(), ProtocolError> {
    *left = left.checked_sub(bytes).ok_or(ProtocolError::TooMuch { limit: MAX_MEMORY })?;
    Ok(())
}
