use super::{Shape, dataset};
use model::*;
use std::time::Duration;
use test_support::WARMUP;

/// Steps of the curves of a failover, in seconds.
const STEP: f64 = 0.1;

/// An acceptance of two targets before they go into production: what a change of the schema does to a
/// load, how long replicas need to catch up, and what the loss of a primary costs.
pub fn acceptance() -> Dataset {
    let targets = ["current", "candidate"];
    let mut data = dataset(&Shape { targets: &targets, levels: 2, repeats: 3, troubles: false });
    change_schema(&mut data);
    let workload = data.study.tests[0].load().unwrap().workload.clone();
    let failover = Failover {
        cause: FailoverCause::Kill,
        at: Duration::from_secs(5),
        duration: Duration::from_secs(60),
        rate: 200,
        connections: 4,
        timeout: Duration::from_secs(2),
        restore: None,
    };
    let catch_up = CatchUp {
        workload,
        level: Level::clients(16),
        backlog: Backlog::Transactions(20_000),
        timeout: Duration::from_secs(600),
    };
    add(&mut data, Test::new("catch-up", Task::CatchUp(catch_up)), caught_up);
    add(&mut data, Test::new("primary lost", Task::Failover(failover)), failed_over);
    data
}

/// An intervention in every trial of the load, which holds up writes for two seconds.
fn change_schema(data: &mut Dataset) {
    let sql = "ALTER TABLE sbtest1 ADD COLUMN note DATETIME(6)";
    let alter = Intervention {
        name: "add column".into(),
        at: Duration::from_secs(3),
        act: Act::Statement(sql.into()),
        timeout: None,
    };
    data.study.tests[0].load_mut().unwrap().interventions = vec![alter];
    for record in &mut data.trials {
        let TrialEnd::Completed(outcome) = &mut record.end else { continue };
        let began = WARMUP.as_secs_f64() + 3.0;
        let result = Some(ActResult::Done);
        outcome.marks = vec![Mark { result, ..Mark::span("add column", began, began + 2.0) }];
        let during = outcome
            .load
            .as_mut()
            .unwrap()
            .intervals
            .iter_mut()
            .filter(|interval| (began..began + 2.0).contains(&interval.start.as_secs_f64()));
        during.for_each(|interval| interval.transactions /= 4);
        test_support::balance(record);
    }
}

/// Adds a test without levels, of which every target has three trials with outcomes of its own.
fn add(data: &mut Dataset, test: Test, outcome: fn(f64, u32) -> Outcome) {
    let mut study = data.study.clone();
    study.tests = vec![test.clone()];
    let mut plan = test_support::plan(&study, 1);
    let done = data.plan.trials().count() as u32;
    for trial in plan.blocks.iter_mut().flat_map(|block| &mut block.trials) {
        trial.position += done;
    }
    for trial in plan.trials() {
        let slowness = if trial.key.target == "current" { 1.0 } else { 0.6 };
        let end = TrialEnd::Completed(Box::new(outcome(slowness, trial.key.repeat)));
        let start = 1_795_294_000_000 + u64::from(trial.position) * 70_000;
        data.trials.push(TrialRecord {
            key: trial.key.clone(),
            position: trial.position,
            seed: trial.seed,
            started_at: UnixMillis(start),
            finished_at: UnixMillis(start + 60_000),
            clock_jump_ms: None,
            sampling: Sampling::default(),
            end,
            cross_check: None,
            search: None,
            side_by_side: None,
        });
    }
    data.study.tests.push(test);
    data.plan.blocks.extend(plan.blocks);
}

fn caught_up(slowness: f64, repeat: u32) -> Outcome {
    let took = 21.0 * slowness + 0.3 * f64::from(repeat);
    let figure = |metric, value| Figure::measured(metric, value, 1e-6);
    let figures = vec![
        figure(Metric::CatchUpTime, took),
        figure(Metric::LagApplied, 30.0 / took),
        figure(Metric::ApplyRate, 20_000.0 / took),
        figure(Metric::BacklogTransactions, 20_000.0),
        figure(Metric::BacklogTime, 30.0),
        figure(Metric::BacklogSize, 31e6),
        figure(Metric::ReplicaCpu, 97.5),
    ];
    let marks = vec![
        Mark::span("backlog written", 0.5, 30.5),
        Mark::moment("applier started", 30.6),
        Mark::moment("caught up", 30.6 + took),
    ];
    Outcome { marks, ..Outcome::of_figures(figures) }
}

fn failed_over(slowness: f64, repeat: u32) -> Outcome {
    const AT: f64 = 5.0;
    let downtime = 3.2 * slowness + 0.1 * f64::from(repeat);
    let figure = |metric, value| Figure::measured(metric, value, 0.005);
    let figures = vec![
        figure(Metric::Downtime, downtime),
        figure(Metric::FirstError, 0.1),
        figure(Metric::FirstAccepted, downtime),
        figure(Metric::RateBack, downtime + 0.4),
        figure(Metric::LostWrites, 0.0),
        figure(Metric::UnacknowledgedWrites, 2.0),
        figure(Metric::FailedWrites, (200.0 * downtime).round()),
    ];
    let is_down = |step: usize| (AT..AT + downtime).contains(&(step as f64 * STEP));
    let series = |name: &str, unit: &str, value: &dyn Fn(usize) -> f64| TimeSeries {
        name: name.into(),
        unit: unit.into(),
        from_seconds: 0.0,
        step_seconds: STEP,
        values: (0..200).map(|step| Some(value(step))).collect(),
    };
    let series = vec![
        series("acknowledged writes", "1/s", &|step| if is_down(step) { 0.0 } else { 200.0 }),
        series("failed writes", "1/s", &|step| if is_down(step) { 200.0 } else { 0.0 }),
        series("longest write", "ms", &|step| 2.0 + (step % 7) as f64),
    ];
    let act = Mark { result: Some(ActResult::Done), ..Mark::span("kill", AT, AT + 0.01) };
    let marks = vec![
        act,
        Mark::moment("first failed write", AT + 0.1),
        Mark::span("promotion", AT + 1.0, AT + downtime),
        Mark::moment("first accepted write", AT + downtime),
        Mark::moment("back to 95 % of the rate", AT + downtime + 0.4),
    ];
    Outcome { marks, series, ..Outcome::of_figures(figures) }
}
