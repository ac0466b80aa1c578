//! The command line as typed.

mod advise;
mod agent;
mod bounds;
mod chart;
mod import;
mod keys;
mod pages;
mod read;
mod runs;
mod secrets;

pub(crate) use advise::AdviseArguments;
pub(crate) use agent::{AgentArguments, SeedArguments};
pub(crate) use chart::{ChartArguments, ChartFormat, ThemeName};
pub(crate) use import::{ImportArguments, MarkName};
pub(crate) use keys::{KeyOptions, option};
pub(crate) use pages::{MetricsArguments, ServeArguments};
pub(crate) use read::ReadArguments;
pub(crate) use runs::{
    CompareArguments, EarlierArguments, GateArguments, HistoryArguments, RunsFormatName, RunsOutput,
};

pub(crate) use secrets::{CleartextArguments, SecretArguments};

use bounds::{between, scale, whole};
use campaign::Consent;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use model::bounds::MAX_REPEATS;
use std::path::PathBuf;
use study::CommandLine;

/// Finds out by measurement what a database should run on, and says so honestly.
#[derive(Debug, Parser)]
#[command(name = "weighin", version, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 some trials failed, lines could not be imported, or a gate found a run worse; 2 wrong usage or study file; \
3 something needed could not be reached, started, read or written; 4 a gate could not tell; 130 interrupted";

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
    /// Draw one chart of a run into a file of its own
    Chart(ChartArguments),
    /// Show two runs side by side: what changed, and whether it became better or worse
    Compare(CompareArguments),
    /// Say by the exit code whether a run is worse than a baseline
    Gate(GateArguments),
    /// Show where figures changed over many runs
    History(HistoryArguments),
    /// Show the studies of a directory in a browser: runs under way, reports, comparisons
    Serve(ServeArguments),
    /// Put runs of one study that were made on several machines into one results file
    Merge(MergeArguments),
    /// Recommend targets, and answer questions of capacity
    Advise(AdviseArguments),
    /// Import results that other tools measured into a results file
    Import(ImportArguments),
    /// Run an ad-hoc load
    Load(Box<LoadArguments>),
    /// Create the tables or keys that a load needs
    Prepare(PrepareArguments),
    /// Remove the tables or keys that weighin created; in place of a URL all of a study's, STUDY.toml
    Cleanup(CleanupArguments),
    /// Show the other machines of a study, or remove weighin from them
    Hosts(HostsArguments),
    /// Register this machine with a broker, to make loads for studies
    #[command(name = host::AGENT_COMMAND)]
    Agent(AgentArguments),
    /// Make the seed of an agent's or a lead's key, where FILE has none, and print its public key
    Seed(SeedArguments),
    /// Accept a command line of sysbench 0.4 to 1.1, and print its output
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Sysbench(SysbenchArguments),
    /// Print the JSON Schema of study files
    Schema,
    /// Print what completes command lines in a shell
    Completions(CompletionsArguments),
    /// Print the manual page of weighin, or of one of its commands
    Man(ManArguments),
    /// Print a page of the reference as Markdown
    #[command(hide = true)]
    Reference(ReferenceArguments),
    /// One of several load generators, under the control of another weighin process
    #[command(hide = true, name = campaign::GENERATOR_COMMAND)]
    LoadGenerator,
    /// Runs `up` and `down` of a target, under the control of another weighin process
    #[command(hide = true, name = host::KEEPER_COMMAND)]
    InstanceKeeper,
    /// The same for a lead on another machine
    #[command(hide = true, name = campaign::REMOTE_GENERATOR_COMMAND)]
    RemoteLoadGenerator,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Directory for the study file, the results and the report
    #[arg(long, default_value = "weighin-demo")]
    pub(crate) directory: PathBuf,
    /// Multiply all warm-ups and durations; below 1 also rows
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Where to write the study file; `-` for standard output
    #[arg(default_value = "study.toml")]
    pub(crate) path: PathBuf,
    /// The template to start from
    #[arg(long, default_value = "head-to-head")]
    pub(crate) template: String,
    /// List the templates, and write nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// In place of a template: draft the workload from what this server holds and is asked; nothing is
    /// changed there, and no rows are copied
    #[arg(long, value_name = "URL", conflicts_with_all = ["template", "list"])]
    pub(crate) from_url: Option<String>,
    /// With --from-url: take the statements from this log of the server
    #[arg(long, value_name = "FILE", requires = "from_url")]
    pub(crate) slow_log: Option<PathBuf>,
    /// With --from-url: environment variable that holds the password
    #[arg(long, value_name = "NAME", requires = "from_url")]
    pub(crate) password_env: Option<String>,
    /// With --from-url: file that holds the password alone
    #[arg(long, value_name = "FILE", requires = "from_url")]
    pub(crate) password_file: Option<String>,
    /// With --from-url: whether to encrypt [possible values: off, unverified, verified]
    #[arg(long, value_name = "MODE", requires = "from_url")]
    pub(crate) tls: Option<String>,
    /// With --from-url: PEM file with the certificates to check the server's against
    #[arg(long, value_name = "FILE", requires = "from_url")]
    pub(crate) tls_ca: Option<String>,
    /// Write the JSON Schema of study files beside it too, which editors complete and check it by
    #[arg(long)]
    pub(crate) schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HostsArguments {
    /// The study file
    pub(crate) study: PathBuf,
    /// Remove the copies of weighin from these machines
    #[arg(long)]
    pub(crate) clean: bool,
    #[command(flatten)]
    pub(crate) secrets: SecretArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Of which command
    pub(crate) command: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReferenceArguments {
    /// Of what
    pub(crate) page: ReferencePage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReferencePage {
    Study,
    Commands,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The results file to make
    pub(crate) out: PathBuf,
    /// The runs: results files (*.weighin), which are not changed
    #[arg(required = true, num_args = 2..)]
    pub(crate) runs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The study file
    pub(crate) study: PathBuf,
    /// Multiply all warm-ups, durations and amounts of work; below 1 also rows, keys and data
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    /// Bring up targets with an `instance`, look at them, and take them down again
    #[arg(long)]
    pub(crate) up: bool,
    /// Print what was found as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) secrets: SecretArguments,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// The study file
    pub(crate) study: PathBuf,
    /// Multiply all warm-ups, durations and amounts of work; below 1 also rows, keys and data
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    #[command(flatten)]
    pub(crate) secrets: SecretArguments,
    /// Also print command lines of fio and DiskSpd that are equivalent to the storage tests
    #[arg(long)]
    pub(crate) commands: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The study file; its results are written next to it
    pub(crate) study: PathBuf,
    /// Multiply all warm-ups, durations and amounts of work, for a quick look or a longer run; below
    /// 1 also the data of volumes, and where all servers are private ones rows and keys
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    pub(crate) scale: f64,
    /// Resume the latest interrupted run of this study
    #[arg(long, conflicts_with = "scale")]
    pub(crate) resume: bool,
    /// Add so many repeats of every trial to the latest run of this study, and run them
    #[arg(long, value_name = "REPEATS", conflicts_with_all = ["scale", "resume"],
          value_parser = whole(1..=MAX_REPEATS))]
    pub(crate) more: Option<u32>,
    /// Measure anew the trials of the latest run of this study that failed; their records stay
    #[arg(long, conflicts_with = "scale")]
    pub(crate) retry_failed: bool,
    /// Keep the results in this file (with --resume, --more or --retry-failed: go on with this one)
    #[arg(long)]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) consent: ConsentArguments,
    #[command(flatten)]
    pub(crate) secrets: SecretArguments,
    #[command(flatten)]
    pub(crate) telling: TellingArguments,
    /// Run this when the run has ended, however it did, by /bin/sh: the variables
    /// WEIGHIN_EXIT_CODE, WEIGHIN_RESULTS and WEIGHIN_REPORT tell of it. Its failure is told and
    /// changes nothing
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_finish: Option<String>,
    #[command(flatten)]
    pub(crate) metrics: MetricsArguments,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

/// What may be changed that is not weighin's.
#[derive(Debug, Args)]
pub(crate) struct ConsentArguments {
    /// A device or file of the study that may be overwritten, if the study allows it as well
    #[arg(long, value_name = "PATH")]
    pub(crate) erase: Vec<PathBuf>,
    /// Let scripts change data of servers that run already, if the study allows it as well (writes =
    /// true)
    #[arg(long)]
    pub(crate) allow_writes: bool,
}

impl ConsentArguments {
    pub(crate) fn given(&self) -> Consent<'_> {
        Consent { overwrite: &self.erase, writes: self.allow_writes }
    }
}

