//! Results files to damage.

use super::import;
use ::import::{FORMATS, Naming, Source, assemble, name_trials};
use model::ReadBudget;
use std::fs;
use store::Store;
use test_support::varied;

/// A run with records of every kind, and one of imported results.
pub(crate) fn files() -> Vec<Vec<u8>> {
    vec![measured(), imported()]
}

fn measured() -> Vec<u8> {
    let (study, plan) = (varied::study(), varied::plan());
    // A few, so that reading them is quick; their salts give most tables rows.
    let records = plan.trials().zip([1, 5, 8, 13]);
    let records: Vec<_> = records.map(|(trial, salt)| varied::record(trial, salt)).collect();
    written(&study, &plan, &records, &[varied::facts(&study.targets[0].name)])
}

fn imported() -> Vec<u8> {
    let texts = [import::csv(), import::hlog()].concat();
    let texts: Vec<String> =
        texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let files = texts.iter().filter_map(|text| {
        let format = FORMATS.into_iter().find(|format| format.recognises(text))?;
        Some(format.parse(Source { file: "a/b.txt", text, budget: &ReadBudget::default() }))
    });
    let mut files = files.collect::<Vec<_>>();
    let _ = name_trials(&mut files, &Naming::default());
    let (dataset, _) = assemble("fuzz", test_support::run(), files);
    written(&dataset.study, &dataset.plan, &dataset.trials, &dataset.targets)
}

fn written(
    study: &model::Study,
    plan: &model::Plan,
    records: &[model::TrialRecord],
    targets: &[model::TargetFacts],
) -> Vec<u8> {
    let write = || -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("run.weighin");
        let mut store = Store::create(&path, study, plan, &varied::host(), "1", 1.0)?;
        for facts in targets {
            store.record_target(facts)?;
        }
        for record in records {
            store.append(record)?;
        }
        drop(store);
        Ok(fs::read(&path)?)
    };
    write().unwrap_or_else(|error| panic!("the store cannot be made: {error}"))
}
