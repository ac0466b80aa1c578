//! The second opinion on a trial: another tool runs the same load on the same data.

mod key_value;
mod sql;
mod storage;

use crate::trial::Stand;
use crate::{Control, Login, Volumes};
use engine::Stop;
use model::{
    Failure, FailureKind, OpinionEnd, SecondOpinion, Study, Target, Test, Trial, Turn, Workload,
};
use peer::Measured;
use peer::key_value::KeyValueTool;
use peer::storage::Fio;
use peer::sysbench::Sysbench;
use std::collections::BTreeMap;

/// A tool that can run a test.
#[derive(Clone, Debug)]
enum Tool {
    Sysbench(Sysbench),
    KeyValue(KeyValueTool),
    Fio(Fio),
}

/// The tools that give second opinions on a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    /// By the name of the test, where it asks for one.
    of_tests: BTreeMap<String, Tool>,
}

impl Tools {
    /// The tools for the tests of a study that ask for a second opinion.
    ///
    /// # Errors
    /// `MissingProgram` when none is installed; `NotPermitted` when none can run a test of the
    /// study, or not on this target.
    pub(crate) fn find(study: &Study, target: &Target) -> Result<Self, Failure> {
        let asking = study.tests.iter().filter(|test| test.cross_check);
        let of_tests = asking.map(|test| {
            let tool = match &test.runnable_load()?.workload {
                Workload::KeyValue(keys) => {
                    Tool::KeyValue(key_value::tool(keys, target, &test.name)?)
                }
                Workload::Storage(storage) => Tool::Fio(storage::tool(storage, &test.name)?),
                Workload::Oltp(oltp) => Tool::Sysbench(sql::tool(oltp, target, &test.name)?),
            };
            Ok((test.name.clone(), tool))
        });
        Ok(Self { of_tests: of_tests.collect::<Result<_, Failure>>()? })
    }

    /// Makes sure that the tools will be let in to the server.
    ///
    /// # Errors
    /// `NotPermitted` when one will not.
    pub(crate) fn check_login(&self, login: &Login, control: &mut Control) -> Result<(), Failure> {
        let of_keys = |tool: &Tool| matches!(tool, Tool::KeyValue(_));
        if self.of_tests.values().any(of_keys) {
            key_value::check_login(login, control.redis()?)?;
        }
        Ok(())
    }

    /// The tool of a test, if it asks for one.
    pub(crate) fn of(&self, test: &Test) -> Option<Second> {
        self.of_tests.get(&test.name).cloned().map(Second)
    }
}

/// The tool that gives a second opinion on a trial.
#[derive(Clone, Debug)]
pub(crate) struct Second(Tool);

impl Second {
    /// Runs the trial's load with the other tool, from the same starting state; `None` when asked
    /// to stop. A tool that fails takes nothing from the trial: its failure is the opinion.
    pub(crate) fn ask(
        &self,
        stand: &mut Stand,
        (trial, test): (&Trial, &Test),
        study_seed: u64,
        turn: Turn,
        stop: &Stop,
    ) -> Option<SecondOpinion> {
        let load = self.load(stand, (trial, test), study_seed, stop);
        // As after a trial: what matters will show when the server is needed next.
        let _ = stand.deployment.rest();
        self.opinion(load, turn)
    }

    /// The same on volumes, whose data must have been filled.
    pub(crate) fn ask_volumes(
        &self,
        volumes: &mut Volumes,
        (trial, test): (&Trial, &Test),
        turn: Turn,
        stop: &Stop,
    ) -> Option<SecondOpinion> {
        let load = match (&self.0, test.storage()) {
            (Tool::Fio(fio), Some(storage)) => {
                storage::load(fio, volumes, (trial, test, storage), stop)
            }
            _ => Err(cannot(&self.name(), &format!("the test {}", test.name))),
        };
        self.opinion(load, turn)
    }

    /// What came of it; `None` when asked to stop.
    fn opinion(
        &self,
        load: Result<Option<Measured>, Failure>,
        turn: Turn,
    ) -> Option<SecondOpinion> {
        let end = match load {
            Ok(load) => OpinionEnd::Measured(load?.figures),
            Err(failure) => OpinionEnd::Failed(failure),
        };
        Some(SecondOpinion { tool: self.name(), turn, end })
    }

    fn name(&self) -> String {
        match &self.0 {
            Tool::Sysbench(sysbench) => sysbench.name(),
            Tool::KeyValue(tool) => tool.name(),
            Tool::Fio(fio) => fio.name(),
        }
    }

    fn load(
        &self,
        stand: &mut Stand,
        (trial, test): (&Trial, &Test),
        study_seed: u64,
        stop: &Stop,
    ) -> Result<Option<Measured>, Failure> {
        let control = stand.deployment.ready(test.cache)?;
        let load = test.runnable_load()?;
        match (&self.0, &load.workload) {
            (Tool::KeyValue(tool), Workload::KeyValue(keys)) => {
                key_value::load(tool, stand, control, (trial, load, keys), study_seed, stop)
            }
            (Tool::Sysbench(sysbench), workload) => {
                sql::load(sysbench, stand, control, (trial, load, workload.oltp()?), stop)
            }
            (Tool::KeyValue(_) | Tool::Fio(_), _) => {
                Err(cannot(&self.name(), &format!("the test {}", test.name)))
            }
        }
    }
}

fn cannot(tool: &str, what: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("{tool} cannot give a second opinion on {what}"),
        "set cross_check = false in the test",
    )
}
