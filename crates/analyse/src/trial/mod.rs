//! What a single trial is worth: its checks, the audit of its figures.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod checked_run;
pub(crate) mod figures;
