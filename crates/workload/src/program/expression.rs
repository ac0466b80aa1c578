//! Expressions with the meaning that pgbench gives them.

mod function;
mod hash;
#[cfg(test)]
mod tests;

pub use function::Function;

use super::error::EvaluationError;
use super::source::Draws;
use super::value::{Value, Variables};
use function::coerce_text;
pub(super) use function::integer as to_integer;

/// What is computed of variables and random numbers, as a tree; see [`Function`] for the operators.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Constant(Value),
    /// By its number.
    Variable(usize),
    /// The next number of a source of the program.
    Source(usize),
    Call(Function, Vec<Self>),
    /// The value of the first branch whose condition holds.
    Case {
        branches: Vec<(Self, Self)>,
        /// NULL when absent.
        otherwise: Option<Box<Self>>,
    },
}

impl Expression {
    pub fn integer(number: i64) -> Self {
        Self::Constant(Value::Integer(number))
    }

    pub fn double(number: f64) -> Self {
        Self::Constant(Value::Double(number))
    }

    pub fn call(function: Function, arguments: impl Into<Vec<Self>>) -> Self {
        Self::Call(function, arguments.into())
    }

    /// Its value. Allocates nothing.
    ///
    /// # Errors
    /// Where pgbench ends its client: sums that overflow, values of a wrong type, parameters that
    /// make no sense.
    pub fn evaluate(
        &self,
        variables: &Variables,
        draws: &mut Draws,
    ) -> Result<Value, EvaluationError> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Variable(variable) => coerce_text(variables.get(*variable), variables),
            Self::Source(source) => Ok(Value::Integer(draws.draw(*source))),
            Self::Call(function, arguments) => function.call(arguments, variables, draws),
            Self::Case { branches, otherwise } => {
                for (condition, value) in branches {
                    if is_true(condition.evaluate(variables, draws)?) {
                        return value.evaluate(variables, draws);
                    }
                }
                match otherwise {
                    Some(value) => value.evaluate(variables, draws),
                    None => Ok(Value::Null),
                }
            }
        }
    }

    /// What it reads.
    pub(super) fn for_each_variable(&self, see: &mut impl FnMut(usize)) {
        match self {
            Self::Constant(_) | Self::Source(_) => {}
            Self::Variable(variable) => see(*variable),
            Self::Call(_, arguments) => arguments.iter().for_each(|one| one.for_each_variable(see)),
            Self::Case { branches, otherwise } => {
                for (condition, value) in branches {
                    condition.for_each_variable(see);
                    value.for_each_variable(see);
                }
                otherwise.iter().for_each(|one| one.for_each_variable(see));
            }
        }
    }
}

/// Whether a condition holds: any number but zero does.
pub fn is_true(value: Value) -> bool {
    match value {
        Value::Null | Value::Text(_) => false,
        Value::Boolean(is) => is,
        Value::Integer(number) => number != 0,
        Value::Double(number) => number != 0.0,
    }
}
