//! Check 4: writes that the server put off.

use crate::support::{count, dataset, found, load_of, trial};
use analyse::{DirtyPageBacklog, Evidence, Severity, Validity, analyse};
use model::{Dataset, Sample, ServerCounters};
use std::time::Duration;

const MIB: i64 = 1 << 20;
const PAGE: i64 = 16 << 10;

/// Counters at 2 s and 12 s, the ends of the measured phase: dirty pages, pages flushed, bytes of
/// redo since the checkpoint and bytes of redo written.
fn indebted(from: [i64; 4], to: [i64; 4]) -> Dataset {
    let names = ["dirty_bytes", "flushed_bytes", "checkpoint_age_bytes", "log_written_bytes"];
    let in_bytes =
        |[dirty, flushed, age, redo]: [i64; 4]| [dirty * PAGE, flushed * PAGE, age, redo];
    let sample = |(at_seconds, values): (f64, [i64; 4])| Sample {
        at_seconds,
        length: Duration::from_secs(1),
        counters: Some(
            names.into_iter().map(str::to_owned).zip(in_bytes(values)).collect::<ServerCounters>(),
        ),
        ..Sample::default()
    };
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    let samples = [(2.0, from), (12.0, to)].map(sample);
    trial(&mut data, "only", 4, 1).sampling.samples = samples.into();
    data
}

/// Whether debts are said to grow, and how severe that is.
fn debt(data: &Dataset) -> Option<(bool, Severity)> {
    let analysis = analyse(data);
    assert_eq!(analysis.tests[0].cells[0].trials[0].validity, Validity::Valid);
    found(&analysis, |e| matches!(e, Evidence::DirtyPageBacklog(_))).first().map(|finding| {
        match finding.evidence {
            Evidence::DirtyPageBacklog(DirtyPageBacklog { growing, .. }) => {
                (growing, finding.severity)
            }
            _ => unreachable!("filtered above"),
        }
    })
}

#[test]
fn debts_are_noted_and_a_warning_while_they_grow() {
    let steady = (Some((false, Severity::Notice)), Some((true, Severity::Warning)));
    // 10 MiB of redo; 1000 pages of 16 KiB are 15.6 MiB.
    let redo = 10 * MIB;
    for (from, to, expected) in [
        // A quarter of the pages that were changed were not written: still all right.
        ([500, 0, 0, 0], [1500, 3000, MIB, redo], steady.0),
        ([500, 0, 0, 0], [1500, 2900, MIB, redo], steady.1),
        // The checkpoint fell behind by a quarter of the redo, or more.
        ([500, 0, MIB, 0], [500, 3000, MIB + redo / 4, redo], steady.0),
        ([500, 0, MIB, 0], [500, 3000, MIB + redo / 4 + 1, redo], steady.1),
        // All of it was put off, but it is next to nothing.
        ([0, 0, 0, 0], [10, 0, MIB / 2, MIB / 2], steady.0),
        // Debts that shrink.
        ([1500, 0, redo, 0], [500, 3000, 0, redo], steady.0),
    ] {
        assert_eq!(debt(&indebted(from, to)), expected, "{from:?} {to:?}");
    }
}

#[test]
fn a_load_that_only_reads_owes_nothing() {
    let mut data = indebted([500, 0, 0, 0], [1500, 0, 0, 0]);
    let load = load_of(trial(&mut data, "only", 4, 1));
    for kind in ["insert", "update", "delete"] {
        *count(load, kind) = 0;
    }
    let analysis = analyse(&data);
    assert!(found(&analysis, |e| matches!(e, Evidence::DirtyPageBacklog(_))).is_empty());
}
