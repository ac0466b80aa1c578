use super::error::ScriptError;
use super::formula::Formula;
use super::line::Line;
use super::names::Names;
use super::options::Script;
use crate::Stream;
use crate::program::{Computed, EvaluationError, Initial, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The variable that holds the number of the row.
const ROW: &str = "row";

/// The variables that an expression reads beside the number of the row; none of what is no expression.
pub fn variables_of(text: &str) -> BTreeSet<String> {
    let mut names = Names::new(&BTreeMap::new());
    let read = Formula::whole_line(&mut Line::new(text, 0), &mut names);
    let mut variables = read.map_or_else(|_| BTreeSet::new(), |_| names.read_anywhere());
    variables.remove(ROW);
    variables
}

/// An expression that gives a value for every row of a table.
#[derive(Clone, Debug)]
pub struct RowFormula {
    computed: Computed,
    row: usize,
}

impl RowFormula {
    /// Reads an expression; `origin` is what messages call it. Its hashes and permutations follow from
    /// the seed.
    ///
    /// # Errors
    /// Where it is none, or has variables that hold nothing.
    pub fn new(
        origin: &str,
        text: &str,
        set: &BTreeMap<String, Initial>,
        seed: u64,
    ) -> Result<Self, ScriptError> {
        let script = Script { name: origin.to_owned(), text: text.to_owned(), ..Script::default() };
        let mut names = Names::new(set);
        names.give(ROW, Initial::Integer(0));
        let expression = Formula::whole_line(&mut Line::new(text, 0), &mut names);
        let expression = expression.map_err(|problem| ScriptError::new(&script, problem))?;
        names.check().map_err(|(_, problem)| ScriptError::new(&script, problem))?;
        let row = names.number(ROW);
        Ok(Self { computed: Computed::new(expression, &names.into_variables(), seed), row })
    }

    /// Its value for a row; the first is number 0.
    ///
    /// # Errors
    /// Where it has none, as by a division by zero.
    pub fn value(&mut self, row: i64, stream: Stream) -> Result<Value, EvaluationError> {
        self.computed.variables.set(self.row, Value::Integer(row));
        self.computed.value(stream)
    }

    /// Appends a value of it as it stands in a statement, texts without quotes.
    pub fn append(&self, value: Value, out: &mut Vec<u8>) {
        self.computed.variables.append(value, out);
    }
}
