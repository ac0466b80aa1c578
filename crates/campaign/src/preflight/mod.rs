//! What would make a study fail or mislead, found before anything is made or measured. A check is
//! this alone and a run begins with it, so that the two cannot disagree.

mod between;
mod disk;
mod duet;
mod files;
mod load_hosts;
mod parallel;
mod pointless;
mod tables;

use crate::caution;
use crate::event::Event;
use crate::instances::{Instances, Presence, command_line};
use crate::intervention::check_programs;
use engine::Stop;
use model::{Failure, FailureKind, Place, ServerFacts, Study, Target};
use std::collections::BTreeMap;
use std::path::PathBuf;
use system::Hosts;
use system::{
    DataPlan, Diagnostic, Diagnostics, Examination, Holding, ServerIdentity, Severity,
    TableDefinition, TargetHandle,
};

/// A study whose targets are brought up and were looked at. Nothing on them has changed; private
/// servers end when this is dropped.
#[derive(Debug)]
pub struct Preflight<'a> {
    pub(crate) study: &'a Study,
    pub(crate) hosts: &'a Hosts,
    pub(crate) stop: &'a Stop,
    /// In the order of [`Study::servers`].
    targets: Vec<Examined>,
    diagnostics: Vec<Diagnostic>,
}

/// What a command line allows, where the study has to allow it as well.
#[derive(Clone, Copy, Debug, Default)]
pub struct Consent<'a> {
    /// Volumes that may be overwritten.
    pub overwrite: &'a [PathBuf],
    /// Whether scripts may change data of servers that run already.
    pub writes: bool,
}

impl Consent<'_> {
    /// Whether the study's scripts may change what they would.
    fn check(self, study: &Study) -> Result<(), Failure> {
        let own = study.tests.iter().filter_map(|test| test.workload()?.transactions());
        let writes = own.clone().any(|own| own.writes);
        let mut running = study.targets.iter().filter(|t| matches!(t.place, Place::Server(_)));
        match running.next() {
            Some(target) if writes && !self.writes => Err(Failure::new(
                FailureKind::NotPermitted,
                format!(
                    "the study says that its scripts may change data on {}, and the command line \
                     does not",
                    target.name
                ),
                "if that data may be changed, add --allow-writes",
            )),
            _ => Ok(()),
        }
    }
}

/// A target, as far as it could be looked at.
#[derive(Debug)]
pub struct Examined {
    /// As it is now: with an address, where it is provisioned.
    pub target: Target,
    /// What it says of itself.
    pub facts: Option<ServerFacts>,
    /// What a run would make of its data first.
    pub data: Option<DataPlan>,
    /// What was found on its volumes, by path.
    pub found: Vec<(PathBuf, String)>,
    /// Which server it is.
    pub(crate) identity: Option<ServerIdentity>,
    /// The tables that are there which statements of the user's own name.
    pub(crate) tables: BTreeMap<String, TableDefinition>,
    pub(crate) handle: Option<Box<dyn TargetHandle>>,
}

