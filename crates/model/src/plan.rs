use crate::Level;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::Duration;

/// All trials of a study in the order in which they will run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The seed that the order came from.
    pub seed: u64,
    /// One randomised pass over all cells each; as many as the study has repeats, or as were planned
    /// so far, those after the first looks over the cells that were not resolved. Then those that
    /// were added (see [`Extension`](crate::Extension)): of trials that are measured anew and of cells
    /// that the study gained they have a block's number a second time.
    pub blocks: Vec<Block>,
}

/// One randomised pass over all cells, or over those that were added to it later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// From 1.
    pub number: u32,
    /// Which extension of the plan it is of, from 1; 0 for what was planned at first.
    pub extension: u32,
    /// In the order in which they run.
    pub trials: Vec<Trial>,
}

/// One repeat of a cell, as planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which one.
    pub key: TrialKey,
    /// Place in the whole plan, from 1.
    pub position: u32,
    /// Seeds this trial's random streams. The same for all targets of a test, level and repeat,
    /// so that they get the same work.
    pub seed: u64,
    /// How long the load will run: warm-up and measurement, without set-up. A search takes as long as
    /// it takes; this is what searches take as a rule.
    pub load_time: Duration,
}

/// Identifies a trial within a study.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TrialKey {
    /// Name of the target.
    pub target: String,
    /// Name of the test.
    pub test: String,
    /// How hard.
    pub level: Level,
    /// From 1 to the study's repeats; also the number of the block it belongs to.
    pub repeat: u32,
}

impl std::fmt::Display for TrialKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {}", self.test, self.target)?;
        if self.level != Level::NONE {
            write!(f, ", {}", self.level)?;
        }
        write!(f, ", repeat {}", self.repeat)
    }
}

impl Plan {
    /// The trials that count, in the order in which they run: of those with one key the last, since
    /// the earlier ones failed and are measured anew.
    pub fn trials(&self) -> impl Iterator<Item = &Trial> {
        let extended = self.blocks.iter().any(|block| block.extension > 0);
        let last: HashMap<&TrialKey, u32> = match extended {
            true => self.all_trials().map(|trial| (&trial.key, trial.position)).collect(),
            false => HashMap::new(),
        };
        let counts = move |trial: &&Trial| {
            last.get(&trial.key).is_none_or(|&position| position == trial.position)
        };
        self.all_trials().filter(counts)
    }

    /// All trials in the order in which they run, with those that were measured anew since.
    pub fn all_trials(&self) -> impl Iterator<Item = &Trial> {
        self.blocks.iter().flat_map(|block| &block.trials)
    }

    /// How often every cell is measured.
    pub fn repeats(&self) -> u32 {
        self.blocks.iter().map(|block| block.number).max().unwrap_or(0)
    }
}
