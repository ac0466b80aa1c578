//! Two runs against each other, where the truth is known.

use crate::support::{Noise, dataset};
use analyse::runs::{
    self, EarlierRuns, Gate, GateOutcome, GateQuestion, GateReason, RunComparison, RunPoints,
    history,
};
use analyse::{Metric, Verdict};
use model::{Dataset, ProcessUsage, Sample, UnixMillis};
use std::time::Duration;
use test_support::imported;

/// Without anything known of earlier runs.
fn gate(old: &Dataset, new: &Dataset, question: GateQuestion) -> Gate {
    runs::gate(old, new, question, &EarlierRuns::default())
}

fn compare_runs(old: &Dataset, new: &Dataset) -> RunComparison {
    runs::compare_runs(old, new, &EarlierRuns::default())
}

const QUESTION: GateQuestion =
    GateQuestion { max_regression: 0.05, metric: None, each_level: false };

/// A run whose targets are so many times as fast as they could be, with blocks of their own.
fn run(seed: u64, speed: f64, repeats: u32) -> Dataset {
    run_by_level(seed, repeats, |_| speed)
}

/// The same with a speed for each number of clients.
fn run_by_level(seed: u64, repeats: u32, speed: impl Fn(u32) -> f64) -> Dataset {
    let mut noise = Noise::new(seed);
    let blocks: Vec<f64> = (0..repeats).map(|_| noise.factor(0.02)).collect();
    dataset(&["a", "b"], &[1, 4, 16], repeats, |_, clients, repeat| {
        let of_block = blocks[repeat as usize - 1];
        1000.0 * f64::from(clients).sqrt() * speed(clients) * of_block * noise.factor(0.03)
    })
}

fn outcome(seed: u64, speed: f64, question: GateQuestion) -> GateOutcome {
    let gate: Gate = gate(&run(2 * seed, 1.0, 3), &run(2 * seed + 1, speed, 3), question);
    gate.outcome()
}

fn share(studies: u64, is: impl Fn(u64) -> bool) -> f64 {
    (0..studies).filter(|&seed| is(seed)).count() as f64 / studies as f64
}

#[test]
fn a_gate_errs_as_rarely_as_it_says_and_finds_what_is_there() {
    // At the limit itself: neither answer is right.
    let wrong = |seed| outcome(seed, 0.95, QUESTION) == GateOutcome::Worse;
    let worse_at_limit = share(120, wrong);
    assert!(worse_at_limit <= 0.06, "{worse_at_limit}");
    let passes_at_limit = share(120, |seed| outcome(seed, 0.95, QUESTION) == GateOutcome::NotWorse);
    assert!(passes_at_limit <= 0.06, "{passes_at_limit}");
    // Of equal runs, and of such that lost much.
    let found = share(100, |seed| outcome(seed, 0.75, QUESTION) == GateOutcome::Worse);
    assert!(found > 0.9, "{found}");
    let equal = |seed| outcome(seed, 1.0, QUESTION);
    assert_eq!(share(60, |seed| equal(seed) == GateOutcome::Worse), 0.0);
    let better = share(100, |seed| outcome(seed, 1.1, QUESTION) == GateOutcome::NotWorse);
    assert!(better > 0.8, "{better}");
    let each = GateQuestion { each_level: true, ..QUESTION };
    let worse_at_limit = share(80, |seed| outcome(seed, 0.95, each) == GateOutcome::Worse);
    assert!(worse_at_limit <= 0.07, "{worse_at_limit}");
}

/// The server of a run uses so many processors, with a little noise.
fn with_cpus(mut data: Dataset, seed: u64, cpus: f64) -> Dataset {
    let mut noise = Noise::new(seed);
    for record in &mut data.trials {
        let cpus = cpus * noise.factor(0.01);
        let second = |second: u32| Sample {
            at_seconds: f64::from(second),
            length: Duration::from_secs(1),
            server: Some(ProcessUsage { cpus, system_cpus: cpus / 4.0, rss_bytes: 1 << 30 }),
            ..Sample::default()
        };
        record.sampling.samples = (1..=13).map(second).collect();
    }
    data
}

