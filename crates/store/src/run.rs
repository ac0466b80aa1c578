//! The run itself: study, plan and host, written once.

use crate::value::{Columns, Json, Name, Nanos, Seed};
use model::{
    Block, HostFacts, Level, LevelUnit, Plan, RunInfo, SearchOver, Study, Test, Trial, TrialKey,
    UnixMillis, Workload,
};
use rusqlite::{Connection, Result, params};

/// Writes the run and its plan into an empty store.
pub(crate) fn insert(
    connection: &Connection,
    study: &Study,
    plan: &Plan,
    run: &RunInfo,
) -> Result<()> {
    // The text of the study file has a column of its own, where a user finds it.
    let without_source = Study { source: String::new(), ..study.clone() };
    connection.execute(
        "INSERT INTO run (id, started_at_ms, weighin_version, scale, study_file, study_json,
         host_json, plan_seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            run.id,
            run.started_at.0,
            run.weighin_version,
            run.scale,
            study.source,
            Json(&without_source),
            Json(&run.host),
            Seed(plan.seed)
        ],
    )?;
    let mut statement = connection.prepare(
        "INSERT INTO planned_trial (position, block, target, test, clients, rate, repeat, seed,
         load_time_ns, search, unit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for block in &plan.blocks {
        for trial in &block.trials {
            statement.execute(params![
                trial.position,
                block.number,
                trial.key.target,
                trial.key.test,
                trial.key.level.clients,
                trial.key.level.rate,
                trial.key.repeat,
                Seed(trial.seed),
                Nanos(trial.load_time),
                trial.key.level.search.map(Name),
                Name(trial.key.level.unit)
            ])?;
        }
    }
    Ok(())
}

/// Reads the run, the study and the plan.
pub(crate) fn select(connection: &Connection) -> Result<(Study, Plan, RunInfo)> {
    let (study, run, plan_seed) = connection.query_row(
        "SELECT id, started_at_ms, weighin_version, scale, study_file, study_json, host_json,
         plan_seed FROM run",
        [],
        |row| {
            let mut columns = Columns::of(row);
            let id = columns.next()?;
            let started_at = UnixMillis(columns.next()?);
            let weighin_version = columns.next()?;
            let scale = columns.next()?;
            let source = columns.next()?;
            let Json(mut study) = columns.next::<Json<Study>>()?;
            for test in study.tests.iter_mut().filter(|test| is_of_storage(test)) {
                for level in &mut test.levels {
                    *level = level.counting(LevelUnit::InFlight);
                }
            }
            let Json(host) = columns.next::<Json<HostFacts>>()?;
            let Seed(plan_seed) = columns.next()?;
            let run = RunInfo { id, started_at, weighin_version, host, scale };
            Ok((Study { source, ..study }, run, plan_seed))
        },
    )?;
    let mut blocks: Vec<Block> = Vec::new();
    let mut statement = connection.prepare(
        "SELECT block, position, target, test, clients, rate, search, unit, repeat, seed,
         load_time_ns FROM planned_trial ORDER BY position",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of(row);
        let number = columns.next()?;
        let position = columns.next()?;
        let mut key = TrialKey {
            target: columns.next()?,
            test: columns.next()?,
            level: Level {
                clients: columns.next()?,
                rate: columns.next()?,
                search: columns.next::<Option<Name<SearchOver>>>()?.map(|name| name.0),
                unit: columns.next::<Name<LevelUnit>>()?.0,
            },
            repeat: columns.next()?,
        };
        if study.tests.iter().any(|test| test.name == key.test && is_of_storage(test)) {
            key.level = key.level.counting(LevelUnit::InFlight);
        }
        let Seed(seed) = columns.next()?;
        let trial = Trial { key, position, seed, load_time: columns.nanos()? };
        match blocks.last_mut() {
            Some(block) if block.number == number => block.trials.push(trial),
            _ => blocks.push(Block { number, trials: vec![trial] }),
        }
    }
    Ok((study, Plan { seed: plan_seed, blocks }, run))
}

/// Whether a test's levels count what is in flight, which formats before 16 did not say.
fn is_of_storage(test: &Test) -> bool {
    matches!(test.workload, Workload::Storage(_))
}
