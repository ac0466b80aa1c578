//! Words that people put into names of files and directories, by what they say.

use crate::path;

/// What directories are for, and nothing of what was measured.
const PURPOSES: [&str; 5] = ["bench", "benchmark", "benchmarks", "run", "runs"];
/// What stands beside a number of clients.
const CLIENTS: [&str; 21] = [
    "t", "c", "th", "thr", "thd", "thds", "thread", "threads", "client", "clients", "conn",
    "conns", "connections", "concurrency", "conc", "users", "user", "vu", "vus", "terminals",
    "nthreads",
];
/// What stands beside the number of a repeat.
const REPEATS: [&str; 16] = [
    "run", "rep", "repeat", "repetition", "replicate", "iter", "iteration", "attempt", "try",
    "trial", "round", "pass", "rerun", "rpt", "take", "loop",
];
const RATES: [&str; 5] = ["rate", "tps", "qps", "rps", "iops"];
/// How much data a test has: tests that differ in it differ.
const AMOUNTS: [&str; 13] = [
    "table", "tables", "tbl", "row", "rows", "scale", "sf", "warehouse", "warehouses", "wh",
    "keys", "records", "wl",
];
/// What stands before the number of a test.
const TESTS_BY_NUMBER: [&str; 8] =
    ["test", "workload", "query", "q", "scenario", "case", "job", "bench"];
/// What a workload does.
const TESTS: [&str; 81] = [
    "oltp", "olap", "htap", "ro", "rw", "wo", "read", "write", "reads", "writes", "readonly",
    "writeonly", "readwrite", "point", "points", "select", "selects", "update", "updates",
    "insert", "inserts", "delete", "deletes", "lookup", "lookups", "range", "ranges", "scan",
    "scans", "rand", "random", "seq", "sequential", "randread", "randwrite", "randrw", "seqread",
    "seqwrite", "tpcc", "tpch", "tpcds", "tpcb", "tpce", "tprocc", "tproch", "ycsb", "workloada",
    "workloadb", "workloadc", "workloadd", "workloade", "workloadf", "chbenchmark", "linkbench",
    "twitter", "tatp", "smallbank", "epinions", "seats", "voter", "sibench", "auctionmark", "get",
    "gets", "set", "sets", "mixed", "bulk", "simple", "complex", "join", "joins", "count", "sum",
    "aggregate", "analytics", "crud", "replace", "upsert", "hotrow", "fileio",
];
/// What may follow within the name of a test.
const TESTS_GO_ON: [&str; 9] =
    ["only", "non", "no", "index", "key", "like", "notrx", "trx", "secondary"];
/// What a target is or stands on.
const TARGETS: [&str; 60] = [
    "mysql", "mariadb", "percona", "pxc", "galera", "innodb", "myisam", "rocksdb", "myrocks",
    "tokudb", "aria", "postgres", "postgresql", "pg", "pgsql", "redis", "valkey", "keydb",
    "dragonfly", "memcached", "sqlite", "mongodb", "mongo", "oracle", "mssql", "cockroach", "tidb",
    "yugabyte", "aurora", "rds", "cloudsql", "alloydb", "timescale", "vitess", "aws", "gcp",
    "azure", "ec2", "metal", "baremetal", "vps", "cloud", "nvme", "ssd", "hdd", "ext4", "xfs",
    "btrfs", "zfs", "docker", "kvm", "vm", "arm64", "aarch64", "amd64", "graviton", "intel", "amd",
    "default", "tuned",
];

fn has(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

pub(super) fn is_kind(word: &str) -> bool {
    path::is_kind(word) || has(&PURPOSES, word)
}

pub(super) fn is_clients(word: &str) -> bool {
    has(&CLIENTS, word)
}

/// Words that stand for clients by themselves, where nothing in the file confirms it.
pub(super) fn is_clients_by_itself(word: &str) -> bool {
    word.len() > 2 && is_clients(word)
}

pub(super) fn is_repeat(word: &str) -> bool {
    has(&REPEATS, word)
}

pub(super) fn is_rate(word: &str) -> bool {
    has(&RATES, word)
}

/// Words that stand for a rate by themselves; `tps` may as well be what came out.
pub(super) fn is_rate_by_itself(word: &str) -> bool {
    word.eq_ignore_ascii_case(RATES[0])
}

pub(super) fn is_amount(word: &str) -> bool {
    has(&AMOUNTS, word)
}

pub(super) fn is_test(word: &str) -> bool {
    has(&TESTS, word)
}

/// Whether a test's name may go on with it. Benchmarks name their workloads by letters.
pub(super) fn is_rest_of_test(word: &str) -> bool {
    is_test(word) || has(&TESTS_GO_ON, word)
}

pub(super) fn is_test_by_number(word: &str) -> bool {
    is_test(word) || has(&TESTS_BY_NUMBER, word)
}

pub(super) fn is_target(word: &str) -> bool {
    has(&TARGETS, word)
}
