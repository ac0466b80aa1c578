use crate::random::SplitMix64;
use model::{Block, Level, Plan, Study, Test, Trial, TrialKey};

/// Plans every trial of a study.
///
/// A block holds every cell once. Within a block the pairs of test and level come in random
/// order (method R25), and for each pair the targets run one after another in random order: the
/// trials that will be compared are neighbours in time (method R8), so that a machine that
/// drifts, as machines in clouds do, drifts for all of them. The A/A control of a study that asks for
/// its noise floor is one of these targets, but where a test searches. Every block is shuffled anew.
///
/// The same study and seed give the same plan in every version of weighin.
pub fn expand(study: &Study, seed: u64) -> Plan {
    let mut order = SplitMix64::named(seed, "order of trials");
    let mut groups: Vec<(&Test, Level)> = study
        .tests
        .iter()
        .flat_map(|test| test.levels().iter().map(move |level| (test, *level)))
        .collect();
    let mut targets: Vec<&str> = study.measured().map(|target| target.name.as_str()).collect();
    let mut position = 0;
    let mut blocks = Vec::new();
    for number in 1..=study.repeats {
        let mut trials = Vec::new();
        order.shuffle(&mut groups);
        for (test, level) in &groups {
            order.shuffle(&mut targets);
            let aa_control = study.aa_control.as_ref().filter(|_| test.bound().is_some());
            let absent = |name: &str| aa_control.is_some_and(|aa_control| aa_control.name == name);
            for target in targets.iter().filter(|name| !absent(name)) {
                position += 1;
                trials.push(Trial {
                    key: TrialKey {
                        target: (*target).to_string(),
                        test: test.name.clone(),
                        level: *level,
                        repeat: number,
                    },
                    position,
                    seed: work_seed(seed, &test.name, *level, number),
                    load_time: test.work_time(),
                });
            }
        }
        blocks.push(Block { number, trials });
    }
    Plan { seed, blocks }
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
