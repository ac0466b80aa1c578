use super::load::load;
use model::*;
use std::collections::BTreeMap;
use std::time::Duration;

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

/// Seconds of warm-up and of measurement.
pub(super) const WARMUP: u32 = 2;
pub(super) const MEASURE: u32 = 10;

/// A run of a study of that shape.
pub fn dataset(shape: &Shape) -> Dataset {
    let study = study(shape);
    let plan = plan(&study);
    let mut trials: Vec<TrialRecord> = plan.trials().map(|t| record(shape, t)).collect();
    if shape.troubles {
        trials.pop();
    }
    let targets = study.targets.iter().enumerate().map(|(i, target)| TargetFacts {
        target: target.name.clone(),
        server: ServerFacts {
            version: "10.11.6-MariaDB-0+deb12u1".into(),
            variables: variables(i),
            dataset_bytes: Some(243_269_632),
            cache_bytes: Some(134_217_728),
            prepare_seconds: Some(4.2),
            ..ServerFacts::default()
        },
    });
    Dataset { run: run(), targets: targets.collect(), study, plan, trials }
}

fn study(shape: &Shape) -> Study {
    let target = |(i, name): (usize, &&str)| Target {
        name: (*name).into(),
        system: System::MariaDb,
        place: Place::Sandbox(SandboxSpec {
            settings: BTreeMap::from([(COMMIT.into(), commit(i).into())]),
            restart: true,
            ..SandboxSpec::default()
        }),
        price: (i == 0).then(|| Price::monthly(23.0, "EUR")),
        labels: BTreeMap::from([("tenancy".into(), "shared".into())]),
    };
    Study {
        name: "commit-durability".into(),
        question: Some("What does durable commit cost on this disk?".into()),
        repeats: shape.repeats,
        seed: 7,
        confidence: 0.95,
        margin: 0.03,
        sample_every: Study::SAMPLE_EVERY,
        targets: shape.targets.iter().enumerate().map(target).collect(),
        aa_control: None,
        tests: vec![Test::new(
            "oltp",
            Task::Load(Load::new(
                Workload::Oltp(Oltp {
                    tables: 4,
                    table_size: 250_000,
                    ..Oltp::preset(OltpMix::ReadWrite)
                }),
                (0..shape.levels).map(|i| Level::clients(1 << i)).collect(),
                Duration::from_secs(WARMUP.into()),
                Duration::from_secs(MEASURE.into()),
            )),
        )],
        source: "[study]\nname = \"commit-durability\"\n# </pre><script>alert(2)</script>\n".into(),
    }
}

/// Rotates the order from block to block, as a stand-in for chance.
fn plan(study: &Study) -> Plan {
    let mut position = 0;
    let blocks = (1..=study.repeats).map(|repeat| {
        let test = &study.tests[0];
        let mut keys: Vec<TrialKey> = Vec::new();
        for target in &study.targets {
            keys.extend(test.levels().iter().map(|&level| TrialKey {
                target: target.name.clone(),
                test: test.name.clone(),
                level,
                repeat,
            }));
        }
        let turn = repeat as usize * 5 % keys.len();
        keys.rotate_left(turn);
        let trials = keys.into_iter().map(|key| {
            position += 1;
            Trial {
                key,
                position,
                seed: 100 + u64::from(repeat),
                load_time: Duration::from_secs(12),
            }
        });
        Block { number: repeat, trials: trials.collect() }
    });
    Plan { seed: study.seed, blocks: blocks.collect() }
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
    let first = key.target == shape.targets[0];
    let highest = key.level.clients == 1 << (shape.levels - 1);
    let fails = shape.troubles && first && highest;
    let start = 1_795_293_000_000 + u64::from(trial.position) * 15_000;
    let tps = throughput(shape, key);
    let end = if fails {
        TrialEnd::Failed(Failure::new(
            FailureKind::TooFewConnections,
            format!("the server allows 20 connections, and {} are needed", key.level),
            "set max_connections to 40 or more for this target",
        ))
    } else {
        let mut load = load(key.level.clients, tps, trial.seed);
        if trial.position == 4 {
            load.client.busiest_worker = 0.93;
        }
        TrialEnd::Completed(Box::new(Outcome::of_load(load)))
    };
    let mut record = TrialRecord {
        key: key.clone(),
        position: trial.position,
        seed: trial.seed,
        started_at: UnixMillis(start),
        finished_at: UnixMillis(start + 14_000),
        end,
        sampling: Sampling::default(),
        cross_check: None,
        search: None,
    };
    if let Some(load) = record.load() {
        record.sampling = sampling(tps, trial.position, &load.requests);
    }
    record
}

fn sampling(tps: f64, position: u32, requests: &RequestCounts) -> Sampling {
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
    let reading = |at_seconds, counts: &RequestCounts| CounterReading {
        at_seconds,
        counters: counts
            .expected()
            .into_iter()
            .map(|(name, n)| (name.to_owned(), n as i64))
            .collect(),
    };
    Sampling {
        samples: (0..WARMUP + MEASURE).map(sample).collect(),
        before: Some(reading(-0.1, &super::load::requests(0))),
        after: Some(reading(12.1, requests)),
        account: HostAccount::default(),
        volume: vec!["vda".into()],
    }
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
        id: 1,
        started_at: UnixMillis(1_795_293_000_000),
        weighin_version: "0.1.0".into(),
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
        scale: 1.0,
    }
}
