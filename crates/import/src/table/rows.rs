//! A table with a row for each trial, or a column for each target or number of clients.

use super::columns::{Column, Columns, is_missing};
use super::decimal::{DecimalMark, number};
use super::dialect::{Cells, Row, cells};
use super::names::{self, ColumnRole, Name, UNSAID};
use super::{TableOptions, not_negative};
use crate::figures::{self, problem};
use crate::{ImportedTrial, Label, Parsed, Source, path};
use model::{
    Failure, FailureKind, Figure, FigureValue, Level, LevelUnit, Outcome, Printed, TrialEnd,
};
use std::collections::{BTreeMap, HashSet};

/// Rows that sum others up.
const SUMMARIES: [&str; 17] = [
    "avg", "average", "mean", "median", "total", "totals", "sum", "min", "max", "stddev", "stdev",
    "geomean", "mittelwert", "summe", "gesamt", "moyenne", "minimum",
];
/// What a cell says of a trial that failed.
const FAILURES: [&str; 10] =
    ["fail", "error", "oom", "timeout", "timed out", "crash", "abort", "killed", "dnf", "lost"];
/// Columns that a table may have.
const MOST_COLUMNS: usize = 1_000;
/// Names of columns in a message.
const MOST_NAMES: usize = 8;

/// What trials are told apart by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    target: String,
    test: String,
    level: Level,
    repeat: String,
    block: Option<u32>,
}

#[derive(Debug)]
struct Draft {
    line: u32,
    figures: Vec<Figure>,
    failure: Option<String>,
    labels: Vec<(String, String)>,
    /// The cells that nobody understood, and times.
    others: Vec<String>,
}

struct Reading<'a> {
    source: &'a Source<'a>,
    table: &'a Cells,
    columns: Columns,
    marks: Vec<DecimalMark>,
    options: &'a TableOptions,
    drafts: BTreeMap<Key, Vec<Draft>>,
    /// In the order of the file.
    order: Vec<Key>,
    /// The labels that targets have already.
    labelled: HashSet<(String, String, String)>,
    parsed: Parsed,
}

/// Bytes of memory that a row takes at least: a trial with its names.
const BYTES_OF_ROW: u64 = 1 << 10;

pub(super) fn parse(source: &Source<'_>, options: &TableOptions) -> Parsed {
    let table = cells(source.text, usize::MAX);
    let columns = Columns::from_cells(&table, options);
    let mut parsed = Parsed::default();
    for (line, message) in &table.damaged {
        parsed.problems.push(problem(source, *line, message.clone()));
    }
    if let Err(message) = complete(&table, &columns) {
        parsed.problems.push(problem(source, 1, message));
        return parsed;
    }
    let marks = match columns.marks(&table, options) {
        Ok(marks) => marks,
        Err(message) => {
            parsed.problems.push(problem(source, 1, message));
            return parsed;
        }
    };
    let (drafts, order, labelled) = (BTreeMap::new(), Vec::new(), HashSet::new());
    let mut reading =
        Reading { source, table: &table, columns, marks, options, drafts, order, labelled, parsed };
    reading.left_out();
    for row in &table.rows {
        if source.budget.charge(BYTES_OF_ROW).is_err() {
            break;
        }
        reading.row(row);
    }
    reading.finish()
}

/// Whether the columns say what was measured.
fn complete(table: &Cells, columns: &Columns) -> Result<(), String> {
    if table.heading.is_empty() {
        return Err("there is no table in it".to_owned());
    }
    if table.heading.len() > MOST_COLUMNS {
        return Err(format!("the table has more than {MOST_COLUMNS} columns"));
    }
    let figures = columns.columns.iter().any(|column| match column {
        Column::Known(ColumnRole::Figure(..)) => true,
        Column::Cells { figure, .. } => {
            figure.is_some() || columns.figure.is_some() || columns.has(&ColumnRole::Metric)
        }
        _ => false,
    });
    if figures {
        return Ok(());
    }
    let named = |column: &Column| matches!(column, Column::Unknown | Column::Cells { .. });
    let pairs = columns.columns.iter().zip(&table.heading);
    let unknown: Vec<String> = pairs
        .filter(|(column, _)| named(column))
        .map(|(_, heading)| format!("`{heading}`"))
        .collect();
    if unknown.is_empty() {
        return Err("no column has figures".to_owned());
    }
    Err(format!(
        "what the columns {} measure is not known; say it of each, as in --map \
         'COLUMN=transactions_per_s', or of all, where they are named after targets or numbers of \
         clients: --map '*=transactions_per_s'",
        listed(&unknown)
    ))
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > MOST_NAMES { " and others" } else { "" };
    format!("{}{more}", names[..names.len().min(MOST_NAMES)].join(", "))
}

