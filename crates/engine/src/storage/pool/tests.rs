//! The pool in simulated time, on storage that takes as long as a test says.

use super::*;
use crate::storage::StorageError;
use crate::storage::transport::Done;
use crate::{Limit as End, OpenLoop};
use model::{ArrivalProcess, BlockOrder, ErrorAction, ErrorClass, Ledger};

const MS: u64 = 1_000_000;

fn storage(read_percent: u8, vms: u32) -> Storage {
    Storage { read_percent, vms, bytes_per_vm: 1 << 20, ..Storage::default() }
}

fn rules(seconds: f64, open: Option<&OpenLoop>) -> Rules {
    let window = Duration::from_secs_f64(seconds);
    Rules {
        schedule: Schedule { warmup: Duration::ZERO, limit: End::Window(window), turns: None },
        quota: Quota::new(None),
        policy: ErrorPolicy { other: ErrorAction::Ignore, ..ErrorPolicy::default() },
        reconnect_after: None,
        arrivals: open.map(|open| (crate::arrivals::Arrivals::new(open, 0, 1), open.max_waiting)),
    }
}

/// A load in simulated time: requests are done after as long as `takes` says, with what it says.
struct Simulation<F> {
    pool: Pool,
    now: Nanos,
    out: Vec<Request>,
    under_way: Vec<(Nanos, Request)>,
    most_under_way: usize,
    takes: F,
    log: Vec<Request>,
}

impl<F: FnMut(&Request, Nanos) -> (u64, i32)> Simulation<F> {
    fn new(storage: &Storage, queue_depth: u32, rules: Rules, takes: F) -> Self {
        let spec = |number| VmSpec {
            number,
            volume: number % 2,
            path: "/data/file".into(),
            offset: u64::from(number) << 20,
        };
        let assignment = Assignment {
            storage,
            vms: (0..storage.vms).map(spec).collect(),
            queue_depth,
            seed: 3,
            load: 9,
            checksummed: false,
        };
        let pool = Pool::new(assignment, rules);
        let (out, log, under_way) = (Vec::new(), Vec::new(), Vec::new());
        Self { pool, now: Nanos(0), out, under_way, most_under_way: 0, takes, log }
    }

    fn run(mut self) -> Result<(Recorded, FleetPart, Vec<Request>, usize), StorageError> {
        self.pool.start(self.now, self.now, &mut self.out);
        while !self.pool.is_finished(self.now) {
            for request in self.out.drain(..) {
                let (nanos, _) = (self.takes)(&request, self.now);
                self.under_way.push((Nanos(self.now.0 + nanos), request));
                self.log.push(request);
            }
            self.most_under_way = self.most_under_way.max(self.under_way.len());
            self.under_way.sort_by_key(|(at, _)| *at);
            let next = self.pool.next_moment(self.now);
            match self.under_way.first().copied().filter(|(at, _)| *at <= next) {
                Some((at, request)) => {
                    self.under_way.remove(0);
                    self.now = at;
                    let (_, result) = (self.takes)(&request, at);
                    let done = Done { slot: request.slot, result, began: None, ended: at };
                    self.pool.completed(done, &[], at, &mut self.out)?;
                }
                None => self.now = next,
            }
            self.pool.tick(self.now, &mut self.out);
        }
        let now = self.now;
        let (recorder, fleet) = self.pool.close(now).unwrap();
        Ok((recorder, fleet, self.log, self.most_under_way))
    }
}

fn ok(request: &Request) -> i32 {
    if request.kind == Kind::Sync { 0 } else { request.bytes as i32 }
}

#[test]
fn every_virtual_machine_keeps_its_blocks_in_flight() {
    let workload = storage(70, 3);
    let simulation =
        Simulation::new(&workload, 8, rules(1.0, None), |request, _| (MS, ok(request)));
    let (recorder, fleet, log, most) = simulation.run().unwrap();
    assert_eq!(most, 24);
    // 24 at once, 1 ms each, 1 s: the last 24 end on the edge, in the drain.
    assert_eq!(recorder.totals[1].transactions, 24 * 999);
    assert!(recorder.ledger.balances());
    assert_eq!(recorder.ledger.ok, 24_000);
    for VmDone { number, reads, writes, .. } in &fleet.vms {
        let number = *number;
        assert_eq!(reads.latencies.count() + writes.latencies.count(), 8 * 999);
        assert_eq!(reads.bytes, reads.latencies.count() * 4096);
        let own = u64::from(number) << 20..u64::from(number + 1) << 20;
        let of_vm = log.iter().filter(|request| request.file == number);
        assert!(of_vm.clone().count() > 0 && of_vm.clone().all(|r| own.contains(&r.offset)));
    }
    let moved = recorder.totals[1].moved;
    assert_eq!(moved.total(), 24 * 999 * 4096);
    assert!((recorder.by_request[0].latencies.count() as f64 / (24.0 * 999.0) - 0.7).abs() < 0.01);
    assert_eq!(fleet.held, Duration::ZERO);
}

