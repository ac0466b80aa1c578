//! What is exported, under which names.

use super::state::{PERCENTILES, RunState, Running, Verdict, phase_label};
use serve::FamilyKind::{Counter, Gauge, Info};
use serve::{Family, FamilyHead};
use std::time::Instant;

macro_rules! families {
    ($($id:ident = $kind:ident $name:literal [$($label:literal),*] $unit:literal $help:literal;)*) => {
        $(static $id: FamilyHead = FamilyHead {
            name: $name, kind: $kind, unit: $unit, help: $help, labels: &[$($label),*],
        };)*
        /// All of them.
        #[cfg(test)]
        pub(super) static ALL: &[&FamilyHead] = &[$(&$id),*];
    };
}

families! {
    BUILD = Info "weighin_build" ["version"] "" "The weighin that runs the study.";
    RUN = Info "weighin_run" ["study", "results", "counts"] ""
        "The run: its study, its results file, and what its throughput counts.";
    STARTED = Gauge "weighin_run_started_timestamp_seconds" [] "seconds"
        "When the run was first started, in seconds since 1970.";
    LEFT = Gauge "weighin_run_left_seconds" [] "seconds"
        "How long the run should still take, by what its trials have taken so far.";
    PHASE = Gauge "weighin_run_phase" ["phase"] ""
        "1 for what the run does now: preparing (before the first trial), trial, between (two trials), paused.";
    PAUSES = Counter "weighin_run_pauses" [] "" "How often its user had the run pause.";
    PAUSED = Counter "weighin_run_paused_seconds" [] "seconds" "How long the run has paused.";
    PLANNED = Gauge "weighin_trials_planned" [] ""
        "Trials of the plan, with those that earlier processes ran.";
    TRIALS = Gauge "weighin_trials" ["verdict"] ""
        "Trials that are over, by what the checks say of them so far; unjudged are those that nobody has looked at yet.";
    ENDED = Counter "weighin_trials_ended" ["end"] ""
        "Trials that ended in this process: completed or failed.";
    FINDINGS = Gauge "weighin_findings" ["severity"] ""
        "What the trials say so far, by severity.";
    RUNNING = Gauge "weighin_trial_running" ["target", "test", "level", "repeat", "phase"] ""
        "1 for each trial under way, with its phase: preparing, warmup, measure, drain.";
    ELAPSED = Gauge "weighin_trial_elapsed_seconds" ["target", "test", "level"] "seconds"
        "How long the load of the trial under way has run.";
    LENGTH = Gauge "weighin_trial_planned_seconds" ["target", "test", "level"] "seconds"
        "How long the load of the trial under way should run; 0 where that is not known.";
    CLIENTS = Gauge "weighin_trial_clients" ["target", "test", "level"] ""
        "Clients of the trial under way: connections, or of storage reads and writes in flight for each virtual machine.";
    OFFERED = Gauge "weighin_trial_offered_per_second" ["target", "test", "level"] "per_second"
        "The rate that the trial under way offers, in an open loop.";
    RATE = Gauge "weighin_throughput_per_second" ["target", "test", "level", "phase"] "per_second"
        "Transactions per second that succeeded in the last interval.";
    STATEMENT_RATE = Gauge "weighin_statements_per_second" ["target", "test", "level", "phase"] "per_second"
        "Statements per second that were acknowledged in the last interval.";
    FAILED_RATE = Gauge "weighin_errors_per_second" ["target", "test", "level", "phase"] "per_second"
        "Transactions per second that failed in the last interval.";
    LATENCY = Gauge "weighin_latency_seconds" ["target", "test", "level", "percentile"] "seconds"
        "Latency of the transactions that succeeded in the last interval; 100 is the longest.";
    LONGEST = Gauge "weighin_longest_statement_seconds" ["target", "test", "level"] "seconds"
        "The longest time of a statement that was answered in the last interval.";
    TRANSACTIONS = Counter "weighin_transactions" ["target", "test", "level", "phase"] ""
        "Transactions that succeeded in this process.";
    STATEMENTS = Counter "weighin_statements" ["target", "test", "level", "phase"] ""
        "Statements that were acknowledged in this process.";
    FAILED = Counter "weighin_transactions_failed" ["target", "test", "level", "phase"] ""
        "Transactions that failed in this process.";
    LOADED = Counter "weighin_load_seconds" ["target", "test", "level", "phase"] "seconds"
        "How long loads have run in this process.";
    READ = Counter "weighin_storage_read_bytes" ["target", "test", "level", "phase"] "bytes"
        "Bytes that loads on storage have read in this process.";
    WRITTEN = Counter "weighin_storage_written_bytes" ["target", "test", "level", "phase"] "bytes"
        "Bytes that loads on storage have written in this process.";
    ERRORS = Counter "weighin_errors" ["target", "test", "level", "class"] ""
        "Errors of the trials that completed in this process, by class; they are counted when a trial has ended.";
    RESULT_REPEAT = Gauge "weighin_result_repeat" ["target", "test", "level"] ""
        "Which repeat completed last in this process: the other results are of it.";
    RESULT_RATE = Gauge "weighin_result_throughput_per_second" ["target", "test", "level"] "per_second"
        "Transactions per second in the measured phase of the trial that completed last.";
    RESULT_LATENCY = Gauge "weighin_result_latency_seconds" ["target", "test", "level", "percentile"] "seconds"
        "Latency in the measured phase of the trial that completed last; 100 is the longest.";
    RESULT_TOOK = Gauge "weighin_result_elapsed_seconds" ["target", "test", "level"] "seconds"
        "How long the statement, schema change or catch-up that completed last took, or the downtime of the last failover.";
    RESULT_DELAY = Gauge "weighin_result_receive_delay_seconds" ["target", "test", "level", "percentile"] "seconds"
        "How late the load generator noticed replies in the trial that completed last; no part of the latency.";
    RESULT_WORKER = Gauge "weighin_result_busiest_worker_ratio" ["target", "test", "level"] "ratio"
        "Processor time of the busiest thread of the load generator in the trial that completed last; 1 is a saturated one.";
    CPU = Gauge "weighin_host_cpu_ratio" ["mode"] "ratio"
        "Where the time of all processors of the machine that weighin runs on went, while a trial runs.";
    PROCESSORS = Gauge "weighin_process_cpus" ["process"] "cpus"
        "Processors that a process of this machine uses: server, replicas, proxy, weighin; apart from that a delay.";
    MEMORY = Gauge "weighin_process_resident_bytes" ["process"] "bytes"
        "Resident memory of a process of this machine: server, replicas, proxy, weighin.";
    DISK_BUSY = Gauge "weighin_disk_busy_ratio" ["device"] "ratio"
        "Share of time in which a disk of this machine had work.";
    DISK_READ = Gauge "weighin_disk_read_bytes_per_second" ["device"] "bytes_per_second"
        "Bytes per second that a disk of this machine read.";
    DISK_WRITTEN = Gauge "weighin_disk_written_bytes_per_second" ["device"] "bytes_per_second"
        "Bytes per second that a disk of this machine wrote.";
    DISK_READS = Gauge "weighin_disk_reads_per_second" ["device"] "per_second"
        "Reads per second that a disk of this machine completed.";
    DISK_WRITES = Gauge "weighin_disk_writes_per_second" ["device"] "per_second"
        "Writes per second that a disk of this machine completed; a flush is one without bytes.";
}

