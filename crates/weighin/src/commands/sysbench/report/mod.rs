//! What a run prints, in the form of each generation.

mod checkpoints;
mod figures;
mod histogram;
mod lines;
mod more;
mod stretch;
pub(super) mod text;
mod v04;
mod v05;
mod v10;

pub(super) use checkpoints::Checkpoints;
pub(super) use figures::Figures;
pub(super) use lines::Lines;
pub(super) use stretch::Stretch;
