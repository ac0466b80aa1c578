use super::check::check_table;
use super::inspect::{self, TableInfo};
use super::mark;
use super::plan::{self, ToDo};
use crate::client::{ClientError, Connection};
use crate::{connect, filling_connections};
use engine::Stop;
use host::size_in_words;
use model::{Failure, FailureKind, Oltp};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use system::{DataPlan, Preparing};
use system::{Login, Prepared, Step};
use workload::oltp::{RowSource, create_index, create_table, drop_table, name_of, table_name};

/// Rows of one statement: about 20 MB, so that undo and binary log stay bounded.
const ROWS_AT_ONCE: u32 = 100_000;
/// Bytes of one INSERT, where LOAD DATA is not allowed; below the smallest usual
/// `max_allowed_packet`.
const INSERT_BYTES: usize = 512 * 1024;
/// Bytes handed to LOAD DATA at a time.
const CHUNK_BYTES: usize = 256 * 1024;
/// How often progress is told.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

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
    let &mut Preparing { seed, connections, stop, ref mut progress, .. } = preparing;
    let began = Instant::now();
    let database = &login.address().database;
    let present = inspect::tables(control)?;
    let to_do = plan::to_do(workload, &present, database)?;
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
        let filling = Filling::new(login, workload, seed, &fill, stop, &finish);
        filling.run(connections.unwrap_or_else(filling_connections), *progress)?;
    }
    prepared(control, workload, &to_do, began)
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
    Filling::new(login, workload, tables.seed, tables.numbers, stop, &finish).run(threads, progress)
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
    let to_do = plan::to_do(workload, &present, &login.address().database)?;
    for &number in &to_do.foreign {
        check_table(control, workload, number, &present)?;
    }
    let fill = to_do.fill();
    let named = |number: u32| {
        let name = table_name(number);
        present.iter().find(|table| table.name == name)
    };
    let kept = (1..=workload.tables).filter(|number| fill.binary_search(number).is_err());
    let kept: Vec<&TableInfo> = kept.filter_map(named).collect();
    let replaced = to_do.replace.iter().filter_map(|&number| named(number));
    let described = replaced.map(|table| {
        let (name, bytes) = (&table.name, size_in_words(table.bytes));
        format!("{name} ({}; {bytes})", mark::noted(&table.comment).unwrap_or_default())
    });
    let new = workload.bytes_of_tables(fill.len().try_into().unwrap_or(u32::MAX));
    let plan = DataPlan {
        noun: "table",
        keep: kept.len(),
        foreign: to_do.foreign.len(),
        make: to_do.make.len(),
        replace: described.collect(),
        bytes: kept.iter().map(|table| table.bytes).sum::<u64>() + new,
    };
    Ok((plan, kept.into_iter().map(|table| table.name.clone()).collect()))
}

fn prepared(
    control: &mut Connection,
    workload: &Oltp,
    to_do: &ToDo,
    began: Instant,
) -> Result<Prepared, Failure> {
    let names: Vec<String> = (1..=workload.tables).map(table_name).collect();
    let bytes = inspect::tables(control)?
        .iter()
        .filter(|table| names.contains(&table.name))
        .map(|table| table.bytes)
        .sum();
    Ok(Prepared {
        noun: "table",
        made: to_do.fill().len() as u32,
        all_new: to_do.fill().len() as u32 == workload.tables,
        foreign: to_do.foreign.len() as u32,
        bytes,
        elapsed: began.elapsed(),
    })
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

/// A run of rows of one table, made by one statement or a few.
#[derive(Clone, Copy, Debug)]
struct Piece {
    table: u32,
    from: u32,
    to: u32,
}

/// What is left to do with a table that has all its rows and its index.
type Finish<'a> = dyn Fn(&mut Connection, u32) -> Result<(), Failure> + Sync + 'a;

/// Rows being made by several connections.
struct Filling<'a> {
    login: &'a Login,
    workload: &'a Oltp,
    seed: u64,
    stop: &'a Stop,
    finish: &'a Finish<'a>,
    pieces: Mutex<Vec<Piece>>,
    /// Pieces of each table that are not yet done; whoever does the last one builds the index and
    /// finishes the table, while others are still being filled.
    left: Vec<(u32, AtomicU64)>,
    rows: AtomicU64,
    of: u64,
}

