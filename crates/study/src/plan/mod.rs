//! From a `Study` to its `Plan`: trials in their order, what they take, and how a study changes.

pub(crate) mod change;
pub(crate) mod estimate;
pub(crate) mod expand;
pub(crate) mod merge;
mod random;
pub(crate) mod scale;
