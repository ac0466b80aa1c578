//! What has become of data: invariants, and how large tables are.

use super::register::Register;
use super::{SqlConnection, SqlRows, SqlServer};
use model::{BrokenInvariant, Failure, Invariant, SqlSyntax, TableSize, Transactions};
use workload::own;

/// Bytes of tables whose rows are counted, all of them together: as many as are read in a second or two where
/// none is in memory. Of those beyond, the server's estimates are taken.
const COUNTED_BYTES: u64 = 256 << 20;
/// Most tables that are looked at.
const MOST_TABLES: usize = 200;
/// Characters of an answer that are kept of one that should not have come.
const LONGEST_SHOWN: usize = 200;

/// Checks what must hold of the data, and returns what does not.
///
/// # Errors
/// When the server is not reached; [`Failure::stopped`].
pub fn check_invariants(
    server: &dyn SqlServer,
    invariants: &[Invariant],
) -> Result<Vec<BrokenInvariant>, Failure> {
    let mut connection = server.connect()?;
    let mut broken = Vec::new();
    for invariant in invariants {
        let came = match connection.query(&invariant.sql) {
            Ok(rows) => text(&rows),
            Err(error) if error.failure.is_stop() => return Err(error.failure),
            // That it cannot be asked is no proof that it holds.
            Err(error) => error.failure.message,
        };
        if came.trim() != invariant.gives.trim() {
            let (name, gives) = (invariant.name.clone(), invariant.gives.clone());
            broken.push(BrokenInvariant { name, gives, came: shown(&came) });
        }
    }
    Ok(broken)
}

/// An answer as invariants have it: fields joined by a comma, rows by a line feed, NULL as such.
fn text(rows: &SqlRows) -> String {
    let field = |field: &Option<Vec<u8>>| match field {
        Some(value) => String::from_utf8_lossy(value).into_owned(),
        None => "NULL".to_owned(),
    };
    let row = |row: &Vec<Option<Vec<u8>>>| row.iter().map(field).collect::<Vec<_>>().join(",");
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn shown(came: &str) -> String {
    let came = model::text::line(came);
    match came.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &came[..end]),
        None => came.into_owned(),
    }
}

/// How large the tables are that a workload may write, in order of name: those that weighin made; of a
/// database as it is, those that its writing statements name, or all where these name none, as where they call
/// procedures. The rows of the smallest are counted.
///
/// # Errors
/// When the server is not reached; [`Failure::stopped`].
pub fn table_sizes(
    server: &dyn SqlServer,
    transactions: &Transactions,
) -> Result<Vec<(String, TableSize)>, Failure> {
    let mut connection = server.connect()?;
    let mut tables = server.table_sizes(connection.as_mut())?;
    let present = server.objects(connection.as_mut())?;
    match Register::read(server, connection.as_mut(), &present)? {
        Some(register) => tables.retain(|(name, _)| register.has_table(name)),
        None => keep_written(server, transactions, &mut tables),
    }
    tables.sort_by_key(|(_, size)| size.bytes);
    let beyond = tables.len().saturating_sub(MOST_TABLES);
    tables.drain(..beyond);
    let mut left = COUNTED_BYTES;
    for (name, size) in &mut tables {
        let Some(rest) = left.checked_sub(size.bytes) else { break };
        left = rest;
        if let Some(rows) = count(server, connection.as_mut(), name)? {
            (size.rows, size.is_counted) = (rows, true);
        }
    }
    tables.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(tables)
}

/// Leaves the tables that writing statements name.
fn keep_written(
    server: &dyn SqlServer,
    transactions: &Transactions,
    tables: &mut Vec<(String, TableSize)>,
) {
    let syntax = server.login().system().facts().sql.copied().unwrap_or(SqlSyntax::STANDARD);
    let writing = own::writing_statements(transactions, syntax);
    let is_named = |(name, _): &(String, TableSize)| {
        writing.iter().any(|statement| own::names_table(statement, name))
    };
    if tables.iter().any(is_named) {
        tables.retain(is_named);
    }
}

/// How many rows a table has; `None` where the account may not read it.
fn count(
    server: &dyn SqlServer,
    connection: &mut dyn SqlConnection,
    table: &str,
) -> Result<Option<u64>, Failure> {
    match connection.query(&format!("SELECT COUNT(*) FROM {}", server.quoted(table))) {
        Ok(rows) => Ok(text(&rows).parse().ok()),
        Err(error) if error.failure.is_stop() => Err(error.failure),
        Err(_) => Ok(None),
    }
}
