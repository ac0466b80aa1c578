//! What the workers of a process have in common: how they begin together, and how what they did is
//! put together.

use crate::Stop;
use crate::account::{Account, Named};
use crate::error::LoadError;
use crate::part::PartProgress;
use crate::recorder::{Ended, Recorded};
use crate::result::{CpuWindow, Intervals};
use crate::usage::{cpus_allowed, peak_rss_bytes, process_cpu};
use crate::{Clock, Nanos, Schedule};
use model::{ClientCost, IoMethod, Latencies, Packets, Phase, WorkersTried};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Thread;
use std::time::Duration;

/// How often the coordinator looks whether it is to start or to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long after the last operation began it is said that answers are waited for.
pub const OVERDUE: Duration = Duration::from_secs(1);

/// What the coordinator tells all workers.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// When the load begins; 0 until that is known.
    start: AtomicU64,
    /// Whether to end at once.
    abort: AtomicBool,
}

impl Control {
    fn start_at(&self, at: Nanos) {
        self.start.store(at.0.max(1), Ordering::Release);
    }

    pub(crate) fn abort(&self) {
        self.abort.store(true, Ordering::Release);
    }

    /// When the load began, once it has.
    pub(crate) fn started(&self) -> Option<Nanos> {
        match self.start.load(Ordering::Acquire) {
            0 => None,
            at => Some(Nanos(at)),
        }
    }

    /// When the load began, once it has; until then how long a worker may wait before it looks again, `most`
    /// where that is not known.
    pub(crate) fn begun(&self, now: Nanos, most: Duration) -> Result<Nanos, Duration> {
        match self.started().map(|start| (start, start.since(now))) {
            Some((start, Duration::ZERO)) => Ok(start),
            Some((_, left)) => Err(left.min(most)),
            None => Err(most),
        }
    }

    /// To be called again and again while a worker works.
    ///
    /// # Errors
    /// When the load is to end at once.
    pub(crate) fn check(&self) -> Result<(), LoadError> {
        match self.abort.load(Ordering::Acquire) {
            true => Err(LoadError::Stopped),
            false => Ok(()),
        }
    }
}

/// What a worker did; `extra` is what only workers of its kind have.
#[derive(Debug)]
pub(crate) struct Report<X> {
    pub(crate) recorded: Recorded,
    /// Processor time of this thread in the measured phase.
    pub(crate) cpu: Duration,
    /// Longest time between two waits.
    pub(crate) max_lag: Duration,
    /// How bytes were moved.
    pub(crate) io: IoMethod,
    /// How late replies were noticed in the measured phase.
    pub(crate) receive_delays: Latencies,
    /// As in [`ClientCost::packets`].
    pub(crate) packets: Option<Packets>,
    /// How long after the start it began.
    pub(crate) begun_late: Duration,
    pub(crate) extra: X,
}

/// How a worker that waits for the start is woken.
pub(crate) enum Wake {
    /// It waits for its sockets.
    Poll(mio::Waker),
    /// It is parked.
    Thread(Thread),
}

/// What a worker tells the coordinator.
pub(crate) enum Message<X> {
    Ready(Wake),
    Interval(Box<Ended>),
    Ended(Box<Result<Report<X>, LoadError>>),
}

/// Lets the workers of a part of a load begin together and merges what they did.
pub(crate) struct Coordinator<'a, X> {
    /// How many operations this part can have under way at once.
    pub(crate) clients: u32,
    pub(crate) schedule: Schedule,
    pub(crate) named: Named,
    pub(crate) workers: u32,
    /// By what their number was chosen.
    pub(crate) workers_tried: Option<WorkersTried>,
    /// Longest time in which all workers must be ready.
    pub(crate) ready_limit: Duration,
    pub(crate) control: &'a Control,
    pub(crate) messages: mpsc::Receiver<Message<X>>,
    pub(crate) stop: &'a Stop,
    /// Called again and again while the load runs, with the moments of its start and of now.
    pub(crate) look: &'a mut dyn FnMut(Nanos, Nanos),
}

