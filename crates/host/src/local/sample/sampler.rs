//! The thread that samples while a trial runs.

use super::companions::Companions;
use super::counters::CounterThread;
use super::grid::Grid;
use super::host::{HostReader, HostReading, rates};
use super::process::{ProcessReader, ProcessReading, own_usage};
use super::processes::Processes;
use super::threads::Threads;
use crate::local::processors::Holding;
use crate::question::{MeasuredPhase, SampleSink, SamplerOptions};
use engine::DELAY_THREAD;
use model::{OwnProcessors, ProcessorUse, Sample};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longest time that a sample waits for the server's counters.
const MAX_TIMEOUT: Duration = Duration::from_secs(1);

/// Samples in the background from [`Sampler::start`] to [`Sampler::stop`].
///
/// Samples end multiples of `every` before and after the moment at which measuring begins, and at
/// the one at which it ends. One that comes late doesn't shift the next, and moments that were
/// missed are covered by the next sample, whose length says so.
///
/// Counters that take longer than half of `every`, or than a second, are left out of their sample,
/// and the server is not asked again until it has answered: a stalled server costs counters, not
/// readings of the host. One that answers late is given more time from then on, up to a second.
#[derive(Debug)]
pub struct Sampler {
    stop: Sender<()>,
    thread: JoinHandle<Sampled>,
}

/// What was sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampled {
    /// In order of time.
    pub samples: Vec<Sample>,
    /// Which processes used the processors while the load measured.
    pub processor_use: ProcessorUse,
}

impl Sampler {
    /// Starts sampling; the first sample comes within `options.every`, unless that were at once.
    pub fn start(options: SamplerOptions) -> Self {
        let (stop, stopped) = channel();
        let thread = thread::spawn(move || Sampling::new(options).run(&stopped));
        Self { stop, thread }
    }

    /// Ends sampling and returns all samples.
    ///
    /// The last one covers what has passed since the one before, unless that is less than a
    /// tenth of the usual length and than 100 ms: the kernel's clock ticks are too coarse for it.
    pub fn stop(self) -> Sampled {
        // The thread may have ended by a panic in the caller's `on_sample`, which has been
        // reported already; the trial then has no samples.
        let _ = self.stop.send(());
        self.thread.join().unwrap_or_default()
    }
}

/// All cumulative readings of one moment.
struct Moment {
    host: HostReading,
    server: Option<ProcessReading>,
    replicas: Option<ProcessReading>,
    proxy: Option<ProcessReading>,
    /// Processor time of the delays on the way, which is no part of the client's.
    delay: Option<Duration>,
    client: ProcessReading,
}

/// State of the sampling thread.
struct Sampling {
    grid: Grid,
    timeout: Duration,
    origin: Instant,
    host: HostReader,
    server: Option<ProcessReader>,
    replicas: Option<Companions>,
    proxy: Option<ProcessReader>,
    delay: Option<Threads>,
    companions: Companions,
    counters: Option<CounterThread>,
    on_sample: Option<SampleSink>,
    samples: Vec<Sample>,
    processes: Processes,
    /// The processors that are watched, where that is not all of them.
    own: Option<Arc<Holding>>,
    measured: Vec<MeasuredPhase>,
}

impl Sampling {
    fn new(options: SamplerOptions) -> Self {
        let makers: Vec<u32> =
            [std::process::id()].into_iter().chain(options.companions.iter().copied()).collect();
        let own = makers.iter().copied().chain(options.server_pid).chain(options.proxy_pid);
        let ours = own.chain(options.replica_pids.iter().copied()).collect();
        let every = options.every.max(Duration::from_millis(10));
        Self {
            grid: Grid::new(options.origin, &options.measured, every),
            timeout: (every / 2).min(MAX_TIMEOUT),
            origin: options.origin,
            host: HostReader::of_processors(options.processors.clone()),
            server: options.server_pid.map(ProcessReader::new),
            replicas: (!options.replica_pids.is_empty())
                .then(|| Companions::new(&options.replica_pids)),
            proxy: options.proxy_pid.map(ProcessReader::new),
            // Those that make the load have begun them before it.
            delay: Threads::named(DELAY_THREAD, &makers),
            companions: Companions::new(&options.companions),
            counters: options.counters.map(CounterThread::start),
            on_sample: options.on_sample,
            samples: Vec::new(),
            processes: Processes::new(ours, options.measured.clone(), options.processors.clone()),
            own: options.processors,
            measured: options.measured,
        }
    }

