//! What follows for whoever asks: ranking, advice, capacity, money, a summary.

pub(crate) mod advice;
pub mod capacity;
pub(crate) mod matrix;
pub(crate) mod money;
pub(crate) mod rank;
pub(crate) mod summary;
