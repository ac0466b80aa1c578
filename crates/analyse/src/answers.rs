//! Whether targets answered the reading statements of a workload alike, before any trial. Servers of different
//! systems write the same value differently, so of their answers only the rows are counted.

use findings::{AnswersAlike, AnswersDiffer, Finding, Subject};
use model::{Dataset, StatementAnswer, System};
use std::collections::{BTreeMap, BTreeSet};

/// Of each statement the first answer that differs; where none does, that they are alike. Nothing
/// where fewer than two targets were asked.
pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    let targets: Vec<(&str, &[StatementAnswer])> = dataset
        .targets
        .iter()
        .map(|facts| (facts.target.as_str(), facts.server.answers.as_slice()))
        .filter(|(_, answers)| !answers.is_empty())
        .collect();
    if targets.len() < 2 {
        return Vec::new();
    }
    // By what was asked: what followed from another answer may differ from target to target.
    let mut asked: BTreeMap<(&str, &str), Vec<(&str, &StatementAnswer)>> = BTreeMap::new();
    for (target, answers) in &targets {
        for answer in *answers {
            let of = asked.entry((answer.statement.as_str(), answer.sql.as_str())).or_default();
            // The same question may have been drawn twice.
            if !of.iter().any(|(known, _)| known == target) {
                of.push((target, answer));
            }
        }
    }
    let systems: BTreeMap<&str, System> =
        dataset.study.targets.iter().map(|target| (target.name.as_str(), target.system)).collect();
    let mut differing = BTreeMap::new();
    let (mut alike, mut rows) = (BTreeSet::new(), 0);
    for ((statement, sql), of) in asked {
        let Some((_, first)) = of.first() else { continue };
        if of.len() < targets.len() {
            continue;
        }
        let mut checksums = BTreeMap::new();
        let is_like = |(target, one): &(&str, &StatementAnswer)| {
            let of_system = checksums.entry(systems.get(target).copied()).or_insert(one.checksum);
            one.rows == first.rows && one.checksum == *of_system
        };
        if of.iter().all(is_like) {
            // Nothing was seen of what the rows of different systems hold.
            if checksums.len() == 1 {
                alike.insert(statement);
                rows += first.rows;
            }
            continue;
        }
        let rows = || of.iter().map(|(target, one)| ((*target).to_owned(), one.rows)).collect();
        differing.entry(statement).or_insert_with(|| AnswersDiffer {
            statement: statement.to_owned(),
            sql: sql.to_owned(),
            rows: rows(),
        });
    }
    if differing.is_empty() && !alike.is_empty() {
        let found = AnswersAlike { statements: alike.len(), rows };
        return vec![Finding::new(Subject::default(), found)];
    }
    differing.into_values().map(|found| Finding::new(Subject::default(), found)).collect()
}
