//! A document as Markdown, for pull requests and wikis.

use crate::document::{Block, Document, Section, Span, Text};
use crate::tables::Table;
use model::text;

/// What is above the sections of a long report.
pub(crate) fn head(title: &str, under: &Text) -> String {
    format!("# {}\n\n{}\n", escaped(title), words(under))
}

pub(crate) fn section(section: &Section) -> String {
    let mut page = format!("\n## {}\n", escaped(&section.title));
    section.blocks.iter().for_each(|block| put(block, &mut page));
    page
}

/// A short report.
pub(crate) fn document(document: &Document) -> String {
    let mut page = format!("# {}\n", escaped(&document.title));
    document.blocks.iter().for_each(|block| put(block, &mut page));
    text::visible(&page).into_owned()
}

/// Adds a block and the empty line before it.
fn put(block: &Block, page: &mut String) {
    let text = match block {
        Block::Part(part) => {
            let title = escaped(&part.title);
            page.push_str(&format!("\n{} {title}\n", "#".repeat(part.rank.into())));
            return part.blocks.iter().for_each(|block| put(block, page));
        }
        Block::Columns(columns) => {
            return columns.iter().flatten().for_each(|block| put(block, page));
        }
        Block::OnPage(_) => return,
        Block::Headline(text) | Block::Warning(text) => format!("**{}**", words(text)),
        Block::Paragraph(text) | Block::Caption(text) | Block::Limits(text) => words(text),
        Block::Bullets(bullets) => {
            lines(bullets.items.iter().map(|one| format!("- {}", words(one))))
        }
        Block::Table(rows, _) => table(rows),
        Block::Terms(terms) => lines(
            terms.iter().map(|(term, text)| format!("- **{}.** {}", escaped(term), words(text))),
        ),
        Block::Source { language, text } => fenced(language, &text::visible(text)),
    };
    if !text.is_empty() {
        page.push_str(&format!("\n{text}\n"));
    }
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn words(text: &Text) -> String {
    let mut said = String::new();
    for span in &text.0 {
        let text = span.text();
        let text = if said.is_empty() { escaped(&text) } else { inline(&text) };
        match span {
            Span::Strong(_) => said.push_str(&format!("**{text}**")),
            _ => said.push_str(&text),
        }
    }
    said
}

fn table(table: &Table) -> String {
    let headings: Vec<String> =
        table.columns.iter().map(|column| escaped(&column.heading)).collect();
    let rules: Vec<&str> =
        table.columns.iter().map(|column| if column.numeric { "---:" } else { "---" }).collect();
    let mut lines = vec![line(&headings), line(&rules)];
    for row in &table.rows {
        let cells: Vec<String> = row
            .cells
            .iter()
            .map(|cell| match &cell.note {
                Some(note) => format!("{} ({})", escaped(&cell.text), escaped(note)),
                None => escaped(&cell.text),
            })
            .collect();
        lines.push(line(&cells));
    }
    lines.join("\n")
}

fn line<S: AsRef<str>>(cells: &[S]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |", cells.join(" | "))
}

/// Text that Markdown shows as it is, on one line: names and messages are not markup.
fn escaped(text: &str) -> String {
    let begins = begins_a_block(text);
    let safe = inline(text);
    match list_mark(text) {
        _ if begins => format!("\\{safe}"),
        // It would begin a list.
        Some(point) => format!("{}\\{}", &safe[..point], &safe[point..]),
        None => safe,
    }
}

/// The same after other words.
fn inline(text: &str) -> String {
    model::deadline::look();
    let text = text::visible(text);
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => safe.push(' '),
            '<' => safe.push_str("&lt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '~' | '\\' => {
                safe.extend(['\\', c]);
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Where the point is that makes a text an item of a list with numbers.
fn list_mark(text: &str) -> Option<usize> {
    let point = text.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0)?;
    let rest = text[point..].strip_prefix(['.', ')'])?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '\n'])).then_some(point)
}

/// Whether a text would be a heading, a list, a quotation or a rule where it
/// begins a line.
fn begins_a_block(text: &str) -> bool {
    let second = text.chars().nth(1);
    text.starts_with(['#', '>', '='])
        || text.starts_with(['-', '+']) && second.is_none_or(|c| [' ', '-', '\t'].contains(&c))
}

/// A block of code whose fence is longer than any run of backticks in it.
fn fenced(language: &str, source: &str) -> String {
    let longest = source.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", source.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_markup() {
        assert_eq!(escaped("a|b *c* <i>\n`d`"), "a\\|b \\*c\\* &lt;i> \\`d\\`");
        assert_eq!(escaped("# big\u{1b}[1m"), "\\# big\\\\x1b\\[1m");
        assert_eq!([escaped("- a"), escaped("> b"), escaped("-5")], ["\\- a", "\\> b", "-5"]);
        assert_eq!([escaped("1. a"), escaped("1.5 s"), escaped("0")], ["1\\. a", "1.5 s", "0"]);
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("toml", "x = 1\n"), "```toml\nx = 1\n```");
        assert!(fenced("toml", "````").starts_with("`````toml\n"));
    }
}
