//! The sysbench OLTP family: schema, statements, rows and transactions.

mod row;
mod schema;
mod source;
mod statement;

pub use row::{C_LENGTH, PAD_LENGTH, RowSource};
pub use schema::{create_index, create_table, drop_table, table_name};
pub use source::{OltpSource, Step};
pub use statement::{Parameter, Statement, StatementKind};
