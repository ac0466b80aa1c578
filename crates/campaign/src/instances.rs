//! Provisioned targets and machines: what brings them up for the trials that need them, and takes
//! them down.

use crate::event::{Event, InstanceStep, RunError};
use engine::Stop;
use host::{Host, InstanceDestination, InstanceOrder, KeptInstance};
use model::{
    Failure, FailureKind, HostInstance, Instance, InstancePer, InstanceSpec, Place, Study, Target,
    Trial, text,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::Store;
use system::Hosts;

/// Reads what `up` of a target printed: the target with its address, and labels.
pub type ReadOutput =
    fn(&Study, &Target, &str) -> Result<(Target, BTreeMap<String, String>), Failure>;

/// Reads what `up` of a machine printed: what ssh connects to, and labels.
pub type ReadHostOutput = fn(&str) -> Result<(String, BTreeMap<String, String>), Failure>;

/// Reads what `up` of an instance printed.
#[derive(Clone, Copy, Debug)]
pub struct OutputReader {
    pub target: ReadOutput,
    pub host: ReadHostOutput,
}

/// Instances of the targets and machines of a study. What is up when this is dropped is taken down by a process
/// that goes on for that.
#[derive(Debug)]
pub struct Instances<'a> {
    study: &'a Study,
    host: Arc<dyn Host>,
    stop: Stop,
    read: OutputReader,
    /// Where its provisioned machines are.
    provisioned: BTreeMap<String, InstanceDestination>,
    /// The number of the next.
    next: u32,
    /// The last of each target and machine.
    last: BTreeMap<Key, Last>,
}

/// What is provisioned, by name. Targets go before the machines that they may be on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Target(String),
    Host(String),
}

impl Key {
    fn name(&self) -> &str {
        match self {
            Self::Target(name) | Self::Host(name) => name,
        }
    }
}

/// What is brought up.
#[derive(Clone, Copy)]
enum Subject<'s> {
    Target(&'s Target, &'s InstanceSpec),
    Host(&'s HostInstance),
}

impl<'s> Subject<'s> {
    fn key(self) -> Key {
        match self {
            Self::Target(target, _) => Key::Target(target.name.clone()),
            Self::Host(host) => Key::Host(host.name.clone()),
        }
    }

    fn spec(self) -> &'s InstanceSpec {
        match self {
            Self::Target(_, spec) => spec,
            Self::Host(host) => &host.spec,
        }
    }
}

/// What has come, as its `up` says, with its labels.
enum Came {
    Target(Box<Target>, BTreeMap<String, String>),
    Host(String, BTreeMap<String, String>),
}

#[derive(Debug)]
struct Last {
    /// While it may be up.
    kept: Option<Box<dyn KeptInstance>>,
    record: Instance,
    /// The target as it is while it is up; of a machine nothing.
    came: Result<Option<Target>, Failure>,
}

