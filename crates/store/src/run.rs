//! The run itself: study, plan and host. What was added later stands beside it.

use crate::document::MOST;
use crate::extension;
use crate::value::{Columns, Json, Name, Nanos, Seed, damage, required};
use model::bounds::MAX_REPEATS;
use model::{
    Block, HostFacts, Level, LevelUnit, Plan, RunInfo, SearchOver, Study, Trial, TrialKey,
    UnixMillis,
};
use rusqlite::{Connection, Result, params};
use std::collections::{BTreeMap, BTreeSet};

/// Where the study stands.
const STUDY: &str = "run.study_json";

/// Writes the run and its plan into an empty store.
pub(crate) fn insert(
    connection: &Connection,
    study: &Study,
    plan: &Plan,
    run: &RunInfo,
) -> Result<()> {
    connection.execute(
        "INSERT INTO run (id, started_at_ms, weighin_version, scale, study_file, study_json,
         host_json, plan_seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            run.id,
            run.started_at.0,
            run.weighin_version,
            run.scale,
            study.source,
            Json(without_source(study)),
            Json(&run.host),
            Seed(plan.seed)
        ],
    )?;
    insert_plan(connection, &plan.blocks)
}

/// The study as it is kept beside its text, which has a column of its own where a user finds it.
pub(crate) fn without_source(study: &Study) -> Study {
    Study { source: String::new(), ..study.clone() }
}

/// Dates the run anew.
pub(crate) fn restart(connection: &Connection, started_at: UnixMillis) -> Result<()> {
    connection.execute("UPDATE run SET started_at_ms = ?", [started_at.0]).map(drop)
}

/// Writes blocks of a plan.
pub(crate) fn insert_plan(connection: &Connection, blocks: &[Block]) -> Result<()> {
    let mut statement = connection.prepare(
        "INSERT INTO planned_trial (position, block, target, test, clients, rate, repeat, seed,
         load_time_ns, search, unit, extension) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for block in blocks {
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
                Name(trial.key.level.unit),
                block.extension
            ])?;
        }
    }
    Ok(())
}

/// Reads the run, the study as it is now and the plan with all that was added to it.
pub(crate) fn select(connection: &Connection) -> Result<(Study, Plan, RunInfo)> {
    let head = connection.query_row(
        "SELECT id, started_at_ms, weighin_version, scale, study_file, study_json, host_json,
         plan_seed FROM run",
        [],
        |row| {
            let mut columns = Columns::of("run", row);
            let id = columns.next()?;
            let started_at = UnixMillis(columns.next()?);
            let weighin_version = columns.next()?;
            let scale = columns.next()?;
            let source = columns.next()?;
            let Json(study) = columns.next::<Json<Study>>()?;
            let Json(host) = columns.next::<Json<HostFacts>>()?;
            let Seed(plan_seed) = columns.next()?;
            let extensions = Vec::new();
            let run = RunInfo { id, started_at, weighin_version, host, scale, extensions };
            Ok((Study { source, ..study }, run, plan_seed))
        },
    );
    let (study, mut run, plan_seed) = required("run", head)?;
    let (extensions, changed) = extension::select(connection)?;
    run.extensions = extensions;
    check_study(&study, &run)?;
    let mut study = changed.unwrap_or(study);
    let mut blocks: Vec<Block> = Vec::new();
    let mut statement = connection.prepare(
        "SELECT block, extension, position, target, test, clients, rate, search, unit, repeat, seed,
         load_time_ns FROM planned_trial ORDER BY position",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of("planned_trial", row);
        let number = columns.next()?;
        let extension = columns.next()?;
        let position = columns.next()?;
        let key = TrialKey {
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
        let Seed(seed) = columns.next()?;
        let trial = Trial { key, position, seed, load_time: columns.nanos()? };
        match blocks.last_mut() {
            Some(block) if (block.number, block.extension) == (number, extension) => {
                block.trials.push(trial);
            }
            _ => blocks.push(Block { number, extension, trials: vec![trial] }),
        }
    }
    let plan = Plan { seed: plan_seed, blocks };
    study.take_levels(&plan);
    check_study(&study, &run)?;
    check_plan(&study, &plan, run.extensions.len() as u32)?;
    Ok((study, plan, run))
}

/// Checks that a study is one that can be analysed.
fn check_study(study: &Study, run: &RunInfo) -> Result<()> {
    let unique = |names: Vec<&str>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    let is_sound = [
        (run.scale.is_finite() && run.scale > 0.0, "run.scale", "it is not above 0"),
        (run.started_at.0 <= MOST, "run.started_at_ms", "it is out of range"),
        (study.repeats > 0, STUDY, "repeats is 0"),
        (study.confidence > 0.0 && study.confidence < 1.0, STUDY, "confidence is not in (0, 1)"),
        (study.margin.is_finite() && study.margin >= 0.0, STUDY, "margin is negative"),
        (!study.sample_every.is_zero(), STUDY, "sample_every is 0"),
        (
            unique(study.measured().map(|t| t.name.as_str()).collect()),
            STUDY,
            "two targets have one name",
        ),
        (
            unique(study.tests.iter().map(|t| t.name.as_str()).collect()),
            STUDY,
            "two tests have one name",
        ),
    ];
    match is_sound.into_iter().find(|(sound, ..)| !sound) {
        Some((_, place, reason)) => Err(damage(place, reason)),
        None => Ok(()),
    }
}

/// Checks that a plan is of this study, and extended that often.
fn check_plan(study: &Study, plan: &Plan, extensions: u32) -> Result<()> {
    let mut latest: BTreeMap<&TrialKey, u32> = BTreeMap::new();
    let mut extended = 0;
    let targets: BTreeSet<&str> = study.measured().map(|target| target.name.as_str()).collect();
    let levels: BTreeMap<&str, BTreeSet<&Level>> = study
        .tests
        .iter()
        .map(|test| (test.name.as_str(), test.levels().iter().collect()))
        .collect();
    for (block, trial, expected) in plan
        .blocks
        .iter()
        .flat_map(|block| block.trials.iter().map(move |trial| (block, trial)))
        .zip(1..)
        .map(|((block, trial), expected)| (block, trial, expected))
    {
        let Trial { key, position, .. } = trial;
        let levels = levels.get(key.test.as_str());
        let most =
            if block.extension == 0 { study.repeats } else { MAX_REPEATS.max(study.repeats) };
        let before = latest.insert(key, block.extension);
        let in_order = (extended..=extensions).contains(&block.extension);
        extended = block.extension;
        let is_sound = [
            (*position == expected, "position", "the one before it is missing"),
            (targets.contains(key.target.as_str()), "target", "the study has no such target"),
            (levels.is_some(), "test", "the study has no such test"),
            (
                levels.is_none_or(|levels| levels.contains(&key.level)),
                "clients",
                "the study's test has no such level",
            ),
            (key.repeat == block.number, "repeat", "it is not that of its block"),
            ((1..=most).contains(&key.repeat), "repeat", "the study has not so many"),
            (in_order, "extension", "there is no such extension here"),
            (
                before.is_none_or(|before| before < block.extension),
                "position",
                "the same trial stands twice in the plan",
            ),
        ];
        if let Some((_, column, reason)) = is_sound.into_iter().find(|(sound, ..)| !sound) {
            let place = format!("planned_trial.{column} of position {position}");
            return Err(damage(place, format!("{reason} ({key})")));
        }
    }
    Ok(())
}