#[test]
fn a_redo_log_waits_for_each_sync() {
    let workload = Storage { sync_every: Some(1), order: BlockOrder::Sequential, ..storage(0, 1) };
    let simulation = Simulation::new(&workload, 1, rules(1.0, None), |request, _| {
        (if request.kind == Kind::Sync { 3 * MS } else { MS }, ok(request))
    });
    let (recorder, _, log, most) = simulation.run().unwrap();
    assert_eq!(most, 1);
    assert!(log.chunks(2).all(|pair| pair[0].kind == Kind::Write && pair[1].kind == Kind::Sync));
    assert_eq!((recorder.tally.kinds[1], recorder.tally.kinds[2]), (250, 250));
    let mean = |latencies: &Latencies| latencies.mean_ms().unwrap();
    assert!((mean(&recorder.latencies) - 4.0).abs() < 0.01, "a commit is its write and its sync");
    assert!((mean(&recorder.by_request[1].latencies) - 1.0).abs() < 0.01);
    assert!((mean(&recorder.by_request[2].latencies) - 3.0).abs() < 0.01);
}

#[test]
fn a_sync_waits_for_the_writes_before_it_and_holds_back_those_after_it() {
    let workload = Storage { sync_every: Some(10), ..storage(0, 1) };
    let mut writes = 0;
    let simulation = Simulation::new(&workload, 4, rules(0.5, None), |request, _| {
        (
            if request.kind == Kind::Sync { 2 * MS } else { MS + u64::from(request.slot) },
            ok(request),
        )
    });
    let (recorder, fleet, log, _) = simulation.run().unwrap();
    for request in &log {
        match request.kind {
            Kind::Write => writes += 1,
            _ => assert_eq!(writes % 10, 0, "a sync after every tenth write, none in between"),
        }
    }
    assert!(recorder.tally.kinds[2] > 10 && recorder.ledger.balances());
    assert!(fleet.held > Duration::ZERO);
    // Little's law: slots × time = operations × latency + client_delay + held.
    let busy = recorder.latencies.mean_ms().unwrap() * recorder.totals[1].transactions as f64 / 1e3;
    let all = busy + recorder.client_delay.as_secs_f64() + fleet.held.as_secs_f64();
    assert!((all / 2.0 - 1.0).abs() < 0.02, "{all}");
}

#[test]
fn a_limit_holds_and_is_spread_evenly() {
    let workload = Storage { iops_limit: Some(500), ..storage(100, 2) };
    let mut begun = Vec::new();
    let simulation = Simulation::new(&workload, 4, rules(2.0, None), |request, now| {
        if request.file == 0 {
            begun.push(now.0 / (100 * MS));
        }
        (MS / 10, ok(request))
    });
    let (recorder, fleet, ..) = simulation.run().unwrap();
    assert!((1_998..=2_006).contains(&recorder.totals[1].transactions));
    for tenth in 0..20 {
        // Each is seen as it begins and as it ends.
        let of_tenth = begun.iter().filter(|at| **at == tenth).count() / 2;
        assert!((48..=56).contains(&of_tenth), "{of_tenth} in tenth {tenth}");
    }
    // 8 slots, of which on average 0.1 of a millisecond × 1000 a second is used.
    let held = fleet.held.as_secs_f64() / 2.0;
    assert!((held - 7.9).abs() < 0.05, "{held}");
}

#[test]
fn an_open_loop_gives_each_its_share_and_counts_what_waits() {
    let workload = storage(100, 2);
    let open = OpenLoop {
        rate: 1_000.0,
        process: ArrivalProcess::Uniform,
        course: Vec::new(),
        max_waiting: 50,
        drops_late: false,
        seed: 1,
    };
    // The first virtual machine's storage is too slow for its 500 a second by half.
    let simulation = Simulation::new(&workload, 1, rules(1.0, Some(&open)), |request, _| {
        (if request.file == 0 { 4 * MS } else { MS / 10 }, ok(request))
    });
    let (recorder, fleet, ..) = simulation.run().unwrap();
    assert!(recorder.ledger.balances());
    assert_eq!(recorder.ledger.scheduled, 1_000);
    assert!(recorder.ledger.dropped > 150, "{:?}", recorder.ledger);
    let counts: Vec<u64> = fleet.vms.iter().map(|vm| vm.reads.latencies.count()).collect();
    assert!(counts[0] <= 251 && counts[1] == 500, "{counts:?}");
    let open = recorder.open.as_ref().unwrap();
    assert!(open.schedule_lags.max_ms().unwrap() > 100.0);
    assert!(open.service_times.max_ms().unwrap() < 4.1);
}

