//! Tables filled over several connections.

use super::source::{Batch, Rows};
use super::work::Work;
use super::{SqlConnection, while_doing};
use model::Failure;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often a statement is tried whose rows others are in the way of.
const TRIES: u32 = 20;

impl Work<'_> {
    /// Inserts all rows.
    pub(super) fn fill(&self, rows: &dyn Rows) -> Result<(), Failure> {
        let has_failed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.connections.max(1))
                .map(|_| {
                    scope.spawn(|| {
                        let result = self.insert_all(rows, &has_failed);
                        has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
                        result
                    })
                })
                .collect();
            let results = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            // All of them have ended before the first failure is told.
            results.fold(Ok(()), Result::and)
        })
    }

    fn insert_all(&self, rows: &dyn Rows, has_failed: &AtomicBool) -> Result<(), Failure> {
        let mut connection = self.server.connect()?;
        // The others need not go on for nothing.
        while !has_failed.load(Ordering::Relaxed) {
            self.check_stop()?;
            let Some(batch) = rows.batch(self.server)? else { break };
            insert(&batch, connection.as_mut())?;
            self.has_done(batch.done);
        }
        Ok(())
    }
}

fn insert(batch: &Batch, connection: &mut dyn SqlConnection) -> Result<(), Failure> {
    let sql = String::from_utf8_lossy(&batch.sql);
    let mut tries = 1;
    loop {
        match connection.execute(&sql) {
            Ok(_) => return Ok(()),
            Err(error) if error.is_conflict && tries < TRIES => tries += 1,
            Err(error) => return Err(while_doing(&batch.what, error.failure)),
        }
    }
}
