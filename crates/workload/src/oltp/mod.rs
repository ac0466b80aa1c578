//! The sysbench OLTP family: schema, statements, rows and transactions, in the words of each of
//! sysbench's generations.

mod analytic;
mod answer;
mod bulk;
mod name;
mod row;
mod schema;
mod source;
mod statement;
mod unique;

pub use analytic::analytic;
pub use bulk::{BulkLimit, BulkSource};
pub use row::RowSource;
pub use schema::{DEFAULT_ENGINE, create_index, create_table, drop_table, name_of, table_name};
pub use source::{OltpSource, Step};
pub use statement::{Parameter, Statement, StatementKind};
