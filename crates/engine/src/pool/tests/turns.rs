//! Pools that take turns.

use super::open_loop::{offered, simulate_open};
use super::*;
use crate::Turns;
use model::Phase;

const WARMUP: Duration = Duration::from_millis(500);

fn schedule(place: u32) -> Schedule {
    let (settling, slice) = (200 * MS, 1_500 * MS);
    let turns = Turns { place, of: 2, settling, slice, slices: 4, seed: 3 };
    Schedule { turns: Some(turns), ..window(WARMUP, 6_000 * MS) }
}

/// A closed loop of clients that wait 10 ms for each answer; when each operation began and ended.
fn closed_loop(place: u32) -> (Recorded, Vec<Interval>, Vec<(Nanos, Nanos)>) {
    let mut pool = Pool::new((0..4).map(|_| Fake).collect(), rules(schedule(place)));
    let mut out = Vec::new();
    for id in 0..4 {
        pool.receive(id, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    }
    pool.start(Nanos(0));
    let (mut replies, mut operations) = (BinaryHeap::new(), Vec::new());
    let mut now = Nanos(0);
    let mut asks = |id: usize, now: Nanos, out: &mut Vec<u8>, replies: &mut BinaryHeap<_>| {
        if !std::mem::take(out).is_empty() {
            replies.push(Reverse((now.plus(10 * MS), id)));
            operations.push((now, now.plus(10 * MS)));
        }
    };
    for id in 0..4 {
        pool.begin(id, now, &mut out);
        asks(id, now, &mut out, &mut replies);
    }
    while !pool.is_finished(now) {
        let reply = replies.peek().map(|Reverse((at, _))| *at);
        now = reply.unwrap_or(Nanos::NEVER).min(pool.turns_at(now));
        while let Some(Reverse((at, id))) = replies.pop() {
            if at > now {
                replies.push(Reverse((at, id)));
                break;
            }
            pool.receive(id, b"r", at, at, &mut out).unwrap();
            asks(id, at, &mut out, &mut replies);
        }
        pool.tick(now);
        if pool.has_turn(now) {
            for id in 0..4 {
                pool.begin(id, now, &mut out);
                asks(id, now, &mut out, &mut replies);
            }
        }
    }
    let mut closed = pool.close(now).unwrap();
    assert!(closed.ledger.balances(), "{:?}", closed.ledger);
    let intervals = closed.intervals.drain(..).map(|ended| ended.interval).collect();
    (closed, intervals, operations)
}

#[test]
fn loads_that_take_turns_never_run_at_once_and_count_their_slices_alone() {
    let [(first, intervals, mine), (second, _, _)] = [closed_loop(0), closed_loop(1)];
    for closed in [&first, &second] {
        let [warmup, measure, _] = closed.totals;
        assert_eq!(measure.elapsed, 6_000 * MS);
        assert_eq!(warmup.elapsed, WARMUP + 4 * 200 * MS);
        // 4 clients, one operation each in 10 ms; the last of a slice may be answered after it.
        assert!(measure.transactions.abs_diff(2_400) <= 4 * 4, "{measure:?}");
        assert!(closed.outages().is_empty());
        let mean = closed.latencies.without(&closed.waits).mean_ms().unwrap();
        assert!((mean - 10.0).abs() < 0.1, "a pause is no latency: {mean}");
    }
    for (began, _) in mine {
        assert_ne!(schedule(0).phase(Nanos(0), began), Phase::Drain, "{began:?}");
        assert_eq!(schedule(1).phase(Nanos(0), began), Phase::Drain, "{began:?}");
    }
    let begins =
        |two: &&[Interval]| (two[0].phase, two[1].phase) == (Phase::Warmup, Phase::Measure);
    assert_eq!(intervals.windows(2).filter(begins).count(), 4, "slices");
}

#[test]
fn what_a_rate_offers_is_due_in_turns_alone_and_none_of_it_is_missing() {
    for place in [0, 1] {
        let rules = offered(1_000.0, 100, schedule(place));
        let closed = simulate_open(4, rules, |sent| sent.plus(2 * MS));
        let open = closed.open.unwrap();
        // Warm-up and settling are offered as much.
        assert_eq!((closed.ledger.scheduled, open.scheduled), (7_300, 6_000));
        assert_eq!(closed.ledger.dropped, 0);
        assert!(closed.latencies.max_ms().unwrap() < 2.1, "nothing waits through a pause");
    }
}
