//! Servers of a target as the probe of a failover sees them, in words that hold for every system.

use model::{Failure, FailureKind, Stop};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// One server of a target, as the probe of a failover sees it. A connection that ends by itself is
/// not kept: each method that talks opens its own.
pub trait ProbedServer: Debug + Send + Sync {
    /// Its address, for messages.
    fn name(&self) -> String;

    /// Opens a connection for writes. Looking its name up, connecting and logging in may take `login`
    /// each, and each write may take `answer`.
    ///
    /// # Errors
    /// When it cannot be reached, or refuses.
    fn connect(
        &self,
        login: Duration,
        answer: Duration,
        stop: &Stop,
    ) -> Result<Box<dyn Writer>, Failure>;

    /// Whether it is read-only for the account of the probe, as far as it says before there is a table.
    /// Changes nothing.
    ///
    /// # Errors
    /// When it does not answer.
    fn is_read_only(&self, stop: &Stop) -> Result<bool, Failure>;

    /// Whether it would take a write of the probe, which is tried without changing anything.
    ///
    /// # Errors
    /// When it does not answer, or the table of the probe is not there.
    fn takes_writes(&self, stop: &Stop) -> Result<bool, Failure>;

    /// Whether the table that the probe writes to may be made here; changes nothing.
    ///
    /// # Errors
    /// `ForeignTables` where that would be beside tables of others.
    fn check_room(&self, stop: &Stop) -> Result<(), Failure>;

    /// Makes the table that the probe writes to, empty.
    ///
    /// # Errors
    /// `ForeignTables` where that would be beside tables of others, and whatever the server says.
    fn make_table(&self, stop: &Stop) -> Result<(), Failure>;

    /// The ids of the writes that are there, in ascending order. Each step may take that long.
    ///
    /// # Errors
    /// When they cannot be read.
    fn ids(&self, limit: Duration) -> Result<Vec<u64>, Failure>;

    /// Drops the table.
    ///
    /// # Errors
    /// Whatever the server says.
    fn drop_table(&self, limit: Duration) -> Result<(), Failure>;
}

/// A connection for writes.
pub trait Writer: Send {
    /// Writes a row of that id, and returns when that is acknowledged.
    ///
    /// # Errors
    /// When it is not; the connection is of no use then.
    fn write(&mut self, id: u64) -> Result<(), NotAcknowledged>;
}

/// Why a write was not acknowledged, in the server's words or those of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAcknowledged {
    /// The server answered with an error.
    Refused(String),
    /// The connection was lost, or the answer took too long.
    Lost(String),
}

/// Looks for what would make a failover of these servers fail from the start: more or fewer than one
/// that takes writes, or tables of others. Changes nothing.
///
/// # Errors
/// The first such thing.
pub fn check_probe(members: &[Arc<dyn ProbedServer>], stop: &Stop) -> Result<(), Failure> {
    members[accepting(members, None, stop)?].check_room(stop)
}

/// The one member that takes writes. Before the probe has a table (`primary` is absent) members are
/// asked whether they are read-only, afterwards whether they take a write.
///
/// # Errors
/// `NotPermitted` where it is none, or more than one.
pub fn accepting(
    members: &[Arc<dyn ProbedServer>],
    primary: Option<usize>,
    stop: &Stop,
) -> Result<usize, Failure> {
    let mut found = Vec::new();
    for (number, member) in members.iter().enumerate() {
        let takes_writes = match primary {
            None => !member.is_read_only(stop)?,
            Some(_) => member.takes_writes(stop)?,
        };
        found.extend(takes_writes.then_some(number));
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::new(
            FailureKind::NotPermitted,
            format!("no server takes writes: {}", names(members, 0..members.len())),
            "set read_only = 0 on the primary; a failover begins with a primary that takes writes",
        )),
        several => Err(Failure::new(
            FailureKind::NotPermitted,
            format!("{} all take writes of this account", names(members, several.iter().copied())),
            "set read_only = 1 on the replicas, and use an account without the rights SUPER, \
             READ_ONLY ADMIN and CONNECTION_ADMIN, which write all the same: the probe would write \
             to a replica",
        )),
    }
}

fn names(members: &[Arc<dyn ProbedServer>], which: impl IntoIterator<Item = usize>) -> String {
    let names: Vec<String> = which.into_iter().map(|number| members[number].name()).collect();
    names.join(", ")
}
