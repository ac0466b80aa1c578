//! The systems that a program knows.

use crate::{Login, System, TargetHandle};
use model::{Failure, FailureKind, Target};
use std::sync::OnceLock;

static KNOWN: OnceLock<Vec<&'static dyn System>> = OnceLock::new();

/// Says which systems there are. A program calls it once, before anything else; later calls say the
/// same or are of no effect.
pub fn register<const N: usize>(systems: [&'static dyn System; N]) {
    let _ = KNOWN.set(systems.into());
}

/// A system by its kind.
///
/// # Errors
/// `NotPermitted` where the program has none of that kind.
pub fn of_kind(kind: model::System) -> Result<&'static dyn System, Failure> {
    let known = KNOWN.get().into_iter().flat_map(|systems| systems.iter());
    known.copied().find(|system| system.kind() == kind).ok_or_else(|| {
        Failure::new(
            FailureKind::NotPermitted,
            format!("this program knows no targets of the kind {kind}"),
            "",
        )
    })
}

/// The system of a target.
///
/// # Errors
/// `Unreachable` for a target whose results were imported.
pub fn of_target(target: &Target) -> Result<&'static dyn System, Failure> {
    match target.system {
        model::System::Unknown => Err(target.out_of_reach()),
        kind => of_kind(kind),
    }
}

/// A server that runs already, for ad hoc loads.
///
/// # Errors
/// `NotPermitted` where its system has no servers.
pub fn reach(login: Login) -> Result<Box<dyn TargetHandle>, Failure> {
    of_kind(login.system())?.reach(login)
}
