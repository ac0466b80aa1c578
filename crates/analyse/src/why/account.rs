//! What the clients of a trial spent their time on, and which resources had nothing left.

use crate::TrialVolume;
use findings::{ClientBusy, Resource};
use model::{CpuShares, DiskRates, IoLimits, LoadResult, Sample, TrialRecord, Window, signal};
use std::collections::BTreeMap;

/// Share of the periods in which a control group was throttled from which on it is at its limit.
const THROTTLED: f64 = 0.25;
/// Use of a resource from which on it is at its limit.
const USED_UP: f64 = 0.9;
/// Share of what a volume may do from which on it is at its limit: what is held back comes in bursts.
const HELD_BACK: f64 = 0.75;
/// Share of the processors' time in use from which on there is none left.
const BUSY: f64 = 0.95;
/// What of it server and load generator must use themselves, so that the limit is theirs.
const OWN: f64 = 0.5;
/// Share of a machine's processor time from which on what the hypervisor takes is much.
const STOLEN: f64 = 0.1;
/// Share of the operations that a server must refuse a connection for.
const REFUSED: f64 = 0.01;
/// How long an answer takes where nothing is between, in milliseconds: the time in which both ends wake up.
const NO_WAY_MS: f64 = 0.1;
/// Share of the clients that wait for locks from which on locks are the limit.
const LOCKED: f64 = 0.5;
/// Share of the measured phase that must have been sampled.
const SAMPLED: f64 = 0.5;

/// What is known of a target beside its trials.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// Whether a commit is on disk when it is acknowledged; `None` where nothing tells.
    pub(crate) commits_wait: Option<bool>,
    /// What its volume is limited to.
    pub(crate) limits: IoLimits,
    /// Codes of errors by which it refuses a connection.
    pub(crate) no_connection_left: &'static [&'static str],
    /// How many requests of a client go together.
    pub(crate) sent_together: u32,
}

/// The mean number of clients by what they did, in the measured phase of one trial.
///
/// By Little's law so many clients ÷ throughput is the time of an operation, for all of them and for
/// those in one state alike.
pub(crate) struct Account {
    /// All of them.
    pub(crate) clients: f64,
    /// As [`Known::commits_wait`].
    pub(crate) commits_wait: Option<bool>,
    /// Operations per second.
    pub(crate) throughput: f64,
    /// By what they used or waited for, as far as it is known.
    pub(crate) in_state: BTreeMap<Resource, f64>,
    /// How much was in use of what was at its limit, 1 being all.
    pub(crate) at_limit: BTreeMap<Resource, f64>,
    /// How much was in use of all of which it is known.
    pub(crate) used: BTreeMap<Resource, f64>,
    /// Processors that server, replicas, load generator and what is on the way between them used on the
    /// target's machine.
    pub(crate) own_cpus: Option<f64>,
    /// Whether that machine had no processor time left, most of which these used.
    pub(crate) processors_full: bool,
}

impl Account {
    /// `None` of a trial without a load on a server that got anywhere.
    pub(crate) fn for_record(record: &TrialRecord, known: Known) -> Option<Self> {
        // How many reads and writes virtual machines have outstanding is not seen here.
        let load = record.load().filter(|load| load.fleet.is_none())?;
        let throughput = load.measure.transactions_per_second();
        let clients = match record.key.level.is_open() {
            // What is answered late counts as late.
            true => load.succeeded().mean_ms()? / 1e3 * throughput,
            false => f64::from(load.clients),
        };
        if throughput <= 0.0 || clients <= 0.0 {
            return None;
        }
        let mut account = Self {
            clients,
            commits_wait: known.commits_wait,
            throughput,
            in_state: BTreeMap::new(),
            at_limit: BTreeMap::new(),
            used: BTreeMap::new(),
            own_cpus: None,
            processors_full: false,
        };
        let seen = Seen { record, load, window: Window::for_load(load) };
        account.connections(&seen, known);
        account.locks(&seen);
        account.latches(&seen);
        account.network(&seen, known);
        account.disk(&seen, known);
        account.generator(&seen);
        account.processors(&seen);
        Some(account)
    }

    /// Time that an operation spends on it, in milliseconds.
    pub(crate) fn milliseconds(&self, resource: Resource) -> Option<f64> {
        self.in_state.get(&resource).map(|clients| clients / self.throughput * 1e3)
    }

    /// Time of an operation in milliseconds.
    pub(crate) fn operation_ms(&self) -> f64 {
        self.clients / self.throughput * 1e3
    }

    /// Clients of which it is not known what they do, apart from those on processors.
    fn left(&self) -> f64 {
        let waiting =
            self.in_state.iter().filter(|(resource, _)| **resource != Resource::Processors);
        (self.clients - waiting.map(|(_, clients)| clients).sum::<f64>()).max(0.0)
    }

