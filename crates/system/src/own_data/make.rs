//! Makes data, unless it is there already.

use super::register::{self, Register};
use super::source::{CsvRows, GeneratedRows};
use super::work::Work;
use super::{DataObject, SqlConnection, SqlServer, shortened, while_doing};
use crate::{DataPlan, Prepared, Step};
use model::{
    ColumnValues, DataSource, Failure, FailureKind, GeneratedColumn, Nulls, OwnData, Restore,
    RowGenerator, Stop,
};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use workload::data::{ObjectKind, References, RowMaker};

/// How often progress is told.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Values of a column that others refer to, which are read at a time.
const VALUES_AT_ONCE: usize = 50_000;
/// Most of them, and most bytes that they take.
const MOST_VALUES: usize = 5_000_000;
const MOST_VALUE_BYTES: usize = 128 << 20;

/// How data is to be made.
pub struct OwnDataOrder<'a> {
    pub seed: u64,
    pub connections: u32,
    /// Whether weighin made the server: all in it is its own.
    pub is_private: bool,
    /// Whether study and command line let weighin write to a server that it did not make.
    pub may_write: bool,
    pub stop: &'a Stop,
    pub progress: &'a mut dyn FnMut(Step),
}

/// What has to happen.
enum ToDo {
    Keep,
    Make { present: Vec<DataObject>, register: Option<Register> },
}

/// Makes sure that the data is there: as it was made from the same, and as no trial has changed it where
/// trials are undone.
///
/// # Errors
/// `ForeignTables` where the database holds what weighin did not make, `NotPermitted` where it may not
/// write, and what the server has against it; [`Failure::stopped`]. What is unfinished then is made anew
/// the next time.
pub fn prepare(
    server: &dyn SqlServer,
    data: &OwnData,
    order: &mut OwnDataOrder<'_>,
) -> Result<Prepared, Failure> {
    let began = Instant::now();
    let mut connection = server.connect()?;
    let mut made = 0;
    if let ToDo::Make { present, register } = to_do(server, data, order, connection.as_mut())? {
        if let Some(register) = register {
            register::drop_all(server, connection.as_mut(), &register, &present)?;
        }
        made = make(server, data, order)?;
    }
    let bytes = server.bytes(connection.as_mut())?;
    Ok(Prepared {
        noun: "table",
        made,
        all_new: made > 0,
        foreign: 0,
        bytes,
        elapsed: began.elapsed(),
    })
}

/// What [`prepare`] would do now; changes nothing.
///
/// # Errors
/// As [`prepare`], as far as that can be told beforehand.
pub fn dry_run(
    server: &dyn SqlServer,
    data: &OwnData,
    order: &OwnDataOrder<'_>,
) -> Result<DataPlan, Failure> {
    let mut connection = server.connect()?;
    let generated = data.load.iter().filter(|source| matches!(source, DataSource::Rows(_)));
    let plan = DataPlan { noun: "table", ..DataPlan::default() };
    Ok(match to_do(server, data, order, connection.as_mut())? {
        ToDo::Keep => {
            let present = server.objects(connection.as_mut())?;
            let register = Register::read(server, connection.as_mut(), &present)?;
            let keep = register.map_or(0, |register| tables(&register).count());
            DataPlan { keep, bytes: server.bytes(connection.as_mut())?, ..plan }
        }
        ToDo::Make { register, .. } => {
            let old = register.unwrap_or_default();
            let replace = tables(&old).map(str::to_owned).collect();
            // What scripts make is known when they have run.
            DataPlan { make: generated.count(), replace, ..plan }
        }
    })
}

/// Whether a load by hand meets its data, as it was made or as loads have left it; where it `changes` that,
/// whoever finds it later then makes it anew.
///
/// # Errors
/// `MissingTables` where it is not there.
pub fn check(
    server: &dyn SqlServer,
    data: &OwnData,
    seed: u64,
    changes: bool,
) -> Result<(), Failure> {
    if data.is_as_found() {
        return Ok(());
    }
    let mut connection = server.connect()?;
    let present = server.objects(connection.as_mut())?;
    let register = Register::read(server, connection.as_mut(), &present)?;
    let as_left = OwnData { restore: Restore::None, ..data.clone() };
    match register {
        Some(known) if is_as_made(&known, &present, &as_left, seed) => match changes {
            true => register::mark_used(server),
            false => Ok(()),
        },
        _ => Err(Failure::new(
            FailureKind::MissingTables,
            format!(
                "the data of the workload is not in the database {}, or was made in another size or with \
                 another seed",
                server.database()
            ),
            "make it by weighin prepare with the same --built-in, --set and --seed",
        )),
    }
}

fn tables(register: &Register) -> impl Iterator<Item = &str> {
    let tables = register.objects.iter().filter(|(kind, _)| *kind == ObjectKind::Table);
    tables.map(|(_, name)| name.as_str())
}

