//! Writes a results file of a made-up run, by which the cost of a report is measured: `made_up FILE TESTS
//! TARGETS LEVELS REPEATS`.

use model::{Block, Dataset, Plan, Trial, TrialKey};
use std::path::PathBuf;
use store::Store;
use test_support::{load, plan, record, study};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().ok_or("FILE TESTS TARGETS LEVELS REPEATS")?);
    let mut number = || -> Result<u32, Box<dyn std::error::Error>> {
        Ok(arguments.next().ok_or("a number")?.parse()?)
    };
    let (tests, targets, levels, repeats) = (number()?, number()?, number()?, number()?);
    Store::create_from(&path, &dataset(tests, targets, levels, repeats))?;
    Ok(())
}

fn dataset(tests: u32, targets: u32, levels: u32, repeats: u32) -> Dataset {
    let names: Vec<String> = (0..targets).map(|target| format!("t{target}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // Numbers of clients that a law can be fitted to.
    let clients: Vec<u32> = (1..=levels).map(|level| level * level).collect();
    let mut study = study(&names, &clients, repeats);
    let one = study.tests[0].clone();
    let named = |test: u32| model::Test { name: format!("w{test}"), ..one.clone() };
    study.tests = (0..tests).map(named).collect();
    let one = plan(&study, 0);
    let of_tests = |block: &Block| {
        let of_test = |test: u32| {
            let named = move |trial: &Trial| {
                let key = TrialKey { test: format!("w{test}"), ..trial.key.clone() };
                Trial { key, ..trial.clone() }
            };
            block.trials.iter().map(named)
        };
        Block { trials: (0..tests).flat_map(of_test).collect(), ..block.clone() }
    };
    let mut plan = Plan { blocks: one.blocks.iter().map(of_tests).collect(), ..one };
    let trials = plan.blocks.iter_mut().flat_map(|block| &mut block.trials);
    (1..).zip(trials).for_each(|(position, trial)| trial.position = position);
    test_support::dataset(study, plan, |trial| {
        let clients = f64::from(trial.key.level.clients);
        let target: f64 = trial.key.target[1..].parse().expect("a number");
        // By three per cent from trial to trial.
        let noise = 1.0 + 0.03 * (f64::from(trial.position) * 12.9898).sin();
        let law = (500.0 + 50.0 * target) * clients / (1.0 + 0.05 * (clients - 1.0));
        record(trial, load(trial.key.level.clients, law * noise))
    })
}
