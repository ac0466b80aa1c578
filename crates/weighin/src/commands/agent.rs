//! `weighin agent`: weighin on another machine. Started over SSH by weighin itself, or by whoever wants
//! the machine to make loads for studies, which then find it with a broker.

use super::Outcome;
use crate::Exit;
use crate::arguments::AgentArguments;
use crate::exit::CliError;
use crate::messages::{JsonLines, tell};
use fleet::PublicKey;
use fleet::{AgentEvent, AgentOptions};
use host::Duty;
use model::{Broker, BrokerProof, PasswordSource, text};
use std::collections::BTreeMap;
use std::io::{BufReader, stdin};
use std::path::PathBuf;
use system::client::SecretRules;

/// Does what comes through standard input, and answers on standard output; or registers with a broker.
pub(crate) fn agent(arguments: &AgentArguments) -> Outcome {
    match &arguments.broker {
        Some(address) => register(address, arguments),
        None => {
            host::serve(BufReader::new(stdin()), JsonLines::new(), Duty::Anything)?;
            Ok(Exit::Done)
        }
    }
}

fn register(address: &str, arguments: &AgentArguments) -> Outcome {
    let address = study::parse_broker(address)
        .map_err(|error| CliError::usage(error.to_string(), error.help()))?;
    if arguments.ca.is_some() && !address.tls {
        return Err(CliError::usage("--ca is for tls://", "remove it, or write tls://"));
    }
    let (token, proof) = proof(arguments)?;
    let lead = |text: &String| {
        PublicKey::parse(text).map_err(|error| {
            CliError::usage(
                format!("--lead {}: {error}", text::line(text)),
                "weighin seed FILE prints it where the lead is",
            )
        })
    };
    let leads = arguments.leads.iter().map(lead).collect::<Result<_, CliError>>()?;
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => host::this_machine().facts().hostname,
    };
    let (agents, ca) = (BTreeMap::new(), arguments.ca.clone());
    let broker = Broker { address, token, proof, agents, ca };
    let named_here = SecretRules::command_line(false);
    let login = campaign::login_of_broker(&broker, &format!("weighin agent {name}"), &named_here)?;
    let options = AgentOptions {
        login,
        name,
        labels: labels(&arguments.labels)?,
        leads,
        generator: campaign::REMOTE_GENERATOR_COMMAND,
    };
    fleet::wait_for_leads(&options, &mut |event| {
        tell(&match event {
            AgentEvent::NoBroker(Some(failure)) => {
                format!("{failure}; it is tried again\n  help: {}", failure.remedy)
            }
            AgentEvent::NoBroker(None) => {
                format!("the broker {} is gone; it is tried again", broker.address)
            }
            AgentEvent::Registered { name, id } => {
                format!("registered as {name} with {} ({id})", broker.address)
            }
            AgentEvent::Taken { lead } => format!("makes load for {}", text::line(lead)),
            AgentEvent::Free { lead } => format!("is free again: {} is gone", text::line(lead)),
        });
    })?;
    Ok(Exit::Done)
}

/// What shows the broker who this is.
fn proof(arguments: &AgentArguments) -> Result<(PasswordSource, BrokerProof), CliError> {
    let source = |name: &Option<String>, path: &Option<PathBuf>| match (name, path) {
        (Some(name), _) => Some(PasswordSource::Environment(name.clone())),
        (None, Some(path)) => Some(PasswordSource::File(path.clone())),
        (None, None) => None,
    };
    let seed = source(&arguments.seed_env, &arguments.seed_file);
    let token = source(&arguments.token_env, &arguments.token_file);
    let proof = seed.map(|seed| (seed, BrokerProof::Seed));
    proof.or(token.map(|token| (token, BrokerProof::Token))).ok_or_else(|| {
        CliError::usage(
            "an agent needs a seed or a token for the broker",
            "add --seed-file FILE and --lead KEY (weighin seed FILE makes a seed), or --token-file FILE; \
             nats-server has keys and token under authorization",
        )
    })
}

fn labels(written: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let pair = |text: &String| {
        let pair = text.split_once('=').filter(|(name, value)| {
            let is_short = |text: &str| (1..=64).contains(&text.chars().count());
            is_short(name) && is_short(value)
        });
        let pair = pair.map(|(name, value)| (name.to_owned(), value.to_owned()));
        pair.ok_or_else(|| {
            let message = format!("{text} is no label");
            CliError::usage(message, "write --label zone=eu-west-1a, at most 64 characters each")
        })
    };
    let labels: BTreeMap<_, _> = written.iter().map(pair).collect::<Result<_, CliError>>()?;
    if labels.len() > fleet::MOST_LABELS {
        let message = format!("an agent has {} labels at most", fleet::MOST_LABELS);
        return Err(CliError::usage(message, "leave some of them out"));
    }
    Ok(labels)
}
