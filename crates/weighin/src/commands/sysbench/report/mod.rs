//! What a run prints, in the form of each generation.

mod figures;
mod histogram;
mod lines;
mod more;
pub(super) mod text;
mod v04;
mod v05;
mod v10;

pub(super) use figures::Figures;
pub(super) use lines::{Line, Lines};
