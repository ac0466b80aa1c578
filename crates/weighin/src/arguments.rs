//! The command line as typed.

mod advise;
mod bounds;
mod storage;

pub(crate) use advise::AdviseArguments;
pub(crate) use storage::{DataArguments, StorageArguments};

use bounds::{between, rate, scale, some_time, whole};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use model::bounds::{
    MAX_CLIENTS, MAX_EVENTS, MAX_KEYS, MAX_PIPELINE, MAX_ROWS, MAX_TABLES, MAX_WAITING,
};
use model::{KeyOrder, Load, OltpMix, Slo, ValueSize, Workload};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

/// Finds out by measurement what a database should run on, and says so honestly.
#[derive(Debug, Parser)]
#[command(name = "weighin", version, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 some trials failed, or lines could not be imported; 2 wrong usage or study file; \
3 something needed could not be reached, started, read or written; 130 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare two private MariaDB servers, one with durable commits and one without
    Demo(DemoArguments),
    /// Write a commented study file to start from
    Init(InitArguments),
    /// Connect to every target and show what would fail, and how to fix it
    Check(CheckArguments),
    /// Show all trials in order, and an estimate of the time they take
    Plan(PlanArguments),
    /// Run a study
    Run(RunArguments),
    /// Write the report of a run
    Report(ReportArguments),
    /// Recommend targets, and answer questions of capacity
    Advise(AdviseArguments),
    /// Import results that other tools measured into a results file
    Import(ImportArguments),
    /// Run an ad-hoc load
    Load(Box<LoadArguments>),
    /// Create the tables or keys that a load needs
    Prepare(PrepareArguments),
    /// Remove the tables or keys that weighin created
    Cleanup(CleanupArguments),
    /// Accept a command line of sysbench 0.4, 0.5 or 1.0, and print its output
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Sysbench(SysbenchArguments),
    /// Print the JSON Schema of study files
    Schema,
    /// One of several load generators, under the control of another weighin process
    #[command(hide = true, name = campaign::GENERATOR_COMMAND)]
    LoadGenerator,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Directory for the study file, the results and the report
    #[arg(long, default_value = "weighin-demo")]
    pub(crate) directory: PathBuf,
    /// Multiply all warm-ups and durations
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Where to write the study file
    #[arg(default_value = "study.toml")]
    pub(crate) path: PathBuf,
    /// The template to start from
    #[arg(long, default_value = "head-to-head")]
    pub(crate) template: String,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The study file
    pub(crate) study: PathBuf,
    /// Multiply all warm-ups and durations, and below 1 the data of volumes
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    /// A device or file of the study that may be overwritten, if the study allows it as well
    #[arg(long, value_name = "PATH")]
    pub(crate) erase: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// The study file
    pub(crate) study: PathBuf,
    /// Multiply all warm-ups and durations, and below 1 the data of volumes
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    /// Also print command lines of fio and DiskSpd that are equivalent to the storage tests
    #[arg(long)]
    pub(crate) commands: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The study file; its results are kept beside it
    pub(crate) study: PathBuf,
    /// Multiply all warm-ups and durations, for a quick look or a longer run; below 1 also the data
    /// of storage tests
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    /// Resume the latest interrupted run of this study
    #[arg(long, conflicts_with = "scale")]
    pub(crate) resume: bool,
    /// Keep the results in this file (with --resume: resume this one)
    #[arg(long)]
    pub(crate) store: Option<PathBuf>,
    /// A device or file of the study that may be overwritten, if the study allows it as well
    #[arg(long, value_name = "PATH")]
    pub(crate) erase: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A study file (its latest run) or a results file (*.weighin); the only results file here
    /// when left out
    pub(crate) study: Option<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    pub(crate) format: ReportFormat,
    /// Where to write it; `-` for standard output. HTML goes beside the results, everything else
    /// to standard output, when left out. A former report is replaced
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
    /// Replace also a file that is not a report of weighin's; results files and databases never
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Html,
    Markdown,
    Json,
    Csv,
}

#[derive(Debug, Args)]
#[command(after_help = IMPORT_KINDS.as_str())]
pub(crate) struct ImportArguments {
    /// What kind of files, as listed below; `auto` finds out from what they hold
    pub(crate) kind: String,
    /// Files, or directories with everything below them
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) paths: Vec<PathBuf>,
    /// Where to keep the results; NAME.TIME.weighin in this directory when left out
    #[arg(long, value_name = "RESULTS")]
    pub(crate) out: Option<PathBuf>,
    /// Name of the study; that of the file or directory when left out
    #[arg(long, value_name = "STUDY")]
    pub(crate) name: Option<String>,
    /// The target of files that do not name it
    #[arg(long)]
    pub(crate) target: Option<String>,
    /// The test of files that do not name it
    #[arg(long)]
    pub(crate) test: Option<String>,
}