impl<X> Coordinator<'_, X> {
    /// Runs the part to its end. What only workers of this kind have comes in no order.
    pub(crate) fn run(
        self,
        start: &mut dyn FnMut() -> Option<Nanos>,
        progress: &mut dyn FnMut(PartProgress),
    ) -> Result<(Account, Vec<X>), LoadError> {
        let began = Clock.now();
        let wakers = self.wait_until_ready(began)?;
        let connect_time = Clock.now().since(began);
        progress(PartProgress::Ready);
        let start = self.wait_for_start(start)?;
        self.control.start_at(start);
        // By reference: a waker of mio that is dropped takes the wake-up with it that a busy machine has
        // not delivered yet, and its worker begins when the wait of its sockets times out.
        for waker in &wakers {
            match waker {
                Wake::Poll(waker) => waker.wake().map_err(LoadError::System)?,
                Wake::Thread(thread) => thread.unpark(),
            }
        }

        let mut cpu = CpuWindow::new(self.schedule, start, process_cpu);
        (self.look)(start, start);
        let mut intervals = Intervals::new(self.workers);
        let mut recorded: Option<Recorded> = None;
        let mut client = ClientCost {
            workers: self.workers,
            workers_tried: self.workers_tried,
            cpus_allowed: cpus_allowed(),
            packets: Some(Packets::default()),
            ..ClientCost::default()
        };
        let (mut busiest, mut begun_late) = (Duration::ZERO, Duration::ZERO);
        let mut delays = Latencies::new();
        let mut extras = Vec::new();
        let mut waits_from = self.schedule.last_begin(start).plus(OVERDUE);
        while extras.len() < self.workers as usize {
            let message = self.next_message()?;
            let now = Clock.now();
            if now >= waits_from {
                waits_from = Nanos::NEVER;
                progress(PartProgress::Waiting);
            }
            cpu.look(now);
            (self.look)(start, now);
            match message {
                None | Some(Message::Ready(_)) => {}
                Some(Message::Interval(interval)) => {
                    if let Some(interval) = intervals.add(*interval) {
                        progress(PartProgress::Interval(Box::new(interval)));
                    }
                }
                Some(Message::Ended(report)) => {
                    let report = (*report)?;
                    extras.push(report.extra);
                    busiest = busiest.max(report.cpu);
                    begun_late = begun_late.max(report.begun_late);
                    client.io = report.io;
                    client.packets = Packets::together(client.packets, report.packets);
                    delays.merge(&report.receive_delays);
                    client.max_loop_lag = client.max_loop_lag.max(report.max_lag);
                    match &mut recorded {
                        None => recorded = Some(report.recorded),
                        Some(recorded) => recorded.add(report.recorded),
                    }
                }
            }
        }
        let recorded = recorded.ok_or(LoadError::Stopped)?;
        let rest = intervals.rest().into_iter().map(Box::new);
        rest.for_each(|rest| progress(PartProgress::Interval(rest)));
        let measured = recorded.elapsed(Phase::Measure).as_secs_f64();
        client.cpu_seconds = cpu.used().as_secs_f64();
        client.busiest_worker = if measured > 0.0 { busiest.as_secs_f64() / measured } else { 0.0 };
        client.peak_rss_bytes = peak_rss_bytes();
        let account = Account {
            clients: self.clients,
            named: self.named,
            connect_time,
            recorded,
            client,
            delays,
            begun_late,
            fleet: None,
            delay: None,
        };
        Ok((account, extras))
    }

    fn wait_until_ready(&self, began: Nanos) -> Result<Vec<Wake>, LoadError> {
        let mut ready = Vec::new();
        while ready.len() < self.workers as usize {
            if Clock.now() >= began.plus(self.ready_limit) {
                let (clients, limit) = (self.clients, self.ready_limit);
                return Err(LoadError::ConnectTimeout { clients, limit });
            }
            match self.next_message()? {
                Some(Message::Ready(waker)) => ready.push(waker),
                Some(Message::Ended(result)) => {
                    (*result)?;
                }
                Some(Message::Interval(_)) | None => {}
            }
        }
        Ok(ready)
    }

    /// Waits until it is known when to start; workers that fail meanwhile end the load.
    fn wait_for_start(&self, start: &mut dyn FnMut() -> Option<Nanos>) -> Result<Nanos, LoadError> {
        loop {
            if let Some(at) = start() {
                return Ok(at);
            }
            if let Some(Message::Ended(result)) = self.next_message()? {
                (*result)?;
            }
        }
    }

    fn next_message(&self) -> Result<Option<Message<X>>, LoadError> {
        if self.stop.is_requested() {
            return Err(LoadError::Stopped);
        }
        match self.messages.recv_timeout(POLL_INTERVAL) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(LoadError::Stopped),
        }
    }
}

/// Starts a worker's thread, which must not end before it has told how it ended.
pub(crate) fn spawn<'scope, X: Send + 'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    index: u32,
    sender: mpsc::Sender<Message<X>>,
    work: impl FnOnce(&mpsc::Sender<Message<X>>) -> Result<Report<X>, LoadError> + Send + 'scope,
) -> io::Result<()> {
    std::thread::Builder::new().name(format!("load-{index}")).spawn_scoped(scope, move || {
        let ended = work(&sender);
        // The coordinator may have given up listening.
        let _ = sender.send(Message::Ended(Box::new(ended)));
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limit;
    use mio::{Events, Poll, Token, Waker};
    use std::time::Duration;

    #[test]
    fn a_worker_that_is_slow_to_wait_is_woken_all_the_same() {
        let (control, stop) = (Control::default(), Stop::default());
        let (sender, messages) = mpsc::channel::<Message<()>>();
        std::thread::scope(|scope| {
            let control = &control;
            let worker = scope.spawn(move || {
                let mut poll = Poll::new().unwrap();
                let waker = Waker::new(poll.registry(), Token(0)).unwrap();
                sender.send(Message::Ready(Wake::Poll(waker))).unwrap();
                while control.started().is_none() {
                    std::thread::yield_now();
                }
                // The coordinator has gone on to other things by now, as it has where a worker gets no
                // processor; were it still about to wake, the test would pass for nothing. Where it is
                // held up itself, its only wake-up comes later.
                std::thread::sleep(Duration::from_millis(200));
                let mut events = Events::with_capacity(1);
                poll.poll(&mut events, Some(Duration::from_secs(60))).unwrap();
                let woken = !events.is_empty();
                let _ = sender.send(Message::Ended(Box::new(Err(LoadError::Stopped))));
                woken
            });
            let coordinator = Coordinator {
                clients: 1,
                schedule: Schedule {
                    warmup: Duration::ZERO,
                    limit: Limit::Window(Duration::from_secs(1)),
                    turns: None,
                },
                named: Named::new(&[], Vec::new(), Vec::new()),
                workers: 1,
                workers_tried: None,
                ready_limit: Duration::from_secs(60),
                control,
                messages,
                stop: &stop,
                look: &mut |_, _| {},
            };
            let ran = coordinator.run(&mut || Some(Clock.now()), &mut |_| {});
            assert!(matches!(ran, Err(LoadError::Stopped)));
            assert!(worker.join().unwrap(), "the wake-up was lost");
        });
    }
}