fn to_do(
    server: &dyn SqlServer,
    data: &OwnData,
    order: &OwnDataOrder<'_>,
    connection: &mut dyn SqlConnection,
) -> Result<ToDo, Failure> {
    if data.is_as_found() {
        return Ok(ToDo::Keep);
    }
    let present = server.objects(connection)?;
    let register = Register::read(server, connection, &present)?;
    if register.as_ref().is_some_and(|known| is_as_made(known, &present, data, order.seed)) {
        return Ok(ToDo::Keep);
    }
    if !order.is_private {
        refuse_unless_allowed(server, order)?;
        refuse_others(server, register.as_ref(), &present)?;
    }
    Ok(ToDo::Make { present, register })
}

/// Whether all is there that was made, from the same, and as it was made.
fn is_as_made(register: &Register, present: &[DataObject], data: &OwnData, seed: u64) -> bool {
    let is_there = |(kind, name): &(ObjectKind, String)| {
        present.iter().any(|object| {
            object.name == *name && object.kind == Some(*kind) && register.has(object)
        })
    };
    register.made_from == Some(data.fingerprint(seed))
        && (!register.is_used || data.restore == Restore::None)
        && register.objects.iter().all(is_there)
}

fn refuse_unless_allowed(server: &dyn SqlServer, order: &OwnDataOrder<'_>) -> Result<(), Failure> {
    if order.may_write {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::NotPermitted,
        format!(
            "the data of the workload would have to be made in the database {}, which the study \
             reaches by a URL, and nothing allows weighin to write there",
            server.database()
        ),
        "name a database of its own for weighin in the URL; then write writes = true in the test, and add \
         --allow-writes to the command",
    ))
}

fn refuse_others(
    server: &dyn SqlServer,
    register: Option<&Register>,
    present: &[DataObject],
) -> Result<(), Failure> {
    let is_own = |object: &&DataObject| {
        object.is_marked || register.is_some_and(|register| register.has(object))
    };
    let others: Vec<&str> = present
        .iter()
        .filter(|object| !is_own(object))
        .map(|object| object.name.as_str())
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    let shown = others.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    let more = if others.len() > 3 { ", …" } else { "" };
    Err(Failure::new(
        FailureKind::ForeignTables,
        format!(
            "the database {} holds what weighin did not make ({shown}{more}): it makes the data of a \
             workload beside nothing of others",
            server.database()
        ),
        "use a database of its own for weighin (CREATE DATABASE); or leave `setup` and `load` out of the \
         test to run it on what is there",
    ))
}

/// Makes the data in a database that holds none of it, and returns how many tables it has.
fn make(
    server: &dyn SqlServer,
    data: &OwnData,
    order: &mut OwnDataOrder<'_>,
) -> Result<u32, Failure> {
    let mut connection = server.connect()?;
    Register::make(server, connection.as_mut())?;
    let elsewhere = match order.is_private {
        true => None,
        false => Some(server.other_databases(connection.as_mut())?),
    };
    let connections = order.connections;
    let work = Work::new(server, connections, order.stop, elsewhere, connection, amount(data));
    let seed = order.seed;
    carry_out(&work, order, || work.make_all(data, seed))
}

/// Runs the scripts that undo what trials changed of data that weighin did not make.
///
/// # Errors
/// `NotPermitted` where it may not write, and what the server has against it; [`Failure::stopped`].
pub fn undo(
    server: &dyn SqlServer,
    data: &OwnData,
    order: &mut OwnDataOrder<'_>,
) -> Result<Prepared, Failure> {
    if !order.may_write {
        return Err(may_not_undo());
    }
    let began = Instant::now();
    let mut connection = server.connect()?;
    let elsewhere = Some(server.other_databases(connection.as_mut())?);
    let amount = data.undo.iter().map(|file| file.bytes).sum();
    let work = Work::new(server, order.connections, order.stop, elsewhere, connection, amount);
    let work = work.unregistered();
    carry_out(&work, order, || data.undo.iter().try_for_each(|file| work.run_script(file)))?;
    Ok(Prepared { elapsed: began.elapsed(), ..Prepared::nothing() })
}

/// Nothing lets weighin change data that is there.
pub(crate) fn may_not_undo() -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        "nothing allows weighin to undo what the scripts of the study change",
        "write writes = true in the test, and add --allow-writes to the command",
    )
}

/// Does a work, and tells meanwhile how far it has come.
fn carry_out<T: Send>(
    work: &Work<'_>,
    order: &mut OwnDataOrder<'_>,
    task: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let (sender, ended) = mpsc::channel();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            // The receiver outlives the scope.
            let _ = sender.send(task());
        });
        loop {
            match ended.recv_timeout(POLL_INTERVAL) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Timeout) => (order.progress)(work.step()),
                // Its panic ends the scope.
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::stopped()),
            }
        }
    });
    (order.progress)(work.step());
    // What fails while everything is being stopped has not failed.
    work.check_stop()?;
    outcome
}

/// How much there is to do: bytes of files, and rows.
fn amount(data: &OwnData) -> u64 {
    let loaded = data.load.iter().map(|source| match source {
        DataSource::Script(file) | DataSource::Csv { file, .. } => file.bytes,
        DataSource::Rows(rows) => rows.rows.into(),
    });
    data.setup.iter().map(|file| file.bytes).chain(loaded).sum()
}

