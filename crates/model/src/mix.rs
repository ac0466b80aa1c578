use serde::{Deserialize, Serialize};

/// The named workloads of the sysbench OLTP family. Each is a preset of an
/// [`OltpTransaction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OltpMix {
    /// 10 point selects, 4 range selects, 2 updates, a delete and an insert, in a transaction.
    ReadWrite,
    /// 10 point selects and 4 range selects, in a transaction.
    ReadOnly,
    /// 2 updates, a delete and an insert, in a transaction.
    WriteOnly,
    /// One point select.
    PointSelect,
    /// One insert of a new row.
    Insert,
    /// One delete by primary key, of a row that may be gone already.
    Delete,
    /// One update of an indexed column.
    UpdateIndex,
    /// One update of a column without index.
    UpdateNonIndex,
    /// One select of many rows by a list of values of the secondary index.
    RandomPoints,
    /// One count over many ranges of the secondary index.
    RandomRanges,
    /// One insert of half a megabyte of small rows, each client into a table of its own.
    BulkInsert,
}

impl OltpMix {
    /// All mixes that can be run again and again on tables that hold what
    /// preparing made, in the order in which help texts list them. [`Self::BulkInsert`] is not
    /// among them: it needs empty tables of its own every time.
    pub const REPEATABLE: [Self; 10] = [
        Self::ReadWrite,
        Self::ReadOnly,
        Self::WriteOnly,
        Self::PointSelect,
        Self::Insert,
        Self::Delete,
        Self::UpdateIndex,
        Self::UpdateNonIndex,
        Self::RandomPoints,
        Self::RandomRanges,
    ];

    /// The name that sysbench and study files give it, such as `oltp_read_write`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "oltp_read_write",
            Self::ReadOnly => "oltp_read_only",
            Self::WriteOnly => "oltp_write_only",
            Self::PointSelect => "oltp_point_select",
            Self::Insert => "oltp_insert",
            Self::Delete => "oltp_delete",
            Self::UpdateIndex => "oltp_update_index",
            Self::UpdateNonIndex => "oltp_update_non_index",
            Self::RandomPoints => "select_random_points",
            Self::RandomRanges => "select_random_ranges",
            Self::BulkInsert => "bulk_insert",
        }
    }

    /// The mix of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::REPEATABLE.into_iter().chain([Self::BulkInsert]).find(|mix| mix.name() == name)
    }

    /// What a transaction of this mix holds.
    pub fn transaction(self) -> OltpTransaction {
        let none = OltpTransaction::default();
        let reads = OltpTransaction {
            explicit: true,
            point_selects: 10,
            simple_ranges: 1,
            sum_ranges: 1,
            order_ranges: 1,
            distinct_ranges: 1,
            ..none
        };
        let writes = OltpTransaction {
            explicit: true,
            index_updates: 1,
            non_index_updates: 1,
            delete_inserts: 1,
            ..none
        };
        match self {
            Self::ReadWrite => OltpTransaction {
                index_updates: writes.index_updates,
                non_index_updates: writes.non_index_updates,
                delete_inserts: writes.delete_inserts,
                ..reads
            },
            Self::ReadOnly => reads,
            Self::WriteOnly => writes,
            Self::PointSelect => OltpTransaction { point_selects: 1, ..none },
            Self::Insert => OltpTransaction { inserts: 1, ..none },
            Self::Delete => OltpTransaction { deletes: 1, ..none },
            Self::UpdateIndex => OltpTransaction { index_updates: 1, ..none },
            Self::UpdateNonIndex => OltpTransaction { non_index_updates: 1, ..none },
            Self::RandomPoints => OltpTransaction { random_points: 1, ..none },
            Self::RandomRanges => OltpTransaction { random_ranges: 1, ..none },
            Self::BulkInsert => OltpTransaction { bulk_inserts: 1, ..none },
        }
    }
}

/// What one transaction holds: how often each statement comes, in the order in which they come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OltpTransaction {
    /// Whether `BEGIN` and `COMMIT` stand around the statements.
    pub explicit: bool,
    /// Column `c` of a row by primary key.
    pub point_selects: u32,
    /// Column `pad` of a row by primary key.
    pub pad_selects: u32,
    /// Column `c` of a range of rows.
    pub simple_ranges: u32,
    /// The sum of column `k` over a range.
    pub sum_ranges: u32,
    /// Column `c` of a range, sorted.
    pub order_ranges: u32,
    /// The distinct values of column `c` of a range, sorted.
    pub distinct_ranges: u32,
    /// Updates of the indexed column `k`.
    pub index_updates: u32,
    /// Updates of column `c`, which has no index.
    pub non_index_updates: u32,
    /// Pairs of a delete and an insert that puts the row back.
    pub delete_inserts: u32,
    /// Deletes by primary key.
    pub deletes: u32,
    /// Inserts of new rows.
    pub inserts: u32,
    /// Selects with a list of values of `k`.
    pub random_points: u32,
    /// Counts over several ranges of `k`.
    pub random_ranges: u32,
    /// Inserts of many small rows into the client's own table.
    pub bulk_inserts: u32,
}

impl OltpTransaction {
    /// Statements that read.
    pub fn reads(&self) -> u32 {
        self.point_selects
            + self.pad_selects
            + self.simple_ranges
            + self.sum_ranges
            + self.order_ranges
            + self.distinct_ranges
            + self.random_points
            + self.random_ranges
    }

    /// Statements that write.
    pub fn writes(&self) -> u32 {
        self.index_updates
            + self.non_index_updates
            + 2 * self.delete_inserts
            + self.deletes
            + self.inserts
            + self.bulk_inserts
    }

    /// `BEGIN` and `COMMIT`.
    pub fn others(&self) -> u32 {
        2 * u32::from(self.explicit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mix_is_found_by_its_name() {
        for mix in OltpMix::REPEATABLE.into_iter().chain([OltpMix::BulkInsert]) {
            assert_eq!(OltpMix::from_name(mix.name()), Some(mix));
        }
        assert_eq!(OltpMix::from_name("oltp"), None);
    }

    #[test]
    fn a_read_write_transaction_has_fourteen_reads_four_writes_and_two_others() {
        let transaction = OltpMix::ReadWrite.transaction();
        let counts = (transaction.reads(), transaction.writes(), transaction.others());
        assert_eq!(counts, (14, 4, 2));
    }
}
