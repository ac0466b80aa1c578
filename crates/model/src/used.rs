//! What operations took of the machine that their target is on.

use crate::{
    CounterReading, FigureNumber, LoadResult, Packets, Resource, Sample, Sampling, TrialRecord,
    Window, signal,
};

/// Share of the measured phase that must have been sampled, so that its figures are those of the phase.
const SAMPLED: f64 = 0.5;
/// Rows that are written for each operation, below which they may be those of others, such as a heartbeat of
/// replication beside a load that only reads.
const LEAST_ROWS: f64 = 0.01;

/// How much of it was used in the measured phase.
fn amount(resource: Resource, load: &LoadResult, sampling: &Sampling) -> Option<f64> {
    let window = Window::for_load(load);
    let samples = sampling.target_samples();
    let seconds = load.measure.elapsed.as_secs_f64();
    let sampled = |figure: &dyn Fn(&Sample) -> Option<f64>| {
        let is_enough = window.sampled(&samples, |sample| figure(sample).is_some()) >= SAMPLED;
        is_enough.then(|| window.amount(&samples, figure)).flatten()
    };
    let grown = |signal| Some(window.growth(sampling, signal)? * seconds);
    let disk = |figure: fn(&crate::DiskRates) -> f64| {
        let disks = sampling.target_disks();
        sampled(&|sample: &Sample| {
            let of = |name: &String| sample.disks.iter().find(|disk| disk.device == *name);
            let found: Option<Vec<_>> = disks.iter().map(of).collect();
            found.filter(|found| !found.is_empty())?.into_iter().map(figure).sum::<f64>().into()
        })
    };
    match resource {
        Resource::ServerCpu => sampled(&|sample| Some(sample.server?.cpus)),
        Resource::ServerSystemCpu => sampled(&|sample| Some(sample.server?.system_cpus)),
        Resource::ReplicaCpu => sampled(&|sample| Some(sample.replicas?.cpus)),
        Resource::HostCpu => {
            let cpus = f64::from(sampling.target_cpus()?);
            sampled(&|sample| {
                let busy = sample.cpu.is_known().then(|| sample.cpu.busy() * cpus)?;
                let own = sample.client.cpus + sample.delay_cpus.unwrap_or(0.0);
                Some((busy - own).max(0.0))
            })
        }
        Resource::ContextSwitches => {
            sampling.target_cpus()?;
            sampled(&|sample| sample.context_switches)
        }
        Resource::DiskReads => disk(|disk| disk.reads),
        Resource::DiskWrites => disk(|disk| disk.writes),
        Resource::DiskReadBytes => disk(|disk| disk.read_bytes),
        Resource::DiskWrittenBytes => disk(|disk| disk.written_bytes),
        Resource::LogBytes => {
            grown(signal::LOG_WRITTEN).filter(|_| !may_be_rewritten(&window, sampling))
        }
        Resource::CacheMisses => grown(signal::CACHE_MISSES),
        Resource::NetworkReceived => carried(load.measure.sent_bytes),
        Resource::NetworkSent => carried(load.measure.received_bytes),
        Resource::RoundTrips => Some(load.delay?.round_trips as f64),
        Resource::PathCpu => {
            let delay = load.delay.map(|delay| delay.cpu_seconds);
            // A proxy is on the way of the load, and runs where that is made.
            let samples = &sampling.samples;
            let of_proxy = |sample: &Sample| Some(sample.proxy?.cpus);
            let share = window.sampled(samples, |sample| of_proxy(sample).is_some());
            let proxy = (share >= SAMPLED).then(|| window.amount(samples, of_proxy)).flatten();
            delay.or(proxy).map(|_| delay.unwrap_or(0.0) + proxy.unwrap_or(0.0))
        }
        Resource::PacketsReceived => packets(load, |packets| packets.sent),
        Resource::PacketsSent => packets(load, |packets| packets.received),
        Resource::Memory
        | Resource::SpacePerRow
        | Resource::Growth
        | Resource::WriteAmplification => None,
    }
}

/// Whether the log of a target that rewrites it may have become another meanwhile.
fn may_be_rewritten(window: &Window, sampling: &Sampling) -> bool {
    let tells =
        |reading: &CounterReading| reading.counters.get(signal::LOG_REWRITE_RUNNING).is_some();
    let rewrites = [signal::LOG_REWRITES, signal::LOG_REWRITE_RUNNING];
    sampling.before.as_ref().is_some_and(tells)
        && rewrites.into_iter().any(|signal| window.growth(sampling, signal) != Some(0.0))
}

