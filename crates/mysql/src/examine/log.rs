//! Room that binary logs will take: whatever a study writes is in them once more.

use super::Server;
use super::space::{self, room};
use host::size_in_words;
use model::{Backlog, CatchUp, Level, Load, Oltp, Study, Task, Test};
use std::path::Path;
use system::{DataPlan, Examination};

/// What an image of a row takes in an event, what the events of a statement take besides, and what a
/// transaction does: with `binlog_format = ROW` and `binlog_row_image = FULL`. As statements, MariaDB's
/// way, a transaction of `oltp_write_only` took 811 bytes, half as many.
const ROW: u64 = 196;
const STATEMENT: u64 = 90;
const TRANSACTION: u64 = 80;
/// Below that no server runs out of room.
const WORTH_A_WORD: u64 = 256 << 20;

/// What a study writes to binary logs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Written {
    /// Bytes, as far as they are known.
    bytes: u64,
    /// Bytes for each million transactions of a load without a rate, which nobody knows the number of:
    /// of the one that takes most.
    by_million: u64,
}

pub(super) fn check(server: &mut Server<'_>, plan: &DataPlan, examination: &mut Examination<'_>) {
    if !server.is_on("log_bin") || server.setting.is_private {
        return;
    }
    let new = space::to_make(plan, examination);
    let of_data = sql::data::test_tables(examination.study).next().map_or(0, |oltp| {
        let tables = plan.to_make() as u64;
        tables.saturating_mul(oltp.table_size.into()).saturating_mul(ROW)
    });
    let written = of_study(examination.study);
    let bytes = written.bytes.saturating_add(of_data);
    let directory = Path::new(server.text("log_bin_basename")).parent();
    let directory = directory.map(|path| path.display().to_string()).unwrap_or_default();
    let free = room(server, &directory).map(|room| room.free.saturating_sub(new));
    let known = (bytes > 0).then(|| size_in_words(bytes));
    let open = (written.by_million > 0).then(|| {
        let each = size_in_words(written.by_million);
        format!("{each} for each million transactions of loads that have no rate")
    });
    let parts: Vec<String> = known.into_iter().chain(open).collect();
    let takes = format!(
        "what the study writes takes up to {} of binary logs (log_bin)",
        parts.join(", and ")
    );
    let remedy = "remove them in time (PURGE BINARY LOGS, binlog_expire_logs_seconds), or switch log_bin \
                  off where the servers that you compare it with have none";
    match free {
        Some(free) if free < bytes => examination.found.warn(
            format!("{takes}, and {directory} has {} free beside the data", size_in_words(free)),
            remedy,
        ),
        _ if bytes >= WORTH_A_WORD || written.by_million > 0 => {
            examination.found.note(format!("{takes}; they are kept {}", kept(server)), remedy);
        }
        _ => {}
    }
}

/// For how long a server keeps binary logs.
fn kept(server: &Server<'_>) -> String {
    const DAY: f64 = 86_400.0;
    let seconds = server.number("binlog_expire_logs_seconds").filter(|&seconds| seconds > 0);
    let days = server.text("expire_logs_days").parse::<f64>().ok().filter(|&days| days > 0.0);
    match seconds.map(|seconds| seconds as f64 / DAY).or(days) {
        Some(days) if days >= 1.0 => format!("for {days:.0} days"),
        Some(days) => format!("for {:.0} minutes", days * 24.0 * 60.0),
        None => "until somebody removes them".to_owned(),
    }
}

/// What all trials on one target write.
fn of_study(study: &Study) -> Written {
    let mut written = Written::default();
    let repeats = u64::from(study.repeats);
    for test in &study.tests {
        let of_trials = of_test(test);
        let bytes = of_trials.bytes.saturating_mul(repeats);
        written.bytes = written.bytes.saturating_add(bytes);
        written.by_million = written.by_million.max(of_trials.by_million);
    }
    written
}

/// One trial at each level.
fn of_test(test: &Test) -> Written {
    match &test.task {
        Task::CatchUp(task) => of_backlog(task),
        Task::Search(search) => Written { bytes: 0, by_million: by_million(&search.load) },
        Task::Load(_) | Task::Statement(_) | Task::Failover(_) | Task::Imported(_) => {
            test.load().map(of_load).unwrap_or_default()
        }
    }
}

fn of_backlog(task: &CatchUp) -> Written {
    let each = task.workload.oltp().map_or(0, of_transaction);
    match task.backlog {
        Backlog::Transactions(count) => {
            Written { bytes: count.saturating_mul(each), by_million: 0 }
        }
        Backlog::Bytes(bytes) => Written { bytes, by_million: 0 },
        Backlog::Time(_) => Written { bytes: 0, by_million: each * 1_000_000 },
    }
}

fn of_load(load: &Load) -> Written {
    let each = load.workload.oltp().map_or(0, of_transaction);
    let seconds = (load.warmup + load.duration).as_secs();
    let transactions = |level: &Level| match (load.operations, level.rate) {
        (Some(count), _) => Some(count),
        (None, Some(rate)) => Some(u64::from(rate).saturating_mul(seconds)),
        (None, None) => None,
    };
    let known = load.levels.iter().filter_map(transactions);
    let known = known.fold(0, |sum: u64, count| sum.saturating_add(count.saturating_mul(each)));
    let all = load.levels.iter().all(|level| transactions(level).is_some());
    Written { bytes: known, by_million: if all { 0 } else { by_million(load) } }
}

fn by_million(load: &Load) -> u64 {
    load.workload.oltp().map_or(0, of_transaction) * 1_000_000
}

/// Bytes of one transaction: an update is there with the row before and after it.
fn of_transaction(oltp: &Oltp) -> u64 {
    let of = &oltp.transaction;
    let updates = u64::from(of.index_updates + of.non_index_updates);
    let others = u64::from(2 * of.delete_inserts + of.deletes + of.inserts + of.bulk_inserts);
    match updates + others {
        0 => 0,
        statements => TRANSACTION + statements * STATEMENT + (2 * updates + others) * ROW,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{OltpMix, Workload};
    use std::time::Duration;

    #[test]
    fn what_is_written_is_known_where_the_number_of_transactions_is() {
        let load = |mix, levels: Vec<Level>| {
            let workload = Workload::Oltp(Oltp::preset(mix));
            let (warmup, duration) = (Duration::from_secs(10), Duration::from_secs(90));
            of_load(&Load::new(workload, levels, warmup, duration))
        };
        assert_eq!(load(OltpMix::ReadOnly, vec![Level::clients(4)]), Written::default());
        // Two updates with two rows each, a delete and an insert with one.
        let each = TRANSACTION + 4 * STATEMENT + 6 * ROW;
        let rates = vec![Level::rate(4, 10), Level::rate(4, 20)];
        let known = Written { bytes: 3_000 * each, by_million: 0 };
        assert_eq!(load(OltpMix::WriteOnly, rates), known);
        let open = Written { bytes: 0, by_million: each * 1_000_000 };
        assert_eq!(load(OltpMix::ReadWrite, vec![Level::clients(4)]), open);
    }
}
