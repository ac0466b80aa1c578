//! Parts of findings' sentences, for whoever says the same elsewhere.

pub use crate::kinds::advice::choices;
pub use crate::kinds::arithmetic::{Terms, equation, follows, off, origins, value as printed};
pub use crate::kinds::crossing::crossover;
pub use crate::kinds::factors::{by_level, depends_on_level};
pub use crate::kinds::money::{amount, outcome};
pub use crate::kinds::pairs::further_repeats;
pub use crate::kinds::scaling::{BY_SCATTER, is_near, law_name};
pub use crate::kinds::search::highest;
