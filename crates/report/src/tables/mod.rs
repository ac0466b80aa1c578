//! The tables of a report, independent of the format that they are written in.

mod arithmetic;
mod before_and_after;
mod cells;
mod crowd;
mod decision;
mod environment;
mod events;
mod factors;
mod failover;
mod fleet;
mod generators;
mod instances;
mod items;
mod money;
mod named;
mod places;
mod profile;
mod ranking;
mod ratios;
mod resources;
mod round_trips;
mod search;
mod settings;
mod standings;
mod summary;
mod trials;
mod volume;
mod why;

pub(crate) use arithmetic::arithmetic;
pub(crate) use before_and_after::before_and_after;
pub(crate) use cells::cells;
pub(crate) use crowd::{against_first, matrix, resolved};
pub(crate) use decision::{decision, decision_level};
pub(crate) use environment::{host, load_hosts, notes, run, servers, target_hosts};
pub(crate) use events::{EVENTS, event_costs, events};
pub(crate) use factors::factors;
pub(crate) use failover::{failover_steps, failovers, taken_away};
pub(crate) use fleet::{fleet_hosts, fleet_processors, fleet_vms, fleet_volumes};
pub(crate) use generators::generators;
pub(crate) use instances::instances;
pub(crate) use items::{
    item_ratios, plans, short as transactions_in_short, statements, transactions,
};
pub(crate) use money::{break_evens, costs};
pub(crate) use named::{cells_add_to_named, named, printed};
pub(crate) use places::places;
pub(crate) use profile::profile;
pub(crate) use ranking::ranking;
pub(crate) use ratios::ratios;
pub(crate) use resources::{ResourceGroup, resource_ratios, resources};
pub(crate) use round_trips::round_trips;
pub(crate) use search::{search_comparisons, search_steps};
pub(crate) use settings::{Variable, differences, variables};
pub(crate) use standings::standings;
pub(crate) use summary::summary;
pub(crate) use trials::{MOST_LISTED, latest, lists_all, number_of_trials, superseded, trials};
pub(crate) use volume::{devices, volumes};
pub(crate) use why::times;

use crate::charts::svg::spark::in_text;
use crate::words::in_unit;
use analyse::{Analysis, TestAnalysis};
use model::{Metric, MetricUnit};

/// What a page calls the row of a trial.
pub(crate) fn trial_id(position: u32) -> String {
    format!("p{position}")
}

/// What a page calls the row of that cell of a test; `None` where it has no table of cells.
fn cell_id(analysis: &Analysis, test: &TestAnalysis, cell: usize) -> Option<String> {
    let number = analysis.tests.iter().position(|one| one.test == test.test)?;
    cells_add_to_named(analysis, test).then(|| format!("c{number}-{cell}"))
}

/// A table of text.
pub(crate) struct Table {
    /// Headings, with units.
    pub(crate) columns: Vec<Column>,
    /// As many cells each as there are columns.
    pub(crate) rows: Vec<Row>,
    /// Whether readers may sort it by a column; rows have names then, in their first cells.
    pub(crate) is_sortable: bool,
    /// Whether its cells are signs that are seen at a glance.
    pub(crate) is_matrix: bool,
}

/// A column.
pub(crate) struct Column {
    pub(crate) heading: String,
    /// Whether it holds numbers, to be aligned at their ends.
    pub(crate) numeric: bool,
}

/// A row.
pub(crate) struct Row {
    /// From left to right.
    pub(crate) cells: Vec<TableCell>,
    /// Whether a group of rows starts here.
    pub(crate) opens_group: bool,
    /// By which links of a page lead to it; unique there.
    pub(crate) id: Option<String>,
}

/// A cell.
#[derive(Default)]
pub(crate) struct TableCell {
    pub(crate) text: String,
    /// What it adds in small print, such as an interval.
    pub(crate) note: Option<String>,
    pub(crate) tone: Tone,
    /// The target that it names, by place in the study.
    pub(crate) series: Option<usize>,
    /// The id of what it rests on, where a page has that.
    pub(crate) rests_on: Option<String>,
    /// The trials that it rests on.
    pub(crate) trials: Vec<RestsOn>,
    /// How far behind the best it is, for the eye; its words say the same.
    pub(crate) shade: Option<Shade>,
    /// What it is sorted by.
    pub(crate) order: Option<f64>,
    /// The same for the eye, where a page can draw it.
    pub(crate) picture: Option<Picture>,
}

/// A chart as small as a word.
pub(crate) enum Picture {
    /// A figure over several runs, up to the last.
    Course(Vec<f64>),
    /// A ratio with its interval, on an axis that reaches so many times to either side of 1.
    Ratio { point: f64, interval: (f64, f64), reach: f64 },
}

/// How far a figure is behind the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shade {
    /// It is the best, or the same.
    Best,
    Near,
    Behind,
    Far,
}

