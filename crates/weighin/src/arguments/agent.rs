//! What agents of a broker and their keys are given.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    /// The broker, a nats-server: tls://HOST:PORT, or nats://127.0.0.1:PORT on this machine; with
    /// /FLEET behind it where it has several fleets
    #[arg(required_unless_present = "stdio")]
    pub(crate) broker: Option<String>,
    /// The name under which studies ask for it; that of this machine when absent
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A label by which studies may choose it, such as zone=eu-west-1a
    #[arg(long = "label", value_name = "NAME=VALUE")]
    pub(crate) labels: Vec<String>,
    /// Environment variable that holds the seed of this agent’s key, an nkey
    #[arg(long, value_name = "NAME", requires = "leads", conflicts_with_all = ["seed_file", "token_env", "token_file"])]
    pub(crate) seed_env: Option<String>,
    /// File whose first line is the seed of this agent’s key: `weighin seed FILE` makes one
    #[arg(long, value_name = "FILE", requires = "leads", conflicts_with_all = ["token_env", "token_file"])]
    pub(crate) seed_file: Option<PathBuf>,
    /// Public key of a lead whose orders this agent takes; for each lead
    #[arg(long = "lead", value_name = "KEY", conflicts_with_all = ["token_env", "token_file"])]
    pub(crate) leads: Vec<String>,
    /// Environment variable that holds the broker’s token
    #[arg(long, value_name = "NAME", conflicts_with = "token_file")]
    pub(crate) token_env: Option<String>,
    /// File that holds the broker’s token alone
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// PEM file with the certificates to trust; those of the system when absent
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Take orders from standard input, and answer on standard output
    #[arg(long, hide = true, conflicts_with = "broker")]
    pub(crate) stdio: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SeedArguments {
    /// The file, which its owner alone may read; made where it is not there
    pub(crate) file: PathBuf,
}
