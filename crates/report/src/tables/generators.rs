//! What each of several load generators did.

use super::{Table, TableCell, numbers, words};
use crate::numbers::{bytes, count, duration, percent};
use crate::view;
use analyse::{Analysis, percentile_ms};
use model::TrialRecord;

/// The load generators of every trial that had several; `None` where none had.
pub(crate) fn generators(analysis: &Analysis) -> Option<Table> {
    let work = view::work(analysis);
    let mut table = Table::new([
        numbers("position"),
        words("test"),
        words("target"),
        numbers("generator"),
        words("host"),
        numbers("clients"),
        numbers(work.counted.many),
        numbers("share of all"),
        numbers(format!("{}/s", work.counted)),
        numbers("p50, ms"),
        numbers("p99, ms"),
        numbers("failed"),
        numbers("processors"),
        numbers("memory"),
        numbers("start delay"),
    ]);
    let mut records: Vec<&TrialRecord> = analysis.dataset.trials.iter().collect();
    records.sort_by_key(|record| record.position);
    for record in records {
        rows(analysis, record, &mut table);
    }
    (!table.rows.is_empty()).then_some(table)
}

fn rows(analysis: &Analysis, record: &TrialRecord, table: &mut Table) {
    let Some(load) = record.load() else { return };
    let seconds = load.measure.elapsed.as_secs_f64();
    let all = load.measure.transactions;
    let confidence = analysis.dataset.study.confidence;
    for (place, share) in load.generators.iter().enumerate() {
        let latencies = share.latencies.unpack();
        let percentile =
            |percent| TableCell::figure(percentile_ms(&latencies, percent, confidence));
        let per_second = |value: f64| TableCell::figure((seconds > 0.0).then(|| value / seconds));
        let cells = [
            TableCell::text(record.position.to_string()),
            TableCell::text(&record.key.test),
            TableCell::target(&record.key.target, view::series(analysis, &record.key.target)),
            TableCell::text((place + 1).to_string()),
            TableCell::text(share.host.as_deref().unwrap_or("this one")),
            TableCell::text(count(share.clients.into())),
            TableCell::text(count(share.transactions)),
            TableCell::text(percent(share.transactions as f64 / all.max(1) as f64)),
            per_second(share.transactions as f64),
            percentile(50.0),
            percentile(99.0),
            TableCell::text(count(share.errors)),
            per_second(share.cpu_seconds),
            TableCell::text(bytes(share.peak_rss_bytes)),
            TableCell::text(duration(share.begun_late)),
        ];
        if place == 0 {
            table.push_group(cells);
        } else {
            table.push(cells);
        }
    }
}
