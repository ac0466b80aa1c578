//! A workload as data: weighted transactions, each a list of steps.
//!
//! A [`Program`] knows no wire format. Whoever speaks one encodes its statements once, and then has
//! each client [`Run`] it: a run goes from statement to statement, and computes in between without
//! allocating anything.

mod beginning;
mod code;
mod computed;
mod error;
mod expression;
mod fold;
mod retry;
mod run;
mod source;
mod statement;
#[cfg(test)]
mod tests;
mod value;
mod values;

pub use computed::Computed;
pub use error::EvaluationError;
use expression::to_integer;
pub use expression::{Expression, Function, is_true};
pub use run::{Next, Run};
pub use source::{Draws, Source};
pub use statement::{Column, Parameter, Read, RowRead, RowsDue, Statement, StatementKind, Text};
pub use value::{Value, ValueType, Variables};
pub use values::{Values, ValuesBuilder, ValuesError};

use crate::oltp::BulkLimit;
use code::{Op, compile};
use model::SetValue;
use std::sync::Arc;
use std::time::Duration;

/// One step of a transaction. Statements, variables and sources go by their numbers in the program.
#[derive(Clone, Debug)]
pub enum Step {
    /// Executes a statement, in the text that the variable tells, counted from 1; in its first where
    /// none does.
    Execute { statement: usize, text: Option<usize> },
    /// Gives a variable a value.
    Set { variable: usize, value: Expression },
    /// Gives a variable one of the values of a source: the one in that row, counted from 1; any of them
    /// where no row is given.
    Pick { variable: usize, source: usize, row: Option<Expression> },
    /// Steps that are taken so many times.
    Repeat { times: u32, steps: Vec<Self> },
    /// The steps of the first branch whose condition holds.
    If { branches: Vec<(Expression, Vec<Self>)>, otherwise: Vec<Self> },
    /// Steps whose statements are sent without waiting, and answered in their order when the last one is
    /// there. None of them is read from, and none of the steps is a pipeline.
    Pipeline(Vec<Self>),
    /// The client does nothing for so many of these units.
    Think { time: Expression, unit: Duration },
}

/// A transaction of a workload.
#[derive(Clone, Debug)]
pub struct Transaction {
    pub name: String,
    /// Its share among the others, by which each client chooses; at least 1.
    pub weight: u32,
    pub steps: Vec<Step>,
}

/// A variable, which a client keeps from one transaction to the next. It holds nothing until it gets a
/// value.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    pub name: String,
    /// What it holds at the beginning.
    pub initial: Option<Initial>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    Integer(i64),
    Double(f64),
    Text(String),
    /// The client's own number, from 0.
    Client,
    /// The seed that all random numbers follow from.
    Seed,
    /// A number that follows from it, for hashes and permutations.
    HashSeed,
}

impl From<&SetValue> for Initial {
    fn from(value: &SetValue) -> Self {
        match value {
            SetValue::Integer(number) => Self::Integer(*number),
            SetValue::Double(number) => Self::Double(*number),
            SetValue::Text(text) => Self::Text(text.clone()),
        }
    }
}

/// What a workload is made of.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    pub statements: Vec<Statement>,
    pub transactions: Vec<Transaction>,
    pub variables: Vec<Variable>,
    pub sources: Vec<Source>,
}

/// A workload that is ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    parts: Parts,
    /// By variable.
    types: Box<[ValueType]>,
    code: Box<[Op]>,
    expressions: Box<[Expression]>,
    /// By transaction, where its code begins.
    starts: Box<[u32]>,
    /// Counters of repetitions.
    counters: usize,
    total_weight: u64,
    /// By transaction, whether it may be done again with the same values.
    retries: Box<[bool]>,
}

impl Program {
    /// Makes a workload ready.
    ///
    /// # Panics
    /// Where a number of a step is that of no statement, variable or source, or there is no transaction
    /// at all: whoever reads scripts finds these first, and points to the place.
    pub fn new(parts: Parts) -> Self {
        assert!(!parts.transactions.is_empty(), "a workload has a transaction");
        let compiled = compile(&parts);
        Self {
            total_weight: parts.transactions.iter().map(|one| u64::from(one.weight)).sum(),
            types: compiled.types.into(),
            code: compiled.code.into(),
            expressions: compiled.expressions.into(),
            starts: compiled.starts.into(),
            counters: compiled.counters,
            retries: vec![false; parts.transactions.len()].into(),
            parts,
        }
    }

    pub fn statements(&self) -> &[Statement] {
        &self.parts.statements
    }

    pub fn transactions(&self) -> &[Transaction] {
        &self.parts.transactions
    }

    /// Whether any transaction sends statements without waiting.
    pub fn has_pipelines(&self) -> bool {
        self.code.iter().any(|op| matches!(op, Op::OpenPipeline))
    }

    /// The number of the variable of that name.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.parts.variables.iter().position(|variable| variable.name == name)
    }

    /// What a variable holds wherever a statement takes it.
    pub fn type_of(&self, variable: usize) -> ValueType {
        self.types[variable]
    }

    /// The same with a limit of the rows that all clients insert in bulk; see
    /// [`BulkLimit::statements`] for the operations that this takes.
    pub fn with_bulk_limit(mut self, shared: &Arc<BulkLimit>) -> Self {
        for source in &mut self.parts.sources {
            if let Source::BulkRows { limit, .. } = source {
                *limit = Some(Arc::clone(shared));
            }
        }
        self
    }
}