/// The kinds of files that can be imported.
static IMPORT_KINDS: LazyLock<String> = LazyLock::new(|| {
    let kinds = import::FORMATS.iter();
    let kinds = kinds.map(|format| format!("  {:<10}  {}\n", format.name(), format.description()));
    format!("Kinds:\n{}", kinds.collect::<String>())
});

/// Which server, and how to log in.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// mysql://USER@HOST:PORT/DATABASE or redis://USER@HOST:PORT/NUMBER; with ?socket=PATH, no host;
    /// or the path of a volume: a directory, a block device or a file
    pub(crate) url: String,
    /// Environment variable that holds the password; otherwise ~/.my.cnf is asked,
    /// of Redis the variable REDISCLI_AUTH
    #[arg(long, value_name = "NAME", conflicts_with = "password_file")]
    pub(crate) password_env: Option<String>,
    /// File whose first line is the password
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
    /// Whether to encrypt, and whether to check the server's certificate
    #[arg(long, value_enum, default_value_t = TlsMode::Off)]
    pub(crate) tls: TlsMode,
    /// PEM file with the certificates to check the server's against
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// Without TLS, let whichever RSA key the server sends encrypt the password (MySQL's
    /// caching_sha2_password); whoever gets between reads the password
    #[arg(long, conflicts_with = "server_public_key")]
    pub(crate) get_server_public_key: bool,
    /// PEM file with the server's RSA key, the only one that may encrypt the password without TLS
    #[arg(long, value_name = "FILE")]
    pub(crate) server_public_key: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TlsMode {
    Off,
    Unverified,
    Verified,
}

