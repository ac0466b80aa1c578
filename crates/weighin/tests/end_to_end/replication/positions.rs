//! Groups that replicate by places in binary logs, without global transaction ids.

use super::by_url::Pair;
use super::catch_up::heartbeats;
use crate::support::{MYSQL, Server, Workplace, fetched};
use host::GroupMember;
use model::{Metric, Outcome, TrialRecord};

const CATCH_UP: &str =
    "task = \"catch_up\"\nclients = 2\ntable_size = 200\nbacklog_transactions = 300";

/// Where the log of a primary ends, as a replica is told.
fn end_of_log(primary: &Server) -> String {
    let status = primary.query("SHOW MASTER STATUS").remove(0);
    let (file, rest) = status.split_once('\t').unwrap();
    let offset = rest.split('\t').next().unwrap();
    format!("MASTER_LOG_FILE = '{file}', MASTER_LOG_POS = {offset}")
}

/// Has the replica of a pair catch up, once; what came of it, which is measured.
fn caught_up(pair: &Pair) -> Outcome {
    let place = Workplace::new();
    place.write("pair.toml", pair.study_with(&place, 1, "", CATCH_UP));
    place.weighin(&["run", "pair.toml", "--store", "kept.weighin"]).done();
    let record: TrialRecord = place.store().dataset().unwrap().trials.remove(0);
    assert_measured(&record);
    outcome(&record).clone()
}

fn outcome(record: &TrialRecord) -> &Outcome {
    record.outcome().unwrap_or_else(|| panic!("{:?}", record.end))
}

fn resolution(outcome: &Outcome) -> f64 {
    outcome.metric(Metric::CatchUpTime).unwrap().resolution
}

#[track_caller]
fn assert_measured(record: &TrialRecord) {
    let outcome = outcome(record);
    let value = |metric| outcome.metric(metric).unwrap().value;
    assert!(value(Metric::CatchUpTime) > 0.0, "{outcome:?}");
    // Deadlocks write nothing, and MariaDB counts heartbeats by their ids.
    let transactions = value(Metric::BacklogTransactions);
    let most = 300.0 + heartbeats(record);
    assert!((100.0..=most).contains(&transactions), "{transactions} of {most}");
    assert!(value(Metric::BacklogSize) > 100.0 * transactions, "{outcome:?}");
}

#[test]
fn a_pair_of_mysql_without_global_transaction_ids_catches_up() {
    let servers = Server::two_from(
        fetched(MYSQL),
        &[
            ("gtid_mode", "OFF"),
            ("enforce_gtid_consistency", "OFF"),
            ("default_authentication_plugin", "mysql_native_password"),
            ("slave_parallel_type", "LOGICAL_CLOCK"),
            ("slave_parallel_workers", "2"),
        ],
    );
    // From when they had some: every position that went by them would be reached at once.
    for server in &servers {
        server.execute("SET GLOBAL gtid_purged = '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5'");
    }
    let pair = Pair::replicating(servers, end_of_log);
    let outcome = caught_up(&pair);
    // How far several threads are is known every 300 ms.
    assert!(resolution(&outcome) >= 0.3, "{outcome:?}");

    // One thread says at once how far it is.
    for sql in ["STOP SLAVE", "SET GLOBAL slave_parallel_workers = 0", "START SLAVE"] {
        pair.replica.execute(sql);
    }
    let outcome = caught_up(&pair);
    assert!(resolution(&outcome) < 0.1, "{outcome:?}");
}

#[test]
fn a_pair_of_mariadb_that_replicates_by_places_in_logs_catches_up() {
    let member = |number| Some(GroupMember { number, semi_sync: false });
    let servers = [Server::start_as(&[], member(1)), Server::start_as(&[], member(2))];
    let pair = Pair::replicating(servers, |primary| {
        format!("{}, MASTER_USE_GTID = no", end_of_log(primary))
    });
    caught_up(&pair);
}