#[test]
fn what_an_operation_takes_is_judged_between_runs_as_well() {
    let (old, new) = (with_cpus(run(1, 1.0, 5), 3, 1.0), with_cpus(run(2, 1.0, 5), 4, 1.5));
    let found = compare_runs(&old, &new);
    let over_levels = |metric: Metric| {
        let results = &found.tests[0].results;
        let of_a = results
            .iter()
            .find(|one| one.metric == metric && one.level.is_none() && one.target == "a");
        of_a.unwrap().verdict
    };
    assert_eq!(over_levels(Metric::ServerCpu), Verdict::BaselineBetter);
    assert_eq!(over_levels(Metric::ServerSystemCpu), Verdict::BaselineBetter);
    assert_ne!(over_levels(Metric::Throughput), Verdict::BaselineBetter);
    assert_eq!(over_levels(Metric::ServerMemory), Verdict::Equivalent);
    // Nothing is said of what neither run saw.
    assert!(found.tests[0].results.iter().all(|one| one.metric != Metric::DiskWrites));
    // A gate can hold it.
    let by = |metric| GateQuestion { metric: Some(metric), max_regression: 0.2, ..QUESTION };
    assert_eq!(gate(&old, &new, by(Metric::ServerCpu)).outcome(), GateOutcome::Worse);
}

#[test]
fn a_level_that_is_surely_worse_fails_the_gate_whatever_the_others_make_up_for() {
    let old = run(3, 1.0, 10);
    let new = run_by_level(4, 10, |clients| if clients == 16 { 0.7 } else { 1.1 });
    let held = gate(&old, &new, GateQuestion { max_regression: 0.15, ..QUESTION });
    assert_eq!(held.outcome(), GateOutcome::Worse);
    let worse = held.items.iter().filter(|item| item.outcome == GateOutcome::Worse);
    let levels: Vec<Option<u32>> = worse.map(|item| item.level.map(|one| one.clients)).collect();
    assert_eq!(levels, [Some(16), Some(16)], "of both targets, and not all levels together");
}

/// Where a level has too few repeats to go into the mean, the mean does not speak for it.
#[test]
fn a_level_that_the_mean_leaves_out_has_to_hold_by_itself() {
    let once = |mut data: Dataset| {
        data.trials.retain(|record| record.key.level.clients != 16 || record.key.repeat == 1);
        data
    };
    let (old, new) = (once(run(1, 1.0, 6)), once(run(2, 1.2, 6)));
    let held = gate(&old, &new, QUESTION);
    assert_eq!(held.outcome(), GateOutcome::NotKnown);
    let told = |item: &runs::GateItem| {
        let some = item.some_levels.as_ref().map(|some| some.iter().map(|one| one.clients));
        (item.level.map(|one| one.clients), some.map(Iterator::collect::<Vec<u32>>), item.outcome)
    };
    let all =
        [(None, Some(vec![1, 4]), GateOutcome::NotWorse), (Some(16), None, GateOutcome::NotKnown)];
    assert_eq!(held.items.iter().map(told).collect::<Vec<_>>(), [&all[..], &all].concat());
    let found = compare_runs(&old, &new);
    let over: Vec<_> = found.tests[0].results.iter().filter(|one| one.level.is_none()).collect();
    assert!(!over.is_empty());
    assert!(over.iter().all(|one| one.some_levels.as_ref().is_some_and(|some| some.len() == 2)));
}

#[test]
fn a_latency_that_grows_is_worse_and_one_that_falls_is_not() {
    let p95 = GateQuestion { metric: Some(Metric::LatencyMean), ..QUESTION };
    // By Little's law what is slower takes longer.
    assert_eq!(outcome(3, 0.6, p95), GateOutcome::Worse);
    assert_eq!(outcome(3, 1.6, p95), GateOutcome::NotWorse);
}

