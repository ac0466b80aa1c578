use crate::{KeyDistribution, KeyParameters, OltpMix, OltpTransaction};
use serde::{Deserialize, Serialize};

/// A workload of the sysbench OLTP family.
///
/// Made from a preset ([`Oltp::preset`]), of which anything can be changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Oltp {
    /// The named workload that this is, or started from.
    pub mix: OltpMix,
    /// Which statements a transaction holds.
    pub transaction: OltpTransaction,
    /// Number of tables; at least 1.
    pub tables: u32,
    /// Rows per table; at least 1.
    pub table_size: u32,
    /// Rows that a range statement spans; at least 1.
    pub range_size: u32,
    /// Values in the list of a `select_random_points` statement; at least 1.
    pub points: u32,
    /// Ranges in a `select_random_ranges` statement; at least 1.
    pub ranges: u32,
    /// By how much the upper end of such a range exceeds the lower one.
    pub delta: u32,
    /// How row numbers are drawn.
    pub distribution: KeyDistribution,
    /// The shape of the distribution.
    pub keys: KeyParameters,
    /// How the tables look.
    pub schema: TableSchema,
    /// In whose words the statements are.
    pub dialect: OltpDialect,
    /// Whether statements are prepared once and then executed by number; otherwise each travels
    /// as text, with its values in it.
    pub prepared: bool,
}

impl Oltp {
    /// The workload of that name with sysbench's defaults: one table of 10,000 rows.
    pub fn preset(mix: OltpMix) -> Self {
        Self {
            mix,
            transaction: mix.transaction(),
            tables: 1,
            table_size: 10_000,
            range_size: 100,
            points: 10,
            ranges: 10,
            delta: 5,
            distribution: KeyDistribution::default(),
            keys: KeyParameters::default(),
            schema: TableSchema::default(),
            dialect: OltpDialect::default(),
            prepared: true,
        }
    }

    /// About how many bytes so many of its tables take in InnoDB, with their indexes.
    pub fn bytes_of_tables(&self, tables: u32) -> u64 {
        let rows = u64::from(self.table_size).saturating_mul(Self::BYTES_PER_ROW);
        rows.max(Self::SMALLEST_TABLE).saturating_mul(tables.into())
    }

    /// A row with its entries in the primary key and the index on `k`, where pages are as full as
    /// filling in order leaves them: measured on MariaDB 10.11 with a million rows.
    const BYTES_PER_ROW: u64 = 250;
    /// A table with the fewest pages that InnoDB gives it.
    const SMALLEST_TABLE: u64 = 128 << 10;
}

/// How the test tables look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSchema {
    /// Name of the only table; `sbtest1`, `sbtest2` … when absent.
    pub single_table: Option<String>,
    /// Whether the server numbers new rows.
    pub auto_increment: bool,
    /// Whether `id` has an ordinary index in place of the primary key.
    pub secondary: bool,
    /// Whether `k` is indexed.
    pub index_on_k: bool,
    /// Storage engine: letters, digits and `_`; the usual one of servers when absent.
    pub engine: Option<String>,
    /// What stands at the end of the statement that makes a table, in the user's own SQL; often empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
}

impl Default for TableSchema {
    fn default() -> Self {
        Self {
            single_table: None,
            auto_increment: true,
            secondary: false,
            index_on_k: true,
            engine: None,
            options: String::new(),
        }
    }
}

/// The generation of sysbench whose statements, tables and rows a workload has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OltpDialect {
    /// sysbench 1.0: a table is picked for each kind of statement.
    #[default]
    Sysbench10,
    /// sysbench 0.5: a table is picked for each transaction; the columns are unsigned.
    Sysbench05,
    /// sysbench 0.4: one table, ranges never reach beyond its end, every row has the same values.
    Sysbench04,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_preset_survives_being_stored() {
        let mut workload = Oltp::preset(OltpMix::WriteOnly);
        workload.transaction.point_selects = 3;
        workload.schema.single_table = Some("t".to_owned());
        workload.keys.pareto_h = 0.3;
        workload.dialect = OltpDialect::Sysbench04;
        let json = serde_json::to_string(&workload).unwrap();
        assert_eq!(serde_json::from_str::<Oltp>(&json).unwrap(), workload);
    }
}
