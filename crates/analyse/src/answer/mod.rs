//! What follows for whoever asks: advice, capacity, money, a summary.

pub(crate) mod advice;
pub mod capacity;
pub(crate) mod money;
pub(crate) mod summary;
