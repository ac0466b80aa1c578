//! The pool in simulated time: fake sessions, no socket, no clock.

mod connections;
mod idle;
mod open_loop;
mod pauses;
mod turns;
mod unanswered;

use super::*;
use crate::{Limit, Unasked};
use model::{Effect, Interval, Phase, RequestKind, RequestTally};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

/// One byte asks, one byte answers: `r` success, `e` a conflict, `x` another error, `.` nothing
/// yet. `n` is a notice, and `<b>` says that the server closes the connection.
pub(crate) struct Fake;

static KINDS: [RequestKind; 1] = [RequestKind::uncounted("ask", Effect::Read)];

impl Session for Fake {
    const KINDS: &'static [RequestKind] = &KINDS;

    fn open(&mut self, _: &mut Vec<u8>) {}
    fn tls_started(&mut self, _: &mut Vec<u8>) {}
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.push(b'q');
    }
    fn receive(
        &mut self,
        input: &[u8],
        _: &mut Vec<u8>,
        tally: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let event = match input[0] {
            b'l' => Event::Ready,
            b'.' => Event::More,
            b'e' => failed(ErrorClass::Conflict, "1213", "40001"),
            b'x' => failed(ErrorClass::Statement, "1146", "42S02"),
            b'r' => {
                tally.kinds[0] += 1;
                Event::Done
            }
            _ => return Err(SessionError::Protocol("not a fake reply".to_owned())),
        };
        Ok((1, event))
    }
    fn unasked(&mut self, input: &[u8]) -> Result<Unasked, SessionError> {
        Ok(match input {
            [b'n', ..] => Unasked::Notice(1),
            [b'<', b'b', b'>', ..] => Unasked::Farewell,
            [b'<'] | [b'<', b'b'] => Unasked::Unfinished,
            _ => Unasked::Answer,
        })
    }
    fn close(&mut self, _: &mut Vec<u8>) {}
}

fn failed(class: ErrorClass, code: &str, sql_state: &str) -> Event {
    let message = "as the test wants it".to_owned();
    Event::Failed(Box::new(OperationError {
        class,
        code: code.to_owned(),
        sql_state: sql_state.to_owned(),
        message,
    }))
}

/// A closed loop with the default policy.
fn rules(schedule: Schedule) -> Rules {
    Rules {
        schedule,
        quota: Quota::new(schedule.events()),
        policy: ErrorPolicy::default(),
        arrivals: None,
        reconnect_after: None,
    }
}

/// A server with unlimited parallelism: request `n` of a client takes `service(client, n)` and is
/// answered with the byte that comes with it; `None` is never answered.
fn simulate(
    clients: usize,
    schedule: Schedule,
    drain_limit: Duration,
    mut service: impl FnMut(usize, u64) -> Option<(Duration, u8)>,
) -> (Recorded, Vec<Interval>) {
    let mut pool = Pool::new((0..clients).map(|_| Fake).collect(), rules(schedule));
    let mut out = Vec::new();
    for id in 0..clients {
        pool.opened(id, &mut out);
        pool.receive(id, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    }
    assert!(pool.is_complete());
    let start = Nanos(1_000);
    let mut replies = BinaryHeap::new();
    let mut asked = vec![0; clients];
    let mut intervals = Vec::new();
    pool.start(start);
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
        pool.begin(id, start, &mut out);
        ask(id, start, &mut out, &mut replies);
    }
    let mut now = start;
    while !pool.is_finished(now) {
        match replies.pop() {
            Some(Reverse((at, id, answer))) => {
                now = at;
                pool.receive(id, &[answer], at, at, &mut out).unwrap();
                ask(id, at, &mut out, &mut replies);
            }
            None => {
                now = pool.gives_up_at(drain_limit);
                pool.give_up(now);
            }
        }
        intervals.extend(pool.take_intervals().into_iter().map(|ended| ended.interval));
    }
    let mut closed = pool.close(now).unwrap();
    intervals.extend(closed.intervals.drain(..).map(|ended| ended.interval));
    assert!(closed.ledger.balances(), "{:?}", closed.ledger);
    (closed, intervals)
}

use open_loop::{offered, simulate_open};

const MS: Duration = Duration::from_millis(1);

