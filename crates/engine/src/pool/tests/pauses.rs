//! Clients that pause, in simulated time: a server answers everything after 10 ms.

use super::*;

/// Asks, thinks, asks again, and rests. Thinking comes first where it `muses`.
struct Thinker {
    asked: usize,
    muses: bool,
    event: Option<Event>,
    think: Duration,
    rest: Duration,
}

impl Thinker {
    fn new(think: Duration, rest: Duration) -> Self {
        Self { asked: 0, muses: false, event: None, think, rest }
    }
}

impl Session for Thinker {
    const KINDS: &'static [RequestKind] = &KINDS;

    fn open(&mut self, _: &mut Vec<u8>) {}
    fn tls_started(&mut self, _: &mut Vec<u8>) {}
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.asked = 0;
        match self.muses {
            true => self.event = Some(Event::Pause(self.think)),
            false => self.resume(out),
        }
    }
    fn resume(&mut self, out: &mut Vec<u8>) {
        self.asked += 1;
        out.push(b'q');
    }
    fn take_event(&mut self) -> Option<Event> {
        self.event.take()
    }
    fn receive(
        &mut self,
        input: &[u8],
        _: &mut Vec<u8>,
        _: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        let event = match (input[0], self.asked) {
            (b'l', _) => Event::Ready,
            (_, 1) => Event::Pause(self.think),
            _ => {
                if !self.rest.is_zero() {
                    self.event = Some(Event::Pause(self.rest));
                }
                Event::Done
            }
        };
        Ok((1, event))
    }
    fn close(&mut self, _: &mut Vec<u8>) {}
}

const SERVICE: Duration = Duration::from_millis(10);

