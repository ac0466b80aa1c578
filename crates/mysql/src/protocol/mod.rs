//! The client's side of the MySQL protocol, as MariaDB and MySQL servers speak it.
//!
//! A connection starts with [`Login`]. After that the client writes one command (such as
//! [`write_query`] or [`ExecuteTemplate::write`]) and feeds the answer to the reader that fits:
//! [`ResponseReader`] where only the outcome and the number of rows matter, [`TextReader`] where
//! the values do, [`PrepareReader`] for `COM_STMT_PREPARE`. Where the login agreed on it, both
//! directions go through [`Compressed`].

mod capabilities;
mod command;
mod compression;
mod error;
mod execute;
mod frame;
mod login;
mod packet;
mod prepare;
mod response;
mod row;
mod statement;
mod text;
mod wire;

pub use capabilities::Dialect;
pub use command::{
    write_close_statement, write_infile_chunk, write_infile_end, write_ping, write_prepare,
    write_query, write_quit,
};
pub use compression::Compressed;
pub use error::{LoginError, ProtocolError, ServerError};
pub use execute::{ExecuteWriter, ParamType, ParamValue};
pub use login::{Login, LoginOptions, LoginStep, ServerKey, SessionInfo, check_server_key};
pub use prepare::{PrepareReader, Prepared};
pub use response::{Reply, ResponseReader};
pub use row::{Columns, RowReader};
pub use statement::{ExecuteTemplate, ParamKind, ParamSlots};
pub use text::{TextReader, TextReply, TextRows};
