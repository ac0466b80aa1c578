//! What stops and starts the server of a target: the `restart` of a target with a `url`.

use crate::keys::TargetTable;
use crate::problem::Problems;
use crate::read::command::check_command;
use crate::read::hosts::instance::time_limit;
use model::{RestartSpec, RestartWay};
use toml::Spanned;

/// Longest name of a unit of systemd, in bytes.
const LONGEST_UNIT: usize = 255;

/// The restart of a target, where it has one.
pub(crate) fn restart(table: &mut TargetTable, problems: &mut Problems) -> Option<RestartSpec> {
    let written = table.restart.take()?;
    let at = written.span();
    if table.sandbox.is_some() || table.volumes.is_some() {
        problems
            .add(
                at.clone(),
                "`restart` belongs to a url: weighin restarts private servers by itself",
            )
            .help("remove it");
        return None;
    }
    if let Some(replicas) = &table.replicas {
        problems
            .add(at.clone(), "a server with `replicas` is not restarted: they would lose its log")
            .other(replicas.span(), "the replicas")
            .help("make it a target of its own without them");
    }
    let wire = written.into_inner();
    let time_limit = time_limit(&wire.time_limit, problems);
    let way = match (&wire.unit, &wire.stop, &wire.start) {
        (Some(unit), None, None) => RestartWay::Unit(unit_name(unit, problems)?),
        (None, Some(stop), Some(start)) => {
            let trusted = wire.trusted.value();
            for (key, command) in [("stop", stop), ("start", start)] {
                check_command(key, command, trusted, "the server's machine", problems);
            }
            RestartWay::Commands { stop: stop.get_ref().clone(), start: start.get_ref().clone() }
        }
        _ => {
            problems
                .add(at, "a restart has either a `unit` or the commands `stop` and `start`")
                .help(
                    "write restart = { unit = \"NAME\" }, or restart = { stop = [\"./stop.sh\"], \
                     start = [\"./start.sh\"], trusted = true }",
                );
            return None;
        }
    };
    Some(RestartSpec { way, time_limit, trusted: wire.trusted.value() })
}

fn unit_name(written: &Spanned<String>, problems: &mut Problems) -> Option<String> {
    let name = written.get_ref();
    let possible = (1..=LONGEST_UNIT).contains(&name.len())
        && !name.starts_with('-')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || ":-_.\\@".contains(c));
    if !possible {
        problems
            .add(written.span(), "`unit` must be the name of a unit of systemd")
            .help("write it as systemctl lists it, such as unit = \"NAME.service\"");
    }
    possible.then(|| name.clone())
}
