use super::*;
use model::{KeyDistribution, OltpMix};

fn workload(mix: OltpMix) -> Oltp {
    Oltp {
        tables: 4,
        table_size: 1_000,
        distribution: KeyDistribution::Uniform,
        ..Oltp::preset(mix)
    }
}

fn source(workload: &Oltp) -> OltpSource {
    OltpSource::new(workload, 1, 0, 4)
}

fn transaction(source: &mut OltpSource) -> Vec<Step> {
    std::iter::from_fn(|| source.next_step()).collect()
}

fn statements(workload: &Oltp) -> Vec<Statement> {
    transaction(&mut source(workload)).iter().map(|step| step.statement).collect()
}

#[test]
fn a_read_write_transaction_has_sysbenchs_twenty_statements() {
    let steps = transaction(&mut source(&workload(OltpMix::ReadWrite)));
    assert_eq!(steps.len(), 20);
    assert_eq!(steps[0].statement, Statement::Begin);
    assert_eq!(steps[19].statement, Statement::Commit);
    assert_eq!((steps[17].statement, steps[18].statement), (Statement::Delete, Statement::Insert));
    assert_eq!((steps[17].table, steps[17].first), (steps[18].table, steps[18].first));
}

#[test]
fn each_mix_prepares_exactly_the_statements_that_it_executes() {
    for mix in OltpMix::REPEATABLE.into_iter().chain([OltpMix::BulkInsert]) {
        let mut executed = statements(&workload(mix));
        executed.sort_unstable();
        executed.dedup();
        assert_eq!(executed, Statement::of(&mix.transaction()), "{mix:?}");
    }
}

#[test]
fn the_workloads_of_one_statement_have_no_transaction_around_it() {
    let one = [
        (OltpMix::PointSelect, Statement::PointSelect),
        (OltpMix::Insert, Statement::InsertRow),
        (OltpMix::Delete, Statement::Delete),
        (OltpMix::UpdateIndex, Statement::IndexUpdate),
        (OltpMix::UpdateNonIndex, Statement::NonIndexUpdate),
        (OltpMix::RandomPoints, Statement::RandomPoints),
        (OltpMix::RandomRanges, Statement::RandomRanges),
        (OltpMix::BulkInsert, Statement::BulkInsert),
    ];
    for (mix, statement) in one {
        assert_eq!(statements(&workload(mix)), [statement], "{mix:?}");
        assert!(!source(&workload(mix)).in_transaction());
    }
}

#[test]
fn counts_and_edges_can_be_chosen() {
    let mut workload = workload(OltpMix::ReadWrite);
    workload.transaction = OltpTransaction {
        explicit: false,
        point_selects: 2,
        sum_ranges: 3,
        delete_inserts: 2,
        ..OltpTransaction::default()
    };
    use Statement::{Delete, Insert, PointSelect, SumRange};
    let expected =
        [PointSelect, PointSelect, SumRange, SumRange, SumRange, Delete, Insert, Delete, Insert];
    assert_eq!(statements(&workload), expected);
}

#[test]
fn one_group_of_point_selects_stays_on_one_table() {
    let mut source = source(&workload(OltpMix::ReadOnly));
    let mut tables_differ = false;
    for _ in 0..20 {
        let steps = transaction(&mut source);
        assert!(steps[1..11].iter().all(|step| step.table == steps[1].table));
        tables_differ |= steps[1].table != steps[11].table;
    }
    assert!(tables_differ, "another kind of statement picks another table");
}

#[test]
fn generation_05_stays_on_one_table_for_a_whole_transaction() {
    let mut workload = workload(OltpMix::ReadWrite);
    workload.dialect = OltpDialect::Sysbench05;
    for explicit in [true, false] {
        workload.transaction.explicit = explicit;
        let mut source = source(&workload);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..40 {
            let tables: Vec<u32> = transaction(&mut source)
                .iter()
                .filter(|step| step.statement.is_per_table())
                .map(|step| step.table)
                .collect();
            assert!(tables.iter().all(|table| *table == tables[0]));
            seen.insert(tables[0]);
        }
        assert_eq!(seen.len(), 4);
    }
}

#[test]
fn ranges_span_the_range_size() {
    let steps = transaction(&mut source(&workload(OltpMix::ReadOnly)));
    let range = steps.iter().find(|s| s.statement == Statement::SumRange).unwrap();
    assert_eq!(range.second - range.first, 99);
}

