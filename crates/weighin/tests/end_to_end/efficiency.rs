//! What operations take, against the kernel's own accounts as another reader than weighin's reads them.

use crate::support::{Disk, Server, Workplace, not_tested, processes_with};
use model::{Metric, TrialRecord};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const STUDY: &str = "efficiency.toml";
/// By how much two readings of the same may differ: of processor time a tick at either end, too.
const AGREES: f64 = 0.02;
const TICK: f64 = 0.01;

/// What the kernel counted at a moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// Seconds since 1970.
    at: f64,
    cpu_seconds: f64,
    written_bytes: f64,
    resident_bytes: f64,
}

/// Of the process of a server with its data on that disk.
fn read(server: u32, device: &Path) -> Option<Reading> {
    let stat = std::fs::read_to_string(format!("/proc/{server}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let ticks: f64 = [11, 12].iter().map(|&at: &usize| fields[at].parse::<f64>().unwrap()).sum();
    let pages: f64 = fields[21].parse().unwrap();
    let name = device.file_name()?.to_str()?;
    let device = std::fs::read_to_string(format!("/sys/block/{name}/stat")).ok()?;
    let sectors: f64 = device.split_whitespace().nth(6)?.parse().ok()?;
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    Some(Reading {
        at,
        cpu_seconds: ticks / 100.0,
        written_bytes: sectors * 512.0,
        resident_bytes: pages * 4096.0,
    })
}

/// Reads until told to end. The server is the process that has the directory on its command line.
fn follow(directory: &Path, device: &Path, over: &AtomicBool) -> Vec<Reading> {
    let is_server = |line: &str| line.split(' ').next().is_some_and(|word| word.ends_with("d"));
    let mut readings = Vec::new();
    let mut server = None;
    while !over.load(Ordering::Relaxed) {
        if server.is_none() {
            let found = processes_with(&format!("{}/", directory.display()));
            server = found.into_iter().find(|(_, line)| is_server(line)).map(|(pid, _)| pid);
        }
        readings.extend(server.and_then(|pid| read(pid, device)));
        std::thread::sleep(Duration::from_millis(5));
    }
    readings
}

/// At that moment, between the readings around it.
fn at(readings: &[Reading], moment: f64, figure: fn(&Reading) -> f64) -> f64 {
    let later = readings.iter().position(|reading| reading.at >= moment).expect("read so long");
    let (before, after) = (&readings[later - 1], &readings[later]);
    let part = (moment - before.at) / (after.at - before.at);
    figure(before) + part * (figure(after) - figure(before))
}

fn only_trial(place: &Workplace) -> TrialRecord {
    let [trial] = place.store().dataset().unwrap().trials.try_into().expect("one trial");
    trial
}

/// The figure of a trial by the name that reports have.
fn used(trial: &TrialRecord, metric: Metric) -> f64 {
    let figure = trial.used(metric.resource().unwrap());
    figure.unwrap_or_else(|| panic!("{metric:?} is not known")).value
}

#[test]
fn processor_time_bytes_and_memory_are_those_that_the_kernel_counts() {
    let Some(disk) = Disk::of("ext4", 768) else { return };
    let place = Workplace::new();
    let study = format!(
        "[study]\nname = \"efficiency\"\nrepeats = 1\n\n[[target]]\nname = \"one\"\n\
         sandbox = {{ restart = false, directory = {:?}, settings = {{ innodb_flush_log_at_trx_commit = 1 }} }}\n\n\
         [[test]]\nworkload = \"oltp_write_only\"\ntable_size = 10_000\nclients = 8\n\
         warmup = \"1s\"\nduration = \"8s\"\n",
        disk.path()
    );
    place.write(STUDY, study);
    let over = AtomicBool::new(false);
    let readings = std::thread::scope(|scope| {
        let reading = scope.spawn(|| follow(disk.path(), &disk.device().0, &over));
        place.weighin(&["run", STUDY]).done();
        over.store(true, Ordering::Relaxed);
        reading.join().unwrap()
    });
    let trial = only_trial(&place);
    let load = trial.load().unwrap();
    let began = load.began_at.unwrap().0 as f64 / 1e3 + load.warmup.elapsed.as_secs_f64();
    let ended = began + load.measure.elapsed.as_secs_f64();
    let grown = |figure| at(&readings, ended, figure) - at(&readings, began, figure);
    let operations = load.measure.transactions as f64;

    let cpu = used(&trial, Metric::ServerCpu) * operations / 1e6;
    let counted = grown(|reading| reading.cpu_seconds);
    assert!((cpu - counted).abs() <= AGREES * counted + 2.0 * TICK, "{cpu} s, {counted} s");
    let written = used(&trial, Metric::DiskWrittenBytes) * operations;
    let counted = grown(|reading| reading.written_bytes);
    assert!((written - counted).abs() <= AGREES * counted, "{written} and {counted} bytes");
    let memory = used(&trial, Metric::ServerMemory);
    let counted = at(&readings, ended, |reading| reading.resident_bytes);
    assert!((memory - counted).abs() <= AGREES * counted, "{memory} and {counted} bytes");

    // A row of 10,000 changed ones is written as a part of a page, in a log and twice in the data.
    let amplification = used(&trial, Metric::WriteAmplification);
    assert!(amplification > 1.0, "{amplification}");
    let report = place.weighin(&["report", STUDY, "--format", "json"]).json();
    let known = &report["tests"][0]["cells"][0]["estimates"];
    for metric in [Metric::ServerMemory, Metric::SpacePerRow, Metric::WriteAmplification] {
        assert!(known[metric.name()]["point"].as_f64().is_some_and(|point| point > 0.0), "{known}");
    }
}

/// As large as its tables are in the file system.
fn size_of_tables(server: &Server) -> u64 {
    let [directory] = server.query("SELECT @@datadir").try_into().expect("one row");
    let files = std::fs::read_dir(PathBuf::from(directory).join("sbtest")).unwrap().flatten();
    let tables = files.filter(|file| file.path().extension().is_some_and(|end| end == "ibd"));
    tables.map(|table| table.metadata().unwrap().len()).sum()
}

#[test]
fn packets_and_growth_are_those_of_the_load_alone() {
    let server = Server::start();
    let place = Workplace::new();
    let study = format!(
        "[study]\nname = \"efficiency\"\nrepeats = 1\n\n[[target]]\nname = \"one\"\nurl = {:?}\n\
         password_file = {:?}\n\n[[test]]\nworkload = \"oltp_insert\"\ntable_size = 1_000\nclients = 4\n\
         warmup = \"500ms\"\nduration = \"6s\"\n",
        server.url(),
        server.password_file()
    );
    place.write(STUDY, study);
    place.weighin(&["run", STUDY]).done();
    let trial = only_trial(&place);
    let load = trial.load().unwrap();
    // A request and an answer each, and now and then a packet that only confirms.
    for metric in [Metric::PacketsReceived, Metric::PacketsSent] {
        let each = used(&trial, metric);
        assert!((0.99..2.1).contains(&each), "{metric:?}: {each}");
    }
    let data = trial.sampling.data.unwrap();
    assert_eq!((data.rows, data.bytes_after), (Some(1_000), size_of_tables(&server)));
    let inserted =
        (load.warmup.transactions + load.measure.transactions + load.drain.transactions) as f64;
    let growth = used(&trial, Metric::Growth);
    let expected = (data.bytes_after - data.bytes_before) as f64 / inserted * 1e6;
    assert!((growth - expected).abs() <= AGREES * expected, "{growth}, {expected}");
    if growth == 0.0 {
        not_tested(&format!("{inserted} rows are too few for a file to grow"));
    }
}