/// How a run tells what it does.
#[derive(Debug, Default, Args)]
pub(crate) struct TellingArguments {
    /// Print a log, also on a terminal, where otherwise a view fills it
    #[arg(long)]
    pub(crate) plain: bool,
    /// Print only warnings, failed trials and the answers at the end
    #[arg(long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print a log with a line for each second
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Add the log to this file as well, with times of day
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

impl TellingArguments {
    /// Whether lines are asked for in place of a view.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain || self.quiet || self.verbose
    }
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A study file (its latest run) or a results file (*.weighin); the only results file here
    /// when left out
    pub(crate) study: Option<PathBuf>,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    pub(crate) format: ReportFormat,
    /// Where to write it; `-` for standard output. By default HTML goes next to the results, and
    /// every other format to standard output. An earlier report is replaced
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
    /// Also replace a file that is not a report of weighin's; never results files, databases or other binary files
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Prices of targets in place of those of the study: a TOML or JSON file with a table for each, by
    /// its name, with the keys of `price`
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// A page that opens offline
    Html,
    /// Tables and sentences
    Markdown,
    /// Everything, for programs
    Json,
    /// A row for each trial
    Csv,
    /// The latencies of every trial, for HdrHistogram's tools
    Hlog,
}

/// What is measured, and how to log in.
#[derive(Debug, Args)]
pub(crate) struct TargetArguments {
    /// mysql:// or postgresql://USER@HOST:PORT/DATABASE, or redis://USER@HOST:PORT/NUMBER; with
    /// ?socket=PATH, no host; or the path of a volume: a directory, a block device or a file
    pub(crate) url: String,
    /// Environment variable that holds the password; by default ~/.my.cnf is read, for Redis the
    /// variable REDISCLI_AUTH
    #[arg(long, value_name = "NAME")]
    pub(crate) password_env: Option<String>,
    /// File that holds the password alone
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<String>,
    /// Whether to encrypt, and whether to check the server's certificate [possible values: off,
    /// unverified, verified]
    #[arg(long, value_name = "MODE")]
    pub(crate) tls: Option<String>,
    /// PEM file with the certificates to check the server's against
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca: Option<String>,
    /// MariaDB, MySQL: compress what the clients of a load send and get
    #[arg(long)]
    pub(crate) compression: bool,
    /// Without TLS, encrypt the password with any RSA key that the server sends (MySQL's
    /// caching_sha2_password); an attacker on the network could then read it
    #[arg(long)]
    pub(crate) get_server_public_key: bool,
    /// PEM file with the server's RSA key, the only one that may encrypt the password without TLS
    #[arg(long, value_name = "FILE")]
    pub(crate) server_public_key: Option<String>,
    #[command(flatten)]
    pub(crate) cleartext: CleartextArguments,
}

