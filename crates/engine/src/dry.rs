//! A load on no server at all: what its clients could do if every answer came at once. The requests are
//! made in full and thrown away.

use crate::account::Account;
use crate::coordinator::{Message, Report, Wake};
use crate::load::{LoadSpec, RunLoad, Timing};
use crate::part::PartRun;
use crate::pool::Next;
use crate::run::run_part;
use crate::socket::WorkerSpec;
use crate::usage::thread_cpu;
use crate::{Answered, Event, LoadError, Nanos, Pool, ServedBy, Session, SessionError};
use model::{IoMethod, Latencies, RequestKind, RequestTally};
use std::sync::mpsc;
use std::time::Duration;

/// How long a worker with nothing to do rests before it looks around.
const REST: Duration = Duration::from_millis(1);
/// How many answers are given to all clients in turns before the worker looks around.
const ANSWERS: usize = 64;

/// A session that can do without a server.
pub trait WithoutServer: Session {
    /// Logged in, with everything prepared.
    fn pretend_login(&mut self);

    /// Its request was answered without error; appends and counts as [`Session::receive`] does.
    fn pretend_answer(&mut self, out: &mut Vec<u8>, tally: &mut RequestTally) -> Event;
}

/// A load on no server; the address and encryption of its description are of no importance.
pub struct DryLoad<'a, F> {
    pub spec: &'a LoadSpec,
    /// Makes the session of each client, numbered from 0 over all parts.
    pub session: F,
}

impl<S: WithoutServer, F: Fn(u32) -> S + Sync> RunLoad for DryLoad<'_, F> {
    fn timing(&self) -> Timing<'_> {
        self.spec.timing()
    }

    fn run_part(&self, run: &mut PartRun<'_>) -> Result<Account, LoadError> {
        let session = |client| Pretending { session: (self.session)(client), online: false };
        run_part(self.spec, session, pretend, run)
    }
}

/// A session to which one byte of any value is an answer.
struct Pretending<S> {
    session: S,
    online: bool,
}

impl<S: WithoutServer> Session for Pretending<S> {
    const KINDS: &'static [RequestKind] = S::KINDS;
    const BY_STATEMENT: bool = S::BY_STATEMENT;
    const SERVED_BY: ServedBy = S::SERVED_BY;

    fn kinds(&self) -> &'static [RequestKind] {
        self.session.kinds()
    }

    fn names(&self) -> Vec<String> {
        self.session.names()
    }

    fn open(&mut self, _: &mut Vec<u8>) {
        self.session.pretend_login();
        self.online = false;
    }

    fn tls_started(&mut self, _: &mut Vec<u8>) {}

    #[inline]
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.session.begin(out);
    }

    fn resume(&mut self, out: &mut Vec<u8>) {
        self.session.resume(out);
    }

    #[inline]
    fn take_event(&mut self) -> Option<Event> {
        self.session.take_event()
    }

    #[inline]
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let event = match std::mem::replace(&mut self.online, true) {
            false => Event::Ready,
            true => self.session.pretend_answer(out, tally),
        };
        Ok((input.len(), event))
    }

    #[inline]
    fn take_answered(&mut self) -> Option<Answered> {
        self.session.take_answered()
    }

    fn awaited(&self) -> Option<usize> {
        self.session.awaited()
    }

    fn transaction_names(&self) -> Vec<String> {
        self.session.transaction_names()
    }

    fn transaction(&self) -> Option<usize> {
        self.session.transaction()
    }

    fn close(&mut self, _: &mut Vec<u8>) {}
}

/// Drives the clients of one worker, to which every answer comes at once.
fn pretend<S: Session>(
    spec: WorkerSpec,
    mut pool: Pool<S>,
    sender: &mpsc::Sender<Message<()>>,
) -> Result<Report<()>, LoadError> {
    let mut out = Vec::new();
    for id in 0..pool.len() {
        let now = spec.clock.now();
        pool.opened(id, &mut out);
        pool.receive(id, &[0], now, now, &mut out)?;
    }
    let _ = sender.send(Message::Ready(Wake::Thread(std::thread::current())));
    let start = wait_for_start(&spec)?;
    let begun_late = spec.clock.now().since(start);
    pool.start(start);
    let measure_from = spec.schedule.measure_from(start);
    let mut cpu_before = None;
    for id in 0..pool.len() {
        begin(&mut pool, id, spec.clock.now(), &mut out);
    }
    let ended = loop {
        spec.control.check()?;
        for _ in 0..ANSWERS {
            for id in 0..pool.len() {
                out.clear();
                if pool.is_busy(id) {
                    let now = spec.clock.now();
                    let (_, next) = pool.receive(id, &[0], now, now, &mut out)?;
                    if next == Next::Renew {
                        pool.opened(id, &mut out);
                    }
                }
            }
        }
        let now = spec.clock.now();
        while let Some(id) = pool.dispatch(now) {
            begin(&mut pool, id, now, &mut out);
        }
        if let Some(error) = pool.take_error() {
            return Err(error.into());
        }
        pool.tick(now);
        if now >= measure_from {
            cpu_before.get_or_insert_with(thread_cpu);
        }
        for interval in pool.take_intervals() {
            let _ = sender.send(Message::Interval(Box::new(interval)));
        }
        if pool.is_finished(now) {
            break now;
        }
        if pool.busy() == 0 {
            let due = pool.next_due().map_or(REST, |due| due.since(now));
            std::thread::park_timeout(due.min(REST));
        }
    };
    let mut recorded = pool.close(ended).ok_or(LoadError::Stopped)?;
    for interval in recorded.intervals.drain(..) {
        let _ = sender.send(Message::Interval(Box::new(interval)));
    }
    let cpu = thread_cpu() - cpu_before.unwrap_or_else(thread_cpu);
    Ok(Report {
        recorded,
        cpu,
        max_lag: Duration::ZERO,
        io: IoMethod::Epoll,
        receive_delays: Latencies::new(),
        packets: None,
        begun_late,
        extra: (),
    })
}

/// Lets a client begin; a new connection is there at once.
fn begin<S: Session>(pool: &mut Pool<S>, id: usize, now: Nanos, out: &mut Vec<u8>) {
    if pool.begin(id, now, out) == Next::Renew {
        pool.opened(id, out);
    }
}

fn wait_for_start(spec: &WorkerSpec) -> Result<Nanos, LoadError> {
    loop {
        spec.control.check()?;
        match spec.control.begun(spec.clock.now(), REST) {
            Ok(start) => return Ok(start),
            Err(left) => std::thread::park_timeout(left),
        }
    }
}
