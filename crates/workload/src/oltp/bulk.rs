use super::row::append_number;
use super::schema::table_name;
use model::OltpDialect;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    limit: Option<Arc<BulkLimit>>,
}

/// A number of rows that all clients insert together, in statements of equal size.
///
/// ```
/// let limit = workload::oltp::BulkLimit::new(100, 2);
/// assert_eq!(limit.statements(), 2);
/// let limit = workload::oltp::BulkLimit::new(1_000_000, 2);
/// assert_eq!(limit.statements(), 35);
/// ```
#[derive(Debug)]
pub struct BulkLimit {
    rows: u64,
    statements: u64,
    taken: AtomicU64,
}

impl BulkLimit {
    /// So many rows, of which each of so many clients can have a part.
    pub fn new(rows: u64, clients: u32) -> Self {
        let digits = rows.max(1).ilog10() as usize + 1;
        let fit = (STATEMENT_BYTES - LONGEST_START) / (2 * digits + ",(,)".len());
        let statements = rows.div_ceil(fit as u64).max(rows.min(clients.into())).max(1);
        Self { rows, statements, taken: AtomicU64::new(0) }
    }

    /// How many statements it takes.
    pub fn statements(&self) -> u64 {
        self.statements
    }

    /// Rows of the next statement. One that is sent again gets rows of its own.
    fn take(&self) -> u32 {
        let place = u128::from(self.taken.fetch_add(1, Ordering::Relaxed) % self.statements);
        let up_to = |place| u128::from(self.rows) * place / u128::from(self.statements);
        (up_to(place + 1) - up_to(place)) as u32
    }
}

/// More than a statement has before its rows.
const LONGEST_START: usize = 64;

impl BulkSource {
    /// The rows of client number `client`, from 0.
    pub fn new(dialect: OltpDialect, client: u32) -> Self {
        // Generation 0.5 counted tables from 0 here.
        let table = match dialect {
            OltpDialect::Sysbench10 => client + 1,
            OltpDialect::Sysbench05 | OltpDialect::Sysbench04 => client,
        };
        let start = format!("INSERT INTO {} VALUES", table_name(table)).into_bytes();
        Self { start, next: 1, limit: None }
    }

    /// The same rows, up to a limit that all clients share.
    pub fn limited(self, limit: Option<Arc<BulkLimit>>) -> Self {
        Self { limit, ..self }
    }

    /// Appends the next statement and returns how many rows it holds.
    pub fn append(&mut self, out: &mut Vec<u8>) -> u32 {
        let (first, begin) = (self.next, out.len());
        let most = self.limit.as_ref().map_or(u32::MAX, |limit| limit.take());
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
            let rows = self.next.wrapping_sub(first);
            if rows >= most || out.len() - begin + 24 > STATEMENT_BYTES {
                return rows;
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

    #[test]
    fn a_limit_is_met_to_the_row_by_whichever_client_comes() {
        for (rows, clients) in [(1, 4), (100, 2), (7, 7), (1_234_567, 3), (23_456_789, 1)] {
            let limit = Arc::new(BulkLimit::new(rows, clients));
            let source = |client| {
                let source = BulkSource::new(OltpDialect::Sysbench10, client);
                source.limited(Some(Arc::clone(&limit)))
            };
            let mut sources: Vec<_> = (0..clients).map(source).collect();
            // The last one is quicker than all others.
            let whose = (0..limit.statements()).map(|n| (n as u32).min(clients - 1) as usize);
            let sizes: Vec<u32> =
                whose.map(|client| sources[client].append(&mut Vec::new())).collect();
            assert_eq!(sizes.iter().map(|size| u64::from(*size)).sum::<u64>(), rows);
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= 1, "{least} to {most} of {rows}");
            assert!(sizes.len() as u64 >= rows.min(clients.into()));
        }
    }
}
