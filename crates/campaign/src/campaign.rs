//! A study whose targets were brought up, with the data of its first load.

use crate::event::{Event, RunError};
use crate::{OnSample, Preflight, loading};
use engine::Stop;
use model::{Failure, ServerFacts, Study, Target, TargetFacts, Test, Workload};
use system::{Hosts, Preparing, Severity, TargetHandle};

/// A study being run: its targets, brought up.
#[derive(Debug)]
pub struct Campaign<'a> {
    pub(crate) study: &'a Study,
    pub(crate) hosts: &'a Hosts,
    pub(crate) stop: &'a Stop,
    /// In the order of the study; none of those that are not up.
    pub(crate) targets: Vec<Option<Box<dyn TargetHandle>>>,
    /// Of those that are, or were.
    pub(crate) facts: Vec<TargetFacts>,
    pub(crate) on_sample: Option<OnSample>,
}

impl<'a> Campaign<'a> {
    /// Makes the data of targets that were looked at: everything that could fail for a reason that
    /// is there from the start fails before any trial has run.
    ///
    /// # Errors
    /// [`RunError::Refused`] where the study cannot run; the first data that cannot be made, or
    /// [`RunError::Stopped`].
    pub fn prepare(
        preflight: Preflight<'a>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Self, RunError> {
        let Preflight { study, hosts, stop, .. } = preflight;
        let (targets, mut diagnostics) = preflight.into_parts();
        diagnostics.retain(|one| one.severity == Severity::Error);
        if !diagnostics.is_empty() {
            return Err(RunError::Refused(diagnostics));
        }
        let (targets_ready, facts) = (Vec::new(), Vec::new());
        let mut campaign =
            Self { study, hosts, stop, targets: targets_ready, facts, on_sample: None };
        for examined in targets {
            let target = examined.target;
            let Some(mut handle) = examined.handle else {
                campaign.targets.push(None);
                continue;
            };
            if stop.is_requested() {
                return Err(RunError::Stopped);
            }
            let facts = examined.facts.unwrap_or_default();
            let server = prepare(&target, handle.as_mut(), facts, campaign.study, stop, observe)
                .map_err(|failure| target_error(&target, failure))?;
            campaign.targets.push(Some(handle));
            campaign.facts.push(TargetFacts { target: target.name, server });
        }
        Ok(campaign)
    }

    /// Shows every sample of the machine that makes the load as it is taken.
    pub fn on_sample(&mut self, on_sample: Option<OnSample>) {
        self.on_sample = on_sample;
    }

    /// Each target as observed.
    pub fn facts(&self) -> &[TargetFacts] {
        &self.facts
    }
}

/// Makes the data of the study's first load on a target; what the target says of itself.
pub(crate) fn prepare(
    target: &Target,
    handle: &mut dyn TargetHandle,
    mut server: ServerFacts,
    study: &Study,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<ServerFacts, Failure> {
    if let Some(workload) = first_workload(study) {
        let name = target.name.as_str();
        let mut preparing = Preparing {
            seed: study.seed,
            repeat: 0,
            // The preflight has asked the command line.
            may_write: true,
            is_private: false,
            connections: None,
            stop,
            progress: &mut |step| observe(Event::Preparing { target: name, step }),
        };
        let prepared = handle.prepare(workload, &mut preparing);
        let prepared = prepared.map_err(|failure| handle.explain(failure))?;
        server.dataset_bytes = Some(prepared.bytes);
        server.prepare_seconds = (prepared.made > 0).then_some(prepared.elapsed.as_secs_f64());
        if prepared.made > 0 {
            server.loading_debt = loading::wait(handle, stop)?;
        }
        if prepared.all_new {
            server.contents = handle.contents(workload)?;
        }
        for test in &study.tests {
            let Some(own) = test.workload() else { continue };
            if has_data_of(own, workload) {
                server.answers.extend(handle.answers(own, study.seed)?);
            }
            server.plans.extend(handle.plans(&test.name, own)?);
        }
        let version = server.version.as_str();
        observe(Event::Ready { target: name, version, prepared: &prepared });
    }
    handle.release()?;
    Ok(server)
}

/// Whether transactions of the user's own run on the data that was made for another workload.
fn has_data_of(own: &Workload, made: &Workload) -> bool {
    let data = |workload: &Workload| Some(workload.transactions()?.data.clone());
    let made = data(made);
    data(own).is_some_and(|own| {
        made.is_some_and(|made| (own.setup, own.load) == (made.setup, made.load))
    })
}

/// What the data is for that is made before the first trial.
pub(crate) fn first_workload(study: &Study) -> Option<&Workload> {
    study.tests.first().and_then(Test::data)
}

fn target_error(target: &Target, failure: Failure) -> RunError {
    if failure.is_stop() {
        return RunError::Stopped;
    }
    RunError::Target { target: target.name.clone(), failure }
}
