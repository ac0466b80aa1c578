//! The data that a workload of the user's own runs on.

use crate::keys::key::Number;
use crate::keys::own_data::{
    ColumnKey, ColumnTable, GivesKey, InvariantTable, NullsKey, RowsKey, SourceKey, SourceTable,
};
use crate::keys::statement::Texts;
use crate::keys::value::{TakenNames, name, whole};
use crate::keys::{Maybe, TransactionsKeys};
use crate::problem::{Place, Problems};
use crate::read::data_file::{self, BUILT_IN};
use model::bounds::{
    MAX_COLUMNS, MAX_DATA_FILE, MAX_DATA_FILES, MAX_INVARIANTS, MAX_ROWS, MAX_SETUP,
};
use model::{
    ColumnValues, DataFile, DataSource, GeneratedColumn, Invariant, Nulls, OwnData, Popularity,
    Restore, RowGenerator, SetValue,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use toml::Spanned;
use workload::Stream;
use workload::data::RowMaker;
use workload::program::{Initial, Value};
use workload::script::{PARTITIONS, RowFormula, variables_of};

/// What a column takes.
const VALUES: &str = "write \"sequence\", or a table with one of sequence, integer, decimal, of, date, \
                      datetime, weighted, text, pattern and expression, such as { integer = [1, 100] }";

pub(super) fn data(
    keys: &TransactionsKeys,
    set: &BTreeMap<String, SetValue>,
    problems: &mut Problems,
) -> OwnData {
    let setup = scripts(&keys.setup, set, problems);
    let sources = keys.load.as_deref().unwrap_or_default();
    if let Some(beyond) = sources.get(MAX_DATA_FILES) {
        problems.add(beyond.span(), format!("`load` has more than {MAX_DATA_FILES} parts"));
    }
    let load = sources.iter().filter_map(|one| source(one, set, problems)).collect();
    let data = OwnData {
        setup,
        load,
        restore: keys.restore.value("restore", problems).unwrap_or_default(),
        undo: scripts(&keys.undo, set, problems),
        invariants: invariants(keys.invariant.as_deref().unwrap_or_default(), problems),
    };
    check_references(sources, &data, problems);
    check_undo(keys, &data, problems);
    data
}

/// The variables that the making of the data reads: in expressions, and in files of weighin's own, which come
/// in sizes.
pub(super) fn variables(keys: &TransactionsKeys) -> BTreeSet<String> {
    let mut texts: Vec<&str> = Vec::new();
    let mut sizes = false;
    for source in keys.load.iter().flatten() {
        match source.get_ref() {
            SourceKey::Script(name) => sizes |= name.starts_with(BUILT_IN),
            SourceKey::Table(table) => texts.extend(expressions(table)),
        }
    }
    let setup = keys.setup.iter().flat_map(|texts| texts.get_ref().all());
    sizes |= setup.into_iter().any(|name| name.starts_with(BUILT_IN));
    let of_files = sizes.then_some(["scale", PARTITIONS]).into_iter().flatten();
    let read = texts.into_iter().flat_map(variables_of);
    read.chain(of_files.map(str::to_owned)).collect()
}

/// The expressions of a table that is made up.
fn expressions(table: &SourceTable) -> Vec<&str> {
    let rows = table.rows.iter().filter_map(|rows| match rows {
        RowsKey::Expression(text) => Some(text.as_str()),
        RowsKey::Number(_) => None,
    });
    let columns = table.columns.iter().flatten().filter_map(|(_, column)| match column {
        ColumnKey::Table(table) => Some(table.as_ref()),
        ColumnKey::Word(_) => None,
    });
    rows.chain(columns.flat_map(expressions_of_column).flatten()).collect()
}

fn expressions_of_column(column: &ColumnTable) -> [Option<&str>; 2] {
    let nulls = match &column.nulls {
        Some(NullsKey::Where(condition)) => Some(condition.as_str()),
        Some(NullsKey::Percent(_)) | None => None,
    };
    [column.expression.as_deref(), nulls]
}

/// The scripts that a key names.
fn scripts(
    written: &Maybe<Texts>,
    set: &BTreeMap<String, SetValue>,
    problems: &mut Problems,
) -> Vec<DataFile> {
    let Some(written) = written else { return Vec::new() };
    let read = |name: &str| data_file::read(name, set, written.span(), MAX_SETUP, problems);
    written.get_ref().all().into_iter().filter_map(read).collect()
}

/// Notes scripts that would undo nothing.
fn check_undo(keys: &TransactionsKeys, data: &OwnData, problems: &mut Problems) {
    let Some(undo) = &keys.undo else { return };
    if !data.is_as_found() {
        problems
            .add(undo.span(), "`undo` is for data that is there, and weighin makes this anew")
            .help("leave it out: `restore` says when the data is made anew");
    } else if data.restore == Restore::None {
        problems
            .add(undo.span(), "`undo` stands beside restore = \"none\", which undoes nothing")
            .help("leave out either");
    }
}

fn source(
    written: &Spanned<SourceKey>,
    set: &BTreeMap<String, SetValue>,
    problems: &mut Problems,
) -> Option<DataSource> {
    let at = written.span();
    let file = |name: &str, problems: &mut Problems| -> Option<DataFile> {
        data_file::read(name, set, at.clone(), MAX_DATA_FILE, problems)
    };
    let table = match written.get_ref() {
        SourceKey::Script(name) => return file(name, problems).map(DataSource::Script),
        SourceKey::Table(table) => table,
    };
    let named = name(&table.table, at.clone(), "table", problems)?;
    let rows = match &table.rows {
        None => None,
        Some(rows) => Some(count(rows, &named, set, &at, problems)?),
    };
    match (&table.file, rows) {
        (Some(name), None) if table.columns.is_none() => {
            Some(DataSource::Csv { table: named, file: file(name, problems)? })
        }
        (None, Some(rows)) => {
            let columns = columns(table, at.clone(), problems)?;
            let set = if columns.iter().any(computes) { set.clone() } else { BTreeMap::new() };
            let rows = RowGenerator { table: named, rows, columns, set };
            // What its rows refer to matters to no expression.
            if let Err(error) = RowMaker::new(&rows, 0, &[]) {
                let message = "an expression of a column cannot be computed";
                problems.add(at, message).inside(error.to_string());
                return None;
            }
            Some(DataSource::Rows(rows))
        }
        _ => {
            problems
                .add(at, format!("the table {named} has a `file`, or `rows` with `columns`"))
                .help("write { table = \"customers\", file = \"customers.csv\" }");
            None
        }
    }
}

/// How many rows there are to be, as a number or computed from variables.
fn count(
    rows: &RowsKey,
    table: &str,
    set: &BTreeMap<String, SetValue>,
    at: &Place,
    problems: &mut Problems,
) -> Option<u32> {
    let text = match rows {
        RowsKey::Number(rows) => return number("rows", Some(*rows), 1..=MAX_ROWS, at, problems),
        RowsKey::Expression(text) => text,
    };
    let set = set.iter().map(|(name, value)| (name.clone(), Initial::from(value))).collect();
    let origin = format!("rows of {table}");
    let read = RowFormula::new(&origin, text, &set, 0).map_err(|error| error.to_string());
    let value = read.and_then(|mut formula| {
        let value = formula.value(0, Stream::new(0, &origin, 0));
        value.map_err(|error| format!("{origin}: {error}"))
    });
    match value {
        Ok(Value::Integer(rows)) if (1..=i64::from(MAX_ROWS)).contains(&rows) => Some(rows as u32),
        Ok(value) => {
            let given = match value {
                Value::Integer(rows) => rows.to_string(),
                _ => "no whole number".to_owned(),
            };
            problems
                .add(at.clone(), format!("`rows` of {table} comes to {given}"))
                .help(format!("a table is given 1 to {MAX_ROWS} rows; see the variables in `set`"));
            None
        }
        Err(error) => {
            let message = format!("`rows` of {table} cannot be computed");
            problems.add(at.clone(), message).inside(error);
            None
        }
    }
}

fn computes(column: &GeneratedColumn) -> bool {
    let values =
        matches!(column.values, ColumnValues::Expression(_) | ColumnValues::Spelled { .. });
    values || matches!(column.nulls, Nulls::Where(_))
}

fn columns(
    table: &SourceTable,
    at: Place,
    problems: &mut Problems,
) -> Option<Vec<GeneratedColumn>> {
    let none = BTreeMap::new();
    let written = table.columns.as_ref().unwrap_or(&none);
    if written.is_empty() || written.len() > MAX_COLUMNS {
        let message = format!("the rows of {} have 1 to {MAX_COLUMNS} columns", table.table);
        problems.add(at.clone(), message).help("add columns = { id = \"sequence\" }");
        return None;
    }
    let columns: Vec<Option<GeneratedColumn>> =
        written.iter().map(|(name, key)| column(name, key, &at, problems)).collect();
    columns.into_iter().collect()
}

fn column(
    name: &str,
    written: &ColumnKey,
    at: &Place,
    problems: &mut Problems,
) -> Option<GeneratedColumn> {
    let of_word;
    let table = match written {
        ColumnKey::Word(word) if word == "sequence" => {
            of_word = ColumnTable { sequence: Some(1), ..ColumnTable::default() };
            &of_word
        }
        ColumnKey::Word(_) => {
            problems.add(at.clone(), format!("unknown values of the column {name}")).help(VALUES);
            return None;
        }
        ColumnKey::Table(table) => table,
    };
    let nulls = match &table.nulls {
        Some(NullsKey::Where(condition)) => Nulls::Where(condition.clone()),
        Some(NullsKey::Percent(percent)) => {
            let percent = number("nulls", Some(*percent), 0..=100, at, problems);
            percent.map_or(Nulls::NONE, Nulls::Percent)
        }
        None => Nulls::NONE,
    };
    let digits = number("digits", table.digits, 0..=9, at, problems).unwrap_or(2);
    let popularity = popularity(table).or_else(|| {
        let message = "`distribution` is uniform, zipfian with `s` from 0.01 to 10, pareto with `h` \
                       between 0 and 1, or gaussian";
        problems.add(at.clone(), message);
        None
    })?;
    let found = values(table, digits, popularity);
    if table.words.is_some() && table.expression.is_none() {
        problems.add(at.clone(), "`words` are for `expression`");
    }
    if table.distribution.is_some() && table.integer.is_none() && table.of.is_none() {
        problems.add(at.clone(), "`distribution` is for `integer` and `of`");
    }
    match found {
        Ok(values) => Some(GeneratedColumn { name: name.to_owned(), values, nulls }),
        Err(why) => {
            problems
                .add(at.clone(), format!("the values of the column {name}: {why}"))
                .help(VALUES);
            None
        }
    }
}

/// A whole number that stands in a table, which has no place of its own.
fn number<N: Number + Copy>(
    key: &str,
    written: Option<i64>,
    range: RangeInclusive<N>,
    at: &Place,
    problems: &mut Problems,
) -> Option<N> {
    let written = Some(Spanned::new(at.clone(), written?));
    Some(whole(key, &written, *range.start(), range, problems))
}

/// What a table says of values, of which it must say one thing.
fn values(
    table: &ColumnTable,
    digits: u8,
    popularity: Popularity,
) -> Result<ColumnValues, &'static str> {
    const BACKWARDS: &str = "the second number is below the first";
    let mut all: Vec<Result<ColumnValues, &'static str>> = Vec::new();
    let mut add = |values: Option<Result<ColumnValues, &'static str>>| all.extend(values);
    add(table.sequence.map(|first| match first.checked_add(u32::MAX.into()) {
        Some(_) => Ok(ColumnValues::Sequence { first }),
        None => Err("the first number of the sequence is too large"),
    }));
    add(table.integer.map(|[low, high]| match (low <= high, popularity) {
        (false, _) => Err(BACKWARDS),
        (true, Popularity::Uniform) => Ok(ColumnValues::Integer { low, high, popularity }),
        (true, _) if u32::try_from(low.abs_diff(high)).is_err() => {
            Err("a distribution other than uniform takes a span of 4,294,967,295 at most")
        }
        (true, _) => Ok(ColumnValues::Integer { low, high, popularity }),
    }));
    add(table.decimal.map(|ends| {
        let scale = 10_f64.powi(digits.into());
        // Above that a number of 64 bits does not have its last digit.
        let [low, high] = ends.map(|end| (end * scale).round());
        let fits = [low, high].iter().all(|end| end.abs() < 9e15);
        match fits && low <= high {
            true => Ok(ColumnValues::Decimal { low: low as i64, high: high as i64, digits }),
            false => {
                Err("`decimal` takes two numbers, the second not below the first, of 15 digits")
            }
        }
    }));
    add(table.of.as_ref().map(|of| match of.split_once('.') {
        Some((table, column)) if !table.is_empty() && !column.is_empty() => {
            Ok(ColumnValues::Of { table: table.into(), column: column.into(), popularity })
        }
        _ => Err("`of` names a column of a table, such as customers.id"),
    }));
    let days = |ends: &[String; 2]| Some((day(&ends[0])?, day(&ends[1])?));
    const DAYS: &str = "days are written as 2024-01-01, the first not after the second";
    let ordered = |ends| days(ends).filter(|(low, high)| low <= high).ok_or(DAYS);
    add(table
        .date
        .as_ref()
        .map(|ends| ordered(ends).map(|(low, high)| ColumnValues::Date { low, high })));
    add(table.datetime.as_ref().map(|ends| {
        let moments = |(low, high)| (low * 86_400, (high + 1) * 86_400 - 1);
        ordered(ends).map(moments).map(|(low, high)| ColumnValues::Moment { low, high })
    }));
    add(table.weighted.as_ref().map(|weighted| {
        let fits = weighted.values().all(|weight| weight.is_finite() && *weight >= 0.0);
        match fits && weighted.values().sum::<f64>() > 0.0 {
            true => Ok(ColumnValues::Weighted(weighted.clone().into_iter().collect())),
            false => Err("weights are numbers from 0, and not all of them 0"),
        }
    }));
    add(table.text.map(|[shortest, longest]| match shortest <= longest && longest <= 65_535 {
        true => Ok(ColumnValues::Text { shortest, longest }),
        false => Err("`text` takes two lengths up to 65535, the second not below the first"),
    }));
    add(table.expression.as_ref().map(|expression| match table.words.clone() {
        None => Ok(ColumnValues::Expression(expression.clone())),
        Some(words) => Ok(ColumnValues::Spelled {
            expression: expression.clone(),
            digits,
            words: words.into(),
        }),
    }));
    add(table.pattern.as_ref().map(|pattern| Ok(ColumnValues::Pattern(pattern.clone()))));
    match <[_; 1]>::try_from(all) {
        Ok([one]) => one,
        Err(_) => Err("there must be one thing that they are"),
    }
}

