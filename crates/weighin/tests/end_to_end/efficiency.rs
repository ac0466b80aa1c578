//! What operations take, against the kernel's own accounts as another reader than weighin's reads them.

use crate::support::{
    Disk, LoopDevice, Server, Workplace, file_of, not_tested, processes_with, shared_directory,
};
use model::{LoadResult, Metric, Sample, TrialRecord};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const STUDY: &str = "efficiency.toml";
/// By how much two readings of the same may differ: of processor time a tick at either end, too.
const AGREES: f64 = 0.02;
const TICK: f64 = 0.01;
/// How long a reading may take that is of one moment.
const AT_ONCE: Duration = Duration::from_millis(5);

/// What the kernel counted at a moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// Seconds since 1970.
    at: f64,
    cpu_seconds: f64,
    system_cpu_seconds: f64,
    /// Of the whole machine.
    context_switches: f64,
    written_bytes: f64,
    resident_bytes: f64,
}

/// Of the process of a server with its data on that disk; `None` also where reading took so long that nobody
/// knows of what moment it tells.
fn read(server: u32, device: &Path) -> Option<Reading> {
    let began = Instant::now();
    let stat = std::fs::read_to_string(format!("/proc/{server}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let [user, system] = [11, 12].map(|at: usize| fields[at].parse::<f64>().unwrap());
    let pages: f64 = fields[21].parse().unwrap();
    let name = device.file_name()?.to_str()?;
    let device = std::fs::read_to_string(format!("/sys/block/{name}/stat")).ok()?;
    let sectors: f64 = device.split_whitespace().nth(6)?.parse().ok()?;
    let machine = std::fs::read_to_string("/proc/stat").ok()?;
    let switches = machine.lines().find_map(|line| line.strip_prefix("ctxt "))?;
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    (began.elapsed() < AT_ONCE).then_some(Reading {
        at,
        cpu_seconds: (user + system) / 100.0,
        system_cpu_seconds: system / 100.0,
        context_switches: switches.parse().ok()?,
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

/// By how much it is unknown what weighin and this test read at the edge of a phase: what was counted from the
/// reading before to the one after it, of either. Next to nothing where both have time to read.
fn unknown_at(
    readings: &[Reading],
    samples: &[Sample],
    (origin, edge): (f64, f64),
    figure: fn(&Reading) -> f64,
) -> f64 {
    let begin = |sample: &Sample| sample.at_seconds - sample.length.as_secs_f64();
    let slack = |sample: &Sample| NEGLIGIBLE * sample.length.as_secs_f64();
    let reaches_over = |sample: &&Sample| {
        begin(sample) + slack(sample) < edge && edge + slack(sample) < sample.at_seconds
    };
    let over = samples.iter().find(reaches_over);
    let (from, until) = over.map_or((edge, edge), |sample| (begin(sample), sample.at_seconds));
    let before = readings.iter().rev().find(|reading| reading.at <= origin + from);
    let after = readings.iter().find(|reading| reading.at >= origin + until);
    figure(after.expect("read so long")) - figure(before.expect("read so early"))
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
    let Some(disk) = Disk::with_size("ext4", 768) else { return };
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
    let origin = load.began_at.unwrap().0 as f64 / 1e3;
    let began = load.warmup.elapsed.as_secs_f64();
    let ended = began + load.measure.elapsed.as_secs_f64();
    let samples = trial.sampling.target_samples();
    let at = |edge: f64, figure| at(&readings, origin + edge, figure);
    let unknown = |edge: f64, figure| unknown_at(&readings, &samples, (origin, edge), figure).abs();
    let operations = load.measure.transactions as f64;

    type Figure = fn(&Reading) -> f64;
    let figures: [(Metric, f64, f64, Figure); 4] = [
        (Metric::ServerCpu, 1e6, 2.0 * TICK, |reading| reading.cpu_seconds),
        (Metric::ServerSystemCpu, 1e6, 2.0 * TICK, |reading| reading.system_cpu_seconds),
        (Metric::ContextSwitches, 1.0, 0.0, |reading| reading.context_switches),
        (Metric::DiskWrittenBytes, 1.0, 0.0, |reading| reading.written_bytes),
    ];
    for (metric, scale, step, figure) in figures {
        let seen = used(&trial, metric) * operations / scale;
        let counted = at(ended, figure) - at(began, figure);
        let off = AGREES * counted + step + unknown(began, figure) + unknown(ended, figure);
        assert!((seen - counted).abs() <= off, "{metric:?}: {seen} and {counted}, ± {off}");
    }
    let resident = |reading: &Reading| reading.resident_bytes;
    let (memory, counted) = (used(&trial, Metric::ServerMemory), at(ended, resident));
    let off = AGREES * counted + unknown(ended, resident);
    assert!((memory - counted).abs() <= off, "{memory} and {counted} bytes, ± {off}");

    // A row of 10,000 changed ones is written as a part of a page, in a log and twice in the data.
    let amplification = used(&trial, Metric::WriteAmplification);
    assert!(amplification > 1.0, "{amplification}");
    let report = place.weighin(&["report", STUDY, "--format", "json"]).json();
    let known = &report["tests"][0]["cells"][0]["estimates"];
    for metric in [Metric::ServerMemory, Metric::SpacePerRow, Metric::WriteAmplification] {
        assert!(known[metric.name()]["point"].as_f64().is_some_and(|point| point > 0.0), "{known}");
    }
}

/// What a device counted at some moment between two, in seconds since 1970.
#[derive(Clone, Copy, Debug)]
struct DeviceReading {
    from: f64,
    until: f64,
    /// Reads, bytes read, writes, and bytes written.
    counted: [f64; 4],
}

/// Reads the counters of a device once.
fn read_device(name: &str) -> DeviceReading {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    let from = now();
    let text = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    let until = now();
    let columns: Vec<f64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    // The kernel counts sectors of 512 bytes, whatever the device has.
    let counted = [columns[0], columns[2] * 512.0, columns[4], columns[6] * 512.0];
    DeviceReading { from, until, counted }
}

/// Reads them until told to end, and once afterwards.
fn follow_device(name: &str, over: &AtomicBool) -> Vec<DeviceReading> {
    let mut readings = Vec::new();
    loop {
        let is_over = over.load(Ordering::Acquire);
        readings.push(read_device(name));
        if is_over {
            return readings;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// By how much the moments of a trial may miss those of this test: the start of a load is kept in
/// milliseconds, and is rounded twice.
const CLOCKS: f64 = 0.002;
/// The share of a sample by which it may reach over an edge of the measured phase and be taken to end there.
const NEGLIGIBLE: f64 = 0.01;
/// What is left of a whole number that was divided by a time and multiplied with it again.
const ROUNDING: f64 = 1e-3;

/// The readings that weighin took of a device for its samples, the one before the first sample among them, and
/// between what another reader saw them.
struct Samples<'a> {
    samples: &'a [Sample],
    /// Of each reading how much the counters have grown since the first.
    grown: Vec<[f64; 4]>,
    /// What the other reader saw before weighin began to read, and after weighin had done so: at the latest
    /// when it began with the next one.
    seen: Vec<([f64; 4], [f64; 4])>,
}

impl<'a> Samples<'a> {
    fn new(load: &LoadResult, samples: &'a [Sample], name: &str, seen: &[DeviceReading]) -> Self {
        let origin = load.began_at.unwrap().0 as f64 / 1e3;
        let began = |sample: &Sample| sample.at_seconds - sample.length.as_secs_f64();
        let moments: Vec<f64> = std::iter::once(began(&samples[0]))
            .chain(samples.iter().map(|sample| sample.at_seconds))
            .map(|at| origin + at)
            .collect();
        let last = seen.last().unwrap();
        let around = |number: usize| {
            let from = moments[number] - CLOCKS;
            let low = seen.iter().rev().find(|one| one.until <= from).expect("read before it");
            let next = moments.get(number + 1);
            let high = next.and_then(|at| seen.iter().find(|one| one.from >= at + CLOCKS));
            (low.counted, high.unwrap_or(last).counted)
        };
        let seen = (0..moments.len()).map(around).collect();
        let mut grown = vec![[0.0; 4]];
        for sample in samples {
            let disk = sample.disks.iter().find(|disk| disk.device == name).expect("sampled");
            let rates = [disk.reads, disk.read_bytes, disk.writes, disk.written_bytes];
            let before = grown[grown.len() - 1];
            let more = rates.map(|rate| rate * sample.length.as_secs_f64());
            grown.push(std::array::from_fn(|column| before[column] + more[column]));
        }
        Self { samples, grown, seen }
    }

    /// Numbers of the readings at the edges of a time in seconds of the load, just outside of it and just
    /// inside: the same where readings were taken at its edges, as on a machine with time for them. `None`
    /// where none followed its end.
    fn edges(&self, from: f64, until: f64) -> Option<([usize; 2], [usize; 2])> {
        let slack = |one: &Sample| NEGLIGIBLE * one.length.as_secs_f64();
        let begin = |one: &Sample| one.at_seconds - one.length.as_secs_f64();
        let touches =
            |one: &Sample| one.at_seconds > from + slack(one) && begin(one) < until - slack(one);
        let is_within =
            |one: &Sample| begin(one) >= from - slack(one) && one.at_seconds <= until + slack(one);
        let range = |is_of: &dyn Fn(&Sample) -> bool| {
            let first = self.samples.iter().position(is_of)?;
            Some([first, self.samples.iter().rposition(is_of)? + 1])
        };
        let outer = range(&touches)?;
        let last = &self.samples[outer[1] - 1];
        (last.at_seconds >= until - slack(last))
            .then(|| (outer, range(&is_within).unwrap_or([outer[0]; 2])))
    }
}

#[test]
fn ios_and_bytes_are_those_that_the_device_counts_to_the_last() {
    let (place, directory) = (Workplace::new(), shared_directory());
    let image = file_of(directory.path(), "image", 32);
    let Some(device) = LoopDevice::over(&image) else { return };
    let name = device.0.file_name().unwrap().to_str().unwrap();
    let study = format!(
        "[study]\nname = \"efficiency\"\nrepeats = 1\n\n\
         [[target]]\nname = \"one\"\nkind = \"storage\"\nvolumes = [{:?}]\n\n\
         [[test]]\nworkload = \"storage\"\nblock = \"4KiB\"\nreads = 40\nqueue_depth = 2\n\
         data = \"8MiB\"\nwarmup = \"1s\"\nduration = \"5s\"\n",
        device.0
    );
    place.write(STUDY, study);
    let over = AtomicBool::new(false);
    let readings = std::thread::scope(|scope| {
        let reading = scope.spawn(|| follow_device(name, &over));
        place.weighin(&["run", STUDY]).done();
        over.store(true, Ordering::Release);
        reading.join().unwrap()
    });
    let trial = only_trial(&place);
    let load = trial.load().unwrap();
    let samples = trial.sampling.target_samples();
    let taken = Samples::new(load, &samples, name, &readings);

    // There is a count at the first reading by which all readings lie between what the other reader saw.
    for column in 0..4 {
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        for (grown, (low, high)) in taken.grown.iter().zip(&taken.seen) {
            let off = grown[column] - grown[column].round();
            assert!(off.abs() < ROUNDING, "column {column} grew by a part of one: {grown:?}");
            least = least.max(low[column] - grown[column]);
            most = most.min(high[column] - grown[column]);
        }
        assert!(least <= most + ROUNDING, "column {column}: {:?}, {:?}", taken.grown, taken.seen);
    }

    // What transactions took, times their number, is what the counters grew by between the readings at
    // the edges of the measured phase.
    let began = load.warmup.elapsed.as_secs_f64();
    let ended = began + load.measure.elapsed.as_secs_f64();
    let Some((outer, inner)) = taken.edges(began, ended) else {
        return not_tested("the last sample came long before the end of the measured phase");
    };
    let metrics =
        [Metric::DiskReads, Metric::DiskReadBytes, Metric::DiskWrites, Metric::DiskWrittenBytes];
    for (column, metric) in metrics.into_iter().enumerate() {
        let figure = used(&trial, metric) * load.measure.transactions as f64;
        let grown =
            |[from, until]: [usize; 2]| taken.grown[until][column] - taken.grown[from][column];
        let (least, most) = (grown(inner), grown(outer));
        let is_between = (least - ROUNDING..=most + ROUNDING).contains(&figure);
        assert!(is_between, "{metric:?}: {least} {figure} {most}");
        let least = taken.seen[inner[1]].0[column] - taken.seen[inner[0]].1[column];
        let most = taken.seen[outer[1]].1[column] - taken.seen[outer[0]].0[column];
        let is_between = (least - ROUNDING..=most + ROUNDING).contains(&figure);
        assert!(is_between && figure > 0.0, "{metric:?}, as seen: {least} {figure} {most}");
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
