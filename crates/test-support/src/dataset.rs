use crate::load::{MEASURE, WARMUP, requests};
use import::{Format as _, Source, Table, assemble};
use model::ReadBudget;
use model::*;

/// A run on a host of which nothing is known.
pub fn run() -> RunInfo {
    RunInfo {
        id: 1,
        started_at: UnixMillis(0),
        weighin_version: "0.1.0".to_owned(),
        host: HostFacts::default(),
        scale: 1.0,
        extensions: Vec::new(),
    }
}

/// A study with the test `oltp`: sandboxes of MariaDB under `oltp_read_write` at these numbers of
/// clients.
pub fn study(targets: &[&str], clients: &[u32], repeats: u32) -> Study {
    let oltp = Oltp {
        table_size: 1000,
        distribution: KeyDistribution::Uniform,
        ..Oltp::preset(OltpMix::ReadWrite)
    };
    let levels = clients.iter().map(|&clients| Level::clients(clients)).collect();
    let load = Load::new(Workload::Oltp(oltp), levels, WARMUP, MEASURE);
    let target = |name: &&str| Target {
        name: (*name).to_owned(),
        system: System::Mysql,
        place: Place::Sandbox(SandboxSpec::default()),
        price: None,
        labels: Default::default(),
        path: None,
        load_hosts: None,
    };
    Study {
        name: "known".to_owned(),
        question: None,
        answer_by: None,
        answer_at: None,
        repeats,
        until: None,
        budget: None,
        seed: 1,
        confidence: 0.95,
        margin: 0.03,
        sample_every: Study::SAMPLE_EVERY,
        targets: targets.iter().map(target).collect(),
        parallel: false,
        slices: None,
        duet: false,
        aa_control: None,
        tests: vec![Test::new("oltp", Task::Load(load))],
        fleet: None,
        host_instances: Vec::new(),
        files: Vec::new(),
        source: String::new(),
    }
}

/// The trials of the first test of a study. A block has them target by target, from the lowest
/// level to the highest, and begins `rotation` trials later than the block before it.
pub fn plan(study: &Study, rotation: usize) -> Plan {
    let test = &study.tests[0];
    let mut position = 0;
    let mut block = |repeat: u32| {
        let key = |target: &Target, &level: &Level| TrialKey {
            target: target.name.clone(),
            test: test.name.clone(),
            level,
            repeat,
        };
        let of_target = |target| test.levels().iter().map(move |level| key(target, level));
        let mut keys: Vec<TrialKey> = study.targets.iter().flat_map(of_target).collect();
        let first = repeat as usize * rotation % keys.len();
        keys.rotate_left(first);
        let trial = |key| {
            position += 1;
            let seed = 100 + u64::from(repeat);
            Trial { key, position, seed, load_time: WARMUP + MEASURE }
        };
        Block { number: repeat, extension: 0, trials: keys.into_iter().map(trial).collect() }
    };
    Plan { seed: study.seed, blocks: (1..=study.repeats).map(&mut block).collect() }
}

/// A run of a plan. Nothing is known of its servers.
pub fn dataset(study: Study, plan: Plan, record: impl FnMut(&Trial) -> TrialRecord) -> Dataset {
    let facts = |target: &Target| TargetFacts {
        target: target.name.clone(),
        server: ServerFacts::default(),
    };
    Dataset {
        run: run(),
        targets: study.targets.iter().map(facts).collect(),
        trials: plan.trials().map(record).collect(),
        superseded: Vec::new(),
        instances: Vec::new(),
        notes: Vec::new(),
        study,
        plan,
    }
}

/// A trial that completed with that load, which the server's counters confirm.
pub fn record(trial: &Trial, load: LoadResult) -> TrialRecord {
    let reading = |at_seconds, counts: &RequestCounts| {
        let counters = counts.expected().into_iter().map(|(name, n)| (name.to_owned(), n as i64));
        Some(CounterReading { at_seconds, counters: counters.collect() })
    };
    TrialRecord {
        key: trial.key.clone(),
        position: trial.position,
        seed: trial.seed,
        started_at: UnixMillis(0),
        finished_at: UnixMillis(12_200),
        clock_jump_ms: None,
        sampling: Sampling {
            before: reading(-0.1, &requests(0)),
            after: reading(12.1, &load.requests),
            ..Sampling::default()
        },
        end: TrialEnd::Completed(Box::new(Outcome::of_load(load))),
        cross_check: None,
        search: None,
        side_by_side: None,
    }
}

/// The results in a table (tidy CSV), of which every row must be understood.
pub fn imported(name: &str, table: &str) -> Dataset {
    let parsed = Table.parse(Source { file: name, text: table, budget: &ReadBudget::default() });
    let (dataset, problems) = assemble(name, run(), vec![parsed]);
    assert_eq!(problems, []);
    dataset
}
