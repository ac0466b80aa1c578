//! Campaigns on a machine that is not this one: what they ask of it, and what comes of its answers.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use campaign::{Campaign, Instances, OutputReader, Preflight, RunError};
use host::{
    Answer, AnyQuestion, CommandOrder, DiskCounters, Ended, FileSpec, Filling, HeldVolume, Host,
    InstanceOrder, KeptInstance, Local, Looking, PrivateServer, Processors, ProgramOrder,
    SamplerOptions, SandboxOptions, Scope, Share, Space, UserCommand, Volume, VolumeFacts, Watch,
    Watched, Weighin,
};
use model::{
    BuiltVolume, Dataset, Failure, FailureKind, HostAccount, HostFacts, Sample, Stop, TrialEnd,
    UnixMillis, VolumeLayout, VolumePlace,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use store::Store;
use system::Hosts;
use tempfile::TempDir;

const DISK: &str = "nvme7n1";

/// A machine with a disk of its own at `/far`, which a directory of this machine stands in for.
#[derive(Debug)]
struct Imitated {
    directory: TempDir,
    is_root: bool,
    /// Grows with every look at it, and so does what the disk has counted.
    clock: AtomicU64,
    servers: Mutex<Vec<SandboxOptions>>,
    watched: Mutex<Vec<Scope>>,
}

impl Imitated {
    fn new() -> Self {
        Self {
            // Where files take direct reads and writes.
            directory: tempfile::tempdir_in("/var/tmp").unwrap(),
            is_root: true,
            clock: AtomicU64::new(1),
            servers: Mutex::default(),
            watched: Mutex::default(),
        }
    }
}

fn lacking(what: &str) -> Failure {
    Failure::new(FailureKind::NotPermitted, format!("far-1 has no {what}"), "do without")
}

impl Host for Imitated {
    fn name(&self) -> &str {
        "far-1"
    }

    fn carry(&self, question: AnyQuestion, _: Option<&Stop>) -> Result<Box<dyn Answer>, Failure> {
        Err(match question {
            AnyQuestion::CheckProcessors(_) => lacking("control groups"),
            _ => lacking("answer to that"),
        })
    }

    fn facts(&self) -> HostFacts {
        HostFacts { hostname: "far-1".to_owned(), cpus: 64, ..HostFacts::default() }
    }

    fn time(&self) -> UnixMillis {
        UnixMillis(1000 * self.clock.fetch_add(1, Ordering::Relaxed))
    }

    fn processors(&self) -> u32 {
        64
    }

    fn is_root(&self) -> bool {
        self.is_root
    }

    fn disk_counters(&self) -> BTreeMap<String, DiskCounters> {
        let reads = self.clock.fetch_add(1, Ordering::Relaxed);
        BTreeMap::from([(DISK.to_owned(), DiskCounters { reads, ..DiskCounters::default() })])
    }

    fn watch(&self, scope: &Scope) -> Result<Box<dyn Watch>, Failure> {
        self.watched.lock().unwrap().push(scope.clone());
        Ok(Box::new(Imagined(Watched::default())))
    }

    fn drop_caches(&self, _: &Stop) -> Result<(), Failure> {
        Err(lacking("caches that may be dropped"))
    }

    fn check_caches(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&self, _: &ProgramOrder<'_>, _: &dyn Fn() -> bool) -> Result<Ended, Failure> {
        Err(lacking("programs"))
    }

    fn user_command(&self, _: CommandOrder, _: &Stop) -> Result<Box<dyn UserCommand>, Failure> {
        Err(lacking("commands"))
    }

    fn keep_instance(&self, _: InstanceOrder) -> Result<Box<dyn KeptInstance>, Failure> {
        Err(lacking("commands"))
    }

    fn start_weighin(&self, _: &str) -> Result<Box<dyn Weighin>, Failure> {
        Err(lacking("processes of weighin"))
    }

    fn hold_processors(&self, _: f64) -> Result<Arc<dyn Processors>, Failure> {
        Err(lacking("control groups"))
    }

    fn start_server(&self, options: SandboxOptions) -> Result<Box<dyn PrivateServer>, Failure> {
        self.servers.lock().unwrap().push(options);
        Err(lacking("servers"))
    }

    fn check_networks(&self) -> Result<(), Failure> {
        Err(lacking("networks"))
    }

    fn check_built_volume(&self, _: &BuiltVolume, _: Option<&Path>, _: u64) -> Result<(), Failure> {
        Err(lacking("volumes to build"))
    }

    fn hold_volume(&self, path: &Path, block: u32) -> Result<Box<dyn HeldVolume>, Failure> {
        assert_eq!(path, Path::new("/far"));
        let disks = BTreeSet::from([DISK.to_owned()]);
        let under = Volume {
            file_system: "xfs".to_owned(),
            devices: disks.clone(),
            members: disks,
            beneath: BTreeSet::new(),
        };
        Ok(Box::new(Far {
            held: Local.hold_volume(self.directory.path(), block)?,
            facts: VolumeFacts { is_blocks: false, under: Some(under) },
        }))
    }

    fn clear_volume(&self, _: &Path, _: &Stop) -> Result<bool, Failure> {
        Ok(false)
    }
}

/// Takes one sample, at once.
struct Imagined(Watched);

impl Watch for Imagined {
    fn sample(&mut self, options: SamplerOptions) {
        let sample = Sample { at_seconds: 0.25, length: options.every, ..Sample::default() };
        self.0.samples.push(sample);
        self.0.account = HostAccount { thermal_events: Some(3), ..HostAccount::default() };
    }

    fn end(self: Box<Self>) -> Result<Watched, Failure> {
        Ok(self.0)
    }
}

/// The volume at `/far`.
#[derive(Debug)]
struct Far {
    held: Box<dyn HeldVolume>,
    facts: VolumeFacts,
}

impl HeldVolume for Far {
    fn facts(&self) -> &VolumeFacts {
        &self.facts
    }

    fn check_same(&self) -> Result<(), Failure> {
        self.held.check_same()
    }

    fn check_contents(
        &mut self,
        _: &VolumePlace,
        _: bool,
        _: VolumeLayout,
        _: Looking<'_>,
    ) -> Result<Option<String>, Failure> {
        Ok(Some("as far as one can see, nothing".to_owned()))
    }

    fn space(&self) -> Result<Option<Space>, Failure> {
        Ok(Some(Space { device: 7, free: 64 << 20, own: 0 }))
    }

    fn files(&self, share: &Share) -> Result<Vec<FileSpec>, Failure> {
        self.held.files(share)
    }

    fn is_filled(&self, share: &Share) -> Result<bool, Failure> {
        self.held.is_filled(share)
    }

    fn fill(&mut self, share: &Share, filling: Filling<'_>) -> Result<(), Failure> {
        self.held.fill(share, filling)
    }
}

/// Runs a study on that machine; what is in the store then.
fn run(host: &Arc<Imitated>, target: &str, test: &str) -> Result<Dataset, RunError> {
    system::register([&mysql::SYSTEM, &redis::SYSTEM, &volume::SYSTEM]);
    let text = format!(
        "[study]\nname = \"far\"\nrepeats = 2\n[[target]]\nname = \"one\"\n{target}\n[[test]]\n{test}\n\
         warmup = \"50ms\"\nduration = \"200ms\"\n"
    );
    let study = study::parse(&text, "far.toml").unwrap_or_else(|error| panic!("{error}"));
    let plan = study::expand(&study, study.seed);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("results.sqlite");
    let hosts = Hosts { load: Arc::clone(host) as Arc<dyn Host>, ..Hosts::default() };
    let mut store = Store::create(&path, &study, &plan, &hosts.load.facts(), "1", 1.0).unwrap();
    let stop = Stop::default();
    let read = OutputReader {
        target: |_: &_, _: &_, _: &_| unreachable!("nothing is provisioned"),
        host: |_: &_| unreachable!("nothing is provisioned"),
    };
    let mut none = Instances::new(&study, &hosts, read, &[], &stop);
    let preflight =
        Preflight::examine(&study, &hosts, Default::default(), &none, &stop, &mut |_| {}).unwrap();
    let mut campaign = Campaign::prepare(preflight, &mut |_| {})?;
    for facts in campaign.facts() {
        store.record_target(facts)?;
    }
    campaign.run(&plan, &mut store, &mut none, &mut |_| {})?;
    campaign.finish(&mut store)?;
    Ok(store.dataset().unwrap())
}

const VOLUME: &str = "kind = \"storage\"\nvolumes = [\"/far\"]";
const READS: &str =
    "workload = \"storage\"\ndata = \"4MiB\"\nblock = \"4KiB\"\nqueue_depth = [1]\nreads = 100";

/// The only error for which a study was refused.
fn refusal(ended: Result<Dataset, RunError>) -> Failure {
    let Err(RunError::Refused(errors)) = ended else { panic!("{ended:?}") };
    let [error] = errors.as_slice() else { panic!("{errors:?}") };
    assert_eq!(error.target.as_deref(), Some("one"));
    Failure::new(error.kind.unwrap(), &error.message, &error.remedy)
}

#[test]
fn what_is_recorded_is_what_the_targets_machine_says() {
    let host = Arc::new(Imitated::new());
    let dataset = run(&host, VOLUME, READS).unwrap();
    assert_eq!(dataset.run.host.hostname, "far-1");
    assert_eq!(dataset.trials.len(), 2);
    let mut last = 0;
    for trial in &dataset.trials {
        assert!(matches!(trial.end, TrialEnd::Completed(_)), "{:?}", trial.end);
        // The clock of that machine is half a century behind.
        assert!(trial.started_at.0 > last && trial.finished_at.0 < 1_000_000, "{trial:?}");
        last = trial.finished_at.0;
        let sampling = &trial.sampling;
        assert_eq!(sampling.samples.len(), 1);
        assert_eq!(sampling.samples[0].at_seconds, 0.25);
        assert_eq!(sampling.account.thermal_events, Some(3));
        assert_eq!(sampling.volume, [DISK]);
        let reads = |reading: &Option<model::CounterReading>| reading.as_ref().unwrap().counters["device_reads"];
        assert!(reads(&sampling.after) > reads(&sampling.before));
    }
    let facts = &dataset.targets[0].server;
    assert_eq!(facts.version, "xfs on nvme7n1");
    assert_eq!(facts.variables["volume 1 contents"], "as far as one can see, nothing");
    let scope = Scope::default();
    assert_eq!(*host.watched.lock().unwrap(), [scope.clone(), scope]);
}

#[test]
fn caches_that_a_machine_does_not_drop_fail_the_trial_in_its_words() {
    let host = Arc::new(Imitated::new());
    let dataset = run(&host, VOLUME, &format!("{READS}\ncache = \"cold\"")).unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        let TrialEnd::Failed(failure) = &trial.end else { panic!("{:?}", trial.end) };
        assert_eq!(*failure, lacking("caches that may be dropped"));
    }
    assert!(host.watched.lock().unwrap().is_empty(), "no load ran");
}

