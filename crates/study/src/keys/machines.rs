//! Machines besides the one that weighin runs on.

use crate::keys::choices::PerUse;
use crate::keys::key::{Bounded, Choice, Flag, Key, Length};
use crate::keys::{Maybe, PriceTable};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A machine that weighin reaches over SSH.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct HostTable {
    /// Unique among the hosts of the study, at most 64 characters.
    #[schemars(with = "String", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// What your own `ssh` connects to: `user@host`, or an alias of `~/.ssh/config`.
    #[schemars(with = "Option<String>", length(min = 1, max = 255))]
    pub ssh: Maybe<String>,
    /// What brings the machine up for the study, in place of `ssh`, which its `up` says.
    #[schemars(with = "Option<InstanceTable>")]
    pub instance: Maybe<InstanceTable>,
    /// What it costs while it is there, for the bill of the study.
    #[schemars(with = "Option<PriceTable>")]
    pub price: Maybe<PriceTable>,
}

/// Where agents register: a server of NATS.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct FleetTable {
    /// The broker: `tls://broker.internal:4222`, or `nats://127.0.0.1:4222` on this very machine; with
    /// the name of the fleet behind it where the broker has several, as in
    /// `tls://broker.internal/nightly`.
    #[schemars(with = "String")]
    pub nats: Maybe<String>,
    /// Environment variable that holds the broker's token; takes `--allow-secret NAME` on the command
    /// line.
    #[schemars(with = "Option<String>")]
    pub token_env: Maybe<String>,
    /// File that holds nothing but the broker's token, relative to the study file. One that is not beside
    /// the study or below takes `--allow-secret FILE` on the command line.
    #[schemars(with = "Option<String>")]
    pub token_file: Maybe<String>,
    /// Environment variable that holds the seed of this lead’s key, an nkey, in place of a token.
    #[schemars(with = "Option<String>")]
    pub seed_env: Maybe<String>,
    /// File whose first line is the seed of this lead’s key, relative to the study file; `weighin seed FILE`
    /// makes one.
    #[schemars(with = "Option<String>")]
    pub seed_file: Maybe<String>,
    /// With a seed: the agents that are believed, by name, with the public key of each. A name that ends
    /// with `*` stands for all that begin so and are not named.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub agents: Maybe<BTreeMap<String, String>>,
    /// PEM file with the certificates to trust, relative to the study file.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("x-absent" = "those of the system"))]
    pub ca: Maybe<String>,
}

/// A machine that makes load: one that weighin reaches over SSH, or one or more by agents that have
/// registered with the broker of `[fleet]`.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct LoadHostTable {
    /// Unique among the load hosts of the study, at most 64 characters. Several agents of one table are
    /// called so with a number behind it.
    #[schemars(with = "String", length(min = 1, max = 64))]
    pub name: Maybe<String>,
    /// What your own `ssh` connects to: `user@host`, or an alias of `~/.ssh/config`.
    #[schemars(with = "Option<String>", length(min = 1, max = 255))]
    pub ssh: Maybe<String>,
    /// The name under which an agent has registered: that of its machine unless it was given another.
    #[schemars(with = "Option<String>", length(min = 1, max = 64))]
    pub agent: Maybe<String>,
    /// So many agents, whichever have registered and have the `labels`.
    pub agents: Key<Bounded<1, { model::Load::MAX_LOAD_HOSTS as i64 }>>,
    /// Labels that each of the `agents` must have, such as `{ zone = "eu-west-1a" }`.
    #[schemars(with = "Option<BTreeMap<String, String>>")]
    pub labels: Maybe<BTreeMap<String, String>>,
    /// Whether every trial takes it. With `false` a trial begins without it where it is not there: the
    /// others make its part of the load, and the report says so.
    pub required: Key<Flag<true>>,
    /// What brings the machine up for the study, in place of `ssh`, which its `up` says.
    #[schemars(with = "Option<InstanceTable>")]
    pub instance: Maybe<InstanceTable>,
    /// What it costs while it is there, for the bill of the study.
    #[schemars(with = "Option<PriceTable>")]
    pub price: Maybe<PriceTable>,
}

/// How many machines of a study make a load, or which by name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number, or a list of names")]
pub(crate) enum LoadHostsKey {
    Count(#[schemars(range(min = 1, max = model::Load::MAX_LOAD_HOSTS))] i64),
    Names(Vec<String>),
}

/// What brings a target's server, or a machine, up for the study, and takes it down again: programs of
/// the machine that weighin runs on, with their arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct InstanceTable {
    /// Ends when the server is there. What it prints on standard output is a JSON object with any of
    /// `url`, `ssh` and `labels`, as `tofu output -json` prints it too; all else goes to standard
    /// error.
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub up: Maybe<Vec<String>>,
    /// Ends when the server is gone, and does no harm where it was never there. It is run however the
    /// study ends.
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub down: Maybe<Vec<String>>,
    /// How long one is used: for the `study`, or, of a target's instance, for one `repeat`, so that
    /// each repeat is measured on another one.
    pub per: Key<Choice<PerUse>>,
    /// How long `up` and `down` may take, each.
    pub time_limit: Key<Length<1800>>,
    /// Names of environment variables that the commands get, such as `["HCLOUD_TOKEN"]`: others of
    /// yours they do not see.
    #[schemars(with = "Option<Vec<String>>")]
    pub environment: Maybe<Vec<Spanned<String>>>,
    /// Whether the commands were read and may run.
    pub trusted: Key<Flag<false>>,
}