    fn run(mut self, stopped: &Receiver<()>) -> Sampled {
        let mut earlier = self.moment();
        let at_seconds = seconds_between(self.origin, earlier.host.taken_at);
        self.processes.sampled(&Sample { at_seconds, ..Sample::default() });
        loop {
            let due = self.grid.next(earlier.host.taken_at);
            let wait = due.saturating_duration_since(Instant::now());
            // A caller that dropped the sampler without stopping it wants no more samples either.
            let last = !matches!(stopped.recv_timeout(wait), Err(RecvTimeoutError::Timeout));
            if last && earlier.host.taken_at.elapsed() < self.grid.sliver() {
                return self.sampled();
            }
            let later = self.moment();
            self.add(&earlier, &later);
            if last {
                return self.sampled();
            }
            earlier = later;
        }
    }

    fn moment(&mut self) -> Moment {
        let host = self.host.read();
        let mut client = self.companions.added_to(own_usage());
        Moment {
            host,
            server: self.server.as_ref().and_then(ProcessReader::read),
            replicas: self.replicas.as_mut().map(Companions::read),
            proxy: self.proxy.as_ref().and_then(ProcessReader::read),
            delay: self.delay.as_mut().map(|threads| threads.taken_from(&mut client)),
            client,
        }
    }

    fn sampled(mut self) -> Sampled {
        self.processes.end();
        let processor_use =
            ProcessorUse { apart: self.own_processors(), ..self.processes.processor_use() };
        Sampled { samples: self.samples, processor_use }
    }

    /// Which processors it had while the load measured, where these were not all.
    fn own_processors(&self) -> Option<OwnProcessors> {
        let now = Instant::now();
        let time = |phase: &MeasuredPhase| {
            (self.origin + phase.from, phase.until.map_or(now, |until| self.origin + until))
        };
        let times: Vec<_> = self.measured.iter().map(time).collect();
        self.own.as_ref().map(|own| own.during(&times))
    }

    fn add(&mut self, earlier: &Moment, later: &Moment) {
        let (cpu, disks) = rates(&earlier.host, &later.host);
        let usage = |earlier: &Option<ProcessReading>, later: &Option<ProcessReading>| {
            Some(later.as_ref()?.usage_since(earlier.as_ref()?))
        };
        let mut counters = self.counters.as_mut().and_then(|counters| counters.ask(self.timeout));
        if let Some(counters) = &mut counters {
            let known = self.samples.iter().rev().find_map(|sample| sample.counters.as_ref());
            known.iter().for_each(|known| counters.share_names(known));
        }
        let length = later.host.taken_at - earlier.host.taken_at;
        let delay_cpus = |(later, earlier): (Duration, Duration)| {
            let used = later.saturating_sub(earlier).as_secs_f64();
            if length.is_zero() { 0.0 } else { used / length.as_secs_f64() }
        };
        let sample = Sample {
            at_seconds: seconds_between(self.origin, later.host.taken_at),
            length,
            cpu,
            context_switches: later.host.switches_since(&earlier.host),
            disks,
            server: usage(&earlier.server, &later.server),
            replicas: usage(&earlier.replicas, &later.replicas),
            proxy: usage(&earlier.proxy, &later.proxy),
            delay_cpus: later.delay.zip(earlier.delay).map(delay_cpus),
            client: later.client.usage_since(&earlier.client),
            counters,
        };
        if let Some(on_sample) = &mut self.on_sample {
            on_sample(&sample);
        }
        self.processes.sampled(&sample);
        self.samples.push(sample);
    }
}

/// Seconds from `origin` to `moment`; negative when the moment lies before.
fn seconds_between(origin: Instant, moment: Instant) -> f64 {
    match moment.checked_duration_since(origin) {
        Some(after) => after.as_secs_f64(),
        None => -(origin - moment).as_secs_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_the_load_are_negative() {
        let origin = Instant::now();
        assert_eq!(seconds_between(origin, origin + Duration::from_millis(1500)), 1.5);
        assert_eq!(seconds_between(origin + Duration::from_millis(250), origin), -0.25);
    }
}
