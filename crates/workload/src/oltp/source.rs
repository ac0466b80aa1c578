use super::Statement;
use super::row::{C_TEMPLATE, PAD_TEMPLATE};
use crate::{Keys, Stream};
use model::{Oltp, OltpMix};

/// One statement to execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which statement.
    pub statement: Statement,
    /// On which table, from 1; without meaning for `BEGIN` and `COMMIT`.
    pub table: u32,
    /// Value of [`super::Parameter::First`].
    pub first: u32,
    /// Value of [`super::Parameter::Second`].
    pub second: u32,
}

/// A run of statements on one table: what one `execute_…` of sysbench's script does.
type Group = (Statement, u8);

const POINT_SELECTS: Group = (Statement::PointSelect, 10);
const RANGES: [Group; 4] = [
    (Statement::SimpleRange, 1),
    (Statement::SumRange, 1),
    (Statement::OrderRange, 1),
    (Statement::DistinctRange, 1),
];
const UPDATES: [Group; 2] = [(Statement::IndexUpdate, 1), (Statement::NonIndexUpdate, 1)];
/// The insert that follows each delete comes with it.
const DELETE_INSERT: Group = (Statement::Delete, 1);
const BEGIN: Group = (Statement::Begin, 1);
const COMMIT: Group = (Statement::Commit, 1);

const READ_WRITE: [Group; 10] = [
    BEGIN,
    POINT_SELECTS,
    RANGES[0],
    RANGES[1],
    RANGES[2],
    RANGES[3],
    UPDATES[0],
    UPDATES[1],
    DELETE_INSERT,
    COMMIT,
];
const READ_ONLY: [Group; 7] =
    [BEGIN, POINT_SELECTS, RANGES[0], RANGES[1], RANGES[2], RANGES[3], COMMIT];
const WRITE_ONLY: [Group; 5] = [BEGIN, UPDATES[0], UPDATES[1], DELETE_INSERT, COMMIT];
const POINT_SELECT: [Group; 1] = [(Statement::PointSelect, 1)];

/// The endless sequence of transactions of one client.
#[derive(Clone, Debug)]
pub struct OltpSource {
    groups: &'static [Group],
    tables: u32,
    range_size: u32,
    keys: Keys,
    stream: Stream,
    group: usize,
    done_in_group: u8,
    table: u32,
    /// The row that was just deleted and must be put back.
    put_back: Option<u32>,
}

impl OltpSource {
    /// The transactions of client number `client` (any numbering without repetition).
    pub fn new(workload: &Oltp, seed: u64, client: u32) -> Self {
        Self {
            groups: match workload.mix {
                OltpMix::ReadWrite => &READ_WRITE,
                OltpMix::ReadOnly => &READ_ONLY,
                OltpMix::WriteOnly => &WRITE_ONLY,
                OltpMix::PointSelect => &POINT_SELECT,
            },
            tables: workload.tables,
            range_size: workload.range_size,
            keys: Keys::new(workload.distribution, 1, workload.table_size),
            stream: Stream::new(seed, "transactions", u64::from(client)),
            group: 0,
            done_in_group: 0,
            table: 1,
            put_back: None,
        }
    }