    /// At most as many as there are left.
    fn put(&mut self, resource: Resource, clients: f64) {
        if clients.is_finite() {
            let clients = clients.clamp(0.0, self.left());
            self.in_state.insert(resource, clients);
        }
    }

    fn limit(&mut self, resource: Resource, used: f64, from: f64) {
        let most = self.used.entry(resource).or_insert(used);
        *most = most.max(used);
        if used >= from {
            let most = self.at_limit.entry(resource).or_insert(used);
            *most = most.max(used);
        }
    }

    fn connections(&mut self, seen: &Seen<'_>, known: Known) {
        let is_refusal = |code: &str| known.no_connection_left.contains(&code);
        let refused = seen.load.errors.iter().filter(|error| is_refusal(&error.code));
        let refused: u64 = refused.map(|error| error.count).sum();
        let all = seen.load.ledger.ok + refused;
        if refused > 0 {
            self.limit(Resource::Connections, refused as f64 / all as f64, REFUSED);
        }
    }

    /// Each statement is one round trip; commands that are sent together are one, too. Where a delay is on the
    /// way, round trips were counted there.
    fn network(&mut self, seen: &Seen<'_>, known: Known) {
        // Whoever asks how far the server is does not ask through what delays the load.
        let near = seen.record.sampling.round_trip_ms.map(|all| (all - NO_WAY_MS).max(0.0));
        let delayed =
            seen.load.delay.and_then(|delay| Some((delay.added_ms()?, delay.round_trips)));
        let measured = &seen.load.measure;
        let (way, trips) = match (near, delayed) {
            (near, Some((added, trips))) => {
                (near.unwrap_or(0.0) + added, trips as f64 / measured.elapsed.as_secs_f64())
            }
            (Some(near), None) => {
                (near, measured.queries_per_second() / f64::from(known.sent_together))
            }
            (None, None) => return,
        };
        self.put(Resource::Network, way / 1e3 * trips);
    }

    /// Its own account of waits where the server keeps one, else how many were seen to wait.
    fn locks(&mut self, seen: &Seen<'_>) {
        let told = seen.growth(signal::LOCK_WAIT_MILLIS).map(|millis| millis / 1e3);
        let Some(waiting) = told.or_else(|| seen.level(signal::CLIENTS_WAIT_FOR_LOCKS)) else {
            return;
        };
        self.put(Resource::Locks, waiting);
        if self.clients > 1.5 {
            self.limit(Resource::Locks, waiting / self.clients, LOCKED);
        }
    }

    fn latches(&mut self, seen: &Seen<'_>) {
        let Some(waiting) = seen.level(signal::CLIENTS_WAIT_FOR_LATCHES) else { return };
        self.put(Resource::Latches, waiting);
        if self.clients > 1.5 {
            self.limit(Resource::Latches, waiting / self.clients, LOCKED);
        }
    }

    fn disk(&mut self, seen: &Seen<'_>, known: Known) {
        let volume = TrialVolume::from_record(seen.record);
        let disk = volume.as_ref().map(|volume| &volume.volume.together);
        if let Some((misses, disk)) = seen.growth(signal::CACHE_MISSES).zip(disk) {
            let waiting = misses * disk.read_await_ms.unwrap_or(0.0) / 1e3;
            self.put(
                Resource::DiskReads,
                waiting.min(disk.reads * disk.read_await_ms.unwrap_or(0.0) / 1e3),
            );
        }
        // Its sessions themselves say that they wait for the log, at the moments at which they are asked.
        let told = seen.level(signal::CLIENTS_WAIT_FOR_LOG).unwrap_or(0.0);
        if let Some(under_way) = seen.syncing(disk) {
            match known.commits_wait {
                // The log is written behind their backs.
                Some(false) => self.put(Resource::LogSync, 0.0),
                _ => {
                    // While a sync is under way nobody else commits: whoever is not on a processor waits.
                    let running = seen.server_cpus().unwrap_or(0.0);
                    let others = (self.left() - running).max(under_way.min(self.left()));
                    self.put(Resource::LogSync, (under_way * self.clients).min(others).max(told));
                    self.limit(Resource::LogSync, under_way, USED_UP);
                }
            }
        }
        for disk in volume.iter().flat_map(|volume| &volume.devices) {
            self.limit(Resource::Disk, disk.utilisation, USED_UP);
            if let Some(used) = of_limit(disk, known.limits) {
                self.limit(Resource::VolumeLimit, used, HELD_BACK);
            }
        }
    }

