//! Check 8: whether the tables hold what they must, over a whole run and between targets.

use findings::{DifferentData, Evidence, Finding, Subject, TablesChanged, TablesIntact};
use model::{Change, Dataset, Oltp, Query, ServerFacts, TableContents, Task, Test};

/// What the tables that weighin made held before and after a run, and whether all targets were
/// given the same.
pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    let mut findings: Vec<Finding> = dataset
        .targets
        .iter()
        .filter_map(|facts| {
            let evidence = of_target(dataset, &facts.server)?;
            Some(Finding::new(Subject::target(&facts.target), evidence))
        })
        .collect();
    findings.extend(between_targets(dataset));
    findings
}

/// Rows must still be there after tests that keep their number, with the same values where no
/// test writes. `None` where that is not known, or not so by the nature of a test.
fn of_target(dataset: &Dataset, server: &ServerFacts) -> Option<Evidence> {
    let (before, after) = (server.contents?, server.contents_after?);
    let tests = &dataset.study.tests;
    if tests.iter().any(writes_unknown) {
        return None;
    }
    // Weighin's own statements write nothing; what runs beside them may.
    let workload = |test: &'_ Test| match &test.task {
        Task::Statement(_) => test.oltp().cloned(),
        Task::Load(_)
        | Task::Search(_)
        | Task::Failover(_)
        | Task::CatchUp(_)
        | Task::Imported(_) => test.data()?.oltp().ok().cloned(),
    };
    let workloads: Vec<Oltp> = tests.iter().filter_map(workload).collect();
    if !workloads.iter().all(keeps_rows) {
        return None;
    }
    let with_values = !workloads.iter().any(writes);
    let intact = if with_values { before == after } else { before.rows == after.rows };
    Some(if intact {
        TablesIntact { rows: before.rows, with_values }.into()
    } else {
        TablesChanged { rows: (before.rows, after.rows) }.into()
    })
}

/// Whether statements of the user's may write, of which weighin cannot know what.
fn writes_unknown(test: &Test) -> bool {
    let Task::Statement(statement) = &test.task else { return false };
    let is_own = |query: &Query| match query {
        Query::Own(_) => true,
        Query::Change(change) => matches!(change.change, Change::Own { .. }),
        Query::BuiltIn(_) => false,
    };
    statement.writes && statement.statements.iter().any(|timed| is_own(&timed.query))
}

fn keeps_rows(workload: &Oltp) -> bool {
    let mix = &workload.transaction;
    // Without a transaction around them, a row that was deleted may not have been put back when
    // the load ended.
    mix.deletes + mix.inserts + mix.bulk_inserts == 0 && (mix.delete_inserts == 0 || mix.explicit)
}

fn writes(workload: &Oltp) -> bool {
    let mix = &workload.transaction;
    mix.index_updates + mix.non_index_updates + mix.delete_inserts > 0
}

/// Targets whose tables weighin made from one seed hold the same; else they did not do the same
/// work. Each system has checksums of its own, which say nothing to another.
fn between_targets(dataset: &Dataset) -> Option<Finding> {
    let of = |name: &str| dataset.study.measured().find(|target| target.name == name);
    let system = |name: &str| of(name).map(|target| target.system);
    let known: Vec<(&String, TableContents)> = dataset
        .targets
        .iter()
        .filter_map(|facts| Some((&facts.target, facts.server.contents?)))
        .collect();
    let differ = known.iter().any(|(target, contents)| {
        let like = |(other, _): &&(&String, TableContents)| system(other) == system(target);
        let (_, first) = known.iter().find(like).unwrap_or(&known[0]);
        contents != first || contents.rows != known[0].1.rows
    });
    let rows = || known.iter().map(|(target, held)| ((*target).clone(), held.rows)).collect();
    differ.then(|| Finding::new(Subject::default(), DifferentData { rows: rows() }))
}
