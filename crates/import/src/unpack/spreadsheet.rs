//! Sheets of spreadsheets (`.xlsx`) as tables: the values as they were saved, without formulas,
//! formats and macros.

use super::zip::Zip;
use super::{Member, Unpacking};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;
use std::io;

/// Where a sheet ends: columns and rows beyond are rather a database's dump than results.
pub(super) const MOST_COLUMNS: usize = 1_000;
pub(super) const MOST_ROWS: usize = 200_000;
/// Most elements of a sheet that are read.
const MOST_NODES: u32 = 4_000_000;

/// Gives each sheet as a text of comma-separated values, named after it, as if it were a member.
pub(super) fn sheets(unpacking: &mut Unpacking<'_>, book: &str, zip: &Zip<'_>) {
    let found = match Book::read(unpacking, zip) {
        Ok(book) => book,
        Err(error) => return unpacking.problem(book, format!("cannot be read: {error}")),
    };
    for (title, path) in &found.sheets {
        let Some(name) = unpacking.name_of(book, title.replace(['/', '\\'], " ").as_bytes()) else {
            continue;
        };
        match found.sheet(unpacking, zip, path) {
            Ok(table) if table.is_empty() => {}
            Ok(table) => {
                let bytes = table.into_bytes();
                (unpacking.take)(Member { name: &name, bytes, unpacked: true });
            }
            Err(error) => unpacking.problem(&name, format!("cannot be read: {error}")),
        }
    }
}

struct Book {
    /// Title and path of each sheet that is no chart.
    sheets: Vec<(String, String)>,
    /// Texts that cells name by number.
    texts: Vec<String>,
}

pub(super) fn parsed(text: &str) -> io::Result<Document<'_>> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(io::Error::other)
}

pub(super) fn named<'a, 'i>(
    node: Node<'a, 'i>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    node.descendants().filter(move |node| node.tag_name().name() == name)
}

impl Book {
    fn read(unpacking: &Unpacking<'_>, zip: &Zip<'_>) -> io::Result<Self> {
        let text = |name: &str| zip.text(unpacking, name).map(Option::unwrap_or_default);
        let relations = text("xl/_rels/workbook.xml.rels")?;
        let relations = parsed(&relations)?;
        let paths: HashMap<&str, &str> = named(relations.root(), "Relationship")
            .filter_map(|one| Some((one.attribute("Id")?, one.attribute("Target")?)))
            .collect();
        let workbook = text("xl/workbook.xml")?;
        let workbook = parsed(&workbook)?;
        let sheet = |node: Node<'_, '_>| {
            let title = node.attribute("name")?;
            let id = node.attributes().find(|one| one.name() == "id")?.value();
            let path = paths.get(id)?;
            let path = path.strip_prefix('/').map_or(format!("xl/{path}"), str::to_owned);
            path.contains("worksheets").then(|| (title.to_owned(), path))
        };
        let sheets = named(workbook.root(), "sheet").filter_map(sheet).collect();
        let shared = zip.text(unpacking, "xl/sharedStrings.xml")?;
        let texts = match &shared {
            Some(shared) => named(parsed(shared)?.root(), "si").map(text_of).collect(),
            None => Vec::new(),
        };
        Ok(Self { sheets, texts })
    }

    fn sheet(&self, unpacking: &Unpacking<'_>, zip: &Zip<'_>, path: &str) -> io::Result<String> {
        let text = zip.text(unpacking, path)?.ok_or_else(|| io::Error::other("it has no data"))?;
        let document = parsed(&text)?;
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
        let mut line = 0;
        for row in named(document.root(), "row") {
            // Rows that were left empty keep their lines, so that problems name the right one.
            let number: usize = row.attribute("r").and_then(|r| r.parse().ok()).unwrap_or(line + 1);
            if number > MOST_ROWS {
                let message = format!("it has more than {MOST_ROWS} rows");
                return Err(io::Error::other(message));
            }
            while line + 1 < number {
                line += 1;
                writer.write_record([""])?;
            }
            line = line.max(number);
            writer.write_record(self.cells(row)?)?;
        }
        let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }

    fn cells(&self, row: Node<'_, '_>) -> io::Result<Vec<String>> {
        let mut cells: Vec<String> = Vec::new();
        for cell in row.children().filter(|node| node.tag_name().name() == "c") {
            let at = cell.attribute("r").and_then(column).unwrap_or(cells.len());
            if at >= MOST_COLUMNS {
                return Err(io::Error::other(format!("it has more than {MOST_COLUMNS} columns")));
            }
            if cells.len() <= at {
                cells.resize(at + 1, String::new());
            }
            cells[at] = self.value(cell);
        }
        if cells.is_empty() {
            cells.push(String::new());
        }
        Ok(cells)
    }

    fn value(&self, cell: Node<'_, '_>) -> String {
        let value = named(cell, "v").next().and_then(|value| value.text()).unwrap_or("").trim();
        match cell.attribute("t") {
            Some("s") => value
                .parse()
                .ok()
                .and_then(|at: usize| self.texts.get(at).cloned())
                .unwrap_or_default(),
            Some("inlineStr") => text_of(cell),
            // An error is no value.
            Some("e") => String::new(),
            Some("str" | "b" | "d") => value.to_owned(),
            // Seventeen digits as they are kept; the shortest that mean the same are what was entered.
            _ => {
                value.parse::<f64>().map_or_else(|_| value.to_owned(), |number| number.to_string())
            }
        }
    }
}

/// The text of a cell, without how it is to be pronounced.
fn text_of(node: Node<'_, '_>) -> String {
    let spoken = |text: &Node<'_, '_>| text.ancestors().any(|up| up.tag_name().name() == "rPh");
    named(node, "t").filter(|text| !spoken(text)).filter_map(|text| text.text()).collect()
}

/// The number from 0 of the column of `B7`.
fn column(cell: &str) -> Option<usize> {
    let letters = cell.bytes().take_while(u8::is_ascii_alphabetic);
    let number = letters.take(4).fold(0, |number, letter| {
        number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    number.checked_sub(1)
}
