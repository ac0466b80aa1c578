//! The crew in simulated time: fake sessions, no socket, no clock.

use super::*;
use crate::Limit;
use model::{Phase, StatementCounts};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// One byte asks, one byte answers: `r` success, `e` a conflict, `x` another error, `.` nothing
/// yet.
struct Fake;

impl Session for Fake {
    fn open(&mut self, _: &mut Vec<u8>) {}
    fn tls_started(&mut self, _: &mut Vec<u8>) {}
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.push(b'q');
    }
    fn receive(
        &mut self,
        input: &[u8],
        _: &mut Vec<u8>,
        counts: &mut StatementCounts,
    ) -> Result<(usize, Event), SessionError> {
        let event = match input[0] {
            b'l' => Event::Ready,
            b'.' => Event::More,
            b'e' => failed(ErrorClass::Conflict, 1213, "40001"),
            b'x' => failed(ErrorClass::Statement, 1146, "42S02"),
            b'r' => {
                counts.select += 1;
                Event::Done
            }
            _ => return Err(SessionError::Protocol("not a fake reply".to_owned())),
        };
        Ok((1, event))
    }
    fn close(&mut self, _: &mut Vec<u8>) {}
}

fn failed(class: ErrorClass, code: u16, sql_state: &str) -> Event {
    let message = "as the test wants it".to_owned();
    Event::Failed(Box::new(OperationError {
        class,
        code,
        sql_state: sql_state.to_owned(),
        message,
    }))
}

