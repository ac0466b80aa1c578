//! Rows that are made up: the same seed, table and number give the same row, whoever makes it.

use crate::program::{EvaluationError, Initial, Value, is_true};
use crate::script::{RowFormula, ScriptError};
use crate::{Keys, Stream};
use model::{
    ColumnValues, GeneratedColumn, KeyDistribution, KeyParameters, Nulls, Popularity, RowGenerator,
};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell<'a> {
    Null,
    /// Digits, a sign, a point.
    Number(&'a [u8]),
    Text(&'a [u8]),
}

/// Values that a column refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum References {
    /// The numbers of rows that a generator makes.
    Numbers { first: i64, count: u32 },
    /// What the server has in that column, in its order.
    Listed(Arc<Vec<Box<[u8]>>>),
}

impl References {
    fn count(&self) -> u32 {
        match self {
            Self::Numbers { count, .. } => *count,
            Self::Listed(values) => u32::try_from(values.len()).unwrap_or(u32::MAX),
        }
    }
}

/// Makes rows of one table.
#[derive(Clone, Debug)]
pub struct RowMaker {
    seed: u64,
    columns: Vec<Column>,
    /// The value being made.
    value: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Column {
    /// Names its random streams.
    purpose: String,
    nulls: NullRows,
    values: Values,
}

#[derive(Clone, Debug)]
enum NullRows {
    Percent(u8),
    Where(Box<RowFormula>),
}

#[derive(Clone, Debug)]
enum Values {
    Sequence {
        first: i64,
    },
    Integer {
        low: i64,
        keys: Draw,
    },
    Decimal {
        low: i64,
        span: u64,
        digits: u8,
    },
    Of {
        references: References,
        keys: Draw,
    },
    Date {
        low: i64,
        span: u64,
    },
    Moment {
        low: i64,
        span: u64,
    },
    /// With the sum of the weights up to each.
    Weighted(Vec<(f64, String)>),
    Text {
        shortest: u32,
        longest: u32,
    },
    Pattern(Vec<String>),
    Expression(Box<RowFormula>),
    Spelled {
        formula: Box<RowFormula>,
        digits: u8,
        words: Vec<String>,
    },
}

/// Why a row cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the {column} has no value: {reason}")]
pub struct RowError {
    column: String,
    reason: EvaluationError,
}

/// Draws from 0 up to a span, the span included.
#[derive(Clone, Debug)]
enum Draw {
    Evenly(u64),
    Popular(Box<Keys>),
}

impl Draw {
    fn new(span: u64, popularity: Popularity) -> Self {
        let (distribution, parameters) = match popularity {
            Popularity::Uniform => return Self::Evenly(span),
            Popularity::Zipfian { s } => (
                KeyDistribution::Zipfian,
                KeyParameters { zipfian_exponent: s, ..KeyParameters::default() },
            ),
            Popularity::Pareto { h } => {
                (KeyDistribution::Pareto, KeyParameters { pareto_h: h, ..KeyParameters::default() })
            }
            Popularity::Gaussian => (KeyDistribution::Gaussian, KeyParameters::default()),
        };
        let high = u32::try_from(span).unwrap_or(u32::MAX);
        Self::Popular(Box::new(Keys::new(distribution, &parameters, 0, high)))
    }

    fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Self::Evenly(span) => evenly(stream, *span),
            Self::Popular(keys) => keys.draw(stream).into(),
        }
    }
}

/// From 0 to `span`, both included.
fn evenly(stream: &mut Stream, span: u64) -> u64 {
    match span.checked_add(1) {
        Some(bound) => stream.below(bound),
        None => stream.bits(),
    }
}

