//! The tables of tests as written: the keys that every test has, and those of each task and workload.
//! A test is read once for each group of keys that its task and workload have.

use super::{Blocks, ClientsKey, HotTable, LoadHostsKey, Maybe, Numbers};
use crate::problem::Place;
use model::{ArrivalProcess, BackgroundWork, ErrorAction, KeyDistribution, KeyOrder, SearchOver};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// The keys of every test.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct TestKeys {
    /// Unique within the study; the workload's name when absent.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// What the test does: `statement`, `schema_change`, `failover`, `catch_up`, `load`, or `search` where the
    /// highest load under a bound is searched for. When absent a load, or a search where the test has
    /// a bound.
    #[schemars(with = "Option<String>")]
    pub task: Maybe<String>,
    /// State of the caches when a trial starts; `warm` when absent. Cold: server stopped, file
    /// systems synced, the operating system's caches dropped, server started.
    #[schemars(with = "Option<String>", extend("enum" = crate::test::CACHE_STATES.map(|(name, _)| name)))]
    pub cache: Maybe<String>,
}

/// The keys of every load, and of a search for the highest one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct LoadKeys {
    /// What is run.
    #[schemars(with = "String", extend("enum" = crate::forms::workload_names()))]
    pub workload: Maybe<String>,
    /// Levels: transactions, or operations of `key_value`, offered per second, whether or not the
    /// server keeps up. Latencies are response times then, counted from when each was due.
    #[schemars(with = "Option<Numbers>")]
    pub rate: Maybe<Numbers>,
    /// A bound on latency, such as `p95 < 20ms`, in place of levels: the highest load that meets it
    /// is searched for. The figure is mean, p50, p95, p99, p999 or max; the unit us, ms or s.
    #[schemars(
        with = "Option<String>",
        regex(pattern = r"^\s*(mean|p50|p95|p99|p999|max)\s*<=?\s*[0-9.]+\s*(us|ms|s)\s*$")
    )]
    pub slo: Maybe<String>,
    /// How what a `rate` offers is spread in time; `poisson` when absent.
    #[schemars(with = "Option<String>", extend("enum" = ArrivalProcess::ALL.map(ArrivalProcess::name)))]
    pub arrivals: Maybe<String>,
    /// How much of what a `rate` offers may wait for a free connection; what comes later is dropped.
    /// 10,000 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_WAITING))]
    pub max_waiting: Maybe<i64>,
    /// What to do about any other error of the server; `stop` when absent.
    #[schemars(with = "Option<String>", extend("enum" = ErrorAction::ALL.map(ErrorAction::name)))]
    pub on_error: Maybe<String>,
    /// How long the load runs before measuring starts, such as `5s` (the default) or `1m30s`; with
    /// `slo` before each step of the search, `1s` when absent.
    #[schemars(with = "Option<String>")]
    pub warmup: Maybe<String>,
    /// How long is measured, such as `30s` (the default) or `5m`; with `slo` in each step, `5s` when
    /// absent.
    #[schemars(with = "Option<String>")]
    pub duration: Maybe<String>,
    /// The longest time that a fixed amount of work may take, such as `10m`; `1h` when absent. A load
    /// that reaches it ends there, and the report says how much was done.
    #[schemars(with = "Option<String>")]
    pub time_limit: Maybe<String>,
    /// Whether another installed tool repeats every trial, so that the report can say whether the
    /// two agree; false when absent. Takes as long again. sysbench for `oltp_...`; for `key_value`
    /// memtier_benchmark, or else redis-benchmark, which either reads or writes; for `storage` fio.
    #[schemars(with = "Option<bool>")]
    pub cross_check: Maybe<bool>,
    /// How many processes make the load together, on each machine that makes it, each with its share
    /// of the clients, or of the virtual machines of `storage`; their results are merged. 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::Load::MAX_LOAD_GENERATORS))]
    pub load_generators: Maybe<i64>,
    /// What is done to the target while it is measured, each thing at its moment.
    #[schemars(with = "Option<Vec<InterventionTable>>", length(max = model::bounds::MAX_INTERVENTIONS))]
    pub intervention: Option<Vec<Spanned<InterventionTable>>>,
}

