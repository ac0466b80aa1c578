use crate::client::{ClientError, Connection, connect};
use model::{Failure, Oltp};
use sql::Control;
use sql::tables::{Maker, Piece, append_lines};
use std::sync::atomic::{AtomicU64, Ordering};
use system::Login;
use workload::oltp::{RowSource, create_index, create_table, name_of};

/// Bytes of one INSERT, where LOAD DATA is not allowed; below the smallest usual
/// `max_allowed_packet`.
const INSERT_BYTES: usize = 512 * 1024;

/// Tables that are locked together for a moment when they are written out.
const TABLES_AT_ONCE: usize = 100;

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
        Ok(create_table(self.workload, table, comment))
    }

    /// The session's checks stay as they are: without them MariaDB sorts the rows of the first
    /// statement by itself before it stores them, which costs half as much again for rows that come in
    /// order.
    fn connect(&self) -> Result<Connection, Failure> {
        connect(self.login)
    }

    fn finish(&self, connection: &mut Connection, table: u32) -> Result<(), Failure> {
        create_index(self.workload, table).map_or(Ok(()), |sql| connection.run_long(&sql))
    }

    /// What filling changed is written now, and not while a load is measured: these servers write at their
    /// leisure. An account that may not ask for that leaves it to them.
    fn settle(&self, connection: &mut Connection, tables: &[u32]) -> Result<(), Failure> {
        for tables in tables.chunks(TABLES_AT_ONCE) {
            let names: Vec<String> =
                tables.iter().map(|&table| name_of(self.workload, table)).collect();
            let flush = format!("FLUSH TABLES {} FOR EXPORT", names.join(", "));
            let flushed = match connection.execute_long(&flush) {
                Ok(_) => connection.execute_long("UNLOCK TABLES"),
                Err(error) => Err(error),
            };
            match flushed {
                Ok(_) => {}
                // Refused, or not an engine that knows this.
                Err(error) if error.code().is_some() => return Ok(()),
                Err(error) => return Err(error.failure("cannot write out the new tables")),
            }
        }
        Ok(())
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
        let sql = format!(
            "LOAD DATA LOCAL INFILE 'weighin' INTO TABLE {} CHARACTER SET binary \
             FIELDS ESCAPED BY '' (id, k, c, pad)",
            name_of(self.workload, piece.table)
        );
        connection.load_local(&sql, &mut |out| append_lines(&mut rows, count, out))
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
