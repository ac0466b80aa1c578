//! Another instance of a target for each repeat: it is brought up, looked at and given its data before
//! the first trial of the block.

use crate::campaign::prepare;
use crate::event::{Event, RunError};
use crate::instances::{Presence, not_up};
use crate::{Campaign, Instances};
use model::{Failure, FailureKind, InstancePer, ServerFacts, Target, TargetFacts, Trial};
use store::Store;
use system::{self, Holding, TargetHandle};

impl Campaign<'_> {
    /// Brings up what these trials of a block need. A target that cannot be used has no handle, and
    /// its trials fail with the reason.
    ///
    /// # Errors
    /// When the store cannot be written or somebody asked to stop.
    pub(crate) fn renew(
        &mut self,
        trials: &[&Trial],
        store: &mut Store,
        instances: &mut Instances<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        let study = self.study;
        let stale: Vec<(usize, &Target)> = study
            .servers()
            .enumerate()
            .filter(|(place, target)| {
                let first = trials.iter().find(|t| study.server_of(&t.key.target) == Some(*place));
                let is_renewed =
                    target.instance().is_some_and(|spec| spec.per == InstancePer::Repeat);
                let of = instances.first_position(&target.name);
                is_renewed && first.is_some_and(|trial| of.is_none_or(|of| of < trial.position))
            })
            .collect();
        for (place, _) in &stale {
            // Its connections go before it does.
            if let Some(slot) = self.targets.get_mut(*place) {
                *slot = None;
            }
        }
        instances.bring_up(trials.iter().copied(), Some(store), observe)?;
        for (place, target) in stale {
            let Presence::Here(there) = instances.presence(target) else { continue };
            let there = there.clone();
            match self.take_hold(&there, observe) {
                Ok((handle, facts)) => {
                    if let Some(facts) = facts {
                        store.record_target(&facts)?;
                        self.facts.push(facts);
                    }
                    if let Some(slot) = self.targets.get_mut(place) {
                        *slot = Some(handle);
                    }
                }
                Err(failure) if failure.is_stop() => return Err(RunError::Stopped),
                Err(failure) => {
                    let step = crate::InstanceStep::Failed(&failure);
                    observe(Event::Instance { target: &target.name, step });
                    instances.give_up(&target.name, failure);
                    instances.take_down(&target.name, Some(store), observe)?;
                }
            }
        }
        Ok(())
    }

    /// Takes hold of another instance of a target, which is to be what the first was; what it says of
    /// itself where it is the first.
    fn take_hold(
        &mut self,
        target: &Target,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(Box<dyn TargetHandle>, Option<TargetFacts>), Failure> {
        observe(Event::BringingUp { target: &target.name });
        let system = system::of_target(target)?;
        let hosts = self.hosts.with(target, self.stop);
        let mut handle = system
            .hold(target, &mut Holding::new(self.study, &hosts, &[], self.stop, &mut |_| {}))?;
        handle.bring_up()?;
        let facts = handle.facts()?;
        let before = self.facts.iter().find(|facts| facts.target == target.name);
        if let Some(before) = before {
            check_same(&before.server, &facts)?;
        }
        let server = prepare(target, handle.as_mut(), facts, self.study, self.stop, observe)?;
        let facts = before.is_none().then(|| TargetFacts { target: target.name.clone(), server });
        Ok((handle, facts))
    }
}

/// Whether a server is of the version that the first instance had.
fn check_same(before: &ServerFacts, now: &ServerFacts) -> Result<(), Failure> {
    if before.version == now.version {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::NotUp,
        format!(
            "its version is {}, and that of the first instance was {}",
            now.version, before.version
        ),
        not_up("").remedy,
    ))
}
