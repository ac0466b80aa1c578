//! The test tables of these servers, as far as they are not the same on others: see [`sql::tables`].

mod rows;
mod schema;

pub use rows::Rows;
