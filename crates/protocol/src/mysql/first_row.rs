use super::capabilities::Dialect;
use super::error::ProtocolError;
use super::frame::{Packets, Want};
use super::packet::{CONTROL_LIMIT, Head, OkPacket, ends_rows, parse_end};
use super::response::Reply;
use super::wire::Fields;
use std::io::Write;

/// Longest first row, in bytes: values of variables are short.
const LONGEST_ROW: usize = 1 << 20;

/// The columns of an answer: their names, and how their values are written.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// One name after another.
    names: Vec<u8>,
    /// By column, where its name ends, its type, and whether it has no sign.
    columns: Vec<(usize, u8, bool)>,
}

impl Columns {
    fn clear(&mut self) {
        self.names.clear();
        self.columns.clear();
    }

    /// Adds a column as a definition packet describes it.
    pub(super) fn add(&mut self, packet: &[u8]) -> Result<(), ProtocolError> {
        const UNSIGNED: u16 = 1 << 5;
        let mut fields = Fields::new(packet, "a column definition");
        for _catalog_schema_table_original in 0..4 {
            fields.lenenc_bytes()?;
        }
        let name = fields.lenenc_bytes()?.unwrap_or_default();
        let _original_name = fields.lenenc_bytes()?;
        let _length_of_the_rest = fields.lenenc()?;
        let _collation = fields.u16()?;
        let _length = fields.u32()?;
        let kind = fields.u8()?;
        let flags = fields.u16()?;
        self.names.extend_from_slice(name);
        self.columns.push((self.names.len(), kind, flags & UNSIGNED != 0));
        Ok(())
    }

    /// The column of that name; letters of either case are alike, as they are to servers.
    pub fn find(&self, name: &str) -> Option<usize> {
        let starts = std::iter::once(0).chain(self.columns.iter().map(|column| column.0));
        let mut names = starts.zip(&self.columns).map(|(from, to)| &self.names[from..to.0]);
        names.position(|one| one.eq_ignore_ascii_case(name.as_bytes()))
    }
}

/// Reads the reply to `COM_QUERY` or `COM_STMT_EXECUTE` as [`super::ResponseReader`] does, and keeps
/// its first row.
#[derive(Debug)]
pub struct FirstRowReader {
    dialect: Dialect,
    packets: Packets,
    state: State,
    /// Whether values come in binary form: those of prepared statements.
    binary: bool,
    row: Vec<u8>,
    has_row: bool,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Head,
    Definitions { left: u64 },
    DefinitionsEnd,
    Rows { seen: u64 },
}

impl FirstRowReader {
    /// A reader for the replies of one connection.
    pub fn new(dialect: Dialect) -> Self {
        let packets = Packets::of(dialect, 1);
        Self {
            dialect,
            packets,
            state: State::Head,
            binary: false,
            row: Vec::new(),
            has_row: false,
        }
    }

    /// Prepares for a reply that starts with that sequence number.
    pub fn expect(&mut self, sequence: u8, binary: bool) {
        self.packets.reset(sequence);
        self.state = State::Head;
        self.binary = binary;
        self.has_row = false;
    }

    /// Takes bytes up to the end of a reply, as [`super::ResponseReader::receive`] does. `columns` are
    /// those that the statement had when it was prepared, or last executed; they become those of the
    /// reply where it describes them.
    ///
    /// # Errors
    /// When the bytes are not a reply in this dialect, or its first row is too long to be kept.
    pub fn receive(
        &mut self,
        input: &[u8],
        columns: &mut Columns,
    ) -> Result<(usize, Option<Reply>), ProtocolError> {
        let dialect = self.dialect;
        let mut rest = input;
        loop {
            let state = self.state;
            let want = |start| match state {
                State::Definitions { .. } => Want::Collect { limit: CONTROL_LIMIT },
                State::Rows { seen } if !ends_rows(start, dialect) => match seen {
                    0 => Want::Collect { limit: LONGEST_ROW },
                    _ => Want::Skip,
                },
                _ => Want::Collect { limit: CONTROL_LIMIT },
            };
            let Some(packet) = self.packets.next(&mut rest, want)? else {
                return Ok((input.len(), None));
            };
            let reply = match state {
                State::Rows { seen } => {
                    if !ends_rows(packet.start, dialect) {
                        if seen == 0 {
                            self.row.clear();
                            self.row.extend_from_slice(packet.payload);
                            self.has_row = true;
                        }
                        self.state = State::Rows { seen: seen + 1 };
                        continue;
                    }
                    match parse_end(packet.payload, dialect)? {
                        Ok(more_results) => Reply::Rows { rows: seen, more_results },
                        Err(error) => Reply::Err(error),
                    }
                }
                State::Definitions { left } => {
                    columns.add(packet.payload)?;
                    self.state = after_definition(left - 1, dialect);
                    continue;
                }
                State::DefinitionsEnd => {
                    self.state = State::Rows { seen: 0 };
                    match parse_end(packet.payload, dialect)? {
                        Ok(_) => continue,
                        Err(error) => Reply::Err(error),
                    }
                }
                State::Head => match Head::parse(packet.payload, dialect)? {
                    Head::Columns { count, defined } => {
                        if defined {
                            columns.clear();
                        }
                        self.state = after_definition(if defined { count } else { 0 }, dialect);
                        continue;
                    }
                    Head::Ok(OkPacket { affected_rows, more_results }) => {
                        Reply::Ok { affected_rows, more_results }
                    }
                    Head::Err(error) => Reply::Err(error),
                    Head::LocalInfile { filename } => {
                        let filename = String::from_utf8_lossy(filename).into();
                        Reply::LocalInfile { filename, sequence: self.packets.next_sequence() }
                    }
                },
            };
            self.state = State::Head;
            return Ok((input.len() - rest.len(), Some(reply)));
        }
    }

