use super::Statement;
use super::unique::Unique;
use crate::{Keys, Stream};
use model::{Oltp, OltpDialect, OltpTransaction};

/// One statement to execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which statement.
    pub statement: Statement,
    /// On which table, from 1; without meaning for statements that belong to none.
    pub table: u32,
    /// Value of [`super::Parameter::First`].
    pub first: i64,
    /// Value of [`super::Parameter::Second`].
    pub second: i64,
}

/// A run of equal statements: what one `execute_…` of sysbench's script does.
#[derive(Clone, Copy, Debug)]
struct Group {
    statement: Statement,
    count: u32,
    /// Each is followed by the insert that puts its row back.
    put_back: bool,
}

fn groups(transaction: &OltpTransaction) -> Vec<Group> {
    let t = transaction;
    let edge = u32::from(t.explicit);
    [
        (Statement::Begin, edge, false),
        (Statement::PointSelect, t.point_selects, false),
        (Statement::PadSelect, t.pad_selects, false),
        (Statement::SimpleRange, t.simple_ranges, false),
        (Statement::SumRange, t.sum_ranges, false),
        (Statement::OrderRange, t.order_ranges, false),
        (Statement::DistinctRange, t.distinct_ranges, false),
        (Statement::IndexUpdate, t.index_updates, false),
        (Statement::NonIndexUpdate, t.non_index_updates, false),
        (Statement::Delete, t.delete_inserts, true),
        (Statement::Delete, t.deletes, false),
        (Statement::InsertRow, t.inserts, false),
        (Statement::RandomPoints, t.random_points, false),
        (Statement::RandomRanges, t.random_ranges, false),
        (Statement::BulkInsert, t.bulk_inserts, false),
        (Statement::Commit, edge, false),
    ]
    .into_iter()
    .filter(|(_, count, _)| *count > 0)
    .map(|(statement, count, put_back)| Group { statement, count, put_back })
    .collect()
}

/// The endless sequence of transactions of one client.
///
/// ```
/// use workload::oltp::{OltpSource, StatementKind};
/// // What sysbench 1.0 prints of a transaction of oltp_read_write: 14 reads, 4 writes, 2 other.
/// let tables = model::Oltp::preset(model::OltpMix::ReadWrite);
/// let mut source = OltpSource::new(&tables, 7, 0, 1);
/// let mut counts = [0; 3];
/// while let Some(step) = source.next_step() {
///     counts[match step.statement.kind() {
///         StatementKind::Select => 0,
///         StatementKind::Begin | StatementKind::Commit => 2,
///         _ => 1,
///     }] += 1;
/// }
/// assert_eq!(counts, [14, 4, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct OltpSource {
    groups: Box<[Group]>,
    explicit: bool,
    dialect: OltpDialect,
    auto_increment: bool,
    tables: u32,
    table_size: u32,
    range_size: u32,
    delta: u32,
    keys: Keys,
    /// Keys of the part of the table that this client has for itself.
    own_keys: Keys,
    last_own_key: i64,
    unique: Unique,
    stream: Stream,
    group: usize,
    done_in_group: u32,
    table: u32,
    /// The row that was just deleted and must be put back.
    put_back: Option<i64>,
}

impl OltpSource {
    /// The transactions of client number `client`, from 0, of `clients`.
    pub fn new(workload: &Oltp, seed: u64, client: u32, clients: u32) -> Self {
        let draw = |low, high| Keys::new(workload.distribution, &workload.keys, low, high);
        // As in sysbench, neighbouring parts share their edge.
        let part = f64::from(workload.table_size) / f64::from(clients.max(1));
        let own = f64::from(client) * part;
        Self {
            groups: groups(&workload.transaction).into(),
            explicit: workload.transaction.explicit,
            dialect: workload.dialect,
            auto_increment: workload.schema.auto_increment,
            tables: workload.tables,
            table_size: workload.table_size,
            range_size: workload.range_size,
            delta: workload.delta,
            keys: draw(1, workload.table_size),
            own_keys: draw(own as u32, (own + part) as u32),
            last_own_key: 0,
            unique: Unique::new(client, clients, Stream::new(seed, "unique", 0).bits() as u32),
            stream: Stream::new(seed, "transactions", u64::from(client)),
            group: 0,
            done_in_group: 0,
            table: 1,
            put_back: None,
        }
    }

