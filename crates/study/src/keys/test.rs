//! The tables of tests as written: the keys that every test has, and those of each task and workload.
//! A test is read once for each group of keys that its task and workload have.

use crate::keys::choices::{
    ArrivalsKey, BackgroundWorkKey, BlockOrderKey, CacheKey, KeyOrderKey, LossKey, OnConflict,
    OnError, OnLostConnection, RowOrder, SearchKey, SwitchKey,
};
use crate::keys::key::{AnyLength, Bounded, Choice, Flag, Key, Length, Whole};
use crate::keys::{ClientsKey, LoadHostsKey, LoadProfileKey, Maybe, Numbers};
use crate::problem::Place;
use model::bounds::{
    MAX_CLIENTS, MAX_COUNT, MAX_INTERVENTIONS, MAX_IOPS, MAX_KEYS, MAX_OPERATIONS,
    MAX_OPERATIONS_OF_CONNECTION, MAX_PIPELINE, MAX_PROBE_CONNECTIONS, MAX_PROBE_RATE, MAX_RATE,
    MAX_ROWS, MAX_SYNC_EVERY, MAX_TABLES, MAX_THREADS, MAX_VCPUS, MAX_VMS, MAX_WAITING,
};
use model::{CatchUp, KeyValue, Load};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// The keys of every test.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TestKeys {
    /// Unique within the study.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    #[schemars(extend("x-absent" = "the workload's name"))]
    pub name: Maybe<String>,
    /// What the test does: `statement`, `schema_change`, `failover`, `catch_up`, `load`, or `search`
    /// where the highest load under a bound is searched for.
    #[schemars(
        with = "Option<String>",
        extend("x-absent" = "`load`, or `search` where the test has a bound")
    )]
    pub task: Maybe<String>,
    /// State of the caches when a trial starts. Cold: server stopped, file systems synced, the
    /// operating system's caches dropped, server started.
    pub cache: Key<Choice<CacheKey>>,
}

/// What `warmup` says where it lasts until the load is steady.
const STEADY: &str = "steady";

/// The keys of every load, and of a search for the highest one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct LoadKeys {
    /// What is run.
    #[schemars(with = "String", extend("enum" = crate::keys::choices::workload_names()))]
    pub workload: Maybe<String>,
    /// Levels: transactions, or operations of `key_value`, offered per second, whether or not the
    /// server keeps up. Latencies are response times then, counted from when each was due.
    #[schemars(with = "Option<Numbers>")]
    pub rate: Maybe<Numbers>,
    /// A bound on latency, such as `p95 < 20ms`, in place of levels: the highest load that meets it is
    /// searched for. The figure is mean, p50, p95, p99, p999 or max; the unit us, ms or s.
    #[schemars(
        with = "Option<String>",
        regex(pattern = r"^\s*(mean|p50|p95|p99|p999|max)\s*<=?\s*[0-9.]+\s*(us|ms|s)\s*$")
    )]
    pub slo: Maybe<String>,
    /// How what a `rate` offers is spread in time.
    pub arrivals: Key<Choice<ArrivalsKey>>,
    /// How much of what a `rate` offers may wait for a free connection; what comes later is dropped.
    pub max_waiting: Key<Whole<1, { MAX_WAITING as i64 }, 10_000>>,
    /// What to do about any other error of the server.
    pub on_error: Key<Choice<OnError>>,
    /// How long the load runs before measuring starts, such as `1m30s`; in a search before each step,
    /// where it is `1s` unless the test says otherwise. `steady`: first until what the server puts off is
    /// level, as with `steady_within`, and then for `5s`.
    pub warmup: Key<Length<5>>,
    /// How long is measured, such as `5m`; in a search in each step, where it is `5s` unless the test
    /// says otherwise.
    pub duration: Key<Length<30>>,
    /// The longest time that a fixed amount of work may take, such as `10m`. A load that
    /// reaches it ends there, and the report says how much was done.
    pub time_limit: Key<Length<3600>>,
    /// Whether another installed tool repeats every trial, so that the report can say whether the two
    /// agree. Takes as long again. sysbench for `oltp_...`; pgbench for its own scripts on PostgreSQL
    /// (`builtin:tpcb-like` and such); for `key_value` memtier_benchmark, or else redis-benchmark, which
    /// either reads or writes; for `storage` fio.
    pub cross_check: Key<Flag<false>>,
    /// How many processes make the load together, on each machine that makes it, each with its share of
    /// the clients, or of the virtual machines of `storage`; their results are merged.
    pub load_generators: Key<Whole<1, { Load::MAX_LOAD_GENERATORS as i64 }, 1>>,
    /// What is done to the target while it is measured, each thing at its moment.
    #[schemars(with = "Option<Vec<InterventionTable>>", length(max = MAX_INTERVENTIONS))]
    pub intervention: Option<Vec<Spanned<InterventionTable>>>,
}