fn popularity(table: &ColumnTable) -> Option<Popularity> {
    match (table.distribution.as_deref(), table.s, table.h) {
        (None | Some("uniform"), None, None) => Some(Popularity::Uniform),
        (Some("gaussian"), None, None) => Some(Popularity::Gaussian),
        (Some("zipfian"), s, None) => {
            let s = s.unwrap_or(0.8);
            (0.01..=10.0).contains(&s).then_some(Popularity::Zipfian { s })
        }
        (Some("pareto"), None, h) => {
            let h = h.unwrap_or(0.2);
            (h > 0.0 && h < 1.0).then_some(Popularity::Pareto { h })
        }
        _ => None,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn day(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !((1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=length).contains(&day)) {
        return None;
    }
    // Years that begin in March end with the leap day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468)
}

/// A column can refer only to what is there before it.
fn check_references(sources: &[Spanned<SourceKey>], data: &OwnData, problems: &mut Problems) {
    if sources.len() != data.load.len() {
        return;
    }
    let tables = |source: &DataSource| match source {
        DataSource::Rows(rows) => Some(rows.table.clone()),
        DataSource::Csv { table, .. } => Some(table.clone()),
        DataSource::Script(_) => None,
    };
    for (index, (source, written)) in data.load.iter().zip(sources).enumerate() {
        let DataSource::Rows(rows) = source else { continue };
        for column in &rows.columns {
            let ColumnValues::Of { table, .. } = &column.values else { continue };
            let later = data.load[index + 1..].iter().filter_map(tables).any(|one| one == *table);
            let earlier = data.load[..index].iter().filter_map(tables).any(|one| one == *table);
            if later && !earlier {
                problems
                    .add(
                        written.span(),
                        format!(
                            "{}.{} is of {table}, which is filled later",
                            rows.table, column.name
                        ),
                    )
                    .help(format!("put {table} before {} in `load`", rows.table));
            }
        }
    }
}

fn invariants(tables: &[Spanned<InvariantTable>], problems: &mut Problems) -> Vec<Invariant> {
    let mut names = TakenNames::new("invariant");
    if let Some(beyond) = tables.get(MAX_INVARIANTS) {
        problems.add(beyond.span(), format!("a test has {MAX_INVARIANTS} invariants at most"));
    }
    let read = |(index, table): (usize, &Spanned<InvariantTable>)| {
        let InvariantTable { name: named, sql, gives } = table.get_ref();
        let named = match named {
            Some(written) => {
                names.take(Some((written.get_ref(), written.span())), problems);
                name(written.get_ref(), written.span(), "invariant", problems)?
            }
            None => format!("invariant {}", index + 1),
        };
        let sql = sql.as_ref().map(|sql| sql.get_ref().trim()).filter(|sql| !sql.is_empty());
        let (Some(sql), Some(gives)) = (sql, gives) else {
            let help =
                "write { sql = \"SELECT COUNT(*) FROM stock WHERE quantity < 0\", gives = 0 }";
            problems.missing(table.span(), "an invariant has `sql` and `gives`", help);
            return None;
        };
        let gives = match gives.get_ref() {
            GivesKey::Number(number) => number.to_string(),
            GivesKey::Text(text) => text.clone(),
        };
        Some(Invariant { name: named, sql: sql.to_owned(), gives })
    };
    tables.iter().enumerate().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_by_the_calendar() {
        assert_eq!(day("1970-01-01"), Some(0));
        assert_eq!(day("2024-02-29"), Some(19_782));
        assert_eq!(day("2024-03-01"), Some(19_783));
        for wrong in ["2023-02-29", "2024-13-01", "2024-1", "yesterday", "2024-01-01x"] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }
}
