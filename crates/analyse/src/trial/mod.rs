//! What a single trial is worth: its checks, the audit of its figures, and what was added to a run later.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod checked_run;
pub(crate) mod extended;
pub(crate) mod figures;