/// One thing that is done to a target while a load is measured: a `background_work`, a `statement`
/// or a `command`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["background_work"] }, { "required": ["statement"] }, { "required": ["command"] }
]))]
pub(crate) struct InterventionTable {
    /// Unique within the test; `snapshot`, `log_rewrite`, `statement` or `command` when absent, with
    /// a number where there are several.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// When it begins, such as `10s`: counted from the start of measuring, and within it.
    #[schemars(with = "String")]
    pub at: Maybe<String>,
    /// Work that the target is told to do by itself. Redis and its kin: `snapshot` (BGSAVE), or
    /// `log_rewrite`, which writes the append-only file anew (BGREWRITEAOF).
    #[schemars(
        with = "Option<String>",
        extend("enum" = BackgroundWork::ALL.map(BackgroundWork::name))
    )]
    pub background_work: Maybe<String>,
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
    /// Whether the `command` was read and may run; false when absent.
    #[schemars(with = "Option<bool>")]
    pub trusted: Maybe<bool>,
    /// How long the act may take, such as `10m`; then it is ended and has failed. Until the load ends
    /// when absent: what is still under way then is cut off.
    #[schemars(with = "Option<String>")]
    pub timeout: Maybe<String>,
}

impl InterventionTable {
    /// Where its acts stand: it must have one.
    pub fn acts(&self) -> impl Iterator<Item = Place> {
        let work = self.background_work.as_ref().map(Spanned::span);
        let statement = self.statement.as_ref().map(Spanned::span);
        let command = self.command.as_ref().map(Spanned::span);
        [work, statement, command].into_iter().flatten()
    }
}

/// The keys of loads on servers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ServerKeys {
    /// Which machines make the load: how many of the `[[load_host]]` tables, the first ones, or their
    /// names; an empty list is the machine that weighin runs on. All of them when absent.
    #[schemars(with = "Option<LoadHostsKey>")]
    pub load_hosts: Maybe<LoadHostsKey>,
    /// Levels: connections that each run one transaction, or operation of `key_value`, after another. With `rate` one number,
    /// the number of connections to choose from; 64 when absent. `auto`, or a table such as `{ from =
    /// 1, to = 128 }`: levels that place themselves around peaks, knees and crossovers.
    #[schemars(with = "Option<ClientsKey>")]
    pub clients: Maybe<ClientsKey>,
    /// After how many transactions, or operations of `key_value`, a client closes its connection and
    /// makes a new one, which the next transaction waits for: connecting and logging in are part of its
    /// latency. 1 is a connection for each. Never when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_OPERATIONS_OF_CONNECTION))]
    pub reconnect_after: Maybe<i64>,
    /// What is searched for under an `slo` or a `replica_lag`: the highest `rate`, or the highest number
    /// of `clients`, of which the key `clients` then is the most to try (128 without it); `rate` when
    /// absent.
    #[schemars(with = "Option<String>", extend("enum" = SearchOver::ALL.map(SearchOver::name)))]
    pub search: Maybe<String>,
    /// What to do when a transaction ends in a deadlock or a lock wait timeout; `ignore` (count it
    /// and go on) when absent.
    #[schemars(with = "Option<String>", extend("enum" = ErrorAction::ALL.map(ErrorAction::name)))]
    pub on_conflict: Maybe<String>,
    /// What to do when a connection is lost; `reconnect` when absent.
    #[schemars(with = "Option<String>", extend("enum" = ErrorAction::ON_LOSS.map(ErrorAction::name)))]
    pub on_lost_connection: Maybe<String>,
}

/// The keys of the workloads that begin with `oltp_` and `select_`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct OltpKeys {
    /// How far the replicas of a target may be behind, such as `1s`, in place of levels or together
    /// with an `slo`: the test searches for the highest load under which they stay within it and do
    /// not fall further behind.
    #[schemars(with = "Option<String>")]
    pub replica_lag: Maybe<String>,
    /// In place of a `duration`: measure until so many transactions were done. The time that they
    /// took is a figure beside the rate.
    #[schemars(with = "Option<u64>", range(min = 1, max = model::bounds::MAX_OPERATIONS))]
    pub transactions: Maybe<i64>,
    /// Number of tables; 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_TABLES))]
    pub tables: Maybe<i64>,
    /// Rows per table; 10,000 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_ROWS))]
    pub table_size: Maybe<i64>,
    /// Rows that a range statement spans; 100 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_ROWS))]
    pub range_size: Maybe<i64>,
    /// Point selects in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub point_selects: Maybe<i64>,
    /// Range selects in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub simple_ranges: Maybe<i64>,
    /// Sums over a range in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub sum_ranges: Maybe<i64>,
    /// Sorted ranges in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub order_ranges: Maybe<i64>,
    /// Distinct ranges in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub distinct_ranges: Maybe<i64>,
    /// Updates of an indexed column in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub index_updates: Maybe<i64>,
    /// Updates of a column without index in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub non_index_updates: Maybe<i64>,
    /// Pairs of a delete and an insert in a transaction; as the workload has them when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub delete_inserts: Maybe<i64>,
    /// Leave out `BEGIN` and `COMMIT`; false when absent.
    #[schemars(with = "Option<bool>")]
    pub skip_trx: Maybe<bool>,
    /// Values in the list of `select_random_points`; 10 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_COUNT))]
    pub random_points: Maybe<i64>,
    /// Ranges in a statement of `select_random_ranges`; 10 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_COUNT))]
    pub number_of_ranges: Maybe<i64>,
    /// Width of such a range; 5 when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_ROWS))]
    pub delta: Maybe<i64>,
    /// Whether statements are prepared once and executed by number, or each is sent as text; true when
    /// absent.
    #[schemars(with = "Option<bool>")]
    pub prepared: Maybe<bool>,
    /// How rows or keys are picked; when absent `special`, of `key_value` `uniform`.
    #[schemars(
        with = "Option<String>",
        extend("enum" = KeyDistribution::ALL.map(KeyDistribution::name))
    )]
    pub distribution: Maybe<String>,
}