    /// Whether the server has a transaction open: `BEGIN` was yielded and its `COMMIT` was not.
    pub fn in_transaction(&self) -> bool {
        self.groups[0] == BEGIN && self.group > 0 && self.group < self.groups.len()
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
            let second = self.keys.draw(&mut self.stream);
            return Some(Step {
                statement: Statement::Insert,
                table: self.table,
                first: id,
                second,
            });
        }
        let Some(&(statement, count)) = self.groups.get(self.group) else {
            self.restart();
            return None;
        };
        if !statement.is_per_table() {
            self.group += 1;
            return Some(Step { statement, table: 0, first: 0, second: 0 });
        }
        if self.done_in_group == 0 {
            self.table = self.stream.between(1, self.tables);
        }
        self.done_in_group += 1;
        if self.done_in_group == count {
            self.group += 1;
            self.done_in_group = 0;
        }
        let id = self.keys.draw(&mut self.stream);
        if statement == Statement::Delete {
            self.put_back = Some(id);
        }
        let second = id.saturating_add(self.range_size - 1);
        Some(Step { statement, table: self.table, first: id, second })
    }

    /// Fills a value of column `c`.
    ///
    /// # Panics
    /// When `out` is not [`super::C_LENGTH`] long.
    pub fn fill_c(&mut self, out: &mut [u8]) {
        self.stream.fill(C_TEMPLATE, out);
    }

    /// Fills a value of column `pad`.
    ///
    /// # Panics
    /// When `out` is not [`super::PAD_LENGTH`] long.
    pub fn fill_pad(&mut self, out: &mut [u8]) {
        self.stream.fill(PAD_TEMPLATE, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::KeyDistribution;

    fn workload(mix: OltpMix) -> Oltp {
        Oltp {
            mix,
            tables: 4,
            table_size: 1_000,
            range_size: 100,
            distribution: KeyDistribution::Uniform,
        }
    }

    fn transaction(source: &mut OltpSource) -> Vec<Step> {
        std::iter::from_fn(|| source.next_step()).collect()
    }

    fn counts(mix: OltpMix) -> Vec<(Statement, usize)> {
        let steps = transaction(&mut OltpSource::new(&workload(mix), 1, 0));
        let count = |s| steps.iter().filter(|step| step.statement == s).count();
        Statement::ALL.into_iter().map(|s| (s, count(s))).filter(|(_, n)| *n > 0).collect()
    }

    #[test]
    fn a_read_write_transaction_has_sysbenchs_twenty_statements() {
        let steps = transaction(&mut OltpSource::new(&workload(OltpMix::ReadWrite), 1, 0));
        assert_eq!(steps.len(), 20);
        assert_eq!(steps[0].statement, Statement::Begin);
        assert_eq!(steps[19].statement, Statement::Commit);
        assert_eq!(
            (steps[17].statement, steps[18].statement),
            (Statement::Delete, Statement::Insert)
        );
        assert_eq!((steps[17].table, steps[17].first), (steps[18].table, steps[18].first));
    }

    #[test]
    fn each_mix_prepares_exactly_the_statements_that_it_executes() {
        for mix in OltpMix::ALL {
            let executed: Vec<Statement> = counts(mix).into_iter().map(|(s, _)| s).collect();
            assert_eq!(executed, Statement::of(mix), "{mix:?}");
        }
    }

    #[test]
    fn one_group_of_point_selects_stays_on_one_table() {
        let mut source = OltpSource::new(&workload(OltpMix::ReadOnly), 1, 0);
        for _ in 0..20 {
            let steps = transaction(&mut source);
            assert!(steps[1..11].iter().all(|step| step.table == steps[1].table));
        }
    }

    #[test]
    fn ranges_span_the_range_size() {
        let steps = transaction(&mut OltpSource::new(&workload(OltpMix::ReadOnly), 1, 0));
        let range = steps.iter().find(|s| s.statement == Statement::SumRange).unwrap();
        assert_eq!(range.second - range.first, 99);
    }

    #[test]
    fn clients_differ_and_a_client_repeats_itself_exactly() {
        let run = |seed, client| {
            transaction(&mut OltpSource::new(&workload(OltpMix::ReadWrite), seed, client))
        };
        assert_eq!(run(1, 0), run(1, 0));
        assert_ne!(run(1, 0), run(1, 1));
        assert_ne!(run(1, 0), run(2, 0));
    }

    #[test]
    fn an_abandoned_transaction_starts_over_without_its_insert() {
        let mut source = OltpSource::new(&workload(OltpMix::WriteOnly), 1, 0);
        while source.next_step().unwrap().statement != Statement::Delete {}
        source.restart();
        assert_eq!(source.next_step().unwrap().statement, Statement::Begin);
    }
}
