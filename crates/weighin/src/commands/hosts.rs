use super::{Outcome, print};
use crate::Exit;
use crate::arguments::HostsArguments;
use crate::exit::CliError;
use crate::messages::tell;
use crate::signals;
use ::report::numbers::{bytes, counted};
use host::{Host, Remote};
use model::{Failure, Target, Test};
use std::collections::BTreeSet;

/// Reaches the machines that a study names, or removes weighin from them.
pub(crate) fn hosts(arguments: &HostsArguments) -> Outcome {
    let study = study::load(&arguments.study)?;
    let stop = signals::stop();
    let makers = study.tests.iter().filter_map(Test::load).flat_map(|load| &load.load_hosts);
    let hosts: BTreeSet<_> = study.measured().filter_map(Target::ssh_host).chain(makers).collect();
    if hosts.is_empty() {
        print("This study has no machine that weighin reaches over SSH.\n")?;
    }
    let mut failed = None;
    for host in hosts {
        let remote = Remote::new(host.clone(), &stop);
        let name = model::text::line(&host.name).into_owned();
        let said = if arguments.clean { clean(&remote) } else { seen(&remote) };
        match said {
            Ok(said) => print(&format!("{name}: {said}\n"))?,
            Err(failure) if failure.is_stop() => return Err(CliError::interrupted("")),
            Err(failure) => {
                tell(&format!("{name}: {failure}\n  help: {}", failure.remedy));
                failed = Some(Exit::Unavailable);
            }
        }
    }
    Ok(failed.unwrap_or(Exit::Done))
}

fn clean(remote: &Remote) -> Result<String, Failure> {
    let removed = remote.clean()?;
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
