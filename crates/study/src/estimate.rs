use model::{CacheState, Place, Plan, Study, Target, Test};
use std::collections::BTreeSet;
use std::time::Duration;

/// Initialising and starting a sandbox, on a machine that has done it before.
const SANDBOX_SETUP: Duration = Duration::from_secs(2);
/// Stopping a sandbox in good order and starting it again.
const RESTART: Duration = Duration::from_millis(1500);
/// Syncing file systems and dropping the operating system's caches, beyond the restart.
const COLD_START: Duration = Duration::from_secs(2);
/// Connecting, checking the tables, reading counters, draining, and writing the record.
const TRIAL_OVERHEAD: Duration = Duration::from_millis(500);
/// Rows that preparing inserts per second.
const ROWS_PER_SECOND: f64 = 100_000.0;

/// How long a plan will take: the load itself, which is exact, and around it preparing, restarts
/// and cold starts, which are rough figures from a machine with two cores and an SSD.
pub fn estimate(plan: &Plan, study: &Study) -> Duration {
    let set_up: Duration = study.targets.iter().map(|target| set_up(target, study)).sum();
    let trials: Duration = plan
        .trials()
        .map(|trial| {
            let target = study.targets.iter().find(|target| target.name == trial.key.target);
            let test = study.tests.iter().find(|test| test.name == trial.key.test);
            let around = target.zip(test).map_or(TRIAL_OVERHEAD, |(a, b)| overhead(a, b));
            let load = trial.load_time + around;
            // The other tool needs as long again.
            if test.is_some_and(|test| test.second_opinion) { 2 * load } else { load }
        })
        .sum();
    set_up + trials
}

fn overhead(target: &Target, test: &Test) -> Duration {
    let cold = test.cache == CacheState::Cold;
    let restarts = cold || matches!(&target.place, Place::Sandbox(sandbox) if sandbox.restart);
    let restart = if restarts { RESTART } else { Duration::ZERO };
    let cold_start = if cold { COLD_START } else { Duration::ZERO };
    TRIAL_OVERHEAD + restart + cold_start
}

fn set_up(target: &Target, study: &Study) -> Duration {
    let start = match &target.place {
        Place::Sandbox(_) => SANDBOX_SETUP,
        Place::Server(_) | Place::Elsewhere => Duration::ZERO,
    };
    // Tests that differ only in their mix share their tables.
    let shapes: BTreeSet<(u32, u32)> = study
        .tests
        .iter()
        .filter_map(|test| test.workload.oltp().ok())
        .map(|oltp| (oltp.tables, oltp.table_size))
        .collect();
    let rows: f64 = shapes.iter().map(|(tables, rows)| f64::from(*tables) * f64::from(*rows)).sum();
    start + Duration::from_secs_f64(rows / ROWS_PER_SECOND)
}
