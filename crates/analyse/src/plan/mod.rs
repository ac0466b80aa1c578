//! What a run measures next.

pub(crate) mod budget;
pub(crate) mod placing;
pub(crate) mod until;
