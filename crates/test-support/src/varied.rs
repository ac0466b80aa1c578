//! A study with its plan, and records for it: varied, and the same for the same salt.

mod machines;

use machines::{other_host, processor_use};
use model::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Draws values; the same ones for the same salt.
pub struct Draw(u64);

impl Draw {
    pub fn salted(salt: u64) -> Self {
        Self(salt)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x1405_7b7e_f767_814f);
        self.0 ^ (self.0 >> 31)
    }

    /// Up to 2^53, of every magnitude, zero included.
    pub fn count(&mut self) -> u64 {
        let bits = self.bits();
        (bits >> 11) >> (bits % 54)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        (self.bits() >> 8) % bound
    }

    pub fn small(&mut self) -> u32 {
        self.below(1 << 20) as u32
    }

    pub fn real(&mut self) -> f64 {
        let numerator = self.count() as f64 - 1e6;
        numerator / (1.0 + self.small() as f64)
    }

    pub fn time(&mut self) -> Duration {
        Duration::from_nanos(self.count())
    }

    pub fn text(&mut self) -> String {
        ["", "plain", "it's \"quoted\"", "naïve — 数据库", "two\nlines", "nul\0inside"]
            [self.below(6) as usize]
            .into()
    }

    pub fn maybe<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(3) > 0).then(|| draw(self))
    }

    pub fn list<T>(&mut self, longest: u64, mut draw: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(longest + 1)).map(|_| draw(self)).collect()
    }

    pub fn latencies(&mut self) -> Latencies {
        let mut latencies = Latencies::new();
        for _ in 0..self.below(50) {
            latencies.record_nanos(self.below(u64::from(u32::MAX)));
        }
        latencies
    }

    pub fn counters(&mut self) -> ServerCounters {
        self.list(5, |d| (format!("Com_{}", d.below(9)), d.count() as i64 - 5))
            .into_iter()
            .collect()
    }
}

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
        started_at: UnixMillis(d.count()),
        finished_at: UnixMillis(d.count()),
        clock_jump_ms: d.maybe(|d| -i64::from(d.small())),
        end,
        sampling: Sampling {
            samples: d.list(6, sample),
            before: d.maybe(reading),
            after: d.maybe(reading),
            account: HostAccount {
                server_read_bytes: d.maybe(Draw::count),
                server_throttling: d.maybe(throttling),
                client_throttling: d.maybe(throttling),
                thermal_events: d.maybe(Draw::count),
                processor_use: processor_use(d),
            },
            volume: d.list(3, Draw::text),
            target_host: d.maybe(other_host).map(Box::new),
            load_hosts: d.list(2, |d| HostSampling { facts: Some(host()), ..other_host(d) }),
            round_trip_ms: d.maybe(Draw::real),
            data: d.maybe(|d| DataSize {
                rows: d.maybe(Draw::count),
                bytes_before: d.count(),
                bytes_after: d.count(),
            }),
        },
        cross_check: d.maybe(cross_check).map(Box::new),
        search: d.maybe(search).map(Box::new),
        side_by_side: d.maybe(|d| SideBySide {
            with: d.list(3, |d| d.count() as u32),
            began_at: UnixMillis(d.count()),
        }),
    }
}

fn imported(d: &mut Draw) -> Outcome {
    let source = Some(ResultSource { file: d.text(), tool: d.text() });
    let printed = Some(Printed { line: d.below(1_000) as u32, note: d.text() });
    let figures = figures(d, printed.as_ref());
    let latencies = d.maybe(Draw::latencies);
    Outcome { source, figures, latencies, load: None, marks: vec![], series: vec![], data: None }
}

fn measured(d: &mut Draw) -> Outcome {
    let mark = |d: &mut Draw| Mark {
        name: d.text(),
        at_seconds: d.real(),
        until_seconds: d.maybe(Draw::real),
        result: d.maybe(|d| {
            [ActResult::Done, ActResult::Failed, ActResult::CutOff][d.below(3) as usize]
        }),
        work: d.maybe(|d| BackgroundWork::ALL[d.below(2) as usize]),
        note: d.maybe(Draw::text),
    };
    Outcome {
        source: None,
        figures: figures(d, None),
        load: Some(Box::new(load(d))),
        latencies: None,
        marks: d.list(3, mark),
        series: d.list(2, |d| TimeSeries {
            name: d.text(),
            unit: d.text(),
            from_seconds: d.real(),
            step_seconds: 0.1,
            values: d.list(4, |d| d.maybe(Draw::real)),
        }),
        data: d.maybe(data_state),
    }
}