/// Packets of the measured phase: for an operation as many as in all phases together.
fn packets(load: &LoadResult, which: fn(Packets) -> u64) -> Option<f64> {
    let each = which(load.client.packets?) as f64 / operations(load) as f64;
    each.is_finite().then_some(each * load.measure.transactions as f64)
}

/// Those that succeeded in all phases.
fn operations(load: &LoadResult) -> u64 {
    [&load.warmup, &load.measure, &load.drain].iter().map(|phase| phase.transactions).sum()
}

/// Rows that so many operations wrote; `None` where these may have written none.
fn rows_of(operations: u64, written: f64) -> Option<f64> {
    (written >= LEAST_ROWS * operations as f64).then_some(written)
}

/// What is no operation's.
fn of_whole(resource: Resource, load: &LoadResult, sampling: &Sampling) -> Option<FigureNumber> {
    let exact = |value: f64| value.is_finite().then_some(FigureNumber { value, resolution: 0.0 });
    let data = sampling.data;
    let row = || Some(data?.bytes_before as f64 / data?.rows? as f64);
    match resource {
        Resource::Memory => {
            let window = Window::for_load(load);
            let samples = sampling.target_samples();
            let last = samples.iter().rev().find(|sample| window.overlap(sample).is_some())?;
            exact(last.server?.rss_bytes as f64)
        }
        Resource::SpacePerRow => exact(row()?),
        Resource::Growth => {
            let data = data?;
            let grown = data.bytes_after.checked_sub(data.bytes_before)? as f64;
            let reading = |reading: &Option<CounterReading>| {
                reading.as_ref()?.counters.get(signal::ROWS_WRITTEN).copied()
            };
            let written = reading(&sampling.after)? - reading(&sampling.before)?;
            exact(grown / rows_of(operations(load), written as f64)? * 1e6)
        }
        Resource::WriteAmplification => {
            let written = amount(Resource::DiskWrittenBytes, load, sampling)?;
            let each_second = Window::for_load(load).growth(sampling, signal::ROWS_WRITTEN)?;
            let rows = each_second * load.measure.elapsed.as_secs_f64();
            exact(written / (rows_of(load.measure.transactions, rows)? * row()?))
        }
        _ => None,
    }
}

/// Bytes that connections carried in the measured phase; `None` where they were not counted, as in results
/// that others measured.
fn carried(bytes: u64) -> Option<f64> {
    (bytes > 0).then_some(bytes as f64)
}

impl Sampling {
    /// The processors of the machine that the server or the volume is on, of volumes on several machines those of
    /// all; `None` where that machine was not seen: a server that is reached over a network alone may be anywhere.
    pub fn target_cpus(&self) -> Option<u32> {
        let cpus = match (&self.target_host, self.volume_hosts().as_slice()) {
            (Some(host), _) => host.processor_use.cpus,
            (None, []) => {
                let is_here = |sample: &Sample| sample.server.is_some();
                let is_seen = !self.volume.is_empty() || self.samples.iter().any(is_here);
                if is_seen { self.account.processor_use.cpus } else { 0 }
            }
            (None, hosts) => hosts.iter().map(|host| host.processor_use.cpus).sum(),
        };
        (cpus > 0).then_some(cpus)
    }
}

impl TrialRecord {
    /// Bytes by which the files of the tables grew for each operation that succeeded, in whatever phase of the
    /// load; below 0 where they shrank. `None` where the server does not tell how large they are.
    pub fn growth_per_operation(&self) -> Option<f64> {
        let (load, data) = (self.load()?, self.sampling.data?);
        let grown = data.bytes_after as f64 - data.bytes_before as f64;
        let each = grown / operations(load) as f64;
        each.is_finite().then_some(each)
    }

    /// What an operation that succeeded took of a resource on average, in microseconds of processor time,
    /// bytes, or a number: what was used in the measured phase ÷ the operations that succeeded in it.
    /// `None` where it was not seen.
    pub fn used(&self, resource: Resource) -> Option<FigureNumber> {
        let load = self.load()?;
        if !resource.is_of_operation() {
            return of_whole(resource, load, &self.sampling);
        }
        let operations = load.measure.transactions as f64;
        let each = resource.scale() / operations;
        let value = amount(resource, load, &self.sampling)? * each;
        value
            .is_finite()
            .then_some(FigureNumber { value, resolution: resource.resolution() * each })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        CpuShares, DataSize, DiskRates, Failure, HostAccount, Level, Outcome, PhaseTotals,
        ProcessUsage, ProcessorUse, TrialEnd, TrialKey,
    };
    use std::time::Duration;

