use crate::charts::svg;
use crate::charts::svg::spark;
use crate::tables::{Picture, Row, Shade, Table, TableCell, Tone};
use maud::{Markup, html};

/// A table that scrolls within its own frame where the page is too narrow for it.
pub(crate) fn table(table: &Table) -> Markup {
    rows(table, &table.rows)
}

/// Adds some rows of a table, under its headings.
pub(super) fn put(table: &Table, some: &[Row], page: &mut String) {
    page.push_str(&rows(table, some).0);
}

fn rows(table: &Table, rows: &[Row]) -> Markup {
    let classes: Vec<&str> = (0..table.columns.len()).map(|i| class(table, i)).collect();
    html! {
        div class={ "scroll" @if table.is_matrix { " matrix" } } tabindex="0" {
            table class=[table.is_sortable.then_some("standings")] {
                thead {
                    tr {
                        @for (column, class) in table.columns.iter().zip(&classes) {
                            th scope="col" class=(class) { (column.heading) }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr id=[row.id.as_ref()] class=[row.opens_group.then_some("group")] {
                            @for (place, (cell, class)) in row.cells.iter().zip(&classes).enumerate() {
                                @if place == 0 && table.is_sortable {
                                    th scope="row" { (content(cell)) }
                                } @else {
                                    (one(cell, class))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

const NUMBERS: &str = "n";

/// The class of a column: numbers stand at their right, and words get the room to be read.
fn class(table: &Table, column: usize) -> &'static str {
    /// Words longer than this break badly in a column that is squeezed.
    const SHORT: usize = 8;
    let cells = || table.rows.iter().filter_map(|row| row.cells.get(column));
    if table.columns[column].numeric {
        NUMBERS
    } else if cells().any(|c| c.series.is_some() || c.text.chars().count() > SHORT) {
        "w"
    } else {
        "s"
    }
}

fn one(cell: &TableCell, column: &str) -> Markup {
    // Numbers are the most, so they need no class.
    let column = Some(column).filter(|column| *column != NUMBERS);
    let class = column.into_iter().chain(cell.shade.map(shade)).collect::<Vec<_>>().join(" ");
    html! {
        td class=[Some(class).filter(|class| !class.is_empty())] data-order=[cell.order] {
            (content(cell))
        }
    }
}

fn shade(shade: Shade) -> &'static str {
    match shade {
        Shade::Best => "best",
        Shade::Near => "near",
        Shade::Behind => "behind",
        Shade::Far => "far",
    }
}

fn content(cell: &TableCell) -> Markup {
    model::deadline::look();
    let (tone, sign) = match cell.tone {
        Tone::Plain => (None, ""),
        Tone::Good => (Some("good"), "✓ "),
        Tone::Doubtful => (Some("doubtful"), "? "),
        Tone::Bad => (Some("bad"), "✕ "),
    };
    html! {
        @if let Some(series) = cell.series { (svg::key(series)) }
        @if let Some(tone) = tone { span class=(tone) { (sign) (cell.text) } }
        @else if let Some(Picture::Course(values)) = &cell.picture {
            (spark::course(values, values.len().saturating_sub(1)))
        }
        @else if let Some(id) = &cell.rests_on { a href={ "#" (id) } { (cell.text) } }
        @else { (cell.text) }
        @if let Some(Picture::Ratio { point, interval, reach }) = &cell.picture {
            (spark::ratio(*point, *interval, *reach))
        }
        @if let Some(note) = &cell.note { small { (note) } }
        @if cell.trials.iter().any(|trial| trial.id.is_some()) {
            small.trials {
                @for trial in &cell.trials {
                    @if let Some(id) = &trial.id { a href={ "#" (id) } { (trial.text) } " " }
                }
            }
        }
    }
}
