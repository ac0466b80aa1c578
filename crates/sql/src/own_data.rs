//! The data of a user's own transactions, as far as it is the same on every server of SQL.

use model::{Failure, Transactions};
use system::own_data::{OwnDataOrder, SqlServer};
use system::{DataPlan, Login, Prepared, Preparing};

/// Makes the data of transactions with so many connections, or looks whether it is there.
///
/// # Errors
/// When data that is not weighin's is in the way, or the server refuses.
pub fn prepare(
    server: &dyn SqlServer,
    own: &Transactions,
    preparing: &mut Preparing<'_>,
    connections: u32,
) -> Result<Prepared, Failure> {
    if own.data.is_as_found() {
        return Ok(Prepared::nothing());
    }
    let mut order = OwnDataOrder {
        seed: preparing.seed,
        connections: preparing.connections.unwrap_or(connections),
        is_private: preparing.is_private,
        may_write: own.writes && preparing.may_write,
        stop: preparing.stop,
        progress: preparing.progress,
    };
    system::own_data::prepare(server, &own.data, &mut order)
}

/// What [`prepare`] would do now, where there is anything to do at all; changes nothing.
///
/// # Errors
/// As [`prepare`], as far as that can be told beforehand.
pub fn dry_run(
    server: &dyn SqlServer,
    login: &Login,
    own: &Transactions,
    seed: u64,
    is_private: bool,
) -> Result<Option<DataPlan>, Failure> {
    if own.data.is_as_found() {
        return Ok(None);
    }
    let order = OwnDataOrder {
        seed,
        connections: 1,
        is_private,
        may_write: own.writes,
        stop: login.stop(),
        progress: &mut |_| {},
    };
    system::own_data::dry_run(server, &own.data, &order).map(Some)
}
