//! Runs that are killed at random moments, with everything that weighin builds on the machine: each
//! goes on without loss, and nothing is left behind.
//!
//! Killed are weighin alone, weighin with one of its helpers, and all processes of its session.
//! `make test` kills a few times; `make endurance` some hundred times. The seed is printed, and
//! `WEIGHIN_SEED` repeats it.

mod blow;

use crate::oversubscription::may_hold_processors;
use crate::support::{
    Started, Workplace, command_lines_with, groups_of, processes_with, shared_directory, wait_for,
};
use crate::volumes::{files_of_loop_devices, volumes_can_be_built};
use blow::Blow;
use host::local::os::ProcessIdentity;
use model::TrialRecord;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::Path;
use std::time::{Duration, Instant};
use store::Store;

/// Kills of each study in every run of the tests.
const FEW: u32 = 1;
/// Kills of a study of groups, which have more moments to be killed at.
const FEW_OF_GROUPS: u32 = 3;
/// Longest time before each of these.
const SOON: Duration = Duration::from_secs(8);
/// Kills of a study of failovers in the long run.
const MANY_OF_FAILOVERS: u32 = 20;
/// Kills of all studies together in the long run.
const MANY: u32 = 100;
/// Kills of weighin with a helper in the long run.
const MANY_WITH_HELPERS: u32 = 50;
/// Kills of whole sessions in the long run.
const MANY_SESSIONS: u32 = 20;
/// Where the results go, so that a killed run need not be found.
const RESULTS: &str = "kept.weighin";

/// A study to kill, and what it leaves while it runs.
struct Victim {
    name: &'static str,
    study: String,
    place: Workplace,
    /// How many it has.
    trials: usize,
    /// Directories that the study's own volumes are in.
    _volumes: Vec<tempfile::TempDir>,
    /// What the last run that was killed had recorded.
    recorded: Vec<TrialRecord>,
    kills: u32,
    completed_runs: u32,
}

impl Victim {
    fn new(name: &'static str, study: String, volumes: Vec<tempfile::TempDir>) -> Self {
        let place = Workplace::new();
        place.write("study.toml", &study);
        let (recorded, kills, completed_runs) = (Vec::new(), 0, 0);
        let trials = 8;
        Self { name, study, place, trials, _volumes: volumes, recorded, kills, completed_runs }
    }

    /// Two private SQL servers, one of them on a volume that weighin builds, loaded by two
    /// processes.
    fn sql() -> Self {
        let volume = match volumes_can_be_built() {
            true => ", volume = { size = \"256MiB\", write_iops = 5000 }",
            false => "",
        };
        let study = format!(
            "[study]\nname = \"sql\"\nrepeats = 2\n\
             [[target]]\nname = \"plain\"\nsandbox = {{}}\n\
             [[target]]\nname = \"built\"\n\
             sandbox = {{ settings = {{ innodb_flush_log_at_trx_commit = 2 }}{volume} }}\n\
             [[test]]\nworkload = \"oltp_read_write\"\ntable_size = 1_000\nclients = [2, 4]\n\
             load_generators = 2\nwarmup = \"100ms\"\nduration = \"400ms\"\n"
        );
        Self::new("sql", study, Vec::new())
    }

    /// Two private groups, of a primary and a replica each.
    fn groups() -> Self {
        let study = "[study]\nname = \"groups\"\nrepeats = 2\n\
             [[target]]\nname = \"pair\"\nsandbox = { replicas = 1 }\n\
             [[target]]\nname = \"semi_sync\"\nsandbox = { replicas = 1, semi_sync = true }\n\
             [[test]]\nworkload = \"oltp_write_only\"\ntable_size = 1_000\nclients = [2, 4]\n\
             warmup = \"100ms\"\nduration = \"400ms\"\n";
        Self::new("groups", study.to_owned(), Vec::new())
    }

    /// A private pair that loses its primary: to the network, where one can be made that is cut.
    fn failovers() -> Self {
        let loss = match host::this_machine().check_networks() {
            Ok(()) => "network",
            Err(_) => "kill",
        };
        let study = format!(
            "[study]\nname = \"failovers\"\nrepeats = 1\n\
             [[target]]\nname = \"pair\"\nsandbox = {{ replicas = 1, semi_sync = true }}\n\
             [[test]]\ntask = \"failover\"\nloss = \"{loss}\"\nat = \"1s\"\ntimeout = \"2s\"\n"
        );
        Self { trials: 1, ..Self::new("failovers", study, Vec::new()) }
    }

