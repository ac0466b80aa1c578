use super::beginning::beginning;
use super::{Draws, EvaluationError, Expression, Value, Variable, Variables};
use crate::Stream;

/// An expression that stands alone, outside of any transaction.
#[derive(Clone, Debug)]
pub struct Computed {
    expression: Expression,
    pub variables: Variables,
    draws: Draws,
}

impl Computed {
    /// `seed` is that of hashes and permutations which name none.
    pub fn new(expression: Expression, variables: &[Variable], seed: u64) -> Self {
        Self {
            expression,
            variables: beginning(variables, seed, 0),
            draws: Draws::new(&[], seed, 0, 1),
        }
    }

    /// Its value, with random numbers from a stream.
    ///
    /// # Errors
    /// As [`Expression::evaluate`].
    pub fn value(&mut self, stream: Stream) -> Result<Value, EvaluationError> {
        self.draws.stream = stream;
        self.expression.evaluate(&self.variables, &mut self.draws)
    }
}
