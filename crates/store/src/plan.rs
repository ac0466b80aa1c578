//! The plan of a run, with what extensions added to it, and the form in which its study is kept.

use crate::value::{Columns, Name, Nanos, Seed, damage};
use model::bounds::MAX_REPEATS;
use model::{Block, Level, LevelUnit, Plan, SearchOver, Study, Trial, TrialKey};
use rusqlite::{Connection, Result, params};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The study as it is kept beside its text, which has a column of its own where a user finds it.
pub(crate) fn without_source(study: &Study) -> Study {
    Study { source: String::new(), ..study.clone() }
}

/// Writes blocks of a plan.
pub(crate) fn insert(connection: &Connection, blocks: &[Block]) -> Result<()> {
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

/// Reads all blocks in order, with those that were added.
pub(crate) fn select(connection: &Connection) -> Result<Vec<Block>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut statement = connection.prepare(
        "SELECT block, extension, position, target, test, clients, rate, search, unit, repeat, seed,
         load_time_ns FROM planned_trial ORDER BY position",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::for_row("planned_trial", row);
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
    Ok(blocks)
}

/// Checks that a plan is of this study, and extended that often.
pub(crate) fn check(study: &Study, plan: &Plan, extensions: u32) -> Result<()> {
    let mut latest: HashMap<&TrialKey, u32> = HashMap::new();
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
