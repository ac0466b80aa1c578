use super::{Table, TableCell, numbers, words};
use crate::numbers::{counted, figure, range};
use crate::view;
use analyse::{Analysis, TestAnalysis};
use model::{Task, TrialRecord, text};

/// The trials of a test that takes primaries away, in the order of targets and repeats; none of other
/// tests.
pub(crate) fn failovers<'a>(analysis: &Analysis<'a>, test: &TestAnalysis) -> Vec<&'a TrialRecord> {
    let studied = analysis.dataset.study.test(&test.test);
    if !studied.is_some_and(|studied| matches!(studied.task, Task::Failover(_))) {
        return Vec::new();
    }
    let trials = test.cells.iter().flat_map(|cell| &cell.trials);
    let records = trials.filter_map(|trial| analysis.dataset.trials.get(trial.record));
    records.filter(|record| record.outcome().is_some()).collect()
}

/// When the primary was taken away, in seconds from the trial's origin: the first act of the trial.
pub(crate) fn taken_away(record: &TrialRecord) -> f64 {
    record.interventions().next().map_or(0.0, |mark| mark.at_seconds)
}

/// What happened when, from the moment in which the primary was taken away; nothing of other tests.
pub(crate) fn failover_steps(analysis: &Analysis, test: &TestAnalysis) -> Option<Table> {
    /// A mark of one target, with its moments in the trials that have it.
    struct Step<'a> {
        target: &'a str,
        name: &'a str,
        seconds: Vec<f64>,
    }
    let mut steps: Vec<Step> = Vec::new();
    for record in failovers(analysis, test) {
        let target = record.key.target.as_str();
        let from = taken_away(record);
        for mark in record.outcome().map_or(&[][..], |outcome| &outcome.marks) {
            let at = mark.at_seconds - from;
            match steps.iter_mut().find(|step| step.target == target && step.name == mark.name) {
                Some(step) => step.seconds.push(at),
                None => steps.push(Step { target, name: &mark.name, seconds: vec![at] }),
            }
        }
    }
    let mut table =
        Table::new([words("target"), words("what happened"), numbers("after, s"), words("trials")]);
    let targets = test.cells.iter().map(|cell| cell.target.as_str());
    for target in targets {
        let mut of_target: Vec<&mut Step> =
            steps.iter_mut().filter(|step| step.target == target).collect();
        of_target.iter_mut().for_each(|step| step.seconds.sort_by(f64::total_cmp));
        of_target.sort_by(|a, b| middle(&a.seconds).total_cmp(&middle(&b.seconds)));
        for (place, step) in of_target.into_iter().enumerate() {
            let (least, most) = (step.seconds[0], step.seconds[step.seconds.len() - 1]);
            let after = TableCell::text(figure(middle(&step.seconds)));
            let after = match step.seconds.len() {
                1 => after,
                _ => after.with_note(range(least, most)),
            };
            let row = [
                TableCell::target(target, view::series(analysis, target)),
                TableCell::text(text::line(step.name)),
                after,
                TableCell::text(counted(step.seconds.len(), "trial")),
            ];
            if place == 0 { table.push_group(row) } else { table.push(row) }
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The median of values in order, of which there is at least one.
fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}