/// The keys of the workload `key_value`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct KeyValueKeys {
    /// In place of a `duration`: measure until so many operations were done. The time that they took
    /// is a figure beside the rate.
    #[schemars(with = "Option<u64>", range(min = 1, max = model::bounds::MAX_OPERATIONS))]
    pub operations: Maybe<i64>,
    /// How many keys there are; 100,000 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_KEYS))]
    pub keys: Maybe<i64>,
    /// Bytes of a value, or `[shortest, longest]`, every length between them equally
    /// likely; 1,024 when absent.
    #[schemars(with = "Option<Numbers>")]
    pub value_size: Maybe<Numbers>,
    /// Writes to reads, such as `1:1` (the default), or `1:0` for writes only.
    #[schemars(with = "Option<String>", regex(pattern = r"^[0-9]+:[0-9]+$"))]
    pub ratio: Maybe<String>,
    /// Commands that a client sends together, one operation; 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_PIPELINE))]
    pub pipeline: Maybe<i64>,
    /// How long a written key lives, such as `60s`; forever when absent.
    #[schemars(with = "Option<String>")]
    pub expiry: Maybe<String>,
    /// Whether all keys are written before the first trial; true when absent.
    #[schemars(with = "Option<bool>")]
    pub preload: Maybe<bool>,
    /// How rows or keys are picked; when absent `special`, of `key_value` `uniform`.
    #[schemars(with = "Option<String>", extend("enum" = KeyOrder::names()))]
    pub distribution: Maybe<String>,
}

/// The keys of the workload `storage`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct StorageKeys {
    /// In place of a `duration`: measure until so many reads and writes were done. The time that they
    /// took is a figure beside the rate.
    #[schemars(with = "Option<u64>", range(min = 1, max = model::bounds::MAX_OPERATIONS))]
    pub operations: Maybe<i64>,
    /// Threads, reads and writes that each keeps in flight, and size of blocks of each
    /// virtual machine, as in `t1 o32 b16k`; or `redo log`: 4 KiB written one after another, each
    /// with an `fdatasync` before the next.
    #[schemars(with = "Option<String>")]
    pub pattern: Maybe<String>,
    /// In place of a `pattern`: size of a block, such as `16KiB`, or several with how
    /// often each is drawn, such as `{ 4KiB = 3, 16KiB = 1 }`.
    #[schemars(with = "Option<Blocks>")]
    pub block: Maybe<Blocks>,
    /// In place of a `pattern`: threads of each virtual machine, which divide what it
    /// has in flight; 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_THREADS))]
    pub threads: Maybe<i64>,
    /// In place of a `pattern`: levels, reads and writes that each virtual machine keeps
    /// in flight. With `rate` or `slo` one number, the most that it may have; 32 when absent.
    #[schemars(with = "Option<Numbers>")]
    pub queue_depth: Maybe<Numbers>,
    /// Share of reads, in percent; 100 when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = 100))]
    pub reads: Maybe<i64>,
    /// Where the next block is; `random` when absent.
    #[schemars(with = "Option<String>", extend("enum" = crate::storage::ORDERS.map(|(name, _)| name)))]
    pub order: Maybe<String>,
    /// A part of each virtual machine's data that gets more than its share, such as
    /// `{ ios = 90, space = 10 }` for 90 % of the reads and writes on 10 % of the space.
    #[schemars(with = "Option<HotTable>")]
    pub hot: Maybe<HotTable>,
    /// An `fdatasync` after every so many writes of a virtual machine; never when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_SYNC_EVERY))]
    pub sync_every: Maybe<i64>,
    /// Virtual machines, each with data of its own, spread evenly over the volumes; 1
    /// when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_VMS))]
    pub vms: Maybe<i64>,
    /// Beside `cpu_oversubscription`: virtual processors of each virtual machine; 1 when
    /// absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_VCPUS))]
    pub vcpus: Maybe<i64>,
    /// Virtual processors for each processor that the virtual machines share,
    /// such as 4: they are limited to `vms` × `vcpus` ÷ this many. Unlimited when absent.
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0))]
    pub cpu_oversubscription: Maybe<f64>,
    /// Data of each virtual machine, such as `40GiB`; 1 GiB when absent.
    #[schemars(with = "Option<String>")]
    pub data: Maybe<String>,
    /// Reads and writes per second to which each virtual machine is limited; unlimited when
    /// absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_IOPS))]
    pub iops_limit: Maybe<i64>,
    /// Write every block with a checksum, its place and its generation, and check them
    /// when it is read; false when absent.
    #[schemars(with = "Option<bool>")]
    pub verify: Maybe<bool>,
    /// How busy the processors of this host may be, in percent of all of them, or with
    /// `cpu_oversubscription` those that the virtual machines have; in place of levels or together
    /// with an `slo`: the highest rate that meets it is searched for.
    #[schemars(with = "Option<u32>", range(min = 1, max = 99))]
    pub cpu_limit: Maybe<i64>,
}

