//! Check 8: what was in answers and tables.

use crate::checks::passed;
use crate::support::{dataset, found, load_of, trial};
use analyse::{Check, Evidence, Severity, TablesChanged, TablesIntact, Validity, analyse};
use model::{
    AnswerCounts, Dataset, Oltp, OltpMix, ServerFacts, System, TableContents, TargetFacts, Workload,
};

fn contents(rows: u64, checksum: u64) -> Option<TableContents> {
    Some(TableContents { rows, checksum })
}

/// A study of two targets with a test of that kind and what their tables held, in this order, and
/// what those of the second held after it.
fn run(mix: OltpMix, before: [(u64, u64); 2], after: (u64, u64)) -> Dataset {
    let mut data = dataset(&["a", "b"], &[4], 1, |_, _, _| 1000.0);
    data.study.tests[0].load_mut().expect("a load").workload = Workload::Oltp(Oltp::preset(mix));
    let facts = |target: &str, (rows, checksum), after| TargetFacts {
        target: target.to_owned(),
        server: ServerFacts {
            contents: contents(rows, checksum),
            contents_after: after,
            ..ServerFacts::default()
        },
    };
    data.targets =
        vec![facts("a", before[0], None), facts("b", before[1], contents(after.0, after.1))];
    data
}

/// What is said of the tables of the second target.
fn said(data: &Dataset) -> Option<(Severity, Evidence)> {
    let analysis = analyse(data);
    let of_tables =
        |e: &Evidence| matches!(e, Evidence::TablesIntact(_) | Evidence::TablesChanged(_));
    let found = found(&analysis, of_tables);
    assert!(found.len() <= 1);
    found.first().map(|finding| (finding.severity, finding.evidence.clone()))
}

#[test]
fn tests_that_keep_rows_leave_as_many_and_those_that_read_the_same() {
    let intact = |with_values| {
        Some((Severity::Passed, Evidence::TablesIntact(TablesIntact { rows: 1000, with_values })))
    };
    let changed = |after| {
        Some((Severity::Severe, Evidence::TablesChanged(TablesChanged { rows: (1000, after) })))
    };
    for (mix, after, expected) in [
        (OltpMix::ReadOnly, (1000, 7), intact(true)),
        (OltpMix::ReadOnly, (1000, 8), changed(1000)),
        (OltpMix::PointSelect, (999, 7), changed(999)),
        (OltpMix::ReadWrite, (1000, 8), intact(false)),
        (OltpMix::ReadWrite, (1001, 8), changed(1001)),
        (OltpMix::Insert, (5000, 8), None),
        (OltpMix::Delete, (10, 8), None),
    ] {
        assert_eq!(said(&run(mix, [(1000, 7); 2], after)), expected, "{mix:?} {after:?}");
    }
}

#[test]
fn targets_that_hold_different_data_did_not_do_the_same_work() {
    for (second, expected) in [((1000, 7), 0), ((1000, 8), 1), ((999, 7), 1)] {
        let data = run(OltpMix::Insert, [(1000, 7), second], (0, 0));
        let analysis = analyse(&data);
        let found = found(&analysis, |e| matches!(e, Evidence::DifferentData(_)));
        assert_eq!(found.len(), expected, "{second:?}");
        assert!(found.iter().all(|finding| finding.severity == Severity::Severe));
    }
}

/// Each product sums its rows up in its own way.
#[test]
fn of_different_products_only_rows_are_compared() {
    for (second, expected) in [((1000, 8), 0), ((999, 7), 1)] {
        let mut data = run(OltpMix::Insert, [(1000, 7), second], (0, 0));
        data.study.targets[1].system = System::Postgres;
        let analysis = analyse(&data);
        let different = found(&analysis, |e| matches!(e, Evidence::DifferentData(_)));
        assert_eq!(different.len(), expected, "{second:?}");
    }
}

#[test]
fn that_products_are_compared_is_said_with_what_they_promise() {
    let compared = |commit: &str| {
        let mut data = run(OltpMix::ReadWrite, [(1000, 7); 2], (1000, 7));
        data.study.targets[1].system = System::Postgres;
        for (place, settings) in [
            (0, vec![("innodb_flush_log_at_trx_commit", commit), ("innodb_doublewrite", "ON")]),
            (1, vec![("fsync", "on"), ("synchronous_commit", "on"), ("full_page_writes", "on")]),
        ] {
            data.targets[place].server.variables =
                settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
        }
        let analysis = analyse(&data);
        // Neither has any setting of the other, and none is a difference.
        assert!(analysis.settings.is_empty(), "{:?}", analysis.settings);
        let found = found(&analysis, |e| matches!(e, Evidence::ProductsCompared(_)));
        let [finding] = &found[..] else { panic!("{}", found.len()) };
        finding.severity
    };
    assert_eq!(compared("1"), Severity::Notice);
    assert_eq!(compared("2"), Severity::Warning);
    let alike = run(OltpMix::ReadWrite, [(1000, 7); 2], (1000, 7));
    let products = |e: &Evidence| matches!(e, Evidence::ProductsCompared(_));
    assert!(found(&analyse(&alike), products).is_empty());
}

#[test]
fn tables_of_somebody_else_are_not_compared() {
    let mut data = run(OltpMix::ReadOnly, [(1000, 7), (1000, 8)], (1000, 7));
    data.targets[1].server.contents = None;
    assert_eq!(said(&data), None);
    let analysis = analyse(&data);
    let compared = |e: &Evidence| matches!(e, Evidence::DifferentData(_));
    assert!(found(&analysis, compared).is_empty());
}

#[test]
fn one_answer_without_its_rows_is_a_doubt_and_a_fifth_of_them_the_end() {
    for (short, expected) in [
        (0, Validity::Valid),
        (1, Validity::Suspect),
        (200, Validity::Suspect),
        (201, Validity::Void),
    ] {
        let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
        load_of(trial(&mut data, "only", 4, 1)).requests.answers =
            AnswerCounts { checked: 1000, short };
        let analysis = analyse(&data);
        assert_eq!(analysis.tests[0].cells[0].trials[0].validity, expected, "{short}");
        let missing = found(&analysis, |e| matches!(e, Evidence::RowsMissing(_)));
        assert_eq!(missing.len(), usize::from(short > 0));
        assert_eq!(passed(&data, Check::Answers), (short == 0).then_some(1));
    }
}