impl RowMaker {
    /// `references` are those of the columns that refer to others, in order.
    ///
    /// # Errors
    /// Where an expression of a column is none.
    pub fn new(
        generator: &RowGenerator,
        seed: u64,
        references: &[References],
    ) -> Result<Self, ScriptError> {
        let mut references = references.iter();
        let set = generator.set.iter().map(|(name, value)| (name.clone(), Initial::from(value)));
        let set: BTreeMap<String, Initial> = set.collect();
        let columns = generator.columns.iter().map(|column| {
            let origin = format!("{}.{}", generator.table, column.name);
            let formula = |text: &str| RowFormula::new(&origin, text, &set, seed).map(Box::new);
            Ok(Column {
                purpose: format!("row of {origin}"),
                nulls: match &column.nulls {
                    Nulls::Percent(percent) => NullRows::Percent(*percent),
                    Nulls::Where(condition) => NullRows::Where(formula(condition)?),
                },
                values: values(column, &mut references, formula)?,
            })
        });
        Ok(Self { seed, columns: columns.collect::<Result<_, _>>()?, value: Vec::new() })
    }

    /// Makes a row; the first is number 0. `cell` gets its values in the order of the columns.
    ///
    /// # Errors
    /// Where an expression has no value.
    pub fn row(&mut self, number: u32, cell: &mut dyn FnMut(Cell<'_>)) -> Result<(), RowError> {
        for column in &mut self.columns {
            let mut stream = Stream::new(self.seed, &column.purpose, number.into());
            self.value.clear();
            match column.write(number, &mut stream, &mut self.value) {
                Ok(value) => cell(value),
                Err(reason) => return Err(RowError { column: column.purpose.clone(), reason }),
            }
        }
        Ok(())
    }
}

impl Column {
    fn write<'a>(
        &'a mut self,
        number: u32,
        stream: &mut Stream,
        out: &'a mut Vec<u8>,
    ) -> Result<Cell<'a>, EvaluationError> {
        let is_null = match &mut self.nulls {
            NullRows::Percent(0) => false,
            NullRows::Percent(percent) => stream.below(100) < u64::from(*percent),
            NullRows::Where(condition) => is_true(condition.value(number.into(), stream.clone())?),
        };
        if is_null {
            return Ok(Cell::Null);
        }
        self.values.write(number, stream, out)
    }
}

fn values<'a>(
    column: &GeneratedColumn,
    references: &mut impl Iterator<Item = &'a References>,
    formula: impl Fn(&str) -> Result<Box<RowFormula>, ScriptError>,
) -> Result<Values, ScriptError> {
    Ok(match &column.values {
        ColumnValues::Sequence { first } => Values::Sequence { first: *first },
        ColumnValues::Integer { low, high, popularity } => {
            Values::Integer { low: *low, keys: Draw::new(span(*low, *high), *popularity) }
        }
        ColumnValues::Decimal { low, high, digits } => {
            Values::Decimal { low: *low, span: span(*low, *high), digits: *digits }
        }
        ColumnValues::Of { popularity, .. } => {
            let none = References::Listed(Arc::default());
            let references = references.next().cloned().unwrap_or(none);
            let last = references.count().saturating_sub(1);
            Values::Of { keys: Draw::new(last.into(), *popularity), references }
        }
        ColumnValues::Date { low, high } => Values::Date { low: *low, span: span(*low, *high) },
        ColumnValues::Moment { low, high } => Values::Moment { low: *low, span: span(*low, *high) },
        ColumnValues::Weighted(weighted) => {
            let mut sum = 0.0;
            Values::Weighted(
                weighted
                    .iter()
                    .map(|(text, weight)| {
                        sum += weight;
                        (sum, text.clone())
                    })
                    .collect(),
            )
        }
        ColumnValues::Text { shortest, longest } => {
            Values::Text { shortest: *shortest, longest: *longest }
        }
        ColumnValues::Pattern(pattern) => {
            Values::Pattern(pattern.split("{row}").map(str::to_owned).collect())
        }
        ColumnValues::Expression(text) => Values::Expression(formula(text)?),
        ColumnValues::Spelled { expression, digits, words } => {
            Values::Spelled { formula: formula(expression)?, digits: *digits, words: words.clone() }
        }
    })
}

fn span(low: i64, high: i64) -> u64 {
    high.max(low).abs_diff(low)
}