#[test]
fn whoever_is_not_root_there_is_told_before_anything_runs() {
    let host = Arc::new(Imitated { is_root: false, ..Imitated::new() });
    let failure = refusal(run(&host, VOLUME, &format!("{READS}\ncache = \"cold\"")));
    assert_eq!(failure.kind, FailureKind::NotPermitted);
    assert!(failure.message.ends_with("only root may empty the caches of far-1"), "{failure}");
}

#[test]
fn a_tool_that_is_missing_there_is_said_before_anything_runs() {
    let host = Arc::new(Imitated::new());
    let failure = refusal(run(&host, VOLUME, &format!("{READS}\ncross_check = true")));
    assert_eq!(failure.kind, FailureKind::MissingProgram);
    assert_eq!(failure.message, "fio is not on the PATH");
}

#[test]
fn a_private_server_is_ordered_of_the_targets_machine() {
    let host = Arc::new(Imitated::new());
    let target = "sandbox = { settings = { sort_buffer_size = \"1M\" } }";
    let test = "workload = \"oltp_point_select\"\ntable_size = 100\nclients = 1";
    assert_eq!(refusal(run(&host, target, test)), lacking("servers"));
    let servers = host.servers.lock().unwrap();
    assert_eq!((servers.len(), servers[0].name.as_str()), (1, "one"));
    assert_eq!(servers[0].settings["sort_buffer_size"], "1M");
}

#[test]
fn processors_are_those_of_the_machine_that_makes_the_load() {
    let host = Arc::new(Imitated::new());
    let shared = |vms: u32| {
        let test = format!("{READS}\nvms = {vms}\nvcpus = 2\ncpu_oversubscription = 2");
        refusal(run(&host, VOLUME, &test))
    };
    // 64 have 64 processors among them; that they cannot be limited to these is another matter.
    assert_eq!(shared(64), lacking("control groups"));
    assert!(shared(65).message.ends_with("and weighin may use 64 here"), "{}", shared(65));
}