    fn generator(&mut self, seen: &Seen<'_>) {
        let (client, seconds) = (&seen.load.client, seen.window.seconds());
        let delayed = client.client_delay_seconds / seconds;
        self.put(Resource::LoadGenerator, delayed.max(client.cpu_seconds / seconds));
        self.limit(Resource::LoadGenerator, client.busiest_worker, ClientBusy::BUSY.max(USED_UP));
        if let Some(throttled) = seen.record.sampling.account.client_throttling {
            self.limit(Resource::LoadGenerator, throttled.share(), THROTTLED);
        }
        for load_host in &seen.record.sampling.load_hosts {
            if let Some(busy) = seen.window.mean_share(&load_host.samples, CpuShares::busy) {
                self.limit(Resource::LoadGenerator, busy, BUSY);
            }
        }
    }

    fn processors(&mut self, seen: &Seen<'_>) {
        let sampling = &seen.record.sampling;
        if let Some(throttled) = sampling.account.server_throttling {
            self.limit(Resource::ServerLimit, throttled.share(), THROTTLED);
        }
        let stolen = seen.window.mean_share(&sampling.target_samples(), |cpu| cpu.steal);
        if let Some(stolen) = stolen {
            self.limit(Resource::StolenTime, stolen, STOLEN);
        }
        let Some(server) = seen.server_cpus() else { return };
        self.put(Resource::Processors, server);
        let shared = sampling.target_host.is_none() && sampling.load_hosts.is_empty();
        let generator = if shared { seen.generator_cpus() } else { 0.0 };
        let replicas = seen.mean(|sample| sample.replicas.map(|usage| usage.cpus)).unwrap_or(0.0);
        let own = server + replicas + generator;
        self.own_cpus = Some(own);
        let samples = sampling.target_samples();
        let busy = seen.window.mean_share(&samples, |cpu| cpu.busy() + cpu.steal);
        let Some((busy, cpus)) = busy.zip(sampling.target_cpus()) else { return };
        let is_own = own >= OWN * f64::from(cpus);
        self.processors_full = is_own && busy >= BUSY;
        self.limit(Resource::Processors, busy, if is_own { BUSY } else { f64::INFINITY });
    }
}

/// What was recorded of a trial.
struct Seen<'a> {
    record: &'a TrialRecord,
    load: &'a LoadResult,
    window: Window,
}

impl Seen<'_> {
    fn mean(&self, figure: impl Fn(&Sample) -> Option<f64>) -> Option<f64> {
        let samples = self.record.sampling.target_samples();
        let enough = self.window.sampled(&samples, |sample| figure(sample).is_some()) >= SAMPLED;
        enough.then(|| self.window.mean(&samples, figure)).flatten()
    }

    /// Of a counter, per second.
    fn growth(&self, name: &str) -> Option<f64> {
        self.window.growth(&self.record.sampling, name)
    }

    /// The mean of what a signal says of a moment.
    fn level(&self, name: &str) -> Option<f64> {
        let samples = &self.record.sampling.samples;
        let of = |sample: &Sample| Some(*sample.counters.as_ref()?.get(name)? as f64);
        let enough = self.window.sampled(samples, |sample| of(sample).is_some()) >= SAMPLED;
        enough.then(|| self.window.mean(samples, of)).flatten()
    }

    fn server_cpus(&self) -> Option<f64> {
        self.mean(|sample| Some(sample.server?.cpus))
    }

    /// Processors that the load generator uses, and what is on the way of the load on its machine: a delay is
    /// a thread of its own.
    fn generator_cpus(&self) -> f64 {
        let delay = self.load.delay.map_or(0.0, |delay| delay.cpu_seconds);
        let proxy = self.mean(|sample| Some(sample.proxy?.cpus)).unwrap_or(0.0);
        (self.load.client.cpu_seconds + delay) / self.window.seconds() + proxy
    }

    /// The share of time in which a sync was under way: the target's own account where it keeps one,
    /// else the number of its syncs times what a write and a flush take on its disks.
    fn syncing(&self, disk: Option<&DiskRates>) -> Option<f64> {
        let syncs = self.growth(signal::SYNCS)?;
        let timed = || Some(self.growth(signal::SYNC_MICROS)? / 1e6);
        let by_disk = || {
            let disk = disk?;
            let write = disk.write_await_ms.unwrap_or(0.0);
            Some(syncs * (write + disk.flush_await_ms.unwrap_or(0.0)) / 1e3)
        };
        timed().or_else(by_disk).map(|share| share.min(1.0))
    }
}

/// How much of what it may do a device did, by that of its limits that is nearest.
fn of_limit(disk: &DiskRates, limits: IoLimits) -> Option<f64> {
    let of = |did: f64, limit: Option<u64>| limit.map(|limit| did / limit as f64);
    let all = [
        // What the queue merged was counted before.
        of(disk.reads + disk.reads_merged, limits.read_iops),
        of(disk.writes + disk.writes_merged, limits.write_iops),
        of(disk.read_bytes, limits.read_bytes),
        of(disk.written_bytes, limits.write_bytes),
    ];
    all.into_iter().flatten().reduce(f64::max)
}