#[test]
fn what_the_newer_run_lacks_is_no_pass() {
    let (old, mut new) = (run(1, 1.0, 3), run(2, 1.1, 3));
    new.trials.retain(|record| record.key.target != "b" || record.key.level.clients != 4);
    let held = gate(&old, &new, QUESTION);
    assert_eq!(held.outcome(), GateOutcome::NoResult);
    assert_eq!(held.items.iter().filter(|i| i.outcome == GateOutcome::NoResult).count(), 1);
    // The other way round it is only more than there was.
    let unmatched = compare_runs(&new, &old).unmatched;
    assert!(unmatched.len() == 1 && unmatched[0].is_new);
    // A test that does something else says nothing.
    let mut other = run(2, 1.1, 3);
    other.study.tests[0].load_mut().unwrap().duration *= 2;
    let held = gate(&old, &other, QUESTION);
    assert_eq!(held.outcome(), GateOutcome::NotKnown);
    assert!(held.items.iter().all(|item| item.reason == Some(GateReason::TestDiffers)));
}

#[test]
fn a_run_that_breaks_in_some_of_its_trials_is_no_pass() {
    let (old, mut new) = (run(1, 1.0, 4), run(2, 1.2, 4));
    assert_eq!(gate(&old, &new, QUESTION).outcome(), GateOutcome::NotWorse);
    crate::support::fail(crate::support::trial(&mut new, "b", 4, 2));
    for each_level in [false, true] {
        let held = gate(&old, &new, GateQuestion { each_level, ..QUESTION });
        assert_eq!(held.outcome(), GateOutcome::NotKnown);
        let lost = held.items.iter().filter(|item| item.reason == Some(GateReason::TrialsLost));
        assert!(lost.clone().count() > 0 && lost.clone().all(|item| item.target == "b"));
    }
    // The baseline broke as often.
    let mut old = old;
    crate::support::fail(crate::support::trial(&mut old, "b", 4, 1));
    assert_eq!(gate(&old, &new, QUESTION).outcome(), GateOutcome::NotWorse);
}

#[test]
fn a_test_that_the_newer_run_lacks_is_no_pass() {
    let (mut old, mut new) = (run(1, 1.0, 3), run(2, 1.1, 3));
    let mut more = old.study.tests[0].clone();
    more.name = "more".to_owned();
    let mut trials = old.trials.clone();
    for record in &mut trials {
        record.key.test = more.name.clone();
    }
    old.study.tests.push(more);
    old.trials.extend(trials);
    let held = gate(&old, &new, QUESTION);
    assert_eq!(held.outcome(), GateOutcome::NoResult);
    let lost = held.items.iter().filter(|item| item.outcome == GateOutcome::NoResult);
    let lost = lost.map(|item| (&*item.test, &*item.target, item.reason));
    let reason = Some(GateReason::NoSuchTest);
    assert!(lost.eq([("more", "a", reason), ("more", "b", reason)]));
    // One that only the newer run has is only more than there was.
    std::mem::swap(&mut old, &mut new);
    assert!(gate(&old, &new, QUESTION).items.iter().all(|item| item.test != "more"));
}

/// Imported results of three levels, a repeat each five times.
fn printed(speed: u32, at_four: u32) -> Dataset {
    let mut table = String::from("target,test,concurrency,repeat,metric,value\n");
    for repeat in 1..=5 {
        for (level, rate) in [(1, 1000 * speed), (4, at_four), (16, 3000 * speed)] {
            let rate = rate + if rate > 0 { 7 * repeat } else { 0 };
            table.push_str(&format!("a,t,{level},{repeat},transactions_per_s,{rate}\n"));
        }
    }
    imported("run", &table)
}

#[test]
fn a_throughput_that_comes_down_to_zero_is_worse() {
    for each_level in [false, true] {
        let question = GateQuestion { each_level, ..QUESTION };
        let held = gate(&printed(1, 2000), &printed(2, 0), question);
        assert_eq!(held.outcome(), GateOutcome::Worse, "{:?}", held.items);
        let worse = held.items.iter().find(|item| item.outcome == GateOutcome::Worse);
        assert_eq!(worse.and_then(|item| item.reason), Some(GateReason::Zero));
    }
}

