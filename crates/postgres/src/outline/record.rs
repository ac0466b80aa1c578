//! Messages of a server's log in the formats csvlog and jsonlog.

use serde::Deserialize;

/// Columns that csvlog has had since it has had one.
const FEWEST: usize = 22;
/// Where severity and message stand among them.
const SEVERITY: usize = 11;
const MESSAGE: usize = 13;
/// Bytes of a record of several lines.
const LONGEST: usize = 1 << 20;

/// A message with its severity.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Record {
    #[serde(rename = "error_severity")]
    pub(super) severity: String,
    pub(super) message: String,
}

/// A line of jsonlog.
pub(super) fn json(line: &str) -> Option<Record> {
    line.starts_with('{').then(|| serde_json::from_str(line).ok())?
}

/// Puts a record of csvlog together, whose texts may have several lines.
#[derive(Debug, Default)]
pub(super) struct CsvRecord {
    record: Record,
    column: usize,
    in_quotes: bool,
    length: usize,
}

/// What a line was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The last one of a record, or the only one.
    Ends(Record),
    /// A record goes on in the next.
    GoesOn,
    /// None of a record.
    Other,
}

impl CsvRecord {
    pub(super) fn line(&mut self, line: &str) -> Line {
        if !self.in_quotes && !begins_with_date(line) {
            return Line::Other;
        }
        self.length += line.len();
        self.take(line);
        let goes_on = self.in_quotes && self.column >= MESSAGE && self.length < LONGEST;
        if goes_on {
            self.push('\n');
            return Line::GoesOn;
        }
        let Self { record, column, in_quotes, .. } = std::mem::take(self);
        match column >= FEWEST && !in_quotes {
            true => Line::Ends(record),
            false => Line::Other,
        }
    }

    fn take(&mut self, line: &str) {
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                // Two quotes are one.
                '"' if self.in_quotes && rest.next_if_eq(&'"').is_some() => self.push(c),
                '"' => self.in_quotes = !self.in_quotes,
                ',' if !self.in_quotes => self.column += 1,
                c => self.push(c),
            }
        }
    }

    fn push(&mut self, c: char) {
        match self.column {
            SEVERITY => self.record.severity.push(c),
            MESSAGE => self.record.message.push(c),
            _ => {}
        }
    }
}

fn begins_with_date(line: &str) -> bool {
    let year = line.bytes().take_while(u8::is_ascii_digit).count();
    year == 4 && line[year..].starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(severity: &str, message: &str) -> Record {
        Record { severity: severity.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn a_record_of_csvlog_may_have_several_lines() {
        let lines = [
            "2026-11-28 00:10:00.123 UTC,\"ann\",\"shop\",17,\"[local]\",6745.11,3,\"SELECT\",\
             2026-11-28 00:09:59 UTC,3/12,0,LOG,00000,\"duration: 0.250 ms  statement: SELECT \"\"a\"\"",
            "\tFROM t, u",
            "2026-01-01\",,,,,,,,,\"psql\",\"client backend\",,0",
        ];
        let mut csv = CsvRecord::default();
        assert_eq!(csv.line(lines[0]), Line::GoesOn);
        assert_eq!(csv.line(lines[1]), Line::GoesOn);
        let message = "duration: 0.250 ms  statement: SELECT \"a\"\n\tFROM t, u\n2026-01-01";
        assert_eq!(csv.line(lines[2]), Line::Ends(record("LOG", message)));
        // What is no record leaves nothing behind.
        for other in
            ["2026-11-28 00:10:00 UTC [17] LOG:  statement: SELECT \"a, b", "x", "20260-1,"]
        {
            assert_eq!(csv.line(other), Line::Other, "{other}");
        }
        assert_eq!(csv.line(lines[0]), Line::GoesOn);
        let endless = "x".repeat(LONGEST);
        assert_eq!(csv.line(&endless), Line::Other);
    }

    #[test]
    fn a_line_of_jsonlog_is_a_record() {
        let line = r#"{"timestamp":"2026-11-28","pid":17,"error_severity":"LOG","message":"a\n\"b\"","x":{}}"#;
        assert_eq!(json(line), Some(record("LOG", "a\n\"b\"")));
        assert_eq!(json(r#"{"message":"a"}"#), None);
        assert_eq!(json("[1]"), None);
    }
}
