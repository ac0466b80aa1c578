//! What servers do in the background: found in their counters, and held against quiet seconds.

use crate::support::{Noise, dataset, found, load_of, trial};
use analyse::{
    Analysis, Changed, EventCost, EventKind, Evidence, Metric, ServerEvent, TooShortForTrend,
    Validity, analyse,
};
use model::{
    ActResult, BackgroundWork, CpuShares, Dataset, Interval, Mark, Phase, ProcessUsage, Sample,
    Sampling, ServerCounters, TrialEnd,
};
use std::collections::BTreeMap;
use std::time::Duration;
use test_support::{balance, latencies, so_many};

/// Seconds of warm-up and of measuring.
const WARMUP: u32 = 2;
const MEASURED: u32 = 20;

/// The counters of a server at the end of each second, as they change from what they were.
type Story<'a> = &'a dyn Fn(u32, &mut ServerCounters);

/// A server that has done nothing in the background.
fn idle() -> ServerCounters {
    [
        ("snapshot_running", 0),
        ("snapshots", 5),
        ("snapshot_copied_bytes", 7),
        ("log_rewrite_running", 0),
        ("log_rewrites", 1),
        ("log_rewrite_copied_bytes", 0),
        ("delayed_syncs", 2),
        ("forks", 6),
        ("last_fork_micros", 100),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn set(counters: &mut ServerCounters, changes: &[(&str, i64)]) {
    for &(name, value) in changes {
        counters.edit(|counters| counters.insert(name.to_owned(), value));
    }
}

/// A snapshot that shows in the readings of seconds `first` to `last`.
fn snapshot(first: u32, last: u32) -> impl Fn(u32, &mut ServerCounters) {
    move |second, counters| {
        if second == first {
            let forked = [("snapshots", 6), ("forks", 7), ("last_fork_micros", 12_500)];
            set(counters, &forked);
            set(counters, &[("snapshot_running", 1)]);
        }
        if second == last + 1 {
            set(counters, &[("snapshot_running", 0), ("snapshot_copied_bytes", 3 << 20)]);
        }
    }
}

/// What was sampled of that story: a reading each second, a little late, beside those at the ends
/// that the record has already.
fn tell(sampling: &mut Sampling, story: Story<'_>) {
    let mut counters = idle();
    let usual = |counters: &ServerCounters, reading: &mut model::CounterReading| {
        let more = BTreeMap::from(counters.clone());
        reading.counters.edit(|all| all.extend(more));
    };
    if let Some(before) = &mut sampling.before {
        usual(&counters, before);
    }
    let sample = |second: u32| {
        story(second, &mut counters);
        Sample {
            at_seconds: f64::from(second) + 0.01,
            length: Duration::from_secs(1),
            counters: Some(counters.clone()),
            ..Sample::default()
        }
    };
    sampling.samples = (1..WARMUP + MEASURED).map(sample).collect();
    story(WARMUP + MEASURED, &mut counters);
    if let Some(after) = &mut sampling.after {
        after.at_seconds = f64::from(WARMUP + MEASURED) + 0.1;
        usual(&counters, after);
    }
}

/// A cell with so many repeats whose trials have that story, and a throughput by the second.
fn cell(repeats: u32, story: Story<'_>, mut throughput: impl FnMut(u32) -> f64) -> Dataset {
    let mut data = dataset(&["only"], &[4], repeats, |_, _, _| 1000.0);
    for repeat in 1..=repeats {
        let record = trial(&mut data, "only", 4, repeat);
        tell(&mut record.sampling, story);
        let load = load_of(record);
        let interval = |second: u32| {
            let rate = throughput(second);
            let transactions = rate.round() as u64;
            Interval {
                phase: if second < WARMUP { Phase::Warmup } else { Phase::Measure },
                start: Duration::from_secs(second.into()),
                length: Duration::from_secs(1),
                transactions,
                queries: 0,
                errors: 0,
                moved: model::Moved::default(),
                longest_statement: None,
                latencies: (&so_many(&latencies(4.0 / rate), transactions)).into(),
            }
        };
        load.intervals = (0..WARMUP + MEASURED).map(interval).collect();
        let measured = load.intervals.iter().filter(|one| one.phase == Phase::Measure);
        let total: u64 = measured.map(|one| one.transactions).sum();
        load.latencies = latencies(4.0 * f64::from(MEASURED) / total as f64);
        balance(record);
    }
    data
}

/// So many transactions in quiet seconds, and a share of them from second `from` to `until`.
fn slowed(share: f64, (from, until): (u32, u32), sigma: f64) -> impl FnMut(u32) -> f64 {
    let mut noise = Noise::new(3);
    move |second| {
        let slow = (from..until).contains(&second);
        1000.0 * noise.factor(sigma) * if slow { share } else { 1.0 }
    }
}

fn events(analysis: &Analysis) -> Vec<ServerEvent> {
    let trials = analysis.tests[0].events.trials.iter();
    trials.flat_map(|trial| trial.events.clone()).collect()
}

fn cost(analysis: &Analysis, kind: EventKind) -> EventCost {
    let mut costs = analysis.tests[0].events.costs.iter();
    costs.find(|cost| cost.event == kind).expect("it was seen").clone()
}

fn changed(cost: &EventCost, metric: Metric) -> (Changed, f64) {
    let change = cost.changes.iter().find(|change| change.metric == metric).expect("measured");
    (change.changed, change.ratio.point)
}

fn near(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() < 1e-6)
}

#[test]
fn what_a_snapshot_costs_is_said_against_quiet_seconds() {
    let data = cell(4, &snapshot(10, 12), slowed(0.6, (9, 13), 0.01));
    let analysis = analyse(&data);
    let seen = events(&analysis);
    assert_eq!(seen.len(), 4);
    assert!(near(seen[0].began.0, 9.01) && near(Some(seen[0].began.1), 10.01));
    assert!(near(Some(seen[0].ended.0), 12.01) && near(seen[0].ended.1, 13.01));
    let cost = cost(&analysis, EventKind::Snapshot);
    assert_eq!((cost.trials, cost.events, cost.by_intervention), ((4, 4), 4, 0));
    assert_eq!(cost.fork_ms, Some((12.5, 12.5)));
    assert_eq!(cost.cow_bytes, Some((3 << 20, 3 << 20)));
    assert_eq!(cost.seconds, (16.0, 64.0), "seconds 9 to 12, and the other 16, four times");
    let (throughput, ratio) = changed(&cost, Metric::Throughput);
    assert!(throughput == Changed::Lower && (ratio - 0.6).abs() < 0.02, "{cost:?}");
    for metric in [Metric::LatencyP95, Metric::LatencyP99] {
        let (latency, ratio) = changed(&cost, metric);
        assert!(latency == Changed::Higher && (ratio - 1.0 / 0.6).abs() < 0.1, "{cost:?}");
    }
    let (during, quiet) = cost.longest_ms.expect("operations");
    assert!(during > 1.5 * quiet, "{during} {quiet}");
    assert_eq!(found(&analysis, |e| matches!(e, Evidence::EventCost(_))).len(), 1);
}

#[test]
fn no_effect_is_a_verdict_and_a_single_trial_is_none() {
    let data = cell(6, &snapshot(10, 12), slowed(1.0, (0, 0), 0.003));
    let cost_of = |data: &Dataset| cost(&analyse(data), EventKind::Snapshot);
    assert_eq!(changed(&cost_of(&data), Metric::Throughput).0, Changed::Same);
    let data = cell(1, &snapshot(10, 12), slowed(0.5, (9, 13), 0.003));
    let (verdict, ratio) = changed(&cost_of(&data), Metric::Throughput);
    assert!(verdict == Changed::Unresolved && (ratio - 0.5).abs() < 0.01);
}

#[test]
fn work_shorter_than_a_second_shows_in_what_the_server_counts() {
    let story = |second: u32, counters: &mut ServerCounters| {
        if second == 8 {
            set(counters, &[("snapshots", 6), ("forks", 7), ("last_fork_micros", 900)]);
            set(counters, &[("snapshot_copied_bytes", 4096)]);
        }
        // Two of them, of which the last alone has left its figures.
        if second == 15 {
            set(counters, &[("snapshots", 8), ("forks", 9), ("snapshot_copied_bytes", 8192)]);
        }
    };
    let data = cell(1, &story, slowed(1.0, (0, 0), 0.01));
    let seen = events(&analyse(&data));
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(near(seen[0].began.0, 7.01) && near(seen[0].ended.1, 8.01));
    let figures: Vec<_> = seen.iter().map(|event| (event.fork_ms, event.cow_bytes)).collect();
    assert_eq!(figures, [(Some(0.9), Some(4096)), (None, None), (None, Some(8192))]);
}

#[test]
fn work_at_the_edges_of_a_load_has_an_open_end() {
    let story = |second: u32, counters: &mut ServerCounters| {
        let running = i64::from(second >= 20);
        set(counters, &[("log_rewrite_running", running), ("log_rewrites", 1 + running)]);
    };
    let mut data = cell(1, &story, slowed(1.0, (0, 0), 0.01));
    let sampling = &mut trial(&mut data, "only", 4, 1).sampling;
    // And a snapshot from before.
    set(&mut sampling.before.as_mut().unwrap().counters, &[("snapshot_running", 1)]);
    let seen = events(&analyse(&data));
    let [snapshot, rewrite] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!((snapshot.kind, snapshot.began.0), (EventKind::Snapshot, None));
    assert!(near(snapshot.ended.1, 1.01));
    assert_eq!((rewrite.kind, rewrite.ended.1), (EventKind::LogRewrite, None));
    let costs = &analyse(&data).tests[0].events.costs;
    assert_eq!(costs.len(), 1, "the snapshot was over before measuring began: {costs:?}");
    assert_eq!(costs[0].lasted_seconds.1, None);
}

#[test]
fn syncs_that_come_late_are_one_event_as_long_as_they_go_on() {
    let story = |second: u32, counters: &mut ServerCounters| {
        let late = match second {
            0..6 => 2,
            6 => 3,
            7..12 => 5,
            _ => 6,
        };
        set(counters, &[("delayed_syncs", late)]);
    };
    let data = cell(3, &story, slowed(0.5, (5, 7), 0.01));
    let analysis = analyse(&data);
    let late: Vec<u64> = events(&analysis).iter().map(|event| event.delayed).collect();
    assert_eq!(late, [3, 1, 3, 1, 3, 1]);
    let cost = cost(&analysis, EventKind::DelayedSync);
    assert_eq!((cost.events, cost.delayed, cost.fork_ms), (6, 12, None));
}

#[test]
fn seconds_without_end_have_nothing_to_be_held_against() {
    let story = snapshot(1, 100);
    let cost = cost(&analyse(&cell(3, &story, slowed(1.0, (0, 0), 0.01))), EventKind::Snapshot);
    assert!(cost.changes.is_empty() && cost.seconds == (0.0, 0.0), "{cost:?}");
}

#[test]
fn a_step_down_while_a_snapshot_is_made_is_no_drift() {
    let speed = || slowed(0.6, (13, 22), 0.01);
    let drifts = |data: &Dataset| {
        let analysis = analyse(data);
        let validity = analysis.tests[0].cells[0].trials[0].validity;
        (found(&analysis, |e| matches!(e, Evidence::Drift(_))).len(), validity)
    };
    let unexplained = cell(1, &|_, _| {}, speed());
    assert_eq!(drifts(&unexplained), (1, Validity::Suspect));
    assert_eq!(drifts(&cell(1, &snapshot(14, 100), speed())), (0, Validity::Valid));
    // What is left must still be enough to see a trend.
    let analysis = analyse(&cell(1, &snapshot(6, 100), speed())).findings;
    let short = analysis.iter().find_map(|finding| match finding.evidence {
        Evidence::TooShortForTrend(TooShortForTrend { intervals, left_out, .. }) => {
            Some((intervals, left_out))
        }
        _ => None,
    });
    assert_eq!(short, Some((3, 17)));
}

#[test]
fn a_child_of_the_server_is_no_other_process() {
    let mut data = cell(1, &snapshot(8, 13), slowed(1.0, (0, 0), 0.01));
    data.run.host.cpus = 2;
    let samples = &mut trial(&mut data, "only", 4, 1).sampling.samples;
    for (second, sample) in (1..).zip(samples) {
        // One processor for the server, and one for its child while it has one.
        let busy = if (8..=14).contains(&second) { 1.0 } else { 0.5 };
        sample.cpu = CpuShares { user: busy, idle: 1.0 - busy, ..CpuShares::default() };
        sample.server = Some(ProcessUsage { cpus: 1.0, rss_bytes: 1, ..ProcessUsage::default() });
    }
    let others =
        |data: &Dataset| found(&analyse(data), |e| matches!(e, Evidence::OtherProcesses(_))).len();
    assert_eq!(others(&data), 0);
    // The same without a snapshot is another's doing.
    for sample in &mut trial(&mut data, "only", 4, 1).sampling.samples {
        sample.counters = None;
    }
    let sampling = &mut trial(&mut data, "only", 4, 1).sampling;
    set(&mut sampling.after.as_mut().unwrap().counters, &[("snapshots", 5)]);
    assert_eq!(others(&data), 1);
}

/// A snapshot that an intervention asked for at 10.5 s, and that came to this.
fn asked(result: ActResult, until: f64, note: &str) -> Mark {
    Mark {
        result: Some(result),
        work: Some(BackgroundWork::Snapshot),
        note: Some(note.to_owned()),
        ..Mark::span("save", 10.5, until)
    }
}

/// One trial with that story and that mark.
fn told(story: Story<'_>, mark: Mark) -> Dataset {
    let mut data = cell(1, story, slowed(1.0, (0, 0), 0.01));
    set_mark(&mut data, mark);
    data
}

fn set_mark(data: &mut Dataset, mark: Mark) {
    let TrialEnd::Completed(outcome) = &mut trial(data, "only", 4, 1).end else {
        panic!("it completed")
    };
    outcome.marks = vec![mark];
}

fn done(until: f64) -> Mark {
    asked(ActResult::Done, until, "Background saving started")
}

fn validity(analysis: &Analysis) -> Validity {
    analysis.tests[0].cells[0].trials[0].validity
}

#[test]
fn an_intervention_says_when_its_work_began_and_ended() {
    let data = told(&snapshot(11, 12), done(12.4));
    let analysis = analyse(&data);
    let [event] = &events(&analysis)[..] else { panic!("one event") };
    assert_eq!(event.intervention.as_deref(), Some("save"));
    assert_eq!((event.began, event.ended), ((Some(10.5), 10.5), (12.01, Some(12.4))));
    assert_eq!(cost(&analysis, EventKind::Snapshot).by_intervention, 1);
    assert_eq!(validity(&analysis), Validity::Valid);
    // One that began before is another.
    let data = told(&snapshot(9, 12), done(12.4));
    let seen = events(&analyse(&data));
    assert_eq!((seen[0].kind, &seen[0].intervention), (EventKind::Snapshot, &None));
    assert_eq!(seen[1].kind, EventKind::Intervention);
}

#[test]
fn an_intervention_that_fails_makes_its_trial_suspect() {
    let refused = "the server refused BGSAVE: ERR Background save already in progress";
    let data = told(&|_, _| {}, asked(ActResult::Failed, 10.51, refused));
    let analysis = analyse(&data);
    let failed = found(&analysis, |e| match e {
        Evidence::InterventionFailed(failed) => {
            (failed.intervention.as_str(), failed.message.as_str()) == ("save", refused)
        }
        _ => false,
    });
    assert_eq!((failed.len(), validity(&analysis)), (1, Validity::Suspect));
    assert_eq!(analysis.tests[0].events.trials.len(), 1);
}

#[test]
fn an_intervention_that_outlasts_the_load_is_told() {
    let data = told(&snapshot(11, 100), asked(ActResult::CutOff, 22.1, ""));
    let analysis = analyse(&data);
    let cut = found(&analysis, |e| match e {
        Evidence::InterventionCutOff(cut) => cut.goes_on && near(Some(cut.seconds), 11.6),
        _ => false,
    });
    assert_eq!((cut.len(), validity(&analysis)), (1, Validity::Valid));
    assert_eq!(events(&analysis)[0].ended.1, None);
}

#[test]
fn work_that_the_counters_do_not_show_makes_its_trial_suspect_unless_nothing_can_be_known() {
    let not_seen = |analysis: &Analysis, would_show| {
        let is_it = |e: &Evidence| match e {
            Evidence::WorkNotSeen(not_seen) => not_seen.would_show == would_show,
            _ => false,
        };
        found(analysis, is_it).len()
    };
    let data = told(&|_, _| {}, done(12.4));
    let analysis = analyse(&data);
    assert_eq!((not_seen(&analysis, true), validity(&analysis)), (1, Validity::Suspect));
    let silent = |_: u32, counters: &mut ServerCounters| {
        counters.edit(|all| all.retain(|name, _| !name.starts_with("snapshot")));
    };
    let mut data = told(&silent, done(12.4));
    let sampling = &mut trial(&mut data, "only", 4, 1).sampling;
    for reading in [&mut sampling.before, &mut sampling.after].into_iter().flatten() {
        reading.counters.edit(|all| all.retain(|name, _| !name.starts_with("snapshot")));
    }
    let analysis = analyse(&data);
    assert_eq!((not_seen(&analysis, false), validity(&analysis)), (1, Validity::Valid));
}

#[test]
fn the_time_of_a_statement_or_a_command_is_no_drift_and_no_other_process() {
    // Half as much from second 12 on: a drift, unless an intervention was under way.
    let slow = || slowed(0.5, (12, 30), 0.01);
    let drifts = |data: &Dataset| found(&analyse(data), |e| matches!(e, Evidence::Drift(_))).len();
    let mut data = cell(1, &|_, _| {}, slow());
    assert_eq!(drifts(&data), 1);
    set_mark(&mut data, Mark { result: Some(ActResult::Done), ..Mark::span("alter", 12.0, 22.0) });
    assert_eq!(drifts(&data), 0);
    let seen = events(&analyse(&data));
    let [event] = &seen[..] else { panic!("one event: {seen:?}") };
    assert_eq!((event.kind, event.began), (EventKind::Intervention, (Some(12.0), 12.0)));
    assert!(analyse(&data).tests[0].events.costs.is_empty());
}