#[test]
fn a_history_shows_a_fall_to_zero_and_says_how_many_runs_it_takes() {
    let runs = |zero_from: u32, count: u32| {
        let run = |number: u32| {
            let at_four = if number < zero_from { 2000 + number } else { 0 };
            let mut data = printed(1, at_four);
            data.run.started_at = UnixMillis(u64::from(number) * 1000);
            RunPoints::from_dataset(format!("{number:02}"), &data)
        };
        history((0..count).map(run).collect())
    };
    let found = runs(8, 16);
    // Three cells share 5 %: 2 of 252 orders of ten runs.
    assert_eq!(found.fewest_runs, Some(10));
    let changed: Vec<_> = found.cells.iter().flat_map(|cell| &cell.changes).collect();
    let [change] = changed[..] else { panic!("{changed:?}") };
    assert_eq!((change.between, change.after), ((7, 8), 0.0));
    assert!(change.ratio.is_none() && change.before > 2000.0, "{change:?}");
    assert!(runs(4, 8).cells.iter().all(|cell| cell.changes.is_empty()));
}

#[test]
fn runs_of_one_speed_are_rarely_told_apart_and_slower_ones_mostly() {
    let differs = |seed, speed: f64| {
        let found = compare_runs(&run(2 * seed, 1.0, 3), &run(2 * seed + 1, speed, 3));
        let mut results = found.tests.iter().flat_map(|test| &test.results);
        results.any(|result| {
            matches!(result.verdict, Verdict::BaselineBetter | Verdict::CandidateBetter)
        })
    };
    // Throughput and p95 are two families, level by level and over all levels.
    let wrong = share(100, |seed| differs(seed, 1.0));
    assert!(wrong <= 0.12, "{wrong}");
    let found = share(50, |seed| differs(seed, 0.8));
    assert!(found > 0.9, "{found}");
}

/// A run whose servers each have luck of their own for as long as they run, of some per cent, with
/// the first target measured twice.
fn run_with_luck(seed: u64, speed: f64) -> Dataset {
    let mut noise = Noise::new(seed);
    let names = ["a", "a (again)"];
    let luck = names.map(|_| noise.factor(0.05));
    let mut data = dataset(&names, &[4, 8, 16], 6, |target, clients, _| {
        let server = names.iter().position(|name| *name == target).expect("one of them");
        1000.0 * f64::from(clients) * speed * luck[server] * noise.factor(0.003)
    });
    data.study.aa_control = data.study.targets.pop();
    data
}

#[test]
fn what_a_server_differs_from_itself_by_is_no_difference_of_runs() {
    let question = GateQuestion { max_regression: 0.01, ..QUESTION };
    let claims = |old: &Dataset, new: &Dataset| {
        let found = compare_runs(old, new);
        let mut results = found.tests.iter().flat_map(|test| &test.results);
        let hidden = results.clone().any(|result| result.strength.below_noise_floor);
        let differs = results.any(|result| {
            matches!(result.verdict, Verdict::BaselineBetter | Verdict::CandidateBetter)
        });
        (differs, hidden, gate(old, new, question))
    };
    let (mut without, mut with) = (0, 0);
    for seed in 0..60 {
        let (mut old, mut new) = (run_with_luck(2 * seed, 1.0), run_with_luck(2 * seed + 1, 1.0));
        let (held, hidden, held_gate) = claims(&old, &new);
        let told = |item: &runs::GateItem| item.reason == Some(GateReason::NoiseFloor);
        let gate_is_held = held_gate.items.iter().any(told);
        assert!(!gate_is_held || held_gate.outcome() != GateOutcome::NotWorse);
        (old.study.aa_control, new.study.aa_control) = (None, None);
        let (free, nothing, free_gate) = claims(&old, &new);
        assert!(!nothing && (free || !held), "seed {seed}");
        assert!(free == held || hidden, "seed {seed}: hidden without a word");
        assert!(
            held_gate.outcome() != GateOutcome::Worse || free_gate.outcome() == GateOutcome::Worse
        );
        without += u32::from(free);
        with += u32::from(held);
    }
    assert!(without > 40 && with < without / 2, "{with} of {without}");
    let (differs, _, held) = claims(&run_with_luck(1, 1.0), &run_with_luck(2, 0.5));
    assert!(differs);
    assert_eq!(held.outcome(), GateOutcome::Worse);
}

