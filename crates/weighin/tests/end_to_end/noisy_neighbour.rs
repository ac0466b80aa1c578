//! How many repeats a known difference takes beside a neighbour that uses processors in bursts: with whole
//! trials in turns, with slices, and with targets that are loaded at once.

use crate::support::Workplace;
use model::TrialRecord;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What a transaction of the two targets costs: the second does so much more work for the same statement.
const WORK: [u32; 2] = [20_000, 21_000];
/// How often a thread looks whether its burst has come.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Quantiles of the normal distribution for a two-sided error of 5 % and a power of 80 %.
const QUANTILES: (f64, f64) = (1.959_964, 0.841_621);

/// A way to let two targets share a machine, at the same machine time for a block.
struct Design {
    name: &'static str,
    keys: &'static str,
    /// How long a load measures, for each second that both have of a block in turns.
    length: u32,
}

const DESIGNS: [Design; 3] = [
    Design { name: "whole trials", keys: "", length: 1 },
    Design { name: "slices", keys: "slices = \"1s\"\nsettling = \"200ms\"", length: 1 },
    Design { name: "duet", keys: "duet = true", length: 2 },
];

/// Another program that uses one or all processors, now and then: both the bursts and the pauses between
/// them are exponentially distributed.
struct Neighbour {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Neighbour {
    fn start(seed: u64, mean: Duration) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = Arc::new(AtomicUsize::new(0));
        let processors = thread::available_parallelism().unwrap().get();
        let mut threads: Vec<JoinHandle<()>> = (0..processors)
            .map(|number| {
                let (over, busy) = (Arc::clone(&over), Arc::clone(&busy));
                thread::spawn(move || burn(number, &busy, &over))
            })
            .collect();
        let told = Arc::clone(&over);
        threads.push(thread::spawn(move || {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut unit = || f64::from(random.next_u32()) / f64::from(u32::MAX);
            while !told.load(Ordering::Relaxed) {
                for is_burst in [false, true] {
                    let used = if unit() < 0.5 { 1 } else { processors };
                    busy.store(if is_burst { used } else { 0 }, Ordering::Relaxed);
                    let end = Instant::now() + mean.mul_f64(-(1.0 - unit()).max(1e-9).ln());
                    while Instant::now() < end && !told.load(Ordering::Relaxed) {
                        thread::sleep(LOOK_EVERY);
                    }
                }
            }
        }));
        Self { over, threads }
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// Uses a processor while at least that many and one are to be used.
fn burn(number: usize, busy: &AtomicUsize, over: &AtomicBool) {
    let mut sum = number as u64;
    while !over.load(Ordering::Relaxed) {
        if busy.load(Ordering::Relaxed) <= number {
            thread::sleep(LOOK_EVERY);
            continue;
        }
        for i in 0..10_000 {
            sum = std::hint::black_box(sum.wrapping_mul(31) ^ i);
        }
    }
}

/// What a study came to.
struct Found {
    /// The logarithm of the second target's throughput ÷ the first's, block by block.
    ratios: Vec<f64>,
    verdict: String,
    took: Duration,
}

fn study(design: &Design, seed: u64, blocks: u32, seconds: u32) -> String {
    let target = |name: &str, work: u32| {
        format!(
            "[[target]]\nname = \"{name}\"\nsandbox = {{ trusted = true, restart = false, \
             settings = {{ max_error_count = {work} }} }}\n"
        )
    };
    format!(
        "[study]\nname = \"noise\"\nrepeats = {blocks}\nseed = {seed}\n{}\n{}{}\
         [[test]]\nname = \"work\"\nworkload = \"transactions\"\nclients = 2\nwarmup = \"300ms\"\n\
         duration = \"{}s\"\ntransaction = [{{ script = \"work.sql\" }}]\n",
        design.keys,
        target("less", WORK[0]),
        target("more", WORK[1]),
        seconds * design.length,
    )
}

/// Runs a study beside the neighbour; `bursts` draws what that does.
fn run(design: &Design, seed: u64, (blocks, seconds): (u32, u32), burst: Duration) -> Found {
    let place = Workplace::new();
    // The server does this work by itself; the setting means nothing to it otherwise.
    place.write("work.sql", "SELECT BENCHMARK(@@global.max_error_count, SHA1('weighin'));\n");
    place.write("noise.toml", study(design, seed, blocks, seconds));
    let neighbour = (!burst.is_zero()).then(|| Neighbour::start(seed, burst));
    let began = Instant::now();
    place.weighin(&["run", "noise.toml"]).done();
    let took = began.elapsed();
    drop(neighbour);
    let dataset = place.store().dataset().unwrap();
    let mut blocks: BTreeMap<u32, BTreeMap<String, f64>> = BTreeMap::new();
    for trial in &dataset.trials {
        let block = blocks.entry(trial.key.repeat).or_default();
        block.insert(trial.key.target.clone(), throughput(trial).ln());
    }
    let json = place.weighin(&["report", "noise.toml", "--format", "json"]).json();
    let comparisons = json["tests"][0]["comparisons"].as_array().unwrap();
    let compared = comparisons.iter().find(|one| one["metric"] == "throughput").unwrap();
    assert_eq!(
        (compared["baseline"].as_str(), blocks.len()),
        (Some("less"), dataset.plan.blocks.len())
    );
    Found {
        ratios: blocks.values().map(|block| block["more"] - block["less"]).collect(),
        verdict: compared["verdict"].as_str().unwrap().to_owned(),
        took,
    }
}

fn throughput(trial: &TrialRecord) -> f64 {
    let measure = &trial.load().unwrap().measure;
    measure.transactions as f64 / measure.elapsed.as_secs_f64()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
        / (values.len() - 1).max(1) as f64
}

/// Repeats by which a difference of that logarithm is found with a power of 80 % at an error of 5 %, by
/// the scatter of a block's ratio: the normal formula with Guenther's correction for Student's t (W. C.
/// Guenther, The American Statistician 35, 1981).
fn repeats(scatter: f64, difference: f64) -> f64 {
    let (error, power) = QUANTILES;
    ((error + power) * scatter / difference).powi(2) + error.powi(2) / 2.0
}

/// A line of the table.
fn row(design: &Design, found: &[Found]) -> String {
    let within: Vec<f64> = found.iter().map(|one| variance(&one.ratios)).collect();
    let scatter = mean(&within).sqrt();
    let asked = (f64::from(WORK[0]) / f64::from(WORK[1])).ln();
    let means: Vec<f64> = found.iter().map(|one| mean(&one.ratios)).collect();
    let error = (variance(&means) / means.len() as f64).sqrt();
    let count = |verdict: &str| found.iter().filter(|one| one.verdict == verdict).count();
    // The second is slower by more than the margin.
    let wrong = count("candidate_better") + count("equivalent");
    let seconds = mean(&found.iter().map(|one| one.took.as_secs_f64()).collect::<Vec<_>>());
    format!(
        "| {} | {} | {scatter:.4} | {:.1} | {} | {} | {wrong} | {:.4} ± {:.4} | {seconds:.0} |",
        design.name,
        found.len(),
        repeats(scatter, asked),
        count("baseline_better"),
        count("unresolved"),
        mean(&means).exp(),
        error * mean(&means).exp(),
    )
}

fn number(name: &str, usual: u32) -> u32 {
    std::env::var(name)
        .map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}: {text}")))
}

/// `STUDIES` of each design (20), of `BLOCKS` (8), in which each target is measured for `SECONDS` (2) of
/// its own, beside bursts of `BURST` seconds on average (5; 0 for none).
#[test]
#[ignore = "takes an hour, and an idle machine"]
#[allow(clippy::print_stdout, reason = "the table is what it is run for")]
fn repeats_to_a_verdict_of_each_design() {
    let (studies, seconds) = (number("STUDIES", 20), number("SECONDS", 2).max(1));
    let (blocks, burst) = (number("BLOCKS", 8).max(2), number("BURST", 5));
    let mut found: [Vec<Found>; 3] = Default::default();
    for study in 0..studies {
        // None of them is always the first.
        for turn in 0..DESIGNS.len() {
            let place = (turn + study as usize) % DESIGNS.len();
            let length = Duration::from_secs(burst.into());
            let one = run(&DESIGNS[place], 1_000 + u64::from(study), (blocks, seconds), length);
            let all: Vec<String> = one.ratios.iter().map(|r| format!("{:.3}", r.exp())).collect();
            println!("{study} {}: {} {}", DESIGNS[place].name, one.verdict, all.join(" "));
            found[place].push(one);
        }
    }
    println!(
        "\nTrue ratio about {:.4}; {blocks} blocks of {} s of load; bursts of {burst} s on average.\n\n\
         | design | studies | scatter of a block | repeats | found | unresolved | wrong | ratio | s |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        f64::from(WORK[0]) / f64::from(WORK[1]),
        2 * seconds,
    );
    DESIGNS.iter().zip(&found).for_each(|(design, found)| println!("{}", row(design, found)));
}

#[test]
fn repeats_follow_from_scatter_and_difference() {
    // A scatter as large as the difference: 7.85 and the correction.
    assert!((repeats(0.05, 0.05) - 9.77).abs() < 0.01);
    assert!((repeats(0.1, 0.05) - 33.32).abs() < 0.01);
}
