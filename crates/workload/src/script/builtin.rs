use super::options::Script;

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

/// The tables of the workloads that are pgbench's.
const PGBENCH_TABLES: &[(&str, &str)] =
    &[("pgbench/schema.sql", include_str!("builtin/pgbench/schema.sql"))];

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

/// A file of such a workload, by its name.
pub fn builtin_file(name: &str) -> Option<&'static str> {
    let mut files = WORKLOADS.iter().flat_map(|one| one.files);
    files.find(|(one, _)| *one == name).map(|(_, text)| *text)
}