impl Values {
    fn write<'a>(
        &'a mut self,
        number: u32,
        stream: &mut Stream,
        out: &'a mut Vec<u8>,
    ) -> Result<Cell<'a>, EvaluationError> {
        Ok(match self {
            Self::Sequence { first } => {
                let _ = write!(out, "{}", *first + i64::from(number));
                Cell::Number(out)
            }
            Self::Integer { low, keys } => {
                let _ = write!(out, "{}", low.wrapping_add_unsigned(keys.draw(stream)));
                Cell::Number(out)
            }
            Self::Decimal { low, span, digits } => {
                decimal(low.wrapping_add_unsigned(evenly(stream, *span)), *digits, out);
                Cell::Number(out)
            }
            Self::Of { references, keys } => match references {
                References::Numbers { first, .. } => {
                    let _ = write!(out, "{}", first.wrapping_add_unsigned(keys.draw(stream)));
                    Cell::Number(out)
                }
                References::Listed(values) => {
                    let at = keys.draw(stream) as usize;
                    values.get(at).map_or(Cell::Null, |value| Cell::Text(value))
                }
            },
            Self::Date { low, span } => {
                date(*low + evenly(stream, *span) as i64, out);
                Cell::Text(out)
            }
            Self::Moment { low, span } => {
                let moment = *low + evenly(stream, *span) as i64;
                date(moment.div_euclid(86_400), out);
                let second = moment.rem_euclid(86_400);
                let (hour, minute) = (second / 3_600, second / 60 % 60);
                let _ = write!(out, " {hour:02}:{minute:02}:{:02}", second % 60);
                Cell::Text(out)
            }
            Self::Weighted(weighted) => {
                let of = weighted.last().map_or(0.0, |(sum, _)| *sum);
                let drawn = stream.unit() * of;
                let found = weighted.iter().find(|(sum, _)| drawn < *sum).or(weighted.last());
                Cell::Text(found.map_or(b"", |(_, text)| text.as_bytes()))
            }
            Self::Text { shortest, longest } => {
                words(stream, *shortest, *longest, out);
                Cell::Text(out)
            }
            Self::Pattern(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        let _ = write!(out, "{}", u64::from(number) + 1);
                    }
                    out.extend_from_slice(part.as_bytes());
                }
                Cell::Text(out)
            }
            Self::Expression(formula) => match formula.value(number.into(), stream.clone())? {
                Value::Null => Cell::Null,
                value => {
                    formula.append(value, out);
                    match value {
                        Value::Integer(_) | Value::Double(_) => Cell::Number(out),
                        _ => Cell::Text(out),
                    }
                }
            },
            Self::Spelled { formula, digits, words } => {
                let Value::Integer(number) = formula.value(number.into(), stream.clone())? else {
                    return Ok(Cell::Null);
                };
                for place in (0..u32::from(*digits)).rev() {
                    let digit = number.unsigned_abs() / 10_u64.pow(place) % 10;
                    let word = words.get(digit as usize);
                    out.extend_from_slice(word.map_or(b"", |word| word.as_bytes()));
                }
                Cell::Text(out)
            }
        })
    }
}

fn decimal(units: i64, digits: u8, out: &mut Vec<u8>) {
    let scale = 10_u64.pow(digits.into());
    let (whole, rest) = (units.unsigned_abs() / scale, units.unsigned_abs() % scale);
    let sign = if units < 0 { "-" } else { "" };
    let _ = match digits {
        0 => write!(out, "{sign}{whole}"),
        digits => write!(out, "{sign}{whole}.{rest:0width$}", width = digits.into()),
    };
}

/// The day that is so many days after 1970-01-01, in the Gregorian calendar: years begin in March, so
/// that the leap day is their last.
fn date(days: i64, out: &mut Vec<u8>) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
}

