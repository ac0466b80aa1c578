//! Volumes of other machines, which make the load on them: each with a sshd in a network namespace of
//! its own, a monotonic clock that is hours ahead, and another directory at the same path.

use crate::ssh::{command, copies_with, signal, sshd};
use crate::support::{
    LoopDevice, Namespace, Ran, Started, Workplace, file_of, not_tested, shared_directory, wait_for,
};
use model::{Failure, FailureKind, HostSampling, TrialEnd, TrialRecord};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use tempfile::TempDir;

/// By how many seconds the clocks of machines are ahead.
const AHEAD: [&str; 3] = ["86400", "7200", "0"];
const NAMES: [&str; 3] = ["a", "b", "c"];

/// A machine with volumes.
struct Machine {
    sshd: Child,
    _namespace: Namespace,
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

impl Machine {
    fn start(place: &Workplace, name: &str, ahead: &str) -> Self {
        let namespace = Namespace::make();
        let (_, address) = namespace.link();
        let sshd = sshd(place, name, &address, namespace.id(), ahead);
        Self { sshd, _namespace: namespace }
    }
}

/// Machines that each see a directory of their own at the same path.
struct Cluster {
    place: Workplace,
    _machines: Vec<Machine>,
    directory: TempDir,
}

impl Cluster {
    /// `None` where this user may make no network namespaces.
    fn start(count: usize) -> Option<Self> {
        let may = Command::new("unshare").args(["--net", "--time", "true"]).status();
        if !may.is_ok_and(|status| status.success()) {
            not_tested("network namespaces are not permitted");
            return None;
        }
        let (place, directory) = (Workplace::new(), shared_directory());
        fs::create_dir(directory.path().join("volume")).unwrap();
        let volume = directory.path().join("volume");
        let machines = NAMES.iter().zip(AHEAD).take(count).map(|(name, ahead)| {
            let own = directory.path().join(name);
            fs::create_dir(&own).unwrap();
            place.write(
                &format!("{name}_mounts"),
                format!("{} {}\n", own.display(), volume.display()),
            );
            Machine::start(&place, name, ahead)
        });
        let machines = machines.collect();
        Some(Self { place, _machines: machines, directory })
    }

    /// What the study calls the volume of each.
    fn volume(&self) -> PathBuf {
        self.directory.path().join("volume")
    }

