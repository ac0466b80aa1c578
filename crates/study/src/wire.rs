//! The study file as written: only shapes, nothing is checked here. The doc comments become the
//! descriptions of the JSON Schema.

mod machines;
mod statement;
mod test;

pub(crate) use machines::{FleetTable, HostTable, LoadHostTable};
pub(crate) use statement::{SchemaChangeKeys, StatementKeys, TimedKeys};
pub(crate) use test::{
    CatchUpKeys, FailoverKeys, InterventionTable, KeyValueKeys, LoadKeys, OltpKeys, ServerKeys,
    StorageKeys, TestKeys,
};

use crate::choices::PerUnit;
use crate::instance::InstanceTable;
use crate::key::{Bounded, Choice, Flag, Key, Length, Whole};
use crate::placement::{MOST_LEVELS, RESOLUTIONS, STEPS};
use crate::restart::RestartTable;
use crate::validate::{CONFIDENCES, MARGINS, MOST_REPEATS, REPEATS};
use crate::volume::{VolumeKey, VolumeTable};
use model::bounds::{MAX_CLIENTS, MAX_LOOKS};
use model::{LevelPlacement, Study, System};
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
    /// Machines that several targets are on.
    #[schemars(with = "Option<Vec<HostTable>>", length(min = 1))]
    pub host: Option<Vec<Spanned<HostTable>>>,
    /// Where agents register, for load hosts that are such.
    #[schemars(with = "Option<FleetTable>")]
    pub fleet: Maybe<FleetTable>,
    /// Machines that make the loads.
    #[schemars(with = "Option<Vec<LoadHostTable>>", length(min = 1, max = model::Load::MAX_LOAD_HOSTS))]
    pub load_host: Option<Vec<Spanned<LoadHostTable>>>,
    /// The candidates.
    #[schemars(with = "Vec<TargetTable>", length(min = 1))]
    pub target: Option<Vec<Spanned<TargetTable>>>,
    /// What is done with every target.
    #[schemars(with = "Vec<TestKeys>", length(min = 1))]
    #[expect(dead_code, reason = "each is read again, with the keys of its form")]
    pub test: Option<Vec<Spanned<TestKeys>>>,
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
    /// How many times every cell is measured. Or `{ min = 3, max = 20, until =
    /// "resolved" }`: what is decided after a block is left out of the next.
    #[schemars(with = "Option<RepeatsKey>", extend("default" = REPEATS))]
    pub repeats: Maybe<RepeatsKey>,
    /// What the run may take, with `until`: a time, such as `4h`, or an amount of money, such as `50
    /// EUR`, by the prices of all targets. Repeats end when the next would not fit.
    #[schemars(with = "Option<String>")]
    pub budget: Maybe<String>,
    /// Seeds the order of trials and all random streams.
    pub seed: Key<Whole<0, { i64::MAX }, 1>>,
    /// Confidence of every interval.
    #[schemars(
        with = "Option<f64>",
        range(min = *CONFIDENCES.start(), max = *CONFIDENCES.end()),
        extend("default" = Study::CONFIDENCE)
    )]
    pub confidence: Maybe<f64>,
    /// Relative difference below which two targets count as the same, such as 0.05 for 5 %.
    #[schemars(
        with = "Option<f64>",
        range(min = *MARGINS.start(), max = *MARGINS.end()),
        extend("default" = Study::MARGIN)
    )]
    pub margin: Maybe<f64>,
    /// Time between two samples of processors, disks and the server's counters while a trial runs, such
    /// as `2.5s`, from `100ms` to `60s`. Each asks the server for its counters.
    pub sample_every: Key<Length<1>>,
    /// Run the first target a second time in every block, as its own A/A control: differences between
    /// targets are claimed only where they exceed what tells these two apart. Tests with an `slo` are
    /// run once.
    pub noise_floor: Key<Flag<false>>,
    /// Run the trials of all targets at once, test by test and level by level, where they share neither
    /// machine nor load host.
    pub parallel: Key<Flag<false>>,
}