/// What may be overwritten.
#[derive(Debug, Args)]
pub(crate) struct EraseArguments {
    /// Overwrite this device or file although it holds data; give the same path again
    #[arg(long, value_name = "PATH", help_heading = "Options of storage")]
    pub(crate) erase: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LoadArguments {
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    #[command(flatten)]
    pub(crate) keys: KeyOptions<false>,
    #[command(flatten)]
    pub(crate) scripts: ScriptArguments,
    #[command(flatten)]
    pub(crate) erase: EraseArguments,
    /// Seeds every random stream
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads of each process that drive the connections; chosen from clients and processors when
    /// absent
    #[arg(long, value_parser = whole(1..=1024))]
    pub(crate) workers: Option<u32>,
    /// How to move bytes: io_uring where it is permitted, unless told otherwise
    #[arg(long, value_enum, default_value_t = IoName::Auto)]
    pub(crate) io: IoName,
    /// Give the latencies of each kind of statement as well
    #[arg(long, conflicts_with = "slo")]
    pub(crate) statements: bool,
    /// More percentiles of all latencies, from 0 to 100, such as 90,99.99
    #[arg(long, conflicts_with = "slo", value_delimiter = ',', value_parser = percentile)]
    pub(crate) percentiles: Vec<f64>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Transactions of the user's own.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of transactions")]
pub(crate) struct ScriptArguments {
    /// Run this script in pgbench's language, so often among several: checkout.sql@3
    #[arg(long, value_name = "FILE[@WEIGHT]", conflicts_with = "workload")]
    pub(crate) script: Vec<String>,
    #[command(flatten)]
    pub(crate) variables: VariableArguments,
    /// Let the scripts change data of the server
    #[arg(long)]
    pub(crate) allow_writes: bool,
}

/// What transactions and their data begin with.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of transactions")]
pub(crate) struct VariableArguments {
    /// What a variable of the scripts holds at the beginning
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

impl ScriptArguments {
    /// Tells what was given.
    pub(crate) fn describe(&self, line: &mut CommandLine) {
        if !self.script.is_empty() {
            line.test("workload", model::Transactions::NAME);
            line.scripts(&self.script);
        }
        line.variables(&self.variables.set);
        if self.allow_writes {
            line.test("writes", "true");
        }
    }
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
    pub(crate) target: TargetArguments,
    #[command(flatten)]
    pub(crate) keys: KeyOptions<true>,
    #[command(flatten)]
    pub(crate) variables: VariableArguments,
    #[command(flatten)]
    pub(crate) erase: EraseArguments,
    /// Seeds every random stream
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Connections that fill tables at the same time [default: 4]
    #[arg(long, value_parser = whole(1..=256))]
    pub(crate) threads: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct CleanupArguments {
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    /// For a study: a source of a password that it names and may use, as with `weighin run`
    #[arg(long, value_name = "SOURCE")]
    pub(crate) allow_secret: Vec<String>,
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
    between(0.0..=100.0, "expected a number from 0 to 100, such as 99.9")(text)
}
