//! The run itself: study, plan and host. What was added later stands beside it.

use crate::document::MOST;
use crate::value::{Columns, Json, Seed, damage, required};
use crate::{extension, plan};
use model::{HostFacts, Plan, RunInfo, Study, UnixMillis};
use rusqlite::{Connection, Result, params};
use std::collections::BTreeSet;

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
            Json(plan::without_source(study)),
            Json(&run.host),
            Seed(plan.seed)
        ],
    )?;
    plan::insert(connection, &plan.blocks)
}

/// Dates the run anew.
pub(crate) fn restart(connection: &Connection, started_at: UnixMillis) -> Result<()> {
    connection.execute("UPDATE run SET started_at_ms = ?", [started_at.0]).map(drop)
}

/// Reads the run, the study as it is now and the plan with all that was added to it.
pub(crate) fn select(connection: &Connection) -> Result<(Study, Plan, RunInfo)> {
    let head = connection.query_row(
        "SELECT id, started_at_ms, weighin_version, scale, study_file, study_json, host_json,
         plan_seed FROM run",
        [],
        |row| {
            let mut columns = Columns::for_row("run", row);
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
    let plan = Plan { seed: plan_seed, blocks: plan::select(connection)? };
    study.take_levels(&plan);
    check_study(&study, &run)?;
    plan::check(&study, &plan, run.extensions.len() as u32)?;
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
