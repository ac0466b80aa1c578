use super::check::check_table;
use super::{inspect, mark};
use crate::client::{ClientError, Connection};
use crate::{connect, filling_connections};
use engine::Stop;
use model::{Failure, FailureKind, Oltp};
use sql::tables::{Filling, Maker, Piece};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use system::{DataPlan, Preparing};
use system::{Login, Prepared, Step};
use workload::oltp::{RowSource, create_index, create_table, drop_table, name_of, table_name};

/// Bytes of one INSERT, where LOAD DATA is not allowed; below the smallest usual
/// `max_allowed_packet`.
const INSERT_BYTES: usize = 512 * 1024;
/// Bytes handed to LOAD DATA at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// Makes sure that the tables of a workload are there with all their rows, and makes what is
/// missing with that many connections at once.
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
    let &mut Preparing { seed, connections, stop, ref mut progress } = preparing;
    let began = Instant::now();
    let database = &login.address().database;
    let present = inspect::tables(control)?;
    let to_do = sql::tables::to_do(workload, &present, database)?;
    for &number in &to_do.foreign {
        check_table(control, workload, number, &present)?;
    }
    for &number in &to_do.replace {
        run(control, &drop_table(number))?;
    }
    let fill = to_do.fill();
    for &number in &fill {
        run(control, &create_table(workload, number, Some(mark::unfinished())))?;
    }
    if !fill.is_empty() {
        let finish = |connection: &mut Connection, number| {
            check_count(connection, workload, number)?;
            let comment = mark::finished(workload);
            run(connection, &format!("ALTER TABLE {} COMMENT='{comment}'", table_name(number)))?;
            Ok(())
        };
        let maker = Rows { login, workload, seed, finish: &finish };
        let filling = Filling::new(&maker, workload, &fill, stop);
        filling.run(connections.unwrap_or_else(filling_connections), *progress)?;
    }
    Ok(to_do.done(workload, &inspect::tables(control)?, began.elapsed()))
}

/// Tables that the user asks for by name.
#[derive(Clone, Copy, Debug)]
pub struct ToMake<'a> {
    /// Their numbers.
    pub numbers: &'a [u32],
    /// Rows for each; 0 for empty tables.
    pub rows: u32,
    /// Seeds the values of the rows.
    pub seed: u64,
}

/// Makes tables that are not there yet, beside whatever else the database holds, and does not mark
/// them as weighin's.
///
/// # Errors
/// When one is there already, and whatever else the server says; [`Failure::stopped`] before all
/// rows were there.
pub fn make(
    login: &Login,
    control: &mut Connection,
    workload: &Oltp,
    tables: &ToMake<'_>,
    threads: u32,
    stop: &Stop,
    progress: &mut dyn FnMut(Step),
) -> Result<(), Failure> {
    for &number in tables.numbers {
        run(control, &create_table(workload, number, None))?;
    }
    if tables.rows == 0 {
        for &number in tables.numbers {
            if let Some(sql) = create_index(workload, number) {
                run(control, &sql)?;
            }
        }
        return Ok(());
    }
    let finish = |_: &mut Connection, _| Ok(());
    let maker = Rows { login, workload, seed: tables.seed, finish: &finish };
    Filling::new(&maker, workload, tables.numbers, stop).run(threads, progress)
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
        check_table(control, workload, number, &present)?;
    }
    Ok(to_do.described(workload, &present))
}

/// Counts the rows of a table that was just filled.
fn check_count(control: &mut Connection, workload: &Oltp, number: u32) -> Result<(), Failure> {
    let name = table_name(number);
    let rows = inspect::number(control, &format!("SELECT COUNT(*) FROM {name}"))?;
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

fn run(control: &mut Connection, sql: &str) -> Result<u64, Failure> {
    control.execute_long(sql).map_err(|e| e.failure(&format!("cannot run «{sql}»")))
}

/// What is left to do with a table that has all its rows and its index.
type Finish<'a> = dyn Fn(&mut Connection, u32) -> Result<(), Failure> + Sync + 'a;

/// How rows get into the tables.
struct Rows<'a> {
    login: &'a Login,
    workload: &'a Oltp,
    seed: u64,
    finish: &'a Finish<'a>,
}

impl Maker for Rows<'_> {
    type Connection = Connection;

    /// The session's checks stay as they are: without them MariaDB sorts the rows of the first
    /// statement by itself before it stores them, which costs half as much again for rows that come in
    /// order.
    fn connect(&self) -> Result<Connection, Failure> {
        connect(self.login)
    }

    fn finish(&self, connection: &mut Connection, table: u32) -> Result<(), Failure> {
        if let Some(sql) = create_index(self.workload, table) {
            run(connection, &sql)?;
        }
        (self.finish)(connection, table)
    }

    fn fill(
        &self,
        connection: &mut Connection,
        piece: Piece,
        rows: &AtomicU64,
    ) -> Result<(), Failure> {
        match self.load_data(connection, piece, rows) {
            // LOAD DATA LOCAL is not allowed here, in the words of several servers.
            Err(error) if matches!(error.code(), Some(1148 | 3948 | 4166)) => {
                self.insert(connection, piece, rows)
            }
            other => other.map(drop),
        }
        .map_err(|e| {
            e.failure(&format!("cannot fill the table {}", name_of(self.workload, piece.table)))
        })
    }
}

impl Rows<'_> {
    fn rows_of(&self, piece: Piece) -> RowSource {
        RowSource::new(self.workload, self.seed, piece.table, piece.from, piece.to)
    }

    fn load_data(
        &self,
        connection: &mut Connection,
        piece: Piece,
        count: &AtomicU64,
    ) -> Result<u64, ClientError> {
        let mut rows = self.rows_of(piece);
        // Rows are digits and hyphens: there is nothing to convert, and nothing to escape.
        let sql = format!(
            "LOAD DATA LOCAL INFILE 'weighin' INTO TABLE {} CHARACTER SET binary \
             FIELDS ESCAPED BY '' (id, k, c, pad)",
            name_of(self.workload, piece.table)
        );
        connection.load_local(&sql, &mut |out| {
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

    fn insert(
        &self,
        connection: &mut Connection,
        piece: Piece,
        count: &AtomicU64,
    ) -> Result<(), ClientError> {
        let mut rows = self.rows_of(piece);
        let start =
            format!("INSERT INTO {} (id, k, c, pad) VALUES ", name_of(self.workload, piece.table))
                .into_bytes();
        let mut more = true;
        while more {
            let mut sql = start.clone();
            let mut made = 0;
            while sql.len() < INSERT_BYTES {
                let first = if made == 0 { "(" } else { ",(" };
                more = rows.append([first, ",", ",'", "','", "')"], &mut sql);
                if !more {
                    break;
                }
                made += 1;
            }
            if made > 0 {
                connection.execute_long(&String::from_utf8_lossy(&sql))?;
                count.fetch_add(made, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}