fn data_state(d: &mut Draw) -> DataState {
    DataState {
        checked: d.below(9) as u32,
        broken: d.list(2, |d| BrokenInvariant { name: d.text(), gives: d.text(), came: d.text() }),
        tables: d.list(2, |d| TableChange {
            table: d.text(),
            before: table_size(d),
            after: table_size(d),
        }),
    }
}

fn table_size(d: &mut Draw) -> TableSize {
    let (rows, bytes) = (d.below(1_000), d.below(1 << 20));
    TableSize { rows, is_counted: d.below(2) == 0, bytes }
}

fn figures(d: &mut Draw, printed: Option<&Printed>) -> Vec<Figure> {
    let figure = |d: &mut Draw| Figure {
        metric: d.text(),
        value: match d.below(3) {
            0 => FigureValue::Text(d.text()),
            _ => FigureValue::Number(FigureNumber { value: d.real(), resolution: d.real() }),
        },
        unit: d.text(),
        printed: printed.cloned(),
    };
    d.list(9, figure)
}

fn cross_check(d: &mut Draw) -> CrossCheckRecord {
    let end = match d.below(3) {
        0 => CrossCheckEnd::Failed(Failure::new(FailureKind::MissingTables, d.text(), d.text())),
        _ => CrossCheckEnd::Measured(CrossCheckFigures {
            transactions: d.count(),
            queries: d.count(),
            errors: d.count(),
            elapsed: d.time(),
            transactions_per_second: d.real(),
            latency_mean_ms: d.real(),
            latency_p95_ms: d.maybe(Draw::real),
            cpu_seconds: d.real(),
            peak_rss_bytes: d.maybe(Draw::count),
            parts: cross_check_parts(d),
            rate_rounding: d.real(),
            percentile_rounding: d.real(),
        }),
    };
    let order = [CrossCheckOrder::Before, CrossCheckOrder::After][d.below(2) as usize];
    CrossCheckRecord { tool: d.text(), order, end }
}

