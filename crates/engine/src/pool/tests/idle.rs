//! Connections that are closed while they have nothing to do.

use super::*;

/// One operation every second for so many clients, which are logged in.
fn rare(clients: usize) -> Pool<Fake> {
    let schedule = window(Duration::ZERO, 10_000 * MS);
    let mut pool = Pool::new((0..clients).map(|_| Fake).collect(), offered(1.0, 100, schedule));
    let mut out = Vec::new();
    for id in 0..clients {
        pool.receive(id, b"l", at(0), at(0), &mut out).unwrap();
    }
    pool.start(at(0));
    for id in 0..clients {
        pool.begin(id, at(0), &mut out);
    }
    pool
}

fn at(ms: u32) -> Nanos {
    Nanos(0).plus(ms * MS)
}

/// Begins what is due now on the one client that can take it.
fn begins(pool: &mut Pool<Fake>, now: Nanos) -> usize {
    let id = pool.dispatch(now).unwrap();
    let mut out = Vec::new();
    assert_eq!(pool.begin(id, now, &mut out), Next::Continue);
    assert_eq!(out, b"q");
    id
}

/// The connection of a client is made anew.
fn logs_in(pool: &mut Pool<Fake>, id: usize, now: Nanos) {
    let mut out = Vec::new();
    pool.opened(id, &mut out);
    assert_eq!(pool.receive(id, b"l", now, now, &mut out).unwrap().1, Next::Ready);
    pool.begin(id, now, &mut out);
}

#[test]
fn a_connection_that_nobody_needed_is_no_outage() {
    let mut pool = rare(2);
    let id = begins(&mut pool, at(0));
    pool.receive(id, b"r", at(5), at(5), &mut Vec::new()).unwrap();
    assert!(pool.lost(0, at(700), "closed") && pool.lost(1, at(701), "closed"));
    logs_in(&mut pool, 0, at(730));
    logs_in(&mut pool, 1, at(731));
    let id = begins(&mut pool, at(1_000));
    pool.receive(id, b"r", at(1_005), at(1_005), &mut Vec::new()).unwrap();
    let closed = pool.close(at(10_000)).unwrap();
    assert_eq!((closed.idle_losses, closed.ledger.failed, closed.ledger.ok), (2, 0, 2));
    assert!(closed.outages().is_empty());
}

#[test]
fn an_operation_that_meets_a_connection_closed_before_is_answered_on_a_new_one() {
    let mut pool = rare(1);
    begins(&mut pool, at(0));
    pool.receive(0, b"r", at(5), at(5), &mut Vec::new()).unwrap();
    begins(&mut pool, at(1_000));
    assert!(pool.lost(0, at(1_001), "reset"));
    assert!(pool.is_busy(0) && !pool.is_online(0));
    let mut out = Vec::new();
    pool.opened(0, &mut out);
    assert_eq!(pool.receive(0, b"l", at(1_030), at(1_030), &mut out).unwrap().1, Next::Ready);
    pool.begin(0, at(1_031), &mut out);
    assert_eq!(out, b"q", "it begins again");
    pool.receive(0, b"r", at(1_040), at(1_040), &mut out).unwrap();
    let closed = pool.close(at(10_000)).unwrap();
    assert_eq!((closed.idle_losses, closed.ledger.ok, closed.ledger.failed), (1, 2, 0));
    assert!((closed.latencies.max_ms().unwrap() - 40.0).abs() < 0.1, "all of its way counts");
    assert!(closed.outages().is_empty());
}

#[test]
fn an_operation_that_cannot_have_a_new_connection_fails_and_the_outage_is_one() {
    let mut pool = rare(1);
    begins(&mut pool, at(0));
    pool.receive(0, b"r", at(5), at(5), &mut Vec::new()).unwrap();
    begins(&mut pool, at(1_000));
    assert!(pool.lost(0, at(1_001), "reset") && pool.lost(0, at(1_021), "refused"));
    assert!(pool.lost(0, at(1_041), "refused"));
    logs_in(&mut pool, 0, at(3_000));
    begins(&mut pool, at(3_001));
    pool.receive(0, b"r", at(3_005), at(3_005), &mut Vec::new()).unwrap();
    let closed = pool.close(at(10_000)).unwrap();
    assert_eq!(closed.ledger.failed, 1);
    let [outage] = closed.outages()[..] else { panic!("{:?}", closed.outages()) };
    assert_eq!(outage.first_error, 1_021 * MS);
    assert_eq!(outage.first_success, Some(3_005 * MS));
}

#[test]
fn an_operation_that_was_worked_on_is_lost_with_its_connection() {
    for (ready, answered, lost) in [
        // It was under way for longer than it takes to hear of a connection that is closed.
        (at(5), None, at(2_000)),
        // A part of it was answered.
        (at(5), Some(at(1_002)), at(1_003)),
        // The connection has not idled.
        (at(990), None, at(1_001)),
    ] {
        let mut pool = rare(1);
        begins(&mut pool, at(0));
        pool.receive(0, b"r", ready, ready, &mut Vec::new()).unwrap();
        begins(&mut pool, at(1_000));
        if let Some(answered) = answered {
            pool.receive(0, b".", answered, answered, &mut Vec::new()).unwrap();
        }
        assert!(pool.lost(0, lost, "reset"));
        let closed = pool.close(at(10_000)).unwrap();
        assert_eq!((closed.ledger.failed, closed.idle_losses), (1, 0));
        assert_eq!(closed.outages().len(), 1);
    }
}

#[test]
fn a_server_that_refuses_connections_is_an_outage_although_nothing_was_under_way() {
    let mut pool = rare(1);
    begins(&mut pool, at(0));
    pool.receive(0, b"r", at(5), at(5), &mut Vec::new()).unwrap();
    for ms in [300, 320, 340] {
        assert!(pool.lost(0, at(ms), "refused"));
    }
    logs_in(&mut pool, 0, at(900));
    let closed = pool.close(at(10_000)).unwrap();
    assert_eq!(closed.idle_losses, 1);
    let [outage] = closed.outages()[..] else { panic!("{:?}", closed.outages()) };
    // From the loss on; nothing was due after the login, which shows that it was over.
    assert_eq!((outage.first_error, outage.first_success), (300 * MS, Some(900 * MS)));
}
