//! How the parts of a load become one result.

use crate::account::Account;
use crate::load::{Progress, RunLoad};
use crate::recorder::{Ended, MAX_ERROR_KINDS, MAX_NAMED_ERRORS, has_short_code, is_short};
use crate::result::{CpuWindow, Intervals, result};
use crate::socket::receive_delay;
use crate::usage::{peak_rss_bytes, process_cpu};
use crate::{Clock, LoadError, Nanos, Schedule};
use model::bounds::MAX_NAMES;
use model::{ErrorCount, GeneratorShare, Interval, LoadResult, NamedError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How much an [`Account`] holds: read of its text before the account itself, whose histograms take far
/// more memory than their text.
#[derive(Deserialize)]
pub struct AccountOutline {
    recorded: RecordedOutline,
    fleet: Option<FleetOutline>,
}

#[derive(Deserialize)]
struct RecordedOutline {
    by_request: Vec<NamedOutline>,
    errors: Vec<ErrorCount>,
}

#[derive(Deserialize)]
struct NamedOutline {
    errors: Vec<NamedError>,
}

impl NamedOutline {
    fn fits(&self) -> bool {
        self.errors.len() <= MAX_NAMED_ERRORS && self.errors.iter().all(has_short_code)
    }
}

#[derive(Deserialize)]
struct FleetOutline {
    vms: Vec<VmOutline>,
}

#[derive(Deserialize)]
struct VmOutline {
    volume: u32,
}

impl AccountOutline {
    /// Whether a part of that load can have given it.
    pub fn fits(&self, load: &dyn RunLoad) -> bool {
        let fleet_fits = self.fleet.as_ref().is_none_or(|fleet| {
            load.fleet().is_some_and(|size| {
                fleet.vms.len() <= size.vms && fleet.vms.iter().all(|vm| vm.volume < size.volumes)
            })
        });
        fleet_fits
            && self.recorded.by_request.len() <= MAX_NAMES
            && self.recorded.by_request.iter().all(NamedOutline::fits)
            && self.recorded.errors.len() <= MAX_ERROR_KINDS
            && self.recorded.errors.iter().all(is_short)
    }
}

/// Puts together what the parts of a load do, while they run and when they have ended.
pub struct Assembly {
    parts: u32,
    intervals: Intervals,
    shown: Vec<Interval>,
    /// Of the parts that have ended, in one: of thousands, each with its histograms, not one is kept.
    whole: Option<Account>,
    /// What each did, and the processors that it may use.
    ended: BTreeMap<u32, (GeneratorShare, u32)>,
    /// Processor time of this process, where the parts are others of the same machine.
    own: Option<CpuWindow>,
    /// The machines that the parts are on, in turns; none where all are on this one.
    hosts: Vec<String>,
}

impl Assembly {
    /// Of a load in so many parts.
    pub fn new(parts: u32) -> Self {
        Self {
            parts,
            intervals: Intervals::new(parts),
            shown: Vec::new(),
            whole: None,
            ended: BTreeMap::new(),
            own: None,
            hosts: Vec::new(),
        }
    }

    /// The parts are on other machines: the first on the first, and so on in turns.
    pub fn is_elsewhere(&mut self, hosts: Vec<String>) {
        self.hosts = hosts;
    }

    /// What the machine of a part is called; `None` for this one.
    pub fn host_of(&self, part: u32) -> Option<&str> {
        let place = (part as usize).checked_rem(self.hosts.len())?;
        self.hosts.get(place).map(String::as_str)
    }

    /// The parts are other processes, and begin then: what this one uses from now on is added to
    /// what they use, where they are on the same machine. [`Self::look`] is to be called several times a second.
    pub fn starts(&mut self, schedule: Schedule, start: Nanos) {
        self.own = self.hosts.is_empty().then(|| CpuWindow::new(schedule, start, process_cpu));
    }

    /// Lets time go on.
    pub fn look(&mut self) {
        if let Some(own) = &mut self.own {
            own.look(Clock.now());
        }
    }

    /// An interval ended in one of the parts.
    pub fn interval(&mut self, ended: Ended, progress: &mut dyn FnMut(Progress<'_>)) {
        if let Some(ended) = self.intervals.add(ended) {
            self.show(ended, progress);
        }
    }

    /// A part has ended.
    pub fn ended(&mut self, index: u32, account: Account) {
        let share = account.share(self.host_of(index).map(str::to_owned));
        let ended = (share, account.client.cpus_allowed);
        // What a machine elsewhere says again does not count twice.
        if self.ended.insert(index, ended).is_none() {
            match &mut self.whole {
                Some(whole) => whole.add(account),
                None => self.whole = Some(account),
            }
        }
    }

    /// Whether all parts have ended.
    pub fn is_complete(&self) -> bool {
        self.ended.len() == self.parts as usize
    }

    /// The whole load.
    ///
    /// # Errors
    /// `Lost` where connections were lost for good; `Stopped` where a part is missing.
    pub fn finish(
        mut self,
        load: &dyn RunLoad,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<LoadResult, LoadError> {
        if !self.is_complete() {
            return Err(LoadError::Stopped);
        }
        for rest in self.intervals.rest() {
            self.show(rest, progress);
        }
        self.shown.sort_by_key(|interval| interval.start);
        let cpus_elsewhere = self.cpus_elsewhere();
        let generators = match self.parts {
            1 if self.hosts.is_empty() => Vec::new(),
            _ => std::mem::take(&mut self.ended).into_values().map(|(share, _)| share).collect(),
        };
        let mut whole = self.whole.take().ok_or(LoadError::Stopped)?;
        let client = &mut whole.client;
        client.cpus_allowed = cpus_elsewhere.unwrap_or(client.cpus_allowed);
        if let Some(own) = self.own {
            client.cpu_seconds += own.used().as_secs_f64();
            client.peak_rss_bytes += peak_rss_bytes();
        }
        client.client_delay_seconds = whole.recorded.client_delay.as_secs_f64();
        client.paused_seconds = whole.recorded.paused.as_secs_f64();
        client.receive_delay = receive_delay(&whole.delays);
        let timing = load.timing();
        let silent = whole.recorded.silence.lasting(timing.drain_limit);
        let result = LoadResult { generators, ..result(timing.open_loop, whole, self.shown) };
        if let Some(since) = silent.filter(|_| timing.fails_unanswered) {
            let longest_ms = result.waits.max_ms().unwrap_or_default();
            return Err(LoadError::Unanswered {
                since,
                operations: result.ledger.timed_out,
                longest: Duration::from_secs_f64(longest_ms / 1e3),
                waited: timing.drain_limit,
            });
        }
        match result.outages.last() {
            Some(outage) if outage.first_success.is_none() => {
                Err(load.lost(outage.first_error, &result.errors))
            }
            _ => Ok(result),
        }
    }

    /// Processors of all other machines together that the parts may use.
    fn cpus_elsewhere(&self) -> Option<u32> {
        let mut of_hosts = vec![0u32; self.hosts.len()];
        for (&part, (_, allowed)) in &self.ended {
            let place = (part as usize).checked_rem(of_hosts.len())?;
            if let Some(cpus) = of_hosts.get_mut(place) {
                *cpus = (*allowed).max(*cpus);
            }
        }
        (!of_hosts.is_empty()).then(|| of_hosts.into_iter().sum())
    }

    fn show(&mut self, ended: Ended, progress: &mut dyn FnMut(Progress<'_>)) {
        progress(Progress::Interval(&ended.interval, &ended.tally));
        self.shown.push(ended.interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Named;
    use crate::pool::tests::Fake;
    use crate::recorder::{Recorder, Times};
    use crate::{Address, ErrorPolicy, Limit, LoadSpec, OperationError, Schedule, SocketLoad};
    use model::{ClientCost, Effect, ErrorClass, Latencies, RequestKind};

    const MS: u64 = 1_000_000;
    const WINDOW: Duration = Duration::from_secs(2);
    const ASK: RequestKind = RequestKind::uncounted("ask", Effect::Read);

    fn spec() -> LoadSpec {
        LoadSpec {
            addresses: vec![Address::Unix("/nowhere".into())],
            delay: None,
            tls: None,
            clients: 3,
            workers: Some(1),
            io: None,
            schedule: Schedule {
                warmup: Duration::ZERO,
                limit: Limit::Window(WINDOW),
                turns: None,
            },
            open: None,
            reconnect_after: None,
            policy: ErrorPolicy::default(),
            connect_limit: WINDOW,
            drain_limit: WINDOW,
            fails_unanswered: true,
            enough: model::Stop::default(),
        }
    }

    /// Of a load that is only put together.
    fn session(_: u32) -> Fake {
        Fake
    }

    /// A part that began then, with one transaction each `every` milliseconds, that long each, and a
    /// connection lost after 900 ms for 200 ms.
    fn part(start: Nanos, clients: u32, every: u64) -> (Vec<Ended>, Account) {
        let mut recorded = Recorder::open(spec().schedule, start, false, 0);
        for at in (every..2_000).step_by(every as usize).filter(|at| !(900..1_100).contains(at)) {
            let ended = start.plus(Duration::from_millis(at));
            let began = Nanos(ended.0 - every * MS);
            recorded.advance(ended);
            recorded.ledger.scheduled += 1;
            recorded.tally.kinds[0] += 1;
            recorded.succeeded(Times::new(began, began, ended));
            if at + every >= 900 && at < 900 {
                let (class, message) = (ErrorClass::Connection, "reset".to_owned());
                let error = OperationError {
                    class,
                    code: String::new(),
                    sql_state: String::new(),
                    message,
                };
                let lost = start.plus(Duration::from_millis(900));
                recorded.ledger.scheduled += 1;
                recorded.failed(Times::new(began, began, lost), error);
                recorded.lost(lost, lost, true);
            }
        }
        let mut recorded = recorded.close(start.plus(WINDOW));
        let intervals = recorded.intervals.drain(..).collect();
        let client = ClientCost { workers: 1, cpu_seconds: 0.25, ..ClientCost::default() };
        let account = Account {
            clients,
            named: Named { kinds: vec![ASK], statements: Vec::new(), transactions: Vec::new() },
            connect_time: Duration::from_millis(every),
            recorded,
            client,
            delays: Latencies::new(),
            begun_late: Duration::from_micros(every),
            fleet: None,
            delay: None,
        };
        (intervals, account)
    }

    /// The load of these parts, which have come through a pipe.
    fn together(parts: Vec<(Vec<Ended>, Account)>) -> LoadResult {
        let mut assembly = Assembly::new(parts.len() as u32);
        for (index, (intervals, account)) in parts.into_iter().enumerate() {
            for interval in intervals {
                let line = serde_json::to_string(&interval).unwrap();
                assembly.interval(serde_json::from_str(&line).unwrap(), &mut |_| {});
            }
            assert!(!assembly.is_complete());
            let line = serde_json::to_string(&account).unwrap();
            assembly.ended(index as u32, serde_json::from_str(&line).unwrap());
        }
        let load = SocketLoad { spec: &spec(), session };
        assembly.finish(&load, &mut |_| {}).unwrap()
    }

    #[test]
    fn parts_become_one_result_and_leave_their_shares() {
        let start = Nanos(77_000 * MS);
        let load = together(vec![part(start, 2, 10), part(start, 1, 20)]);
        assert!(load.ledger.balances());
        assert_eq!(load.measure.transactions, load.succeeded().count());
        assert_eq!(load.requests.count_of("ask"), load.ledger.ok);
        assert_eq!((load.measure.elapsed, load.measure.errors), (WINDOW, 2));
        assert_eq!(load.intervals.len(), 2, "of both parts in one");
        let of_intervals: u64 = load.intervals.iter().map(|i| i.transactions).sum();
        assert_eq!(of_intervals, load.measure.transactions);
        assert_eq!((load.client.workers, load.client.cpu_seconds), (2, 0.5));
        assert_eq!(load.errors.len(), 1);
        assert_eq!(load.errors[0].count, 2);
        // One outage, ended by the first success of either.
        let [outage] = load.outages.as_slice() else { panic!("{:?}", load.outages) };
        assert_eq!((outage.first_error, outage.failed), (Duration::from_millis(900), 2));
        assert_eq!(outage.first_success, Some(Duration::from_millis(1_100)));

        let [first, second] = load.generators.as_slice() else { panic!("two shares") };
        assert_eq!((first.clients, second.clients), (2, 1));
        assert_eq!(first.transactions + second.transactions, load.measure.transactions);
        assert!(first.transactions > second.transactions);
        let of_both = [first, second].map(|share| share.latencies.unpack().count());
        assert_eq!(of_both.iter().sum::<u64>(), load.latencies.count());
        assert_eq!(second.begun_late, Duration::from_micros(20));
    }

    #[test]
    fn parts_of_other_machines_have_the_processors_of_all_of_them() {
        let mut assembly = Assembly::new(3);
        assembly.is_elsewhere(vec!["a".to_owned(), "b".to_owned()]);
        let schedule = spec().schedule;
        assembly.starts(schedule, Nanos(1));
        for (index, cpus_allowed) in (0..).zip([4, 2, 4]) {
            let (_, mut account) = part(Nanos(u64::from(index)), 1, 10);
            account.client.cpus_allowed = cpus_allowed;
            assembly.ended(index, account);
        }
        let load = SocketLoad { spec: &spec(), session };
        let load = assembly.finish(&load, &mut |_| {}).unwrap();
        assert_eq!(load.client.cpus_allowed, 6);
        // This process made none of it.
        assert_eq!(load.client.cpu_seconds, 0.75);
        let hosts: Vec<_> = load.generators.iter().map(|share| share.host.as_deref()).collect();
        assert_eq!(hosts, [Some("a"), Some("b"), Some("a")]);
    }

    #[test]
    fn one_part_is_a_load_without_shares() {
        let load = together(vec![part(Nanos(5), 3, 10)]);
        assert!(load.generators.is_empty());
        assert_eq!(load.connect_time, Duration::from_millis(10));
    }
}