#[test]
fn what_changed_is_named() {
    let (old, mut new) = (run(1, 1.0, 3), run(2, 1.0, 3));
    new.run.host.kernel = "6.12".to_owned();
    let mut before = old.clone();
    before.run.host.kernel = "6.1".to_owned();
    for (dataset, version, size) in [(&mut before, "11.4", "1G"), (&mut new, "11.8", "2G")] {
        let server = &mut dataset.targets[0].server;
        server.version = version.to_owned();
        server.variables.insert("buffer_pool_size".to_owned(), size.to_owned());
        server.variables.insert("port".to_owned(), size.to_owned());
        server.incidental.insert("port".to_owned());
    }
    let found = compare_runs(&before, &new);
    assert_eq!(found.conditions.len(), 1);
    let said: Vec<(&str, &str, &str)> =
        found.servers.iter().map(|change| (&*change.what, &*change.old, &*change.new)).collect();
    assert_eq!(said, [("version", "11.4", "11.8"), ("buffer_pool_size", "1G", "2G")]);
}

#[test]
fn the_figures_of_two_runs_give_the_ratio_beside_them() {
    // Most repeats of the newer run are as fast as ever, and some far slower: the medians are equal.
    let slow = |seed: u64, share: u32| {
        let mut noise = Noise::new(seed);
        dataset(&["a", "b"], &[1, 4, 16], 5, |_, clients, repeat| {
            let factor = if repeat <= share { 0.5 } else { 1.0 };
            1000.0 * f64::from(clients).sqrt() * factor * noise.factor(0.03)
        })
    };
    let (old, new) = (slow(1, 0), slow(2, 2));
    let compared = compare_runs(&old, &new);
    let results = &compared.tests[0].results;
    assert!(!results.is_empty());
    for result in results {
        let given = result.new.point / result.old.point;
        assert!((given / result.ratio.point - 1.0).abs() < 1e-9, "{result:?}");
    }
    for item in gate(&old, &new, QUESTION).items {
        let (old, new) = item.old.zip(item.new).expect("both runs have it");
        let ratio = item.ratio.expect("of which a ratio is");
        assert!((new.point / old.point / ratio.point - 1.0).abs() < 1e-9, "{ratio:?}");
    }
}

/// A run of a machine on which everything is some per cent faster or slower than in the next run.
fn run_of_the_day(number: u64, speed: f64, by: f64) -> Dataset {
    let mut noise = Noise::new(number);
    let day = noise.factor(by);
    let mut data = dataset(&["a", "b"], &[1, 4, 16], 3, |_, clients, _| {
        1000.0 * f64::from(clients).sqrt() * speed * day * noise.factor(0.01)
    });
    data.run.started_at = UnixMillis((number + 1) * 1000);
    for record in &mut data.trials {
        record.started_at = data.run.started_at;
    }
    data
}

