//! The broker that agents register with: `[fleet]`.

use crate::keys::{FleetTable, Maybe};
use crate::problem::Problems;
use crate::read::hosts::load_hosts::LoadHostTables;
use crate::read::login::{path, secret_source};
use crate::text::broker::parse_broker;
use model::{Broker, BrokerProof, PasswordSource};
use nkeys::{KeyPair, KeyPairType};
use std::collections::BTreeMap;
use std::ops::Range;

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
    let (token, proof) = proof(at.clone(), table, problems);
    let agents = agents(at.clone(), table, problems);
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
    Some(Broker { address, token: token?, proof, agents, ca })
}

/// What shows the broker who this is: a token, or a seed.
fn proof(
    at: Range<usize>,
    table: &FleetTable,
    problems: &mut Problems,
) -> (Option<PasswordSource>, BrokerProof) {
    let of_token = (("token_env", &table.token_env), ("token_file", &table.token_file));
    let of_seed = (("seed_env", &table.seed_env), ("seed_file", &table.seed_file));
    let proof = match table.seed_env.is_some() || table.seed_file.is_some() {
        true => BrokerProof::Seed,
        false => BrokerProof::Token,
    };
    let (env, file) = if proof == BrokerProof::Seed { of_seed } else { of_token };
    let source = secret_source(proof.word(), env, file, problems);
    let token = table.token_file.as_ref().or(table.token_env.as_ref());
    if let (BrokerProof::Seed, Some(token)) = (proof, token) {
        problems
            .add(token.span(), "[fleet] has both a token and a seed")
            .help("remove the token: a broker with nkeys asks for none");
    }
    if source == Some(PasswordSource::OptionFile) {
        problems.add(at, "[fleet] does not say how to log in to the broker").help(
            "add seed_file = \"lead.seed\" with the agents’ public keys (agents = { NAME = \"U…\" }), \
             or token_file = \"token\": a broker that asks for neither takes orders from anybody",
        );
    }
    (source, proof)
}

/// The agents that are believed: listed where there is a seed, and only there.
fn agents(
    at: Range<usize>,
    table: &FleetTable,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let has_seed = table.seed_env.is_some() || table.seed_file.is_some();
    let Some(written) = &table.agents else {
        if has_seed {
            problems.missing(
                at,
                "[fleet] does not say which agents get logins",
                "add their public keys, as in agents = { ip-10-0-1-21 = \"U…\" }: weighin seed FILE \
                 prints each where its agent is",
            );
        }
        return BTreeMap::new();
    };
    if !has_seed {
        problems.add(written.span(), "`agents` is for a [fleet] with a seed").help(
            "add seed_file = \"lead.seed\" in place of the token: weighin seed lead.seed makes one",
        );
    }
    for (name, key) in written.get_ref() {
        let shown = name.strip_suffix('*').unwrap_or(name);
        if shown.len() > 64
            || !shown.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
        {
            problems.add(written.span(), format!("{name} is no name of an agent")).help(
                "write one of letters, digits, `.`, `_` and `-`, at most 64; with `*` behind it for all \
                 that begin so",
            );
        }
        let pair = KeyPair::from_public_key(key).ok();
        if pair.is_none_or(|pair| pair.key_pair_type() != KeyPairType::User) {
            let what = "this is no public key of a user (56 characters that begin with U, of which the \
                        last ones are a checksum)";
            let told = problems.add(written.span(), format!("the key of the agent {name}: {what}"));
            told.help("weighin seed FILE prints it; a seed (SU…) stays where it is").secret();
        }
    }
    written.get_ref().clone()
}