/// A server with unlimited parallelism: request `n` of a client takes `service(client, n)` and is
/// answered with the byte that comes with it; `None` is never answered.
fn simulate(
    clients: usize,
    schedule: Schedule,
    drain_limit: Duration,
    mut service: impl FnMut(usize, u64) -> Option<(Duration, u8)>,
) -> (Closed, Vec<Interval>) {
    let mut crew =
        Crew::new((0..clients).map(|_| Fake).collect(), schedule, Quota::new(schedule.events()));
    let mut out = Vec::new();
    for id in 0..clients {
        crew.opened(id, &mut out);
        crew.receive(id, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    }
    assert!(crew.is_ready());
    let start = Nanos(1_000);
    let mut replies = BinaryHeap::new();
    let mut asked = vec![0; clients];
    let mut intervals = Vec::new();
    crew.start(start);
    let mut ask = |id: usize, now: Nanos, out: &mut Vec<u8>, replies: &mut BinaryHeap<_>| {
        if out.is_empty() {
            return;
        }
        assert_eq!(out, b"q", "one request at a time");
        out.clear();
        if let Some((takes, answer)) = service(id, asked[id]) {
            replies.push(Reverse((now.plus(takes), id, answer)));
        }
        asked[id] += 1;
    };
    for id in 0..clients {
        crew.begin(id, start, &mut out);
        ask(id, start, &mut out, &mut replies);
    }
    let mut now = start;
    while !crew.is_finished(now) {
        match replies.pop() {
            Some(Reverse((at, id, answer))) => {
                now = at;
                crew.receive(id, &[answer], at, at, &mut out).unwrap();
                ask(id, at, &mut out, &mut replies);
            }
            None => {
                now = crew.last_begin().plus(drain_limit);
                crew.give_up(now);
            }
        }
        intervals.extend(crew.take_intervals());
    }
    let mut closed = crew.close(now).unwrap();
    intervals.append(&mut closed.intervals);
    assert!(closed.ledger.balances(), "{:?}", closed.ledger);
    (closed, intervals)
}

const MS: Duration = Duration::from_millis(1);

fn window(warmup: Duration, measure: Duration) -> Schedule {
    Schedule { warmup, limit: Limit::Window(measure) }
}

#[test]
fn a_steady_load_obeys_littles_law_and_fills_every_phase() {
    let (closed, intervals) =
        simulate(8, window(500 * MS, 2_000 * MS), MS, |_, _| Some((10 * MS, b'r')));
    let [warmup, measure, drain] = closed.totals;
    // A reply at the very edge belongs to the next phase.
    assert_eq!((warmup.transactions, measure.transactions), (8 * 49, 8 * 200));
    assert_eq!(drain.transactions, 8);
    assert_eq!(measure.elapsed, 2_000 * MS);
    let busy = measure.transactions_per_second() * closed.latencies.mean_ms().unwrap() / 1e3;
    assert!((busy - 8.0).abs() < 0.01, "{busy}");
    let lengths: Vec<_> = intervals.iter().map(|i| (i.phase, i.length.as_millis())).collect();
    assert_eq!(lengths, [(Phase::Warmup, 500), (Phase::Measure, 1_000), (Phase::Measure, 1_000)]);
}

#[test]
fn until_the_last_reply_everything_is_measured() {
    let limit = Limit::LastReply { duration: Some(1_000 * MS), events: None };
    let schedule = Schedule { warmup: Duration::ZERO, limit };
    let (closed, intervals) = simulate(3, schedule, MS, |_, _| Some((300 * MS, b'r')));
    let measure = closed.totals[Phase::Measure as usize];
    assert_eq!((measure.transactions, measure.elapsed), (12, 1_200 * MS));
    assert_eq!(closed.latencies.count(), 12);
    assert_eq!(intervals.iter().map(|i| i.transactions).sum::<u64>(), 12);
}

#[test]
fn exactly_so_many_events_run_whatever_their_pace() {
    let limit = Limit::LastReply { duration: None, events: Some(1_000) };
    let schedule = Schedule { warmup: Duration::ZERO, limit };
    let (closed, _) = simulate(7, schedule, MS, |id, n| {
        Some((MS * (1 + ((id as u64 * 7 + n * 13) % 10) as u32), b'r'))
    });
    assert_eq!(closed.ledger.scheduled, 1_000);
    assert_eq!(closed.ledger.ok, 1_000);
    assert_eq!(closed.statements.select, 1_000);
}

#[test]
fn a_stuck_server_ends_in_timeouts_not_in_silence() {
    let (closed, intervals) = simulate(4, window(Duration::ZERO, 3_000 * MS), 500 * MS, |_, n| {
        (n < 10).then_some((10 * MS, b'r'))
    });
    assert_eq!((closed.ledger.ok, closed.ledger.timed_out), (40, 4));
    // The seconds in which nothing came back are there, and are empty.
    assert_eq!(intervals.iter().map(|i| i.transactions).collect::<Vec<_>>(), [40, 0, 0]);
    assert_eq!(closed.totals[Phase::Measure as usize].elapsed, 3_000 * MS);
}

#[test]
fn failures_are_counted_by_code_and_kept_out_of_the_latencies() {
    let (closed, _) = simulate(2, window(Duration::ZERO, 1_000 * MS), MS, |_, n| {
        Some((10 * MS, if n % 4 == 3 { b'e' } else { b'r' }))
    });
    let measure = closed.totals[Phase::Measure as usize];
    assert_eq!((measure.errors, measure.transactions), (2 * 24, 2 * 75));
    assert_eq!(closed.latencies.count(), measure.transactions);
    let [error] = &closed.errors[..] else { panic!("one kind of error: {:?}", closed.errors) };
    assert_eq!((error.code, error.count), (1213, closed.ledger.failed));
}

#[test]
fn a_lost_connection_is_a_failure_of_what_was_under_way() {
    let schedule = window(Duration::ZERO, 1_000 * MS);
    let mut crew = Crew::new(vec![Fake, Fake], schedule, Quota::new(None));
    let mut out = Vec::new();
    for id in 0..2 {
        crew.receive(id, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    }
    crew.start(Nanos(0));
    crew.begin(0, Nanos(1), &mut out);
    crew.lost(0, Nanos(5_000), "reset by peer");
    crew.lost(1, Nanos(5_000), "reset by peer");
    let closed = crew.close(Nanos(2_000_000_000)).unwrap();
    assert_eq!((closed.ledger.scheduled, closed.ledger.failed), (1, 1));
    assert!(closed.ledger.balances());
    assert_eq!(closed.errors[0].class, ErrorClass::Connection);
}

#[test]
fn bytes_that_nobody_asked_for_end_the_load() {
    let schedule = window(Duration::ZERO, 1_000 * MS);
    let mut crew = Crew::new(vec![Fake], schedule, Quota::new(None));
    let mut out = Vec::new();
    crew.receive(0, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    crew.start(Nanos(0));
    assert!(crew.receive(0, b"r", Nanos(1), Nanos(1), &mut out).is_err());
}

#[test]
fn a_partial_answer_leaves_the_operation_under_way() {
    let (closed, _) = {
        let mut answers = 0;
        simulate(1, window(Duration::ZERO, 100 * MS), 10 * MS, move |_, _| {
            answers += 1;
            Some((MS, if answers == 5 { b'.' } else { b'r' }))
        })
    };
    assert_eq!((closed.ledger.ok, closed.ledger.timed_out), (4, 1));
}

#[test]
fn an_error_that_would_repeat_ends_the_load() {
    let schedule = window(Duration::ZERO, 1_000 * MS);
    let mut crew = Crew::new(vec![Fake], schedule, Quota::new(None));
    let mut out = Vec::new();
    crew.receive(0, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    crew.start(Nanos(0));
    crew.begin(0, Nanos(1), &mut out);
    let ended = crew.receive(0, b"x", Nanos(2), Nanos(2), &mut out);
    assert!(matches!(ended, Err(SessionError::Refused(error)) if error.code == 1146));
}
