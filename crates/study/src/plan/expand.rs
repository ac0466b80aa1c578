use crate::plan::random::SplitMix64;
use model::{Block, Level, Plan, Study, Test, Trial, TrialKey};
use std::collections::BTreeSet;

/// Plans every trial of a study.
///
/// A block holds every cell once. Within a block the pairs of test and level come in random
/// order, and for each pair the targets run one after another in random order: the
/// trials that will be compared are neighbours in time, so that a machine that
/// drifts, as machines in clouds do, drifts for all of them. The A/A control of a study that asks for
/// its noise floor is one of these targets, but where a test searches. Every block is shuffled anew.
///
/// The same study and seed give the same plan in every version of weighin.
pub fn expand(study: &Study, seed: u64) -> Plan {
    let mut planner = Planner::new(study, seed, "order of trials", 0);
    let first = study.until.map_or(study.repeats, |until| until.min);
    let blocks = (1..=first).filter_map(|number| planner.block(number, 0, |_| true));
    Plan { seed, blocks: blocks.collect() }
}

/// The plan of all repeats that a study may have, where they end when all is resolved, the most; and of
/// as many levels as tests may have that place them. Which these will be is not known before.
pub fn expand_most(study: &Study, seed: u64) -> Plan {
    let mut most = Study { until: None, ..study.clone() };
    for test in &mut most.tests {
        let Some(placement) = test.placement() else { continue };
        let Some(load) = test.load_mut() else { continue };
        let sweep = placement.sweep().into_iter().map(Level::clients);
        let further: Vec<Level> = sweep.filter(|level| !load.levels.contains(level)).collect();
        let free = placement.most_levels().saturating_sub(load.levels.len());
        load.levels.extend(further.into_iter().take(free));
    }
    expand(&most, seed)
}

/// The blocks of further levels, which a test placed: each with all repeats that its other levels
/// have, in an order by the rules of [`expand`].
pub fn next_levels(study: &Study, plan: &Plan, placed: &BTreeSet<(String, Level)>) -> Vec<Block> {
    let mut wider = study.clone();
    for test in &mut wider.tests {
        let own = placed.iter().filter(|(name, _)| *name == test.name).map(|(_, level)| *level);
        let own: Vec<Level> = own.collect();
        test.load_mut().into_iter().for_each(|load| load.levels.extend(&own));
    }
    let last = plan.all_trials().last().map_or(0, |trial| trial.position);
    let extension = plan.blocks.last().map_or(0, |block| block.extension);
    let stream = format!("order of trials, levels placed after trial {last}");
    let mut planner = Planner::new(&wider, plan.seed, &stream, last);
    let is_placed = |key: &TrialKey| placed.contains(&(key.test.clone(), key.level));
    (1..=plan.repeats()).filter_map(|number| planner.block(number, extension, is_placed)).collect()
}

/// The next block of a plan, of these trials of it, in an order by the rules of [`expand`]. `None`
/// for no trials.
pub fn next_block(study: &Study, plan: &Plan, wanted: &BTreeSet<TrialKey>) -> Option<Block> {
    let number = plan.repeats() + 1;
    let last = plan.all_trials().last().map_or(0, |trial| trial.position);
    let extension = plan.blocks.last().map_or(0, |block| block.extension);
    let stream = format!("order of trials, block {number}");
    let mut planner = Planner::new(study, plan.seed, &stream, last);
    planner.block(number, extension, |key| wanted.contains(key))
}

/// What to add to the plan of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Additions {
    /// Further repeats of every cell.
    pub repeats: u32,
    /// Trials of the plan that are to be measured anew.
    pub anew: BTreeSet<TrialKey>,
}

/// Plans what is to be added: trials to be measured anew, cells of the study that the plan does not
/// have in all of its repeats, and further repeats. The order within each block follows the rules
/// of [`expand`]; the work of a trial is what it would have been from the beginning. Empty where
/// there is nothing to add.
pub fn extend(study: &Study, plan: &Plan, additions: &Additions) -> Vec<Block> {
    let extension = 1 + plan.blocks.iter().map(|block| block.extension).max().unwrap_or(0);
    let stream = format!("order of trials, extension {extension}");
    let there: BTreeSet<&TrialKey> = plan.trials().map(|trial| &trial.key).collect();
    // Cells that were left out, because they were decided, stay so; others may be new to the study.
    let cell = |key: &TrialKey| TrialKey { repeat: 0, ..key.clone() };
    let cells: BTreeSet<TrialKey> = match study.until {
        Some(_) => there.iter().map(|key| cell(key)).collect(),
        None => BTreeSet::new(),
    };
    let planned = study.until.map_or(study.repeats, |until| until.min);
    let repeats = planned.max(plan.repeats()) + additions.repeats;
    let last = plan.all_trials().last().map_or(0, |trial| trial.position);
    let mut planner = Planner::new(study, plan.seed, &stream, last);
    let wanted = |key: &TrialKey| {
        (!there.contains(key) && !cells.contains(&cell(key))) || additions.anew.contains(key)
    };
    (1..=repeats).filter_map(|number| planner.block(number, extension, wanted)).collect()
}

/// Puts trials in order, block by block.
struct Planner<'a> {
    study: &'a Study,
    seed: u64,
    order: SplitMix64,
    groups: Vec<(&'a Test, Level)>,
    targets: Vec<&'a str>,
    /// Of the last trial.
    position: u32,
}

impl<'a> Planner<'a> {
    /// For trials that follow that position, in the order of the stream of that name.
    fn new(study: &'a Study, seed: u64, stream: &str, position: u32) -> Self {
        let levels = |test: &'a Test| test.levels().iter().map(move |level| (test, *level));
        Self {
            study,
            seed,
            order: SplitMix64::named(seed, stream),
            groups: study.tests.iter().flat_map(levels).collect(),
            targets: study.measured().map(|target| target.name.as_str()).collect(),
            position,
        }
    }

    /// The wanted trials of a block in random order; `None` where there are none.
    fn block(
        &mut self,
        number: u32,
        extension: u32,
        wanted: impl Fn(&TrialKey) -> bool,
    ) -> Option<Block> {
        let mut trials = Vec::new();
        self.order.shuffle(&mut self.groups);
        for &(test, level) in &self.groups {
            self.order.shuffle(&mut self.targets);
            let aa_control = self.study.aa_control.as_ref().filter(|_| test.bound().is_some());
            let absent = |name: &str| aa_control.is_some_and(|aa_control| aa_control.name == name);
            for target in self.targets.iter().filter(|name| !absent(name)) {
                let (target, test_name) = ((*target).to_owned(), test.name.clone());
                let key = TrialKey { target, test: test_name, level, repeat: number };
                if !wanted(&key) {
                    continue;
                }
                self.position += 1;
                trials.push(Trial {
                    key,
                    position: self.position,
                    seed: work_seed(self.seed, &test.name, level, number),
                    load_time: test.work_time(),
                });
            }
        }
        (!trials.is_empty()).then_some(Block { number, extension, trials })
    }
}

/// Seeds the work of a trial. The target takes no part: all targets get the same work.
fn work_seed(seed: u64, test: &str, level: Level, repeat: u32) -> u64 {
    let level = match (level.rate, level.search) {
        (_, Some(over)) => format!("{}@{}", level.clients, over.name()),
        (None, None) => level.clients.to_string(),
        (Some(rate), None) => format!("{}@{rate}", level.clients),
    };
    SplitMix64::named(seed, &format!("work: {repeat}/{level}/{test}")).draw()
}