/// The keys of the task `failover`: one of `switch`, `loss` and `command`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FailoverKeys {
    /// `planned`: weighin hands the role of the primary to a replica, in good order, when all have
    /// applied everything. For private servers.
    #[schemars(with = "Option<String>", extend("enum" = crate::failover::SWITCHES.map(|(name, _)| name)))]
    pub switch: Maybe<String>,
    /// How the primary is lost: `kill` (SIGKILL of its process), `hang` (SIGSTOP: its connections
    /// stay open, and nothing is answered) or `network` (nothing that is sent to it or from it
    /// arrives any more, and the server goes on; takes root). Then weighin promotes the replica that has
    /// applied the most, as an orchestrator would; a killed server without replicas is started again. For private servers.
    #[schemars(with = "Option<String>", extend("enum" = crate::failover::LOSSES.map(|(name, _)| name)))]
    pub loss: Maybe<String>,
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
    /// Whether `command` and `restore` were read and may run; false when absent.
    #[schemars(with = "Option<bool>")]
    pub trusted: Maybe<bool>,
    /// When the primary is taken away, from the start of the trial; 5s when absent.
    #[schemars(with = "Option<String>")]
    pub at: Maybe<String>,
    /// How long a trial takes at most; 60s when absent. It ends earlier once the rate has been back
    /// for three seconds.
    #[schemars(with = "Option<String>")]
    pub duration: Maybe<String>,
    /// Writes per second that the probe offers; 200 when absent. Downtime is known to the time
    /// between two of them.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_PROBE_RATE))]
    pub rate: Maybe<i64>,
    /// Connections of the probe to each server of the target; 4 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_PROBE_CONNECTIONS))]
    pub connections: Maybe<i64>,
    /// How long the probe waits for an answer, and for a login, before it gives the connection up;
    /// 1s when absent.
    #[schemars(with = "Option<String>")]
    pub timeout: Maybe<String>,
}

/// The keys of the task `catch_up`: the appliers of a target's replicas are stopped, a backlog is
/// written on the primary, and the appliers are started.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CatchUpKeys {
    /// What writes the backlog; `oltp_write_only` when absent.
    #[schemars(with = "Option<String>")]
    pub workload: Maybe<String>,
    /// Number of tables; 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_TABLES))]
    pub tables: Maybe<i64>,
    /// Rows per table; 10,000 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_ROWS))]
    pub table_size: Maybe<i64>,
    /// Connections that write it; 8 when absent. With `rate` those to choose from.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_CLIENTS))]
    pub clients: Maybe<i64>,
    /// Transactions offered per second; as many as the primary does when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_RATE))]
    pub rate: Maybe<i64>,
    /// How much is written, the same on all targets: so many transactions; 100,000 when absent.
    #[schemars(with = "Option<u64>", range(min = 1, max = model::bounds::MAX_OPERATIONS))]
    pub backlog_transactions: Maybe<i64>,
    /// In place of transactions: what is written in that time, such as `5m`. A faster primary writes
    /// more, unless there is a `rate`.
    #[schemars(with = "Option<String>")]
    pub backlog_time: Maybe<String>,
    /// In place of transactions: so much binary log of the primary, such as `1GiB`, or a little more.
    #[schemars(with = "Option<String>")]
    pub backlog_bytes: Maybe<String>,
    /// How long writing the backlog may take, and again applying it, such as `1h` (the default). What
    /// takes longer has failed.
    #[schemars(with = "Option<String>")]
    pub timeout: Maybe<String>,
}
