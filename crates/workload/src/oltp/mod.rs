//! The sysbench OLTP family: schema, statements, rows and transactions, in the words of each of
//! sysbench's generations.

mod analytic;
mod bulk;
mod name;
mod program;
mod row;
mod schema;
mod statement;
mod unique;

pub use crate::program::StatementKind;
pub use analytic::analytic;
pub use bulk::{BulkLimit, BulkSource};
pub use program::{program, program_in};
pub use row::RowSource;
pub use schema::{DEFAULT_ENGINE, create_index, create_table, drop_table, name_of, table_name};
pub use statement::{Statement, Wording};
pub(crate) use unique::Unique;