/// Whether a target is there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Presence<'a> {
    /// It is, as the study or its instance says.
    Here(&'a Target),
    /// It did not come up.
    Failed(&'a Failure),
    /// Nobody has brought it up.
    NotAsked(&'a InstanceSpec),
}

impl<'a> Instances<'a> {
    /// None yet: `earlier` were brought up before, in the same results. The commands run on the machine
    /// that leads.
    pub fn new(
        study: &'a Study,
        hosts: &Hosts,
        read: OutputReader,
        earlier: &[Instance],
        stop: &Stop,
    ) -> Self {
        let next = 1 + earlier.iter().map(|one| one.number).max().unwrap_or(0);
        let (host, provisioned) = (Arc::clone(&hosts.load), hosts.provisioned.clone());
        Self { study, host, stop: stop.clone(), read, provisioned, next, last: BTreeMap::new() }
    }

    /// Whether any may be up.
    pub fn any_up(&self) -> bool {
        self.last.values().any(|last| last.kept.is_some())
    }

    /// Brings up the provisioned machines, for the first of these trials, and the targets of the
    /// trials that do, each for the first of its own.
    ///
    /// # Errors
    /// [`RunError::Stopped`], or when the store cannot be written. That one does not come up fails its
    /// trials.
    pub fn bring_up<'t>(
        &mut self,
        trials: impl Iterator<Item = &'t Trial>,
        mut store: Option<&mut Store>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        let study = self.study;
        let mut seen = BTreeSet::new();
        for trial in trials {
            for host in &study.host_instances {
                if !self.last.contains_key(&Key::Host(host.name.clone())) {
                    self.start(Subject::Host(host), trial, store.as_deref_mut(), observe)?;
                }
            }
            let server = self.study.server_of(&trial.key.target);
            let target = server.and_then(|server| self.study.measured().nth(server));
            let Some((target, spec)) = target.and_then(|t| Some((t, t.instance()?))) else {
                continue;
            };
            if !seen.insert(&target.name) {
                continue;
            }
            let key = Key::Target(target.name.clone());
            if self.last.get(&key).is_some_and(|last| last.is_for(trial, spec)) {
                continue;
            }
            self.end(&key, store.as_deref_mut(), observe)?;
            let subject = Subject::Target(target, spec);
            self.start(subject, trial, store.as_deref_mut(), observe)?;
        }
        Ok(())
    }

    fn start(
        &mut self,
        subject: Subject<'_>,
        trial: &Trial,
        mut store: Option<&mut Store>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        let (key, spec) = (subject.key(), subject.spec());
        if self.stop.is_requested() {
            return Err(RunError::Stopped);
        }
        let mut record = Instance {
            number: self.next,
            target: key.name().to_owned(),
            first_position: trial.position,
            began_at: self.host.time(),
            up_at: None,
            down_at: None,
            endpoint: None,
            ssh: None,
            labels: BTreeMap::new(),
            trouble: None,
        };
        self.next += 1;
        let name = key.name();
        observe(Event::Instance { target: name, step: InstanceStep::Up(&spec.up) });
        // Before anything is up: whatever happens, the results say that something may be.
        keep(store.as_deref_mut(), &record)?;
        let mut kept = None;
        let came = self.come(subject, trial, &mut kept, observe).map(|came| {
            record.up_at = Some(self.host.time());
            match came {
                Came::Target(target, labels) => {
                    record.labels = labels;
                    if let Place::Server(spec) = &target.place {
                        record.endpoint = Some(spec.address.endpoint.to_string());
                        record.ssh = spec.host.as_ref().map(|host| host.destination.clone());
                    }
                    Some(*target)
                }
                Came::Host(destination, labels) => {
                    (record.labels, record.ssh) = (labels, Some(destination.clone()));
                    if let Some(provisioned) = self.provisioned.get(name) {
                        provisioned.set(destination);
                    }
                    None
                }
            }
        });
        let failure = came.as_ref().err().cloned();
        record.trouble = failure.as_ref().map(|failure| failure.message.clone());
        keep(store.as_deref_mut(), &record)?;
        let last = Last { kept, record, came };
        let last = match self.last.entry(key.clone()) {
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                entry.insert(last);
                entry.into_mut()
            }
            std::collections::btree_map::Entry::Vacant(entry) => entry.insert(last),
        };
        match failure {
            None => {
                let step = InstanceStep::IsUp(&last.record);
                observe(Event::Instance { target: name, step });
                Ok(())
            }
            Some(failure) if failure.is_stop() => Err(RunError::Stopped),
            Some(failure) => {
                observe(Event::Instance { target: name, step: InstanceStep::Failed(&failure) });
                // Half of it may be there.
                self.end(&key, store, observe)
            }
        }
    }

    fn come(
        &self,
        subject: Subject<'_>,
        trial: &Trial,
        kept: &mut Option<Box<dyn KeptInstance>>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Came, Failure> {
        let (key, spec) = (subject.key(), subject.spec());
        let name = key.name();
        let variables = [
            ("WEIGHIN_STUDY", self.study.name.clone()),
            match subject {
                Subject::Target(..) => ("WEIGHIN_TARGET", name.to_owned()),
                Subject::Host(_) => ("WEIGHIN_MACHINE", name.to_owned()),
            },
            ("WEIGHIN_REPEAT", trial.key.repeat.to_string()),
        ];
        let kept = kept.insert(self.host.keep_instance(InstanceOrder {
            up: spec.up.clone(),
            down: spec.down.clone(),
            variables: variables.map(|(name, value)| (name.to_owned(), value)).into(),
            environment: spec.environment.clone(),
            limit: spec.time_limit,
            names: ("up".to_owned(), "down".to_owned()),
            answers: true,
        })?);
        let output = kept.up(&self.stop, &mut |line| {
            observe(Event::Instance { target: name, step: InstanceStep::Said(line) });
        })?;
        match subject {
            Subject::Target(target, _) => {
                let (target, labels) = (self.read.target)(self.study, target, &output)?;
                Ok(Came::Target(Box::new(target), labels))
            }
            Subject::Host(_) => {
                let (destination, labels) = (self.read.host)(&output)?;
                Ok(Came::Host(destination, labels))
            }
        }
    }

    /// Takes down the instance of a target, where it may be up.
    ///
    /// # Errors
    /// When the store cannot be written. That it is not gone is told.
    pub(crate) fn take_down(
        &mut self,
        target: &str,
        store: Option<&mut Store>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        self.end(&Key::Target(target.to_owned()), store, observe)
    }

    fn end(
        &mut self,
        key: &Key,
        store: Option<&mut Store>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        let Some(last) = self.last.get_mut(key) else { return Ok(()) };
        let Some(mut kept) = last.kept.take() else { return Ok(()) };
        let target = key.name();
        let spec = match key {
            Key::Target(name) => {
                let of_study = self.study.measured().find(|one| one.name == *name);
                of_study.and_then(Target::instance)
            }
            Key::Host(name) => {
                if let Some(provisioned) = self.provisioned.get(name) {
                    provisioned.clear();
                }
                self.study.host_instance(name).map(|host| &host.spec)
            }
        };
        if let Some(spec) = spec {
            observe(Event::Instance { target, step: InstanceStep::Down(&spec.down) });
        }
        let gone = kept.down(&mut |line| {
            observe(Event::Instance { target, step: InstanceStep::Said(line) });
        });
        match gone {
            Ok(()) => {
                last.record.down_at = Some(self.host.time());
                observe(Event::Instance { target, step: InstanceStep::IsDown });
            }
            Err(failure) => {
                let left = format!("it may still be there: {}", failure.message);
                last.record.trouble = Some(match last.record.trouble.take() {
                    Some(before) => format!("{before}; {left}"),
                    None => left,
                });
                observe(Event::Instance { target, step: InstanceStep::IsLeft(&failure) });
            }
        }
        if last.came.is_ok() {
            last.came = Err(not_up("it was taken down"));
        }
        keep(store, &last.record)
    }

    /// Takes down all that may be up.
    ///
    /// # Errors
    /// When the store cannot be written; all were tried. That one is not gone is told.
    pub fn take_all_down(
        &mut self,
        mut store: Option<&mut Store>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        let keys: Vec<Key> = self.last.keys().cloned().collect();
        let mut result = Ok(());
        for key in keys {
            let done = self.end(&key, store.as_deref_mut(), observe);
            result = result.and(done);
        }
        result
    }

    /// The same of those that are there for one repeat alone.
    pub(crate) fn end_repeat(
        &mut self,
        mut store: Option<&mut Store>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        let study = self.study;
        let of_repeat = |target: &&Target| {
            target.instance().is_some_and(|spec| spec.per == InstancePer::Repeat)
        };
        for target in study.targets.iter().filter(of_repeat) {
            self.take_down(&target.name, store.as_deref_mut(), observe)?;
        }
        Ok(())
    }

    /// Its trials fail for that reason.
    pub(crate) fn give_up(&mut self, target: &str, failure: Failure) {
        if let Some(last) = self.last.get_mut(&Key::Target(target.to_owned())) {
            last.record.trouble = Some(failure.message.clone());
            last.came = Err(failure);
        }
    }

    /// Whether a target of the study is there.
    pub(crate) fn presence<'s>(&'s self, target: &'s Target) -> Presence<'s> {
        let provisioned =
            target.hosts().into_iter().find_map(|host| self.study.host_instance(&host.name));
        if let Some(HostInstance { name, spec, .. }) = provisioned {
            match self.last.get(&Key::Host(name.clone())).map(|last| &last.came) {
                Some(Ok(_)) => {}
                Some(Err(failure)) => return Presence::Failed(failure),
                None => return Presence::NotAsked(spec),
            }
        }
        let Some(spec) = target.instance() else { return Presence::Here(target) };
        match self.last.get(&Key::Target(target.name.clone())).map(|last| &last.came) {
            Some(Ok(there)) => Presence::Here(there.as_ref().unwrap_or(target)),
            Some(Err(failure)) => Presence::Failed(failure),
            None => Presence::NotAsked(spec),
        }
    }

    /// The first trial that the instance of a target was brought up for.
    pub(crate) fn first_position(&self, target: &str) -> Option<u32> {
        let last = self.last.get(&Key::Target(target.to_owned()));
        last.map(|last| last.record.first_position)
    }
}

impl Last {
    /// Whether it is for the block of a trial.
    fn is_for(&self, trial: &Trial, spec: &InstanceSpec) -> bool {
        match spec.per {
            InstancePer::Study => true,
            InstancePer::Repeat => self.record.first_position >= trial.position,
        }
    }
}

pub(crate) fn not_up(why: &str) -> Failure {
    Failure::new(FailureKind::NotUp, why, "go on with --retry-failed when it can be brought up")
}

/// A command as it is shown.
pub(crate) fn command_line(words: &[String]) -> String {
    /// Characters that are shown.
    const LONGEST: usize = 200;
    text::excerpt(&words.join(" "), LONGEST).to_string()
}

fn keep(store: Option<&mut Store>, record: &Instance) -> Result<(), RunError> {
    Ok(store.map_or(Ok(()), |store| store.record_instance(record))?)
}