impl LoadKeys {
    /// Where `warmup` asks for a steady state, if it does.
    pub fn steady_warmup(&self) -> Option<Place> {
        self.warmup
            .place()
            .filter(|_| self.warmup.written().is_some_and(|written| written == STEADY))
    }
}

/// One thing that is done to a target while a load is measured: a `background_work`, a `statement`
/// or a `command`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["background_work"] }, { "required": ["statement"] }, { "required": ["command"] }
]))]
pub(crate) struct InterventionTable {
    /// Unique within the test.
    #[schemars(extend("x-absent" = "what it does, with a number where there are several"))]
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// When it begins, such as `10s`: counted from the start of measuring, and within it.
    #[schemars(required)]
    pub at: Key<AnyLength>,
    /// Work that the target is told to do by itself. Redis and its kin: `snapshot` (BGSAVE), or
    /// `log_rewrite`, which writes the append-only file anew (BGREWRITEAOF).
    pub background_work: Key<Choice<BackgroundWorkKey>>,
    /// SQL that runs on a connection of its own, such as `ALTER TABLE ...`. It may change data, which
    /// is not made anew for the next trial. On a private server it takes `trusted = true` in the
    /// sandbox.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub statement: Maybe<String>,
    /// A program of this host with its arguments. It is run without a shell, and finds in its
    /// environment which target it is to act on: `WEIGHIN_TARGET`, `WEIGHIN_HOST` and `WEIGHIN_PORT`
    /// or `WEIGHIN_SOCKET`, `WEIGHIN_SERVER_PID`, `WEIGHIN_VOLUMES`, as far as they apply. It takes
    /// `trusted = true`.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub command: Maybe<Vec<String>>,
    /// Whether the `command` was read and may run.
    pub trusted: Key<Flag<false>>,
    /// How long the act may take, such as `10m`; then it is ended and has failed. What is
    /// still under way when the load ends is cut off.
    #[schemars(extend("x-absent" = "until the load ends"))]
    pub timeout: Key<AnyLength>,
}

impl InterventionTable {
    /// Where its acts stand: it must have one.
    pub fn acts(&self) -> impl Iterator<Item = Place> {
        let work = self.background_work.place();
        let statement = self.statement.as_ref().map(Spanned::span);
        let command = self.command.as_ref().map(Spanned::span);
        [work, statement, command].into_iter().flatten()
    }
}

