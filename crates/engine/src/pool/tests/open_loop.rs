//! Pools whose operations arrive at a rate.

use super::*;

/// An open loop of so many operations per second with these rules otherwise.
pub(super) fn offered(rate: f64, max_waiting: usize, schedule: Schedule) -> Rules {
    let open = crate::OpenLoop {
        rate,
        process: model::ArrivalProcess::Uniform,
        course: Vec::new(),
        max_waiting,
        drops_late: false,
        seed: 1,
    };
    Rules { arrivals: Some((Arrivals::new(&open, 0, 1), max_waiting)), ..rules(schedule) }
}

/// Runs an open loop of `clients` against a server that answers each request at the moment that
/// `answer` gives for the moment it was sent.
pub(super) fn simulate_open(
    clients: usize,
    rules: Rules,
    answer: impl Fn(Nanos) -> Nanos,
) -> Recorded {
    let mut pool = Pool::new((0..clients).map(|_| Fake).collect(), rules);
    let mut out = Vec::new();
    for id in 0..clients {
        pool.receive(id, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    }
    pool.start(Nanos(0));
    let mut replies = BinaryHeap::new();
    let mut now = Nanos(0);
    for id in 0..clients {
        pool.begin(id, now, &mut out);
    }
    while !pool.is_finished(now) {
        while let Some(id) = pool.dispatch(now) {
            pool.begin(id, now, &mut out);
            replies.push(Reverse((answer(now), id)));
            out.clear();
        }
        let next_reply = replies.peek().map(|Reverse((at, _))| *at);
        let next = [next_reply, pool.next_due()].into_iter().flatten().min();
        now = next.unwrap_or(pool.gives_up_at(Duration::ZERO)).max(now);
        while replies.peek().is_some_and(|Reverse((at, _))| *at <= now) {
            let Some(Reverse((at, id))) = replies.pop() else { break };
            pool.receive(id, b"r", at, at, &mut out).unwrap();
            if !out.is_empty() {
                replies.push(Reverse((answer(now), id)));
                out.clear();
            }
        }
        pool.tick(now);
    }
    let closed = pool.close(now).unwrap();
    assert!(closed.ledger.balances(), "{:?}", closed.ledger);
    closed
}

#[test]
fn an_open_loop_offers_its_rate_whatever_the_server_does() {
    let schedule = window(500 * MS, 2_000 * MS);
    let closed = simulate_open(4, offered(1_000.0, 100, schedule), |sent| sent.plus(2 * MS));
    let open = closed.open.unwrap();
    assert_eq!(open.scheduled, 2_000);
    assert_eq!(open.service_times.count(), 2_000);
    assert_eq!(closed.ledger.dropped, 0);
    assert!((closed.latencies.max_ms().unwrap() - 2.0).abs() < 0.01);
}

#[test]
fn what_waits_when_the_time_is_over_is_dropped_where_that_is_asked_for() {
    let limit = Limit::LastReply { duration: Some(2_000 * MS), events: None };
    let schedule = Schedule { warmup: Duration::ZERO, limit, turns: None };
    // One client, which can do ten a second of the thousand that arrive.
    let run = |drops_late| {
        let process = model::ArrivalProcess::Uniform;
        let open = crate::OpenLoop {
            rate: 1_000.0,
            course: Vec::new(),
            process,
            max_waiting: 10_000,
            drops_late,
            seed: 1,
        };
        let arrivals = Some((Arrivals::new(&open, 0, 1), open.max_waiting));
        simulate_open(1, Rules { arrivals, ..rules(schedule) }, |sent| sent.plus(100 * MS))
    };
    let dropping = run(true);
    assert_eq!((dropping.ledger.scheduled, dropping.ledger.ok), (2_000, 20));
    assert_eq!(dropping.ledger.dropped, 1_980);
    assert_eq!(dropping.totals[Phase::Measure as usize].elapsed, 2_000 * MS);
    let patient = run(false);
    assert_eq!((patient.ledger.ok, patient.ledger.dropped), (2_000, 0));
}

#[test]
fn a_frozen_server_shows_in_the_response_times_of_everything_that_was_due_meanwhile() {
    // Frozen from 1 s to 2 s; otherwise 1 ms. With 100 clients none waits for a free one but
    // those due after the first 100 of the freeze.
    let thaw = Nanos(2_000_000_000);
    let frozen = |at: Nanos| (Nanos(1_000_000_000)..thaw).contains(&at);
    let answer = move |sent: Nanos| if frozen(sent) { thaw } else { sent.plus(MS) };
    let schedule = window(Duration::ZERO, 4_000 * MS);
    let closed = simulate_open(100, offered(1_000.0, 10_000, schedule), answer);
    let open = closed.open.unwrap();
    assert_eq!((open.scheduled, closed.ledger.dropped), (4_000, 0));
    // A quarter of all operations was due in the freeze, and waited for half a second on average.
    let p = |percentile| closed.latencies.percentile_ms(percentile).unwrap();
    assert!((p(87.5) - 500.0).abs() < 15.0, "{}", p(87.5));
    assert!((closed.latencies.max_ms().unwrap() - 1_000.0).abs() < 5.0);
    // Service time shows it only for the 100 that were under way.
    let slow = 100.0 * (1.0 - 101.0 / 4_000.0);
    assert!(open.service_times.percentile_ms(slow - 0.5).unwrap() < 5.0);
    assert!(open.service_times.max_ms().unwrap() > 900.0);
}

#[test]
fn above_capacity_an_open_loop_drops_what_may_not_wait_and_goes_on() {
    // One client at 10 ms each can do 100 a second.
    let schedule = window(Duration::ZERO, 2_000 * MS);
    let closed = simulate_open(1, offered(1_000.0, 50, schedule), |sent| sent.plus(10 * MS));
    let open = closed.open.unwrap();
    assert_eq!(open.scheduled, 2_000);
    assert_eq!(open.most_waiting, 50);
    assert_eq!(closed.ledger.ok + closed.ledger.dropped, 2_000);
    assert!((200..=260).contains(&closed.ledger.ok), "{:?}", closed.ledger);
}