fn window(warmup: Duration, measure: Duration) -> Schedule {
    Schedule { warmup, limit: Limit::Window(measure), turns: None }
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
    // A reply is a byte, and so is a request; the first of each client is sent in the warm-up.
    let carried = closed.totals.map(|phase| (phase.received_bytes, phase.sent_bytes));
    assert_eq!(carried, [(8 * 49, 8 * 50), (8 * 200, 8 * 200), (8, 0)]);
    let busy = measure.transactions_per_second() * closed.latencies.mean_ms().unwrap() / 1e3;
    assert!((busy - 8.0).abs() < 0.01, "{busy}");
    let lengths: Vec<_> = intervals.iter().map(|i| (i.phase, i.length.as_millis())).collect();
    assert_eq!(lengths, [(Phase::Warmup, 500), (Phase::Measure, 1_000), (Phase::Measure, 1_000)]);
}

#[test]
fn until_the_last_reply_everything_is_measured() {
    let limit = Limit::LastReply { duration: Some(1_000 * MS), events: None };
    let schedule = Schedule { warmup: Duration::ZERO, limit, turns: None };
    let (closed, intervals) = simulate(3, schedule, MS, |_, _| Some((300 * MS, b'r')));
    let measure = closed.totals[Phase::Measure as usize];
    assert_eq!((measure.transactions, measure.elapsed), (12, 1_200 * MS));
    assert_eq!(closed.latencies.count(), 12);
    assert_eq!(intervals.iter().map(|i| i.transactions).sum::<u64>(), 12);
}

#[test]
fn exactly_so_many_events_run_whatever_their_pace() {
    let limit = Limit::LastReply { duration: None, events: Some(1_000) };
    let schedule = Schedule { warmup: Duration::ZERO, limit, turns: None };
    let (closed, _) = simulate(7, schedule, MS, |id, n| {
        Some((MS * (1 + ((id as u64 * 7 + n * 13) % 10) as u32), b'r'))
    });
    assert_eq!(closed.ledger.scheduled, 1_000);
    assert_eq!(closed.ledger.ok, 1_000);
    assert_eq!(closed.tally.kinds[0], 1_000);
}

#[test]
fn the_warm_up_uses_up_no_events() {
    let limit = Limit::LastReply { duration: None, events: Some(20) };
    let schedule = Schedule { warmup: 300 * MS, limit, turns: None };
    // Replies fall on no edge, so each client has one transaction across the end of the warm-up.
    let (closed, _) = simulate(2, schedule, MS, |_, _| Some((7 * MS, b'r')));
    let [warmup, measure, _] = closed.totals;
    assert_eq!((warmup.transactions, measure.transactions), (2 * 42, 2 + 20));

    let arrivals = offered(1_000.0, 1_000, schedule);
    let closed = simulate_open(8, arrivals, |asked| asked.plus(MS));
    assert_eq!(closed.open.unwrap().scheduled, 20);
    assert_eq!(closed.ledger.ok, 300 + 20);
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
    assert_eq!((error.code.as_str(), error.count), ("1213", closed.ledger.failed));
}

