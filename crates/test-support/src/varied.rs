//! A study with its plan, and records for it: varied, and the same for the same salt.

mod draw;

pub use draw::Draw;

use model::*;
use std::path::PathBuf;
use std::time::Duration;

/// A sandbox, and a server that is reached with a password.
pub fn study() -> Study {
    let mut study = Study {
        name: "commit".into(),
        question: Some("Which?".into()),
        until: Some(Until { min: 2 }),
        seed: 7,
        sample_every: Duration::from_millis(2500),
        source: "[study]\nname = \"commit\" # byte for byte\r\n".into(),
        ..crate::study(&["durable", "remote"], &[1, 16], 4)
    };
    for target in &mut study.targets {
        target.price = Some(Price::monthly(0.1 + 0.2, "EUR"));
        target.labels = [("tenancy".to_string(), "shared".to_string())].into();
        target.path = Some(NetworkPath {
            delay: Some(Duration::from_millis(1)),
            proxy: None,
            tls: Some(true),
        });
    }
    let address = |path: &str| ServerAddress {
        endpoint: Endpoint::Socket(path.into()),
        user: None,
        database: "sbtest".into(),
        password: PasswordSource::File("/run/pw".into()),
        tls: Tls::Verified(Some(PathBuf::from("/etc/ca.pem"))),
        compression: true,
        server_key: ServerKey::Pinned("/etc/public_key.pem".into()),
        auth: AuthMethods::parse("!password").unwrap_or_default(),
    };
    study.targets[1].place = Place::Server(ServerSpec {
        replicas: vec![address("/run/replica.sock")],
        control: ReplicationControl {
            stop_applier: Some(ControlAct::Statement("CALL stop_applying()".into())),
            start_applier: Some(ControlAct::Command(vec!["start".into(), "it".into()])),
        },
        host: Some(SshHost { name: "db2".into(), destination: "admin@db2.internal".into() }),
        instance: Some(InstanceSpec {
            up: vec!["./up.sh".into(), "m7g.large".into()],
            down: vec!["./down.sh".into()],
            per: InstancePer::Repeat,
            time_limit: Duration::from_secs(600),
            environment: vec!["HCLOUD_TOKEN".into()],
        }),
        restart: Some(RestartSpec {
            way: RestartWay::Unit("mariadb".into()),
            time_limit: Duration::from_secs(300),
            trusted: true,
        }),
        undo: Some(UndoSpec {
            command: vec!["./restore.sh".into(), "shop".into()],
            time_limit: Duration::from_secs(900),
        }),
        ..ServerSpec::new(address("/run/db.sock"))
    });
    study
}

/// Every cell of the study in each block, with seeds that take all bits.
pub fn plan() -> Plan {
    let mut plan = Plan { seed: u64::MAX, ..crate::plan(&study(), 3) };
    for trial in plan.blocks.iter_mut().flat_map(|block| &mut block.trials) {
        trial.seed = u64::MAX - u64::from(trial.position);
        trial.load_time = Duration::from_nanos(4_500_000_001);
    }
    plan
}

pub fn host() -> HostFacts {
    HostFacts { hostname: "büro".into(), cpus: 2, disks: vec!["sda".into()], ..Default::default() }
}

pub fn facts(target: &str) -> TargetFacts {
    TargetFacts {
        target: target.into(),
        server: ServerFacts {
            version: "10.11.6-MariaDB".into(),
            host: Some(host()),
            program: Some("/usr/sbin/mariadbd".into()),
            variables: [("port".to_string(), "3306".to_string()), ("x".into(), String::new())]
                .into(),
            incidental: ["port".to_string()].into(),
            cache_bytes: Some(1 << 27),
            dataset_bytes: Some(1 << 40),
            prepare_seconds: Some(0.1),
            loading_debt: Some(LoadingDebt {
                waited: Duration::from_millis(2_501),
                debts: vec![debt(Debt::ChangedData)],
            }),
            contents: Some(TableContents { rows: 4_000, checksum: u64::MAX }),
            contents_after: None,
            plans: vec![StatementPlan {
                test: "t".into(),
                statement: "SELECT orders".into(),
                steps: vec!["orders, access ALL".into()],
                rows: 20_000,
            }],
            answers: vec![StatementAnswer {
                statement: "browse".into(),
                sql: "SELECT 1".into(),
                rows: 1,
                checksum: u64::MAX,
            }],
        },
    }
}

/// A record for a planned trial.
pub fn record(trial: &Trial, salt: u64) -> TrialRecord {
    let d = &mut Draw::salted(salt ^ u64::from(trial.position) << 40);
    let end = match d.below(4) {
        0 => TrialEnd::Failed(Failure::new(FailureKind::TooFewConnections, d.text(), d.text())),
        1 => TrialEnd::Completed(Box::new(imported(d))),
        _ => TrialEnd::Completed(Box::new(measured(d))),
    };
    TrialRecord {
        key: trial.key.clone(),
        position: trial.position,
        seed: trial.seed,
        started_at: d.value(),
        finished_at: d.value(),
        clock_jump_ms: d.value(),
        end,
        sampling: d.value(),
        cross_check: d.value(),
        search: d.maybe(search).map(Box::new),
        side_by_side: d.value(),
    }
}

fn imported(d: &mut Draw) -> Outcome {
    let (load, marks, series, data) = (None, Vec::new(), Vec::new(), None);
    Outcome { source: Some(d.value()), load, marks, series, data, ..d.value() }
}

fn measured(d: &mut Draw) -> Outcome {
    Outcome { source: None, latencies: None, load: Some(d.value()), ..d.value() }
}

fn debt(debt: Debt) -> DebtChange {
    DebtChange {
        debt,
        from: 1 << 40,
        to: 7,
        limit: debt.limit_signal().map(|_| 1 << 53),
        is_level: true,
    }
}

/// By hand: its document has the keys of the bound among its own.
fn search(d: &mut Draw) -> Search {
    let verdicts =
        [StepVerdict::Met, StepVerdict::Missed, StepVerdict::TooBusy, StepVerdict::FellBehind];
    Search {
        over: d.value(),
        bound: Bound {
            slo: d.maybe(|_| "p99 <= 7ms".parse().expect("a bound")),
            cpu_percent: Some(60),
            replica_lag_ms: Some(1500),
            cpu_of_vms: d.value(),
        },
        capacity: d.value(),
        answer: d.value(),
        steps: verdicts.map(|verdict| SearchStep { verdict, ..d.value() }).into(),
    }
}
