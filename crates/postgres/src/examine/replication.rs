//! Servers that replicate to others: what these take of the log, and who may stop them.

use super::Server;
use crate::client::connect;
use crate::facts::value;
use host::size_in_words;
use model::{Failure, FailureKind, Needs};
use system::{DataPlan, Diagnostics, Login};

pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    found: &mut Diagnostics,
) {
    // On a private server the study has chosen it.
    if server.setting.is_private {
        return;
    }
    if needs.writes() {
        waits(server, found);
    }
    if needs.writes() || plan.to_make() > 0 {
        slots(server, found);
        connected(server, found);
    }
    let (controls, needed) = (server.setting.controls_appliers, server.setting.needs_appliers);
    for login in server.setting.replicas {
        replica(login, controls, needed, found);
    }
}

fn waits(server: &Server<'_>, found: &mut Diagnostics) {
    let standbys = server.text("synchronous_standby_names");
    if !standbys.is_empty() && server.setting.replicas.is_empty() {
        found.warn(
            format!(
                "commits wait for replicas (synchronous_standby_names = {standbys}), which take part in \
                 what is measured"
            ),
            "name a server without replicas, unless the study is about them",
        );
    }
}

/// Slots hold the log back for those that have not received it, whether they ever come back or not.
fn slots(server: &mut Server<'_>, found: &mut Diagnostics) {
    let of_unused = "FROM pg_replication_slots WHERE NOT active";
    let count = server.value(&format!("SELECT count(*) {of_unused}"));
    let unused = count.and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    if unused > 0 {
        let kept = server.value(&format!(
            "SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn))::bigint {of_unused}"
        ));
        let kept = kept
            .and_then(|bytes| bytes.parse().ok())
            .map_or(String::new(), |bytes| format!(", {} by now", size_in_words(bytes)));
        found.warn(
            format!(
                "{unused} replication slots are used by nobody: the server keeps the log for them{kept}, \
                 which grows with everything that the study writes"
            ),
            "SELECT pg_drop_replication_slot(slot_name) for those that nobody needs",
        );
    }
    let lost = "SELECT string_agg(slot_name, ', ') FROM pg_replication_slots \
                WHERE wal_status IN ('lost', 'unreserved')";
    if let Some(names) = server.value(lost) {
        found.warn(
            format!(
                "the replication slots {names} have lost some of the log, or are about to \
                 (max_slot_wal_keep_size): whoever uses them must be made anew"
            ),
            "make these replicas anew, and raise max_slot_wal_keep_size above what the study writes",
        );
    }
    if server.setting.replicas.is_empty() {
        return;
    }
    let without = "SELECT count(*) FROM pg_stat_replication WHERE pid NOT IN \
                   (SELECT active_pid FROM pg_replication_slots WHERE active_pid IS NOT NULL)";
    let without = server.value(without).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    if without > 0 {
        let keeps = server.text("wal_keep_size").to_owned();
        found.note(
            format!(
                "{without} replicas receive without a slot: one that is behind by more than \
                 wal_keep_size ({keeps}) and one checkpoint cannot go on"
            ),
            "give them slots (primary_slot_name), or raise wal_keep_size above what the study writes",
        );
    }
}

/// Replicas that the study does not name get what it writes.
fn connected(server: &mut Server<'_>, found: &mut Diagnostics) {
    let count = server.value("SELECT count(*) FROM pg_stat_replication");
    let count = count.and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let others = count.saturating_sub(server.setting.replicas.len());
    if others > 0 {
        found.warn(
            format!(
                "{others} replicas that the study does not name are connected, and get everything that \
                 it writes"
            ),
            "name a server without replicas, unless the study is about them",
        );
    }
}

/// Whether it is one, and may be stopped, which is an error where a test needs it.
fn replica(login: &Login, controls: bool, needed: bool, found: &mut Diagnostics) {
    // What cannot be reached was said when the group was brought up.
    let Ok(mut control) = connect(login) else { return };
    let endpoint = control.endpoint().to_string();
    if value(&mut control, "SELECT pg_is_in_recovery()").as_deref() == Some("f") {
        found.error(Failure::new(
            FailureKind::Replication,
            format!("the server at {endpoint} replicates from no server"),
            "name only replicas of the target's `url` in `replicas`",
        ));
        return;
    }
    let may = "SELECT has_function_privilege('pg_wal_replay_pause()', 'EXECUTE') \
               AND has_function_privilege('pg_wal_replay_resume()', 'EXECUTE')";
    if !controls || value(&mut control, may).as_deref() != Some("f") {
        return;
    }
    let message = format!(
        "the account may not stop the replay of the replica at {endpoint}, which tests of replication do"
    );
    let remedy = "GRANT EXECUTE ON FUNCTION pg_wal_replay_pause, pg_wal_replay_resume TO it, on the \
                  primary, or say in [target.replication] what stops and starts it";
    match needed {
        true => found.error(Failure::new(FailureKind::AccessDenied, message, remedy)),
        false => found.warn(message, remedy),
    }
}