/// A number of repeats, or as many as it takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a whole number, or a table such as { min = 3, max = 20, until = \"resolved\" }"
)]
pub(crate) enum RepeatsKey {
    Number(#[schemars(with = "u32", range(min = 1, max = 1000))] i64),
    Until(UntilTable),
}

/// As many repeats as it takes: after each block the comparisons of targets that are decided, or
/// cannot be decided with all repeats, are left out.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[serde(deny_unknown_fields)]
pub(crate) struct UntilTable {
    /// Repeats of every cell before anything is decided.
    #[schemars(with = "Option<u32>", range(min = 2, max = MAX_LOOKS), extend("default" = REPEATS))]
    pub min: Option<i64>,
    /// The most repeats of any cell.
    #[schemars(
        with = "Option<u32>",
        range(min = 2, max = MAX_LOOKS),
        extend("default" = MOST_REPEATS)
    )]
    pub max: Option<i64>,
    /// What ends them: `resolved`.
    #[schemars(extend("enum" = ["resolved"]))]
    pub until: String,
}

/// One candidate: a `sandbox`, a `url`, an `instance`, or `volumes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TargetTable {
    /// Unique within the study, at most 64 characters.
    #[schemars(with = "String", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// Server software: `mariadb` and `mysql` mean the same; of `redis`, `valkey` and `keydb`, which
    /// speak one protocol, a sandbox starts the one that is named; `storage` has no server, but
    /// `volumes`.
    #[schemars(with = "Option<String>", extend("enum" = kinds()))]
    #[schemars(extend("default" = kinds()[0]))]
    pub kind: Maybe<String>,
    /// A private server that weighin starts and ends.
    #[schemars(with = "Option<SandboxTable>")]
    pub sandbox: Maybe<SandboxTable>,
    /// A server that runs already: `mysql://user@host:port/database` or
    /// `redis://user@host:port/number`, without a password.
    #[schemars(with = "Option<String>")]
    pub url: Maybe<String>,
    /// The machine that the server at `url` is on, or that the `sandbox` or the `volumes` are to be on,
    /// as your own `ssh` reaches it: `user@host`, or an alias of `~/.ssh/config`. Weighin then samples
    /// that machine too, and starts private servers, reads and writes volumes there.
    #[schemars(with = "Option<String>", length(min = 1, max = 255))]
    pub ssh: Maybe<String>,
    /// The same by the name of a `[[host]]`.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    pub host: Maybe<String>,
    /// `storage`: several `[[host]]`, by name, each of which has all the `volumes`. Virtual machines are
    /// dealt over them, all begin at one moment, and figures are of all together.
    #[schemars(with = "Option<Vec<String>>", length(min = 1, max = model::Load::MAX_LOAD_HOSTS))]
    pub hosts: Maybe<Vec<Spanned<String>>>,
    /// Environment variable that holds the password for `url`; takes `--allow-secret NAME` on the
    /// command line.
    #[schemars(with = "Option<String>")]
    pub password_env: Maybe<String>,
    /// File that holds nothing but the password for `url`. One that is not beside the study or below
    /// takes `--allow-secret FILE` on the command line.
    #[schemars(with = "Option<String>")]
    pub password_file: Maybe<String>,
    /// Encryption of the connection to `url`.
    #[schemars(with = "Option<String>", extend("enum" = crate::target::TLS_MODES))]
    #[schemars(extend("default" = "off"))]
    pub tls: Maybe<String>,
    /// PEM file with the certificates to trust, for `tls = "verified"`.
    #[schemars(with = "Option<String>")]
    pub tls_ca: Maybe<String>,
    /// Whether all that the clients of a load send and get is compressed with zlib, which MariaDB and
    /// MySQL servers offer.
    pub compression: Key<Flag<false>>,
    /// PEM file with the RSA key of a MySQL server: without TLS, only this key may encrypt the password
    /// of an account that uses `caching_sha2_password` or `sha256_password`.
    #[schemars(with = "Option<String>")]
    pub server_public_key: Maybe<String>,
    /// Without TLS, whichever RSA key the server sends may encrypt such a password; whoever gets
    /// between reads it, so that over a network it takes `--allow-cleartext` on the command line. Where
    /// neither key is set, the option files say, and `false` says no.
    #[schemars(with = "Option<bool>")]
    pub get_server_public_key: Maybe<bool>,
    /// `storage`: directories, block devices or files of this host, or of each that `ssh`, `host` or
    /// `hosts` names. In a directory weighin makes
    /// files of its own; what a device or a file holds is never overwritten without `erase`.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub volumes: Maybe<Vec<Spanned<String>>>,
    /// `storage`: those of the `volumes` that may be overwritten although they hold something. The
    /// command line must name them as well, with `--erase`.
    #[schemars(with = "Option<Vec<String>>")]
    pub erase: Maybe<Vec<Spanned<String>>>,
    /// Servers that run already and replicate from `url`, each as a URL of the same form and with the
    /// same database; they are logged in to as `url` is.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub replicas: Maybe<Vec<Spanned<String>>>,
    /// What controls these replicas, where a service forbids what weighin would do.
    #[schemars(with = "Option<ReplicationTable>")]
    pub replication: Maybe<ReplicationTable>,
    /// Your own commands that bring the server up for the study and take it down again.
    #[schemars(with = "Option<InstanceTable>")]
    pub instance: Maybe<InstanceTable>,
    /// What stops and starts the server at `url`, which tests with `cache = "cold"` need.
    #[schemars(with = "Option<RestartTable>")]
    pub restart: Maybe<RestartTable>,
    /// Which `[[load_host]]` make the loads on this target, by name, such as those in its zone; none of
    /// them, and this machine, with `[]`. Either every target says so or none; where none does, all
    /// make the loads on all, unless a test says which.
    #[schemars(with = "Option<Vec<String>>")]
    pub load_hosts: Maybe<Vec<String>>,
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
    /// Run the server of an unpacked distribution: the directory above its `bin`, as an absolute path.
    /// Without `base` and `container` the server that is installed is run.
    #[schemars(with = "Option<String>")]
    pub base: Maybe<String>,
    /// Run the server in a container of this image, such as `mysql:8.4`, with podman or docker; the
    /// image must be on this machine.
    #[schemars(with = "Option<String>")]
    pub container: Maybe<String>,
    /// Server settings by name, as in its option file.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Setting>")]
    pub settings: BTreeMap<Spanned<String>, Spanned<Setting>>,
    /// MariaDB and MySQL: how many replicas the server has, which are private servers as well, with the
    /// same settings. The load runs on the primary.
    #[schemars(extend("x-absent" = "none"))]
    pub replicas: Key<Bounded<1, { model::PrivateReplication::MAX_REPLICAS as i64 }>>,
    /// With `replicas`: whether replication is semi-synchronous, so that a commit waits until a replica
    /// has its transaction.
    pub semi_sync: Key<Flag<false>>,
    /// With `replicas`: settings of the replicas, which add to `settings` or replace them, such as
    /// `{ slave_parallel_threads = 4 }`.
    #[schemars(with = "Option<BTreeMap<String, Setting>>")]
    pub replica_settings: Maybe<BTreeMap<Spanned<String>, Spanned<Setting>>>,
    /// Give the server also those of the `settings` that could harm this host: that load code, connect
    /// to other servers, or name paths.
    pub trusted: Key<Flag<false>>,
    /// Restart the server before every trial.
    pub restart: Key<Flag<true>>,
    /// What the data stand on: a directory on the volume that is to be measured, or a volume for
    /// weighin to build.
    #[schemars(with = "Option<VolumeKey>", extend("x-absent" = "a directory of weighin's own"))]
    pub volume: Maybe<VolumeKey>,
    /// A volume for weighin to build for the temporary files of MariaDB or MySQL, such as
    /// `{ size = "64MiB" }`, without limits: so much room do sorts and changes of the schema find.
    #[schemars(with = "Option<VolumeTable>", extend("x-absent" = "with the data"))]
    pub temporary_volume: Maybe<VolumeTable>,
    /// The same as a `volume` that is a directory; beside one to build, where its files are kept.
    #[schemars(with = "Option<String>")]
    pub directory: Maybe<String>,
    /// On another machine (`ssh` or `host` of the target): the address of that machine on which the
    /// server listens, such as `"10.0.1.12"`.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("x-absent" = "the one by which ssh reaches it"))]
    pub listen: Maybe<String>,
}

