//! What the crate of a system needs to have private servers of it: a [`PrivateServerKind`]
//! that gives [`Recipe`]s, made of what is here. The program [`register`]s it.

pub use crate::local::sandbox::account::RunAs;
pub use crate::local::sandbox::certificate::{CERTIFICATE, KEY};
pub use crate::local::sandbox::distribution::Distribution;
pub use crate::local::sandbox::home::Home;
pub use crate::local::sandbox::initial_data::{InitialData, run_initialiser};
pub use crate::local::sandbox::kind::{KindFacts, LogWords};
pub use crate::local::sandbox::permitted::{permitted, refusal};
pub use crate::local::sandbox::recipe::{
    PrivateServerKind, Recipe, RecipeOrder, ServerProgram, register,
};
pub use crate::local::sandbox::trouble::file_trouble;
pub use crate::question::GroupMember;
pub use crate::supervise::ADDRESSES;
