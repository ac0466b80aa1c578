//! The register of what weighin has made: a table beside the data, which is written before anything is
//! made, so that whatever becomes of weighin, it is known what is its own.

use super::{DataObject, SqlConnection, SqlServer, while_doing};
use model::{Failure, FailureKind};
use workload::data::{Cell, ObjectKind};

/// The name of the register.
pub const REGISTER: &str = "weighin_data";
const COLUMNS: &str =
    "kind VARCHAR(16) NOT NULL, name VARCHAR(200) NOT NULL, PRIMARY KEY (kind, name)";
/// The kind of the row that says what finished data was made from.
const MADE: &str = "made from";
/// The kind of the row that says that trials have written to it.
const USED: &str = "used";

/// What the register says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Register {
    /// What weighin has made, or was about to make.
    pub(super) objects: Vec<(ObjectKind, String)>,
    /// What finished data was made from.
    pub(super) made_from: Option<u64>,
    pub(super) is_used: bool,
}

impl Register {
    /// Reads it; `None` where there is none.
    pub(super) fn read(
        server: &dyn SqlServer,
        connection: &mut dyn SqlConnection,
        present: &[DataObject],
    ) -> Result<Option<Self>, Failure> {
        let Some(found) = present.iter().find(|object| object.name == REGISTER) else {
            return Ok(None);
        };
        if !found.is_marked {
            return Err(Failure::new(
                FailureKind::ForeignTables,
                format!(
                    "the database {} holds a table {REGISTER} that weighin did not make",
                    server.database()
                ),
                "use a database of its own for weighin",
            ));
        }
        let sql = format!("SELECT kind, name FROM {}", server.quoted(REGISTER));
        let rows = connection.query(&sql).map_err(|e| while_doing("the register", e.failure))?;
        let mut register = Self::default();
        for row in rows {
            let mut fields = row.into_iter().map(|field| {
                String::from_utf8_lossy(field.unwrap_or_default().as_slice()).into_owned()
            });
            let (kind, name) =
                (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            match kind.as_str() {
                MADE => register.made_from = u64::from_str_radix(&name, 16).ok(),
                USED => register.is_used = true,
                kind => {
                    register.objects.extend(ObjectKind::from_name(kind).map(|kind| (kind, name)));
                }
            }
        }
        Ok(Some(register))
    }

    /// Makes an empty one.
    pub(super) fn make(
        server: &dyn SqlServer,
        connection: &mut dyn SqlConnection,
    ) -> Result<(), Failure> {
        for sql in server.make_marked_table(REGISTER, COLUMNS, "register of own data") {
            connection.execute(&sql).map_err(|e| while_doing("making the register", e.failure))?;
        }
        Ok(())
    }

    /// Whether a table is in it.
    pub(super) fn has_table(&self, name: &str) -> bool {
        self.objects.iter().any(|(kind, known)| *kind == ObjectKind::Table && known == name)
    }

    /// Whether an object is weighin's: it is in the register, and carries the mark where the data was
    /// finished, for what is finished is marked as well.
    pub(super) fn has(&self, object: &DataObject) -> bool {
        let named = |(kind, name): &(ObjectKind, String)| {
            Some(*kind) == object.kind && *name == object.name
        };
        let is_marked =
            object.is_marked || self.made_from.is_none() || object.kind != Some(ObjectKind::Table);
        is_marked && self.objects.iter().any(named)
    }
}

/// Notes what is about to be made.
pub(super) fn note(
    server: &dyn SqlServer,
    connection: &mut dyn SqlConnection,
    kind: &str,
    name: &str,
) -> Result<(), Failure> {
    let (kind, name) = (text(server, kind), text(server, name));
    let sql =
        format!("INSERT INTO {} (kind, name) VALUES ({kind}, {name})", server.quoted(REGISTER));
    write(connection, &sql)
}

/// Notes that it is there no more.
pub(super) fn forget(
    server: &dyn SqlServer,
    connection: &mut dyn SqlConnection,
    kind: ObjectKind,
    name: &str,
) -> Result<(), Failure> {
    let (kind, name) = (text(server, kind.name()), text(server, name));
    let register = server.quoted(REGISTER);
    write(connection, &format!("DELETE FROM {register} WHERE kind = {kind} AND name = {name}"))
}

fn text(server: &dyn SqlServer, text: &str) -> String {
    let mut sql = Vec::new();
    server.write_cell(Cell::Text(text.as_bytes()), &mut sql);
    String::from_utf8_lossy(&sql).into_owned()
}

fn write(connection: &mut dyn SqlConnection, sql: &str) -> Result<(), Failure> {
    let written = connection.execute(sql);
    written.map(drop).map_err(|error| while_doing("writing to the register", error.failure))
}

/// Notes that the data is finished.
pub(super) fn note_made(
    server: &dyn SqlServer,
    connection: &mut dyn SqlConnection,
    fingerprint: u64,
) -> Result<(), Failure> {
    note(server, connection, MADE, &format!("{fingerprint:016x}"))
}

/// Notes that trials are about to change the data: whoever finds it then makes it anew. Nothing where
/// there is no register, or that is known already.
///
/// # Errors
/// When the server refuses.
pub fn mark_used(server: &dyn SqlServer) -> Result<(), Failure> {
    let mut connection = server.connect()?;
    let present = server.objects(connection.as_mut())?;
    match Register::read(server, connection.as_mut(), &present)? {
        Some(register) if !register.is_used => note(server, connection.as_mut(), USED, "yes"),
        _ => Ok(()),
    }
}

/// Drops all that is weighin's by a register, and the register.
pub(super) fn drop_all(
    server: &dyn SqlServer,
    connection: &mut dyn SqlConnection,
    register: &Register,
    present: &[DataObject],
) -> Result<Vec<String>, Failure> {
    let own = present.iter().filter(|object| register.has(object));
    let own: Vec<(ObjectKind, String)> =
        own.filter_map(|object| Some((object.kind?, object.name.clone()))).collect();
    let mut all = server.drop_objects(&own);
    all.extend(server.drop_objects(&[(ObjectKind::Table, REGISTER.to_owned())]));
    for sql in all {
        connection
            .execute(&sql)
            .map_err(|error| while_doing("dropping weighin's own data", error.failure))?;
    }
    Ok(own.into_iter().map(|(_, name)| name).collect())
}

/// Drops all that weighin has made of own data in a database, and returns the names of it; none where
/// there is nothing of the kind.
///
/// # Errors
/// When the server refuses.
pub fn clean_up(server: &dyn SqlServer) -> Result<Vec<String>, Failure> {
    let mut connection = server.connect()?;
    let present = server.objects(connection.as_mut())?;
    match Register::read(server, connection.as_mut(), &present)? {
        Some(register) => drop_all(server, connection.as_mut(), &register, &present),
        None => Ok(Vec::new()),
    }
}