    /// Where that of one machine is seen from here.
    fn seen(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn study(&self, on: &str, keys: &str, repeats: u32) {
        let hosts: String = NAMES
            .iter()
            .filter(|name| !on.starts_with("ssh") && on.contains(&format!("\"{name}\"")))
            .map(|name| format!("[[host]]\nname = \"{name}\"\nssh = \"{name}\"\n"))
            .collect();
        self.place.write(
            "s.toml",
            format!(
                "[study]\nname = \"far\"\nrepeats = {repeats}\nseed = 5\n{hosts}[[target]]\n\
                 name = \"disks\"\nkind = \"storage\"\nvolumes = [{:?}]\n{on}\n[[test]]\n\
                 workload = \"storage\"\nwarmup = \"200ms\"\ndata = \"4MiB\"\n{keys}\n",
                self.volume()
            ),
        );
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(command(&self.place, arguments))
    }

    fn generators(&self, name: &str) -> Vec<u32> {
        copies_with(&self.place, name, " load-generator")
    }
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

/// That it was seen at work, at moments that are not hours away as its clock is.
pub fn assert_sampled(load_host: &HostSampling) {
    let samples = &load_host.samples;
    assert!(samples.iter().any(|sample| sample.client.cpus > 0.0), "{samples:?}");
    assert!(samples.iter().all(|sample| sample.at_seconds.abs() < 1_800.0), "{samples:?}");
}

fn failure(trial: &TrialRecord) -> &Failure {
    match &trial.end {
        TrialEnd::Failed(failure) => failure,
        end => panic!("{end:?}"),
    }
}

#[test]
fn a_volume_of_another_machine_is_loaded_by_that_machine() {
    let Some(cluster) = Cluster::start(1) else { return };
    let place = &cluster.place;
    cluster.study(
        "host = \"a\"",
        // Long enough to be seen at work, and light.
        "block = \"4KiB\"\nqueue_depth = 4\nreads = 70\nvms = 2\nrate = 200\nduration = \"15s\"",
        1,
    );
    let planned = cluster.run(&["plan", "s.toml"]).done();
    assert!(planned.contains("the load on disks comes from a"), "{planned}");
    assert!(planned.contains(&format!("a:{}", cluster.volume().display())), "{planned}");
    let checked = cluster.run(&["check", "s.toml"]).done();
    assert!(
        checked.contains("a makes load") && checked.contains("2 files will be made"),
        "{checked}"
    );
    assert!(is_empty(&cluster.seen("a")), "check leaves nothing");

    let run = Started::new(command(place, &["run", "s.toml"]));
    wait_for("the load generator", || cluster.generators("a").len() == 1);
    run.end().done();
    assert!(is_empty(&cluster.volume()), "nothing was written here");
    assert!(!is_empty(&cluster.seen("a")));
    let dataset = place.store().dataset().unwrap();
    let trial = &dataset.trials[0];
    let load = trial.load().unwrap();
    let fleet = load.fleet.as_ref().unwrap();
    assert_eq!((fleet.vms.len(), fleet.volumes.len(), load.clients), (2, 1, 8));
    assert_eq!(fleet.moved(), load.measure.moved);
    assert!(load.measure.transactions > 20, "{:?}", load.measure);

    // That machine alone was watched for it, by a clock that is a day ahead.
    let [load_host] = trial.sampling.load_hosts.as_slice() else { panic!("{:?}", trial.sampling) };
    assert_eq!((load_host.host.as_str(), trial.sampling.target_host.is_none()), ("a", true));
    assert_eq!(load_host.facts.as_ref().unwrap().cpus, dataset.run.host.cpus);
    for clock in [load_host.clock_before, load_host.clock_after] {
        // Its time of day is that of this machine.
        assert!(clock.uncertainty_seconds > 0.0, "{clock:?}");
        assert!(clock.ahead_seconds.abs() < clock.uncertainty_seconds + 0.01, "{clock:?}");
    }
    assert_sampled(load_host);
    let page = fs::read_to_string(&place.files(".html")[0]).unwrap();
    for words in ["on the host a, which makes the load", "<h3>Load hosts</h3>"] {
        assert!(page.contains(words), "no «{words}» in the report");
    }

    // Removed there.
    let cleaned = cluster.run(&["cleanup", "s.toml"]).done();
    assert!(cleaned.contains("Removed weighin's data from a:"), "{cleaned}");
    assert!(is_empty(&cluster.seen("a")));
    wait_for("the agents' end", || copies_with(place, "a", "agent").is_empty());
}

#[test]
fn a_device_of_another_machine_is_held_there_and_counts_what_weighin_does() {
    let Some(cluster) = Cluster::start(1) else { return };
    let files = shared_directory();
    let Some(device) = LoopDevice::over(&file_of(files.path(), "disk", 64)) else { return };
    let keys = "block = \"16KiB\"\nqueue_depth = 4\nreads = 50\nvms = 2\nduration = \"2s\"\n\
                verify = true";
    cluster.study("ssh = \"a\"", keys, 1);
    let text = fs::read_to_string(cluster.place.path("s.toml")).unwrap();
    let text = text.replace(cluster.volume().to_str().unwrap(), device.path());
    cluster.place.write("s.toml", &text);
    // What is there is another's.
    fs::write(device.path(), [7; 4096]).unwrap();
    let refused = cluster.run(&["check", "s.toml"]);
    let said = format!("{}{}", refused.out, refused.err);
    assert!(said.contains("a: the volume") && said.contains("holds"), "{said}");
    fs::write(device.path(), [0; 4096]).unwrap();
    let checked = cluster.run(&["check", "s.toml"]).done();
    assert!(checked.contains("empty"), "{checked}");

    cluster.run(&["run", "s.toml"]).done();
    let dataset = cluster.place.store().dataset().unwrap();
    let trial = &dataset.trials[0];
    let load = trial.load().unwrap();
    let reading = |of: &Option<model::CounterReading>, name: &str| {
        *of.as_ref().unwrap().counters.get(name).unwrap()
    };
    for (name, own) in [
        ("device_read_bytes", load.requests.moved.read),
        ("device_written_bytes", load.requests.moved.written),
    ] {
        let (before, after) = (&trial.sampling.before, &trial.sampling.after);
        let device = (reading(after, name) - reading(before, name)) as u64;
        // Others may look at the device as well.
        assert!(device >= own && device - own <= own / 100, "{name}: {device} and {own}");
        assert!(own > 0, "{name}");
    }
    assert!(load.fleet.as_ref().unwrap().verified.unwrap().units > 0);
    let disk = device.path().strip_prefix("/dev/").unwrap();
    assert_eq!(trial.sampling.target_disks(), [disk]);
    let cleaned = cluster.run(&["cleanup", "s.toml"]).done();
    assert!(cleaned.contains("Removed"), "{cleaned}");
}

#[test]
fn a_machine_that_is_lost_voids_its_trial_and_lets_its_volumes_go() {
    let Some(cluster) = Cluster::start(1) else { return };
    let place = &cluster.place;
    let keys =
        "block = \"4KiB\"\nqueue_depth = 4\nreads = 70\nvms = 2\nrate = 200\nduration = \"40s\"";
    cluster.study("host = \"a\"", keys, 2);
    let run = Started::new(command(place, &["run", "s.toml"]));
    let mut known: Vec<u32> = Vec::new();
    let mut next = || {
        let mut made_by = Vec::new();
        wait_for("a load generator", || {
            made_by = cluster.generators("a");
            made_by.len() == 1 && !known.contains(&made_by[0])
        });
        known.extend(&made_by);
        made_by[0]
    };
    let agent = || copies_with(place, "a", " agent --stdio")[0];
    let over =
        |generator: u32| wait_for("its end", || !cluster.generators("a").contains(&generator));

    let generator = next();
    signal(agent(), "KILL");
    over(generator);
    // The next trial holds the volume again; a lead that is gone is noticed there.
    let generator = next();
    let held_by = agent();
    run.kill();
    over(generator);
    wait_for("the agent's end", || !copies_with(place, "a", "agent").contains(&held_by));
    let dataset = place.store().dataset().unwrap();
    let first = failure(&dataset.trials[0]);
    assert_eq!(first.kind, FailureKind::HostLost, "{first}");
    assert!(first.message.contains("the agent on a was cut off"), "{first}");
    // Nobody holds it any more.
    let cleaned = cluster.run(&["cleanup", "s.toml"]).done();
    assert!(cleaned.contains("Removed weighin's data from a:"), "{cleaned}");
    assert!(is_empty(&cluster.seen("a")));
}

const ALL: &str = "hosts = [\"a\", \"b\", \"c\"]";

#[test]
fn virtual_machines_are_dealt_over_three_machines_and_make_one_load() {
    let Some(cluster) = Cluster::start(3) else { return };
    let place = &cluster.place;
    let keys = "name = \"mixed\"\nblock = \"4KiB\"\nqueue_depth = 2\nreads = 70\nvms = 7\n\
                duration = \"2s\"\n[[test]]\nname = \"promise\"\nworkload = \"storage\"\n\
                block = \"4KiB\"\nqueue_depth = 2\nvms = 7\ndata = \"4MiB\"\n\
                warmup = \"200ms\"\nduration = \"500ms\"\nslo = \"p99 < 60s\"";
    cluster.study(ALL, keys, 1);
    let planned = cluster.run(&["plan", "s.toml"]).done();
    assert!(planned.contains("comes from a, b and c, by 3 load generators"), "{planned}");
    let checked = cluster.run(&["check", "s.toml"]).done();
    assert!(checked.contains("7 files will be made"), "{checked}");
    let run = Started::new(command(place, &["run", "s.toml"]));
    wait_for("a generator on each", || {
        NAMES.iter().all(|name| cluster.generators(name).len() == 1)
    });
    run.end().done();
    assert!(is_empty(&cluster.volume()), "nothing was written here");
    let files = |name: &str| {
        let folder = cluster.seen(name).join("weighin-storage");
        fs::read_dir(folder).unwrap().count()
    };
    assert!(files("a") > files("b") && files("b") == files("c") && files("c") >= 2);

    let dataset = place.store().dataset().unwrap();
    let of = |test: &str| dataset.trials.iter().find(|trial| trial.key.test == test).unwrap();
    let trial = of("mixed");
    let load = trial.load().unwrap();
    let fleet = load.fleet.as_ref().unwrap();
    // Virtual machine k is on machine k modulo 3, and its figures are kept.
    assert_eq!(fleet.vms.len(), 7);
    assert!(fleet.vms.iter().enumerate().all(|(vm, one)| one.volume as usize == vm % 3));
    assert!(fleet.vms.iter().all(|vm| vm.reads.count > 0), "{:?}", fleet.vms);
    assert_eq!(fleet.volumes.iter().map(|volume| volume.vms).collect::<Vec<_>>(), [3, 2, 2]);
    assert_eq!(fleet.moved(), load.measure.moved, "what machines did adds up");
    let done: u64 = fleet.vms.iter().map(|vm| vm.reads.count + vm.writes.count).sum();
    assert_eq!(done, load.measure.transactions);
    let shares: Vec<_> =
        load.generators.iter().map(|share| (share.host.as_deref(), share.clients)).collect();
    assert_eq!(shares, [(Some("a"), 6), (Some("b"), 4), (Some("c"), 4)]);
    let made: u64 = load.generators.iter().map(|share| share.transactions).sum();
    assert_eq!(made, load.measure.transactions);
    for (number, share) in load.generators.iter().enumerate() {
        let own = fleet.vms.iter().skip(number).step_by(3);
        let own: u64 = own.map(|vm| vm.reads.count + vm.writes.count).sum();
        assert_eq!(own, share.transactions, "{:?}", share.host);
    }
    // Their clocks are hours apart, and they begin together, but for how long a machine is busy.
    let spread = analyse::start_spread(load, &trial.sampling).unwrap();
    assert!(spread.seconds + spread.uncertainty_seconds < 60.0, "{spread:?}");
    assert_eq!(trial.sampling.load_hosts.len(), 3);

    // The promise is of all of them together.
    let promise = of("promise");
    assert_eq!(promise.load().unwrap().fleet.as_ref().unwrap().vms.len(), 7);
    assert!(promise.search.as_ref().unwrap().answer.met.is_some_and(|met| met > 0.0));
    assert_eq!(promise.sampling.load_hosts.len(), 3);

    let page = fs::read_to_string(&place.files(".html")[0]).unwrap();
    let words = ["on each of the 3 hosts a, b and c, which make the load together", "Load hosts"];
    for words in words {
        assert!(page.contains(words), "no «{words}» in the report");
    }
    let store = place.files(".weighin")[0].display().to_string();
    let report = |format: &str| cluster.run(&["report", &store, "--format", format]);
    let json = report("json").json();
    let hosts = json["tests"][0]["fleets"][0]["hosts"].as_array().unwrap().clone();
    assert_eq!(hosts.len(), 3);
    assert_eq!((&hosts[2]["host"], &hosts[2]["vms"]), (&"c".into(), &2.into()));
    assert!(hosts.iter().all(|host| host["ios"]["point"].as_f64().unwrap() > 0.0), "{hosts:?}");
    assert_eq!(json["trials"][0]["load_hosts"], "a, b, c");
    let markdown = report("markdown").done();
    let volume = format!("c:{}", cluster.volume().display());
    assert!(markdown.contains(&volume), "no {volume} in {markdown}");
    assert!(markdown.contains("### Hosts with volumes"), "{markdown}");

    let cleaned = cluster.run(&["cleanup", "s.toml"]).done();
    assert_eq!(cleaned.matches("Removed weighin's data").count(), 3, "{cleaned}");
    assert!(NAMES.iter().all(|name| is_empty(&cluster.seen(name))));
}

#[test]
fn one_machine_of_three_that_is_lost_voids_the_trial_and_the_next_one_goes_on() {
    let Some(cluster) = Cluster::start(3) else { return };
    let place = &cluster.place;
    // By the seed of the study the second test is the first to run: one long enough to be seen at work.
    let block = "block = \"4KiB\"\nqueue_depth = 2\nreads = 50\nvms = 3\nrate = 200";
    let keys = format!(
        "name = \"next\"\n{block}\nduration = \"2s\"\n[[test]]\nname = \"lost\"\nworkload = \"storage\"\n\
         {block}\nwarmup = \"200ms\"\ndata = \"4MiB\"\nduration = \"5m\""
    );
    cluster.study(ALL, &keys, 1);
    let run = Started::new(command(place, &["run", "s.toml"]));
    let all = || NAMES.iter().flat_map(|name| cluster.generators(name)).collect::<Vec<u32>>();
    wait_for("the load generators", || all().len() == 3);
    let first = all();
    signal(copies_with(place, "b", " agent --stdio")[0], "KILL");
    wait_for("the end of all", || !all().iter().any(|pid| first.contains(pid)));
    let ended = run.end();
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let dataset = place.store().dataset().unwrap();
    let trial = |test: &str| dataset.trials.iter().find(|trial| trial.key.test == test).unwrap();
    assert_eq!((trial("lost").position, trial("next").position), (1, 2));
    let lost = failure(trial("lost"));
    assert_eq!(lost.kind, FailureKind::HostLost, "{lost}");
    assert!(lost.message.contains("the agent on b was cut off"), "{lost}");
    // Of the five minutes it had seen a part.
    let took = trial("lost").finished_at.0 - trial("lost").started_at.0;
    assert!(took < 300_000, "{took}");
    let next = trial("next").load().expect("the next one completed");
    assert_eq!(next.fleet.as_ref().unwrap().vms.len(), 3);
    assert_eq!(next.generators.len(), 3);
}

#[test]
fn virtual_machines_share_the_processors_of_their_own_machine() {
    let Some(cluster) = Cluster::start(2) else { return };
    let keys = "block = \"4KiB\"\nqueue_depth = 2\nvms = 3\nduration = \"2s\"\n\
                cpu_oversubscription = 4";
    cluster.study("hosts = [\"a\", \"b\"]", keys, 1);
    let checked = cluster.run(&["check", "s.toml"]);
    if checked.code != Some(0) {
        assert!(checked.err.contains("a: ") || checked.out.contains("a: "), "{}", checked.err);
        return not_tested("processors cannot be limited");
    }
    cluster.run(&["run", "s.toml"]).done();
    let dataset = cluster.place.store().dataset().unwrap();
    let load = dataset.trials[0].load().unwrap();
    let shared = load.fleet.as_ref().unwrap().processors.expect("the processors of both");
    // Two of a and one of b, four to one.
    assert!((shared.count - 0.75).abs() < 1e-9 && shared.busy > 0.0, "{shared:?}");
}
