//! Transactions that are done again with the same values.

use super::{Draws, Program, Run, Variables};

/// What a transaction began with.
#[derive(Clone, Debug)]
pub(super) struct Before {
    variables: Variables,
    draws: Draws,
}

impl Program {
    /// The same, of which those transactions may be done again: see [`Run::again`].
    #[must_use]
    pub fn retrying(mut self, retries: &[bool]) -> Self {
        for (own, retries) in self.retries.iter_mut().zip(retries) {
            *own = *retries;
        }
        self
    }

    pub(super) fn retries_any(&self) -> bool {
        self.retries.contains(&true)
    }
}

impl Run {
    /// Whether the transaction under way may be done again.
    pub fn can_retry(&self) -> bool {
        self.program.retries[self.transaction]
    }

    /// Abandons what is left of the current transaction, which comes next again, with the same values.
    /// Only where [`Self::can_retry`].
    pub fn again(&mut self) {
        self.restart();
        self.again = self.before.is_some();
    }

    /// Whether the transaction that was abandoned last comes next again.
    pub fn comes_again(&self) -> bool {
        self.again
    }

    /// Goes back to what the transaction began with.
    #[cold]
    pub(super) fn go_back(&mut self) {
        self.again = false;
        if let Some(before) = &self.before {
            self.variables.take_over(&before.variables);
            self.draws.take_over(&before.draws);
        }
    }

    /// Keeps what the transaction begins with, where it may be done again. Allocates nothing once texts
    /// have had their longest.
    pub(super) fn keep(&mut self) {
        if let (true, Some(before)) = (self.program.retries[self.transaction], &mut self.before) {
            before.variables.take_over(&self.variables);
            before.draws.take_over(&self.draws);
        }
    }

    /// Room for what transactions begin with, where any may be done again.
    pub(super) fn room(
        program: &Program,
        variables: &Variables,
        draws: &Draws,
    ) -> Option<Box<Before>> {
        let room = || Box::new(Before { variables: variables.clone(), draws: draws.clone() });
        program.retries_any().then(room)
    }
}