/// The keys of loads on servers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ServerKeys {
    /// Which machines make the load: how many of the `[[load_host]]` tables, the first ones, or their
    /// names; an empty list is the machine that weighin runs on.
    #[schemars(with = "Option<LoadHostsKey>", extend("x-absent" = "all of them"))]
    pub load_hosts: Maybe<LoadHostsKey>,
    /// Levels: connections that each run one transaction, or operation of `key_value`, after another.
    /// With `rate` one number, the number of connections to choose from. `auto`, or a table such as
    /// `{ from = 1, to = 128 }`: levels that place themselves around peaks, knees and crossovers.
    #[schemars(
        with = "Option<ClientsKey>",
        extend("x-absent" = format!("with `rate` {}", crate::keys::levels::DEFAULT_CONNECTIONS))
    )]
    pub clients: Maybe<ClientsKey>,
    /// Rates that follow one another while a trial is measured, in place of `rate` and `duration`, such as
    /// `[{ rate = 500, hold = "60s" }, { rate = 2_000, ramp = "10s", hold = "60s" }]`: how long a target takes
    /// until it serves each, and what fails until then. Or the name of a CSV file whose first line is
    /// `seconds,rate`, a recorded curve: each rate stays until the time of the next line, and the last line ends
    /// it. Its level is the mean rate.
    #[schemars(with = "Option<LoadProfileKey>")]
    pub load_profile: Maybe<LoadProfileKey>,
    /// Begin to measure when what the server puts off is level, and not when a clock says so: before each
    /// trial the load runs, for this long at most, such as `10m`, until the age of the checkpoint, changed
    /// data in memory, old row versions and dead rows neither grow nor fall. `warmup` comes after that.
    #[schemars(extend("x-absent" = "`warmup` alone; `10m` with `warmup = \"steady\"`"))]
    pub steady_within: Key<AnyLength>,
    /// After how many transactions, or operations of `key_value`, a client closes its connection and
    /// makes a new one, which the next transaction waits for: connecting and logging in are part of its
    /// latency. 1 is a connection for each.
    #[schemars(extend("x-absent" = "never"))]
    pub reconnect_after: Key<Bounded<1, { MAX_OPERATIONS_OF_CONNECTION as i64 }>>,
    /// What is searched for under an `slo` or a `replica_lag`: the highest `rate`, or the highest
    /// number of `clients`, of which the key `clients` then is the most to try (128 without it).
    pub search: Key<Choice<SearchKey>>,
    /// What to do when a transaction ends in a deadlock or a lock wait timeout.
    pub on_conflict: Key<Choice<OnConflict>>,
    /// What to do when a connection is lost.
    pub on_lost_connection: Key<Choice<OnLostConnection>>,
}

/// The keys of the workloads that begin with `oltp_` and `select_`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct OltpKeys {
    /// How far the replicas of a target may be behind, such as `1s`, in place of levels or together
    /// with an `slo`: the test searches for the highest load under which they stay within it and do not
    /// fall further behind.
    pub replica_lag: Key<AnyLength>,
    /// In place of a `duration`: measure until so many transactions were done. The time that they took
    /// is a figure beside the rate.
    pub transactions: Key<Bounded<1, { MAX_OPERATIONS as i64 }>>,
    /// Number of tables.
    pub tables: Key<Whole<1, { MAX_TABLES as i64 }, 1>>,
    /// Rows per table.
    pub table_size: Key<Whole<1, { MAX_ROWS as i64 }, 10_000>>,
    /// Rows that a range statement spans.
    pub range_size: Key<Whole<1, { MAX_ROWS as i64 }, 100>>,
    /// Point selects in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub point_selects: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Range selects in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub simple_ranges: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Sums over a range in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub sum_ranges: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Sorted ranges in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub order_ranges: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Distinct ranges in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub distinct_ranges: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Updates of an indexed column in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub index_updates: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Updates of a column without index in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub non_index_updates: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Pairs of a delete and an insert in a transaction.
    #[schemars(extend("x-absent" = "as the workload has them"))]
    pub delete_inserts: Key<Bounded<0, { MAX_COUNT as i64 }>>,
    /// Leave out `BEGIN` and `COMMIT`.
    pub skip_trx: Key<Flag<false>>,
    /// Values in the list of `select_random_points`.
    pub random_points: Key<Whole<1, { MAX_COUNT as i64 }, 10>>,
    /// Ranges in a statement of `select_random_ranges`.
    pub number_of_ranges: Key<Whole<1, { MAX_COUNT as i64 }, 10>>,
    /// Width of such a range.
    pub delta: Key<Whole<0, { MAX_ROWS as i64 }, 5>>,
    /// Whether statements are prepared once and executed by number, or each is sent as text.
    pub prepared: Key<Flag<true>>,
    /// How rows or keys are picked.
    pub distribution: Key<Choice<RowOrder>>,
}

