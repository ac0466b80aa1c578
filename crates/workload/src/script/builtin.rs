use super::options::Script;
use model::{SetValue, Transactions};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Scripts of weighin's own: their names and texts. The first are the transactions of pgbench, for its
/// tables, and use the variable `scale`: how many branches these have.
const BUILTIN: [(&str, &str); 8] = [
    ("tpcb-like", include_str!("builtin/tpcb-like.sql")),
    ("simple-update", include_str!("builtin/simple-update.sql")),
    ("select-only", include_str!("builtin/select-only.sql")),
    ("order-entry/new_order", include_str!("builtin/order-entry/new_order.sql")),
    ("order-entry/payment", include_str!("builtin/order-entry/payment.sql")),
    ("order-entry/order_status", include_str!("builtin/order-entry/order_status.sql")),
    ("order-entry/delivery", include_str!("builtin/order-entry/delivery.sql")),
    ("order-entry/stock_level", include_str!("builtin/order-entry/stock_level.sql")),
];

/// The script that makes the tables of the workloads that are pgbench's.
const PGBENCH_SCHEMA: &str = "pgbench/schema.sql";
const PGBENCH_TABLES: &[(&str, &str)] =
    &[(PGBENCH_SCHEMA, include_str!("builtin/pgbench/schema.sql"))];
/// How many accounts there are for each unit of `scale`.
const PGBENCH_ACCOUNTS: u64 = 100_000;
/// The variable that says into how many partitions they are divided; 0 for none.
pub const PARTITIONS: &str = "partitions";

/// Workloads of weighin's own: their names, what a test that names one has as its keys, and the files
/// that these name.
const WORKLOADS: [BuiltinWorkload; 4] = [
    BuiltinWorkload {
        name: "order-entry",
        keys: include_str!("builtin/order-entry/workload.toml"),
        files: &[("order-entry/schema.sql", include_str!("builtin/order-entry/schema.sql"))],
    },
    BuiltinWorkload {
        name: "tpcb-like",
        keys: include_str!("builtin/pgbench/tpcb-like.toml"),
        files: PGBENCH_TABLES,
    },
    BuiltinWorkload {
        name: "simple-update",
        keys: include_str!("builtin/pgbench/simple-update.toml"),
        files: PGBENCH_TABLES,
    },
    BuiltinWorkload {
        name: "select-only",
        keys: include_str!("builtin/pgbench/select-only.toml"),
        files: PGBENCH_TABLES,
    },
];

/// A workload of weighin's own, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinWorkload {
    pub name: &'static str,
    /// TOML.
    pub keys: &'static str,
    files: &'static [(&'static str, &'static str)],
}

/// The names of the scripts that are built in.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// A script that is built in, by its name.
pub fn builtin(name: &str) -> Option<Script> {
    let (name, text) = BUILTIN.iter().find(|(one, _)| *one == name)?;
    let (name, text) = ((*name).to_owned(), (*text).to_owned());
    Some(Script { name, file: None, text, weight: 1 })
}

/// The names of the workloads that are built in.
pub fn builtin_workload_names() -> impl Iterator<Item = &'static str> {
    WORKLOADS.iter().map(|one| one.name)
}

/// A workload that is built in, by its name.
pub fn builtin_workload(name: &str) -> Option<BuiltinWorkload> {
    WORKLOADS.into_iter().find(|one| one.name == name)
}

/// A file of such a workload, by its name, for data of these sizes.
pub fn builtin_file(name: &str, set: &BTreeMap<String, SetValue>) -> Option<String> {
    let mut files = WORKLOADS.iter().flat_map(|one| one.files);
    let (name, text) = files.find(|(one, _)| *one == name)?;
    Some(match number(set, PARTITIONS) {
        count @ 1.. if *name == PGBENCH_SCHEMA => partitioned(text, number(set, "scale"), count),
        _ => (*text).to_owned(),
    })
}

/// Whether a workload has tables in partitions, each made as a table of its own.
pub fn has_partitions(own: &Transactions) -> bool {
    let is_schema = |name: &str| name.strip_prefix("builtin:") == Some(PGBENCH_SCHEMA);
    own.data.setup.iter().any(|file| is_schema(&file.name)) && number(&own.set, PARTITIONS) > 0
}

fn number(set: &BTreeMap<String, SetValue>, name: &str) -> u64 {
    match set.get(name) {
        Some(SetValue::Integer(number)) => u64::try_from(*number).unwrap_or(0),
        _ => 0,
    }
}

/// pgbench's tables with accounts in ranges of `aid`, as `pgbench --initialize --partitions` makes them: of
/// the same number of accounts but the last one, and open at both ends.
fn partitioned(schema: &str, scale: u64, count: u64) -> String {
    let accounts = PGBENCH_ACCOUNTS.saturating_mul(scale).div_ceil(count);
    let first = |partition: u64| (partition - 1).saturating_mul(accounts).saturating_add(1);
    let mut text = schema.trim_end().trim_end_matches(';').to_owned();
    text.push_str(" PARTITION BY RANGE (aid);\n");
    for partition in 1..=count {
        let from = match partition {
            1 => "MINVALUE".to_owned(),
            _ => first(partition).to_string(),
        };
        let to = match partition {
            last if last == count => "MAXVALUE".to_owned(),
            _ => first(partition + 1).to_string(),
        };
        // Writing to a text does not fail.
        let _ = writeln!(
            text,
            "CREATE TABLE pgbench_accounts_{partition} PARTITION OF pgbench_accounts \
             FOR VALUES FROM ({from}) TO ({to});"
        );
    }
    text
}
