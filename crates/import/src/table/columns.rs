//! The columns of a table with a row for each trial.

use super::TableOptions;
use super::decimal::{DecimalMark, Evidence, Undecided, number};
use super::dialect::Cells;
use super::names::{self, ColumnRole, Name};

/// What the cells of a column are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Column {
    Known(ColumnRole),
    /// Figures of one target, or at one number of clients; of which figure, its heading says, or else the
    /// table.
    Cells {
        target: Option<String>,
        clients: Option<u32>,
        figure: Option<(String, String)>,
    },
    /// Numbers of which nobody knows what they are.
    Unknown,
}

/// Longest name of a column that is taken apart.
const LONGEST_NAME: usize = 200;

pub(super) struct Columns {
    pub(super) columns: Vec<Column>,
    /// The figure of cells whose headings do not say it.
    pub(super) figure: Option<(String, String)>,
    /// Whether headings say what was measured, or how, and not only words in the cells.
    named: bool,
}

impl Columns {
    pub(super) fn from_cells(cells: &Cells, options: &TableOptions) -> Self {
        let known =
            |heading: &String| options.said(heading).cloned().or_else(|| names::role(heading));
        let mut columns: Vec<Column> = cells
            .heading
            .iter()
            .map(|heading| known(heading).map_or(Column::Unknown, Column::Known))
            .collect();
        let titled = || cells.titles.iter().find_map(|title| figure_in(title));
        let figure = options.of_cells().or_else(titled);
        let is = |columns: &[Column], role: &dyn Fn(&ColumnRole) -> bool| {
            columns.iter().any(|column| matches!(column, Column::Known(known) if role(known)))
        };
        let plain = is(&columns, &|role| matches!(role, ColumnRole::Figure(..)));
        if !plain || options.of_cells().is_some() {
            for (column, heading) in columns.iter_mut().zip(&cells.heading) {
                if *column == Column::Unknown
                    && let Some(named) = of_cells(heading)
                {
                    *column = named;
                }
            }
        }
        let names_target = is(&columns, &|role| *role == ColumnRole::Target)
            || columns.iter().any(|column| matches!(column, Column::Cells { target: Some(_), .. }));
        let by_heading = columns.iter().any(|column| {
            let words = [ColumnRole::Target, ColumnRole::Test, ColumnRole::Clients];
            matches!(column, Column::Known(role) if words.contains(role) || *role == ColumnRole::QueueDepth)
        });
        let mut named = names_target;
        let metric = is(&columns, &|role| *role == ColumnRole::Metric);
        for (at, (column, heading)) in columns.iter_mut().zip(&cells.heading).enumerate() {
            if *column != Column::Unknown || heading.is_empty() {
                continue;
            }
            let texts = cells.rows.iter().filter_map(|row| row.cells.get(at));
            let texts = texts.filter(|cell| !is_missing(cell));
            let (words, numbers): (Vec<&String>, Vec<&String>) = texts.partition(|cell| {
                number(cell, DecimalMark::Point).is_none()
                    && number(cell, DecimalMark::Comma).is_none()
            });
            if words.len() > numbers.len() && !metric {
                // A column of words tells rows apart: the first what was measured, others how.
                *column =
                    Column::Known(if named { ColumnRole::Factor } else { ColumnRole::Target });
                named = true;
            } else if !plain && !names_target && (figure.is_some() || metric) && !numbers.is_empty()
            {
                let target = Some(heading.clone());
                *column = Column::Cells { target, clients: None, figure: None };
            }
        }
        if columns.iter().any(|column| matches!(column, Column::Cells { figure: None, .. })) {
            options.used_of_cells();
        }
        // A heading that is left out has cells of nothing.
        for (column, heading) in columns.iter_mut().zip(&cells.heading) {
            if heading.is_empty() && *column == Column::Unknown {
                *column = Column::Known(ColumnRole::Ignored);
            }
        }
        Self { columns, figure, named: by_heading }
    }

    pub(super) fn has(&self, role: &ColumnRole) -> bool {
        self.columns.iter().any(|column| matches!(column, Column::Known(known) if known == role))
    }

