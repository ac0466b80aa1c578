//! What a report is written as.

pub(crate) mod csv;
pub(crate) mod hlog;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod terminal;