/// The keys of the workload `key_value`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct KeyValueKeys {
    /// In place of a `duration`: measure until so many operations were done. The time that they took is
    /// a figure beside the rate.
    pub operations: Key<Bounded<1, { MAX_OPERATIONS as i64 }>>,
    /// How many keys there are.
    pub keys: Key<Whole<1, { MAX_KEYS as i64 }, 100_000>>,
    /// Bytes of a value, or `[shortest, longest]`, every length between them equally likely.
    #[schemars(
        with = "Option<Numbers>",
        extend("x-absent" = KeyValue::default().value_size.to_string())
    )]
    pub value_size: Maybe<Numbers>,
    /// Writes to reads, such as `1:1`, or `1:0` for writes only.
    #[schemars(with = "Option<String>", regex(pattern = r"^[0-9]+:[0-9]+$"))]
    #[schemars(extend("default" = "1:1"))]
    pub ratio: Maybe<String>,
    /// Commands that a client sends together, one operation.
    pub pipeline: Key<Whole<1, { MAX_PIPELINE as i64 }, 1>>,
    /// How long a written key lives, such as `60s`.
    #[schemars(extend("x-absent" = "forever"))]
    pub expiry: Key<AnyLength>,
    /// Whether all keys are written before the first trial.
    pub preload: Key<Flag<true>>,
    /// How rows or keys are picked.
    pub distribution: Key<Choice<KeyOrderKey>>,
}

/// The keys of the workload `storage`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct StorageKeys {
    /// In place of a `duration`: measure until so many reads and writes were done. The time that they
    /// took is a figure beside the rate.
    pub operations: Key<Bounded<1, { MAX_OPERATIONS as i64 }>>,
    /// Threads, reads and writes that each keeps in flight, and size of blocks of each virtual machine,
    /// as in `t1 o32 b16k`; or `redo log`: 4 KiB written one after another, each with an `fdatasync`
    /// before the next.
    #[schemars(with = "Option<String>")]
    pub pattern: Maybe<String>,
    /// In place of a `pattern`: size of a block, such as `16KiB`, or several with how
    /// often each is drawn, such as `{ 4KiB = 3, 16KiB = 1 }`.
    #[schemars(with = "Option<Blocks>")]
    pub block: Maybe<Blocks>,
    /// In place of a `pattern`: threads of each virtual machine, which divide what it has in flight.
    pub threads: Key<Whole<1, { MAX_THREADS as i64 }, 1>>,
    /// In place of a `pattern`: levels, reads and writes that each virtual machine keeps in flight. With
    /// `rate` or `slo` one number, the most that it may have.
    #[schemars(
        with = "Option<Numbers>",
        extend("x-absent" = format!("with `rate` or `slo` {}", crate::keys::levels::DEFAULT_QUEUE_DEPTH))
    )]
    pub queue_depth: Maybe<Numbers>,
    /// Share of reads, in percent.
    pub reads: Key<Whole<0, 100, 100>>,
    /// Where the next block is.
    pub order: Key<Choice<BlockOrderKey>>,
    /// A part of each virtual machine's data that gets more than its share, such as
    /// `{ ios = 90, space = 10 }` for 90 % of the reads and writes on 10 % of the space.
    #[schemars(with = "Option<HotTable>")]
    pub hot: Maybe<HotTable>,
    /// An `fdatasync` after every so many writes of a virtual machine.
    #[schemars(extend("x-absent" = "never"))]
    pub sync_every: Key<Bounded<1, { MAX_SYNC_EVERY as i64 }>>,
    /// Virtual machines, each with data of its own, spread evenly over the volumes.
    pub vms: Key<Whole<1, { MAX_VMS as i64 }, 1>>,
    /// Beside `cpu_oversubscription`: virtual processors of each virtual machine.
    pub vcpus: Key<Whole<1, { MAX_VCPUS as i64 }, 1>>,
    /// Virtual processors for each processor that the virtual machines share,
    /// such as 4: they are limited to `vms` × `vcpus` ÷ this many.
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0, "x-absent" = "unlimited"))]
    pub cpu_oversubscription: Maybe<f64>,
    /// Data of each virtual machine, such as `40GiB`.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("default" = "1GiB"))]
    pub data: Maybe<String>,
    /// Reads and writes per second to which each virtual machine is limited.
    #[schemars(extend("x-absent" = "unlimited"))]
    pub iops_limit: Key<Bounded<1, { MAX_IOPS as i64 }>>,
    /// Write every block with a checksum, its place and its generation, and check them when it is read.
    pub verify: Key<Flag<false>>,
    /// How busy the processors of this host may be, in percent of all of them, or with
    /// `cpu_oversubscription` those that the virtual machines have; in place of levels or together with
    /// an `slo`: the highest rate that meets it is searched for.
    pub cpu_limit: Key<Bounded<1, 99>>,
}