/// Words of 2 to 9 letters, so many characters with the spaces between them.
fn words(stream: &mut Stream, shortest: u32, longest: u32, out: &mut Vec<u8>) {
    let length = stream.between(shortest, longest.max(shortest)) as usize;
    let mut left = 0;
    while out.len() < length {
        if left == 0 && !out.is_empty() && out.len() + 1 < length {
            out.push(b' ');
        }
        if left == 0 {
            left = stream.between(2, 9);
        }
        // Thirteen letters of 26 out of one draw would save time, and nobody waits for that.
        out.push(b'a' + stream.below(26) as u8);
        left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::SetValue;

    fn set() -> BTreeMap<String, SetValue> {
        BTreeMap::from([("customers".to_owned(), SetValue::Integer(3))])
    }

    fn column(name: &str, values: ColumnValues) -> GeneratedColumn {
        GeneratedColumn { name: name.into(), values, nulls: Nulls::NONE }
    }

    fn rows(
        columns: Vec<GeneratedColumn>,
        count: u32,
        references: &[References],
    ) -> Vec<Vec<String>> {
        let generator = RowGenerator { table: "t".into(), rows: count, columns, set: set() };
        let mut maker = RowMaker::new(&generator, 7, references).unwrap();
        (0..count)
            .map(|number| {
                let mut row = Vec::new();
                maker
                    .row(number, &mut |cell| {
                        row.push(match cell {
                            Cell::Null => "NULL".to_owned(),
                            Cell::Number(bytes) | Cell::Text(bytes) => {
                                String::from_utf8(bytes.to_vec()).unwrap()
                            }
                        });
                    })
                    .unwrap();
                row
            })
            .collect()
    }

    fn of_one(values: ColumnValues, count: u32) -> Vec<String> {
        rows(vec![column("c", values)], count, &[]).into_iter().flatten().collect()
    }

    #[test]
    fn a_row_is_the_same_whatever_was_made_before_it_and_whatever_columns_are_beside_it() {
        let text = || column("note", ColumnValues::Text { shortest: 10, longest: 200 });
        let id = column("id", ColumnValues::Sequence { first: 1 });
        let both = rows(vec![id, text()], 20, &[]);
        let one = rows(vec![text()], 20, &[]);
        assert!(both.iter().zip(&one).all(|(both, one)| both[1] == one[0]));
        let generator = RowGenerator {
            table: "t".into(),
            rows: 20,
            columns: vec![text()],
            set: BTreeMap::new(),
        };
        let mut maker = RowMaker::new(&generator, 7, &[]).unwrap();
        let mut last = String::new();
        maker
            .row(19, &mut |cell| {
                let Cell::Text(text) = cell else { unreachable!() };
                last = String::from_utf8(text.to_vec()).unwrap();
            })
            .unwrap();
        assert_eq!(last, one[19][0]);
        assert!(
            one.iter().all(|row| (10..=200).contains(&row[0].len()) && row[0].trim() == row[0])
        );
    }

    #[test]
    fn values_stay_within_their_bounds_and_reach_them() {
        let low_high = |values: Vec<String>| {
            let numbers: Vec<f64> = values.iter().map(|text| text.parse().unwrap()).collect();
            let low = numbers.iter().copied().fold(f64::MAX, f64::min);
            (low, numbers.iter().copied().fold(f64::MIN, f64::max))
        };
        let popularity = Popularity::Uniform;
        assert_eq!(
            low_high(of_one(ColumnValues::Integer { low: -3, high: 3, popularity }, 500)),
            (-3.0, 3.0)
        );
        let decimals = of_one(ColumnValues::Decimal { low: -5, high: 5, digits: 2 }, 500);
        assert!(decimals.contains(&"-0.05".to_owned()) && decimals.contains(&"0.00".to_owned()));
        assert_eq!(of_one(ColumnValues::Sequence { first: 100 }, 3), ["100", "101", "102"]);
        assert_eq!(of_one(ColumnValues::Pattern("u{row}@x".into()), 2), ["u1@x", "u2@x"]);
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let day = |days| of_one(ColumnValues::Date { low: days, high: days }, 1).remove(0);
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(19_782), "2024-02-29");
        assert_eq!(day(19_783), "2024-03-01");
        assert_eq!(day(-1), "1969-12-31");
        let moment = 19_782 * 86_400 + 3_661;
        let moment = of_one(ColumnValues::Moment { low: moment, high: moment }, 1);
        assert_eq!(moment, ["2024-02-29 01:01:01"]);
    }

    #[test]
    fn weights_and_nulls_are_kept() {
        let weighted = ColumnValues::Weighted(vec![("a".into(), 1.0), ("b".into(), 3.0)]);
        let mut column = column("c", weighted);
        column.nulls = Nulls::Percent(20);
        let drawn: Vec<String> = rows(vec![column], 10_000, &[]).into_iter().flatten().collect();
        let count = |text: &str| drawn.iter().filter(|value| *value == text).count();
        assert!((1_800..2_200).contains(&count("NULL")), "{}", count("NULL"));
        assert!((1_800..2_200).contains(&count("a")), "{}", count("a"));
    }

    #[test]
    fn references_are_values_that_are_there_and_popular_ones_come_more_often() {
        let of = |popularity| ColumnValues::Of {
            table: "customers".into(),
            column: "id".into(),
            popularity,
        };
        let numbers = References::Numbers { first: 1, count: 100 };
        let zipf = of(Popularity::Zipfian { s: 0.9 });
        let drawn = rows(vec![column("c", zipf)], 5_000, std::slice::from_ref(&numbers));
        let drawn: Vec<u32> = drawn.iter().map(|row| row[0].parse().unwrap()).collect();
        assert!(drawn.iter().all(|id| (1..=100).contains(id)));
        let share = |id: u32| drawn.iter().filter(|drawn| **drawn == id).count();
        assert!(share(1) > 5 * share(50), "{} {}", share(1), share(50));
        let listed =
            References::Listed(Arc::new(vec![b"x".as_slice().into(), b"y".as_slice().into()]));
        let drawn = rows(vec![column("c", of(Popularity::Uniform))], 50, &[listed]);
        assert!(drawn.iter().all(|row| ["x", "y"].contains(&row[0].as_str())));
    }

    #[test]
    fn expressions_give_composite_keys_and_words_and_say_what_is_null() {
        let of = |text: &str| ColumnValues::Expression(text.to_owned());
        let mut carrier = column("carrier", of(":row + 0.5"));
        carrier.nulls = Nulls::Where(":row % :customers = 2".to_owned());
        let words = "abcdefghij".chars().map(String::from).collect();
        let spelled =
            ColumnValues::Spelled { expression: ":row + 98".to_owned(), digits: 3, words };
        let columns = vec![
            column("district", of(":row / :customers + 1")),
            column("customer", of(":row % :customers + 1")),
            carrier,
            column("name", spelled),
        ];
        let made = rows(columns, 4, &[]);
        let expected =
            [["1", "1", "0.5", "aji"], ["1", "2", "1.5", "ajj"], ["1", "3", "NULL", "baa"]];
        assert_eq!(made[..3], expected);
        assert_eq!(made[3], ["2", "1", "3.5", "bab"]);
        // Each once, in an order of its own.
        let mut shuffled = of_one(of("permute(:row, 10, 3)"), 10);
        assert_ne!(shuffled, of_one(of(":row"), 10));
        shuffled.sort();
        assert_eq!(shuffled, of_one(of(":row"), 10));
        let drawn = of_one(of("random(1, 1000000)"), 50);
        assert!(drawn.iter().collect::<std::collections::HashSet<_>>().len() > 45, "{drawn:?}");
    }

    #[test]
    fn an_expression_without_a_value_names_its_column() {
        let of = |text: &str| {
            let columns = vec![column("c", ColumnValues::Expression(text.to_owned()))];
            let generator = RowGenerator { table: "t".into(), rows: 1, columns, set: set() };
            RowMaker::new(&generator, 7, &[]).map_err(|error| error.to_string())
        };
        let error = of("1 / :row").unwrap().row(0, &mut |_| {}).unwrap_err().to_string();
        assert!(error.contains("t.c"), "{error}");
        let error = of("1 + :absent").unwrap_err();
        assert!(error.contains("t.c:1:5: the variable absent has no value"), "{error}");
    }
}