/// Reads, writes, both or neither, in this order.
fn cross_check_parts(d: &mut Draw) -> Vec<CrossCheckPart> {
    let part = |d: &mut Draw, direction| CrossCheckPart {
        direction,
        per_second: d.real(),
        latency_mean_ms: d.real(),
        latency_p99_ms: d.maybe(Draw::real),
    };
    Direction::ALL.into_iter().filter_map(|at| d.maybe(|d| part(d, at))).collect()
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

fn load(d: &mut Draw) -> LoadResult {
    let totals = |d: &mut Draw| PhaseTotals {
        elapsed: d.time(),
        transactions: d.count(),
        queries: d.count(),
        errors: d.count(),
        moved: moved(d),
        received_bytes: d.count(),
        sent_bytes: d.count(),
    };
    LoadResult {
        clients: d.small(),
        began_at: d.maybe(|d| UnixMillis(d.count())),
        connect_time: d.time(),
        ledger: Ledger {
            scheduled: d.count(),
            ok: d.count(),
            failed: d.count(),
            timed_out: d.count(),
            dropped: d.count(),
        },
        warmup: totals(d),
        measure: totals(d),
        drain: totals(d),
        settled: d.maybe(|d| Settled {
            took: d.time(),
            at_most: d.time(),
            debts: Debt::ALL.map(debt).into(),
        }),
        slices: d.list(3, |d| Slice { from: d.time(), until: d.time() }),
        latencies: d.latencies(),
        waits: d.latencies(),
        idle_losses: d.count(),
        intervals: d.list(8, |d| Interval {
            phase: [Phase::Warmup, Phase::Measure][d.below(2) as usize],
            start: d.time(),
            length: d.time(),
            transactions: d.count(),
            queries: d.count(),
            errors: d.count(),
            moved: moved(d),
            longest_statement: d.maybe(Draw::time),
            latencies: PackedLatencies::from(&d.latencies()),
        }),
        errors: d.list(3, |d| ErrorCount {
            class: [ErrorClass::Conflict, ErrorClass::Unanswered][d.below(2) as usize],
            code: d.below(1 << 16).to_string(),
            sql_state: "40001".into(),
            message: d.text(),
            count: d.count(),
            remedy: d.text(),
        }),
        by_statement: d.list(2, named),
        by_transaction: d.list(2, named),
        requests: RequestCounts {
            kinds: d.list(MAX_REQUEST_KINDS as u64, |d| RequestCount {
                kind: Arc::new(RequestKind {
                    name: d.text().into(),
                    effect: [Effect::Read, Effect::Write, Effect::Control][d.below(3) as usize],
                    counter: (d.below(2) == 0).then(|| d.text().into()),
                    each_session: d.below(2) as u8,
                    each_implicit: d.below(2) as u8,
                }),
                count: d.count(),
            }),
            sessions: d.count(),
            implicit: d.count(),
            found: d.count(),
            moved: moved(d),
            answers: AnswerCounts { checked: d.count(), short: d.count() },
        },
        client: ClientCost {
            workers: d.small(),
            workers_tried: (d.below(2) == 0)
                .then(|| WorkersTried { few_per_second: d.real(), each_per_second: d.real() }),
            cpus_allowed: d.small(),
            cpu_seconds: d.real(),
            busiest_worker: d.real(),
            peak_rss_bytes: d.count(),
            max_loop_lag: d.time(),
            io: [IoMethod::Epoll, IoMethod::IoUring][d.below(2) as usize],
            receive_delay: (d.below(2) == 0).then(|| ReceiveDelay {
                replies: d.count(),
                p50_ms: d.real(),
                p99_ms: d.real(),
                max_ms: d.real(),
            }),
            packets: (d.below(2) == 0).then(|| Packets { sent: d.count(), received: d.count() }),
            client_delay_seconds: d.real(),
            paused_seconds: d.real(),
        },
        open: (d.below(2) == 0).then(|| {
            Box::new(OpenLoopResult {
                rate: 1.0 + d.small() as f64,
                process: [ArrivalProcess::Poisson, ArrivalProcess::Uniform][d.below(2) as usize],
                scheduled: d.count(),
                answered: d.count(),
                service_times: d.latencies(),
                schedule_lags: d.latencies(),
                course: vec![RateStretch { until: d.time(), from: d.real(), to: d.real() }],
                max_waiting: d.count(),
                most_waiting: d.count(),
            })
        }),
        outages: d.list(2, |d| Outage {
            first_error: d.time(),
            first_success: (d.below(2) == 0).then(|| d.time()),
            recovered: (d.below(2) == 0).then(|| d.time()),
            failed: d.count(),
        }),
        delay: d.maybe(|d| DelayMeasured {
            asked: d.time(),
            before_ms: d.maybe(Draw::real),
            beside_ms: d.maybe(Draw::real),
            beside_p95_ms: d.maybe(Draw::real),
            echoes: d.count(),
            round_trips: d.count(),
            cpu_seconds: d.real(),
        }),
        generators: d.list(3, |d| GeneratorShare {
            host: d.maybe(Draw::text),
            clients: d.small(),
            transactions: d.count(),
            queries: d.count(),
            errors: d.count(),
            latencies: PackedLatencies::from(&d.latencies()),
            cpu_seconds: d.real(),
            peak_rss_bytes: d.count(),
            begun_late: d.time(),
        }),
        fleet: (d.below(2) == 0).then(|| Box::new(fleet(d))),
    }
}

fn moved(d: &mut Draw) -> Moved {
    Moved { read: d.count(), written: d.count() }
}

fn fleet(d: &mut Draw) -> Fleet {
    let figures = |d: &mut Draw| IoFigures {
        count: d.count(),
        bytes: d.count(),
        mean_ms: (d.below(2) == 0).then_some(0.25),
        p99_ms: (d.below(2) == 0).then_some(1.5),
        max_ms: (d.below(2) == 0).then_some(12.0),
    };
    let account = |d: &mut Draw| IoAccount { bytes: d.count(), latencies: d.latencies() };
    Fleet {
        queue_depth: d.small(),
        blocked_seconds: d.small() as f64,
        vms: d.list(3, |d| VmAccount { volume: d.small(), reads: figures(d), writes: figures(d) }),
        volumes: d.list(2, |d| VolumeAccount {
            vms: d.small(),
            reads: account(d),
            writes: account(d),
        }),
        verified: (d.below(2) == 0).then(|| Verified { units: d.count(), unknown: d.count() }),
        processors: (d.below(2) == 0).then(|| FleetProcessors {
            count: d.real(),
            busy: d.real(),
            throttling: throttling(d),
            throttled_seconds: d.real(),
            period: d.time(),
        }),
    }
}

fn throttling(d: &mut Draw) -> Throttling {
    Throttling { periods: d.count(), throttled: d.count() }
}

fn sample(d: &mut Draw) -> Sample {
    let usage =
        |d: &mut Draw| ProcessUsage { cpus: d.real(), system_cpus: d.real(), rss_bytes: d.count() };
    Sample {
        at_seconds: d.real(),
        length: d.time(),
        cpu: CpuShares {
            user: d.real(),
            system: d.real(),
            iowait: d.real(),
            steal: d.real(),
            idle: d.real(),
        },
        context_switches: d.maybe(Draw::real),
        disks: d.list(3, |d| DiskRates {
            device: d.text(),
            reads: d.real(),
            writes: d.real(),
            read_bytes: d.real(),
            written_bytes: d.real(),
            reads_merged: d.real(),
            writes_merged: d.real(),
            read_await_ms: d.maybe(Draw::real),
            write_await_ms: d.maybe(Draw::real),
            flushes: d.real(),
            flush_await_ms: d.maybe(Draw::real),
            discards: d.real(),
            discarded_bytes: d.real(),
            discards_merged: d.real(),
            discard_await_ms: d.maybe(Draw::real),
            queue: d.real(),
            utilisation: d.real(),
        }),
        server: d.maybe(usage),
        replicas: d.maybe(usage),
        proxy: d.maybe(usage),
        delay_cpus: d.maybe(Draw::real),
        client: usage(d),
        counters: d.maybe(Draw::counters),
    }
}

fn reading(d: &mut Draw) -> CounterReading {
    CounterReading { at_seconds: d.real(), counters: d.counters() }
}

fn search(d: &mut Draw) -> Search {
    let verdicts =
        [StepVerdict::Met, StepVerdict::Missed, StepVerdict::TooBusy, StepVerdict::FellBehind];
    let steps: Vec<SearchStep> = verdicts
        .into_iter()
        .map(|verdict| SearchStep {
            load: d.real(),
            achieved: d.real(),
            figure_ms: d.maybe(Draw::real),
            cpu_busy: d.maybe(Draw::real),
            cpu_others: d.maybe(Draw::real),
            lag_ms: d.maybe(Draw::real),
            repeated: d.maybe(Draw::real).is_some(),
            verdict,
            measured: d.time(),
        })
        .collect();
    Search {
        over: SearchOver::Clients,
        bound: Bound {
            slo: d.maybe(Draw::real).map(|_| "p99 <= 7ms".parse().expect("a bound")),
            cpu_percent: Some(60),
            replica_lag_ms: Some(1500),
            cpu_of_vms: d.maybe(Draw::real).is_some(),
        },
        capacity: d.maybe(Draw::real),
        answer: SearchAnswer { met: d.maybe(Draw::real), missed: d.maybe(Draw::real) },
        steps,
    }
}

fn named(d: &mut Draw) -> NamedResult {
    NamedResult {
        name: d.text(),
        latencies: d.latencies(),
        ok: d.count(),
        failed: d.count(),
        retries: d.count(),
        rows: d.count(),
        errors: d.list(2, |d| NamedError {
            class: ErrorClass::Conflict,
            code: d.below(1 << 16).to_string(),
            count: d.count(),
        }),
    }
}
