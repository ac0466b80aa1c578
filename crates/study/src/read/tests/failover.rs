//! The task `failover`: the loss or the handing over of a primary.

use crate::keys::FailoverKeys;
use crate::problem::Problems;
use crate::read::command::{THIS_HOST, check_command};
use crate::read::tests::table::TestTable;
use model::bounds::MAX_PROBE_WRITES;
use model::{CacheState, Failover, FailoverCause, Task};
use std::time::Duration;
use toml::Spanned;

/// Less than that before is no reference.
const SHORTEST_BEFORE: Duration = Duration::from_secs(1);

/// What the keys of a test ask for.
pub(crate) fn task(
    table: &TestTable,
    keys: &FailoverKeys,
    cache: CacheState,
    problems: &mut Problems,
) -> Option<Task> {
    if let (Some(at), CacheState::Cold) = (table.place("cache"), cache) {
        problems
            .add(at, "a failover does not start cold: the probe would wait for the disk first")
            .help("leave `cache` out");
    }
    let cause = cause(table, keys, problems);
    let duration = keys.duration.value("duration", problems);
    let at = keys.at.value("at", problems);
    if at < SHORTEST_BEFORE || at >= duration {
        let place = table.place("at").or_else(|| table.place("duration"));
        problems
            .add(
                place.unwrap_or_else(|| table.at.clone()),
                "`at` must be 1s or more, and earlier than `duration` ends",
            )
            .help("what the probe writes before is the reference: `at` is 5s when absent");
    }
    let rate = keys.rate.value("rate", problems);
    let connections = keys.connections.value("connections", problems);
    let timeout = keys.timeout.value("timeout", problems);
    if let (Some(at), true) = (table.place("timeout"), timeout.is_zero()) {
        problems.add(at, "`timeout` must be more than zero: no write would ever be acknowledged");
    }
    let restore = keys.restore.as_ref().map(|words| {
        check_command("restore", words, keys.trusted.value(), THIS_HOST, problems);
        words.get_ref().clone()
    });
    let failover = Failover { cause: cause?, at, duration, rate, connections, timeout, restore };
    if failover.writes() > MAX_PROBE_WRITES {
        let place = table.place("duration").or_else(|| table.place("rate"));
        let writes = failover.writes();
        problems
            .add(
                place.unwrap_or_else(|| table.at.clone()),
                format!("{writes} writes in a trial are more than {MAX_PROBE_WRITES}"),
            )
            .help("lower `rate` or `duration`: every write is kept until it has been looked for");
    }
    Some(Task::Failover(failover))
}

/// What takes the primary away: one of the three keys.
fn cause(table: &TestTable, keys: &FailoverKeys, problems: &mut Problems) -> Option<FailoverCause> {
    let places = [keys.switch.place(), keys.loss.place(), keys.command.as_ref().map(Spanned::span)];
    let mut places = places.into_iter().flatten();
    let Some(first) = places.next() else {
        let help = "add loss = \"kill\" or switch = \"planned\" for private servers, or command = [\"./switch.sh\"] for any";
        problems.missing(table.at.clone(), "nothing takes the primary away in this test", help);
        return None;
    };
    if let Some(second) = places.next() {
        problems
            .add(second, "the primary is taken away in one way")
            .other(first, "this is another")
            .help("write a [[test]] for each");
        return None;
    }
    if keys.switch.is_some() {
        return keys.switch.value("switch", problems);
    }
    if keys.loss.is_some() {
        return keys.loss.value("loss", problems);
    }
    let command = keys.command.as_ref()?;
    check_command("command", command, keys.trusted.value(), THIS_HOST, problems);
    Some(FailoverCause::Command(command.get_ref().clone()))
}