/// What stops and starts the applier of a replica that weighin did not start: SQL that runs on the
/// replica, such as `CALL mysql.rds_stop_replication`, or a program with its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ReplicationTable {
    /// Ends the applying of what was received; receiving may go on.
    #[schemars(with = "Option<ControlActKey>", extend("x-absent" = "`STOP ... SQL_THREAD`"))]
    pub stop_applier: Maybe<ControlActKey>,
    /// Begins it again.
    #[schemars(with = "Option<ControlActKey>", extend("x-absent" = "`START ... SQL_THREAD`"))]
    pub start_applier: Maybe<ControlActKey>,
    /// Whether the programs were read and may run.
    pub trusted: Key<Flag<false>>,
}

/// A statement, or a program with its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a statement, or a program and its arguments as a list")]
pub(crate) enum ControlActKey {
    Statement(String),
    Command(Vec<String>),
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
    /// Transactions that make one of the IOs that are charged.
    #[schemars(
        with = "Option<f64>",
        extend("exclusiveMinimum" = 0, "x-absent" = "measured, where the server's disk can be seen")
    )]
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
    /// What is counted.
    pub per: Key<Choice<PerUnit>>,
    /// How many at the same time, such as 2 volumes. Not for millions of IOs or requests, which the load
    /// decides.
    #[schemars(
        with = "Option<f64>",
        range(min = 0),
        extend("x-absent" = "1; for `gb_month` the size of the test's data")
    )]
    pub quantity: Maybe<f64>,
}