    fn sample(second: u32, cpus: f64) -> Sample {
        Sample {
            at_seconds: f64::from(second),
            length: Duration::from_secs(1),
            cpu: CpuShares { user: 0.5, system: 0.25, idle: 0.25, ..CpuShares::default() },
            disks: vec![
                DiskRates {
                    device: "sda".into(),
                    writes: 40.0,
                    written_bytes: 4e5,
                    ..DiskRates::default()
                },
                DiskRates { device: "sdb".into(), writes: 1e6, ..DiskRates::default() },
            ],
            server: Some(ProcessUsage { cpus, system_cpus: cpus / 4.0, rss_bytes: 1 }),
            client: ProcessUsage { cpus: 1.0, system_cpus: 0.5, rss_bytes: 1 },
            context_switches: Some(3_000.0),
            ..Sample::default()
        }
    }

    /// 1,000 transactions in two seconds, after one second of warm-up.
    fn record(sampling: Sampling) -> TrialRecord {
        let phase = |seconds, transactions| PhaseTotals {
            elapsed: Duration::from_secs(seconds),
            transactions,
            received_bytes: transactions * 900,
            sent_bytes: transactions * 120,
            ..PhaseTotals::default()
        };
        let load =
            LoadResult { warmup: phase(1, 500), measure: phase(2, 1_000), ..LoadResult::default() };
        TrialRecord {
            key: TrialKey {
                target: "a".into(),
                test: "t".into(),
                level: Level::clients(1),
                repeat: 1,
            },
            position: 1,
            seed: 1,
            started_at: Default::default(),
            finished_at: Default::default(),
            clock_jump_ms: None,
            end: TrialEnd::Completed(Box::new(Outcome::of_load(load))),
            sampling,
            cross_check: None,
            search: None,
            side_by_side: None,
        }
    }

    fn seen() -> Sampling {
        let reading = |at_seconds, log| CounterReading {
            at_seconds,
            counters: [(signal::LOG_WRITTEN.to_owned(), log)].into(),
        };
        let processor_use = ProcessorUse { cpus: 4, ..ProcessorUse::default() };
        Sampling {
            // Warm-up is no part of it.
            samples: vec![sample(1, 9.0), sample(2, 1.0), sample(3, 2.0)],
            before: Some(reading(0.5, 1_000)),
            after: Some(reading(3.5, 601_000)),
            volume: vec!["sda".into()],
            account: HostAccount { processor_use, ..HostAccount::default() },
            ..Sampling::default()
        }
    }

    #[test]
    fn what_was_used_in_the_measured_phase_is_shared_among_its_operations() {
        let record = record(seen());
        let used = |resource| record.used(resource).map(|number| number.value);
        // 3 s of processor time for 1,000 transactions.
        assert_eq!(used(Resource::ServerCpu), Some(3_000.0));
        assert_eq!(used(Resource::ServerSystemCpu), Some(750.0));
        // 3 of 4 processors, without weighin's one.
        assert_eq!(used(Resource::HostCpu), Some(4_000.0));
        assert_eq!(used(Resource::ContextSwitches), Some(6.0));
        assert_eq!(used(Resource::DiskWrites), Some(0.08));
        assert_eq!(used(Resource::DiskWrittenBytes), Some(800.0));
        assert_eq!(used(Resource::DiskReads), Some(0.0));
        assert_eq!(used(Resource::LogBytes), Some(400.0));
        assert_eq!(used(Resource::CacheMisses), None);
        assert_eq!(used(Resource::ReplicaCpu), None);
        let resolution = record.used(Resource::ServerCpu).unwrap().resolution;
        assert!((resolution - 20.0).abs() < 1e-9, "{resolution}");
        let mut delayed = seen();
        delayed.samples.iter_mut().for_each(|sample| sample.delay_cpus = Some(0.5));
        // A delay is weighin's own as well.
        let host = self::record(delayed).used(Resource::HostCpu).map(|number| number.value);
        assert_eq!(host, Some(3_000.0));
    }

    #[test]
    fn a_log_that_was_rewritten_does_not_tell_what_was_written() {
        let reading = |at_seconds, [log, rewrites, running]: [i64; 3]| CounterReading {
            at_seconds,
            counters: [
                (signal::LOG_WRITTEN.to_owned(), log),
                (signal::LOG_REWRITES.to_owned(), rewrites),
                (signal::LOG_REWRITE_RUNNING.to_owned(), running),
            ]
            .into(),
        };
        let log = |before, after| {
            let mut sampling = seen();
            sampling.before = Some(reading(0.5, before));
            sampling.after = Some(reading(3.5, after));
            record(sampling).used(Resource::LogBytes).map(|number| number.value)
        };
        assert_eq!(log([1_000, 4, 0], [601_000, 4, 0]), Some(400.0));
        assert_eq!(log([1_000, 4, 0], [601_000, 5, 0]), None);
        assert_eq!(
            log([1_000, 4, 1], [601_000, 4, 0]),
            None,
            "one that had begun before has ended"
        );
    }

