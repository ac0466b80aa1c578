use super::capabilities::Dialect;
use super::error::ProtocolError;
use super::frame::{Packets, Want};
use super::packet::{CONTROL_LIMIT, Head, OkPacket, ends_rows, parse_end};
use super::response::Reply;
use super::wire::Fields;
use std::io::Write;

/// Longest row that is kept, in bytes: values of variables are short.
const LONGEST_ROW: usize = 1 << 20;
/// Most bytes that the names of its columns take.
const LONGEST_NAMES: usize = 1 << 20;

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
        if self.names.len() + name.len() > LONGEST_NAMES {
            return Err(ProtocolError::TooMuch { limit: LONGEST_NAMES });
        }
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
/// one row of it: the first or the last.
#[derive(Debug)]
pub struct RowReader {
    dialect: Dialect,
    packets: Packets,
    state: State,
    /// Whether values come in binary form: those of prepared statements.
    binary: bool,
    /// Whether the last row is kept, and not the first.
    last: bool,
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

impl RowReader {
    /// A reader for the replies of one connection.
    pub fn new(dialect: Dialect) -> Self {
        let packets = Packets::in_dialect(dialect, 1);
        Self {
            dialect,
            packets,
            state: State::Head,
            binary: false,
            last: false,
            row: Vec::new(),
            has_row: false,
        }
    }

    /// Prepares for a reply that starts with that sequence number, of which the last row is kept or the
    /// first.
    pub fn expect(&mut self, sequence: u8, binary: bool, last: bool) {
        self.packets.reset(sequence);
        self.state = State::Head;
        self.binary = binary;
        self.last = last;
        self.has_row = false;
    }

