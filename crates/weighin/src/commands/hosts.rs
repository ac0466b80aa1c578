use super::{Outcome, print, secrets};
use crate::Exit;
use crate::arguments::HostsArguments;
use crate::exit::CliError;
use crate::messages::tell;
use crate::signals;
use ::report::numbers::{bytes, counted};
use fleet::{KnownAgent, Stranger};
use host::{Host, Remote};
use model::{Failure, RemoteHost, Stop, Study, text};
use std::sync::Arc;

/// Reaches the machines that a study names, or removes weighin from them.
pub(crate) fn hosts(arguments: &HostsArguments) -> Outcome {
    let study = study::load(&arguments.study)?;
    let stop = signals::stop();
    let hosts = campaign::remote_hosts(&study);
    if hosts.is_empty() {
        print(
            "This study has no other machine: none that weighin reaches over SSH, and no agent.\n",
        )?;
    }
    // Only the token of a broker is needed here.
    let of_fleet = Study { targets: Vec::new(), ..study.clone() };
    let rules = match arguments.clean {
        true => Arc::default(),
        false => secrets::rules(&arguments.study, &of_fleet, &arguments.secrets)?,
    };
    let fleet = campaign::fleet(&study, &rules);
    let mut failed = None;
    for host in &hosts {
        let name = text::line(&host.name).into_owned();
        if study.host_instance(&host.name).is_some() {
            print(&format!(
                "{name}: started for the study and removed after it, so nothing stays on it\n"
            ))?;
            continue;
        }
        let said = match arguments.clean {
            true => clean(host, &stop),
            false => campaign::remote(host, fleet.as_ref(), &stop)
                .map_or(Ok(String::new()), |r| seen(&r)),
        };
        match said {
            Ok(said) => print(&format!("{name}: {said}\n"))?,
            Err(failure) => failed = Some(report(&name, failure)?),
        }
    }
    if let (Some(fleet), false) = (fleet, arguments.clean) {
        match fleet.agents(&stop) {
            Ok(agents) => print(&registered(&study, &agents))?,
            Err(failure) => failed = Some(report("[fleet]", failure)?),
        }
    }
    Ok(failed.unwrap_or(Exit::Done))
}

fn report(name: &str, failure: Failure) -> Result<Exit, CliError> {
    if failure.is_stop() {
        return Err(CliError::interrupted(""));
    }
    tell(&format!("{name}: {failure}\n  help: {}", failure.remedy));
    Ok(Exit::Unavailable)
}

fn clean(host: &RemoteHost, stop: &Stop) -> Result<String, Failure> {
    let Some(ssh) = host.ssh() else {
        return Ok("an agent that was installed there: weighin copied nothing".to_owned());
    };
    let removed = Remote::clean(&ssh, stop)?;
    Ok(if removed { "weighin is removed" } else { "weighin is not there" }.to_owned())
}

/// What a machine is, in words.
fn seen(remote: &Remote) -> Result<String, Failure> {
    remote.reach()?;
    let facts = remote.facts();
    let whose =
        if remote.is_root() { "weighin is root there" } else { "weighin is not root there" };
    Ok(format!(
        "{}, {}, {}, {}; {whose}",
        facts.hostname,
        facts.os,
        counted(facts.cpus as usize, "processor"),
        bytes(facts.memory_bytes),
    ))
}

/// All agents of a broker, in words.
fn registered(study: &Study, agents: &[KnownAgent]) -> String {
    let Some(broker) = &study.fleet else { return String::new() };
    let mut told =
        format!("\n{} registered with {}:\n", counted(agents.len(), "agent"), broker.address);
    for agent in agents {
        let labels = agent.labels.iter().map(|(key, value)| format!(", {key}={value}"));
        let state = match (&agent.stranger, &agent.other_version, &agent.lead) {
            (Some(Stranger::Key(key)), _, _) => {
                format!("is not taken: the study does not list its key {key} for this name")
            }
            (Some(Stranger::NoKey), _, _) => "is not taken: it has no key".to_owned(),
            (None, Some(version), _) => format!("is weighin {version}"),
            (None, None, Some(lead)) => format!("makes load for {lead}"),
            (None, None, None) => "is free".to_owned(),
        };
        let line = format!(
            "{} ({}{}) {state}",
            agent.name,
            counted(agent.processors as usize, "processor"),
            labels.collect::<String>(),
        );
        told += &format!("  {}\n", text::line(&line));
    }
    told
}
