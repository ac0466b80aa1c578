//! The test tables of these servers, as far as they are not the same on others: see [`sql::tables`].

mod rows;
mod size;

pub use rows::Rows;
pub(super) use size::size;
