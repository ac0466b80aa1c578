//! What undoes what trials change of data on a server that runs already: the `undo` of a target with a `url`.

use crate::keys::TargetTable;
use crate::problem::Problems;
use crate::read::command::{THIS_HOST, check_command};
use crate::read::hosts::instance::time_limit;
use model::UndoSpec;

/// The command of a target, where it has one.
pub(crate) fn undo(table: &mut TargetTable, problems: &mut Problems) -> Option<UndoSpec> {
    let written = table.undo.take()?;
    let at = written.span();
    if table.sandbox.is_some() || table.volumes.is_some() {
        problems
            .add(at, "`undo` belongs to a url: a private server gets a fresh copy of the data")
            .help("remove it");
        return None;
    }
    let wire = written.into_inner();
    let time_limit = time_limit(&wire.time_limit, problems);
    let Some(command) = &wire.command else {
        let help = "write undo = { command = [\"./restore.sh\"], trusted = true }";
        problems.missing(at, "this `undo` has no `command`", help);
        return None;
    };
    let place = match table.ssh.is_some() || table.host.is_some() {
        true => "the server's machine",
        false => THIS_HOST,
    };
    check_command("command", command, wire.trusted.value(), place, problems);
    Some(UndoSpec { command: command.get_ref().clone(), time_limit })
}