    /// Whether the server has a transaction open: `BEGIN` was yielded and its `COMMIT` was not.
    pub fn in_transaction(&self) -> bool {
        self.explicit && self.group > 0 && self.group < self.groups.len()
    }

    /// Abandons what is left of the current transaction.
    pub fn restart(&mut self) {
        self.group = 0;
        self.done_in_group = 0;
        self.put_back = None;
    }

    /// The next statement of the current transaction; `None` at its end, after which the next
    /// call begins another.
    #[inline]
    pub fn next_step(&mut self) -> Option<Step> {
        if let Some(id) = self.put_back.take() {
            let second = i64::from(self.keys.draw(&mut self.stream));
            return Some(Step {
                statement: Statement::Insert,
                table: self.table,
                first: id,
                second,
            });
        }
        let Some(&Group { statement, count, put_back }) = self.groups.get(self.group) else {
            self.restart();
            return None;
        };
        let picks_table = match self.dialect {
            OltpDialect::Sysbench05 => self.group == 0 && self.done_in_group == 0,
            OltpDialect::Sysbench04 | OltpDialect::Sysbench10 => self.done_in_group == 0,
        };
        if picks_table {
            self.table = self.stream.between(1, self.tables);
        }
        self.done_in_group += 1;
        if self.done_in_group == count {
            self.group += 1;
            self.done_in_group = 0;
        }
        if !statement.is_per_table() {
            return Some(Step { statement, table: 0, first: 0, second: 0 });
        }
        let (first, second) = match statement {
            Statement::InsertRow => self.new_row(),
            Statement::Delete if !put_back && self.dialect == OltpDialect::Sysbench04 => {
                (i64::from(self.unique.row(self.table_size)), 0)
            }
            _ => self.row_and_range(statement),
        };
        if put_back {
            self.put_back = Some(first);
        }
        Some(Step { statement, table: self.table, first, second })
    }

    /// A row, and the last one of the range that starts with it.
    #[inline]
    fn row_and_range(&mut self, statement: Statement) -> (i64, i64) {
        let (mut id, size) =
            (i64::from(self.keys.draw(&mut self.stream)), i64::from(self.range_size));
        if self.dialect != OltpDialect::Sysbench04 {
            return (id, id + size - 1);
        }
        let is_range = matches!(
            statement,
            Statement::SimpleRange
                | Statement::SumRange
                | Statement::OrderRange
                | Statement::DistinctRange
        );
        if is_range {
            id = id.min(i64::from(self.table_size) - size).max(1);
        }
        // Generation 0.4 took one row more here.
        let last = if statement == Statement::DistinctRange { id + size } else { id + size - 1 };
        (id, last)
    }

    /// Number and `k` of a new row. The server gives the number where it counts rows.
    fn new_row(&mut self) -> (i64, i64) {
        let k = i64::from(self.keys.draw(&mut self.stream));
        let id = match (self.auto_increment, self.dialect) {
            (true, _) => 0,
            (false, OltpDialect::Sysbench10) => i64::from(self.unique.number()),
            (false, _) => i64::from(self.unique.row(self.table_size)),
        };
        (id, k)
    }

    /// Value of [`super::Parameter::OwnKey`].
    #[inline]
    pub fn own_key(&mut self) -> i64 {
        self.last_own_key = i64::from(self.own_keys.draw(&mut self.stream));
        self.last_own_key
    }

    /// Value of [`super::Parameter::OwnKeyPlusDelta`].
    #[inline]
    pub fn own_key_plus_delta(&self) -> i64 {
        self.last_own_key + i64::from(self.delta)
    }

    /// Replaces every `#` of a template by a random digit.
    ///
    /// # Panics
    /// When `out` and `template` differ in length.
    pub fn fill(&mut self, template: &[u8], out: &mut [u8]) {
        self.stream.fill(template, out);
    }
}

#[cfg(test)]
mod tests;
