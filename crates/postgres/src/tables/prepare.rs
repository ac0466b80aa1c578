use super::check::check_table;
use super::{inspect, schema};
use crate::client::connect;
use crate::client::{ClientError, Connection};
use engine::cpus_allowed;
use model::{Failure, FailureKind, Oltp};
use sql::tables::{Filling, Maker, Piece, mark};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use system::{DataPlan, Login, Prepared, Preparing};
use workload::oltp::{RowSource, drop_table, name_of, table_name};

/// Bytes handed to COPY at a time.
const CHUNK_BYTES: usize = 256 * 1024;
/// Most connections that fill tables at the same time, unless told otherwise.
const MAX_CONNECTIONS: u32 = 4;

/// Makes sure that the tables of a workload are there with all their rows, and makes what is
/// missing with several connections at once.
///
/// # Errors
/// `ForeignTables` when that would need making tables beside somebody else's, `MissingTables`
/// when somebody else's tables are too small or of another shape, and whatever the server says.
/// [`Failure::stopped`]: tables that are unfinished then are marked so, and made anew the next time.
pub fn prepare(
    login: &Login,
    control: &mut Connection,
    workload: &Oltp,
    preparing: &mut Preparing<'_>,
) -> Result<Prepared, Failure> {
    let &mut Preparing { seed, connections, stop, ref mut progress, .. } = preparing;
    let began = Instant::now();
    let present = inspect::tables(control)?;
    let to_do = sql::tables::to_do(workload, &present, &login.address().database)?;
    for &number in &to_do.foreign {
        check_table(control, workload, number)?;
    }
    for &number in &to_do.replace {
        run(control, &drop_table(number))?;
    }
    let fill = to_do.fill();
    for &number in &fill {
        run(control, &schema::create_table(workload, number, mark::unfinished())?)?;
    }
    if !fill.is_empty() {
        let maker = Rows { login, workload, seed };
        let connections = connections.unwrap_or_else(filling_connections);
        Filling::new(&maker, workload, &fill, stop).run(connections, *progress)?;
        checkpoint(control)?;
    }
    Ok(to_do.done(workload, &inspect::tables(control)?, began.elapsed()))
}

/// Connections that fill tables at the same time, unless told otherwise.
pub(crate) fn filling_connections() -> u32 {
    cpus_allowed().min(MAX_CONNECTIONS)
}

/// What [`prepare`] would do now; changes nothing. Also the names of the tables that it would keep.
///
/// # Errors
/// As [`prepare`], as far as that can be told beforehand.
pub(crate) fn dry_run(
    login: &Login,
    control: &mut Connection,
    workload: &Oltp,
) -> Result<(DataPlan, Vec<String>), Failure> {
    let present = inspect::tables(control)?;
    let to_do = sql::tables::to_do(workload, &present, &login.address().database)?;
    for &number in &to_do.foreign {
        check_table(control, workload, number)?;
    }
    Ok(to_do.described(workload, &present))
}

/// What filling left to be written is written now, and not while a load is measured. An account that
/// may not ask for that leaves it to the server.
fn checkpoint(control: &mut Connection) -> Result<(), Failure> {
    match control.execute_long("CHECKPOINT") {
        Ok(_) => Ok(()),
        Err(error) if error.sql_state() == Some("42501") => Ok(()),
        Err(error) => Err(error.failure("cannot make a checkpoint")),
    }
}

fn run(control: &mut Connection, sql: &str) -> Result<u64, Failure> {
    control.execute_long(sql).map_err(|e| e.failure(&format!("cannot run «{sql}»")))
}

/// Counts the rows of a table that was just filled.
fn check_count(control: &mut Connection, workload: &Oltp, number: u32) -> Result<(), Failure> {
    let name = table_name(number);
    let rows = inspect::number(control, &format!("SELECT count(*) FROM {name}"))?;
    if rows == Some(u64::from(workload.table_size)) {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::MissingTables,
        format!(
            "{name} has {} rows after preparing it with {}",
            rows.unwrap_or(0),
            workload.table_size
        ),
        "see whether something else writes to this database, and prepare again",
    ))
}

/// How rows get into the tables.
struct Rows<'a> {
    login: &'a Login,
    workload: &'a Oltp,
    seed: u64,
}

impl Maker for Rows<'_> {
    type Connection = Connection;

    fn connect(&self) -> Result<Connection, Failure> {
        connect(self.login)
    }

    fn fill(
        &self,
        connection: &mut Connection,
        piece: Piece,
        rows: &AtomicU64,
    ) -> Result<(), Failure> {
        let table = name_of(self.workload, piece.table);
        self.copy(connection, piece, &table, rows)
            .map(drop)
            .map_err(|e| e.failure(&format!("cannot fill the table {table}")))
    }

    fn finish(&self, connection: &mut Connection, table: u32) -> Result<(), Failure> {
        for sql in schema::create_indexes(self.workload, table) {
            run(connection, &sql)?;
        }
        if let Some(sql) = schema::set_sequence(self.workload, table) {
            run(connection, &sql)?;
        }
        let name = name_of(self.workload, table);
        // Hint bits and statistics are there before the first load, and autovacuum has nothing to do.
        run(connection, &format!("VACUUM ANALYZE {name}"))?;
        check_count(connection, self.workload, table)?;
        let comment = mark::finished(self.workload);
        run(connection, &format!("COMMENT ON TABLE {name} IS '{comment}'"))?;
        Ok(())
    }
}

impl Rows<'_> {
    fn copy(
        &self,
        connection: &mut Connection,
        piece: Piece,
        table: &str,
        count: &AtomicU64,
    ) -> Result<u64, ClientError> {
        let mut rows = RowSource::new(self.workload, self.seed, piece.table, piece.from, piece.to);
        // Rows are digits and hyphens: there is nothing to escape.
        connection.copy_in(&format!("COPY {table} (id, k, c, pad) FROM STDIN"), &mut |out| {
            let full = out.len() + CHUNK_BYTES;
            let mut made = 0;
            let mut more = true;
            while more && out.len() < full {
                more = rows.append(["", "\t", "\t", "\t", "\n"], out);
                made += u64::from(more);
            }
            count.fetch_add(made, Ordering::Relaxed);
            more
        })
    }
}
