//! Transactions that are done again with the same values.

use super::{Draws, Program, Variables};

/// What a transaction began with.
#[derive(Clone, Debug)]
pub(super) struct Before {
    variables: Variables,
    draws: Draws,
}

impl Before {
    /// Room for it, where any transaction may be done again.
    pub(super) fn room(
        program: &Program,
        variables: &Variables,
        draws: &Draws,
    ) -> Option<Box<Self>> {
        let room = || Box::new(Self { variables: variables.clone(), draws: draws.clone() });
        program.retries.contains(&true).then(room)
    }

    /// Keeps what a transaction begins with. Allocates nothing once texts have had their longest.
    pub(super) fn keep(&mut self, variables: &Variables, draws: &Draws) {
        self.variables.take_over(variables);
        self.draws.take_over(draws);
    }

    /// Gives it back.
    pub(super) fn give_back(&self, variables: &mut Variables, draws: &mut Draws) {
        variables.take_over(&self.variables);
        draws.take_over(&self.draws);
    }
}

impl Program {
    /// The same, of which those transactions may be done again: see [`Run::again`](super::Run::again).
    #[must_use]
    pub fn retrying(mut self, retries: &[bool]) -> Self {
        for (own, retries) in self.retries.iter_mut().zip(retries) {
            *own = *retries;
        }
        self
    }
}
