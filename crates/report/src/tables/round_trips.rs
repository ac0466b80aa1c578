use super::{Table, TableCell, numbers, words};
use crate::numbers::figure;
use crate::words::{at, target_name};
use analyse::Analysis;

/// How many round trips operations make, by a delay on the way; `None` where none had one.
pub(crate) fn round_trips(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([
        words("test"),
        words("compared"),
        words("load"),
        numbers("round trip longer by (ms)"),
        numbers("mean latency longer by (ms)"),
        numbers("round trips"),
        numbers("counted on the way"),
    ]);
    let tests = analysis.tests.iter();
    let rows = tests.flat_map(|test| test.round_trips.iter().map(move |pair| (test, pair)));
    for (test, pair) in rows {
        let found = &pair.found;
        let (far, near) = (target_name(&found.candidate), target_name(&found.baseline));
        table.push([
            TableCell::text(test.test.clone()),
            TableCell::text(format!("{far} − {near}")),
            TableCell::text(at(pair.level)),
            TableCell::text(figure(found.delay_ms)),
            TableCell::estimate(Some(&found.added_ms)),
            TableCell::estimate(Some(&found.round_trips)),
            TableCell::text(found.counted.map_or_else(String::new, figure)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}