/// Families as they are filled.
#[derive(Default)]
struct Made(Vec<Family>);

impl Made {
    fn family(&mut self, head: &'static FamilyHead, fill: impl FnOnce(&mut Family)) {
        let mut family = Family::new(head);
        fill(&mut family);
        self.0.push(family);
    }

    fn one(&mut self, head: &'static FamilyHead, value: f64) {
        self.family(head, |family| family.add(&[], value));
    }
}

/// All figures of a run.
pub(super) fn all(state: &RunState, now: Instant) -> Vec<Family> {
    let mut made = Made::default();
    run(&mut made, state, now);
    trials(&mut made, state);
    totals(&mut made, state);
    results(&mut made, state);
    machine(&mut made, state);
    made.0
}

fn run(made: &mut Made, state: &RunState, now: Instant) {
    made.family(&BUILD, |family| family.add(&[env!("CARGO_PKG_VERSION")], 1.0));
    made.family(&RUN, |family| family.add(&[&state.study, &state.results, state.counted], 1.0));
    made.one(&STARTED, state.started_at);
    made.one(&LEFT, state.left.at(now).as_secs_f64());
    let has_ended = state.ended_here.iter().any(|&count| count > 0);
    let phase = match () {
        () if state.paused.is_some() => "paused",
        () if !state.running.is_empty() => "trial",
        () if has_ended => "between",
        () => "preparing",
    };
    made.family(&PHASE, |family| {
        for name in ["preparing", "trial", "between", "paused"] {
            family.add(&[name], f64::from(u8::from(name == phase)));
        }
    });
    made.one(&PAUSES, state.pauses as f64);
    made.one(&PAUSED, state.paused_for(now).as_secs_f64());
    made.one(&PLANNED, state.planned as f64);
    made.family(&TRIALS, |family| {
        for verdict in Verdict::ALL {
            let count = state.ended.values().filter(|&&found| found == verdict).count();
            family.add(&[verdict.label()], count as f64);
        }
    });
    made.family(&ENDED, |family| {
        for (end, count) in ["completed", "failed"].into_iter().zip(state.ended_here) {
            family.add(&[end], count as f64);
        }
    });
    made.family(&FINDINGS, |family| {
        for severity in ["severe", "warning", "notice"] {
            let count = state.findings.get(severity).copied().unwrap_or(0);
            family.add(&[severity], count as f64);
        }
    });
}

