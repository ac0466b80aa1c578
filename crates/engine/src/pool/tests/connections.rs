//! Connections that clients do not keep.

use super::*;

fn renewing(after: u32, schedule: Schedule) -> Pool<Fake> {
    let rules = Rules { reconnect_after: NonZeroU32::new(after), ..rules(schedule) };
    Pool::new(vec![Fake], rules)
}

/// Logs in anew 30 ms after it was asked to.
fn log_in(pool: &mut Pool<Fake>, at: Nanos, out: &mut Vec<u8>) -> Nanos {
    pool.opened(0, out);
    let ready = at.plus(30 * MS);
    assert_eq!(pool.receive(0, b"l", ready, ready, out).unwrap(), (1, Next::Continue));
    assert_eq!(std::mem::take(out), b"q", "the operation that waited begins");
    ready
}

#[test]
fn an_operation_waits_for_the_new_connection_that_it_begins_with() {
    let mut pool = renewing(2, window(Duration::ZERO, 1_000 * MS));
    let (mut out, mut now) = (Vec::new(), Nanos(0));
    pool.receive(0, b"l", now, now, &mut out).unwrap();
    pool.start(now);
    assert_eq!(pool.begin(0, now, &mut out), Next::Continue);
    let mut logins = 0;
    for _ in 0..7 {
        out.clear();
        now = now.plus(10 * MS);
        let (_, next) = pool.receive(0, b"r", now, now, &mut out).unwrap();
        if next == Next::Renew {
            assert!(pool.is_busy(0) && !pool.is_online(0));
            now = log_in(&mut pool, now, &mut out);
            logins += 1;
        }
    }
    assert_eq!(logins, 3, "after every two operations");
    pool.give_up(now);
    let closed = pool.close(now).unwrap();
    assert_eq!((closed.ledger.ok, closed.ledger.timed_out), (7, 1));
    assert_eq!(closed.tally.sessions, 4, "the one that it began with too");
    // The one that is given up has just begun.
    let latencies = &closed.latencies.without(&closed.waits);
    let ms = |value: Option<f64>| value.unwrap().round();
    assert_eq!((ms(latencies.min_ms()), ms(latencies.max_ms())), (10.0, 40.0));
}

#[test]
fn a_connection_that_is_not_had_again_fails_its_operation_and_an_answered_error_counts_too() {
    let mut pool = renewing(1, window(Duration::ZERO, 1_000 * MS));
    let mut out = Vec::new();
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    let (_, next) = pool.receive(0, b"e", at(10), at(10), &mut out).unwrap();
    assert_eq!(next, Next::Renew, "the operation that failed was this connection's");
    assert!(pool.lost(0, at(20), "refused"), "tried again");
    assert!(!pool.is_busy(0));
    // Logged in later, the client begins anew.
    pool.opened(0, &mut out);
    assert_eq!(pool.receive(0, b"l", at(50), at(50), &mut out).unwrap().1, Next::Ready);
    out.clear();
    assert_eq!(pool.begin(0, at(50), &mut out), Next::Continue);
    assert_eq!(out, b"q");
    let (_, next) = pool.receive(0, b"r", at(60), at(60), &mut out).unwrap();
    assert_eq!(next, Next::Renew);
    pool.give_up(at(2_000));
    let ledger = pool.close(at(2_000)).unwrap().ledger;
    assert!(ledger.balances(), "{ledger:?}");
    assert_eq!((ledger.ok, ledger.failed, ledger.timed_out), (1, 2, 1));
}

/// What a pool of one client makes of these bytes, in answer to its first operation.
fn answered_with<S: Session>(
    session: S,
    action: Action,
    answer: &[u8],
) -> (Result<(usize, Next), SessionError>, Pool<S>) {
    let mut rules = rules(window(Duration::ZERO, 1_000 * MS));
    rules.policy.connection = action;
    let mut pool = Pool::new(vec![session], rules);
    let (mut out, at) = (Vec::new(), |ms: u32| Nanos(0).plus(ms * MS));
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    (pool.receive(0, answer, at(10), at(10), &mut out), pool)
}

#[test]
fn an_answer_that_nobody_asked_for_is_no_answer_to_what_comes_next() {
    let unasked = |answered: Result<(usize, Next), SessionError>| {
        let error = answered.unwrap_err().to_string();
        assert!(error.contains("an answer that nobody asked for"), "{error}");
    };
    // Behind the answer to an operation, to one that failed, and to one of several requests.
    unasked(answered_with(Fake, Action::Reconnect, b"rr").0);
    unasked(answered_with(Fake, Action::Reconnect, b"er").0);
    unasked(answered_with(Pair::default(), Action::Reconnect, b"rr").0);
    // The start of an answer is shown again with its rest.
    assert_eq!(answered_with(Fake, Action::Reconnect, b"..").0.unwrap(), (1, Next::Continue));
}

#[test]
fn what_a_server_says_when_it_closes_a_connection_may_come_behind_an_answer() {
    let (answered, pool) = answered_with(Fake, Action::Reconnect, b"r<b>");
    assert_eq!(answered.unwrap().1, Next::Reconnect);
    let closed = pool.close(Nanos(0).plus(20 * MS)).unwrap();
    assert_eq!((closed.ledger.ok, closed.ledger.failed, closed.idle_losses), (1, 0, 1));
    let error = answered_with(Fake, Action::Stop, b"r<b>").0.unwrap_err().to_string();
    assert_eq!(error, "the server closed the connection");
}

/// Buffers end where they do: the start of a farewell is shown again with its rest, when the next request is
/// on its way already.
#[test]
fn a_farewell_that_is_cut_is_none_of_an_answer() {
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    for cut in [1, 2] {
        let whole = b"<b>";
        let behind = [b"r", &whole[..cut]].concat();
        let (answered, mut pool) = answered_with(Fake, Action::Reconnect, &behind);
        assert_eq!(answered.unwrap(), (1, Next::Continue));
        assert!(pool.is_busy(0), "the next operation has begun");
        let (_, next) = pool.receive(0, whole, at(11), at(11), &mut Vec::new()).unwrap();
        assert_eq!(next, Next::Reconnect);
        let closed = pool.close(at(20)).unwrap();
        assert_eq!((closed.ledger.ok, closed.ledger.failed), (1, 1), "{cut}");
    }
    // What turns out to be something else ends the load.
    let (_, mut pool) = answered_with(Fake, Action::Reconnect, b"r<");
    assert!(pool.receive(0, b"<x", at(11), at(11), &mut Vec::new()).is_err());
}

#[test]
fn what_a_server_tells_by_itself_is_passed_over_whenever_it_comes() {
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    // Behind an answer.
    let (answered, mut pool) = answered_with(Fake, Action::Stop, b"rnn");
    assert_eq!(answered.unwrap(), (3, Next::Continue));
    // Behind one, with the start of a farewell that an answer never is.
    assert_eq!(pool.receive(0, b"rn<", at(20), at(20), &mut Vec::new()).unwrap().0, 2);
    assert!(pool.receive(0, b"<r", at(30), at(30), &mut Vec::new()).is_err());
    // While a client has nothing to do: before the load begins.
    let mut pool = Pool::new(vec![Fake], rules(window(Duration::ZERO, 1_000 * MS)));
    let mut out = Vec::new();
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    assert_eq!(pool.receive(0, b"nnn", at(1), at(1), &mut out).unwrap(), (3, Next::Continue));
    pool.start(at(2));
    pool.begin(0, at(2), &mut out);
    pool.receive(0, b"r", at(9), at(9), &mut out).unwrap();
    assert_eq!(pool.close(at(10)).unwrap().ledger.ok, 1);
}
