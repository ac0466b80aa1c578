//! Volumes as a target of a campaign.

use super::load::VolumeLoad;
use super::volumes::loads;
use super::{Taking, Volumes, cross_check, processors};
use crosscheck::storage::Fio;
use engine::Stop;
use engine::storage::{Method, StorageLoad, mark};
use host::{CounterSource, Host};
use model::{
    CacheState, CrossCheckFigures, Failure, FailureKind, IoMethod, ServerCounters, ServerFacts,
    Storage, Study, Target, Test, Trial, Workload,
};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use system::check_caches;
use system::load::PreparedLoad;
use system::{
    DataPlan, Examination, Examined, Holding, Preparing, SamplingScope, System, TargetHandle,
    cannot_check, unsuitable,
};
use system::{Hosts, LoadRequest, Prepared};

/// How long to wait for what is under way after the last read or write began.
const DRAIN_LIMIT: Duration = Duration::from_secs(30);

/// Devices, files and directories.
#[derive(Debug)]
pub struct VolumeSystem;

impl System for VolumeSystem {
    fn kind(&self) -> model::System {
        model::System::Storage
    }

    fn read_load(&self, document: serde_json::Value) -> serde_json::Result<PreparedLoad> {
        serde_json::from_value::<VolumeLoad>(document).map(PreparedLoad::from)
    }

    fn check_feasible(&self, study: &Study, target: &Target, hosts: &Hosts) -> Result<(), Failure> {
        tools(study, hosts)?;
        let cold = study.tests.iter().find(|test| test.cache == CacheState::Cold);
        let machines = hosts.all_of(target);
        let each = machines.iter().flatten().zip(cold.into_iter().cycle());
        each.into_iter().try_for_each(|(host, cold)| check_caches(cold, host.as_ref()))
    }

    fn hold(
        &self,
        target: &Target,
        holding: &mut Holding<'_>,
    ) -> Result<Box<dyn TargetHandle>, Failure> {
        let (consent, stop) = (holding.consent, holding.stop);
        let Some(hosts) = holding.hosts.all_of(target) else { return Err(target.out_of_reach()) };
        let taking = &mut Taking { hosts: &hosts, consent, stop, progress: holding.progress };
        let loads = loads(holding.study);
        let mut volumes = Volumes::take_beside(target, &loads, taking, &mut holding.rooms)?;
        volumes.tools = tools(holding.study, holding.hosts)?;
        Ok(Box::new(volumes))
    }
}

/// The tools for the tests of a study that ask for a cross-check, by the tests' names.
fn tools(study: &Study, hosts: &Hosts) -> Result<BTreeMap<String, Fio>, Failure> {
    let asking = study.tests.iter().filter(|test| test.cross_check);
    let tools = asking.map(|test| {
        let storage = storage(&test.runnable_load()?.workload)?;
        Ok((test.name.clone(), cross_check::tool(&hosts.load, storage, &test.name)?))
    });
    tools.collect()
}

fn storage(workload: &Workload) -> Result<&Storage, Failure> {
    workload.storage().ok_or_else(|| unsuitable(workload, "volumes"))
}

impl TargetHandle for Volumes {
    fn bring_up(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn facts(&mut self) -> Result<ServerFacts, Failure> {
        Ok(self.observed().clone())
    }

    fn found(&self) -> Vec<(PathBuf, String)> {
        self.contents().map(|(path, found)| (path, found.to_owned())).collect()
    }

    fn examine(&mut self, examination: &mut Examination<'_>) -> Result<Examined, Failure> {
        for workload in examination.study.tests.iter().filter_map(Test::workload) {
            examination.found.keep(storage(workload))?;
        }
        let (make, of) = self.unfilled()?;
        let data = DataPlan { noun: "file", make, keep: of - make, ..DataPlan::default() };
        Ok(Examined { data: Some(data), ..Examined::default() })
    }

    fn prepare(
        &mut self,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure> {
        self.fill(storage(workload)?, preparing)
    }

    fn check_load(
        &mut self,
        workload: &Workload,
        _: u32,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        self.fill(storage(workload)?, preparing).map(drop)
    }

    fn ready(
        &mut self,
        workload: Option<&Workload>,
        cache: CacheState,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        if let Some(workload) = workload {
            self.fill(storage(workload)?, preparing)?;
        }
        match cache {
            CacheState::Cold => self.hosts().try_for_each(|host| host.drop_caches(preparing.stop)),
            CacheState::Warm => Ok(()),
        }
    }

    fn load(&mut self, request: &LoadRequest<'_>) -> Result<PreparedLoad, Failure> {
        let storage = storage(request.workload)?;
        let machines = request.load_hosts.len().max(1) as u32;
        if request.generators > machines && storage.oversubscription.is_some() {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                "virtual machines that share processors (cpu_oversubscription) are limited to them \
                 within one process",
                "leave load_generators out, or cpu_oversubscription",
            ));
        }
        Ok(VolumeLoad(Box::new(StorageLoad {
            storage: storage.clone(),
            files: self.files_of(storage),
            queue_depth: request.clients,
            schedule: request.schedule,
            open: request.open.clone(),
            policy: request.policy.clone(),
            drain_limit: DRAIN_LIMIT,
            seed: request.seed,
            workers: request.workers,
            method: request.io.map(method),
            mark: mark(),
            checksummed: self.is_checksummed_for(storage),
            processors: match request.load_hosts.as_slice() {
                [] => processors::hold(request.host, storage, storage.vms)?,
                // Each holds those of its part.
                _ => None,
            },
        }))
        .into())
    }

    /// A load that failed may have written as well.
    fn loaded(&mut self, workload: &Workload) {
        if let Some(storage) = workload.storage() {
            self.written_by(storage);
        }
    }

    fn counters(&mut self) -> Option<ServerCounters> {
        self.device_counters()
    }

    /// The samples of the host have the devices in them.
    fn counter_reader(&mut self) -> Result<Option<CounterSource>, Failure> {
        Ok(None)
    }

    fn network_address(&mut self) -> Result<Option<SocketAddr>, Failure> {
        Ok(None)
    }

    fn host(&self) -> Option<&dyn Host> {
        self.hosts().next()
    }

    fn sampling_scope(&self) -> SamplingScope {
        let disks = self.host().map(|host| self.members(host.name()));
        SamplingScope { disks: disks.unwrap_or_default(), ..SamplingScope::default() }
    }

    fn disks_on(&self, host: &str) -> Vec<String> {
        self.members(host)
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let paths = self.place.volumes.iter().map(|volume| volume.path.display().to_string());
        vec![("WEIGHIN_VOLUMES", paths.collect::<Vec<_>>().join(":"))]
    }

    fn cross_check_tool(&self, test: &Test) -> Option<String> {
        self.tools.get(&test.name).map(Fio::name)
    }

    fn cross_check(
        &mut self,
        trial: &Trial,
        test: &Test,
        stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure> {
        let Some(fio) = self.tools.get(&test.name).cloned() else {
            return Err(cannot_check("no tool", &format!("the test {}", test.name)));
        };
        cross_check::load(&fio, self, trial, test, stop)
    }
}

fn method(io: IoMethod) -> Method {
    match io {
        IoMethod::IoUring => Method::Ring,
        IoMethod::Epoll | IoMethod::Threads => Method::Threads,
    }
}