#[test]
fn ranges_of_generation_04_stay_within_the_table() {
    let mut workload = workload(OltpMix::ReadOnly);
    workload.dialect = OltpDialect::Sysbench04;
    let mut source = source(&workload);
    for _ in 0..200 {
        for step in transaction(&mut source) {
            match step.statement {
                Statement::SimpleRange | Statement::SumRange | Statement::OrderRange => {
                    assert!(step.first >= 1 && step.second < 1_000);
                    assert_eq!(step.second - step.first, 99);
                }
                Statement::DistinctRange => assert_eq!(step.second - step.first, 100),
                _ => {}
            }
        }
    }
}

#[test]
fn each_client_has_a_part_of_the_keys_for_itself() {
    let workload = workload(OltpMix::RandomPoints);
    for client in 0..4 {
        let mut source = OltpSource::new(&workload, 1, client, 4);
        let part = i64::from(client) * 250..=i64::from(client + 1) * 250;
        for _ in 0..500 {
            let key = source.own_key();
            assert!(part.contains(&key), "client {client} drew {key}");
            assert_eq!(source.own_key_plus_delta(), key + 5);
        }
    }
}

#[test]
fn new_rows_are_numbered_by_the_server_or_unique() {
    let mut workload = workload(OltpMix::Insert);
    let first = |workload: &Oltp, client| {
        let mut source = OltpSource::new(workload, 1, client, 2);
        (0..100).map(move |_| transaction(&mut source)[0].first).collect::<Vec<_>>()
    };
    assert!(first(&workload, 0).iter().all(|id| *id == 0));
    workload.schema.auto_increment = false;
    let mut ids = [first(&workload, 0), first(&workload, 1)].concat();
    assert!(ids.iter().all(|id| i32::try_from(*id).is_ok()));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 200);
}

#[test]
fn clients_differ_and_a_client_repeats_itself_exactly() {
    let run = |seed, client| {
        transaction(&mut OltpSource::new(&workload(OltpMix::ReadWrite), seed, client, 2))
    };
    assert_eq!(run(1, 0), run(1, 0));
    assert_ne!(run(1, 0), run(1, 1));
    assert_ne!(run(1, 0), run(2, 0));
}

#[test]
fn an_abandoned_transaction_starts_over_without_its_insert() {
    let mut source = source(&workload(OltpMix::WriteOnly));
    while source.next_step().unwrap().statement != Statement::Delete {}
    assert!(source.in_transaction());
    source.restart();
    assert!(!source.in_transaction());
    assert_eq!(source.next_step().unwrap().statement, Statement::Begin);
}

#[test]
fn statements_read_as_in_each_generation() {
    let mut workload = workload(OltpMix::ReadWrite);
    let text = |statement: Statement, workload: &Oltp| statement.text(workload, 2).0;
    assert_eq!(
        text(Statement::DistinctRange, &workload),
        "SELECT DISTINCT c FROM sbtest2 WHERE id BETWEEN ? AND ? ORDER BY c"
    );
    workload.points = 3;
    assert_eq!(
        text(Statement::RandomPoints, &workload),
        "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)"
    );
    workload.ranges = 2;
    assert_eq!(
        text(Statement::RandomRanges, &workload),
        "SELECT count(k) FROM sbtest1 WHERE k BETWEEN ? AND ? OR k BETWEEN ? AND ?"
    );
    workload.dialect = OltpDialect::Sysbench05;
    assert_eq!(
        text(Statement::SumRange, &workload),
        "SELECT SUM(K) FROM sbtest2 WHERE id BETWEEN ? AND ?+99"
    );
    workload.dialect = OltpDialect::Sysbench04;
    workload.schema.single_table = Some("mine".to_owned());
    assert_eq!(text(Statement::Delete, &workload), "DELETE FROM mine WHERE id=?");
    assert_eq!(Statement::Insert.text(&workload, 1).1, [crate::oltp::Parameter::First]);
}

#[test]
fn texts_have_a_place_for_each_value() {
    for dialect in [OltpDialect::Sysbench10, OltpDialect::Sysbench05, OltpDialect::Sysbench04] {
        let workload = Oltp { dialect, ..workload(OltpMix::ReadWrite) };
        for statement in Statement::ALL {
            let (text, parameters) = statement.text(&workload, 1);
            assert_eq!(text.matches('?').count(), parameters.len(), "{statement:?}");
        }
    }
}
