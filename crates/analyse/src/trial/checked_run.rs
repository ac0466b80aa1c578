//! All trials of a run, checked, and found by their test: a run may have hundreds of tests, and each
//! looks for its own.

use crate::trial::check::{CheckResult, CheckedTrial, check, passed};
use crate::trial::extended;
use findings::Finding;
use model::{Dataset, Metric, ReadBudget, Test, TrialRecord};
use stats::Bootstrap;
use std::collections::HashMap;

pub(crate) struct CheckedRun<'a> {
    pub(crate) dataset: &'a Dataset,
    /// Of which figures are wanted, ascending.
    pub(crate) metrics: &'static [Metric],
    /// What it draws is the same for all tests.
    pub(crate) bootstrap: Bootstrap,
    checked: Vec<CheckedTrial>,
    /// Places in the dataset's trials.
    of_test: HashMap<&'a str, Vec<usize>>,
    /// The extension that trials were added by to blocks that had run, by position.
    later: HashMap<u32, u32>,
}

/// A trial of a test.
#[derive(Clone, Copy)]
pub(crate) struct OfTest<'a> {
    /// Place in the dataset's trials.
    pub(crate) index: usize,
    pub(crate) record: &'a TrialRecord,
    pub(crate) checked: &'a CheckedTrial,
    /// The extension that it was added by to a block that had run; 0 where it was not.
    pub(crate) extension: u32,
}

impl<'a> CheckedRun<'a> {
    /// Where the budget is overdrawn, what comes of it says nothing.
    pub(crate) fn from_dataset(
        dataset: &'a Dataset,
        metrics: &'static [Metric],
        budget: &ReadBudget,
    ) -> Self {
        let mut of_test: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, record) in dataset.trials.iter().enumerate() {
            of_test.entry(&record.key.test).or_default().push(index);
        }
        let tests: HashMap<&str, &Test> =
            dataset.study.tests.iter().map(|test| (test.name.as_str(), test)).collect();
        let mut found = Vec::new();
        let check = |record: &TrialRecord| {
            // All trials keep their place: who asks for the analysis looks at the budget.
            let _ = budget.charge(0);
            model::deadline::look();
            let test = tests.get(record.key.test.as_str()).copied();
            let mut checked = check(dataset, test, record);
            checked.share(&mut found);
            checked
        };
        let checked = dataset.trials.iter().map(check).collect();
        let later = extended::measured_later(&dataset.plan);
        let bootstrap = Bootstrap::new(dataset.study.seed);
        Self { dataset, metrics, bootstrap, checked, of_test, later }
    }

    /// Adds what else was found of a trial.
    pub(crate) fn add(&mut self, trial: usize, result: CheckResult) {
        self.checked[trial].add(result);
    }

    /// The trials of a test, in the order of the dataset.
    pub(crate) fn trials(&self, test: &str) -> impl Iterator<Item = OfTest<'_>> + Clone {
        let own = self.of_test.get(test).map_or(&[][..], Vec::as_slice);
        own.iter().map(|&index| {
            let record = &self.dataset.trials[index];
            let extension = self.later.get(&record.position).copied().unwrap_or(0);
            OfTest { index, record, checked: &self.checked[index], extension }
        })
    }

    pub(crate) fn records(&self, test: &str) -> impl Iterator<Item = &TrialRecord> + Clone {
        self.trials(test).map(|trial| trial.record)
    }

    /// How many trials passed each check.
    pub(crate) fn passed(&self) -> impl Iterator<Item = Finding> {
        passed(&self.checked)
    }
}