    /// Whether the columns are those of results, so that a file is taken for a table unasked.
    pub(super) fn is_table(&self, cells: &Cells) -> bool {
        if cells.heading.len() < 2 || cells.rows.is_empty() {
            return false;
        }
        // What redis-benchmark writes has a reader of its own.
        if cells.heading[0] == "test" && cells.heading[1] == "rps" {
            return false;
        }
        let level = [ColumnRole::Clients, ColumnRole::QueueDepth, ColumnRole::Rate];
        let says = level.iter().chain(&[ColumnRole::Target, ColumnRole::Test]);
        let identified = says.into_iter().any(|role| self.has(role));
        // A column of words beside any time may be of anything, such as lines of a log.
        let telling =
            |metric: &str| self.named || !(metric == "elapsed" || metric.contains("latency"));
        let figures = self.columns.iter().any(|column| match column {
            Column::Known(ColumnRole::Figure(metric, _)) => telling(metric),
            Column::Cells { figure, .. } => figure.is_some() || self.figure.is_some(),
            _ => false,
        });
        let unnamed = |column: &Column| matches!(column, Column::Unknown | Column::Cells { .. });
        // `threads;mariadb;postgres`: of which figure, is to be asked.
        let to_ask = matches!(&self.columns[0], Column::Known(role) if level.contains(role))
            && self.columns[1..].iter().all(unnamed);
        (figures && identified) || to_ask
    }

    /// The decimal mark of each column of figures; columns whose numbers may mean two things are told.
    pub(super) fn marks(
        &self,
        cells: &Cells,
        options: &TableOptions,
    ) -> Result<Vec<DecimalMark>, String> {
        let of = |at: usize| {
            let mut evidence = Evidence::default();
            let figures = matches!(
                self.columns[at],
                Column::Known(ColumnRole::Figure(..)) | Column::Cells { .. }
            );
            if figures {
                let own = cells.rows.iter().filter_map(|row| row.cells.get(at));
                own.for_each(|cell| evidence.see(cell));
            }
            evidence
        };
        let columns: Vec<Evidence> = (0..self.columns.len()).map(of).collect();
        let mut table = Evidence::default();
        columns.iter().for_each(|own| table.join(own));
        let mark = |(own, heading): (&Evidence, &String)| {
            if let Some(mark) = options.decimal {
                return Ok(mark);
            }
            match own.mark(&table, cells.delimiter) {
                Ok(mark) => Ok(mark.unwrap_or(DecimalMark::Point)),
                Err(Undecided::Open(example)) => Err(format!(
                    "the numbers of the column `{heading}` can be read in two ways ({example}); say which \
                     with --decimal point or --decimal comma"
                )),
                Err(Undecided::Contradiction(point, comma)) => Err(format!(
                    "the column `{heading}` has numbers with decimal points ({point}) and with decimal \
                     commas ({comma}); say which is right with --decimal point or --decimal comma"
                )),
            }
        };
        columns.iter().zip(&cells.heading).map(mark).collect()
    }
}

/// What stands for no value.
pub(super) fn is_missing(cell: &str) -> bool {
    let plain = cell.to_lowercase();
    matches!(
        plain.as_str(),
        "" | "-" | "--" | "—" | "–" | "n/a" | "na" | "#n/a" | "nan" | "null" | "none" | "?"
    )
}

/// The figure that is named at the end or at the beginning of a title: `sysbench, TPS`.
fn figure_in(title: &str) -> Option<(String, String)> {
    let whole = names::figure(&Name::from_heading(title));
    whole.or_else(|| parts(title).and_then(|(_, figure)| figure))
}

/// What a heading says that is a target or a number of clients, with a figure or without.
fn of_cells(heading: &str) -> Option<Column> {
    if let Some(clients) = names::clients(&Name::from_heading(heading).words) {
        return Some(Column::Cells { target: None, clients: Some(clients), figure: None });
    }
    let (rest, figure) = parts(heading)?;
    let clients = names::clients(&Name::from_heading(&rest).words);
    let target = clients.is_none().then_some(rest);
    Some(Column::Cells { target, clients, figure })
}

/// The figure's part of a heading, and the rest: `MariaDB 10.6 p95 (ms)`, `TPS MySQL`, `MariaDB (tps)`.
fn parts(heading: &str) -> Option<(String, Option<(String, String)>)> {
    if heading.len() > LONGEST_NAME {
        return None;
    }
    let trimmed = |text: &str| text.trim_matches([' ', '-', '_', ':', ',', '/']).to_owned();
    if let Some((before, unit)) =
        heading.strip_suffix([')', ']']).and_then(|h| h.rsplit_once(['(', '[']))
        && let Some(figure) = names::figure(&Name::from_heading(unit))
    {
        return Some((trimmed(before), Some(figure)));
    }
    let words: Vec<(usize, &str)> = heading
        .split([' ', '_', '-'])
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .filter(|(_, word)| !word.is_empty())
        .collect();
    let found = |figure: &str, rest: &str| {
        let figure = names::figure(&Name::from_heading(figure))?;
        let rest = trimmed(rest);
        (!rest.is_empty()).then_some((rest, Some(figure)))
    };
    let ends = words.iter().skip(1).find_map(|(at, _)| found(&heading[*at..], &heading[..*at]));
    ends.or_else(|| {
        words.iter().skip(1).rev().find_map(|(at, _)| found(&heading[..*at], &heading[*at..]))
    })
}
