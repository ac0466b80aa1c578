use super::account::FleetPart;
use super::pool::Pool;
use super::transport::{Kind, Request, Transport};
use crate::coordinator::{Control, Report};
use crate::error::LoadError;
use crate::recorder::Ended;
use crate::usage::{set_niceness, thread_cpu};
use crate::{Clock, Nanos, Schedule};
use model::{IoMethod, Latencies};
use std::io;
use std::time::Duration;

/// How long a worker waits at most before it looks around.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// Requests that are handed over with one system call while completions are taken in. More would
/// cost less, and let the storage wait for work: with 32 reads of 4 KiB in flight, 4 cost a tenth
/// less processor time for each than 2 do, and made 2 to 3 % fewer a second.
const BATCH: usize = 2;

/// What a worker needs to know.
pub(super) struct WorkerSpec<'a> {
    pub(super) schedule: Schedule,
    /// How long to wait for what is under way after the last operation began.
    pub(super) drain_limit: Duration,
    pub(super) clock: Clock,
    pub(super) control: &'a Control,
    pub(super) io: IoMethod,
}

/// One thread's virtual machines, and what carries out what they ask for.
pub(super) struct Worker<'a, T> {
    pub(super) spec: WorkerSpec<'a>,
    pub(super) pool: Pool,
    pub(super) transport: T,
}

impl<T: Transport> Worker<'_, T> {
    /// Waits for the start and runs the load to its end. `intervals` is given every interval soon
    /// after it ended.
    pub(super) fn work(
        mut self,
        mut intervals: impl FnMut(Ended),
    ) -> Result<Report<FleetPart>, LoadError> {
        // A completion that waits for this thread would count as time that the storage took.
        set_niceness(self.pool.len());
        let start = self.wait_for_start()?;
        let begun_late = self.spec.clock.now().since(start);
        let schedule = self.spec.schedule;
        let (measure_from, window_end) = (schedule.measure_from(start), schedule.window_end(start));
        let (mut cpu_before, mut cpu_after) = (None, None);
        let mut max_lag = Duration::ZERO;
        let mut requests = Vec::new();
        let mut now = self.spec.clock.now();
        self.pool.start(start, now, &mut requests);
        while !self.pool.is_finished(now) {
            self.spec.control.check()?;
            self.push(&mut requests).map_err(LoadError::System)?;
            let timeout = LONGEST_WAIT.min(self.pool.next_moment(now).since(now));
            let woke = self.transport.wait(timeout).map_err(LoadError::System)?;
            now = self.take_in(woke, &mut requests)?;
            self.pool.tick(now, &mut requests);
            max_lag = max_lag.max(now.since(woke));
            if now >= measure_from && cpu_before.is_none() {
                cpu_before = Some(thread_cpu());
            }
            if now >= window_end {
                cpu_after.get_or_insert_with(thread_cpu);
            }
            if now >= self.pool.last_begin().plus(self.spec.drain_limit) {
                self.pool.give_up(now);
            }
            self.pool.take_intervals().into_iter().for_each(&mut intervals);
        }
        let cpu_after = cpu_after.unwrap_or_else(thread_cpu);
        let (mut recorder, extra) = self.pool.close(now).ok_or(LoadError::Stopped)?;
        recorder.intervals.drain(..).for_each(&mut intervals);
        let cpu = cpu_after - cpu_before.unwrap_or(cpu_after);
        // The kernel does not stamp completions: how late they are noticed is not known.
        let receive_delays = Latencies::new();
        Ok(Report {
            recorded: recorder,
            cpu,
            max_lag,
            io: self.spec.io,
            receive_delays,
            packets: None,
            begun_late,
            extra,
        })
    }

    fn wait_for_start(&self) -> Result<Nanos, LoadError> {
        loop {
            self.spec.control.check()?;
            match self.spec.control.begun(self.spec.clock.now(), LONGEST_WAIT) {
                Ok(start) => return Ok(start),
                Err(left) => std::thread::park_timeout(left),
            }
        }
    }

    /// Handles what was found done, and hands over what follows from it a few at a time. One look
    /// at the clock serves for each of these. Returns the last.
    fn take_in(&mut self, woke: Nanos, requests: &mut Vec<Request>) -> Result<Nanos, LoadError> {
        let verifies = self.pool.verifies();
        let mut now = woke;
        while let Some(done) = self.transport.take() {
            let bytes = if verifies { u32::try_from(done.result).unwrap_or(0) } else { 0 };
            let content = self.transport.buffer(done.slot, Kind::Read, bytes);
            self.pool.completed(done, content, now, requests)?;
            if requests.len() >= BATCH {
                self.push(requests).map_err(LoadError::System)?;
                self.transport.submit().map_err(LoadError::System)?;
                now = self.spec.clock.now();
            }
        }
        Ok(self.spec.clock.now())
    }

    fn push(&mut self, requests: &mut Vec<Request>) -> io::Result<()> {
        for request in requests.drain(..) {
            if request.kind == Kind::Write {
                let buffer = self.transport.buffer(request.slot, Kind::Write, request.bytes);
                self.pool.fill(&request, buffer);
            }
            self.transport.push(&request)?;
        }
        Ok(())
    }
}
