//! How many workers suit few clients of a server on this host: tried out, on an echo.
//!
//! One worker takes replies together, and wakes threads of the server on every processor; a worker on
//! each processor wakes those of its own, and takes fewer replies at a time. Which costs less differs
//! from machine to machine: on some a wake-up across processors costs five times as much as one on the
//! same. So both are tried for a moment, with as many clients, against threads that answer as a
//! server's do, one for each.

use crate::load::LoadSpec;
use crate::{Action, Address, Clock, ErrorPolicy, Event, Limit, Schedule, Session, SessionError};
use model::{Effect, RequestKind, RequestTally, Stop, WorkersTried};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What came of it, by clients: all loads of a process are driven alike.
static TRIED: Mutex<BTreeMap<u32, Option<WorkersTried>>> = Mutex::new(BTreeMap::new());

/// Each is tried twice, in the order few, each, each, few.
const WARMUP: Duration = Duration::from_millis(3);
const MEASURED: Duration = Duration::from_millis(10);

/// How long the server works on a request. Looking a row up takes a server about as much beyond its
/// system calls, which the echo has too.
const WORK: Duration = Duration::from_micros(10);

/// How long anything else may take, before it is given up.
const LIMIT: Duration = Duration::from_secs(2);

/// What few workers, and one on each processor, do a second with so many clients. `run` runs a load of
/// [`Asker`]s, and says how many operations it did in the measured moment. Absent where it cannot be
/// tried.
pub(crate) fn tried(
    clients: u32,
    [few, each]: [u32; 2],
    run: &impl Fn(&LoadSpec) -> Option<u64>,
) -> Option<WorkersTried> {
    // What a panic left behind is whole: an entry is there or not.
    let mut all = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    *all.entry(clients).or_insert_with(|| {
        let done = |workers| with_echo(|address| run(&load(clients, workers, address)));
        let rate = |workers| done(workers).map(|operations| operations as f64);
        let [first, second, third, last] = [rate(few)?, rate(each)?, rate(each)?, rate(few)?];
        let per_second = |two: f64| two / (2.0 * MEASURED.as_secs_f64());
        Some(WorkersTried {
            few_per_second: per_second(first + last),
            each_per_second: per_second(second + third),
        })
    })
}

/// Runs something beside threads that answer at an address.
pub(crate) fn with_echo<R>(run: impl FnOnce(Address) -> Option<R>) -> Option<R> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
    let address = listener.local_addr().ok()?;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = &over;
        let accept = move || {
            while let Ok((connection, _)) = listener.accept() {
                let echo = || std::thread::Builder::new().spawn_scoped(scope, || echo(connection));
                if over.load(Ordering::Acquire) || echo().is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new().spawn_scoped(scope, accept).ok()?;
        let done = run(Address::Tcp(address));
        over.store(true, Ordering::Release);
        // Whoever accepts waits for one more.
        drop(TcpStream::connect(address));
        done
    })
}

/// A load for a moment.
pub(crate) fn load(clients: u32, workers: u32, address: Address) -> LoadSpec {
    LoadSpec {
        addresses: vec![address],
        delay: None,
        tls: None,
        clients,
        workers: Some(workers),
        io: None,
        schedule: Schedule { warmup: WARMUP, limit: Limit::Window(MEASURED), turns: None },
        open: None,
        reconnect_after: None,
        policy: ErrorPolicy {
            codes: Vec::new(),
            conflict: Action::Stop,
            connection: Action::Stop,
            other: Action::Stop,
        },
        connect_limit: LIMIT,
        drain_limit: LIMIT,
        fails_unanswered: true,
        enough: Stop::default(),
    }
}

/// Answers as long as it is asked.
fn echo(mut connection: TcpStream) {
    let mut request = [0; REQUEST.len()];
    // Who does not set it waits longer for every answer; it changes nothing else.
    let _ = connection.set_nodelay(true);
    while connection.read_exact(&mut request).is_ok() {
        let until = Clock.now().plus(WORK);
        while Clock.now() < until {
            std::hint::spin_loop();
        }
        if connection.write_all(&request).is_err() {
            break;
        }
    }
}

/// About as long as a statement that was prepared, with its parameter.
const REQUEST: [u8; 32] = [b'?'; 32];

/// Asks, and takes what comes for an answer.
pub(crate) struct Asker;

static KINDS: [RequestKind; 1] = [RequestKind::uncounted("ask", Effect::Read)];

impl Session for Asker {
    const KINDS: &'static [RequestKind] = &KINDS;

    fn open(&mut self, out: &mut Vec<u8>) {
        out.extend([b'!'; REQUEST.len()]);
    }

    fn tls_started(&mut self, _: &mut Vec<u8>) {}

    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend(REQUEST);
    }

    fn receive(
        &mut self,
        input: &[u8],
        _: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        Ok(match input.first() {
            Some(b'!') if input.len() >= REQUEST.len() => (REQUEST.len(), Event::Ready),
            Some(_) if input.len() >= REQUEST.len() => {
                tally.kinds[0] += 1;
                (REQUEST.len(), Event::Done)
            }
            _ => (0, Event::More),
        })
    }

    fn close(&mut self, _: &mut Vec<u8>) {}
}
