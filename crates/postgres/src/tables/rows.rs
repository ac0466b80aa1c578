use super::schema;
use crate::client::connect;
use crate::client::{ClientError, Connection};
use model::{Failure, Oltp};
use sql::Control;
use sql::tables::{Maker, Piece};
use std::sync::atomic::{AtomicU64, Ordering};
use system::Login;
use workload::oltp::{RowSource, name_of};

/// Bytes handed to COPY at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// How rows get into the tables.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pub login: &'a Login,
    pub workload: &'a Oltp,
    /// Seeds the values of the rows.
    pub seed: u64,
}

impl Maker for Rows<'_> {
    type Connection = Connection;

    fn create(&self, table: u32, comment: Option<&str>) -> Result<String, Failure> {
        schema::create_table(self.workload, table, comment)
    }

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
            connection.run_long(&sql)?;
        }
        if let Some(sql) = schema::set_sequence(self.workload, table) {
            connection.run_long(&sql)?;
        }
        // Hint bits and statistics are there before the first load, and autovacuum has nothing to do.
        connection.run_long(&format!("VACUUM ANALYZE {}", name_of(self.workload, table)))
    }

    /// What filling left to be written is written now, and not while a load is measured. An account that
    /// may not ask for that leaves it to the server.
    fn settle(&self, connection: &mut Connection) -> Result<(), Failure> {
        match connection.execute_long("CHECKPOINT") {
            Ok(_) => Ok(()),
            Err(error) if error.sql_state() == Some("42501") => Ok(()),
            Err(error) => Err(error.failure("cannot make a checkpoint")),
        }
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
