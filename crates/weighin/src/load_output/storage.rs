//! What a load on storage adds.

use campaign::Measured;
use model::{CounterReading, Fleet, IoFigures, LoadResult};
use report::numbers::{bytes, count, duration, figure, percent};
use serde::Serialize;
use std::time::Duration;

/// Reads and writes by direction, by volume and by virtual machine, in the measured phase.
#[derive(Debug, Serialize)]
pub(super) struct StorageOutput {
    queue_depth_per_vm: u32,
    reads: u64,
    writes: u64,
    read_bytes_per_second: f64,
    written_bytes_per_second: f64,
    /// Of all phases: what weighin moved, and what the block devices under it counted.
    moved: Vec<MovedOutput>,
    vms: Vec<VmOutput>,
    /// Where the virtual machines were limited to a number of processors.
    processors: Option<ProcessorsOutput>,
    /// Of all phases, with `--verify`: units that held what they must.
    verified_units: Option<u64>,
    unknown_units: Option<u64>,
}

#[derive(Debug, Serialize)]
struct MovedOutput {
    direction: &'static str,
    weighin_bytes: u64,
    device_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct ProcessorsOutput {
    count: f64,
    /// Share of their time that was used.
    busy: f64,
    period_seconds: f64,
    periods: u64,
    throttled_periods: u64,
    throttled_seconds: f64,
}

#[derive(Debug, Serialize)]
struct VmOutput {
    vm: u32,
    volume: u32,
    ios_per_second: f64,
    read_mean_ms: Option<f64>,
    read_p99_ms: Option<f64>,
    write_mean_ms: Option<f64>,
    write_p99_ms: Option<f64>,
}

impl StorageOutput {
    pub(super) fn new(measured: &Measured) -> Option<Self> {
        let load = &measured.load;
        let fleet = load.fleet.as_ref()?;
        let seconds = load.measure.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
        let all = |of: fn(&Fleet, usize) -> u64| (0..fleet.vms.len()).map(|vm| of(fleet, vm)).sum();
        let own = load.requests.moved;
        Some(Self {
            queue_depth_per_vm: fleet.queue_depth,
            reads: all(|fleet, vm| fleet.vms[vm].reads.count),
            writes: all(|fleet, vm| fleet.vms[vm].writes.count),
            read_bytes_per_second: load.measure.moved.read as f64 / seconds,
            written_bytes_per_second: load.measure.moved.written as f64 / seconds,
            moved: vec![
                moved(measured, "read", "device_read_bytes", own.read),
                moved(measured, "written", "device_written_bytes", own.written),
            ],
            vms: vms(fleet, load),
            processors: fleet.processors.map(|processors| ProcessorsOutput {
                count: processors.count,
                busy: processors.busy,
                period_seconds: processors.period.as_secs_f64(),
                periods: processors.throttling.periods,
                throttled_periods: processors.throttling.throttled,
                throttled_seconds: processors.throttled_seconds,
            }),
            verified_units: fleet.verified.map(|verified| verified.units),
            unknown_units: fleet.verified.map(|verified| verified.unknown),
        })
    }

    /// What went in either direction: `40.1 MiB/s read, 17.2 MiB/s written`.
    pub(super) fn rates(&self) -> String {
        let rate = |per_second: f64| bytes(per_second as u64);
        format!(
            "{}/s read, {}/s written",
            rate(self.read_bytes_per_second),
            rate(self.written_bytes_per_second)
        )
    }

    /// The spread between virtual machines; `None` with a single one.
    pub(super) fn spread(&self) -> Option<String> {
        let rates = || self.vms.iter().map(|vm| vm.ios_per_second);
        let (slowest, fastest) =
            rates().min_by(f64::total_cmp).zip(rates().max_by(f64::total_cmp))?;
        (self.vms.len() > 1).then(|| {
            format!(
                "{} of them, {} to {} IOs per second each",
                count(self.vms.len() as u64),
                figure(slowest),
                figure(fastest)
            )
        })
    }

    /// What the virtual machines had of processors: `2 for all virtual machines, 93 % busy;
    /// throttled in 41 % of the periods of 100 ms`.
    pub(super) fn processors(&self) -> Option<String> {
        let shared = self.processors.as_ref()?;
        let throttled = shared.throttled_periods as f64 / shared.periods.max(1) as f64;
        Some(format!(
            "{} for all virtual machines, {} busy; throttled in {} of the periods of {}",
            (shared.count * 100.0).round() / 100.0,
            percent(shared.busy),
            percent(throttled),
            duration(Duration::from_secs_f64(shared.period_seconds)),
        ))
    }

    /// What verifying found.
    pub(super) fn verified(&self) -> Option<String> {
        let (units, unknown) = self.verified_units.zip(self.unknown_units)?;
        Some(format!("{} blocks as written, {} not comparable", count(units), count(unknown)))
    }

    /// Whether the block devices moved as many bytes.
    pub(super) fn agreement(&self) -> String {
        let parts: Vec<String> = self
            .moved
            .iter()
            .filter(|moved| moved.weighin_bytes > 0)
            .map(|moved| match moved.device_bytes {
                None => format!("not known for what was {}", moved.direction),
                Some(device) => format!(
                    "{} {}, weighin’s own {}",
                    bytes(device),
                    moved.direction,
                    bytes(moved.weighin_bytes)
                ),
            })
            .collect();
        parts.join("; ")
    }
}

fn moved(
    measured: &Measured,
    direction: &'static str,
    counter: &str,
    weighin_bytes: u64,
) -> MovedOutput {
    let of = |reading: &Option<CounterReading>| reading.as_ref()?.counters.get(counter).copied();
    let (before, after) = (of(&measured.sampling.before), of(&measured.sampling.after));
    let device_bytes =
        before.zip(after).and_then(|(before, after)| u64::try_from(after - before).ok());
    MovedOutput { direction, weighin_bytes, device_bytes }
}

fn vms(fleet: &Fleet, load: &LoadResult) -> Vec<VmOutput> {
    let seconds = load.measure.elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
    let vm = |(number, vm): (u32, &model::VmAccount)| {
        let IoFigures { mean_ms: read_mean_ms, p99_ms: read_p99_ms, .. } = vm.reads;
        let IoFigures { mean_ms: write_mean_ms, p99_ms: write_p99_ms, .. } = vm.writes;
        VmOutput {
            vm: number,
            volume: vm.volume,
            ios_per_second: (vm.reads.count + vm.writes.count) as f64 / seconds,
            read_mean_ms,
            read_p99_ms,
            write_mean_ms,
            write_p99_ms,
        }
    };
    (0..).zip(&fleet.vms).map(vm).collect()
}
