//! Everything that starting a private server takes.

use super::facts::FACTS;
use host::recipe::PrivateServerKind;
use model::{Failure, FailureKind};

/// PostgreSQL.
pub static KIND: PrivateServerKind = PrivateServerKind {
    facts: FACTS,
    recipe: |_, _| {
        Err(Failure::new(FailureKind::MissingProgram, "weighin starts no PostgreSQL", ""))
    },
};
