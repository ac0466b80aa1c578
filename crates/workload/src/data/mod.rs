//! Data of the user's own, on its way to a server: statements of scripts, rows of CSV files, and rows
//! that are made up.

mod copy;
mod csv;
mod rows;
mod script;
mod statement;

pub use csv::{CsvError, CsvReader, CsvRow};
pub use rows::{Cell, References, RowError, RowMaker};
pub use script::{ScriptError, ScriptReader, ScriptStatement, ScriptSyntax};
pub use statement::{ObjectKind, StatementFacts};
