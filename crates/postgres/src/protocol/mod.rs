//! PostgreSQL's protocol, version 3: bytes in and bytes out.

mod answer;
mod binding;
mod command;
mod error;
mod execute;
mod frame;
mod login;
mod text;

pub use answer::{
    Answer, AnswerReader, Columns, Kept, PipedAnswer, PrepareAnswer, PrepareReader, Prepared,
    TransactionState, UnaskedMessage,
};
pub(crate) use binding::certificate_hash;
pub(crate) use command::take_back_sync;
pub use command::{
    BackendKey, write_cancel_request, write_copy_data, write_copy_done, write_copy_fail,
    write_describe, write_prepare, write_query, write_ssl_request, write_sync, write_terminate,
};
pub use error::{ProtocolError, ServerError, Severity};
pub use execute::{ExecuteTemplate, Execution, write_text_execution, write_text_query};
pub use login::{Login, LoginError, LoginOptions, LoginStep, ScramKeys, SessionInfo};
pub use text::{TextAnswer, TextReader, TextRows};
