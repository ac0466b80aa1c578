//! Sampling of real processes and real disks.

use host::local::sample::{HostReader, ProcessReader, Sampler, own_usage, rates};
use host::{MeasuredPhase, SamplerOptions};
use model::{Sample, ServerCounters};
use std::fs::File;
use std::io::Write;
use std::os::linux::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// A process that keeps one processor busy until it is dropped.
struct BusyLoop(Child);

impl BusyLoop {
    fn start() -> Self {
        let child = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }
}

impl Drop for BusyLoop {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn options(every: Duration) -> SamplerOptions {
    SamplerOptions {
        proxy_pid: None,
        every,
        origin: Instant::now(),
        replica_pids: Vec::new(),
        companions: Vec::new(),
        processors: None,
        measured: vec![MeasuredPhase::WHOLE],
        server_pid: None,
        counters: None,
        on_sample: None,
    }
}

/// Runs a sampler until it has shown `count` samples, and returns all it took.
fn samples(count: usize, options: SamplerOptions) -> Vec<Sample> {
    samples_until(options, |seen| seen.len() >= count)
}

/// Runs a sampler until it has shown enough, and returns all it took.
fn samples_until(
    mut options: SamplerOptions,
    is_enough: impl Fn(&[Sample]) -> bool,
) -> Vec<Sample> {
    let (shown, seen) = channel();
    options.on_sample = Some(Box::new(move |sample| {
        // The test may have seen enough.
        let _ = shown.send(sample.clone());
    }));
    let sampler = Sampler::start(options);
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut first = Vec::new();
    while !is_enough(&first) {
        assert!(Instant::now() < deadline, "{first:?}");
        first.push(seen.recv_timeout(Duration::from_secs(60)).unwrap());
    }
    let all = sampler.stop().samples;
    assert_eq!(all[..first.len()], first[..]);
    all
}

#[test]
fn a_busy_loop_uses_the_processor_time_that_the_kernel_gives_it() {
    let busy = BusyLoop::start();
    let process = ProcessReader::new(busy.0.id());
    // However busy the machine is, the loop gets a tick now and then: wait for 20 of them.
    let deadline = Instant::now() + Duration::from_secs(60);
    // The loop goes on while a reading has to wait for a processor.
    let read = || loop {
        let began = Instant::now();
        let reading = process.read().unwrap();
        if began.elapsed() < Duration::from_millis(5) {
            break reading;
        }
        assert!(began < deadline, "no reading is quick");
    };
    let earlier = read();
    let mut later = read();
    while later.cpu < earlier.cpu + Duration::from_millis(200) {
        assert!(Instant::now() < deadline, "a busy loop got no processor time: {later:?}");
        later = read();
    }
    let usage = later.usage_since(&earlier);
    assert!(usage.cpus > 0.0 && usage.cpus < 1.2, "{usage:?}");
    assert!(usage.rss_bytes > 0 && later.peak_rss_bytes >= usage.rss_bytes, "{later:?}");
}

#[test]
fn an_ended_process_has_no_reading() {
    let busy = BusyLoop::start();
    let process = ProcessReader::new(busy.0.id());
    assert!(process.read().is_some());
    drop(busy);
    assert_eq!(process.read(), None);
}

#[test]
fn own_usage_counts_own_work() {
    let earlier = own_usage();
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut later = own_usage();
    while later.cpu < earlier.cpu + Duration::from_millis(50) {
        assert!(Instant::now() < deadline, "own work does not show: {later:?}");
        later = own_usage();
    }
    assert!(later.usage_since(&earlier).cpus > 0.0);
    assert!(later.peak_rss_bytes >= later.rss_bytes && later.rss_bytes > 0);
}

#[test]
fn samples_are_in_order_and_their_lengths_add_up() {
    let busy = BusyLoop::start();
    let mut options = options(Duration::from_millis(100));
    options.origin = Instant::now() + Duration::from_millis(150);
    options.server_pid = Some(busy.0.id());
    let mut asked = 0;
    options.counters = Some(Box::new(move || {
        asked += 1;
        Some(ServerCounters::from([("Questions".to_owned(), asked)]))
    }));
    // On a busy machine neither the loop nor who counts has a processor in each tenth of a second.
    let has_worked = |sample: &Sample| sample.server.is_some_and(|server| server.cpus > 0.0);
    let samples = samples_until(options, |seen| {
        seen.len() >= 5
            && seen.iter().any(has_worked)
            && seen.iter().any(|sample| sample.counters.is_some())
    });
    assert!(samples.iter().any(|sample| sample.cpu.busy() > 0.0), "{samples:?}");
    assert!(samples[0].at_seconds < samples[4].at_seconds && samples[4].at_seconds > 0.0);
    for pair in samples.windows(2) {
        let step = pair[1].at_seconds - pair[0].at_seconds;
        assert!((step - pair[1].length.as_secs_f64()).abs() < 1e-6, "{pair:?}");
    }
    for sample in &samples {
        let cpu = sample.cpu;
        let total = cpu.user + cpu.system + cpu.iowait + cpu.steal + cpu.idle;
        // Of two readings within one tick of the kernel nothing is known.
        assert!(total == 0.0 || (total - 1.0).abs() < 1e-9, "{sample:?}");
        assert!(sample.client.rss_bytes > 0 && sample.server.is_some(), "{sample:?}");
    }
}

#[test]
fn a_server_that_hangs_costs_counters_and_nothing_else() {
    let (release, gate) = channel::<()>();
    let mut options = options(Duration::from_millis(50));
    // Hangs until the test has its samples.
    options.counters = Some(Box::new(move || gate.recv().ok().map(|()| ServerCounters::default())));
    let samples = samples(4, options);
    drop(release);
    assert!(samples.iter().all(|sample| sample.counters.is_none()));
}

#[test]
fn a_sampler_of_a_server_that_ended_goes_on_without_it() {
    let busy = BusyLoop::start();
    let mut options = options(Duration::from_millis(20));
    options.server_pid = Some(busy.0.id());
    drop(busy);
    assert!(samples(2, options).iter().all(|sample| sample.server.is_none()));
}

#[test]
fn a_synced_write_shows_on_its_disk() {
    const BYTES: usize = 8 << 20;
    // Cargo's directory for temporary files lies beside the build, on a disk where there is one.
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let device = directory.path().metadata().unwrap().st_dev();
    let (major, minor) = (libc::major(device), libc::minor(device));
    let Ok(link) = std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")) else {
        // Network, overlay and memory file systems have no block device to look at.
        return;
    };
    let disk = if link.join("partition").exists() { link.parent().unwrap() } else { &link };
    let name = disk.file_name().unwrap().to_str().unwrap().replace('!', "/");

    let mut host = HostReader::new();
    let earlier = host.read();
    let mut file = File::create(directory.path().join("data")).unwrap();
    // Random bytes, so that a file system that compresses has to write them too.
    let mut data = Vec::new();
    std::io::Read::read_to_end(
        &mut std::io::Read::take(File::open("/dev/urandom").unwrap(), BYTES as u64),
        &mut data,
    )
    .unwrap();
    file.write_all(&data).unwrap();
    file.sync_all().unwrap();
    let later = host.read();

    let seconds = (later.taken_at - earlier.taken_at).as_secs_f64();
    let (_, disks) = rates(&earlier, &later);
    let rates = disks.iter().find(|rates| rates.device == name).unwrap_or_else(|| {
        panic!("{name} is not among {disks:?}");
    });
    let written = rates.written_bytes * seconds;
    assert!(written >= 0.99 * BYTES as f64, "{written} bytes of {BYTES} show in {rates:?}");
    assert!(rates.writes > 0.0 && rates.write_await_ms.is_some(), "{rates:?}");
    assert!((0.0..=1.0).contains(&rates.utilisation), "{rates:?}");
}
