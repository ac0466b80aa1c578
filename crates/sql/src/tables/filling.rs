use model::{Failure, Oltp, Stop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use system::Step;
use workload::oltp::RowSource;

/// Rows of one statement: about 20 MB, so that undo and logs stay bounded.
const ROWS_AT_ONCE: u32 = 100_000;
/// Bytes of lines that are handed to a server at a time.
const CHUNK_BYTES: usize = 256 * 1024;
/// How often progress is told.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A run of rows of one table, made by one statement or a few.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub table: u32,
    pub from: u32,
    pub to: u32,
}

/// How rows get into tables of one kind of server.
pub trait Maker: Sync {
    type Connection;

    /// What creates a table without its secondary index.
    ///
    /// # Errors
    /// `NotPermitted` for a schema that these servers do not have.
    fn create(&self, table: u32, comment: Option<&str>) -> Result<String, Failure>;

    /// One of the connections that fill.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    fn connect(&self) -> Result<Self::Connection, Failure>;

    /// Makes the rows of a piece, and adds them to the count as they are made.
    ///
    /// # Errors
    /// When the server refuses.
    fn fill(
        &self,
        connection: &mut Self::Connection,
        piece: Piece,
        rows: &AtomicU64,
    ) -> Result<(), Failure>;

    /// A table has all its rows: what is left to do with it.
    ///
    /// # Errors
    /// When the server refuses.
    fn finish(&self, connection: &mut Self::Connection, table: u32) -> Result<(), Failure>;

    /// All of these tables are filled: what is left to do so that it does not fall into a load.
    ///
    /// # Errors
    /// When the server refuses.
    fn settle(&self, _connection: &mut Self::Connection, _tables: &[u32]) -> Result<(), Failure> {
        Ok(())
    }
}

/// Appends the next rows of a table as lines of text, counts them, and says whether there are more. They
/// are digits and hyphens: there is nothing to convert, and nothing to escape.
pub fn append_lines(rows: &mut RowSource, count: &AtomicU64, out: &mut Vec<u8>) -> bool {
    let full = out.len() + CHUNK_BYTES;
    let mut made = 0;
    let mut more = true;
    while more && out.len() < full {
        more = rows.append(["", "\t", "\t", "\t", "\n"], out);
        made += u64::from(more);
    }
    count.fetch_add(made, Ordering::Relaxed);
    more
}

/// Rows being made by several connections.
pub struct Filling<'a, M> {
    maker: &'a M,
    stop: &'a Stop,
    pieces: Mutex<Vec<Piece>>,
    /// Pieces of each table that are not yet done; whoever does the last one finishes the table, while
    /// others are still being filled.
    left: Vec<(u32, AtomicU64)>,
    rows: AtomicU64,
    of: u64,
}

impl<'a, M: Maker> Filling<'a, M> {
    /// Of these tables of a workload.
    pub fn new(maker: &'a M, workload: &Oltp, tables: &[u32], stop: &'a Stop) -> Self {
        let per_table = workload.table_size.div_ceil(ROWS_AT_ONCE);
        // Taken from the end: whole tables in order, so that connections work on different ones.
        let mut pieces: Vec<Piece> = (0..per_table)
            .flat_map(|index| tables.iter().map(move |&table| (index, table)))
            .map(|(index, table)| Piece {
                table,
                from: index * ROWS_AT_ONCE + 1,
                to: ((index + 1).saturating_mul(ROWS_AT_ONCE)).min(workload.table_size),
            })
            .collect();
        pieces.reverse();
        Self {
            maker,
            stop,
            pieces: Mutex::new(pieces),
            left: tables.iter().map(|&table| (table, AtomicU64::new(per_table.into()))).collect(),
            rows: AtomicU64::new(0),
            of: u64::from(workload.table_size) * tables.len() as u64,
        }
    }

    /// Makes all rows.
    ///
    /// # Errors
    /// What the server had against it; [`Failure::stopped`].
    pub fn run(&self, threads: u32, progress: &mut dyn FnMut(Step)) -> Result<(), Failure> {
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
        let mut connection = self.maker.connect()?;
        while let Some(piece) = self.next_piece() {
            self.maker.fill(&mut connection, piece, &self.rows)?;
            let left = self.left.iter().find(|(table, _)| *table == piece.table);
            let last = left.is_some_and(|(_, left)| left.fetch_sub(1, Ordering::AcqRel) == 1);
            if last {
                self.maker.finish(&mut connection, piece.table)?;
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
}