/// One level or several, such as numbers of clients or rates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number or a list of whole numbers")]
pub(crate) enum Numbers {
    One(i64),
    Many(Vec<i64>),
}

/// How many machines of a study make a load, or which by name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number, or a list of names")]
pub(crate) enum LoadHostsKey {
    Count(#[schemars(range(min = 1, max = model::Load::MAX_LOAD_HOSTS))] i64),
    Names(Vec<String>),
}

/// Levels of clients: given, or such as place themselves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a whole number, a list of whole numbers, \"auto\", or a table such as { from = 1, to = 128 }"
)]
pub(crate) enum ClientsKey {
    Numbers(Numbers),
    Auto(#[schemars(extend("enum" = ["auto"]))] String),
    Placed(Box<PlacementTable>),
}

/// Levels that place themselves: a first pass from the lowest to the highest, then more half-way between
/// levels around peaks, knees and crossovers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlacementTable {
    /// The lowest level.
    #[schemars(with = "Option<u32>", range(min = 1, max = MAX_CLIENTS), extend("default" = 1))]
    pub from: Option<i64>,
    /// The highest level.
    #[schemars(
        with = "Option<u32>",
        range(min = 2, max = MAX_CLIENTS),
        extend("default" = crate::placement::DEFAULT_TO)
    )]
    pub to: Option<i64>,
    /// How many times as high as the one before it a level of the first pass is at most.
    #[schemars(
        range(min = *STEPS.start(), max = *STEPS.end()),
        extend("default" = LevelPlacement::STEP)
    )]
    pub step: Option<f64>,
    /// Levels that differ by this factor are close enough.
    #[schemars(
        range(min = *RESOLUTIONS.start(), max = *RESOLUTIONS.end()),
        extend("default" = LevelPlacement::RESOLUTION)
    )]
    pub resolution: Option<f64>,
    /// The most levels, those of the first pass included.
    #[schemars(
        with = "Option<u32>",
        range(min = *MOST_LEVELS.start(), max = *MOST_LEVELS.end()),
        extend("x-absent" = "half of those that a sweep over all of the range at this resolution would have")
    )]
    pub most: Option<i64>,
}

impl std::fmt::Display for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::One(number) => number.fmt(f),
            Self::Many(numbers) => write!(f, "{numbers:?}"),
        }
    }
}

/// One text or several, such as statements.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a text or a list of texts")]
pub(crate) enum Names {
    One(String),
    Many(Vec<String>),
}

impl Names {
    pub fn all(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
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

/// What `kind` takes.
fn kinds() -> Vec<&'static str> {
    System::kinds().map(|(kind, _)| kind.name).collect()
}