/// The keys of the task `failover`: one of `switch`, `loss` and `command`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FailoverKeys {
    /// `planned`: weighin hands the role of the primary to a replica, in good order, when all have
    /// applied everything. For private servers.
    pub switch: Key<Choice<SwitchKey>>,
    /// How the primary is lost: `kill` (SIGKILL of its process), `hang` (SIGSTOP: its connections stay
    /// open, and nothing is answered) or `network` (nothing that is sent to it or from it arrives any
    /// more, and the server goes on; takes root). Then weighin promotes the replica that has applied
    /// the most, as an orchestrator would; a killed server without replicas is started again. For
    /// private servers.
    pub loss: Key<Choice<LossKey>>,
    /// A program of this host with its arguments, which switches over or takes the primary away; it
    /// finds in its environment which target it is to act on, as the `command` of an intervention
    /// does. It takes `trusted = true`.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub command: Maybe<Vec<String>>,
    /// A program of this host with its arguments that brings the target back to where it was, after
    /// every trial; without it the next trial begins with whatever the last one left. It takes
    /// `trusted = true`.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub restore: Maybe<Vec<String>>,
    /// Whether `command` and `restore` were read and may run.
    pub trusted: Key<Flag<false>>,
    /// When the primary is taken away, from the start of the trial.
    pub at: Key<Length<5>>,
    /// How long a trial takes at most. It ends earlier once the rate has been back for three seconds.
    pub duration: Key<Length<60>>,
    /// Writes per second that the probe offers. Downtime is known to the time between two of them.
    pub rate: Key<Whole<1, { MAX_PROBE_RATE as i64 }, 200>>,
    /// Connections of the probe to each server of the target.
    pub connections: Key<Whole<1, { MAX_PROBE_CONNECTIONS as i64 }, 4>>,
    /// How long the probe waits for an answer, and for a login, before it gives the connection up.
    pub timeout: Key<Length<1>>,
}

/// The keys of the task `catch_up`: the appliers of a target's replicas are stopped, a backlog is
/// written on the primary, and the appliers are started.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CatchUpKeys {
    /// What writes the backlog.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("default" = "oltp_write_only"))]
    pub workload: Maybe<String>,
    /// Number of tables.
    pub tables: Key<Whole<1, { MAX_TABLES as i64 }, 1>>,
    /// Rows per table.
    pub table_size: Key<Whole<1, { MAX_ROWS as i64 }, 10_000>>,
    /// Connections that write it. With `rate` those to choose from.
    pub clients: Key<Whole<1, { MAX_CLIENTS as i64 }, 8>>,
    /// Transactions offered per second.
    #[schemars(extend("x-absent" = "as many as the primary does"))]
    pub rate: Key<Bounded<1, { MAX_RATE as i64 }>>,
    /// How much is written, the same on all targets: so many transactions.
    pub backlog_transactions:
        Key<Whole<1, { MAX_OPERATIONS as i64 }, { CatchUp::TRANSACTIONS as i64 }>>,
    /// In place of transactions: what is written in that time, such as `5m`. A faster primary writes
    /// more, unless there is a `rate`.
    pub backlog_time: Key<AnyLength>,
    /// In place of transactions: so much binary log of the primary, such as `1GiB`, or a little more.
    #[schemars(with = "Option<String>")]
    pub backlog_bytes: Maybe<String>,
    /// How long writing the backlog may take, and again applying it, such as `1h`. What takes longer
    /// has failed.
    pub timeout: Key<Length<3600>>,
}

/// One size of blocks, or several with how often each is drawn.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a size such as \"16KiB\", or a table of sizes")]
pub(crate) enum Blocks {
    One(String),
    Mix(BTreeMap<String, i64>),
}

/// Of a whole of which some is left.
pub(crate) type Percent = Bounded<1, 99>;

/// A part of the data that gets more than its share.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct HotTable {
    /// Reads and writes that go to it, in percent.
    #[schemars(required)]
    pub ios: Key<Percent>,
    /// How much of the space it is, in percent.
    #[schemars(required)]
    pub space: Key<Percent>,
}
