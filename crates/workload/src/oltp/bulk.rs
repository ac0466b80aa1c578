use super::row::append_number;
use super::schema::table_name;
use model::OltpDialect;

/// Length of one statement in bytes, as sysbench fills its buffer.
const STATEMENT_BYTES: usize = 512 * 1024;

/// The statements of a bulk insert: rows (1,1), (2,2), … into a client's own table, as many as
/// fit into half a megabyte.
///
/// ```
/// let mut rows = workload::oltp::BulkSource::new(model::OltpDialect::Sysbench10, 6);
/// let mut statement = Vec::new();
/// let number = rows.append(&mut statement);
/// assert!(statement.starts_with(b"INSERT INTO sbtest7 VALUES(1,1),(2,2),"));
/// assert!(statement.ends_with(format!(",({number},{number})").as_bytes()));
/// assert!((512 * 1024 - 24..=512 * 1024).contains(&statement.len()));
/// ```
#[derive(Clone, Debug)]
pub struct BulkSource {
    start: Vec<u8>,
    next: u32,
}

impl BulkSource {
    /// The rows of client number `client`, from 0.
    pub fn new(dialect: OltpDialect, client: u32) -> Self {
        // Generation 0.5 counted tables from 0 here.
        let table = match dialect {
            OltpDialect::Sysbench10 => client + 1,
            OltpDialect::Sysbench05 | OltpDialect::Sysbench04 => client,
        };
        Self { start: format!("INSERT INTO {} VALUES", table_name(table)).into_bytes(), next: 1 }
    }

    /// Appends the next statement and returns how many rows it holds.
    pub fn append(&mut self, out: &mut Vec<u8>) -> u32 {
        let (first, begin) = (self.next, out.len());
        out.extend_from_slice(&self.start);
        loop {
            let separator: &[u8] = if self.next == first { b"(" } else { b",(" };
            out.extend_from_slice(separator);
            append_number(self.next, out);
            out.push(b',');
            append_number(self.next, out);
            out.push(b')');
            self.next = self.next.wrapping_add(1);
            // Another row takes at most two numbers of ten digits and four other characters.
            if out.len() - begin + 24 > STATEMENT_BYTES {
                return self.next.wrapping_sub(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_fill_half_a_megabyte_and_go_on_where_the_last_one_ended() {
        let mut source = BulkSource::new(OltpDialect::Sysbench10, 6);
        let mut out = Vec::new();
        let rows = source.append(&mut out);
        assert!((STATEMENT_BYTES - 24..=STATEMENT_BYTES).contains(&out.len()), "{}", out.len());
        assert!(out.starts_with(b"INSERT INTO sbtest7 VALUES(1,1),(2,2),"));
        assert!(out.ends_with(format!(",({rows},{rows})").as_bytes()));
        out.clear();
        source.append(&mut out);
        let next = rows + 1;
        assert!(out.starts_with(format!("INSERT INTO sbtest7 VALUES({next},{next}),").as_bytes()));
    }
}