/// Which tables.
#[derive(Debug, Args)]
pub(crate) struct TableArguments {
    /// Number of tables, sbtest1 to sbtestN [default: 1]
    #[arg(long, value_parser = whole(1..=MAX_TABLES))]
    pub(crate) tables: Option<u32>,
    /// Rows per table [default: 10000]
    #[arg(long, value_parser = whole(1..=MAX_ROWS))]
    pub(crate) table_size: Option<u32>,
    /// How rows or keys are picked: uniform, gaussian, special, pareto or zipfian, and keys also
    /// sequential [default: special, of keys uniform]
    #[arg(long, value_parser = order)]
    pub(crate) rand_type: Option<KeyOrder>,
    /// Seeds every random stream
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Which keys, and what is done with them.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of key_value")]
pub(crate) struct KeyArguments {
    /// How many keys there are [default: 100000]
    #[arg(long, value_parser = whole(1..=MAX_KEYS))]
    pub(crate) keys: Option<u32>,
    /// Bytes of a value, or SHORTEST-LONGEST [default: 1024]
    #[arg(long, value_name = "BYTES", value_parser = study::parse_value_size)]
    pub(crate) value_size: Option<ValueSize>,
    /// Writes to reads [default: 1:1]
    #[arg(long, value_name = "SETS:GETS", value_parser = study::parse_ratio)]
    pub(crate) ratio: Option<(u32, u32)>,
    /// Commands that a client sends together: one operation [default: 1]
    #[arg(long, value_parser = whole(1..=MAX_PIPELINE))]
    pub(crate) pipeline: Option<u32>,
    /// How long a written key lives, such as 60s; forever when left out
    #[arg(long, value_parser = some_time)]
    pub(crate) expiry: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WorkloadName {
    Oltp(OltpMix),
    KeyValue,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("open").multiple(true))]
pub(crate) struct LoadArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    /// One of sysbench's workloads, such as oltp_read_write or oltp_point_select, or key_value for
    /// Redis; not needed for a volume
    #[arg(long, value_parser = workload)]
    pub(crate) workload: Option<WorkloadName>,
    #[command(flatten)]
    pub(crate) tables: TableArguments,
    /// Rows that a range statement spans [default: 100]
    #[arg(long, value_parser = whole(1..=MAX_ROWS))]
    pub(crate) range_size: Option<u32>,
    /// Connections that each run one transaction or operation after another [default: 1; with --slo 64, or 128
    /// with --search clients]
    #[arg(long, visible_alias = "threads", value_parser = whole(1..=MAX_CLIENTS))]
    pub(crate) clients: Option<u32>,
    /// Processes that make the load together, each with its share of the clients, as several load
    /// hosts would; their results are merged
    #[arg(long, default_value_t = 1, value_parser = whole(1..=Load::MOST_LOAD_GENERATORS))]
    pub(crate) generators: u32,
    /// Threads of each process that drive the connections; chosen from clients and processors when
    /// left out
    #[arg(long, value_parser = whole(1..=1024))]
    pub(crate) workers: Option<u32>,
    /// How long to run load before measuring, such as 5s [default: 0s; with --slo 1s]
    #[arg(long, value_parser = study::parse_duration)]
    pub(crate) warmup: Option<Duration>,
    /// How long to measure, such as 30s or 2m; 10s unless --events is given, 5s with --slo
    #[arg(long, value_parser = some_time)]
    pub(crate) duration: Option<Duration>,
    /// Begin no more than so many transactions or operations after the warm-up
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_EVENTS))]
    pub(crate) events: Option<u64>,
    /// Offer so many transactions or operations per second, whether or not the server keeps up;
    /// latencies are response times then, counted from when each was due
    #[arg(long, value_parser = rate, group = "open")]
    pub(crate) rate: Option<f64>,
    /// Search for the highest load that keeps a bound on latency, such as 'p95 < 20ms', in steps as
    /// long as --warmup and --duration; the figure is mean, p50, p95, p99, p999 or max
    #[arg(long, value_name = "BOUND", group = "open", conflicts_with_all = ["rate", "events", "statements", "percentiles"])]
    pub(crate) slo: Option<Slo>,
    /// What to search for under --slo: the highest rate, or the highest number of clients up to
    /// --clients
    #[arg(long, value_enum, default_value_t = SearchName::Rate, requires = "slo")]
    pub(crate) search: SearchName,
    /// How what a --rate offers is spread in time
    #[arg(long, value_enum, default_value_t = ArrivalsName::Poisson, requires = "open")]
    pub(crate) arrivals: ArrivalsName,
    /// How much of what a --rate offers may wait for a free connection; what comes later is dropped
    #[arg(long, default_value_t = 100_000, requires = "open", value_parser = whole(1..=MAX_WAITING))]
    pub(crate) max_waiting: u32,
    /// What to do when a transaction ends in a deadlock or a lock wait timeout
    #[arg(long, value_enum, default_value_t = OnError::Ignore)]
    pub(crate) on_conflict: OnError,
    /// What to do when a connection is lost
    #[arg(long, value_enum, default_value_t = OnLoss::Reconnect)]
    pub(crate) on_lost_connection: OnLoss,
    /// What to do about any other error of the server
    #[arg(long, value_enum, default_value_t = OnError::Stop)]
    pub(crate) on_error: OnError,
    /// How to move bytes: io_uring where it is permitted, unless told otherwise
    #[arg(long, value_enum, default_value_t = IoName::Auto)]
    pub(crate) io: IoName,
    /// Give the latencies of each kind of statement as well
    #[arg(long)]
    pub(crate) statements: bool,
    /// More percentiles of all latencies, from 0 to 100, such as 90,99.99
    #[arg(long, value_delimiter = ',', value_parser = percentile)]
    pub(crate) percentiles: Vec<f64>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) keys: KeyArguments,
    #[command(flatten)]
    pub(crate) storage: StorageArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchName {
    /// Transactions offered per second, in an open loop
    Rate,
    /// Clients of a closed loop; latencies are service times
    Clients,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArrivalsName {
    /// At random, as from many independent users
    Poisson,
    /// Equally far apart
    Uniform,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnError {
    /// Count it and go on with the next transaction
    Ignore,
    /// Try again at once; its latency counts from the first attempt
    Retry,
    /// Count it, connect anew, and go on
    Reconnect,
    /// End the load
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnLoss {
    /// Connect anew as often as it takes, and report the outage
    Reconnect,
    /// End the load
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IoName {
    /// The best that is permitted
    Auto,
    /// Readiness by epoll
    Epoll,
    /// Batches through io_uring
    #[value(name = "io_uring")]
    IoUring,
}

#[derive(Debug, Args)]
pub(crate) struct PrepareArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) tables: TableArguments,
    /// Connections that fill tables at the same time [default: 4]
    #[arg(long, value_parser = whole(1..=256))]
    pub(crate) threads: Option<u32>,
    #[command(flatten)]
    pub(crate) keys: KeyArguments,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CleanupArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    /// Test tables to drop although weighin did not make them, such as sbtest1,sbtest2
    #[arg(long, value_delimiter = ',', value_name = "TABLE")]
    pub(crate) also: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SysbenchArguments {
    /// The words that would follow `sysbench`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<std::ffi::OsString>,
}

fn percentile(text: &str) -> Result<f64, String> {
    between(0.0..=100.0, "a number from 0 to 100 is needed, such as 99.9")(text)
}

fn workload(name: &str) -> Result<WorkloadName, String> {
    if name == Workload::KEY_VALUE {
        return Ok(WorkloadName::KeyValue);
    }
    OltpMix::from_name(name)
        .filter(|mix| OltpMix::REPEATABLE.contains(mix))
        .map(WorkloadName::Oltp)
        .ok_or_else(|| {
            one_of(&[&OltpMix::REPEATABLE.map(OltpMix::name)[..], &[Workload::KEY_VALUE]].concat())
        })
}

fn order(name: &str) -> Result<KeyOrder, String> {
    KeyOrder::from_name(name).ok_or_else(|| one_of(&KeyOrder::names()))
}

fn one_of(names: &[&str]) -> String {
    format!("possible values: {}", names.join(", "))
}