    /// Takes bytes up to the end of a reply, as [`super::ResponseReader::receive`] does. `columns` are
    /// those that the statement had when it was prepared, or last executed; they become those of the
    /// reply where it describes them.
    ///
    /// # Errors
    /// When the bytes are not a reply in this dialect, or a row that is kept is too long.
    pub fn receive(
        &mut self,
        input: &[u8],
        columns: &mut Columns,
    ) -> Result<(usize, Option<Reply>), ProtocolError> {
        let (dialect, last) = (self.dialect, self.last);
        let mut rest = input;
        loop {
            let state = self.state;
            let want = |start| match state {
                State::Definitions { .. } => Want::Collect { limit: CONTROL_LIMIT },
                State::Rows { seen } if !ends_rows(start, dialect) => match seen == 0 || last {
                    true => Want::Collect { limit: LONGEST_ROW },
                    false => Want::Skip,
                },
                _ => Want::Collect { limit: CONTROL_LIMIT },
            };
            let Some(packet) = self.packets.next(&mut rest, want)? else {
                return Ok((input.len(), None));
            };
            let reply = match state {
                State::Rows { seen } => {
                    if !ends_rows(packet.start, dialect) {
                        if seen == 0 || last {
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

    /// Replaces `out` by the value of a column of the row that is kept, as text; false where it is NULL, or
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

#[cfg(test)]
mod tests {
    use super::*;

    fn packets(payloads: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        for (sequence, payload) in (1_u8..).zip(payloads) {
            out.extend_from_slice(&(payload.len() as u32).to_le_bytes()[..3]);
            out.push(sequence);
            out.extend_from_slice(payload);
        }
        out
    }

    fn definition(name: &str, kind: u8, flags: u16) -> Vec<u8> {
        let mut out = b"\x03def\0\0\0".to_vec();
        out.push(name.len() as u8);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(&[0, 12, 45, 0, 11, 0, 0, 0, kind]);
        out.extend_from_slice(&flags.to_le_bytes());
        out.extend_from_slice(&[0, 0, 0]);
        out
    }

    const END: &[u8] = &[0xfe, 0, 0, 2, 0];

    /// The values of the first of two rows, however the answer is cut.
    fn values(binary: bool, columns: &[(u8, u16)], rows: [&[u8]; 2]) -> Vec<Option<String>> {
        let definitions: Vec<Vec<u8>> = (1..)
            .zip(columns)
            .map(|(number, (kind, flags))| definition(&format!("c{number}"), *kind, *flags))
            .collect();
        let count = [columns.len() as u8];
        let mut all: Vec<&[u8]> = vec![&count];
        all.extend(definitions.iter().map(Vec::as_slice));
        all.extend([END, rows[0], rows[1], END]);
        let answer = packets(&all);
        let read = |cut: usize| {
            let mut reader = RowReader::new(Dialect::default());
            let mut known = Columns::default();
            reader.expect(1, binary, false);
            let (used, reply) = reader.receive(&answer[..cut], &mut known).unwrap();
            assert!(reply.is_none() && used == cut);
            let (used, reply) = reader.receive(&answer[cut..], &mut known).unwrap();
            assert_eq!(used, answer.len() - cut);
            assert_eq!(reply, Some(Reply::Rows { rows: 2, more_results: false }));
            assert_eq!(known.find("C2"), (columns.len() > 1).then_some(1));
            let mut text = Vec::new();
            let value = |column| {
                let found = reader.read(&known, column, &mut text).unwrap();
                found.then(|| String::from_utf8(text.clone()).unwrap())
            };
            (0..columns.len()).map(value).collect::<Vec<_>>()
        };
        let whole = read(0);
        assert!((1..answer.len()).all(|cut| read(cut) == whole));
        whole
    }

    #[test]
    fn values_of_a_row_of_text_are_as_they_come() {
        let row = b"\x0212\xfb\x03abc";
        let columns = [(8, 0), (253, 0), (253, 0)];
        let found = values(false, &columns, [row, b"\x013\x01x\x01y"]);
        assert_eq!(found, [Some("12".to_owned()), None, Some("abc".to_owned())]);
    }

    #[test]
    fn values_of_a_binary_row_become_text() {
        let columns = [
            (1, 0),
            (1, 32),
            (2, 0),
            (3, 0),
            (8, 32),
            (5, 0),
            (253, 0),
            (10, 0),
            (12, 0),
            (11, 0),
            (246, 0),
        ];
        // The bit of the seventh of eleven columns, two places on.
        let mut row = vec![0, 0, 1];
        row.extend_from_slice(&[0xff, 0xff]);
        row.extend_from_slice(&(-2_i16).to_le_bytes());
        row.extend_from_slice(&(-3_i32).to_le_bytes());
        row.extend_from_slice(&u64::MAX.to_le_bytes());
        row.extend_from_slice(&0.25_f64.to_le_bytes());
        row.extend_from_slice(&[4, 0xea, 7, 1, 2]);
        row.extend_from_slice(&[11, 0xea, 7, 1, 2, 3, 4, 5, 6, 0, 0, 0]);
        row.extend_from_slice(&[8, 1, 1, 0, 0, 0, 2, 3, 4]);
        row.extend_from_slice(b"\x041.50");
        let found = values(true, &columns, [&row, &row]);
        let expected = [
            Some("-1"),
            Some("255"),
            Some("-2"),
            Some("-3"),
            Some("18446744073709551615"),
            Some("0.25"),
            None,
            Some("2026-01-02"),
            Some("2026-01-02 03:04:05.000006"),
            Some("-26:03:04"),
            Some("1.50"),
        ];
        assert_eq!(found, expected.map(|value| value.map(str::to_owned)));
    }

    #[test]
    fn a_row_that_ends_too_soon_is_an_error() {
        let mut reader = RowReader::new(Dialect::default());
        let mut columns = Columns::default();
        columns.add(&definition("a", 8, 0)).unwrap();
        reader.expect(1, true, false);
        let answer = packets(&[&[1], &definition("a", 8, 0), END, &[0, 0, 1, 2], END]);
        reader.receive(&answer, &mut columns).unwrap();
        assert!(reader.read(&columns, 0, &mut Vec::new()).is_err());
        assert_eq!(reader.read(&columns, 1, &mut Vec::new()), Ok(false));
    }
}
