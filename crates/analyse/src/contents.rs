//! Check 8: whether the tables hold what they must, over a whole run and between targets.

use crate::{Evidence, Finding, Severity, Subject};
use model::{Dataset, Oltp, ServerFacts, TableContents};

/// What the tables that weighin made held before and after a run, and whether all targets were
/// given the same.
pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    let mut findings: Vec<Finding> = dataset
        .targets
        .iter()
        .filter_map(|facts| {
            let (severity, evidence) = of_target(dataset, &facts.server)?;
            let subject = Subject { target: Some(facts.target.clone()), ..Subject::default() };
            Some(Finding { severity, subject, evidence })
        })
        .collect();
    findings.extend(between_targets(dataset));
    findings
}

/// Rows must still be there after tests that keep their number, with the same values where no
/// test writes. `None` where that is not known, or not so by the nature of a test.
fn of_target(dataset: &Dataset, server: &ServerFacts) -> Option<(Severity, Evidence)> {
    let (before, after) = (server.contents?, server.contents_after?);
    let workloads: Vec<&Oltp> =
        dataset.study.tests.iter().filter_map(|test| test.workload.oltp().ok()).collect();
    if !workloads.iter().all(|workload| keeps_rows(workload)) {
        return None;
    }
    let with_values = !workloads.iter().any(|workload| writes(workload));
    let intact = if with_values { before == after } else { before.rows == after.rows };
    let rows = (before.rows, after.rows);
    Some(if intact {
        (Severity::Passed, Evidence::TablesIntact { rows: before.rows, with_values })
    } else {
        (Severity::Severe, Evidence::TablesChanged { rows })
    })
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
/// work.
fn between_targets(dataset: &Dataset) -> Option<Finding> {
    let known: Vec<(&String, TableContents)> = dataset
        .targets
        .iter()
        .filter_map(|facts| Some((&facts.target, facts.server.contents?)))
        .collect();
    let (_, first) = known.first()?;
    let differ = known.iter().any(|(_, contents)| contents != first);
    differ.then(|| Finding {
        severity: Severity::Severe,
        subject: Subject::default(),
        evidence: Evidence::TargetsHoldDifferentData {
            rows: known.iter().map(|(target, held)| ((*target).clone(), held.rows)).collect(),
        },
    })
}