fn trials(made: &mut Made, state: &RunState) {
    let running = || state.running.values();
    made.family(&RUNNING, |family| {
        for trial in running() {
            let [target, test, level] = trial.cell.labels();
            family.add(&[target, test, level, &trial.repeat, phase_label(trial.phase)], 1.0);
        }
    });
    let mut of_each = |head, value: &dyn Fn(&Running) -> Option<f64>| {
        made.family(head, |family| {
            for trial in running() {
                if let Some(value) = value(trial) {
                    family.add(&trial.cell.labels(), value);
                }
            }
        });
    };
    of_each(&ELAPSED, &|trial| Some(trial.elapsed.as_secs_f64()));
    of_each(&LENGTH, &|trial| Some(trial.load_time.as_secs_f64()));
    of_each(&CLIENTS, &|trial| Some(trial.clients.into()));
    of_each(&OFFERED, &|trial| trial.rate.map(f64::from));
    of_each(&LONGEST, &|trial| trial.last.as_ref()?.longest_statement);
    let mut rates = |head, value: &dyn Fn(&super::state::Second) -> f64| {
        made.family(head, |family| {
            for trial in running() {
                if let Some(last) = &trial.last {
                    family.add(&trial.cell.and(phase_label(trial.phase)), value(last));
                }
            }
        });
    };
    rates(&RATE, &|last| last.transactions);
    rates(&STATEMENT_RATE, &|last| last.statements);
    rates(&FAILED_RATE, &|last| last.failed);
    made.family(&LATENCY, |family| {
        for trial in running() {
            let latencies = trial.last.iter().flat_map(|last| &last.latencies);
            for ((percentile, _), latency) in PERCENTILES.into_iter().zip(latencies) {
                family.add(&trial.cell.and(percentile), *latency);
            }
        }
    });
}

