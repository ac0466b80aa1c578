//! What weighin knows of every kind of server and device, and the interfaces behind which each kind
//! stands.
//!
//! A system is a crate of its own with a [`System`] and its [`TargetHandle`], which the program
//! [registers](register). What servers have in common (private ones, logins, keeping data, groups) is
//! here: a server's crate says the rest as a [`ServerKind`]. How weighin talks to a server besides the
//! load is in [`client`].

mod at_once;
pub mod client;
mod cold;
pub mod connections;
mod diagnostic;
mod failure;
pub mod group;
mod haproxy;
mod hosts;
mod interface;
mod lag;
pub mod load;
mod login;
pub mod own_data;
mod prepared;
mod probe;
mod registry;
mod request;
mod room;
mod server;

pub use at_once::at_once;
#[doc(hidden)]
pub use client::fuzzing;
pub use cold::check_caches;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use failure::{local_load_failure, server_load_failure};
pub use hosts::Hosts;
pub use interface::*;
pub use login::Login;
pub use prepared::{Prepared, Step};
pub use probe::{NotAcknowledged, ProbedServer, Writer, accepting, check_probe};
pub use registry::{completed_url, log_in, of_kind, of_target, outline, reach, register};
pub use request::LoadRequest;
pub use room::{Room, Rooms};
pub use server::{CrossCheckTool, ServerKind, Servers, Setting, Workloads};
