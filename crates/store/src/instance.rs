//! Instances of targets and machines that come and go.

use crate::digest::{Digests, Subject};
use crate::value::{Columns, Json, MOST, damage, within};
use crate::{Store, StoreError};
use model::{Instance, ReadBudget, UnixMillis};
use rusqlite::{Connection, Result, params};

impl Store {
    /// Keeps what is known of an instance; replaces what was known of the one with its number.
    ///
    /// # Errors
    /// When the study has no such target or machine, or the file cannot be written.
    pub fn record_instance(&mut self, instance: &Instance) -> std::result::Result<(), StoreError> {
        let study = self.study();
        let is_known = study.measured().any(|target| target.name == instance.target)
            || study.host_instance(&instance.target).is_some();
        if !is_known {
            return Err(StoreError::UnknownTarget(instance.target.clone()));
        }
        self.write(|connection, digests| {
            replace(connection, instance)?;
            digests.write(connection, Subject::Instance(instance.number.into()))
        })
    }
}

fn replace(connection: &Connection, instance: &Instance) -> Result<()> {
    connection
        .execute(
            "INSERT OR REPLACE INTO instance (number, target, first_position, began_at_ms, up_at_ms,
             down_at_ms, endpoint, ssh, labels, trouble) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                instance.number,
                instance.target,
                instance.first_position,
                instance.began_at.0,
                instance.up_at.map(|at| at.0),
                instance.down_at.map(|at| at.0),
                instance.endpoint,
                instance.ssh,
                Json(&instance.labels),
                instance.trouble
            ],
        )
        .map(drop)
}

/// Reads all of them in order, and checks that they are as they were written.
pub(crate) fn checked(
    connection: &Connection,
    digests: &Digests,
    budget: &ReadBudget,
) -> Result<Vec<Instance>> {
    let mut statement = connection.prepare(
        "SELECT number, target, first_position, began_at_ms, up_at_ms, down_at_ms, endpoint, ssh,
         labels, trouble FROM instance ORDER BY number",
    )?;
    let instances = statement.query_map([], |row| {
        let mut columns = Columns::of("instance", row);
        Ok(Instance {
            number: columns.next()?,
            target: columns.next()?,
            first_position: columns.next()?,
            began_at: UnixMillis(columns.next()?),
            up_at: columns.next::<Option<u64>>()?.map(UnixMillis),
            down_at: columns.next::<Option<u64>>()?.map(UnixMillis),
            endpoint: columns.next()?,
            ssh: columns.next()?,
            labels: columns.next::<Json<_>>()?.0,
            trouble: columns.next()?,
        })
    })?;
    let mut checked = Vec::new();
    for instance in instances {
        let instance = instance?;
        let of_instance = |error| within(&format!("instance {}", instance.number), error);
        let moments = [Some(instance.began_at), instance.up_at, instance.down_at];
        if moments.into_iter().flatten().any(|at| at.0 > MOST) {
            return Err(of_instance(damage("instance.began_at_ms", "it is out of range")));
        }
        digests
            .check(connection, Subject::Instance(instance.number.into()), budget)
            .map_err(of_instance)?;
        checked.push(instance);
    }
    Ok(checked)
}