impl Reading<'_> {
    /// Names the columns that nobody understood.
    fn left_out(&mut self) {
        let pairs = self.columns.columns.iter().zip(&self.table.heading);
        let left_out: Vec<String> = pairs
            .filter(|(column, _)| **column == Column::Unknown)
            .map(|(_, heading)| format!("`{heading}`"))
            .collect();
        if !left_out.is_empty() {
            let message = format!(
                "left out the columns {}: what they are is not known; say it with --map, as in --map \
                 'COLUMN=latency_p95:ms', 'COLUMN=target', or 'COLUMN=-' for nothing",
                listed(&left_out)
            );
            self.problem(1, message);
        }
        let mut seen: Vec<&str> = Vec::new();
        let mut twice = Vec::new();
        for (column, heading) in self.columns.columns.iter_mut().zip(&self.table.heading) {
            if let Column::Known(ColumnRole::Figure(metric, _)) = column {
                if seen.contains(&metric.as_str()) {
                    twice.push(format!(
                        "left out the column `{heading}`: another one is its figure already"
                    ));
                    *column = Column::Known(ColumnRole::Ignored);
                } else if let Column::Known(ColumnRole::Figure(metric, _)) = column {
                    seen.push(metric);
                }
            }
        }
        twice.into_iter().for_each(|message| self.problem(1, message));
    }

    fn problem(&mut self, line: u32, message: String) {
        self.parsed.problems.push(problem(self.source, line, message));
    }

    fn row(&mut self, row: &Row) {
        let first = row.cells.iter().find(|cell| !cell.is_empty()).map(|cell| cell.to_lowercase());
        if first.is_some_and(|first| SUMMARIES.contains(&first.trim_end_matches(':'))) {
            return self.problem(row.line, "left out: the row sums others up".to_owned());
        }
        if row.cells.len() > self.table.heading.len()
            && row.cells[self.table.heading.len()..].iter().any(|cell| !cell.is_empty())
        {
            let (has, wants) = (row.cells.len(), self.table.heading.len());
            return self.problem(row.line, format!("the row has {has} cells, the heading {wants}"));
        }
        if let Err(message) = self.read(row) {
            self.problem(row.line, message);
        }
    }

    /// The cells of the columns of a role, with their headings.
    fn cells_of<'r>(
        &'r self,
        row: &'r Row,
        role: ColumnRole,
    ) -> impl Iterator<Item = (&'r str, &'r str)> {
        let pairs = self.columns.columns.iter().zip(&self.table.heading).zip(&row.cells);
        pairs.filter_map(move |((column, heading), cell)| {
            let own = matches!(column, Column::Known(known) if *known == role);
            (own && !is_missing(cell)).then_some((heading.as_str(), cell.as_str()))
        })
    }

    fn whole(&self, row: &Row, role: ColumnRole) -> Result<Option<u32>, String> {
        let Some((heading, cell)) = self.cells_of(row, role).next() else { return Ok(None) };
        let plain: String = cell.chars().filter(|c| !c.is_whitespace()).collect();
        let plain = plain.strip_suffix(".0").unwrap_or(&plain);
        match plain.parse::<u32>() {
            Ok(number) if number > 0 => Ok(Some(number)),
            _ => Err(format!("`{heading}` is «{cell}», which is not a whole number from 1")),
        }
    }

    fn read(&mut self, row: &Row) -> Result<(), String> {
        let targets: Vec<(String, String)> = self
            .cells_of(row, ColumnRole::Target)
            .map(|(heading, cell)| (heading.to_lowercase(), cell.to_owned()))
            .collect();
        let mut tests: Vec<String> =
            self.cells_of(row, ColumnRole::Test).map(|(_, cell)| cell.to_owned()).collect();
        let factors = self.cells_of(row, ColumnRole::Factor);
        tests.extend(factors.map(|(heading, cell)| format!("{} {cell}", heading.to_lowercase())));
        let depth = self.whole(row, ColumnRole::QueueDepth)?;
        let mut level = match depth {
            Some(depth) => Level::queue_depth(depth),
            None => Level::clients(self.whole(row, ColumnRole::Clients)?.unwrap_or(0)),
        };
        level.rate = self.whole(row, ColumnRole::Rate)?;
        let key = Key {
            target: targets.iter().map(|(_, cell)| cell.as_str()).collect::<Vec<_>>().join(" "),
            test: tests.join(", "),
            level,
            repeat: self
                .cells_of(row, ColumnRole::Repeat)
                .map(|(_, cell)| cell)
                .collect::<Vec<_>>()
                .join(" "),
            block: self.whole(row, ColumnRole::Block)?,
        };
        let pairs = self.columns.columns.iter().zip(&row.cells);
        let others = pairs.filter(|(column, _)| {
            matches!(column, Column::Unknown | Column::Known(ColumnRole::Time))
        });
        let others: Vec<String> = others.map(|(_, cell)| cell.clone()).collect();
        let failure =
            self.cells_of(row, ColumnRole::Failure).next().map(|(_, cell)| cell.to_owned());
        let labels = if targets.len() > 1 { targets } else { Vec::new() };
        let draft = |failure: Option<String>| Draft {
            line: row.line,
            figures: Vec::new(),
            failure,
            labels: labels.clone(),
            others: others.clone(),
        };
        let mut found: BTreeMap<Key, Draft> = BTreeMap::new();
        let mut wrong: Vec<(Key, String)> = Vec::new();
        for at in 0..row.cells.len().min(self.columns.columns.len()) {
            let Some((own, metric, unit)) = self.place(row, at, &key)? else { continue };
            let cell = &row.cells[at];
            if is_missing(cell) {
                continue;
            }
            match self.figure(row, at, metric, unit) {
                Some(figure) => {
                    let heading = format!("`{}`", self.table.heading[at]);
                    if let Err(message) =
                        not_negative(&figure.metric, &heading, cell, &figure.value)
                    {
                        self.problem(row.line, message);
                        continue;
                    }
                    let own = found.entry(own).or_insert_with(|| draft(failure.clone()));
                    own.figures.push(figure);
                }
                None => wrong.push((own, cell.clone())),
            }
        }
        let failed = |text: &str| FAILURES.iter().any(|word| text.to_lowercase().contains(word));
        for (key, text) in wrong {
            if found.contains_key(&key) || !failed(&text) {
                self.problem(row.line, format!("«{text}» is no number"));
            } else {
                found.insert(key, draft(Some(text)));
            }
        }
        if found.is_empty() && failure.is_some() {
            found.insert(key, draft(failure));
        }
        for (key, draft) in found {
            self.add(key, draft);
        }
        Ok(())
    }

    /// Of which trial and figure a cell is; `None` of what is no figure.
    fn place(
        &self,
        row: &Row,
        at: usize,
        key: &Key,
    ) -> Result<Option<(Key, String, String)>, String> {
        let (target, clients, figure) = match &self.columns.columns[at] {
            Column::Known(ColumnRole::Figure(metric, unit)) => {
                return Ok(Some((key.clone(), metric.clone(), unit.clone())));
            }
            Column::Cells { target, clients, figure } => (target, clients, figure),
            _ => return Ok(None),
        };
        let mut own = key.clone();
        if let Some(target) = target {
            own.target = [key.target.as_str(), target].join(" ").trim().to_owned();
        }
        if let Some(clients) = clients {
            own.level = Level { clients: *clients, unit: LevelUnit::default(), ..own.level };
        }
        let by_row = || {
            let (_, name) = self.cells_of(row, ColumnRole::Metric).next()?;
            Some((name, names::figure(&Name::from_heading(name))))
        };
        let figure = match (figure, by_row()) {
            (Some(figure), _) => Some(figure.clone()),
            (None, Some((_, Some(figure)))) => Some(figure),
            (None, Some((name, None))) => {
                return Err(format!("«{name}» is no figure that is known; the row is left out"));
            }
            (None, None) => self.columns.figure.clone(),
        };
        Ok(figure.map(|(metric, unit)| (own, metric, unit)))
    }

    /// `None` where the cell is no number.
    fn figure(&self, row: &Row, at: usize, metric: String, unit: String) -> Option<Figure> {
        let (value, own) = number(&row.cells[at], self.marks[at])?;
        let own = own.trim_start_matches('/').to_lowercase();
        let latency = metric.contains("latency_");
        let (unit, mut note) = match (unit.as_str(), own.as_str()) {
            ("", "ms" | "us" | "ns" | "s") => (own, String::new()),
            ("", "µs") => ("us".to_owned(), String::new()),
            ("", "") if latency => ("ms".to_owned(), UNSAID.to_owned()),
            (unit, "" | "%") => (unit.to_owned(), String::new()),
            // `850 tps` under TPS.
            (unit, own) if own == unit || !latency => (unit.to_owned(), String::new()),
            _ => return None,
        };
        if let Some((_, said)) = self.cells_of(row, ColumnRole::Note).next() {
            note = [note.as_str(), said].join(" ").trim().to_owned();
        }
        let printed = Some(Printed { line: row.line, note });
        Some(Figure { metric, value: FigureValue::Number(value), unit, printed })
    }

    fn add(&mut self, key: Key, draft: Draft) {
        if !self.drafts.contains_key(&key) {
            self.order.push(key.clone());
        }
        let open = self.drafts.entry(key).or_default();
        // Where each row has one figure, rows make a trial together.
        let fits = |known: &&mut Draft| {
            let has = |figure: &Figure| known.figures.iter().any(|own| own.metric == figure.metric);
            known.failure.is_none() && draft.failure.is_none() && !draft.figures.iter().any(has)
        };
        if self.columns.has(&ColumnRole::Metric)
            && let Some(known) = open.iter_mut().find(fits)
        {
            known.figures.extend(draft.figures);
        } else {
            open.push(draft);
        }
    }

    fn finish(mut self) -> Parsed {
        let order = std::mem::take(&mut self.order);
        for key in order {
            let Some(drafts) = self.drafts.remove(&key) else { continue };
            let differs = drafts.iter().any(|draft| draft.others != drafts[0].others);
            if differs && key.block.is_none() {
                let (first, second) = (drafts[0].line, drafts.get(1).map_or(0, |draft| draft.line));
                let message = format!(
                    "this row and the one in line {second} are of the same target, test and level, and \
                     differ in columns that are not known: they may be repeats or not; say what the columns \
                     are, as in --map 'COLUMN=repeat', 'COLUMN=target', 'COLUMN=factor', or \
                     'COLUMN=-' where they are repeats in the order of the rows"
                );
                self.problem(first, message);
                continue;
            }
            for draft in drafts {
                let trial = self.trial(&key, draft);
                self.parsed.trials.push(trial);
            }
        }
        if self.parsed.trials.is_empty() && self.parsed.problems.is_empty() {
            self.problem(1, "the table has no row with figures".to_owned());
        }
        self.parsed
    }

    fn trial(&mut self, key: &Key, draft: Draft) -> ImportedTrial {
        let end = match draft.failure {
            Some(reason) => TrialEnd::Failed(Failure::new(FailureKind::Other, reason, "")),
            None => {
                let outcome = Outcome::printed(self.source.file, "", draft.figures);
                TrialEnd::Completed(Box::new(outcome))
            }
        };
        let tool = if key.target.is_empty() { "table" } else { "" };
        let mut trial = figures::trial(self.source, tool, key.level, end);
        if key.target.is_empty() {
            trial.part.clone_from(&key.test);
        } else {
            trial.target.clone_from(&key.target);
            trial.test = match key.test.is_empty() {
                true => self.test(),
                false => key.test.clone(),
            };
        }
        trial.repeat.clone_from(&key.repeat);
        trial.block = key.block;
        for (name, value) in draft.labels {
            let label = Label { target: key.target.clone(), name, value };
            if self.labelled.insert((key.target.clone(), label.name.clone(), label.value.clone())) {
                self.parsed.labels.push(label);
            }
        }
        trial
    }

    /// The test of rows that name none: what the user says, or the table's own name.
    fn test(&self) -> String {
        if let Some(test) = &self.options.test {
            return test.clone();
        }
        let sheet = path::stem(self.source.file);
        // What a new sheet is called says nothing; its book does.
        let bare = sheet.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ').to_lowercase();
        let book = path::directory(self.source.file);
        let nameless = ["sheet", "tabelle", "feuil", "hoja", "лист", "foglio", "arkusz", "blad"];
        match nameless.contains(&bare.as_str()) && !book.is_empty() {
            true => path::stem(book).to_owned(),
            false => sheet.to_owned(),
        }
    }
}