#[test]
fn errors_are_counted_by_their_number_and_the_load_goes_on() {
    let workload = storage(100, 1);
    let mut tenth = 0;
    let simulation = Simulation::new(&workload, 2, rules(1.0, None), |request, now| {
        tenth += 1;
        let bad = now.0 > 300 * MS && now.0 < 400 * MS;
        (MS, if bad { -libc::EIO } else { ok(request) })
    });
    let (recorder, ..) = simulation.run().unwrap();
    assert!(recorder.ledger.balances());
    assert!((196..=200).contains(&recorder.ledger.failed), "{:?}", recorder.ledger);
    let [error] = recorder.errors.as_slice() else { panic!("{:?}", recorder.errors) };
    assert_eq!((error.class, &error.code), (ErrorClass::Device, &libc::EIO.to_string()));
    assert!(error.message.contains("of /data/file failed: Input/output error"));
    let outages = recorder.outages();
    assert_eq!(outages.len(), 1);
    let down = outages[0].downtime().unwrap().as_secs_f64();
    assert!((down - 0.1).abs() < 0.01, "{down}");
}

#[test]
fn an_error_that_the_policy_does_not_survive_ends_the_load() {
    let workload = storage(0, 1);
    let mut end = rules(1.0, None);
    end.policy = ErrorPolicy::default();
    let simulation = Simulation::new(&workload, 2, end, |_, now| {
        (MS, if now.0 > 5 * MS { -libc::ENOSPC } else { 4096 })
    });
    let Err(StorageError::Failed(error)) = simulation.run().map(drop) else {
        panic!("the load went on")
    };
    assert_eq!(error.class, ErrorClass::Resource);
    assert!(error.message.starts_with("a write of 4096 bytes at byte "), "{}", error.message);
}

#[test]
fn a_failed_write_or_sync_lets_the_virtual_machine_go_on() {
    let workload = Storage { sync_every: Some(3), ..storage(0, 1) };
    let mut count = 0;
    let simulation = Simulation::new(&workload, 4, rules(0.5, None), |request, _| {
        count += 1;
        (MS, if count % 7 == 0 { -libc::EIO } else { ok(request) })
    });
    let (recorder, ..) = simulation.run().unwrap();
    assert!(recorder.ledger.balances());
    assert!(recorder.ledger.failed > 20 && recorder.ledger.ok > 100, "{:?}", recorder.ledger);
    assert!(recorder.tally.kinds[2] > 20);
}

#[test]
fn what_is_never_answered_is_given_up_and_counted() {
    let workload = storage(100, 2);
    let open = OpenLoop {
        rate: 100.0,
        process: ArrivalProcess::Uniform,
        course: Vec::new(),
        max_waiting: 50,
        drops_late: false,
        seed: 1,
    };
    let Simulation { mut pool, mut out, .. } =
        Simulation::new(&workload, 1, rules(0.1, Some(&open)), |_, _| (0, 0));
    pool.start(Nanos(0), Nanos(0), &mut out);
    let end = Nanos(200 * MS);
    pool.tick(end, &mut out);
    assert_eq!(out.len(), 2);
    assert!(!pool.is_finished(end));
    pool.give_up(end);
    assert!(pool.is_finished(end));
    let (recorder, fleet) = pool.close(end).unwrap();
    assert!(recorder.ledger.balances());
    let Ledger { scheduled, timed_out, dropped, .. } = recorder.ledger;
    assert_eq!((scheduled, timed_out, dropped), (10, 2, 8));
    // All of them waited, each from when it was due.
    assert_eq!((recorder.latencies.count(), recorder.waits.count()), (10, 10));
    assert_eq!(recorder.totals[1].errors, 2);
    let reads: u64 = fleet.whole().vms.iter().map(|vm| vm.reads.count).sum();
    assert_eq!(reads, 2);
}

#[test]
fn less_than_was_asked_for_is_an_error() {
    let workload = storage(100, 1);
    let simulation = Simulation::new(&workload, 1, rules(0.01, None), |_, now| {
        (MS, if now.0 == 5 * MS { 512 } else { 4096 })
    });
    let (recorder, ..) = simulation.run().unwrap();
    assert_eq!(recorder.ledger.failed, 1);
    assert!(recorder.errors[0].message.ends_with("moved 512 bytes only"), "{:?}", recorder.errors);
}
