//! The keys of a `[[target]]`.

use crate::keys::Maybe;
use crate::keys::key::{AnyLength, Bounded, Flag, Key, Length};
use crate::keys::machines::InstanceTable;
use crate::keys::price::PriceTable;
use crate::keys::volume::{VolumeKey, VolumeTable};
use model::System;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

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
    /// File that holds nothing but the password for `url`, relative to the study file. One that is not
    /// beside the study or below takes `--allow-secret FILE` on the command line.
    #[schemars(with = "Option<String>")]
    pub password_file: Maybe<String>,
    /// Encryption of the connection to `url`.
    #[schemars(with = "Option<String>", extend("enum" = TLS_MODES))]
    #[schemars(extend("default" = "off"))]
    pub tls: Maybe<String>,
    /// PEM file with the certificates to trust, for `tls = "verified"`, relative to the study file.
    #[schemars(with = "Option<String>")]
    pub tls_ca: Maybe<String>,
    /// Whether all that the clients of a load send and get is compressed with zlib, which MariaDB and
    /// MySQL servers offer.
    pub compression: Key<Flag<false>>,
    /// PEM file with the RSA key of a MySQL server, relative to the study file: without TLS, only this key
    /// may encrypt the password of an account that uses `caching_sha2_password` or `sha256_password`.
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
    /// Your own command that undoes what trials change of data which is at `url` already, as `restore` of a
    /// test says when. It takes the place of the test's `undo` there.
    #[schemars(with = "Option<UndoTable>", extend("x-absent" = "the test's `undo` does it, if anything"))]
    pub undo: Maybe<UndoTable>,
    /// Which `[[load_host]]` make the loads on this target, by name, such as those in its zone; none of
    /// them, and this machine, with `[]`. Either every target says so or none; where none does, all
    /// make the loads on all, unless a test says which.
    #[schemars(with = "Option<Vec<String>>")]
    pub load_hosts: Maybe<Vec<String>>,
    /// What lies on the way of the loads on this target: each part of it is a factor, which the report
    /// compares with targets that have it otherwise.
    #[schemars(with = "Option<PathTable>")]
    pub path: Maybe<PathTable>,
    /// What the target costs.
    #[schemars(with = "Option<PriceTable>")]
    pub price: Maybe<PriceTable>,
    /// Factors of your own, such as `{ tenancy = "shared" }`; shown in the report.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// The way of a load to its server. Control connections go directly.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct PathTable {
    /// By how much weighin makes each round trip longer, such as `1ms` for a server in another zone: half of
    /// it in either direction. Takes TCP.
    #[schemars(extend("x-absent" = "none"))]
    pub delay: Key<AnyLength>,
    /// A pooler or proxy that the loads go through; they log in there as they would to the server. Before
    /// the server at `url` where it listens, such as `"127.0.0.1:6432"`; before a `sandbox` the program
    /// that weighin starts: `"pgbouncer"`, which shares the sessions of PostgreSQL by transactions, or
    /// `"haproxy"`, which forwards connections. Each has its own defaults, and takes as many clients as come.
    #[schemars(with = "Option<String>", extend("x-absent" = "none"))]
    pub proxy: Maybe<String>,
    /// Whether connections are encrypted. A `sandbox` gets a certificate of its own for it; of a `url` it
    /// is verified, unless `tls` says otherwise.
    #[schemars(with = "Option<bool>", extend("x-absent" = "as `tls` says; no for a `sandbox`"))]
    pub tls: Maybe<bool>,
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
    /// MariaDB, MySQL and Redis: the option file (`my.cnf`, `redis.conf`) of another server, relative to the
    /// study file. The private server gets its settings as far as they suit it and harm nothing, `trusted` or not;
    /// `check` and report list what it does not get. `settings` add to them or replace them.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub config: Maybe<String>,
    /// MariaDB and MySQL: a data directory of a server that is stopped, or a physical backup that was
    /// prepared (`mariabackup --prepare`), as an absolute path on this machine. The server runs on a copy of
    /// it, which shares its blocks where the file system can.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("x-absent" = "a new one"))]
    pub data: Maybe<String>,
    /// With `data`: the database in it that the tests use.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    #[schemars(extend("x-absent" = "`sbtest`"))]
    pub database: Maybe<String>,
    /// MariaDB, MySQL and PostgreSQL: how many replicas the server has, which are private servers as well, with the
    /// same settings. The load runs on the primary.
    #[schemars(extend("x-absent" = "none"))]
    pub replicas: Key<Bounded<1, { model::PrivateReplication::MAX_REPLICAS as i64 }>>,
    /// With `replicas`: whether replication is semi-synchronous (PostgreSQL: synchronous), so that a
    /// commit waits until a replica has its transaction.
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
    /// A volume for weighin to build for the temporary files of MariaDB, MySQL or PostgreSQL, such as
    /// `{ size = "64MiB" }`, without limits: so much room do sorts and changes of the schema find. Each
    /// replica has one of its own.
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

/// What `kind` takes.
fn kinds() -> Vec<&'static str> {
    System::kinds().map(|(kind, _)| kind.name).collect()
}

/// What stops and starts a server that runs already, on its own machine: a `unit`, or two commands.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct RestartTable {
    /// The unit of systemd that the server is, such as `mariadb`.
    #[schemars(with = "Option<String>", length(min = 1, max = 255))]
    pub unit: Maybe<String>,
    /// A program of the server's machine, with its arguments, that ends when the server has ended.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub stop: Maybe<Vec<String>>,
    /// Likewise, which starts the server, and need not wait until it answers. It is run however the
    /// study ends, and does no harm where the server runs.
    #[schemars(with = "Option<Vec<String>>", length(min = 1))]
    pub start: Maybe<Vec<String>>,
    /// How long stopping may take, and starting until the server answers: it may have to write a large
    /// buffer pool.
    pub time_limit: Key<Length<300>>,
    /// Whether the commands were read and may run, or the unit may be stopped although it is not seen
    /// to be the server.
    pub trusted: Key<Flag<false>>,
}

/// What undoes what trials change.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct UndoTable {
    /// A program with its arguments, which ends when the data is as it was: of the server's machine where
    /// `ssh` or `host` names that, otherwise of the machine that weighin runs on. It runs before the first
    /// trial too, and has to do no harm where nothing was changed.
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub command: Maybe<Vec<String>>,
    /// How long it may take, and after it the server until it answers.
    pub time_limit: Key<Length<1800>>,
    /// Whether the command was read and may run.
    pub trusted: Key<Flag<false>>,
}

/// Values that `tls` takes.
pub(crate) const TLS_MODES: [&str; 3] = ["off", "unverified", "verified"];

/// Keys that say how to log in to a server.
pub(crate) const LOGIN_KEYS: [&str; 7] = [
    "password_env",
    "password_file",
    "tls",
    "tls_ca",
    "compression",
    "server_public_key",
    "get_server_public_key",
];

/// Keys of `[[target]]` that speak of replicas of a server that runs already.
pub(crate) const REPLICA_KEYS: [&str; 2] = ["replicas", "replication"];
