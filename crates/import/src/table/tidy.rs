//! Tidy tables: one figure a row.
//!
//! `target`, `test`, `metric` and `value` must be there. `concurrency` (also `clients` or
//! `threads`) and `rate` are the level, `repeat` the repeat, `block` the block in which all targets
//! were measured once, `unit` and `note` belong to the figure. Every other column is a factor: each of its values makes a test of its own. Without a
//! column `repeat`, a metric that comes again for the same target, test and level is that of a
//! further repeat.
//!
//! Rows of the test `price` are amounts (unit: currency) whose names end in what is counted:
//! `instance_monthly`, `_hourly`, `_per_million_io`, `_per_million_requests`, `_per_gb_month`; after
//! them `requests_per_io` may follow. Rows of the test `label` are factors of a target; the metric `failure` says that the trial failed, with its note, or else its value, as
//! the reason.

use super::decimal::{DecimalMark, Evidence, Undecided, number};
use super::dialect::DELIMITERS;
use super::names::UNSAID;
use super::{TableOptions, not_negative};
use crate::price::REQUESTS_PER_IO;
use crate::{ImportedPrice, ImportedTrial, Label, Parsed, Problem, Source};
use crate::{as_printed, printed_number};
use csv::{ReaderBuilder, StringRecord};
use model::{
    Failure, FailureKind, Figure, FigureValue, Level, Outcome, Printed, Sampling, TrialEnd,
};
use std::borrow::Cow;
use std::collections::HashMap;

/// Columns without which nothing can be read.
const NEEDED: [&str; 4] = ["target", "test", "metric", "value"];
/// Names of the column of clients.
const CLIENTS: [&str; 3] = ["concurrency", "clients", "threads"];

pub(crate) fn recognises(text: &str) -> bool {
    delimiter(text).is_some()
}

/// What parts the cells: the sign by which the heading has the columns that are needed.
fn delimiter(text: &str) -> Option<u8> {
    let heading = without_hint(text).trim_start_matches('\n').lines().next().unwrap_or_default();
    DELIMITERS.into_iter().find(|sign| {
        let names: Vec<&str> = heading.split(char::from(*sign)).map(bare).collect();
        NEEDED.iter().all(|needed| names.contains(needed))
    })
}

pub(super) fn parse(source: Source<'_>, options: &TableOptions) -> Parsed {
    let mut reading = Reading {
        source,
        mark: DecimalMark::Point,
        parsed: Parsed::default(),
        open: Vec::new(),
        of_cell: HashMap::new(),
    };
    reading.read(options);
    reading.finish()
}

/// The text without Excel's hint at what parts the cells; lines keep their numbers.
fn without_hint(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    match text.strip_prefix("sep=") {
        Some(rest) => rest.find('\n').map_or("", |end| &rest[end..]),
        None => text,
    }
}

/// The decimal mark of the column of values, which commas between cells say themselves.
fn mark(
    mut reader: csv::Reader<&[u8]>,
    delimiter: u8,
    options: &TableOptions,
) -> Result<DecimalMark, String> {
    if let Some(mark) = options.decimal {
        return Ok(mark);
    }
    let headers = reader.headers().map_err(|error| error.to_string())?;
    let value = headers.iter().position(|name| bare(name) == "value");
    let Some(value) = value.filter(|_| delimiter != b',') else { return Ok(DecimalMark::Point) };
    let mut evidence = Evidence::default();
    for record in reader.records().flatten() {
        evidence.see(record.get(value).unwrap_or_default().trim());
    }
    match evidence.mark(&evidence.clone(), delimiter) {
        Ok(mark) => Ok(mark.unwrap_or(DecimalMark::Point)),
        Err(Undecided::Open(example)) => Err(format!(
            "the values can be read in two ways ({example}); say which with --decimal point or \
             --decimal comma"
        )),
        Err(Undecided::Contradiction(point, comma)) => Err(format!(
            "there are values with decimal points ({point}) and with decimal commas ({comma}); say which \
             is right with --decimal point or --decimal comma"
        )),
    }
}

/// A name in the heading without byte order mark, quotes and spaces.
fn bare(name: &str) -> &str {
    name.trim_start_matches('\u{feff}').trim().trim_matches('"').trim()
}

/// Where the columns are.
struct Columns {
    names: Vec<String>,
}

/// A row whose fields can be asked for by name.
struct Row<'a> {
    columns: &'a Columns,
    record: &'a StringRecord,
    line: u32,
}

