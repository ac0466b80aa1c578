//! The broker that agents register with: `[fleet]`.

use crate::broker::parse_broker;
use crate::load_hosts::LoadHostTables;
use crate::problem::Problems;
use crate::target::{path, secret_source};
use crate::wire::{FleetTable, Maybe};
use model::{Broker, PasswordSource};

/// Validates `[fleet]`, which is there where load hosts are agents, and only there.
pub(crate) fn fleet(
    written: &Maybe<FleetTable>,
    load_hosts: &LoadHostTables,
    problems: &mut Problems,
) -> Option<Broker> {
    let agent = load_hosts.first_agent();
    let Some(written) = written else {
        if let Some(at) = agent {
            problems.add(at, "the study does not say where agents register").help(
                "add a table [fleet] with nats = \"tls://broker.internal:4222\" and \
                 token_file = \"token\"",
            );
        }
        return None;
    };
    let (at, table) = (written.span(), written.get_ref());
    if agent.is_none() && !load_hosts.are_incomplete() {
        problems.add(at.clone(), "no load host of this study is an agent").help(
            "add a table [[load_host]] with a name and agent = \"NAME\" or agents = 2, or remove [fleet]",
        );
    }
    let token = secret_source(
        "token",
        ("token_env", &table.token_env),
        ("token_file", &table.token_file),
        problems,
    );
    if token == Some(PasswordSource::OptionFile) {
        problems
            .add(at.clone(), "[fleet] does not say where the token is")
            .help("add token_file = \"token\" or token_env = \"NAME\": a broker that asks for none takes orders from anybody");
    }
    let ca = path("ca", &table.ca, problems);
    let Some(written) = &table.nats else {
        let help = "add a line like nats = \"tls://broker.internal:4222\"";
        problems.missing(at, "[fleet] has no `nats`", help);
        return None;
    };
    let address = match parse_broker(written.get_ref()) {
        Ok(address) => address,
        Err(error) => {
            // What stands there may be a token.
            problems.add(written.span(), error.to_string()).help(error.help()).secret();
            return None;
        }
    };
    if let Some(ca) = table.ca.as_ref().filter(|_| !address.tls) {
        problems
            .add(ca.span(), "`ca` is for tls://")
            .other(written.span(), "not encrypted")
            .help("remove it, or write tls://");
    }
    Some(Broker { address, token: token?, ca })
}