fn totals(made: &mut Made, state: &RunState) {
    type Count = fn(&super::state::Totals) -> f64;
    let heads: [(&'static FamilyHead, Count); 6] = [
        (&TRANSACTIONS, |totals| totals.transactions as f64),
        (&STATEMENTS, |totals| totals.statements as f64),
        (&FAILED, |totals| totals.failed as f64),
        (&LOADED, |totals| totals.seconds),
        (&READ, |totals| totals.read as f64),
        (&WRITTEN, |totals| totals.written as f64),
    ];
    for (head, count) in heads {
        made.family(head, |family| {
            for ((cell, phase), totals) in &state.totals {
                // A load on a server moves no bytes of storage.
                if head.unit != "bytes" || count(totals) > 0.0 {
                    family.add(&cell.and(phase), count(totals));
                }
            }
        });
    }
    made.family(&ERRORS, |family| {
        for ((cell, class), count) in &state.errors {
            family.add(&cell.and(class), *count as f64);
        }
    });
}

fn results(made: &mut Made, state: &RunState) {
    type Figure = fn(&super::state::CellResult) -> Option<f64>;
    let heads: [(&'static FamilyHead, Figure); 4] = [
        (&RESULT_REPEAT, |result| Some(result.repeat.into())),
        (&RESULT_RATE, |result| result.throughput),
        (&RESULT_TOOK, |result| result.took),
        (&RESULT_WORKER, |result| result.busiest_worker),
    ];
    for (head, figure) in heads {
        made.family(head, |family| {
            for (cell, result) in &state.results_of {
                if let Some(value) = figure(result) {
                    family.add(&cell.labels(), value);
                }
            }
        });
    }
    made.family(&RESULT_LATENCY, |family| {
        for (cell, result) in &state.results_of {
            for ((percentile, _), latency) in PERCENTILES.into_iter().zip(&result.latencies) {
                family.add(&cell.and(percentile), *latency);
            }
        }
    });
    made.family(&RESULT_DELAY, |family| {
        for (cell, result) in &state.results_of {
            for (percentile, delay) in &result.receive_delay {
                family.add(&cell.and(percentile), *delay);
            }
        }
    });
}

fn machine(made: &mut Made, state: &RunState) {
    let Some(sample) = &state.sample else { return };
    made.family(&CPU, |family| {
        let cpu = sample.cpu;
        let modes = [
            ("user", cpu.user),
            ("system", cpu.system),
            ("iowait", cpu.iowait),
            ("steal", cpu.steal),
            ("idle", cpu.idle),
        ];
        modes.into_iter().for_each(|(mode, share)| family.add(&[mode], share));
    });
    let processes = [
        ("server", sample.server),
        ("replicas", sample.replicas),
        ("proxy", sample.proxy),
        ("weighin", Some(sample.client)),
    ];
    let processes = || processes.into_iter().filter_map(|(name, usage)| Some((name, usage?)));
    made.family(&PROCESSORS, |family| {
        processes().for_each(|(name, usage)| family.add(&[name], usage.cpus));
        sample.delay_cpus.into_iter().for_each(|cpus| family.add(&["delay"], cpus));
    });
    made.family(&MEMORY, |family| {
        processes().for_each(|(name, usage)| family.add(&[name], usage.rss_bytes as f64));
    });
    type Rate = fn(&model::DiskRates) -> f64;
    let heads: [(&'static FamilyHead, Rate); 5] = [
        (&DISK_BUSY, |disk| disk.utilisation),
        (&DISK_READ, |disk| disk.read_bytes),
        (&DISK_WRITTEN, |disk| disk.written_bytes),
        (&DISK_READS, |disk| disk.reads),
        (&DISK_WRITES, |disk| disk.writes),
    ];
    for (head, rate) in heads {
        made.family(head, |family| {
            sample.disks.iter().for_each(|disk| family.add(&[&disk.device], rate(disk)));
        });
    }
}
