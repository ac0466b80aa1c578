//! A document in lines for a terminal.

use crate::document::{Block, Document, Part};
use crate::tables::{Table, Tone};
use model::text;
use std::fmt::Write;

/// The codes of the escape sequences (`ESC [ code m`) that style a terminal's text, the one that
/// ends a style among them.
pub const STYLES: [&str; 5] = ["0", "1", "2", "31", "33"];

/// Narrowest width that lines are broken to.
const NARROWEST: usize = 40;

/// A document in lines of at most `width` columns (40 at least). Without `colour` there are no escape
/// sequences; in either case control characters and invisible ones are shown as escapes.
pub(crate) fn document(document: &Document, width: usize, colour: bool) -> String {
    let mut page = Page::new(width, colour);
    page.line("", &document.title, Style::Bold);
    page.blocks(&document.blocks);
    page.text
}

/// The same without a title.
pub(crate) fn blocks(blocks: &[Block], width: usize, colour: bool) -> String {
    let mut page = Page::new(width, colour);
    page.blocks(blocks);
    page.text
}

/// Text in lines of a given width.
struct Page {
    text: String,
    width: usize,
    colour: bool,
}

#[derive(Clone, Copy)]
enum Style {
    Plain,
    Bold,
    Bad,
    Doubtful,
    Soft,
}

impl Page {
    fn new(width: usize, colour: bool) -> Self {
        Self { text: String::new(), width: width.max(NARROWEST), colour }
    }

    /// Paragraphs, tables and parts stand free; what belongs to what is before it follows at once.
    fn blocks(&mut self, blocks: &[Block]) {
        let mut before: Option<&Block> = None;
        for block in blocks {
            let stands_free = match (before, block) {
                (_, Block::Part(part)) => part.rank < 3,
                (_, Block::Warning(_)) => true,
                (None, _) => false,
                (Some(before), Block::Headline(_)) => !matches!(before, Block::Headline(_)),
                (Some(Block::Table(..)), Block::Table(..)) => true,
                (Some(before), Block::Paragraph(_) | Block::Table(..)) => {
                    !matches!(before, Block::Headline(_))
                }
                _ => false,
            };
            if stands_free {
                self.text.push('\n');
            }
            self.block(block);
            before = Some(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Part(part) => self.part(part),
            Block::Headline(text) => self.line("  ", &text.words(), Style::Bold),
            Block::Paragraph(text) => self.line("  ", &text.words(), Style::Plain),
            Block::Caption(text) | Block::Limits(text) => {
                self.line("  ", &text.words(), Style::Soft);
            }
            Block::Warning(text) => self.line("  ", &text.words(), Style::Doubtful),
            Block::Bullets(bullets) => {
                for item in &bullets.items[..bullets.open] {
                    self.wrapped("  - ", "    ", &item.words(), style(bullets.tone));
                }
                if bullets.open < bullets.items.len() {
                    let more = format!("{} in the report", bullets.folded);
                    self.wrapped("  - ", "    ", &more, Style::Soft);
                }
            }
            Block::Table(table, _) => self.table(table),
            Block::Terms(terms) => {
                for (term, text) in terms {
                    self.wrapped(
                        "  - ",
                        "    ",
                        &format!("{term}: {}", text.words()),
                        Style::Plain,
                    );
                }
            }
            Block::Source { text, .. } => {
                text.lines().for_each(|line| self.line("  ", line, Style::Plain))
            }
            Block::Columns(columns) => columns.iter().for_each(|blocks| self.blocks(blocks)),
            Block::OnPage(_) => {}
        }
    }

    fn part(&mut self, part: &Part) {
        let indent = if part.rank < 3 { "" } else { "  " };
        let style = match part.tone {
            None | Some(Tone::Good) => Style::Bold,
            Some(tone) => style(tone),
        };
        self.line(indent, &part.title, style);
        self.blocks(&part.blocks);
    }

    fn table(&mut self, table: &Table) {
        for line in columns(table, self.width) {
            self.styled(&line, Style::Plain);
            self.text.push('\n');
        }
    }

    fn line(&mut self, indent: &str, text: &str, style: Style) {
        // A line of a name that was broken must not begin like one of weighin's own.
        let further = if indent.is_empty() { "  " } else { indent };
        self.wrapped(indent, further, text, style);
    }

    /// Breaks at spaces; a word that is longer than a line is cut.
    fn wrapped(&mut self, first: &str, indent: &str, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        let room = self.width - indent.chars().count();
        for (i, line) in broken(text, room).iter().enumerate() {
            self.text.push_str(if i == 0 { first } else { indent });
            self.styled(line, style);
            self.text.push('\n');
        }
    }

    fn styled(&mut self, text: &str, style: Style) {
        let code = match style {
            _ if !self.colour => "",
            Style::Plain => "",
            Style::Bold => "1",
            Style::Bad => "31",
            Style::Doubtful => "33",
            Style::Soft => "2",
        };
        if code.is_empty() {
            self.text.push_str(text);
        } else {
            // Writing into a String cannot fail.
            let _ = write!(self.text, "\u{1b}[{code}m{text}\u{1b}[0m");
        }
    }
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain | Tone::Good => Style::Plain,
        Tone::Doubtful => Style::Doubtful,
        Tone::Bad => Style::Bad,
    }
}

