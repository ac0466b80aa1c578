//! Sheets of OpenDocument spreadsheets (`.ods`) as tables: the values as they were saved.
//!
//! `content.xml` has them (OpenDocument 1.3, part 3, 9.1): rows and cells that are alike stand once with
//! how often they are repeated, which at the end of a sheet is up to its last row.

use super::spreadsheet::{MOST_COLUMNS, MOST_ROWS, named, parsed};
use super::zip::Zip;
use super::{Member, Unpacking};
use roxmltree::Node;
use std::io;

/// Gives each sheet as a text of comma-separated values, named after it, as if it were a member.
pub(super) fn sheets(unpacking: &mut Unpacking<'_>, book: &str, zip: &Zip<'_>) {
    let found = zip.text(unpacking, "content.xml").and_then(|text| {
        let text = text.unwrap_or_default();
        let document = parsed(&text)?;
        let sheets = named(document.root(), "table");
        let sheets = sheets.map(|sheet| Ok((attribute(sheet, "name").to_owned(), table(sheet)?)));
        sheets.collect::<io::Result<Vec<_>>>()
    });
    match found {
        Ok(sheets) => {
            for (title, table) in sheets.into_iter().filter(|(_, table)| !table.is_empty()) {
                let title = title.replace(['/', '\\'], " ");
                let Some(name) = unpacking.name_of(book, title.as_bytes()) else { continue };
                let bytes = table.into_bytes();
                (unpacking.take)(Member { name: &name, bytes, unpacked: true });
            }
        }
        Err(error) => unpacking.problem(book, format!("cannot be read: {error}")),
    }
}

/// The value of an attribute, whatever its namespace; empty where there is none.
fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attributes().find(|one| one.name() == name).map_or("", |one| one.value())
}

/// How often a row or a cell stands there.
fn times(node: Node<'_, '_>, name: &str) -> usize {
    attribute(node, name).parse().unwrap_or(1)
}

fn table(sheet: Node<'_, '_>) -> io::Result<String> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // Empty rows count only where others follow.
    let (mut empty, mut lines) = (0, 0);
    for row in named(sheet, "table-row") {
        let cells = cells(row)?;
        let count = times(row, "number-rows-repeated");
        if cells.iter().all(String::is_empty) {
            empty += count;
            continue;
        }
        lines += empty + count;
        if lines > MOST_ROWS {
            return Err(io::Error::other(format!("it has more than {MOST_ROWS} rows")));
        }
        for _ in 0..std::mem::take(&mut empty) {
            writer.write_record([""])?;
        }
        for _ in 0..count {
            writer.write_record(&cells)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

fn cells(row: Node<'_, '_>) -> io::Result<Vec<String>> {
    let mut cells: Vec<String> = Vec::new();
    let mut empty = 0;
    let is_cell =
        |node: &Node<'_, '_>| matches!(node.tag_name().name(), "table-cell" | "covered-table-cell");
    for cell in row.children().filter(is_cell) {
        let (value, count) = (value(cell), times(cell, "number-columns-repeated"));
        if value.is_empty() {
            empty += count;
            continue;
        }
        if cells.len() + empty + count > MOST_COLUMNS {
            return Err(io::Error::other(format!("it has more than {MOST_COLUMNS} columns")));
        }
        cells.extend(std::iter::repeat_n(String::new(), std::mem::take(&mut empty)));
        cells.extend(std::iter::repeat_n(value, count));
    }
    Ok(cells)
}

/// What a cell is, not how it is shown.
fn value(cell: Node<'_, '_>) -> String {
    match attribute(cell, "value-type") {
        "float" | "percentage" | "currency" => {
            let value = attribute(cell, "value");
            value.parse::<f64>().map_or_else(|_| value.to_owned(), |number| number.to_string())
        }
        "date" => attribute(cell, "date-value").to_owned(),
        // Paragraphs of a cell; a comment to it has its own.
        _ => {
            let own = cell.children().filter(|node| node.tag_name().name() == "p");
            let texts = own.map(|p| texts_in(p));
            texts.collect::<Vec<_>>().join(" ")
        }
    }
}

fn texts_in(node: Node<'_, '_>) -> String {
    let texts = node.descendants().filter(Node::is_text);
    texts.filter_map(|text| text.text()).collect()
}
