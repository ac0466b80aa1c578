use super::*;
use crate::program::{Next, Run};
use model::{KeyDistribution, OltpMix};
use std::sync::Arc;

/// One statement that was executed, with the variables that its values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Executed {
    statement: Statement,
    table: i64,
    first: i64,
    second: i64,
}

fn workload(mix: OltpMix) -> Oltp {
    Oltp {
        tables: 4,
        table_size: 1_000,
        distribution: KeyDistribution::Uniform,
        ..Oltp::preset(mix)
    }
}

/// A client of a workload.
struct Client {
    run: Run,
    statements: Vec<Statement>,
}

impl Client {
    fn new(workload: &Oltp, seed: u64, client: u32, clients: u32) -> Self {
        let run = Run::new(Arc::new(program(workload)), seed, client, clients);
        Self { run, statements: Statement::all_of(&workload.transaction) }
    }

    fn next_step(&mut self) -> Option<Executed> {
        let Next::Execute { statement, .. } = self.run.advance() else { return None };
        let [table, first, second] = [TABLE, FIRST, SECOND].map(|one| self.run.integer(one));
        Some(Executed { statement: self.statements[statement], table, first, second })
    }
}

fn source(workload: &Oltp) -> Client {
    Client::new(workload, 1, 0, 4)
}

fn transaction(source: &mut Client) -> Vec<Executed> {
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
        assert_eq!(executed, Statement::all_of(&mix.transaction()), "{mix:?}");
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
        assert!(!source(&workload(mix)).run.in_transaction());
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
            let tables: Vec<i64> = transaction(&mut source)
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
        let mut source = Client::new(&workload, 1, client, 4);
        let part = i64::from(client) * 250..=i64::from(client + 1) * 250;
        for _ in 0..500 {
            source.next_step();
            let key = source.run.integer(LIST);
            assert!(part.contains(&key), "client {client} drew {key}");
            while source.next_step().is_some() {}
        }
    }
}

#[test]
fn new_rows_are_numbered_by_the_server_or_unique() {
    let mut workload = workload(OltpMix::Insert);
    let first = |workload: &Oltp, client| {
        let mut source = Client::new(workload, 1, client, 2);
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
        transaction(&mut Client::new(&workload(OltpMix::ReadWrite), seed, client, 2))
    };
    assert_eq!(run(1, 0), run(1, 0));
    assert_ne!(run(1, 0), run(1, 1));
    assert_ne!(run(1, 0), run(2, 0));
}

#[test]
fn an_abandoned_transaction_starts_over_without_its_insert() {
    let mut source = source(&workload(OltpMix::WriteOnly));
    while source.next_step().unwrap().statement != Statement::Delete {}
    assert!(source.run.in_transaction());
    source.run.restart();
    assert!(!source.run.in_transaction());
    assert_eq!(source.next_step().unwrap().statement, Statement::Begin);
}

#[test]
fn statements_read_as_in_each_generation() {
    let mut workload = workload(OltpMix::ReadWrite);
    let text =
        |statement: Statement, workload: &Oltp| statement.text(workload, &Wording::default(), 2);
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
}

#[test]
fn answers_are_due_as_many_rows_as_the_table_has() {
    let due = |statement: Statement, first, second| {
        let workload = workload(OltpMix::ReadOnly);
        let mut client = source(&workload);
        let number = client.statements.iter().position(|one| *one == statement).unwrap();
        let program = program(&workload);
        client.run.variables.set(FIRST, crate::program::Value::Integer(first));
        client.run.variables.set(SECOND, crate::program::Value::Integer(second));
        client.run.rows_due(program.statements()[number].rows_due)
    };
    assert_eq!(due(Statement::PointSelect, 7, 106), 1);
    assert_eq!(due(Statement::SimpleRange, 7, 106), 100);
    assert_eq!(due(Statement::OrderRange, 951, 1_050), 50, "the table ends with row 1000");
    assert_eq!(due(Statement::SimpleRange, 1_000, 1_099), 1);
    assert_eq!(due(Statement::SumRange, 1, 100), 0, "a sum is no row of the table");
    let writes = workload(OltpMix::Delete);
    let any = |one: &crate::program::Statement| one.rows_due == RowsDue::Any;
    assert!(program(&writes).statements().iter().all(any));
}
