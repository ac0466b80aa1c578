//! The study file as written: only shapes, nothing is checked here. The doc comments become the
//! descriptions of the JSON Schema.

use crate::volume::VolumeKey;
use model::{ArrivalProcess, BackgroundWork, ErrorAction, KeyOrder, PriceUnit, SearchOver};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A key that may be absent, with its place in the file.
pub(crate) type Maybe<T> = Option<Spanned<T>>;

/// A weighin study: candidates, what is run on them, and how carefully.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, title = "weighin study file")]
pub(crate) struct File {
    /// What is asked, and how carefully.
    #[schemars(with = "StudyTable")]
    pub study: Maybe<StudyTable>,
    /// The candidates.
    #[schemars(with = "Vec<TargetTable>", length(min = 1))]
    pub target: Option<Vec<Spanned<TargetTable>>>,
    /// What is run on every target.
    #[schemars(with = "Vec<TestTable>", length(min = 1))]
    pub test: Option<Vec<Spanned<TestTable>>>,
}

/// What is asked, and how carefully.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct StudyTable {
    /// Short name, used for file names: letters, digits, `-` and `_`.
    #[schemars(with = "String")]
    pub name: Maybe<String>,
    /// The question that the study is to answer, in your words; the report shows it.
    pub question: Option<String>,
    /// How many times every cell is measured; 3 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = 1000))]
    pub repeats: Maybe<i64>,
    /// Seeds the order of trials and all random streams; 1 when absent.
    #[schemars(with = "Option<i64>", range(min = 0))]
    pub seed: Maybe<i64>,
    /// Confidence of every interval; 0.95 when absent.
    #[schemars(with = "Option<f64>", range(min = 0.5, max = 0.9999))]
    pub confidence: Maybe<f64>,
    /// Relative difference below which two targets count as the same; 0.03 (3 %) when absent.
    #[schemars(with = "Option<f64>")]
    pub margin: Maybe<f64>,
    /// Time between two samples of processors, disks and the server's counters while a trial runs,
    /// such as `2.5s`, from `100ms` to `60s`; `1s` when absent. Each asks the server for its
    /// counters.
    #[schemars(with = "Option<String>")]
    pub sample_every: Maybe<String>,
    /// Run the first target a second time in every block, as its own twin: differences between
    /// targets are claimed only where they exceed what tells these two apart; false when absent.
    /// Tests with an `slo` are run once.
    pub noise_floor: Option<bool>,
}

/// One candidate: a `sandbox`, a `url`, or `volumes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TargetTable {
    /// Unique within the study, at most 64 characters.
    #[schemars(with = "String", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// Server software: `mariadb` (the default) and `mysql` mean the same; of `redis`, `valkey` and
    /// `keydb`, which speak one protocol, a sandbox starts the one that is named; `storage` has no
    /// server, but `volumes`.
    #[schemars(with = "Option<String>", extend("enum" = crate::target::KINDS))]
    pub kind: Maybe<String>,
    /// A private server that weighin starts and ends.
    #[schemars(with = "Option<SandboxTable>")]
    pub sandbox: Maybe<SandboxTable>,
    /// A server that runs already: `mysql://user@host:port/database` or
    /// `redis://user@host:port/number`, without a password.
    #[schemars(with = "Option<String>")]
    pub url: Maybe<String>,
    /// Environment variable that holds the password for `url`.
    #[schemars(with = "Option<String>")]
    pub password_env: Maybe<String>,
    /// File whose first line is the password for `url`.
    #[schemars(with = "Option<String>")]
    pub password_file: Maybe<String>,
    /// Encryption of the connection to `url`; `off` when absent.
    #[schemars(with = "Option<String>", extend("enum" = crate::target::TLS_MODES))]
    pub tls: Maybe<String>,
    /// PEM file with the certificates to trust, for `tls = "verified"`.
    #[schemars(with = "Option<String>")]
    pub tls_ca: Maybe<String>,
    /// PEM file with the RSA key of a MySQL server: without TLS, only this key may encrypt the
    /// password of an account that uses `caching_sha2_password` or `sha256_password`.
    #[schemars(with = "Option<String>")]
    pub server_public_key: Maybe<String>,
    /// Without TLS, whichever RSA key the server sends may encrypt such a password; whoever gets
    /// between reads it. Where neither key is set, the option files say, and `false` says no.
    #[schemars(with = "Option<bool>")]
    pub get_server_public_key: Maybe<bool>,
    /// `storage`: directories, block devices or files of this host. In a directory weighin makes
    /// files of its own; what a device or a file holds is never overwritten without `erase`.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub volumes: Maybe<Vec<Spanned<String>>>,
    /// `storage`: those of the `volumes` that may be overwritten although they hold something. The
    /// command line must name them as well, with `--erase`.
    #[schemars(with = "Option<Vec<String>>")]
    pub erase: Maybe<Vec<Spanned<String>>>,
    /// What the target costs.
    #[schemars(with = "Option<PriceTable>")]
    pub price: Maybe<PriceTable>,
    /// Factors of your own, such as `{ tenancy = "shared" }`; shown in the report.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// How to start a private server.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct SandboxTable {
    /// Server settings by name, as in its option file.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Setting>")]
    pub settings: BTreeMap<Spanned<String>, Spanned<Setting>>,
    /// Give the server also those of the `settings` that could harm this host: that load code,
    /// connect to other servers, or name paths; false when absent.
    pub trusted: Option<bool>,
    /// Restart the server before every trial; true when absent.
    pub restart: Option<bool>,
    /// What the data stand on: a directory on the volume that is to be measured, or a volume for
    /// weighin to build; a directory of weighin's own when absent.
    #[schemars(with = "Option<VolumeKey>")]
    pub volume: Maybe<VolumeKey>,
    /// The same as a `volume` that is a directory; beside one to build, where its files are kept.
    #[schemars(with = "Option<String>")]
    pub directory: Maybe<String>,
}