#[test]
fn earlier_runs_tell_how_much_runs_differ() {
    const EARLIER: u64 = 8;
    let question = GateQuestion { max_regression: 0.02, ..QUESTION };
    let (mut told, mut told_before, mut worse, mut worse_before, mut found) = (0, 0, 0, 0, 0);
    let studies = 60;
    for study in 0..studies {
        let number = |run: u64| study * 100 + run;
        let run = |at: u64, speed| run_of_the_day(number(at), speed, 0.02);
        let points = (0..EARLIER).map(|at| RunPoints::from_dataset(format!("{at}"), &run(at, 1.0)));
        let (old, new) = (run(EARLIER, 1.0), run(EARLIER + 1, 1.0));
        let began = new.run.started_at;
        let earlier = EarlierRuns::from_points(points.collect(), &new.study.name, began);
        let differs = |found: &RunComparison| {
            let mut results = found.tests.iter().flat_map(|test| &test.results);
            results.any(|one| {
                matches!(one.verdict, Verdict::BaselineBetter | Verdict::CandidateBetter)
            })
        };
        let compared = runs::compare_runs(&old, &new, &earlier);
        assert_eq!(compared.earlier_runs, 8);
        let result = &compared.tests[0].results[0];
        assert!(result.between_runs.is_some_and(|by| 0.005 < by && by < 0.06), "{result:?}");
        assert_eq!(result.strength.further_repeats, None, "repeats make no run like another");
        told += u32::from(differs(&compared));
        told_before += u32::from(differs(&compare_runs(&old, &new)));
        // At the limit itself.
        let (new, limit) = (run(EARLIER + 1, 0.98), GateOutcome::Worse);
        worse += u32::from(runs::gate(&old, &new, question, &earlier).outcome() == limit);
        worse_before += u32::from(gate(&old, &new, question).outcome() == limit);
        let slower = run(EARLIER + 1, 0.75);
        found += u32::from(differs(&runs::compare_runs(&old, &slower, &earlier)));
    }
    assert!(told_before > 20 && told <= 8, "{told} after {told_before} of {studies}");
    assert!(worse_before > 10 && worse <= 6, "{worse} after {worse_before} of {studies}");
    assert!(found > 50, "{found} of {studies}");
}

#[test]
fn only_earlier_runs_of_the_same_study_and_test_count() {
    let points = |at: u64| RunPoints::from_dataset(format!("{at}"), &run_of_the_day(at, 1.0, 0.02));
    let (old, new) = (run_of_the_day(5, 1.0, 0.02), run_of_the_day(6, 1.0, 0.02));
    let known = |earlier: EarlierRuns| runs::compare_runs(&old, &new, &earlier).earlier_runs;
    let of = |name: &str, before: u64| {
        EarlierRuns::from_points((0..9).map(points).collect(), name, UnixMillis(before))
    };
    let name = new.study.name.clone();
    assert_eq!(known(of(&name, 7_000)), 6, "the new one and later ones are none of them");
    assert_eq!(known(of("another", 7_000)), 0);
    assert_eq!(known(EarlierRuns::default()), 0);
    // One run shows no difference to another.
    assert_eq!(known(of(&name, 1_500)), 0);
    let mut changed = new.clone();
    changed.study.tests[0].load_mut().expect("a load").duration *= 2;
    assert_eq!(runs::compare_runs(&old, &changed, &of(&name, 7_000)).earlier_runs, 0);
}

#[test]
fn one_outlier_decides_no_mean_of_two_runs() {
    let (old, mut new) = (run(1, 1.0, 6), run(2, 1.0, 6));
    let level = new.trials[0].key.level;
    let mut own = new.trials.iter_mut();
    let one = own.find(|one| one.key.level == level && one.key.repeat == 2).expect("a trial");
    let target = one.key.target.clone();
    let load = crate::support::load_of(one);
    load.measure.transactions /= 20;
    let found = compare_runs(&old, &new);
    let all = found.tests[0].results.iter().filter(|one| one.target == target);
    let throughput = all.filter(|one| one.metric == Metric::Throughput);
    let ratios: Vec<_> = throughput.map(|one| (one.level, one.ratio.point)).collect();
    let (_, mean) = ratios.iter().find(|(level, _)| level.is_none()).expect("over all levels");
    let least = ratios.iter().map(|(_, ratio)| *ratio).fold(f64::INFINITY, f64::min);
    assert!(*mean > 0.97 && *mean >= least, "{ratios:?}");
}