#[test]
fn a_lost_connection_is_a_failure_of_what_was_under_way() {
    let schedule = window(Duration::ZERO, 1_000 * MS);
    let mut pool = Pool::new(vec![Fake, Fake], rules(schedule));
    let mut out = Vec::new();
    for id in 0..2 {
        pool.receive(id, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    }
    pool.start(Nanos(0));
    pool.begin(0, Nanos(1), &mut out);
    assert!(pool.lost(0, Nanos(5_000), "reset by peer"), "it is to be connected anew");
    assert!(pool.lost(1, Nanos(5_000), "reset by peer"));
    assert!(!pool.is_online(0));
    let closed = pool.close(Nanos(2_000_000_000)).unwrap();
    assert_eq!((closed.ledger.scheduled, closed.ledger.failed), (1, 1));
    assert!(closed.ledger.balances());
    assert_eq!(closed.errors[0].class, ErrorClass::Connection);
}

#[test]
fn bytes_that_nobody_asked_for_end_the_load() {
    let schedule = window(Duration::ZERO, 1_000 * MS);
    let mut pool = Pool::new(vec![Fake], rules(schedule));
    let mut out = Vec::new();
    pool.receive(0, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    pool.start(Nanos(0));
    assert!(pool.receive(0, b"r", Nanos(1), Nanos(1), &mut out).is_err());
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
    let mut pool = Pool::new(vec![Fake], rules(schedule));
    let mut out = Vec::new();
    pool.receive(0, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    pool.start(Nanos(0));
    pool.begin(0, Nanos(1), &mut out);
    let ended = pool.receive(0, b"x", Nanos(2), Nanos(2), &mut out);
    assert!(matches!(ended, Err(SessionError::Refused(error)) if error.code == "1146"));
}

#[test]
fn a_retried_operation_counts_once_with_the_time_of_all_attempts() {
    let schedule = window(Duration::ZERO, 1_000 * MS);
    let policy = ErrorPolicy { conflict: Action::Retry, ..ErrorPolicy::default() };
    let mut pool = Pool::new(vec![Fake], Rules { policy, ..rules(schedule) });
    let mut out = Vec::new();
    pool.receive(0, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    pool.start(Nanos(0));
    pool.begin(0, Nanos(0), &mut out);
    pool.receive(0, b"e", Nanos(4_000_000), Nanos(4_000_000), &mut out).unwrap();
    assert_eq!(out, b"qq", "it is asked again");
    pool.receive(0, b"r", Nanos(9_000_000), Nanos(9_000_000), &mut out).unwrap();
    pool.give_up(Nanos(10_000_000));
    let closed = pool.close(Nanos(1_100_000_000)).unwrap();
    assert_eq!((closed.ledger.ok, closed.ledger.failed), (1, 0));
    assert_eq!(closed.errors[0].count, 1);
    assert!((closed.latencies.max_ms().unwrap() - 9.0).abs() < 0.01);
}

#[test]
fn a_phase_with_a_time_limit_is_never_shorter_than_that() {
    let limit = Limit::LastReply { duration: Some(10 * MS), events: None };
    let schedule = Schedule { warmup: Duration::ZERO, limit, turns: None };
    let mut pool = Pool::new(vec![Fake], rules(schedule));
    let mut out = Vec::new();
    pool.receive(0, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    pool.start(Nanos(0));
    pool.begin(0, Nanos(0), &mut out);
    // There before the time was up, noticed after it.
    let noticed = Nanos(10_050_000);
    pool.receive(0, b"r", Nanos(9_990_000), noticed, &mut out).unwrap();
    assert!(pool.is_finished(noticed));
    let closed = pool.close(noticed).unwrap();
    assert_eq!(closed.totals[Phase::Measure as usize].elapsed, 10 * MS);
}

/// Operations of two kinds of requests, `first` and `second`.
#[derive(Default)]
struct Pair {
    second: bool,
    waits: bool,
    /// Whether what fails is done again.
    again: bool,
    answered: Option<Answered>,
}

impl Session for Pair {
    const KINDS: &'static [RequestKind] = &KINDS;
    const BY_STATEMENT: bool = true;

    fn names(&self) -> Vec<String> {
        ["first", "second"].map(str::to_owned).into()
    }

    fn open(&mut self, _: &mut Vec<u8>) {}
    fn tls_started(&mut self, _: &mut Vec<u8>) {}
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.second = false;
        self.waits = true;
        out.push(b'q');
    }
    fn receive(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        _: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let event = match input[0] {
            b'l' => Event::Ready,
            b'.' => Event::More,
            answer => {
                let (kind, refused) = (usize::from(self.second), answer == b'e');
                self.answered = Some(Answered { kind, refused, rows: 0 });
                self.waits = !refused && !self.second;
                if refused {
                    failed(ErrorClass::Conflict, "1213", "40001")
                } else if self.second {
                    Event::Done
                } else {
                    self.second = true;
                    out.push(b'q');
                    Event::More
                }
            }
        };
        Ok((1, event))
    }
    fn take_answered(&mut self) -> Option<Answered> {
        self.answered.take()
    }
    fn awaited(&self) -> Option<usize> {
        self.waits.then_some(usize::from(self.second))
    }
    fn transaction_names(&self) -> Vec<String> {
        vec!["both".to_owned()]
    }
    fn transaction(&self) -> Option<usize> {
        Some(0)
    }
    fn refused_statement(&self) -> Option<usize> {
        Some(usize::from(self.second))
    }
    fn does_again(&self) -> bool {
        self.again
    }
    fn close(&mut self, _: &mut Vec<u8>) {}
}

#[test]
fn kinds_of_requests_have_latencies_of_their_own_in_the_measured_phase() {
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    let mut pool = Pool::new(vec![Pair::default()], rules(window(100 * MS, 1_000 * MS)));
    let mut out = Vec::new();
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    for (ms, byte) in [
        // Warming up.
        (50, b'r'),
        (120, b'r'),
        // A reply in two parts.
        (125, b'.'),
        (130, b'r'),
        // Refused, sooner than others were answered.
        (170, b'e'),
        (190, b'r'),
        (1_000, b'r'),
        // After the window, and slower than any of its kind in it.
        (1_200, b'r'),
    ] {
        pool.receive(0, &[byte], at(ms), at(ms), &mut out).unwrap();
    }
    let kinds = pool.close(at(1_300)).unwrap().by_request;
    let found = |kind: usize| {
        let ms = |value: Option<f64>| value.unwrap().round();
        let latencies = &kinds[kind].latencies;
        (latencies.count(), ms(latencies.min_ms()), ms(latencies.max_ms()))
    };
    assert_eq!(found(0), (3, 10.0, 200.0));
    assert_eq!(found(1), (2, 70.0, 810.0));
}

/// Requests of two kinds that are sent together.
#[derive(Default)]
struct Together(VecDeque<Answered>);

impl Session for Together {
    const KINDS: &'static [RequestKind] = &KINDS;
    const BY_STATEMENT: bool = true;

    fn names(&self) -> Vec<String> {
        ["first", "second"].map(str::to_owned).into()
    }

    fn open(&mut self, _: &mut Vec<u8>) {}
    fn tls_started(&mut self, _: &mut Vec<u8>) {}
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.push(b'q');
    }
    fn receive(
        &mut self,
        input: &[u8],
        _: &mut Vec<u8>,
        _: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        if input[0] == b'l' {
            return Ok((1, Event::Ready));
        }
        let answered = |&byte: &u8| Answered { kind: usize::from(byte), refused: false, rows: 0 };
        self.0.extend(input.iter().map(answered));
        let event = if input.ends_with(&[1]) { Event::Done } else { Event::More };
        Ok((input.len(), event))
    }
    fn take_answered(&mut self) -> Option<Answered> {
        self.0.pop_front()
    }
    fn close(&mut self, _: &mut Vec<u8>) {}
}

#[test]
fn requests_that_are_sent_together_take_from_their_sending_to_their_own_answers() {
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    let mut pool = Pool::new(vec![Together::default()], rules(window(Duration::ZERO, 1_000 * MS)));
    let mut out = Vec::new();
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    pool.receive(0, &[0], at(20), at(20), &mut out).unwrap();
    pool.receive(0, &[1], at(50), at(50), &mut out).unwrap();
    // Both at once.
    pool.receive(0, &[0, 1], at(90), at(90), &mut out).unwrap();
    let kinds = pool.close(at(100)).unwrap().by_request;
    let found = |kind: usize| {
        let latencies = &kinds[kind].latencies;
        let ms = |value: Option<f64>| value.unwrap().round();
        (latencies.count(), ms(latencies.min_ms()), ms(latencies.max_ms()))
    };
    assert_eq!((found(0), found(1)), ((2, 20.0, 40.0), (2, 40.0, 50.0)));
}

/// What one client's requests of each kind show (how many, and the longest in seconds), where it
/// hears these bytes at these milliseconds of a second, and after 30 s nothing more.
fn pairs(replies: &[(u32, u8)], lost: Option<u32>) -> [(u64, f64); 2] {
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    let mut rules = rules(window(Duration::ZERO, 1_000 * MS));
    rules.policy.connection = Action::Reconnect;
    let mut pool = Pool::new(vec![Pair::default()], rules);
    let mut out = Vec::new();
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    for &(ms, byte) in replies {
        pool.receive(0, &[byte], at(ms), at(ms), &mut out).unwrap();
    }
    if let Some(ms) = lost {
        assert!(pool.lost(0, at(ms), "gone"));
    }
    pool.give_up(at(31_000));
    let kinds = pool.close(at(31_000)).unwrap().by_request;
    // As finely as latencies are told apart.
    let tens = |ms: f64| (ms / 100.0).round() / 10.0;
    [0, 1].map(|kind| {
        let latencies = &kinds[kind].latencies;
        (latencies.count(), tens(latencies.max_ms().unwrap_or_default()))
    })
}

#[test]
fn what_is_never_answered_is_in_the_latencies_of_its_kind() {
    let usual = [(10, b'r'), (30, b'r'), (40, b'r'), (60, b'r')];
    // The next is of the first kind.
    assert_eq!(pairs(&usual, None), [(3, 31.0), (2, 0.0)]);
    // Of the second.
    assert_eq!(pairs(&[&usual[..], &[(70, b'r')]].concat(), None), [(3, 0.0), (3, 30.9)]);
    assert_eq!(pairs(&[], None), [(1, 31.0), (0, 0.0)]);
}

#[test]
fn what_was_refused_lost_or_cut_off_is_in_the_latencies_of_its_kind_where_it_took_longer() {
    let usual = [(10, b'r'), (30, b'r'), (40, b'r'), (60, b'r')];
    let then = |more: &[(u32, u8)], lost| pairs(&[&usual[..], more].concat(), lost);
    assert_eq!(then(&[(65, b'e')], Some(66)), [(2, 0.0), (2, 0.0)]);
    assert_eq!(then(&[(560, b'e')], Some(561)), [(3, 0.5), (2, 0.0)]);
    assert_eq!(then(&[(70, b'r')], Some(570)), [(3, 0.0), (3, 0.5)]);
    // Answered, but after the window.
    assert_eq!(then(&[(70, b'r'), (5_070, b'r')], None), [(3, 0.0), (3, 5.0)]);
}

#[test]
fn what_waits_for_a_server_that_is_gone_is_given_up_soon_and_accounted_for() {
    let schedule = window(Duration::ZERO, 1_000 * MS);
    let open = crate::OpenLoop {
        rate: 10.0,
        process: model::ArrivalProcess::Uniform,
        course: Vec::new(),
        max_waiting: 100,
        drops_late: false,
        seed: 1,
    };
    let mut rules = rules(schedule);
    rules.arrivals = Some((Arrivals::new(&open, 0, 1), 100));
    rules.policy.connection = Action::Reconnect;
    let mut pool = Pool::new(vec![Fake], rules);
    let (at, limit) = (|ms: u32| Nanos(0).plus(ms * MS), 30_000 * MS);
    let mut out = Vec::new();
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    assert_eq!(pool.gives_up_at(limit), at(31_000), "there is a connection");
    assert!(pool.lost(0, at(450), "gone"));
    while pool.dispatch(at(1_000)).is_some() {}
    assert_eq!(pool.gives_up_at(limit), at(4_000), "there is none");
    assert!(!pool.is_finished(at(4_000)));
    // Each failed attempt to connect is a loss anew.
    assert!(pool.lost(0, at(2_000), "refused"));
    assert_eq!(pool.gives_up_at(limit), at(4_000));
    pool.give_up(at(4_000));
    assert!(pool.is_finished(at(4_000)));
    let ledger = pool.close(at(4_000)).unwrap().ledger;
    assert!(ledger.balances() && ledger.dropped == ledger.scheduled, "{ledger:?}");
    assert!(ledger.scheduled >= 9, "{ledger:?}");
}

#[test]
fn transactions_are_counted_by_name_with_what_was_cut_off_failed_or_done_again() {
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    let run = |again: bool| {
        let mut rules = rules(window(Duration::ZERO, 1_000 * MS));
        rules.policy.conflict = Action::Ignore;
        let mut pool = Pool::new(vec![Pair { again, ..Pair::default() }], rules);
        let mut out = Vec::new();
        pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
        pool.start(at(0));
        pool.begin(0, at(0), &mut out);
        // One that succeeds, one whose second request is refused, and one that is cut off.
        for (ms, byte) in [(10, b'r'), (30, b'r'), (40, b'r'), (60, b'e'), (70, b'r')] {
            pool.receive(0, &[byte], at(ms), at(ms), &mut out).unwrap();
        }
        pool.give_up(at(31_000));
        let mut kinds = pool.close(at(31_000)).unwrap().by_request.into_vec();
        (kinds.pop().unwrap(), kinds.pop().unwrap())
    };
    let (both, second) = run(false);
    assert_eq!((both.ok, both.failed, both.retries), (1, 2, 0));
    assert!(both.latencies.max_ms().unwrap() > 30_000.0);
    assert_eq!((second.failed, second.errors.len(), second.errors[0].count), (2, 1, 1));
    assert_eq!((both.errors[0].code.as_str(), both.errors[0].count), ("1213", 1));
    let (both, _) = run(true);
    // What is done again has not failed, and goes on from when it began.
    assert_eq!((both.ok, both.failed, both.retries), (1, 1, 1));
}