/// A server setting: booleans become ON and OFF.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a string, a number, true or false")]
pub(crate) enum Setting {
    Flag(bool),
    Whole(i64),
    Real(f64),
    Text(String),
}

/// What a target costs: `monthly`, `items`, or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["monthly"] }, { "required": ["items"] }]))]
pub(crate) struct PriceTable {
    /// Per month, for the whole or for what is not among the items.
    #[schemars(with = "Option<f64>", range(min = 0))]
    pub monthly: Maybe<f64>,
    /// Line items of the bill: storage, IOs, replicas and support are part of the price.
    #[schemars(with = "Option<Vec<PriceItemTable>>")]
    pub items: Option<Vec<Spanned<PriceItemTable>>>,
    /// ISO 4217 code, such as `EUR`.
    #[schemars(with = "String", regex(pattern = "^[A-Z]{3}$"))]
    pub currency: Maybe<String>,
    /// When it was offered, such as `2026-11`.
    pub date: Option<String>,
    /// Where it is offered, such as `eu-central-1`.
    pub region: Option<String>,
    /// What one commits oneself to, such as `on demand`.
    pub term: Option<String>,
    /// Transactions that make one of the IOs that are charged; measured when absent, where the
    /// server's disk can be seen.
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0))]
    pub requests_per_io: Maybe<f64>,
}

/// One line of a bill.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct PriceItemTable {
    /// What it is for.
    #[schemars(with = "String", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// For one of what `per` says.
    #[schemars(with = "f64", range(min = 0))]
    pub amount: Maybe<f64>,
    /// What is counted; `month` when absent.
    #[schemars(with = "Option<String>", extend("enum" = PriceUnit::ALL.map(PriceUnit::name)))]
    pub per: Maybe<String>,
    /// How many at the same time, such as 2 volumes; 1 when absent, and for `gb_month` the size of
    /// the test's data. Not for millions of IOs or requests, which the load decides.
    #[schemars(with = "Option<f64>", range(min = 0))]
    pub quantity: Maybe<f64>,
}

/// A workload at several levels.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["clients"] }, { "required": ["rate"] }, { "required": ["slo"] },
    { "required": ["pattern"] }, { "required": ["in_flight"] }, { "required": ["cpu_limit"] }]))]