impl Work<'_> {
    fn make_all(&self, data: &OwnData, seed: u64) -> Result<u32, Failure> {
        for file in &data.setup {
            self.run_script(file)?;
        }
        for source in &data.load {
            self.check_stop()?;
            match source {
                DataSource::Script(file) => self.run_script(file)?,
                DataSource::Csv { table, file } => {
                    self.fill(&CsvRows::open(table, file, &|| self.check_stop())?)?;
                }
                DataSource::Rows(generator) => {
                    let references = self.references(generator, data)?;
                    let maker = RowMaker::new(generator, seed, &references).map_err(|error| {
                        let help = "the expressions of a study are read before it runs";
                        Failure::new(FailureKind::Other, error.to_string(), help)
                    })?;
                    self.fill(&GeneratedRows::new(generator, maker)?)?;
                }
            }
        }
        self.finish(data.fingerprint(seed))
    }

    /// Marks all tables and notes that they are finished.
    fn finish(&self, fingerprint: u64) -> Result<u32, Failure> {
        let noted = &mut *self.noted();
        let connection = noted.connection.as_mut();
        let present = self.server.objects(connection)?;
        // What a script drops again is not there, and what a procedure made was not foreseen.
        let known = |object: &&DataObject| object.is_marked || noted.register.has(object);
        if let Some(other) = present.iter().find(|object| !known(object)) {
            return Err(Failure::new(
                FailureKind::ForeignTables,
                format!(
                    "{} came to be while the data was made, by no statement that says so",
                    other.name
                ),
                "make tables by CREATE TABLE in the scripts, and let nothing else use the database \
                 meanwhile",
            ));
        }
        let mut tables = 0;
        for (kind, name) in &noted.register.objects {
            if !present.iter().any(|object| object.name == *name && object.kind == Some(*kind)) {
                register::forget(self.server, connection, *kind, name)?;
            } else if *kind == ObjectKind::Table {
                let mark = self.server.mark_table(name, &format!("own data {fingerprint:016x}"));
                for sql in self.server.settle_table(name).into_iter().chain([mark]) {
                    self.check_stop()?;
                    connection
                        .execute(&sql)
                        .map_err(|error| while_doing(&shortened(&sql), error.failure))?;
                }
                tables += 1;
            }
        }
        register::note_made(self.server, connection, fingerprint)?;
        Ok(tables)
    }

    fn references(
        &self,
        generator: &RowGenerator,
        data: &OwnData,
    ) -> Result<Vec<References>, Failure> {
        let of = |column: &GeneratedColumn| match &column.values {
            ColumnValues::Of { table, column, .. } => Some(match generated(data, table, column) {
                Some(known) => Ok(known),
                None => self.values_of(table, column),
            }),
            _ => None,
        };
        generator.columns.iter().filter_map(of).collect()
    }

    /// The values that a column has.
    fn values_of(&self, table: &str, column: &str) -> Result<References, Failure> {
        let mut connection = self.server.connect()?;
        let (from, name) = (self.server.quoted(table), self.server.quoted(column));
        let mut values: Vec<Box<[u8]>> = Vec::new();
        let mut bytes = 0;
        loop {
            self.check_stop()?;
            let mut after = format!("WHERE {name} IS NOT NULL").into_bytes();
            if let Some(last) = values.last() {
                after = format!("WHERE {name} > ").into_bytes();
                self.server.write_cell(workload::data::Cell::Text(last), &mut after);
            }
            let after = String::from_utf8_lossy(&after);
            let sql = format!(
                "SELECT DISTINCT {name} FROM {from} {after} ORDER BY {name} LIMIT {VALUES_AT_ONCE}"
            );
            let rows = connection.query(&sql).map_err(|error| {
                while_doing(&format!("reading {table}.{column}"), error.failure)
            })?;
            let count = rows.len();
            for value in rows.into_iter().filter_map(|row| row.into_iter().next().flatten()) {
                bytes += value.len() + size_of::<Box<[u8]>>();
                values.push(value.into());
            }
            if values.len() > MOST_VALUES || bytes > MOST_VALUE_BYTES {
                return Err(no_reference(table, column, "has too many values to refer to"));
            }
            if count < VALUES_AT_ONCE {
                break;
            }
        }
        match values.is_empty() {
            true => Err(no_reference(table, column, "has no value to refer to")),
            false => Ok(References::Listed(Arc::new(values))),
        }
    }
}

/// The values of a column that is a sequence of another generator.
fn generated(data: &OwnData, table: &str, column: &str) -> Option<References> {
    data.load.iter().find_map(|source| {
        let DataSource::Rows(rows) = source else { return None };
        let found =
            rows.columns.iter().find(|found| found.name == column && found.nulls == Nulls::NONE);
        match &found.filter(|_| rows.table == table)?.values {
            ColumnValues::Sequence { first } => {
                Some(References::Numbers { first: *first, count: rows.rows })
            }
            _ => None,
        }
    })
}

fn no_reference(table: &str, column: &str, what: &str) -> Failure {
    Failure::new(
        FailureKind::Other,
        format!("{table}.{column}, which another table's column is of, {what}"),
        "fill that table first: `load` goes in the order of the study",
    )
}