/// Tells what was found since it was told last.
fn tell(found: &mut Diagnostics, observe: &mut dyn FnMut(Event<'_>)) {
    found.untold().iter().for_each(|diagnostic| observe(Event::Found { diagnostic }));
}

impl<'a> Preflight<'a> {
    /// Brings up every target of a study and looks for whatever would make the study fail or
    /// mislead. `hosts` are the machines for it, and `consent` is what the command line
    /// allows. Of provisioned targets those are looked at that are up. What is
    /// found is told as it is found.
    ///
    /// # Errors
    /// [`Failure::stopped`] alone: what does not work is among the diagnostics.
    pub fn examine(
        study: &'a Study,
        hosts: &'a Hosts,
        consent: Consent<'_>,
        instances: &Instances<'_>,
        stop: &'a Stop,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Self, Failure> {
        let mut found = Diagnostics::default();
        found.keep(consent.check(study))?;
        let consent = consent.overwrite;
        caution::find(study, &hosts.secrets, &mut found);
        tell(&mut found, observe);
        found.keep(check_programs(study, hosts.load.as_ref()))?;
        // All are looked at before any is started, which may take long.
        let mut targets = hold(study, hosts, consent, instances, stop, observe, &mut found)?;
        for examined in &mut targets {
            let Some(handle) = &mut examined.handle else { continue };
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            let name = examined.target.name.as_str();
            observe(Event::BringingUp { target: name });
            found.for_target(Some(name));
            if found.keep(handle.bring_up())?.is_none() {
                continue;
            }
            examined.facts = found.keep(handle.facts())?;
            let load_host = hosts.load.as_ref();
            let mut examination = Examination { study, load_host, found: &mut found };
            let seen = handle.examine(&mut examination);
            if let Some(seen) = found.keep(seen)? {
                (examined.data, examined.identity) = (seen.data, seen.identity);
                examined.tables = seen.tables;
            }
            tell(&mut found, observe);
        }
        found.for_target(None);
        between::compare(study, &targets, &mut found);
        tables::compare(&targets, &mut found);
        pointless::check(study, &targets, &mut found);
        disk::check(&targets, hosts, &mut found);
        files::check(study, hosts.load.as_ref(), &mut found);
        load_hosts::check(study, &mut targets, hosts, &mut found)?;
        parallel::check(study, &mut targets, hosts, &mut found)?;
        duet::check(study, hosts, &mut found)?;
        tell(&mut found, observe);
        Ok(Self { study, hosts, stop, targets, diagnostics: found.into_sorted() })
    }

    /// All targets with servers or volumes of their own, in the order of the study.
    pub fn targets(&self) -> &[Examined] {
        &self.targets
    }

    /// All that was found, most severe first.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether the study can run, as far as that can be told beforehand.
    pub fn can_run(&self) -> bool {
        self.diagnostics.iter().all(|one| one.severity != Severity::Error)
    }

    pub(crate) fn into_parts(self) -> (Vec<Examined>, Vec<Diagnostic>) {
        (self.targets, self.diagnostics)
    }
}

/// Takes hold of all targets, as far as they can be.
fn hold(
    study: &Study,
    hosts: &Hosts,
    consent: &[PathBuf],
    instances: &Instances<'_>,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Examined>, Failure> {
    let mut rooms = Default::default();
    let mut targets = Vec::new();
    for target in study.servers() {
        let name = target.name.as_str();
        diagnostics.for_target(Some(name));
        let target = match instances.presence(target) {
            Presence::Here(target) => target.clone(),
            absent => {
                not_here(absent, diagnostics);
                targets.push(Examined::unseen(target.clone()));
                continue;
            }
        };
        let hosts = &hosts.with(&target, stop);
        let progress = &mut |step| observe(Event::Checking { target: name, step });
        let holding = Holding::new(study, hosts, consent, stop, progress);
        let mut holding = Holding { rooms, ..holding };
        let held = system::of_target(&target).and_then(|system| {
            system.check_feasible(study, &target, hosts)?;
            system.hold(&target, &mut holding)
        });
        rooms = holding.rooms;
        let handle = diagnostics.keep(held)?;
        let found: Vec<(PathBuf, String)> =
            handle.iter().flat_map(|handle| handle.found()).collect();
        for (path, found) in &found {
            observe(Event::Checked { target: name, path, found });
        }
        targets.push(Examined { found, handle, ..Examined::unseen(target) });
    }
    Ok(targets)
}

/// Says why nothing is seen of a target.
fn not_here(presence: Presence<'_>, diagnostics: &mut Diagnostics) {
    match presence {
        Presence::Here(_) => {}
        Presence::Failed(failure) => {
            diagnostics.warn(
                format!("it did not come up, so that its trials fail: {}", failure.message),
                failure.remedy.clone(),
            );
        }
        Presence::NotAsked(spec) => diagnostics.note(
            format!("not looked at: it comes up with {}, and is not up", command_line(&spec.up)),
            "weighin check --up brings it up, looks at it, and takes it down again",
        ),
    }
}

impl Examined {
    fn unseen(target: Target) -> Self {
        let (facts, data, identity, handle) = (None, None, None, None);
        let (found, tables) = (Vec::new(), BTreeMap::new());
        Self { target, facts, data, found, identity, tables, handle }
    }
}