    /// Two private Redis servers on volumes that weighin builds.
    fn redis() -> Self {
        let volume = match volumes_can_be_built() {
            true => "volume = { devices = 2, size = \"128MiB\", file_system = \"btrfs\" }\n",
            false => "",
        };
        let target = |name: &str, fsync: &str| {
            format!(
                "[[target]]\nname = \"{name}\"\nkind = \"redis\"\n[target.sandbox]\n\
                 settings = {{ appendonly = true, appendfsync = \"{fsync}\", save = \"\" }}\n{volume}"
            )
        };
        let study = format!(
            "[study]\nname = \"redis\"\nrepeats = 2\n{}{}[[test]]\nworkload = \"key_value\"\n\
             keys = 1000\nclients = [2, 4]\nwarmup = \"100ms\"\nduration = \"400ms\"\n",
            target("always", "always"),
            target("everysec", "everysec"),
        );
        Self::new("redis", study, Vec::new())
    }

    /// Two volumes without a server, whose virtual machines share processors.
    fn storage() -> Self {
        let volumes = vec![shared_directory(), shared_directory()];
        let shared = match may_hold_processors() {
            true => "cpu_oversubscription = 4\n",
            false => "",
        };
        let mut study = "[study]\nname = \"storage\"\nrepeats = 2\n".to_owned();
        for (number, volume) in volumes.iter().enumerate() {
            study += &format!(
                "[[target]]\nname = \"disk{number}\"\nkind = \"storage\"\nvolumes = [{:?}]\n",
                volume.path()
            );
        }
        study += &format!(
            "[[test]]\nworkload = \"storage\"\nblock = \"4KiB\"\nqueue_depth = [1, 4]\nreads = 70\n\
             vms = 4\ndata = \"4MiB\"\n{shared}warmup = \"100ms\"\nduration = \"400ms\"\n"
        );
        Self::new("storage", study, volumes)
    }

    /// One of each kind.
    fn all() -> Vec<Self> {
        vec![Self::sql(), Self::groups(), Self::redis(), Self::storage(), Self::failovers()]
    }

    /// Longest time before a kill. For many kills it is that of a whole run on this machine, so that
    /// they come at any of its moments.
    fn length(&mut self, kills: u32) -> Duration {
        if kills < MANY_OF_FAILOVERS {
            return SOON;
        }
        let began = Instant::now();
        self.complete();
        std::fs::remove_file(self.place.path(RESULTS)).unwrap();
        self.recorded.clear();
        began.elapsed()
    }

    /// Starts the study, or goes on with it, and kills it after so long. When it has ended before
    /// that, all of it is there, and the next begins anew.
    #[allow(clippy::print_stdout, reason = "says what was killed when nothing else is known")]
    fn kill_after(&mut self, delay: Duration, blow: Blow, random: u32) {
        let results = self.place.path(RESULTS);
        let resumed = results.exists();
        let arguments = ["run", "study.toml", "--store", RESULTS, "--resume"];
        let mut run = blow.start(&self.place, &arguments[..if resumed { 5 } else { 4 }]);
        let deadline = Instant::now() + delay;
        let waits =
            |run: &Started| Instant::now() < deadline || !blow.can_strike(&self.place, run.pid());
        while run.is_running() && waits(&run) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if run.is_running() {
            let (pid, links) = (run.pid(), links_of(run.pid()));
            let (struck, processes) = blow.strike(&self.place, run, random);
            self.kills += 1;
            let began = Instant::now();
            self.assert_nothing_left();
            wait_for("the network to go", || {
                links.iter().all(|link| !Path::new("/sys/class/net").join(link).exists())
            });
            wait_for("the control groups to go", || groups_of(pid).is_empty());
            wait_for("all processes to end", || !processes.iter().any(ProcessIdentity::exists));
            println!(
                "{}: killed {struck} after {:.1} s; nothing left after {:.1} s",
                self.name,
                delay.as_secs_f64(),
                began.elapsed().as_secs_f64()
            );
            self.look(&results);
            return;
        }
        let ran = run.end();
        assert_eq!(ran.code, Some(0), "{}: {}", self.name, ran.err);
        self.assert_complete();
        std::fs::remove_file(&results).unwrap();
        self.recorded.clear();
        self.completed_runs += 1;
    }

    /// Every trial that was recorded before is still there, as it was.
    fn look(&mut self, results: &Path) {
        if !results.exists() {
            assert!(self.recorded.is_empty(), "{}: the results are gone", self.name);
            return;
        }
        let now = Store::open(results).unwrap().dataset().unwrap().trials;
        assert!(now.starts_with(&self.recorded), "{}: completed trials were changed", self.name);
        self.recorded = now;
    }

    /// Goes on to the end.
    fn complete(&mut self) {
        let resumed = self.place.path(RESULTS).exists();
        let arguments = ["run", "study.toml", "--store", RESULTS, "--resume"];
        self.place.weighin(&arguments[..if resumed { 5 } else { 4 }]).done();
        self.assert_complete();
    }

