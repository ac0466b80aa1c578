//! How a table was written down: what parts its cells, and where its heading is.

use csv::{ReaderBuilder, StringRecord};

/// What may part cells, in the order in which it is tried where several part as many.
pub(super) const DELIMITERS: [u8; 3] = [b'\t', b';', b','];
/// Rows by which a delimiter is chosen.
const TELLING_ROWS: usize = 20;
/// Lines of titles that may stand above a heading.
const MOST_TITLES: usize = 10;

/// A table as it stands in a file.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) delimiter: u8,
    /// What stands above the heading, alone in its line.
    pub(super) titles: Vec<String>,
    pub(super) heading: Vec<String>,
    pub(super) rows: Vec<Row>,
    /// Lines that cannot be read, with the reason.
    pub(super) damaged: Vec<(u32, String)>,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) line: u32,
    pub(super) cells: Vec<String>,
}

/// What parts the cells: the sign that most lines have as often as the first. A line of Excel's,
/// `sep=;`, says it.
pub(super) fn delimiter(text: &str) -> u8 {
    if let Some(sign) = text.lines().next().and_then(|line| line.strip_prefix("sep="))
        && let [sign] = sign.trim_end().as_bytes()
    {
        return *sign;
    }
    let alike = |sign: u8| {
        let mut reader = ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .delimiter(sign)
            .from_reader(text.as_bytes());
        let records = reader.records().take(TELLING_ROWS).flatten();
        let counts: Vec<usize> = records.map(|record| record.len().saturating_sub(1)).collect();
        // The heading is the first row that has it, below the titles.
        let first = counts.iter().copied().find(|count| *count > 0).unwrap_or(0);
        (counts.iter().filter(|count| **count == first && first > 0).count(), first)
    };
    let best = DELIMITERS.into_iter().rev().max_by_key(|sign| alike(*sign));
    best.filter(|sign| alike(*sign).1 > 0).unwrap_or(b',')
}

/// Reads a table. `most` bounds its rows where only its beginning is wanted.
pub(super) fn cells(text: &str, most: usize) -> Cells {
    let delimiter = delimiter(text);
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .has_headers(false)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let (mut titles, mut heading) = (Vec::new(), Vec::new());
    let (mut rows, mut damaged) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                damaged.push((u32::try_from(line).unwrap_or(u32::MAX), error.to_string()));
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let cells = trimmed(&record);
        let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
        if filled == 0 || cells[0].starts_with("sep=") {
            continue;
        }
        if heading.is_empty() && filled < 2 && titles.len() < MOST_TITLES {
            titles.extend(cells.into_iter().find(|cell| !cell.is_empty()));
        } else if heading.is_empty() {
            heading = cells;
        } else {
            rows.push(Row { line, cells });
        }
        if rows.len() >= most {
            break;
        }
    }
    Cells { delimiter, titles, heading, rows, damaged }
}

fn trimmed(record: &StringRecord) -> Vec<String> {
    let space = |c: char| c.is_whitespace() || c == '\u{feff}';
    record.iter().map(|cell| cell.trim_matches(space).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_that_all_lines_share_parts_cells() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b;c\n1,5;2,5;3\n", b';'),
            ("a\tb\n1,5\t2,5\n", b'\t'),
            ("\"a;x\",b\n1,2\n", b','),
            ("My results; of May\n\na,b,c\n1,2,3\n4,5,6\n", b','),
            ("sep=;\na;b\n", b';'),
            ("alone\n", b','),
        ] {
            assert_eq!(delimiter(text), expected, "{text}");
        }
    }

    #[test]
    fn titles_and_empty_lines_are_no_rows() {
        let table = cells("Throughput (TPS)\n\nthreads,a\n1,5\n\n,\n2,6\n", usize::MAX);
        assert_eq!((table.titles.len(), table.heading.len(), table.rows.len()), (1, 2, 2));
        assert_eq!(table.rows[1].line, 7);
    }
}
