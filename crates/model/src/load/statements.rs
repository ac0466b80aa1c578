use super::Moved;
use crate::Latencies;
use serde::{Deserialize, Serialize};

/// Statements acknowledged by the server, by what they do. The fields correspond to the server's
/// `Com_*` counters, to the calls in Redis's `INFO commandstats`, or to what a disk completed
/// (`/proc/diskstats`), which may have merged or split what was asked of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementCounts {
    /// `Com_select`.
    pub select: u64,
    /// `Com_insert`.
    pub insert: u64,
    /// `Com_update`.
    pub update: u64,
    /// `Com_delete`.
    pub delete: u64,
    /// `Com_begin`.
    pub begin: u64,
    /// `Com_commit`.
    pub commit: u64,
    /// `Com_rollback`.
    pub rollback: u64,
    /// `cmdstat_get` of Redis.
    #[serde(default)]
    pub get: u64,
    /// `cmdstat_set` of Redis.
    #[serde(default)]
    pub set: u64,
    /// Of the gets, how many found their key; no statements of their own.
    #[serde(default)]
    pub found: u64,
    /// Reads of blocks from storage.
    #[serde(default)]
    pub read: u64,
    /// Writes of blocks to storage.
    #[serde(default)]
    pub write: u64,
    /// `fdatasync` after writes.
    #[serde(default)]
    pub sync: u64,
    /// Bytes in the reads and writes; no statements of their own.
    #[serde(default)]
    pub moved: Moved,
    /// What was in the answers to some of the selects.
    #[serde(default)]
    pub answers: AnswerCounts,
}

/// Answers that were checked: those to statements of which it is known how many rows they must
/// give, as long as the tables have all their rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerCounts {
    /// How many were checked.
    pub checked: u64,
    /// How many of those had fewer rows.
    pub short: u64,
}

impl std::ops::AddAssign for AnswerCounts {
    fn add_assign(&mut self, other: Self) {
        self.checked += other.checked;
        self.short += other.short;
    }
}

impl StatementCounts {
    /// All statements together.
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }

    /// Each count with the name of the server counter that it corresponds to.
    pub fn named(&self) -> [(&'static str, u64); 12] {
        [
            ("Com_select", self.select),
            ("Com_insert", self.insert),
            ("Com_update", self.update),
            ("Com_delete", self.delete),
            ("Com_begin", self.begin),
            ("Com_commit", self.commit),
            ("Com_rollback", self.rollback),
            ("cmdstat_get", self.get),
            ("cmdstat_set", self.set),
            ("disk_reads", self.read),
            ("disk_writes", self.write),
            ("disk_flushes", self.sync),
        ]
    }
}

impl std::ops::Sub for StatementCounts {
    type Output = Self;

    /// What was added since `earlier`, which holds no more of anything.
    fn sub(self, earlier: Self) -> Self {
        Self {
            select: self.select - earlier.select,
            insert: self.insert - earlier.insert,
            update: self.update - earlier.update,
            delete: self.delete - earlier.delete,
            begin: self.begin - earlier.begin,
            commit: self.commit - earlier.commit,
            rollback: self.rollback - earlier.rollback,
            get: self.get - earlier.get,
            set: self.set - earlier.set,
            found: self.found - earlier.found,
            read: self.read - earlier.read,
            write: self.write - earlier.write,
            sync: self.sync - earlier.sync,
            moved: self.moved - earlier.moved,
            answers: AnswerCounts {
                checked: self.answers.checked - earlier.answers.checked,
                short: self.answers.short - earlier.answers.short,
            },
        }
    }
}

impl std::ops::AddAssign for StatementCounts {
    fn add_assign(&mut self, other: Self) {
        self.select += other.select;
        self.insert += other.insert;
        self.update += other.update;
        self.delete += other.delete;
        self.begin += other.begin;
        self.commit += other.commit;
        self.rollback += other.rollback;
        self.get += other.get;
        self.set += other.set;
        self.found += other.found;
        self.read += other.read;
        self.write += other.write;
        self.sync += other.sync;
        self.moved += other.moved;
        self.answers += other.answers;
    }
}

/// Latencies of one kind of statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatementLatencies {
    /// Its name, such as `point_select`.
    pub name: String,
    /// From sending a statement to its last byte received, of all that were answered without error
    /// in the measured phase, whatever became of their transactions.
    pub latencies: Latencies,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statement_counts_add_up() {
        let mut a = StatementCounts { select: 14, begin: 1, commit: 1, ..Default::default() };
        a += StatementCounts { select: 1, update: 2, ..Default::default() };
        assert_eq!((a.select, a.update, a.total()), (15, 2, 19));
        let earlier = StatementCounts { select: 5, begin: 1, ..Default::default() };
        assert_eq!(((a - earlier).select, (a - earlier).total()), (10, 13));
    }
}