    fn assert_complete(&mut self) {
        let before = self.recorded.clone();
        self.look(&self.place.path(RESULTS));
        assert_eq!(self.recorded.len(), self.trials, "{}\n{}", self.name, self.study);
        assert!(self.recorded.starts_with(&before));
        assert!(self.recorded.iter().all(|trial| trial.outcome().is_some()), "{}", self.name);
        self.assert_nothing_left();
    }

    /// No server, no generator, no loop device, no mount.
    fn assert_nothing_left(&self) {
        self.place.assert_no_server_left();
        let sandboxes = self.place.sandboxes().to_str().unwrap();
        let devices = || files_of_loop_devices().contains(sandboxes);
        wait_for("the loop devices to go", || !devices());
        let mounts = || std::fs::read_to_string("/proc/mounts").unwrap().contains(sandboxes);
        wait_for("the mounts to go", || !mounts());
        assert!(command_lines_with(sandboxes).is_empty());
    }
}

/// The links to networks of servers of a weighin with that number.
fn links_of(weighin: u32) -> Vec<String> {
    let keepers = processes_with(&format!("weighin-network {weighin} "));
    let link = |line: &str| {
        line.split(' ')
            .find(|word| {
                word.starts_with("weighin-") && word.ends_with(|c: char| c.is_ascii_digit())
            })
            .map(str::to_owned)
    };
    keepers.iter().filter_map(|(_, line)| link(line)).collect()
}

/// Kills the studies in turns, so often together, and lets each end then.
#[allow(clippy::print_stdout, reason = "a failure is repeated by its seed")]
fn kill(mut victims: Vec<Victim>, times: u32, blow: Blow) {
    let seed = match std::env::var("WEIGHIN_SEED") {
        Ok(seed) => seed.parse().expect("WEIGHIN_SEED is a number"),
        Err(_) => u64::from(std::process::id()),
    };
    println!("WEIGHIN_SEED={seed}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let whole: Vec<Duration> = victims.iter_mut().map(|victim| victim.length(times)).collect();
    let mut done = 0;
    while done < times {
        for (victim, whole) in victims.iter_mut().zip(&whole).take((times - done) as usize) {
            let before = victim.kills;
            while victim.kills == before {
                // A number of 32 bits, as a share of one.
                let share = f64::from(random.next_u32()) / f64::from(u32::MAX);
                victim.kill_after(whole.mul_f64(share), blow, random.next_u32());
            }
            done += 1;
        }
    }
    for victim in &mut victims {
        victim.complete();
        println!(
            "{}: killed {} times; ended before the kill {} times",
            victim.name, victim.kills, victim.completed_runs
        );
    }
}

#[test]
fn a_study_of_sql_servers_is_killed_at_random_moments() {
    kill(vec![Victim::sql()], FEW, Blow::Weighin);
}

#[test]
fn a_study_of_groups_is_killed_at_random_moments() {
    kill(vec![Victim::groups()], FEW_OF_GROUPS, Blow::Weighin);
}

#[test]
fn a_study_of_redis_servers_is_killed_at_random_moments() {
    kill(vec![Victim::redis()], FEW, Blow::Weighin);
}

#[test]
fn a_study_of_volumes_is_killed_at_random_moments() {
    kill(vec![Victim::storage()], FEW, Blow::Weighin);
}

#[test]
fn a_study_of_failovers_is_killed_at_a_random_moment() {
    kill(vec![Victim::failovers()], FEW, Blow::Weighin);
}

#[test]
#[ignore = "takes minutes: make endurance"]
fn a_study_of_failovers_is_killed_twenty_times() {
    kill(vec![Victim::failovers()], MANY_OF_FAILOVERS, Blow::Weighin);
}

#[test]
#[ignore = "takes ten minutes: make endurance"]
fn studies_are_killed_a_hundred_times() {
    kill(
        vec![Victim::sql(), Victim::groups(), Victim::redis(), Victim::storage()],
        MANY,
        Blow::Weighin,
    );
}

#[test]
fn a_study_is_killed_with_a_helper() {
    kill(vec![Victim::sql(), Victim::storage()], 2, Blow::WithHelper);
}

#[test]
fn the_session_of_a_study_is_killed() {
    kill(vec![Victim::redis()], FEW, Blow::Session);
}

#[test]
#[ignore = "takes ten minutes: make endurance"]
fn studies_are_killed_with_helpers_fifty_times() {
    kill(Victim::all(), MANY_WITH_HELPERS, Blow::WithHelper);
}

#[test]
#[ignore = "takes five minutes: make endurance"]
fn sessions_of_studies_are_killed_twenty_times() {
    kill(Victim::all(), MANY_SESSIONS, Blow::Session);
}
