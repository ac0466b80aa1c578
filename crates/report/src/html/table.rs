use crate::svg;
use crate::tables::{Cell, Table, Tone};
use maud::{Markup, html};

/// A table that scrolls within its own frame where the page is too narrow for it.
pub(super) fn table(table: &Table) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                thead {
                    tr {
                        @for column in &table.columns {
                            th scope="col" class=[column.numeric.then_some("n")] { (column.heading) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr class=[row.opens_group.then_some("group")] {
                            @for (cell, column) in row.cells.iter().zip(&table.columns) {
                                (one(cell, column.numeric))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn one(cell: &Cell, numeric: bool) -> Markup {
    let (class, sign) = match cell.tone {
        Tone::Plain => (None, ""),
        Tone::Good => (Some("good"), "✓ "),
        Tone::Doubtful => (Some("doubtful"), "? "),
        Tone::Bad => (Some("bad"), "✕ "),
    };
    html! {
        td class=[numeric.then_some("n")] {
            @if let Some(series) = cell.series { (svg::key(series)) }
            @if let Some(class) = class { span class=(class) { (sign) (cell.text) } } @else { (cell.text) }
            @if let Some(note) = &cell.note { small { (note) } }
        }
    }
}