impl Row<'_> {
    /// A field without the spaces around it; empty where there is none.
    fn field(&self, name: &str) -> &str {
        let place = self.columns.names.iter().position(|column| column == name);
        place.and_then(|place| self.record.get(place)).map_or("", str::trim)
    }

    /// The test's name with the factors that this row has a value of: `b4k, read_percent 90`.
    fn test(&self) -> String {
        let known = |name: &str| {
            NEEDED.contains(&name)
                || CLIENTS.contains(&name)
                || ["rate", "block", "repeat", "unit", "note"].contains(&name)
        };
        let mut test = self.field("test").to_owned();
        for name in self.columns.names.iter().filter(|name| !known(name)) {
            let value = self.field(name);
            if !value.is_empty() {
                test.push_str(&format!(", {name} {value}"));
            }
        }
        test
    }

    fn level(&self) -> Result<Level, String> {
        let whole = |name: &str| match self.field(name) {
            "" => Ok(None),
            text => match text.parse::<u32>() {
                Ok(number) if number > 0 => Ok(Some(number)),
                _ => Err(format!("{name} is «{text}», which is not a whole number from 1")),
            },
        };
        let mut clients = None;
        for name in CLIENTS {
            clients = clients.or(whole(name)?);
        }
        Ok(Level { rate: whole("rate")?, ..Level::clients(clients.unwrap_or(0)) })
    }
}

/// A trial that further rows may add to.
struct OpenTrial {
    target: String,
    test: String,
    level: Level,
    /// As the file numbers it, where it does.
    repeat: Option<u32>,
    /// Where that is the number of a block.
    block: Option<u32>,
    figures: Vec<Figure>,
    failure: Option<String>,
}

/// Target, test, level, block and repeat.
type Place = (String, String, Level, Option<u32>, Option<u32>);

/// The trials of a cell that have one number of block and repeat, or none.
#[derive(Default)]
struct Repeats {
    /// Their places in [`Reading::open`].
    places: Vec<usize>,
    /// How many of them have a metric: the first ones.
    having: HashMap<String, usize>,
}

struct Reading<'a> {
    source: Source<'a>,
    /// The decimal mark of the values.
    mark: DecimalMark,
    parsed: Parsed,
    open: Vec<OpenTrial>,
    of_cell: HashMap<Place, Repeats>,
}