pub(crate) struct TestTable {
    /// Unique within the study; the workload's name when absent.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// What is run.
    #[schemars(with = "String", extend("enum" = crate::test::workload_names()))]
    pub workload: Maybe<String>,
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
    #[schemars(with = "Option<u32>", range(min = 0, max = model::bounds::MAX_COUNT))]
    pub delta: Maybe<i64>,
    /// Prepare statements once and execute them by number (the default), or send each as text.
    #[schemars(with = "Option<bool>")]
    pub prepared: Maybe<bool>,
    /// `key_value`: how many keys there are; 100,000 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_KEYS))]
    pub keys: Maybe<i64>,
    /// `key_value`: bytes of a value, or `[shortest, longest]`, every length between them equally
    /// likely; 1,024 when absent.
    #[schemars(with = "Option<Numbers>")]
    pub value_size: Maybe<Numbers>,
    /// `key_value`: writes to reads, such as `1:1` (the default), or `1:0` for writes only.
    #[schemars(with = "Option<String>", regex(pattern = r"^[0-9]+:[0-9]+$"))]
    pub ratio: Maybe<String>,
    /// `key_value`: commands that a client sends together, one operation; 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_PIPELINE))]
    pub pipeline: Maybe<i64>,
    /// `key_value`: how long a written key lives, such as `60s`; forever when absent.
    #[schemars(with = "Option<String>")]
    pub expiry: Maybe<String>,
    /// `key_value`: whether all keys are written before the first trial; true when absent.
    #[schemars(with = "Option<bool>")]
    pub preload: Maybe<bool>,
    /// `key_value`: what the server is told to do in the middle of every trial, beside the load: a
    /// snapshot (`bgsave`), or a rewrite of its append-only file (`bgrewriteaof`).
    #[schemars(
        with = "Option<String>",
        extend("enum" = BackgroundWork::ALL.map(BackgroundWork::name))
    )]
    pub trigger: Maybe<String>,
    /// When it is told so, such as `10s`: counted from the start of measuring, and within it.
    #[schemars(with = "Option<String>")]
    pub trigger_at: Maybe<String>,
    /// `storage`: threads, reads and writes that each keeps in flight, and size of blocks of each
    /// virtual machine, as in `t1 o32 b16k`; or `redo log`: 4 KiB written one after another, each
    /// with an `fdatasync` before the next.
    #[schemars(with = "Option<String>")]
    pub pattern: Maybe<String>,
    /// `storage`, in place of a `pattern`: size of a block, such as `16KiB`, or several with how
    /// often each is drawn, such as `{ 4KiB = 3, 16KiB = 1 }`.
    #[schemars(with = "Option<Blocks>")]
    pub block: Maybe<Blocks>,
    /// `storage`, in place of a `pattern`: threads of each virtual machine, which divide what it
    /// has in flight; 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_THREADS))]
    pub threads: Maybe<i64>,
    /// `storage`, in place of a `pattern`: levels, reads and writes that each virtual machine keeps
    /// in flight. With `rate` or `slo` one number, the most that it may have; 32 when absent.
    #[schemars(with = "Option<Numbers>")]
    pub in_flight: Maybe<Numbers>,
    /// `storage`: reads among all reads and writes, in percent; 100 when absent.
    #[schemars(with = "Option<u32>", range(min = 0, max = 100))]
    pub reads: Maybe<i64>,
    /// `storage`: where the next block is; `random` when absent.
    #[schemars(with = "Option<String>", extend("enum" = crate::storage::ORDERS))]
    pub order: Maybe<String>,
    /// `storage`: a part of each virtual machine's data that gets more than its share, such as
    /// `{ ios = 90, space = 10 }` for 90 % of the reads and writes on 10 % of the space.
    #[schemars(with = "Option<HotTable>")]
    pub hot: Maybe<HotTable>,
    /// `storage`: an `fdatasync` after every so many writes of a virtual machine; never when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_SYNC_EVERY))]
    pub sync_every: Maybe<i64>,
    /// `storage`: virtual machines, each with data of its own, spread evenly over the volumes; 1
    /// when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_VMS))]
    pub vms: Maybe<i64>,
    /// `storage`, beside `cpu_oversubscription`: virtual processors of each virtual machine; 1 when
    /// absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_VCPUS))]
    pub vcpus: Maybe<i64>,
    /// `storage`: virtual processors for each processor that the virtual machines have among them,
    /// such as 4: they are held to `vms` × `vcpus` ÷ this many. To none when absent.
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0))]
    pub cpu_oversubscription: Maybe<f64>,
    /// `storage`: data of each virtual machine, such as `40GiB`; 1 GiB when absent.
    #[schemars(with = "Option<String>")]
    pub data: Maybe<String>,
    /// `storage`: reads and writes a second to which each virtual machine is held; unlimited when
    /// absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_IOPS))]
    pub iops_limit: Maybe<i64>,
    /// `storage`: write every block with a checksum, its place and its generation, and check them
    /// when it is read; false when absent.
    #[schemars(with = "Option<bool>")]
    pub verify: Maybe<bool>,
    /// How rows or keys are picked; `special` when absent, for `key_value` `uniform`. `sequential`
    /// is for `key_value` alone.
    #[schemars(
        with = "Option<String>",
        extend("enum" = KeyOrder::names())
    )]
    pub distribution: Maybe<String>,
    /// Levels: connections that each run one transaction, or operation of `key_value`, after another. With `rate` one number,
    /// the connections that there are to choose from; 64 when absent.
    #[schemars(with = "Option<Numbers>")]
    pub clients: Maybe<Numbers>,
    /// Levels: transactions, or operations of `key_value`, offered per second, whether or not the
    /// server keeps up. Latencies are response times then, counted from when each was due.
    #[schemars(with = "Option<Numbers>")]
    pub rate: Maybe<Numbers>,
    /// A bound on latency, such as `p95 < 20ms`, in place of levels: the highest load that keeps it
    /// is searched for. The figure is mean, p50, p95, p99, p999 or max; the unit us, ms or s.
    #[schemars(
        with = "Option<String>",
        regex(pattern = r"^\s*(mean|p50|p95|p99|p999|max)\s*<=?\s*[0-9.]+\s*(us|ms|s)\s*$")
    )]
    pub slo: Maybe<String>,
    /// `storage`: how busy the processors of this host may be, in percent of all of them, or with
    /// `cpu_oversubscription` those that the virtual machines have; in place of levels or together
    /// with an `slo`: the highest rate that keeps to it is searched for.
    #[schemars(with = "Option<u32>", range(min = 1, max = 99))]
    pub cpu_limit: Maybe<i64>,
    /// What is searched for under an `slo`: the highest `rate` (the default), or the highest number
    /// of `clients`, of which the key `clients` then is the most to try; 128 when absent.
    #[schemars(with = "Option<String>", extend("enum" = SearchOver::ALL.map(SearchOver::name)))]
    pub search: Maybe<String>,
    /// How what a `rate` offers is spread in time; `poisson` when absent.
    #[schemars(with = "Option<String>", extend("enum" = ArrivalProcess::ALL.map(ArrivalProcess::name)))]
    pub arrivals: Maybe<String>,
    /// How much of what a `rate` offers may wait for a free connection; what comes later is dropped.
    /// 10,000 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::bounds::MAX_WAITING))]
    pub max_waiting: Maybe<i64>,
    /// What to do when a transaction ends in a deadlock or a lock wait timeout; `ignore` (count it
    /// and go on) when absent.
    #[schemars(with = "Option<String>", extend("enum" = ErrorAction::ALL.map(ErrorAction::name)))]
    pub on_conflict: Maybe<String>,
    /// What to do when a connection is lost; `reconnect` when absent.
    #[schemars(with = "Option<String>", extend("enum" = ErrorAction::ON_LOSS.map(ErrorAction::name)))]
    pub on_lost_connection: Maybe<String>,
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
    /// State of the caches when a trial starts; `warm` when absent. Cold: server stopped, file
    /// systems synced, the operating system's caches dropped, server started.
    #[schemars(with = "Option<String>", extend("enum" = crate::test::CACHE_STATES))]
    pub cache: Maybe<String>,
    /// Whether another installed tool repeats every trial, so that the report can say whether the
    /// two agree; false when absent. Takes as long again. sysbench for `oltp_...`; for `key_value`
    /// memtier_benchmark, or else redis-benchmark, which either reads or writes; for `storage` fio.
    #[schemars(with = "Option<bool>")]
    pub second_opinion: Maybe<bool>,
    /// How many processes make the load together, each with its share of the clients, as several
    /// load hosts would; their results are merged. 1 when absent.
    #[schemars(with = "Option<u32>", range(min = 1, max = model::Load::MOST_LOAD_GENERATORS))]
    pub load_generators: Maybe<i64>,
}

/// One level or several, such as numbers of clients or rates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number or a list of whole numbers")]
pub(crate) enum Numbers {
    One(i64),
    Many(Vec<i64>),
}

/// One size of blocks, or several with how often each is drawn.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a size such as \"16KiB\", or a table of sizes")]
pub(crate) enum Blocks {
    One(String),
    Mix(BTreeMap<String, i64>),
}

/// A part of the data that gets more than its share.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct HotTable {
    /// Reads and writes that go to it, in percent.
    #[schemars(with = "u32", range(min = 1, max = 99))]
    pub ios: Maybe<i64>,
    /// How much of the space it is, in percent.
    #[schemars(with = "u32", range(min = 1, max = 99))]
    pub space: Maybe<i64>,
}
