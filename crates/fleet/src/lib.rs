//! Agents that register themselves with a broker of NATS: how they do, how a lead finds and takes them,
//! and how the lines between a lead and an agent ([`host::Link`]) travel in messages.
//!
//! The broker keeps nothing: agents say who they are when they come, when they are called, and when
//! they are taken or free again. One lead at a time has an agent. What they say to each other goes under
//! subjects with a name that nobody can guess, in numbered pieces, so that what was lost is noticed and
//! said once more.
//!
//! Agents and leads that have seeds sign what they say before there is a session; what they say in one is
//! sealed, so that a broker and its other clients read none of it.

mod agent;
mod broker;
mod identity;
mod keys;
mod lead;
mod roster;
mod seal;
mod session;
mod wire;

pub use agent::{AgentEvent, AgentOptions, wait_for_leads};
pub use broker::{Broker, Login, Proof};
pub use identity::{AgentKeys, Identity};
pub use keys::{KeyError, PublicKey, new_seed};
pub use lead::{Fleet, LoginSource};
pub use roster::{KnownAgent, Stranger};
pub use wire::MOST_LABELS;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a lock holds, also where a thread panicked with it.
fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
