use super::error::EvaluationError;
use super::value::{Value, ValueType, Variables};
use super::values::Values;
use crate::oltp::{BulkLimit, BulkSource, Unique};
use crate::{Keys, Stream};
use model::{KeyDistribution, KeyParameters, OltpDialect};
use std::sync::Arc;

/// Where numbers, and texts made as a whole, come from, apart from what expressions draw.
#[derive(Clone, Debug)]
pub enum Source {
    /// Evenly from a range.
    Between { low: u32, high: u32 },
    /// From a range with a given popularity.
    Keys { distribution: KeyDistribution, parameters: KeyParameters, low: u32, high: u32 },
    /// The same from the client's own part of the rows 1 to `rows`; neighbouring parts share their edge.
    OwnPart { distribution: KeyDistribution, parameters: KeyParameters, rows: u32 },
    /// Numbers of 32 bits that no client draws twice.
    UniqueNumber,
    /// Rows from 1 to `rows`, all of them before any comes twice.
    UniqueRow { rows: u32 },
    /// The text of statements that insert many rows: see [`BulkSource`].
    BulkRows { dialect: OltpDialect, limit: Option<Arc<BulkLimit>> },
    /// Values that are there: those of a column, or the answer to a query.
    Values(Arc<Values>),
}

impl Source {
    /// What [`super::Step::Pick`] gives a variable.
    pub(super) fn type_of_values(&self) -> ValueType {
        match self {
            Self::Values(values) => values.value_type(),
            _ => ValueType::Integer,
        }
    }
}

/// What a client draws from: its random stream and its sources.
#[derive(Clone, Debug)]
pub struct Draws {
    pub(super) stream: Stream,
    sources: Box<[Drawn]>,
    unique: Unique,
}

#[derive(Clone, Debug)]
enum Drawn {
    Between { low: u32, high: u32 },
    Keys(Keys),
    UniqueNumber,
    UniqueRow { rows: u32 },
    Bulk(BulkSource),
    Values(Arc<Values>),
}

impl Draws {
    pub(super) fn new(sources: &[Source], seed: u64, client: u32, clients: u32) -> Self {
        Self {
            stream: Stream::new(seed, "transactions", client.into()),
            sources: sources.iter().map(|source| Drawn::new(source, client, clients)).collect(),
            unique: Unique::new(client, clients, Stream::new(seed, "unique", 0).bits() as u32),
        }
    }

    /// Becomes the same as another of the same program, in the memory that it has.
    pub(super) fn take_over(&mut self, other: &Self) {
        self.stream = other.stream.clone();
        self.sources.clone_from_slice(&other.sources);
        self.unique = other.unique.clone();
    }

    /// The next number of a source; 0 of one that makes texts.
    #[inline]
    pub(super) fn draw(&mut self, source: usize) -> i64 {
        match &self.sources[source] {
            Drawn::Keys(keys) => keys.draw(&mut self.stream).into(),
            Drawn::Between { low, high } => self.stream.between(*low, *high).into(),
            Drawn::UniqueNumber => self.unique.number().into(),
            Drawn::UniqueRow { rows } => self.unique.row(*rows).into(),
            Drawn::Values(values) => {
                values.integer(self.stream.below(values.len().max(1) as u64) as usize)
            }
            Drawn::Bulk(_) => 0,
        }
    }

    /// The next numbers of a source.
    #[inline]
    pub(super) fn fill_values(&mut self, source: usize, values: &mut [Value]) {
        match &self.sources[source] {
            Drawn::Keys(keys) => {
                for value in values {
                    *value = Value::Integer(keys.draw(&mut self.stream).into());
                }
            }
            Drawn::Between { low, high } => {
                for value in values {
                    *value = Value::Integer(self.stream.between(*low, *high).into());
                }
            }
            _ => values.iter_mut().for_each(|value| *value = Value::Integer(self.draw(source))),
        }
    }

    /// Gives a variable the value of a source in a row, counted from 1, or in any.
    pub(super) fn pick(
        &mut self,
        source: usize,
        row: Option<i64>,
        variable: usize,
        variables: &mut Variables,
    ) -> Result<(), EvaluationError> {
        let Drawn::Values(values) = &self.sources[source] else {
            variables.set(variable, Value::Integer(self.draw(source)));
            return Ok(());
        };
        let rows = values.len();
        let row = match row {
            None => self.stream.below(rows.max(1) as u64) as usize,
            Some(row) => match usize::try_from(row.wrapping_sub(1)) {
                Ok(row) if row < rows => row,
                _ => return Err(EvaluationError::NoRow { row, rows }),
            },
        };
        match values.text(row) {
            Some(text) => variables.set_text(variable, text),
            None => variables.set(variable, Value::Integer(values.integer(row))),
        }
        Ok(())
    }

    /// Replaces every `#` of a template by a random digit.
    ///
    /// # Panics
    /// When `out` and `template` differ in length.
    pub fn fill(&mut self, template: &[u8], out: &mut [u8]) {
        self.stream.fill(template, out);
    }

    /// Appends the next text of a source, and returns how many rows it inserts.
    pub fn append(&mut self, source: usize, out: &mut Vec<u8>) -> u32 {
        match &mut self.sources[source] {
            Drawn::Bulk(bulk) => bulk.append(out),
            _ => 0,
        }
    }
}

impl Drawn {
    fn new(source: &Source, client: u32, clients: u32) -> Self {
        match source {
            Source::Between { low, high } => Self::Between { low: *low, high: *high },
            Source::Keys { distribution, parameters, low, high } => {
                Self::Keys(Keys::new(*distribution, parameters, *low, *high))
            }
            Source::OwnPart { distribution, parameters, rows } => {
                let part = f64::from(*rows) / f64::from(clients.max(1));
                let own = f64::from(client) * part;
                Self::Keys(Keys::new(*distribution, parameters, own as u32, (own + part) as u32))
            }
            Source::UniqueNumber => Self::UniqueNumber,
            Source::UniqueRow { rows } => Self::UniqueRow { rows: *rows },
            Source::Values(values) => Self::Values(Arc::clone(values)),
            Source::BulkRows { dialect, limit } => {
                Self::Bulk(BulkSource::new(*dialect, client).limited(limit.clone()))
            }
        }
    }
}
