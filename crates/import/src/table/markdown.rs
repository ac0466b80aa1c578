//! Tables of Markdown: `| target | TPS |` above `|---|---:|` and its rows.

use csv::WriterBuilder;
use std::borrow::Cow;

/// A text as comma-separated values, where it has a table of Markdown: what is no table becomes empty
/// lines, so that lines keep their numbers. Of several tables those count that have the heading of the
/// first.
pub(super) fn as_csv(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_ruled = |at: &usize| lines.get(at + 1).is_some_and(|rule| is_rule(rule));
    let Some(first) = (0..lines.len()).find(|at| cells(lines[*at]).is_some() && is_ruled(at))
    else {
        return Cow::Borrowed(text);
    };
    let mut written = String::with_capacity(text.len());
    let (mut within, mut at) = (false, 0);
    while at < lines.len() {
        let cells = cells(lines[at]);
        if cells.is_some() && is_ruled(&at) {
            within = lines[at] == lines[first];
            // The heading stands once.
            let heading =
                if at == first { record(cells.unwrap_or_default()) } else { String::new() };
            written += &heading;
            written += "\n\n";
            at += 2;
            continue;
        }
        within &= cells.is_some();
        if let Some(cells) = cells.filter(|_| within) {
            written += &record(cells);
        }
        written.push('\n');
        at += 1;
    }
    Cow::Owned(written)
}

/// The cells of a line of a table, which begins and ends with a bar; a bar in a cell is escaped.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for c in inner.chars() {
        match c {
            '|' if !escaped => cells.push(std::mem::take(&mut cell)),
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            other => cell.push(other),
        }
        escaped = false;
    }
    cells.push(cell);
    (cells.len() > 1).then_some(cells)
}

/// `|:---|---:|`
fn is_rule(line: &str) -> bool {
    cells(line).is_some_and(|cells| {
        cells.iter().all(|cell| {
            let cell = cell.trim();
            cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':'))
        })
    })
}

/// A record without its line feed. Emphasis is no part of a cell.
fn record(cells: Vec<String>) -> String {
    let plain = cells.iter().map(|cell| cell.trim().trim_matches(['*', '`', '_']).to_owned());
    let mut writer = WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let written = writer.write_record(plain).and_then(|()| Ok(writer.flush()?));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default().trim_end_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_found_among_words_and_keeps_its_lines() {
        let text = "# Results\nOn | two.\n\n| target | TPS |\n|:--|--:|\n| **a** | 1,000 |\n\
                    | b\\|c | 5 |\n\nMore.\n| other | x |\n|--|--|\n| no | 7 |\n\n\
                    | target | TPS |\n|:--|--:|\n| d | 6 |\n";
        let csv = as_csv(text);
        let lines: Vec<(usize, &str)> =
            csv.lines().enumerate().filter(|(_, line)| !line.is_empty()).collect();
        let expected = [(3, "target,TPS"), (5, "a,\"1,000\""), (6, "b|c,5"), (15, "d,6")];
        assert_eq!(lines, expected);
        assert!(matches!(as_csv("a|b\n1|2\n"), Cow::Borrowed(_)));
        assert!(matches!(as_csv("| a | b |\n| 1 | 2 |\n"), Cow::Borrowed(_)), "no rule, no table");
    }
}
