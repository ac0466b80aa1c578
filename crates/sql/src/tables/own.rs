//! Tables of weighin's own: those that no load runs on, those that are changed for a while, and which go.

use super::{TableInfo, is_test_table, mark, refuse_beside};
use crate::{Control, ControlError};
use model::{Failure, FailureKind, Oltp};
use workload::oltp::table_name;

/// A table that no load runs on.
#[derive(Clone, Copy, Debug)]
pub struct OwnTable {
    pub name: &'static str,
    /// As SQL.
    pub columns: &'static str,
    /// What it is for: its comment says so.
    pub purpose: &'static str,
}

impl OwnTable {
    /// What makes it.
    pub fn definition<C: Control>(&self) -> String {
        C::definition(self.name, self.columns, &mark::of_purpose(self.purpose))
    }

    /// Whether it may be made; changes nothing.
    ///
    /// # Errors
    /// `ForeignTables` where the database holds tables of others.
    pub fn check_room(&self, control: &mut impl Control, database: &str) -> Result<(), Failure> {
        refuse_beside(&control.tables()?, database, &format!("the table {}", self.name))
    }

    /// Makes it anew.
    ///
    /// # Errors
    /// `ForeignTables` where the database holds tables of others, and whatever the server says.
    pub fn make<C: Control>(&self, control: &mut C, database: &str) -> Result<(), Failure> {
        self.check_room(control, database)?;
        self.remove(control)?;
        control.run(&self.definition::<C>())
    }

    /// Makes it where it is missing, with a row.
    ///
    /// # Errors
    /// `ForeignTables` when somebody else's table is in its place, and whatever the server says.
    pub fn make_where_missing<C: Control>(
        &self,
        control: &mut C,
        row: &str,
    ) -> Result<(), Failure> {
        match self.is_ours(control)? {
            Some(true) => Ok(()),
            Some(false) => Err(Failure::new(
                FailureKind::ForeignTables,
                format!("weighin did not make the table {} of this database", self.name),
                "use a database of its own for weighin (CREATE DATABASE)",
            )),
            None => {
                control.run_long(&self.definition::<C>())?;
                control.run_long(row)
            }
        }
    }

    /// Drops it, where it is weighin's.
    ///
    /// # Errors
    /// Whatever the server says.
    pub fn remove(&self, control: &mut impl Control) -> Result<(), Failure> {
        match self.is_ours(control)? {
            Some(true) => control.run(&format!("DROP TABLE {}", self.name)),
            _ => Ok(()),
        }
    }

    /// Whether weighin made the table of that name; `None` where there is none.
    ///
    /// # Errors
    /// When tables cannot be listed.
    pub fn is_ours(&self, control: &mut impl Control) -> Result<Option<bool>, Failure> {
        let tables = control.tables()?;
        let table = tables.iter().find(|table| table.name == self.name);
        Ok(table.map(|table| mark::is_ours(&table.comment)))
    }
}

/// Marks a test table of weighin's own as unfinished, because it is going to be changed: were it left
/// so, it would be made anew.
///
/// # Errors
/// `ForeignTables` for a table that weighin did not make.
pub fn lend<C: Control>(control: &mut C, workload: &Oltp, number: u32) -> Result<(), Failure> {
    let name = table_name(number);
    let present = control.tables()?;
    let found = present.iter().find(|table| table.name == name);
    if found.is_none_or(|table| table.comment != mark::finished(workload)) {
        return Err(Failure::new(
            FailureKind::ForeignTables,
            format!("the table {name} is to be changed, and weighin did not make it as it is"),
            "use a database of its own for weighin (CREATE DATABASE), or a change of your own with \
             `sql` and `undo`",
        ));
    }
    control.run_long(&C::comment_on(&name, mark::unfinished()))
}

/// Marks it as finished again: it is as it was.
///
/// # Errors
/// Whatever the server says.
pub fn take_again<C: Control>(
    control: &mut C,
    workload: &Oltp,
    number: u32,
) -> Result<(), Failure> {
    control.run_long(&C::comment_on(&table_name(number), &mark::finished(workload)))
}

/// Drops the tables that weighin made, and those of somebody else that `also` names. Gives the names of
/// what was dropped, and those of test tables that weighin did not make, which are still there.
///
/// # Errors
/// When a named table does not exist or is not a test table, or the server refuses.
pub fn cleanup<C: Control>(
    control: &mut C,
    database: &str,
    also: &[String],
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let tables = control.tables()?;
    for name in also {
        if !is_test_table(name) {
            return Err(Failure::new(
                FailureKind::ForeignTables,
                format!("{name} is not a test table (sbtest1, sbtest2, …): weighin never drops it"),
                "drop it yourself if you are sure",
            ));
        }
        if !tables.iter().any(|table| table.name == *name) {
            return Err(Failure::new(
                FailureKind::MissingTables,
                format!("there is no table {name} in the database {database}"),
                format!("check the name {}", C::SHOWS_TABLES),
            ));
        }
    }
    let (mut dropped, mut kept) = (Vec::new(), Vec::new());
    let may_go = |table: &TableInfo| is_test_table(&table.name) || mark::is_ours(&table.comment);
    for TableInfo { name, comment, is_elsewhere, .. } in tables.into_iter().filter(may_go) {
        // What is in another schema was not made by weighin, whatever its comment says.
        if !is_elsewhere && (mark::is_ours(&comment) || also.contains(&name)) {
            control
                .execute_long(&format!("DROP TABLE {}", C::quoted(&name)))
                .map_err(|error| error.failure(&format!("cannot drop the table {name}")))?;
            dropped.push(name);
        } else {
            kept.push(name);
        }
    }
    Ok((dropped, kept))
}
