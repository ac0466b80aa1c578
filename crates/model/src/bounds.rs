//! The bounds of the numbers that a user may ask for. The study file and the command line check
//! against the same values, and the JSON Schema of study files states them.
//!
//! All of them lie where sums and products of what is allowed still fit: a plan of the longest
//! trials has fewer than 2⁶⁴ seconds, and the data of all virtual machines fewer than 2⁶⁴ bytes.

use std::time::Duration;

/// Most clients of a load: one address has no more ports.
pub const MAX_CLIENTS: u32 = 65_535;
/// Most transactions or operations a second that are offered: more than any one client machine can.
pub const MAX_RATE: u32 = 10_000_000;
/// Fewest transactions or operations a second that are offered: one in about a quarter of an hour.
/// A study file takes whole numbers, so that its least is 1.
pub const MIN_RATE: f64 = 0.001;
/// Most operations that may wait for a client: each takes some bytes of the load generator's memory.
pub const MAX_WAITING: u32 = 10_000_000;
/// Most transactions or operations after which a load may be told to end.
pub const MAX_OPERATIONS: u64 = 1_000_000_000_000;
/// Most operations of a connection where a load does not keep its connections.
pub const MAX_OPERATIONS_OF_CONNECTION: u32 = 1_000_000_000;
/// Longest time that a study file or an option may name.
pub const MAX_DURATION: Duration = Duration::from_secs(30 * 24 * 3600);
/// Most repeats of every cell of a study.
pub const MAX_REPEATS: u32 = 1_000;
/// Most repeats of a study whose repeats go on until all is resolved: each is a look at the results.
pub const MAX_LOOKS: u32 = 100;
/// Factors by which all times of a study, and the data on volumes, may be multiplied: a quick look at
/// a study of terabytes takes a small one.
pub const SCALE: std::ops::RangeInclusive<f64> = 0.000_001..=1_000.0;
/// Longest time that a plan may take. What is estimated to take longer was not meant.
pub const MAX_PLAN: Duration = Duration::from_secs(365 * 24 * 3600);

/// Most tables of a test.
pub const MAX_TABLES: u32 = 10_000;
/// Most rows of a table: `id` is a 32-bit column.
pub const MAX_ROWS: u32 = i32::MAX as u32;
/// Most statements of one kind in a transaction.
pub const MAX_COUNT: u32 = 10_000;

/// Most interventions of a test: each has a thread, and mostly a connection.
pub const MAX_INTERVENTIONS: usize = 16;

/// Most writes per second of a failover probe: an instrument, and no load.
pub const MAX_PROBE_RATE: u32 = 5_000;
/// Most connections of a failover probe to each member of a target.
pub const MAX_PROBE_CONNECTIONS: u32 = 64;
/// Most writes of a failover probe in a trial: each is kept until all have been looked for.
pub const MAX_PROBE_WRITES: u64 = 2_000_000;

/// Most transactions of a test of the user's own.
pub const MAX_TRANSACTIONS: usize = 100;
/// Most statements that all of its scripts have together.
pub const MAX_SCRIPT_STATEMENTS: usize = 1_000;
/// Longest script, in bytes.
pub const MAX_SCRIPT: u64 = 1 << 20;
/// Longest file of which a script takes a column, in bytes.
pub const MAX_COLUMN_FILE: u64 = 1 << 30;
/// Most bytes of the values of a column: some millions of ids.
pub const MAX_COLUMN: usize = 64 << 20;
/// Largest weight of a transaction: pgbench's.
pub const MAX_WEIGHT: u32 = i32::MAX as u32;
/// Most statements and transactions of a load that are told apart.
pub const MAX_NAMES: usize = MAX_SCRIPT_STATEMENTS + MAX_TRANSACTIONS;

/// Most scripts, files and generators that data is made from.
pub const MAX_DATA_FILES: usize = 1_000;
/// Most partitions of a table that weighin makes.
pub const MAX_PARTITIONS: u32 = 1_000;
/// Longest script that makes tables, in bytes.
pub const MAX_SETUP: u64 = 64 << 20;
/// Longest file that fills them.
pub const MAX_DATA_FILE: u64 = 1 << 40;
/// Most columns of rows that are made up.
pub const MAX_COLUMNS: usize = 1_000;
/// Most invariants of a test.
pub const MAX_INVARIANTS: usize = 100;

/// Most statements of a test whose time is taken.
pub const MAX_STATEMENTS: usize = 100;
/// Most runs of them before those that are timed.
pub const MAX_WARMUP_RUNS: u32 = 100;

/// Most keys of a test: as many as sysbench's tables have rows.
pub const MAX_KEYS: u32 = i32::MAX as u32;
/// Most commands that a client sends together.
pub const MAX_PIPELINE: u32 = 10_000;
/// Longest value, in bytes: every client keeps room for one, and servers refuse more than 512 MiB.
pub const MAX_VALUE: u32 = 64 * 1024 * 1024;

/// Most virtual machines of a test.
pub const MAX_VMS: u32 = 10_000;
/// Most bytes of data of a virtual machine.
pub const MAX_VM_DATA: u64 = 256 << 40;
/// Most writes between two `fdatasync`s.
pub const MAX_SYNC_EVERY: u32 = 1_000_000;
/// Most reads and writes a second to which a virtual machine may be held.
pub const MAX_IOPS: u32 = 10_000_000;
/// Most virtual processors of a virtual machine.
pub const MAX_VCPUS: u32 = 1_024;
/// Most threads of a virtual machine.
pub const MAX_THREADS: u32 = 256;
/// Most reads and writes that a virtual machine has in flight.
pub const MAX_QUEUE_DEPTH: u32 = 65_535;
