//! Texts that have a form of their own, wherever they stand.

pub(crate) mod broker;
pub(crate) mod duration;
pub(crate) mod pattern;
pub(crate) mod size;
pub(crate) mod url;