/// Runs the load to its end; returns its account and when it ended.
fn run<S: Session>(mut pool: Pool<S>) -> (Recorded, Nanos) {
    let mut out = Vec::new();
    for id in 0..pool.len() {
        pool.receive(id, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    }
    pool.start(Nanos(0));
    let mut answers = BinaryHeap::new();
    let mut now = Nanos(0);
    let begin = |pool: &mut Pool<S>, id, now: Nanos, answers: &mut BinaryHeap<_>| {
        let mut out = Vec::new();
        pool.begin(id, now, &mut out);
        if !out.is_empty() {
            answers.push(Reverse((now.plus(SERVICE), id)));
        }
    };
    (0..pool.len()).for_each(|id| begin(&mut pool, id, now, &mut answers));
    while !pool.is_finished(now) {
        while let Some(id) = pool.dispatch(now) {
            begin(&mut pool, id, now, &mut answers);
        }
        assert!(pool.take_error().is_none());
        let answer = answers.peek().map(|Reverse((at, _))| *at);
        now = answer.into_iter().chain(pool.next_due()).min().unwrap_or(now.plus(SERVICE)).max(now);
        if answer.is_some_and(|at| at <= now) {
            let Some(Reverse((at, id))) = answers.pop() else { continue };
            let mut out = Vec::new();
            pool.receive(id, b"r", at, at, &mut out).unwrap();
            if !out.is_empty() {
                answers.push(Reverse((at.plus(SERVICE), id)));
            }
        }
    }
    assert_eq!(pool.waiting(), 0);
    (pool.close(now).unwrap(), now)
}

#[test]
fn pauses_take_time_and_are_no_part_of_latencies() {
    let thinker = || Thinker::new(60 * MS, 20 * MS);
    let pool = Pool::new(vec![thinker(), thinker()], rules(window(Duration::ZERO, 10_000 * MS)));
    let (recorded, _) = run(pool);
    // Each takes 10 + 60 + 10 + 20 ms.
    assert_eq!(recorded.ledger.ok, 200);
    assert!(recorded.ledger.balances());
    let latencies = &recorded.latencies;
    assert_eq!(
        (latencies.min_ms().unwrap().round(), latencies.max_ms().unwrap().round()),
        (20.0, 20.0)
    );
}

/// Whatever of them lies before or behind the measured phase, and whatever pauses it cuts.
#[test]
fn time_that_clients_pause_is_counted_where_it_overlaps_the_measured_phase() {
    // Each takes 10 + 700 + 10 + 1,280 ms and pauses for 1,980 of 2,000; from 1,500 to 11,500 ms that is
    // five times.
    let thinker = || Thinker::new(700 * MS, 1_280 * MS);
    let pool = Pool::new(vec![thinker(), thinker()], rules(window(1_500 * MS, 10_000 * MS)));
    let (recorded, _) = run(pool);
    assert_eq!(recorded.paused, 2 * 5 * 1_980 * MS);
    // N × T = sum of latencies + pauses, in windows that cut neither.
    let latencies = recorded.latencies.mean_ms().unwrap() * recorded.latencies.count() as f64;
    assert!((latencies + recorded.paused.as_secs_f64() * 1e3 - 20_000.0).abs() < 1.0);
    // One that pauses all the time.
    let pool = Pool::new(
        vec![Thinker::new(60_000 * MS, Duration::ZERO)],
        rules(window(100 * MS, 1_000 * MS)),
    );
    assert_eq!(run(pool).0.paused, 1_000 * MS);
}

#[test]
fn nobody_thinks_beyond_the_end_of_the_load() {
    let thinker = Thinker::new(60_000 * MS, Duration::ZERO);
    let (recorded, ended) =
        run(Pool::new(vec![thinker], rules(window(Duration::ZERO, 1_000 * MS))));
    assert_eq!(ended, Nanos(0).plus(1_010 * MS));
    assert_eq!((recorded.ledger.scheduled, recorded.ledger.ok), (1, 1));
    let mut muser = Thinker::new(60_000 * MS, 60_000 * MS);
    muser.muses = true;
    let (recorded, _) = run(Pool::new(vec![muser], rules(window(Duration::ZERO, 1_000 * MS))));
    assert!(recorded.ledger.balances() && recorded.ledger.ok == 1, "{:?}", recorded.ledger);
}

#[test]
fn in_an_open_loop_a_client_that_pauses_takes_nothing() {
    let open = crate::OpenLoop {
        rate: 20.0,
        process: model::ArrivalProcess::Uniform,
        course: Vec::new(),
        max_waiting: 3,
        drops_late: false,
        seed: 1,
    };
    let mut rules = rules(window(Duration::ZERO, 10_000 * MS));
    rules.arrivals = Some((Arrivals::new(&open, 0, 1), 3));
    let (recorded, _) = run(Pool::new(vec![Thinker::new(30 * MS, 150 * MS)], rules));
    let ledger = recorded.ledger;
    // One operation every 200 ms, with its pauses, of four that are due.
    assert!(ledger.balances(), "{ledger:?}");
    assert!((49..=55).contains(&ledger.ok) && ledger.dropped > 140, "{ledger:?}");
    let service = recorded.open.unwrap().service_times;
    assert_eq!(service.max_ms().unwrap().round(), 20.0);
}

#[test]
fn a_connection_that_is_lost_in_a_pause_takes_its_operation_with_it() {
    let at = |ms: u32| Nanos(0).plus(ms * MS);
    let mut rules = rules(window(Duration::ZERO, 1_000 * MS));
    rules.policy.connection = Action::Reconnect;
    let mut pool = Pool::new(vec![Thinker::new(100 * MS, Duration::ZERO)], rules);
    let mut out = Vec::new();
    pool.receive(0, b"l", at(0), at(0), &mut out).unwrap();
    pool.start(at(0));
    pool.begin(0, at(0), &mut out);
    pool.receive(0, b"r", at(10), at(10), &mut out).unwrap();
    assert_eq!((pool.busy(), pool.waiting()), (1, 0));
    assert!(pool.lost(0, at(50), "gone"));
    assert_eq!((pool.busy(), pool.waiting()), (0, 0));
    out.clear();
    pool.opened(0, &mut out);
    pool.receive(0, b"l", at(60), at(60), &mut out).unwrap();
    pool.begin(0, at(60), &mut out);
    assert_eq!(out, b"q");
    // The pause that was lost would have ended now.
    assert_eq!(pool.dispatch(at(110)), None);
    pool.give_up(at(2_000));
    let recorded = pool.close(at(2_000)).unwrap();
    assert_eq!(recorded.paused, 40 * MS, "up to the loss");
    let ledger = recorded.ledger;
    assert_eq!((ledger.failed, ledger.timed_out), (1, 1));
    assert!(ledger.balances());
}

/// An operation that asks nothing and, where `fails`, cannot even be computed.
struct Empty {
    fails: bool,
    begun: bool,
}

impl Session for Empty {
    const KINDS: &'static [RequestKind] = &KINDS;

    fn open(&mut self, _: &mut Vec<u8>) {}
    fn tls_started(&mut self, _: &mut Vec<u8>) {}
    fn begin(&mut self, _: &mut Vec<u8>) {
        self.begun = true;
    }
    fn take_event(&mut self) -> Option<Event> {
        let begun = std::mem::take(&mut self.begun);
        begun.then(|| match self.fails {
            true => failed(ErrorClass::Statement, "", ""),
            false => Event::Done,
        })
    }
    fn receive(
        &mut self,
        _: &[u8],
        _: &mut Vec<u8>,
        _: &mut RequestTally,
    ) -> Result<(usize, Event), SessionError> {
        Ok((1, Event::Ready))
    }
    fn close(&mut self, _: &mut Vec<u8>) {}
}

#[test]
fn operations_that_ask_nothing_come_to_an_end() {
    for (fails, action) in [(false, Action::Stop), (true, Action::Ignore)] {
        let mut rules = rules(window(Duration::ZERO, 1_000 * MS));
        rules.policy.other = action;
        let (recorded, _) = run(Pool::new(vec![Empty { fails, begun: false }], rules));
        let ledger = recorded.ledger;
        assert!(ledger.balances() && (500..=1_001).contains(&ledger.scheduled), "{ledger:?}");
        assert_eq!(ledger.failed > 0, fails);
    }
    let mut rules = rules(window(Duration::ZERO, 1_000 * MS));
    rules.policy.other = Action::Stop;
    let mut pool = Pool::new(vec![Empty { fails: true, begun: false }], rules);
    let mut out = Vec::new();
    pool.receive(0, b"l", Nanos(0), Nanos(0), &mut out).unwrap();
    pool.start(Nanos(0));
    pool.begin(0, Nanos(0), &mut out);
    assert!(matches!(pool.take_error(), Some(SessionError::Refused(_))));
}
