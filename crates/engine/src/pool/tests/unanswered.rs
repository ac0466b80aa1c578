//! Servers that stop to answer, wholly or in part.

use super::*;

const SECOND: Duration = Duration::from_secs(1);
/// How long answers are waited for after the last operation began.
const LIMIT: Duration = Duration::from_secs(30);

/// Clients whose requests take 10 ms each, and from their hundredth on what `then` says.
fn stalling(
    clients: usize,
    schedule: Schedule,
    then: impl Fn(usize) -> Option<(Duration, u8)>,
) -> Recorded {
    let answer = |client, n| if n < 100 { Some((10 * MS, b'r')) } else { then(client) };
    simulate(clients, schedule, LIMIT, answer).0
}

fn max_ms(closed: &Recorded) -> f64 {
    closed.latencies.max_ms().unwrap()
}

#[test]
fn what_a_server_that_hangs_leaves_unanswered_is_in_errors_and_latencies_and_the_service_over() {
    let closed = stalling(10, window(Duration::ZERO, 8 * SECOND), |_| None);
    let measure = closed.totals[Phase::Measure as usize];
    assert_eq!((closed.ledger.timed_out, measure.errors, measure.transactions), (10, 10, 1_000));
    assert_eq!(closed.latencies.count(), measure.transactions + 10);
    assert!((max_ms(&closed) - 37_000.0).abs() < 40.0, "{}", max_ms(&closed));
    assert!(closed.latencies.percentile_ms(99.5).unwrap() > 30_000.0);
    let [error] = &closed.errors[..] else { panic!("{:?}", closed.errors) };
    assert_eq!((error.class, error.count), (ErrorClass::Unanswered, 10));
    let since = closed.silence.lasting(LIMIT).unwrap();
    assert_eq!(since, SECOND);
}

#[test]
fn where_some_clients_hang_and_others_go_on_the_waits_count_and_the_service_goes_on() {
    let closed = stalling(10, window(Duration::ZERO, 8 * SECOND), |client| {
        (client > 1).then_some((10 * MS, b'r'))
    });
    let measure = closed.totals[Phase::Measure as usize];
    assert_eq!((closed.ledger.timed_out, measure.errors), (2, 2));
    assert_eq!((closed.waits.count(), closed.latencies.count()), (2, measure.transactions + 2));
    assert!(max_ms(&closed) > 36_000.0);
    assert_eq!(closed.silence.lasting(LIMIT), None);
}

#[test]
fn what_is_answered_only_after_the_window_was_as_slow_as_it_was() {
    let closed = stalling(10, window(Duration::ZERO, 3 * SECOND), |_| Some((4 * SECOND, b'r')));
    let [_, measure, drain] = closed.totals;
    assert_eq!((measure.transactions, drain.transactions, measure.errors), (1_000, 10, 0));
    assert_eq!((closed.waits.count(), closed.latencies.count()), (10, 1_010));
    assert!((max_ms(&closed) - 4_000.0).abs() < 5.0);
    assert_eq!(closed.silence.lasting(LIMIT), None);
}

#[test]
fn a_steady_load_that_its_window_cuts_off_has_no_waits() {
    let steady = |_, _| Some((70 * MS, b'r'));
    let (closed, _) = simulate(8, window(500 * MS, 2 * SECOND), LIMIT, steady);
    assert!(closed.totals[Phase::Drain as usize].transactions > 0);
    assert!(closed.waits.is_empty());
}

#[test]
fn errors_that_took_longer_than_any_success_are_in_the_latencies() {
    let closed = stalling(2, window(Duration::ZERO, 8 * SECOND), |_| Some((SECOND, b'e')));
    let measure = closed.totals[Phase::Measure as usize];
    // One of each client's ends with the window.
    assert_eq!((measure.errors, closed.waits.count()), (12, 14));
    assert!((max_ms(&closed) - 1_000.0).abs() < 1.0);
    let quick = |_, n| Some(if n % 2 == 0 { (10 * MS, b'r') } else { (MS, b'e') });
    let (closed, _) = simulate(2, window(Duration::ZERO, SECOND), LIMIT, quick);
    assert!(closed.totals[Phase::Measure as usize].errors > 0 && closed.waits.is_empty());
}

#[test]
fn a_phase_until_the_last_reply_counts_what_is_never_answered_too() {
    let limit = Limit::LastReply { duration: Some(8 * SECOND), events: None };
    let closed = stalling(4, Schedule { warmup: Duration::ZERO, limit, turns: None }, |_| None);
    let measure = closed.totals[Phase::Measure as usize];
    assert_eq!((measure.errors, closed.waits.count()), (4, 4));
    assert!(max_ms(&closed) > 36_000.0);
    assert!(closed.silence.lasting(LIMIT).is_some());
}

#[test]
fn an_open_loop_counts_from_when_it_was_due_what_never_began() {
    let mut pool = Pool::new(vec![Fake], offered(10.0, 100, window(Duration::ZERO, 2 * SECOND)));
    let (mut out, at) = (Vec::new(), |ms: u32| Nanos(0).plus(ms * MS));
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    assert_eq!(pool.dispatch(at(0)), Some(0));
    pool.begin(0, at(0), &mut out);
    while pool.dispatch(at(2_000)).is_some() {}
    pool.give_up(at(32_000));
    let closed = pool.close(at(32_000)).unwrap();
    assert!(closed.ledger.balances());
    assert_eq!((closed.ledger.timed_out, closed.ledger.dropped), (1, 19));
    assert_eq!((closed.latencies.count(), closed.waits.count()), (20, 20));
    assert!(closed.latencies.min_ms().unwrap() > 30_000.0);
    assert_eq!(closed.totals[Phase::Measure as usize].errors, 1);
    assert!(closed.silence.lasting(LIMIT).is_some());
}
