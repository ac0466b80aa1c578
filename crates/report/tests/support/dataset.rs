use super::load::load;
use model::*;
use std::collections::BTreeMap;
use std::time::Duration;
use test_support::plan;

/// What kind of study.
pub struct Shape<'a> {
    /// Names of the targets; the first is the slowest.
    pub targets: &'a [&'a str],
    /// Levels 1, 2, 4, …
    pub levels: u32,
    /// Repeats.
    pub repeats: u32,
    /// Whether some trials fail and the last one is missing.
    pub troubles: bool,
}

/// Seconds of warm-up, and of all of a trial.
pub(super) const WARMUP: u32 = test_support::WARMUP.as_secs() as u32;
pub(super) const SECONDS: u32 = WARMUP + test_support::MEASURE.as_secs() as u32;

/// A run of a study of that shape.
pub fn dataset(shape: &Shape) -> Dataset {
    let study = study(shape);
    let plan = plan(&study, 5);
    let mut dataset = test_support::dataset(study, plan, |trial| record(shape, trial));
    if shape.troubles {
        dataset.trials.pop();
    }
    dataset.run = run();
    for (i, target) in dataset.targets.iter_mut().enumerate() {
        target.server = ServerFacts {
            version: "10.11.6-MariaDB-0+deb12u1".into(),
            variables: variables(i),
            dataset_bytes: Some(243_269_632),
            cache_bytes: Some(134_217_728),
            prepare_seconds: Some(4.2),
            ..ServerFacts::default()
        };
    }
    dataset
}

fn study(shape: &Shape) -> Study {
    let clients: Vec<u32> = (0..shape.levels).map(|i| 1 << i).collect();
    let mut study = Study {
        name: "commit-durability".into(),
        question: Some("What does durable commit cost on this disk?".into()),
        seed: 7,
        source: "[study]\nname = \"commit-durability\"\n# </pre><script>alert(2)</script>\n".into(),
        ..test_support::study(shape.targets, &clients, shape.repeats)
    };
    for (i, target) in study.targets.iter_mut().enumerate() {
        target.place = Place::Sandbox(SandboxSpec {
            settings: BTreeMap::from([(COMMIT.into(), commit(i).into())]),
            restart: true,
            ..SandboxSpec::default()
        });
        target.price = (i == 0).then(|| Price::monthly(23.0, "EUR"));
        target.labels = BTreeMap::from([("tenancy".into(), "shared".into())]);
    }
    let load = study.tests[0].load_mut().expect("a load");
    load.workload =
        Workload::Oltp(Oltp { tables: 4, table_size: 250_000, ..Oltp::preset(OltpMix::ReadWrite) });
    study
}

/// Transactions per second: a curve with a knee, some noise, and a decline at the end for the
/// first target.
fn throughput(shape: &Shape, key: &TrialKey) -> f64 {
    let target = shape.targets.iter().position(|name| *name == key.target).unwrap();
    let clients = f64::from(key.level.clients);
    let single = if key.target == super::CLIMBER {
        // As much as the first target at 8 clients, less below, more above.
        60.0 * (clients / 8.0).powf(0.4)
    } else {
        60.0 + 55.0 * target as f64
    };
    let contention = 1.0 + 0.05 * (clients - 1.0) + 0.0012 * clients * (clients - 1.0);
    single * clients / contention
        * (1.0
            + 0.05
                * noise(
                    target as u64 * 1_009
                        + u64::from(key.repeat) * 31
                        + u64::from(key.level.clients),
                ))
}

/// Between −1 and 1, the same for the same seed.
pub(super) fn noise(seed: u64) -> f64 {
    let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xBF58_476D);
    (mixed % 2_001) as f64 / 1_000.0 - 1.0
}

fn record(shape: &Shape, trial: &Trial) -> TrialRecord {
    let key = &trial.key;
    let tps = throughput(shape, key);
    let mut load = load(key.level.clients, tps, trial.seed);
    if trial.position == 4 {
        load.client.busiest_worker = 0.93;
    }
    let mut record = test_support::record(trial, load);
    record.sampling.samples = samples(tps, trial.position);
    record.sampling.volume = vec!["vda".into()];
    let start = 1_795_293_000_000 + u64::from(trial.position) * 15_000;
    (record.started_at, record.finished_at) = (UnixMillis(start), UnixMillis(start + 14_000));
    let highest = key.level.clients == 1 << (shape.levels - 1);
    if shape.troubles && key.target == shape.targets[0] && highest {
        record.sampling = Sampling::default();
        record.end = TrialEnd::Failed(Failure::new(
            FailureKind::TooFewConnections,
            format!("the server allows 20 connections, and {} are needed", key.level),
            "set max_connections to 40 or more for this target",
        ));
    }
    record
}

fn samples(tps: f64, position: u32) -> Vec<Sample> {
    let sample = |second: u32| {
        let swing = noise(u64::from(position * 100 + second));
        let busy = (0.3 + tps / 4_000.0 + 0.05 * swing).clamp(0.0, 0.9);
        Sample {
            at_seconds: f64::from(second) + 1.0,
            length: Duration::from_secs(1),
            cpu: CpuShares {
                user: busy * 0.8,
                system: busy * 0.2,
                iowait: 0.08 + 0.02 * swing,
                steal: 0.0,
                idle: 0.9 - busy,
            },
            disks: vec![
                DiskRates {
                    device: "vda".into(),
                    writes: tps * (1.1 + 0.2 * swing),
                    writes_merged: tps * 0.4,
                    written_bytes: tps * 9_000.0,
                    write_await_ms: Some(1.5 + 0.5 * swing),
                    flushes: tps * 0.3,
                    flush_await_ms: Some(0.8),
                    queue: tps / 700.0,
                    utilisation: (0.2 + tps / 2_000.0).min(1.0),
                    ..DiskRates::default()
                },
                DiskRates { device: "vdb".into(), writes: 0.5, ..DiskRates::default() },
            ],
            counters: Some(ServerCounters::from([(
                "dirty_bytes".into(),
                i64::from(second) * 150 * (16 << 10),
            )])),
            ..Sample::default()
        }
    };
    (0..SECONDS).map(sample).collect()
}

/// The setting in which targets differ.
const COMMIT: &str = "innodb_flush_log_at_trx_commit";

fn commit(target: usize) -> &'static str {
    if target == 0 { "1" } else { "2" }
}

fn variables(target: usize) -> BTreeMap<String, String> {
    let mut variables: BTreeMap<String, String> =
        (0..40).map(|i| (format!("innodb_made_up_setting_{i:02}"), (i * 64).to_string())).collect();
    variables.insert(COMMIT.into(), commit(target).into());
    variables.insert("innodb_buffer_pool_size".into(), "134217728".into());
    variables
}

fn run() -> RunInfo {
    RunInfo {
        started_at: UnixMillis(1_795_293_000_000),
        host: HostFacts {
            hostname: "bench-1".into(),
            kernel: "Linux 6.1.0-18-amd64".into(),
            os: "Debian GNU/Linux 12 (bookworm)".into(),
            cpu_model: "Intel(R) Xeon(R) Processor @ 2.60GHz".into(),
            cpus: 2,
            memory_bytes: 8_342_994_944,
            virtualisation: Some("kvm".into()),
            disks: vec!["vda, 80 GiB, does not rotate".into()],
            sandbox_filesystem: Some("ext4 on /dev/vda1".into()),
            clock_source: Some("kvm-clock".into()),
            ..HostFacts::default()
        },
        ..test_support::run()
    }
}
