use super::schema;
use crate::client::{Connection, connect};
use model::{Failure, Oltp};
use sql::Control;
use sql::tables::{Maker, Piece, append_lines};
use std::sync::atomic::AtomicU64;
use system::Login;
use workload::oltp::{RowSource, name_of};

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
        let Rows { workload, seed, .. } = *self;
        let mut source = RowSource::new(workload, seed, piece.table, piece.from, piece.to);
        let sql = format!("COPY {table} (id, k, c, pad) FROM STDIN");
        connection
            .copy_in(&sql, &mut |out| append_lines(&mut source, rows, out))
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
}
