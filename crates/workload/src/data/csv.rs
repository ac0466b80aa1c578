//! Files of comma-separated values as RFC 4180 has them, read piece by piece.

use std::fmt::{self, Display, Formatter};

/// Bytes of one row.
const LONGEST_ROW: usize = 16 << 20;
/// Fields of one row: more than a table can have columns.
const MOST_FIELDS: usize = 4_096;
/// What a file in UTF-8 may begin with.
const BYTE_ORDER_MARK: [u8; 3] = *b"\xef\xbb\xbf";

/// Why a file is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvError {
    /// The line on which the row begins; the first is 1.
    pub line: u64,
    pub message: String,
}

impl Display for CsvError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvRow {
    /// The line on which it begins.
    pub line: u64,
    text: Vec<u8>,
    /// Where each field ends, and whether it is NULL.
    fields: Vec<(usize, bool)>,
}

impl CsvRow {
    /// The fields in order; `None` is NULL: a field that is empty and not quoted, or `\N`.
    pub fn fields(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let starts = std::iter::once(0).chain(self.fields.iter().map(|(end, _)| *end));
        let pairs = starts.zip(&self.fields);
        pairs.map(|(start, (end, is_null))| (!is_null).then(|| &self.text[start..*end]))
    }

    pub fn len(&self) -> usize {
        self.fields.len()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    FieldStart,
    Bare,
    Quoted,
    /// After a quotation mark within a quoted field: its end, or the first of two.
    QuoteInQuoted,
}

/// Cuts rows out of what it is given.
#[derive(Clone, Debug)]
pub struct CsvReader {
    state: State,
    was_quoted: bool,
    row: CsvRow,
    field_start: usize,
    line: u64,
    /// How many bytes of a byte order mark the file began with, until that is decided.
    mark: Option<usize>,
}

impl Default for CsvReader {
    fn default() -> Self {
        Self {
            state: State::FieldStart,
            was_quoted: false,
            row: CsvRow { line: 1, ..CsvRow::default() },
            field_start: 0,
            line: 1,
            mark: Some(0),
        }
    }
}

impl CsvReader {
    /// Takes bytes from the front of `input` until a row is whole, and returns it; `None` when more
    /// input is needed. Empty lines are no rows.
    ///
    /// # Errors
    /// When a row is too long, or quoted wrongly.
    pub fn row(&mut self, input: &mut &[u8]) -> Result<Option<CsvRow>, CsvError> {
        while let Some((&byte, rest)) = input.split_first() {
            *input = rest;
            if self.is_of_mark(byte)? {
                continue;
            }
            if byte == b'\n' {
                self.line += 1;
            }
            if self.take(byte)?
                && let Some(row) = self.finish_row()
            {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Whether a byte belongs to a byte order mark. What began like one and is none belongs to the first field.
    fn is_of_mark(&mut self, byte: u8) -> Result<bool, CsvError> {
        let Some(seen) = self.mark else { return Ok(false) };
        let is_next = BYTE_ORDER_MARK[seen] == byte;
        self.mark = Some(seen + 1).filter(|seen| is_next && *seen < BYTE_ORDER_MARK.len());
        if !is_next {
            self.take_all(&BYTE_ORDER_MARK[..seen])?;
        }
        Ok(is_next)
    }

    /// Takes bytes that end no row.
    fn take_all(&mut self, bytes: &[u8]) -> Result<(), CsvError> {
        bytes.iter().try_for_each(|byte| self.take(*byte).map(drop))
    }

    /// The last row, where no line feed ends it.
    ///
    /// # Errors
    /// When a quoted field does not end.
    pub fn end(mut self) -> Result<Option<CsvRow>, CsvError> {
        if let Some(seen) = self.mark.take() {
            self.take_all(&BYTE_ORDER_MARK[..seen])?;
        }
        match self.state {
            State::Quoted => Err(self.error("a quoted field does not end")),
            State::FieldStart if self.row.fields.is_empty() => Ok(None),
            _ => {
                self.end_field();
                Ok(self.finish_row())
            }
        }
    }

    /// Takes one byte; whether a row has ended.
    fn take(&mut self, byte: u8) -> Result<bool, CsvError> {
        match (self.state, byte) {
            (State::Quoted, b'"') => self.state = State::QuoteInQuoted,
            (State::Quoted, _) => self.push(byte)?,
            (State::QuoteInQuoted, b'"') => {
                self.state = State::Quoted;
                self.push(byte)?;
            }
            (State::FieldStart, b'"') => {
                self.state = State::Quoted;
                self.was_quoted = true;
            }
            (_, b',') => {
                self.end_field();
                if self.row.fields.len() > MOST_FIELDS {
                    return Err(self.error(&format!("a row has more than {MOST_FIELDS} fields")));
                }
            }
            (_, b'\n') => {
                self.end_field();
                return Ok(true);
            }
            // Before a line feed.
            (State::QuoteInQuoted, b'\r') => {}
            (State::QuoteInQuoted, _) => {
                return Err(self.error("after the quotation mark that ends a field comes no comma"));
            }
            (State::FieldStart | State::Bare, _) => {
                self.state = State::Bare;
                self.push(byte)?;
            }
        }
        Ok(false)
    }

    fn push(&mut self, byte: u8) -> Result<(), CsvError> {
        if self.row.text.len() >= LONGEST_ROW {
            return Err(self.error(&format!("a row has more than {} MiB", LONGEST_ROW >> 20)));
        }
        self.row.text.push(byte);
        Ok(())
    }

    fn end_field(&mut self) {
        let was_quoted = std::mem::take(&mut self.was_quoted);
        if !was_quoted && self.row.text[self.field_start..].ends_with(b"\r") {
            self.row.text.pop();
        }
        let field = &self.row.text[self.field_start..];
        let is_null = !was_quoted && (field.is_empty() || field == b"\\N");
        self.row.fields.push((self.row.text.len(), is_null));
        self.field_start = self.row.text.len();
        self.state = State::FieldStart;
    }

    /// The row, unless the line was empty.
    fn finish_row(&mut self) -> Option<CsvRow> {
        let row = std::mem::take(&mut self.row);
        self.row.line = self.line;
        self.field_start = 0;
        let is_blank = matches!(row.fields.as_slice(), [(0, true)]);
        (!is_blank).then_some(row)
    }

    fn error(&self, message: &str) -> CsvError {
        CsvError { line: self.row.line, message: message.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &[u8], piece: usize) -> Result<Vec<Vec<Option<String>>>, CsvError> {
        let mut reader = CsvReader::default();
        let mut rows = Vec::new();
        for mut input in text.chunks(piece) {
            while let Some(row) = reader.row(&mut input)? {
                rows.push(row);
            }
        }
        rows.extend(reader.end()?);
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        Ok(rows.iter().map(|row| row.fields().map(|field| field.map(text)).collect()).collect())
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn rows_are_read_as_the_rfc_has_them_however_the_file_comes() {
        let text = b"\xef\xbb\xbfid,name\r\n1,\"a,\"\"b\"\"\nc\"\r\n\n2,\n3,\"\"\n\\N,x";
        for piece in [1, 2, 7, 1000] {
            let rows = read(text, piece).unwrap();
            assert_eq!(rows[0], [some("id"), some("name")]);
            assert_eq!(rows[1], [some("1"), some("a,\"b\"\nc")]);
            assert_eq!(rows[2], [some("2"), None], "not quoted and empty is NULL");
            assert_eq!(rows[3], [some("3"), some("")], "quoted and empty is a text");
            assert_eq!(rows[4], [None, some("x")]);
            assert_eq!(rows.len(), 5);
        }
    }

    #[test]
    fn only_a_whole_byte_order_mark_is_left_out() {
        for first in ["û", "aÿ", "ﻻ", "»"] {
            let text = format!("{first},id\n");
            assert_eq!(read(text.as_bytes(), 1).unwrap(), [[some(first), some("id")]]);
        }
        assert_eq!(read("\u{feff}û".as_bytes(), 1).unwrap(), [[some("û")]]);
        assert!(read(b"\xef\xbb", 1).unwrap()[0][0].is_some());
    }

    #[test]
    fn what_is_quoted_wrongly_is_told_with_its_line() {
        assert_eq!(read(b"a\n\"b\" c,d\n", 100).unwrap_err().line, 2);
        let open = read(b"a\nb\n\"c\nd\n", 100).unwrap_err();
        assert_eq!((open.line, open.message.as_str()), (3, "a quoted field does not end"));
        assert!(read(",".repeat(5_000).as_bytes(), 100).is_err());
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(text in proptest::collection::vec(any::<u8>(), 0..200), piece in 1usize..9) {
            prop_assert_eq!(read(&text, piece), read(&text, 1_000));
        }
    }
}
