//! What has become of data: invariants, and how many rows there are.

use super::register::Register;
use super::{SqlConnection, SqlRows, SqlServer, while_doing};
use model::{BrokenInvariant, Failure, Invariant};
use workload::data::ObjectKind;

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

/// How many rows each table has that weighin made.
///
/// # Errors
/// When the server does not tell.
pub fn count_rows(server: &dyn SqlServer) -> Result<Vec<(String, u64)>, Failure> {
    let mut connection = server.connect()?;
    let present = server.objects(connection.as_mut())?;
    let register = Register::read(server, connection.as_mut(), &present)?.unwrap_or_default();
    let tables = register.objects.into_iter().filter(|(kind, _)| *kind == ObjectKind::Table);
    tables.map(|(_, name)| Ok((name.clone(), count(server, connection.as_mut(), &name)?))).collect()
}

fn count(
    server: &dyn SqlServer,
    connection: &mut dyn SqlConnection,
    table: &str,
) -> Result<u64, Failure> {
    let sql = format!("SELECT COUNT(*) FROM {}", server.quoted(table));
    let counted = connection.query(&sql);
    let rows = counted.map_err(|error| while_doing(&format!("counting {table}"), error.failure))?;
    Ok(text(&rows).parse().unwrap_or(0))
}
