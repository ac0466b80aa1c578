//! What a run measures next, and what was added to it.

pub(crate) mod budget;
pub(crate) mod extended;
pub(crate) mod placing;
pub(crate) mod until;