impl Reading<'_> {
    fn read(&mut self, options: &TableOptions) {
        let text = without_hint(self.source.text);
        let delimiter = delimiter(self.source.text).unwrap_or(b',');
        let reader = || {
            ReaderBuilder::new().flexible(true).delimiter(delimiter).from_reader(text.as_bytes())
        };
        match mark(reader(), delimiter, options) {
            Ok(mark) => self.mark = mark,
            Err(message) => return self.problem(1, message),
        }
        let mut reader = reader();
        let columns = match reader.headers() {
            Ok(heading) => {
                Columns { names: heading.iter().map(|name| bare(name).into()).collect() }
            }
            Err(error) => return self.problem(1, error.to_string()),
        };
        for needed in NEEDED {
            if !columns.names.iter().any(|name| name == needed) {
                return self.problem(1, format!("the heading has no column `{needed}`"));
            }
        }
        let source = self.source;
        for (_, record) in (1..).zip(reader.records()).take_while(|(at, _)| source.lasts(*at)) {
            match record {
                Ok(record) => {
                    let line = record.position().map_or(0, csv::Position::line);
                    let line = u32::try_from(line).unwrap_or(u32::MAX);
                    if let Err(message) =
                        self.row(&Row { columns: &columns, record: &record, line })
                    {
                        self.problem(line, message);
                    }
                }
                Err(error) => {
                    let line = error.position().map_or(0, csv::Position::line);
                    self.problem(u32::try_from(line).unwrap_or(u32::MAX), error.to_string());
                }
            }
        }
    }

    /// A value with a decimal point; what is no number stays as it is.
    fn in_points<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.mark {
            DecimalMark::Comma if number(text, self.mark).is_some() => {
                Cow::Owned(text.replace('.', "").replace(',', "."))
            }
            _ => Cow::Borrowed(text),
        }
    }

    fn problem(&mut self, line: u32, message: String) {
        let file = self.source.file.to_owned();
        self.parsed.problems.push(Problem { file, line, message });
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), String> {
        if row.record.len() != row.columns.names.len() {
            let (has, wants) = (row.record.len(), row.columns.names.len());
            return Err(format!("the row has {has} fields, the heading {wants}"));
        }
        for needed in ["target", "test", "metric"] {
            if row.field(needed).is_empty() {
                return Err(format!("the row has no {needed}"));
            }
        }
        match row.field("test") {
            "price" => self.price(row),
            "label" => {
                self.parsed.labels.push(Label {
                    target: row.field("target").to_owned(),
                    name: row.field("metric").to_owned(),
                    value: row.field("value").to_owned(),
                });
                Ok(())
            }
            _ => self.figure(row),
        }
    }

    fn price(&mut self, row: &Row<'_>) -> Result<(), String> {
        let text = row.field("value");
        let amount = printed_number(&self.in_points(text)).filter(|number| number.value >= 0.0);
        let amount = amount.ok_or_else(|| format!("the price «{text}» is not an amount"))?;
        if row.field("unit").is_empty() && row.field("metric") != REQUESTS_PER_IO {
            return Err("the price has no currency in the column unit".to_owned());
        }
        self.parsed.prices.push(ImportedPrice {
            target: row.field("target").to_owned(),
            item: row.field("metric").to_owned(),
            amount: amount.value,
            currency: row.field("unit").to_owned(),
            note: row.field("note").to_owned(),
            file: self.source.file.to_owned(),
            line: row.line,
        });
        Ok(())
    }

    fn figure(&mut self, row: &Row<'_>) -> Result<(), String> {
        let level = row.level()?;
        let number = |name: &str| match row.field(name) {
            "" => Ok(None),
            text => match text.parse::<u32>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(format!("{name} is «{text}», which is not a number")),
            },
        };
        let (block, repeat) = (number("block")?, number("repeat")?);
        let (metric, text) = (row.field("metric"), row.field("value"));
        let value = match as_printed(&self.in_points(text)) {
            FigureValue::Text(text) if text.is_empty() && metric != "failure" => {
                return Err(format!("{metric} has no value"));
            }
            value => value,
        };
        not_negative(metric, metric, text, &value)?;
        let trial = self.trial(row, level, block, repeat);
        if trial.figures.iter().any(|figure| figure.metric == metric) {
            return Err(format!("{metric} comes twice in one repeat"));
        }
        if metric == "failure" {
            let said = [row.field("note"), text].into_iter().find(|said| !said.is_empty());
            trial.failure = Some(said.unwrap_or("the source names no reason").to_owned());
        } else {
            let (unit, note) = match (row.field("unit"), row.field("note")) {
                // As in tables with a column for each figure.
                ("", "") if metric.starts_with("latency_") => ("ms", UNSAID),
                written => written,
            };
            trial.figures.push(Figure {
                metric: metric.to_owned(),
                value,
                unit: unit.to_owned(),
                printed: Some(Printed { line: row.line, note: note.to_owned() }),
            });
        }
        Ok(())
    }

    /// The trial that a row belongs to: the one of its repeat, or else the first that lacks the
    /// row's metric.
    fn trial(
        &mut self,
        row: &Row<'_>,
        level: Level,
        block: Option<u32>,
        repeat: Option<u32>,
    ) -> &mut OpenTrial {
        let numbered = block.is_some() || repeat.is_some();
        let (target, test, metric) = (row.field("target"), row.test(), row.field("metric"));
        let key = (target.to_owned(), test.clone(), level, block, repeat);
        let repeats = self.of_cell.entry(key).or_default();
        let nth = if numbered {
            0
        } else {
            let having = repeats.having.entry(metric.to_owned()).or_default();
            *having += 1;
            *having - 1
        };
        let place = repeats.places.get(nth).copied().unwrap_or_else(|| {
            let (figures, failure) = (Vec::new(), None);
            let target = target.to_owned();
            self.open.push(OpenTrial { target, test, level, repeat, block, figures, failure });
            repeats.places.push(self.open.len() - 1);
            self.open.len() - 1
        });
        &mut self.open[place]
    }

    fn finish(mut self) -> Parsed {
        // Stable: repeats that the file does not number keep its order.
        self.open.sort_by_key(|trial| (trial.block, trial.repeat));
        let file = self.source.file;
        let trials = self.open.into_iter().map(|trial| ImportedTrial {
            file: file.to_owned(),
            target: trial.target,
            test: trial.test,
            tool: "",
            part: String::new(),
            said: Vec::new(),
            load: Vec::new(),
            repeat: String::new(),
            block: trial.block,
            level: trial.level,
            started_at: None,
            finished_at: None,
            end: match trial.failure {
                Some(reason) => TrialEnd::Failed(Failure::new(FailureKind::Other, reason, "")),
                None => TrialEnd::Completed(Box::new(Outcome::printed(file, "", trial.figures))),
            },
            sampling: Sampling::default(),
        });
        self.parsed.trials = trials.collect();
        self.parsed
    }
}