    /// Replaces `out` by the value of a column of the first row, as text; false where it is NULL, or
    /// there is no row or no such column.
    ///
    /// # Errors
    /// When the row is not one of these columns.
    pub fn read(
        &self,
        columns: &Columns,
        column: usize,
        out: &mut Vec<u8>,
    ) -> Result<bool, ProtocolError> {
        out.clear();
        if !self.has_row || column >= columns.columns.len() {
            return Ok(false);
        }
        match self.binary {
            true => read_binary(&self.row, columns, column, out),
            false => {
                let mut fields = Fields::new(&self.row, "a row");
                for _before in 0..column {
                    fields.lenenc_bytes()?;
                }
                let value = fields.lenenc_bytes()?;
                out.extend_from_slice(value.unwrap_or_default());
                Ok(value.is_some())
            }
        }
    }
}

fn after_definition(left: u64, dialect: Dialect) -> State {
    match left {
        0 if dialect.deprecate_eof => State::Rows { seen: 0 },
        0 => State::DefinitionsEnd,
        left => State::Definitions { left },
    }
}

fn read_binary(
    row: &[u8],
    columns: &Columns,
    column: usize,
    out: &mut Vec<u8>,
) -> Result<bool, ProtocolError> {
    let mut fields = Fields::new(row, "a row");
    let _header = fields.u8()?;
    // The first two bits are unused.
    let nulls = fields.bytes((columns.columns.len() + 2).div_ceil(8))?;
    let is_null = |number: usize| nulls[(number + 2) / 8] & 1 << ((number + 2) % 8) != 0;
    for (number, (_, kind, unsigned)) in columns.columns[..=column].iter().enumerate() {
        if is_null(number) {
            continue;
        }
        out.clear();
        write_binary(&mut fields, *kind, *unsigned, out)?;
    }
    if is_null(column) {
        out.clear();
    }
    Ok(!is_null(column))
}

/// Appends the next value as the text protocol has it.
fn write_binary(
    fields: &mut Fields<'_>,
    kind: u8,
    unsigned: bool,
    out: &mut Vec<u8>,
) -> Result<(), ProtocolError> {
    // Writing into memory cannot fail.
    let _ = match (kind, unsigned) {
        // TINY; SHORT and YEAR; LONG and INT24; LONGLONG; FLOAT; DOUBLE.
        (1, true) => write!(out, "{}", fields.u8()?),
        (1, false) => write!(out, "{}", fields.u8()? as i8),
        (2 | 13, true) => write!(out, "{}", fields.u16()?),
        (2 | 13, false) => write!(out, "{}", fields.u16()? as i16),
        (3 | 9, true) => write!(out, "{}", fields.u32()?),
        (3 | 9, false) => write!(out, "{}", fields.u32()? as i32),
        (8, true) => write!(out, "{}", fields.u64()?),
        (8, false) => write!(out, "{}", fields.u64()? as i64),
        (4, _) => write!(out, "{}", f32::from_bits(fields.u32()?)),
        (5, _) => write!(out, "{}", f64::from_bits(fields.u64()?)),
        // TIMESTAMP, DATE, DATETIME.
        (7 | 10 | 12, _) => write_date(fields, kind, out)?,
        // TIME.
        (11, _) => write_time(fields, out)?,
        _ => {
            out.extend_from_slice(fields.lenenc_bytes()?.unwrap_or_default());
            Ok(())
        }
    };
    Ok(())
}

const DATE: u8 = 10;

fn write_date(
    fields: &mut Fields<'_>,
    kind: u8,
    out: &mut Vec<u8>,
) -> Result<std::io::Result<()>, ProtocolError> {
    let length = fields.u8()?;
    let (year, month, day) = match length {
        0 => (0, 0, 0),
        _ => (fields.u16()?, fields.u8()?, fields.u8()?),
    };
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
    let (hour, minute, second) = match length {
        7.. => (fields.u8()?, fields.u8()?, fields.u8()?),
        _ => (0, 0, 0),
    };
    let micros = if length >= 11 { fields.u32()? } else { 0 };
    if kind != DATE {
        let _ = write!(out, " {hour:02}:{minute:02}:{second:02}");
    }
    Ok(if micros > 0 { write!(out, ".{micros:06}") } else { Ok(()) })
}

fn write_time(
    fields: &mut Fields<'_>,
    out: &mut Vec<u8>,
) -> Result<std::io::Result<()>, ProtocolError> {
    let length = fields.u8()?;
    if length < 8 {
        return Ok(write!(out, "00:00:00"));
    }
    let sign = if fields.u8()? != 0 { "-" } else { "" };
    let days = u64::from(fields.u32()?);
    let (hour, minute, second) = (fields.u8()?, fields.u8()?, fields.u8()?);
    let hours = 24 * days + u64::from(hour);
    let _ = write!(out, "{sign}{hours:02}:{minute:02}:{second:02}");
    let micros = if length >= 12 { fields.u32()? } else { 0 };
    Ok(if micros > 0 { write!(out, ".{micros:06}") } else { Ok(()) })
}
