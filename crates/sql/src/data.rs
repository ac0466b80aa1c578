//! The data of workloads: test tables, or what a user's own transactions run on.

use crate::Control;
use crate::tables::{self, filling_connections, mark};
use model::{Failure, Oltp, Study, TableSize, Transactions};
use system::own_data::{DataObject, OwnDataOrder, SqlConnection, SqlServer};
use system::{DataPlan, Examination, Login, Prepared, Preparing};
use workload::data::ObjectKind;

/// What a run would make first, and which tables it would keep. That of later tests is looked at
/// for what is in the way alone. Changes nothing.
///
/// # Errors
/// What kept it from looking further.
pub fn plan(
    database: &dyn SqlServer,
    login: &Login,
    control: &mut impl Control,
    is_private: bool,
    examination: &mut Examination<'_>,
) -> Result<Option<(DataPlan, Vec<String>)>, Failure> {
    let mut first = None;
    let study = examination.study;
    for own in study.tests.iter().filter_map(|test| test.data()?.transactions()) {
        let plan = dry_run(database, login, own, study.seed, is_private);
        let plan = examination.found.keep(plan)?.flatten();
        first = first.or(plan.map(|plan| (plan, Vec::new())));
    }
    let mut shapes = Vec::new();
    for oltp in test_tables(study) {
        let shape = (oltp.tables, oltp.table_size, oltp.distribution);
        if shapes.contains(&shape) {
            continue;
        }
        shapes.push(shape);
        let found = tables::dry_run(login, control, oltp);
        let found = examination.found.keep(found)?;
        first = first.or(found);
    }
    if shapes.len() > 1 {
        examination.found.note(
            format!(
                "the tests need {} different sets of tables in one database: a set is made anew \
                 whenever the next trial needs another",
                shapes.len()
            ),
            "give the tests the same `tables`, `table_size` and `distribution` to save that time",
        );
    }
    Ok(first)
}

/// The loads on tables whose data the tests of a study need.
pub fn test_tables(study: &Study) -> impl Iterator<Item = &Oltp> {
    study.tests.iter().filter_map(|test| test.data()?.oltp().ok())
}

/// What a query tells of objects: their names, kinds and comments.
///
/// # Errors
/// When the server refuses.
pub fn objects(connection: &mut dyn SqlConnection, sql: &str) -> Result<Vec<DataObject>, Failure> {
    let object = |row: Vec<Option<Vec<u8>>>| {
        let mut fields = row.into_iter().map(|field| text(field.unwrap_or_default()));
        let mut next = || fields.next().unwrap_or_default();
        let (name, kind, comment) = (next(), ObjectKind::from_name(&next()), next());
        DataObject { kind, name, is_marked: mark::is_ours(&comment) }
    };
    let rows = connection.query(sql).map_err(|error| error.failure)?;
    Ok(rows.into_iter().map(object).collect())
}

/// The names that a query gives.
///
/// # Errors
/// When the server refuses.
pub fn names(connection: &mut dyn SqlConnection, sql: &str) -> Result<Vec<String>, Failure> {
    let rows = connection.query(sql).map_err(|error| error.failure)?;
    Ok(rows.into_iter().filter_map(|row| Some(text(row.into_iter().next()??))).collect())
}

/// The number that a query gives; 0 where it gives none.
///
/// # Errors
/// When the server refuses.
pub fn number(connection: &mut dyn SqlConnection, sql: &str) -> Result<u64, Failure> {
    let first = names(connection, sql)?.into_iter().next();
    Ok(first.and_then(|digits| digits.parse().ok()).unwrap_or(0))
}

/// What a query tells of tables: their names, how many rows the server estimates, and bytes.
///
/// # Errors
/// When the server refuses.
pub fn table_sizes(
    connection: &mut dyn SqlConnection,
    sql: &str,
) -> Result<Vec<(String, TableSize)>, Failure> {
    let size = |row: Vec<Option<Vec<u8>>>| {
        let mut fields = row.into_iter().map(|field| text(field.unwrap_or_default()));
        let mut next = || fields.next().unwrap_or_default();
        let (name, rows, bytes) = (next(), next().parse(), next().parse());
        let (rows, bytes) = (rows.unwrap_or(0), bytes.unwrap_or(0));
        (name, TableSize { rows, is_counted: false, bytes })
    };
    let rows = connection.query(sql).map_err(|error| error.failure)?;
    Ok(rows.into_iter().map(size).collect())
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn prepare_own(
    server: &dyn SqlServer,
    own: &Transactions,
    preparing: &mut Preparing<'_>,
) -> Result<Prepared, Failure> {
    if own.data.is_as_found() && (preparing.is_private || own.data.undo.is_empty()) {
        return Ok(Prepared::nothing());
    }
    let mut order = OwnDataOrder {
        seed: preparing.seed,
        connections: preparing.connections.unwrap_or_else(filling_connections),
        is_private: preparing.is_private,
        may_write: own.writes && preparing.may_write,
        stop: preparing.stop,
        progress: preparing.progress,
    };
    match own.data.is_as_found() {
        true => system::own_data::undo(server, &own.data, &mut order),
        false => system::own_data::prepare(server, &own.data, &mut order),
    }
}

/// What [`prepare_own`] would do now, where there is anything to do at all; changes nothing.
fn dry_run(
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