impl<'a> Filling<'a> {
    fn new(
        login: &'a Login,
        workload: &'a Oltp,
        seed: u64,
        fill: &[u32],
        stop: &'a Stop,
        finish: &'a Finish<'a>,
    ) -> Self {
        let per_table = workload.table_size.div_ceil(ROWS_AT_ONCE);
        // Taken from the end: whole tables in order, so that connections work on different ones.
        let mut pieces: Vec<Piece> = (0..per_table)
            .flat_map(|index| fill.iter().map(move |&table| (index, table)))
            .map(|(index, table)| Piece {
                table,
                from: index * ROWS_AT_ONCE + 1,
                to: ((index + 1).saturating_mul(ROWS_AT_ONCE)).min(workload.table_size),
            })
            .collect();
        pieces.reverse();
        Self {
            login,
            workload,
            seed,
            stop,
            finish,
            pieces: Mutex::new(pieces),
            left: fill.iter().map(|&table| (table, AtomicU64::new(per_table.into()))).collect(),
            rows: AtomicU64::new(0),
            of: u64::from(workload.table_size) * fill.len() as u64,
        }
    }

    /// Makes all rows.
    fn run(&self, threads: u32, progress: &mut dyn FnMut(Step)) -> Result<(), Failure> {
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner).len();
        let threads = (threads as usize).clamp(1, pieces.max(1));
        let (sender, done) = mpsc::channel();
        let outcome = std::thread::scope(|scope| {
            for _ in 0..threads {
                let sender = sender.clone();
                scope.spawn(move || {
                    let result = self.work();
                    if result.is_err() {
                        // The others need not go on for nothing.
                        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).clear();
                    }
                    // The receiver outlives the scope.
                    let _ = sender.send(result);
                });
            }
            let mut outcome = Ok(());
            for _ in 0..threads {
                let result = loop {
                    match done.recv_timeout(POLL_INTERVAL) {
                        Ok(result) => break result,
                        Err(_) => progress(self.step()),
                    }
                };
                outcome = outcome.and(result);
            }
            outcome
        });
        progress(self.step());
        // What fails while everything is being stopped has not failed.
        if self.stop.is_requested() {
            return Err(Failure::stopped());
        }
        outcome
    }

    fn step(&self) -> Step {
        Step { done: self.rows.load(Ordering::Relaxed), of: self.of }
    }

    fn work(&self) -> Result<(), Failure> {
        let mut connection = connect(self.login)?;
        // The session's checks stay as they are: without them MariaDB sorts the rows of the first
        // statement by itself before it stores them, which costs half as much again for rows that
        // come in request.
        while let Some(piece) = self.next_piece() {
            self.fill(&mut connection, piece)?;
            let left = self.left.iter().find(|(table, _)| *table == piece.table);
            let last = left.is_some_and(|(_, left)| left.fetch_sub(1, Ordering::AcqRel) == 1);
            if last {
                if let Some(sql) = create_index(self.workload, piece.table) {
                    run(&mut connection, &sql)?;
                }
                (self.finish)(&mut connection, piece.table)?;
            }
        }
        Ok(())
    }

    fn next_piece(&self) -> Option<Piece> {
        if self.stop.is_requested() {
            return None;
        }
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn fill(&self, connection: &mut Connection, piece: Piece) -> Result<(), Failure> {
        match self.load_data(connection, piece) {
            // LOAD DATA LOCAL is not allowed here, in the words of several servers.
            Err(error) if matches!(error.code(), Some(1148 | 3948 | 4166)) => {
                self.insert(connection, piece)
            }
            other => other.map(drop),
        }
        .map_err(|e| {
            e.failure(&format!("cannot fill the table {}", name_of(self.workload, piece.table)))
        })
    }

    fn rows_of(&self, piece: Piece) -> RowSource {
        RowSource::new(self.workload, self.seed, piece.table, piece.from, piece.to)
    }

    fn load_data(&self, connection: &mut Connection, piece: Piece) -> Result<u64, ClientError> {
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
            self.rows.fetch_add(made, Ordering::Relaxed);
            more
        })
    }

    fn insert(&self, connection: &mut Connection, piece: Piece) -> Result<(), ClientError> {
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
                self.rows.fetch_add(made, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}
