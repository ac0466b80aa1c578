//! Words that people give columns, by what they say.

pub(super) const TARGETS: [&str; 37] = [
    "name", "target", "server", "system", "engine", "db", "database", "dbms", "product",
    "configuration", "config", "setup", "variant", "host", "hostname", "machine", "node",
    "instance", "instance_type", "disk", "device", "drive", "storage", "volume", "provider",
    "vendor", "cloud", "version", "kernel", "filesystem", "file_system", "fs", "cpu_model",
    "release", "flavor", "flavour", "plan",
];
pub(super) const TESTS: [&str; 18] = [
    "test", "test_name", "test_case", "testcase", "workload", "benchmark", "bench", "scenario",
    "operation", "command", "cmd", "query", "script", "profile", "rw", "pattern", "access_pattern",
    "job",
];
pub(super) const CLIENTS: [&str; 27] = [
    "threads",
    "thread",
    "thds",
    "thr",
    "clients",
    "client",
    "connections",
    "connection",
    "conns",
    "conn",
    "concurrency",
    "users",
    "vus",
    "virtual_users",
    "num_threads",
    "nr_threads",
    "n_threads",
    "number_of_threads",
    "number_of_clients",
    "num_clients",
    "nclients",
    "thread_count",
    "client_count",
    "sessions",
    "terminals",
    "concurrent_clients",
    "active_virtual_users",
];
pub(super) const DEPTHS: [&str; 7] =
    ["iodepth", "io_depth", "queue_depth", "queuedepth", "qd", "outstanding", "outstanding_io"];
pub(super) const RATES: [&str; 5] =
    ["rate", "target_rate", "offered_rate", "offered", "offered_load"];
pub(super) const REPEATS: [&str; 10] = [
    "repeat", "rep", "run", "run_number", "iteration", "iter", "round", "trial", "attempt",
    "repetition",
];
pub(super) const FACTORS: [&str; 21] = [
    "block_size", "blocksize", "bs", "read_percent", "write_percent", "rwmixread", "ratio",
    "scale", "scale_factor", "scaling_factor", "sf", "tables", "table_size", "rows", "warehouses",
    "dataset", "data_size", "payload", "pipeline", "value_size", "size",
];
pub(super) const NOTES: [&str; 6] = ["note", "notes", "comment", "comments", "remark", "remarks"];
pub(super) const TIMES: [&str; 12] = [
    "time", "timestamp", "date", "datetime", "second", "seconds", "sec", "t", "elapsed_time",
    "interval", "start_time", "end_time",
];
pub(super) const RATES_OF: [(&str, &[&str]); 7] = [
    (
        "transactions_per_s",
        &["tps", "transactions", "transaction", "tx", "txn", "txns", "trx", "xacts", "xact"],
    ),
    ("queries_per_s", &["qps", "queries", "query"]),
    ("requests_per_s", &["rps", "requests", "request", "req", "reqs"]),
    ("operations_per_s", &["ops", "operations", "operation", "op"]),
    ("iops", &["iops", "ios", "io"]),
    ("read_iops", &["reads", "read_iops", "r"]),
    ("write_iops", &["writes", "write_iops", "w"]),
];