/// Text within a paragraph: lines run on, and nothing in it steers a terminal.
fn printable(text: &str) -> String {
    text::visible(&text::message(text)).replace(['\n', '\t'], " ")
}

/// Text in lines of at most `room` characters, broken at spaces; a word that is longer is cut.
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut filled = 0;
    for word in printable(text).split(' ').flat_map(|word| pieces(word, room)) {
        let length = word.chars().count();
        let gap = usize::from(filled > 0);
        match lines.last_mut() {
            Some(line) if filled + gap + length <= room => {
                line.push_str(&" ".repeat(gap));
                line.push_str(&word);
                filled += gap + length;
            }
            _ => {
                lines.push(word);
                filled = length;
            }
        }
    }
    lines
}

/// A table in columns, each as wide as it must be and, where they do not all fit, the widest no wider
/// than their share of what the others leave of `width`.
fn columns(table: &Table, width: usize) -> Vec<String> {
    const GAP: usize = 2;
    let headings: Vec<&str> = table.columns.iter().map(|column| column.heading.as_str()).collect();
    let headings = headings.iter().any(|heading| !heading.is_empty()).then_some(headings);
    let cells =
        table.rows.iter().map(|row| row.cells.iter().map(|cell| cell.text.as_str()).collect());
    let rows: Vec<Vec<&str>> = headings.into_iter().chain(cells).collect();
    let longest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let needs: Vec<usize> = (0..table.columns.len()).map(longest).collect();
    let room = width.saturating_sub(GAP * needs.len());
    let most = share(&needs, room);
    let mut lines = Vec::new();
    for row in &rows {
        let broken: Vec<Vec<String>> = row
            .iter()
            .zip(&needs)
            .map(|(cell, need)| broken(cell, (*need).min(most).max(1)))
            .collect();
        for number in 0..broken.iter().map(Vec::len).max().unwrap_or(0) {
            let mut line = String::new();
            for ((cell, need), column) in broken.iter().zip(&needs).zip(&table.columns) {
                let part = cell.get(number).map_or("", String::as_str);
                let width = (*need).min(most);
                line.push_str(&match column.numeric {
                    true => format!("{:GAP$}{part:>width$}", ""),
                    false => format!("{:GAP$}{part:<width$}", ""),
                });
            }
            lines.push(line.trim_end().to_owned());
        }
    }
    lines
}

/// How wide a column may be at the most so that all of them have room.
fn share(needs: &[usize], room: usize) -> usize {
    let mut sorted = needs.to_vec();
    sorted.sort_unstable();
    let mut room = room;
    for (place, need) in sorted.iter().enumerate() {
        let share = (room / (sorted.len() - place)).max(1);
        if *need > share {
            return share;
        }
        room -= need;
    }
    sorted.last().copied().unwrap_or(0)
}

/// A word in pieces of at most `length` characters.
fn pieces(word: &str, length: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(length).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{Column, Row, TableCell};

    #[test]
    fn only_the_widest_columns_are_broken() {
        let column = |heading: &str| Column { heading: heading.to_owned(), numeric: false };
        let cells = ["oltp", "fast", "a and b"].map(TableCell::text).into();
        let table = Table {
            columns: ["test", "first", "second"].map(column).into(),
            is_sortable: false,
            is_matrix: false,
            rows: vec![Row { cells, opens_group: false, id: None }],
        };
        let lines = columns(&table, 60);
        assert_eq!(lines, ["  test  first  second", "  oltp  fast   a and b"]);
        let lines = columns(&table, 21);
        assert_eq!(lines, ["  test  first  second", "  oltp  fast   a and", "               b"]);
    }
}