/// A trial that a cell of a table rests on.
pub(crate) struct RestsOn {
    pub(crate) position: u32,
    /// Its repeat, with a sign where it is in doubt.
    pub(crate) text: String,
    /// The id of what a page has of it, once that is known.
    pub(crate) id: Option<String>,
}

/// What a cell means, beyond its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// As it should be.
    Good,
    /// With care.
    Doubtful,
    /// Don't rely on it.
    Bad,
}

impl Table {
    /// An empty table.
    pub(crate) fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
            is_sortable: false,
            is_matrix: false,
        }
    }

    /// An empty one whose rows have names and can be sorted by a column.
    fn sortable(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { is_sortable: true, ..Self::new(columns) }
    }

    /// The same without the columns that say nothing in any row.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let says = |cell: &TableCell| !cell.text.is_empty() && cell.text != crate::numbers::NOTHING;
        for place in (0..self.columns.len()).rev() {
            let column = || self.rows.iter().filter_map(|row| row.cells.get(place));
            if !column().any(says) {
                self.columns.remove(place);
                self.rows.iter_mut().for_each(|row| drop(row.cells.remove(place)));
            }
        }
        self
    }

    /// Adds a row of the group under way.
    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = TableCell>) {
        model::deadline::look();
        self.rows.push(Row { cells: cells.into_iter().collect(), opens_group: false, id: None });
    }

    /// Gives the last row a name for links.
    fn name_last(&mut self, id: String) {
        if let Some(row) = self.rows.last_mut() {
            row.id = Some(id);
        }
    }

    /// Adds a row that starts a group.
    pub(crate) fn push_group(&mut self, cells: impl IntoIterator<Item = TableCell>) {
        self.push(cells);
        if let Some(row) = self.rows.last_mut() {
            row.opens_group = true;
        }
    }
}

/// A column of words.
pub(crate) fn words(heading: impl Into<String>) -> Column {
    Column { heading: heading.into(), numeric: false }
}

/// A column of numbers.
pub(crate) fn numbers(heading: impl Into<String>) -> Column {
    Column { heading: heading.into(), numeric: true }
}

impl TableCell {
    /// Plain text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        model::deadline::look();
        Self { text: text.into(), ..Self::default() }
    }

    /// The name of a target.
    fn target(name: &str, series: usize) -> Self {
        Self { text: name.to_owned(), series: Some(series), ..Self::default() }
    }

    /// The same with a note.
    fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    /// The same with what it rests on, where it says anything.
    fn resting_on(self, id: Option<String>) -> Self {
        let rests_on = id.filter(|_| self.text != crate::numbers::NOTHING);
        Self { rests_on, ..self }
    }

    /// The same with a tone.
    pub(crate) fn with_tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    /// The same with a shade.
    fn shaded(self, shade: Option<Shade>) -> Self {
        Self { shade, ..self }
    }

    /// A figure over several runs.
    pub(crate) fn course(values: Vec<f64>) -> Self {
        Self { picture: Some(Picture::Course(values.clone())), ..Self::text(in_text(&values)) }
    }

    /// The same with what it is sorted by.
    fn in_order(self, order: f64) -> Self {
        Self { order: Some(order), ..self }
    }

    /// An estimate with its interval as the note.
    fn estimate(estimate: Option<&stats::Estimate>) -> Self {
        match estimate {
            None => Self::text(crate::numbers::NOTHING),
            Some(estimate) => Self {
                text: crate::numbers::figure(estimate.point),
                note: estimate.interval.map(|_| crate::numbers::interval(estimate)),
                ..Self::default()
            },
        }
    }

    /// The estimate of a metric in the unit that its heading gives.
    fn of_metric(metric: Metric, estimate: Option<&stats::Estimate>) -> Self {
        let shown = estimate.map(|estimate| in_unit(metric, estimate));
        match metric.unit() {
            MetricUnit::Count => Self::counted(shown.as_ref()),
            _ => Self::estimate(shown.as_ref()),
        }
    }

    /// The estimate of a number of things: without decimals where all are whole.
    fn counted(estimate: Option<&stats::Estimate>) -> Self {
        // Ends of intervals come from logarithms.
        let is = |value: f64, whole: f64| (value - whole).abs() < 1e-6;
        match estimate {
            Some(estimate)
                if is(estimate.point, estimate.point.round())
                    && (0.0..1000.0).contains(&estimate.point)
                    && estimate.interval.is_none_or(|ends| {
                        is(ends.low, estimate.point) && is(ends.high, estimate.point)
                    }) =>
            {
                Self { text: crate::numbers::tick(estimate.point.round()), ..Self::default() }
            }
            other => Self::estimate(other),
        }
    }

    /// A number, or a dash.
    fn figure(value: Option<f64>) -> Self {
        Self::text(value.map_or(crate::numbers::NOTHING.to_owned(), crate::numbers::figure))
    }
}
