//! Finished documents: random ones of all shapes, and what a document says against itself.

mod checker;
mod read;
mod shapes;
mod tables;
mod truth;

pub use checker::{Contradiction, Kind, contradictions};
pub use shapes::random;
pub use truth::Draw;