    #[test]
    fn what_is_no_operations_is_not_shared_among_them() {
        let counted = |at_seconds, log, rows| CounterReading {
            at_seconds,
            counters: [
                (signal::LOG_WRITTEN.to_owned(), log),
                (signal::ROWS_WRITTEN.to_owned(), rows),
            ]
            .into(),
        };
        let mut sampling = seen();
        sampling.before = Some(counted(0.5, 0, 100));
        sampling.after = Some(counted(3.5, 0, 6_100));
        sampling.samples[2].server = Some(ProcessUsage { rss_bytes: 7, ..ProcessUsage::default() });
        let used = |sampling: &Sampling, resource| {
            record(sampling.clone()).used(resource).map(|number| number.value)
        };
        assert_eq!(used(&sampling, Resource::Memory), Some(7.0));
        for resource in [Resource::SpacePerRow, Resource::Growth, Resource::WriteAmplification] {
            assert_eq!(used(&sampling, resource), None, "{resource:?}");
        }
        let data = DataSize { rows: Some(50), bytes_before: 10_000, bytes_after: 13_000 };
        sampling.data = Some(data);
        assert_eq!(used(&sampling, Resource::SpacePerRow), Some(200.0));
        assert_eq!(used(&sampling, Resource::Growth), Some(500_000.0));
        // 400,000 bytes a second for 2,000 rows of 200 bytes.
        assert_eq!(used(&sampling, Resource::WriteAmplification), Some(1.0));
        sampling.data = Some(DataSize { rows: None, ..data });
        assert_eq!(used(&sampling, Resource::SpacePerRow), None);
        sampling.data = Some(DataSize { bytes_after: 9_000, ..data });
        assert_eq!(used(&sampling, Resource::Growth), None, "it shrank");
        // A heartbeat wrote beside operations that only read.
        let mut read = sampling.clone();
        read.data = Some(data);
        read.after = Some(counted(3.5, 0, 109));
        for resource in [Resource::Growth, Resource::WriteAmplification] {
            assert_eq!(used(&read, resource), None, "{resource:?}");
        }
        assert_eq!(record(seen()).growth_per_operation(), None);
        // By 1,000 bytes, in 1,500 operations of all phases.
        assert_eq!(record(sampling.clone()).growth_per_operation(), Some(-1_000.0 / 1_500.0));
        // Of 1,500 operations in all phases.
        let mut packets = record(sampling);
        let load = packets.load_mut().unwrap();
        load.client.packets = Some(Packets { sent: 1_500, received: 3_000 });
        let used = |resource| packets.used(resource).map(|number| number.value);
        assert_eq!(used(Resource::PacketsReceived), Some(1.0));
        assert_eq!(used(Resource::PacketsSent), Some(2.0));
    }

    #[test]
    fn what_was_not_seen_is_not_known() {
        // A volume has no server, and is on this machine.
        let mut volume = seen();
        volume.samples.iter_mut().for_each(|sample| sample.server = None);
        let volume = record(volume);
        assert_eq!(volume.used(Resource::ServerCpu), None);
        assert_eq!(volume.used(Resource::HostCpu).map(|used| used.value), Some(4_000.0));
        // A server elsewhere: the processors here are not its own.
        let mut elsewhere = seen();
        elsewhere.volume.clear();
        elsewhere.samples.iter_mut().for_each(|sample| sample.server = None);
        let elsewhere = record(elsewhere);
        for resource in [Resource::ServerCpu, Resource::HostCpu, Resource::ContextSwitches] {
            assert_eq!(elsewhere.used(resource), None, "{resource:?}");
        }
        assert_eq!(elsewhere.used(Resource::DiskWrites), None);
        // What its connections carried is known all the same.
        let carried = [Resource::NetworkReceived, Resource::NetworkSent];
        let carried = carried.map(|one| elsewhere.used(one).map(|used| used.value));
        assert_eq!(carried, [Some(120.0), Some(900.0)]);
        // Half of a second of two.
        let mut hardly = seen();
        let proxy = Some(ProcessUsage { cpus: 1.0, ..ProcessUsage::default() });
        hardly.samples = vec![Sample { at_seconds: 1.5, proxy, ..sample(2, 1.0) }];
        let hardly = record(hardly);
        assert_eq!(hardly.used(Resource::ServerCpu), None);
        assert_eq!(hardly.used(Resource::PathCpu), None);
        let failed = TrialRecord { end: TrialEnd::Failed(Failure::skipped()), ..record(seen()) };
        assert_eq!(failed.used(Resource::ServerCpu), None);
    }
}
