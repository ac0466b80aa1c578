//! How the figures were obtained.

use super::decision::took_no_turns;
use crate::{numbers, view};
use analyse::Analysis;
use findings::names::target_name;
use model::{Budget, Slices, Study, Test, TrialRecord, UnitName};
use stats::{Looks, values_needed};
use std::collections::BTreeSet;

/// A method: what it is about, and what was done.
pub(super) type Method = (&'static str, String);

/// Why intervals of few repeats are as wide as they are: a note for where they are shown.
pub(crate) fn few_repeats(analysis: &Analysis) -> String {
    let needed = values_needed(0.5, analysis.dataset.study.confidence);
    format!(
        "With fewer than {needed} repeats they assume that repeats scatter log-normally, and they \
         are wide because so few repeats cannot show how much."
    )
}

pub(crate) fn methods(analysis: &Analysis) -> Vec<Method> {
    let study = &analysis.dataset.study;
    let work = view::work(analysis);
    let mut methods = if view::imported(analysis) {
        of_imported(study)
    } else {
        let mut methods = vec![
            repeats(analysis),
            medians(study),
            comparisons(study),
            many_comparisons(study),
            ("Scaling", SCALING.to_owned()),
            latency(study, work.counted),
            ("Spread", SPREAD.to_owned()),
            ("Valid, suspect, void", VALIDITY.to_owned()),
        ];
        methods.extend(study.aa_control.as_ref().map(|_| ("Noise floor", NOISE_FLOOR.to_owned())));
        methods.extend(side_by_side(analysis));
        methods.extend(placing(study));
        methods.extend(disks(analysis));
        methods.extend(work.keys.then(|| ("Operations", OPERATIONS.to_owned())));
        let any = |is: fn(&Test) -> bool| study.tests.iter().any(is);
        methods.extend(any(Test::is_open).then(|| response_times(work.counted)));
        methods.extend(any(|test| test.bound().is_some()).then(bounded_search));
        let events = analysis.tests.iter().any(|test| !test.events.trials.is_empty());
        methods.extend(events.then(background_work));
        methods
    };
    methods.extend(money(study, work.counted));
    methods
}

const SCALING: &str = "Growth is measured against the lowest level: throughput per client, divided \
    by what it was there. The throughput knee is where throughput ÷ latency is highest, which in a \
    closed loop is throughput² ÷ clients. The laws of scalability are fitted by least squares \
    of relative errors to six or more steady levels, including one client. The intervals of their \
    parameters, and of the point at which two curves cross, come from a bootstrap over the \
    repeats. A crossover is reported only where the difference is resolved on both sides; the \
    point between them is interpolated on logarithmic scales.";

const SPREAD: &str = "The difference between the highest and the lowest throughput of a cell’s \
    repeats, divided by their median.";

const VALIDITY: &str = "A trial is valid if every check passed. It is suspect if a check found \
    something wrong: it still counts, and the findings say why it is suspect. It is void if no \
    conclusion may rest on it. Void and failed trials are part of no estimate, but they are listed.";

const NOISE_FLOOR: &str = "The first target was run a second time in every block as an A/A \
    control, which is the same in everything and no candidate. The ratio of the two should be 1; \
    the end of its intervals over all levels that is furthest from 1 is the noise floor of the \
    test. Weighin claims a difference between targets only where its whole interval lies beyond \
    the floor. Tests that search for the highest load have no noise floor.";

const OPERATIONS: &str = "In a test of keys an operation is what one client sends before it waits \
    for all replies: one command, or as many as the pipeline is deep. The hit rate is the share of \
    reads that found their key, over warm-up and measured phase together.";

/// Which trials of several targets ran at once; `None` where none did.
fn side_by_side(analysis: &Analysis) -> Option<Method> {
    let dataset = analysis.dataset;
    let beside: Vec<&TrialRecord> =
        dataset.trials.iter().filter(|record| record.side_by_side.is_some()).collect();
    let blocks: BTreeSet<u32> = beside.iter().map(|record| record.key.repeat).collect();
    let blocks: Vec<String> = blocks.iter().map(u32::to_string).collect();
    if blocks.is_empty() {
        return None;
    }
    let noun = if blocks.len() == 1 { "block" } else { "blocks" };
    let blocks = format!("{noun} {}", numbers::list(&blocks));
    let trials = format!(
        "{} of {}",
        numbers::counted(beside.len(), "trial"),
        numbers::count(dataset.trials.len() as u64)
    );
    if let Some(slices) = dataset.study.slices {
        return Some(in_turns(slices, &blocks, &trials));
    }
    if dataset.study.duet {
        return Some(at_once(&blocks, &trials));
    }
    let control = dataset.study.aa_control.as_ref().map_or(String::new(), |control| {
        format!(
            " The A/A control {} ran by itself, so that what tells it from the first target is \
             noise and what running side by side costs.",
            target_name(&control.name)
        )
    });
    let text = format!(
        "Targets ran side by side, each on machines of its own, in {blocks}: {trials}. Of one test \
         and level their loads began at one moment, so that pairs are of the same time. What targets \
         take of each other where they share a network or a store is part of their \
         figures.{control}",
    );
    Some(("Side by side", text))
}

/// How targets were loaded at once on one machine.
fn at_once(blocks: &str, trials: &str) -> Method {
    let text = format!(
        "In {blocks} all targets of one test and level were loaded at once on one machine (L. Bulej and \
         others, Duet Benchmarking, ICPE 2020): {trials}. Control groups gave each of them, with the \
         clients that load it, as many whole processor cores as the others and no others. Within each \
         trial the targets exchanged these sets about ten times a second, and each had every set equally \
         long. Their loads began and ended at one moment. So noise of the machine, and of some of its \
         processors, hits all targets of a block alike and cancels in their ratios. Shares of processor time are of a target’s own processors. Memory, its bandwidth, \
         caches that cores share, and disks without a volume for each target are shared; what a target \
         takes of them slows the others down, and the ratio then is that of targets that compete."
    );
    ("Loaded at once", text)
}

/// How loads took turns.
fn in_turns(slices: Slices, blocks: &str, trials: &str) -> Method {
    let text = format!(
        "In {blocks} all targets of one test and level were up at once and their loads took turns: \
         {trials}. Each was measured in slices of at most {}, every second round of slices in \
         reverse order, and not in the first {} of a slice. The measured phase of a trial is its \
         slices together. Noise of the machine that lasts longer than a slice so hits all targets \
         of a block alike, and cancels in their ratios. A target that was not in its turn was idle, \
         with its connections open: what it did by itself then, such as writing back dirty pages, \
         is part of the figures of the others.",
        numbers::duration(slices.length),
        numbers::duration(slices.settling),
    );
    ("Slices", text)
}

/// How levels were placed, where weighin did so.
fn placing(study: &Study) -> Option<Method> {
    let text = "After a first pass over all of their range, further levels were placed half-way on a \
         logarithmic scale between two levels: around the highest throughput, the throughput knee \
         and the crossovers of targets, until these two were as close as the study asks, or were no \
         further apart than a factor of 2 and could not be told apart. All targets ran at all \
         levels, with all repeats. Where a level stands was decided before it was measured. Levels \
         of different passes did not run in one block, so that drift of the machine looks like a \
         difference between levels, but not between targets.";
    study.places_levels().then(|| ("Levels", text.to_owned()))
}

fn repeats(analysis: &Analysis) -> Method {
    let Study { until, repeats, confidence, budget, .. } = &analysis.dataset.study;
    if let Some(until) = until {
        let budget = budget.as_ref().map_or(String::new(), |budget| {
            format!(
                " The run had a budget of {}: when not all of this fitted into what was left, the \
                 comparisons came first that were most likely to be resolved in a given time.",
                super::budget(budget)
            )
        });
        let text = format!(
            "Every cell (a target in a test at a level) was planned {} first. After that block and \
             each later one, comparisons that were resolved got no more repeats, nor did those that \
             {repeats} repeats, the most that the study allows, would resolve with a probability \
             below {}. What was resolved stays as that look found it. To look again and again \
             would find differences by chance; so each look has a share of the error (alpha \
             spending), and intervals are as much wider: all looks together hold {}.{budget} Each \
             block runs its cells in a random order drawn from seed {}.",
            numbers::counted(until.min as usize, "time"),
            numbers::percent(Looks::HOPELESS),
            numbers::percent(*confidence),
            analysis.dataset.plan.seed,
        );
        return ("Repeats", text);
    }
    let text = format!(
        "Every cell (a target in a test at a level) was planned {}. Each block runs all cells once \
         in a random order drawn from seed {}, so that drift of the machine affects all targets \
         alike.",
        numbers::counted(analysis.dataset.repeats() as usize, "time"),
        analysis.dataset.plan.seed,
    );
    ("Repeats", text)
}

fn medians(study: &Study) -> Method {
    let text = format!(
        "A figure is the median over the repeats that are not void. Its {} interval says where the \
         true value lies if the repeats are typical. It is Student’s t on logarithms, which assumes \
         that repeats scatter log-normally. A few repeats say little of their own scatter, so \
         each cell borrows from the cells of its target, and from those of other targets as far as \
         these seem to scatter alike; a repeat far from the others counts as less far. In a test of one or two cells nothing is \
         borrowed: from {} repeats on the interval comes from order statistics then, and with \
         fewer it is wide, and rightly so. A single measurement has no interval.",
        numbers::percent(study.confidence),
        values_needed(0.5, study.confidence),
    );
    ("Medians and intervals", text)
}

/// When a target counts as better than another, or as the same.
fn comparisons(study: &Study) -> Method {
    let apart = study.tests.iter().filter(|test| took_no_turns(test)).count();
    let pairs = match apart {
        0 => "Ratios are taken repeat by repeat, with both figures from the same block.",
        all if all == study.tests.len() => {
            "Ratios are those of the geometric means over all repeats of each target. Nothing says \
             that targets took turns, so their repeats are no pairs."
        }
        _ => {
            "Ratios are taken repeat by repeat, with both figures from the same block, in tests \
             whose targets took turns; in the others they are those of the geometric means over all \
             repeats of each target."
        }
    };
    let text = format!(
        "{pairs} A target is \
         better if the whole interval lies on its side of 1 and the ratio is more than {0} from 1. \
         Two targets are the same if the whole {1} interval lies within {0} of 1. Anything else \
         is not resolved, which does not mean equal. Over all levels together the geometric means \
         of each repeat are compared in the same way, with equal weight for every level; that \
         says nothing about a single level, but a target that is better at every level is so over \
         all of them. In a ranking a target’s place is one more than the number of targets that are \
         clearly better, even if the level of their peak was partly luck.",
        numbers::percent(study.margin),
        numbers::percent(1.0 - 2.0 * (1.0 - study.confidence)),
    );
    ("Comparisons", text)
}

fn many_comparisons(study: &Study) -> Method {
    let text = format!(
        "Among many comparisons of equal targets, a few would show a difference by chance. \
         Therefore all comparisons of a test by one figure are held together, the levels of a pair \
         by closed testing and the pairs by Holm’s method: with {0} confidence none of them calls \
         equal targets different. Intervals are as wide as that demands, so the one that is shown \
         is the one that decides. Comparisons over all levels together are a family of their own. \
         Each statement that two targets are the same has {0} confidence by itself, and so has \
         each test.",
        numbers::percent(study.confidence),
    );
    ("Many comparisons", text)
}

fn latency(study: &Study, counted: UnitName) -> Method {
    let text = format!(
        "The time of one {}, from the first byte sent to the last byte received. Percentiles come \
         from histograms and are never averaged within a trial; a cell shows the median of its \
         trials. A percentile is shown only if each trial has enough {} for a {} interval around \
         it: {} for the 95th, {} for the 99th.",
        counted.one,
        counted.many,
        numbers::percent(study.confidence),
        values_needed(0.95, study.confidence),
        values_needed(0.99, study.confidence),
    );
    ("Latency", text)
}

/// What latency means where load is offered at rates.
fn response_times(counted: UnitName) -> Method {
    let text = format!(
        "Where {counted} are offered at a rate, latency is response time: from the moment at which \
         one was due, whether or not a connection was free, to the last byte received. It is never \
         compared with the service times of closed loops. A rate counts as achieved if at least \
         99 % of what was due in the measured phase was answered within it; otherwise the cell is \
         overloaded, and its response times, which grow with the length of the trial, are not \
         shown."
    );
    ("Response time", text)
}

fn of_imported(study: &Study) -> Vec<Method> {
    let mut methods = vec![(
        "Imported results",
        "Figures are shown as the imported files print them, in their units; what a file does not \
         say is not known. A test is judged by throughput if it has one, else by the time taken, \
         else by the 95th percentile of latency, else by its mean. Times are ranked at the level \
         at which the most targets have one. Other figures are shown, but nothing is concluded \
         from them."
            .to_owned(),
    )];
    if study.repeats > 1 {
        methods.extend([medians(study), comparisons(study)]);
    } else {
        methods.push((
            "Without repeats",
            "Nothing was measured twice, so it is not known how the figures scatter: places follow \
             the printed figures, and no target is said to be better than another."
                .to_owned(),
        ));
    }
    methods
}

/// How the searches were made.
fn bounded_search() -> Method {
    let text = "Where a test names a bound, each trial searches for the highest load that meets it. \
                For a rate, a closed loop first shows about what the server can do. Each step then \
                offers one load, higher or lower, until one step met the bound and a higher one \
                missed it. The search then halves the range between the two, on a geometric scale, \
                until they are within 5 % or are neighbouring numbers of clients. A step within \
                15 % of the bound is repeated once, and so is, at the end, the lowest load that \
                missed it; both runs count together. A rate that was not achieved does not meet \
                the bound. The answer of a trial is the middle between the two loads; how far it \
                may be off is part of every interval and ratio. Throughput, latencies and checks \
                of such a trial are those of the step at the highest load that met the bound.";
    ("Highest load under a bound", text.to_owned())
}

/// What the figures of disks mean; nothing where none are known.
fn disks(analysis: &Analysis) -> Option<Method> {
    let mut cells = analysis.tests.iter().flat_map(|test| &test.cells);
    cells.find(|cell| cell.volume.is_some())?;
    let text = format!(
        "Read from the kernel’s counters every {}, and at the beginning and end of the \
         measurement, under the names that iostat uses; MB are 10⁶ bytes. r_await and \
         w_await are the time from when a request entered the queue until it was done; aqu-sz is \
         how many were outstanding on average; rrqm/s and wrqm/s are requests that the queue merged \
         into others, which are not counted in r/s and w/s. A requested flush of the disk’s \
         cache counts as a write without bytes; f/s counts the flushes carried out. Of a volume on several disks (of an \
         array its members, not the array as well) rates and queues are added up, and times are \
         averaged over all requests. %util is the share of time in which a disk had work: one \
         that serves several requests at once may take on more at 100 %. The merge factor is (IOs + \
         merged) ÷ IOs.",
        numbers::duration(analysis.dataset.study.sample_every),
    );
    Some(("Disks", text))
}

/// How background work is found and compared with quiet seconds.
fn background_work() -> Method {
    let text = "Snapshots, rewrites of the append-only file and late syncs of it show in the \
                server’s counters, which are read once a second. Their beginning and end are known \
                to lie between two readings; an intervention is known to the millisecond, and the \
                end of background work that it asks for to a tenth of a second. \
                Trial by trial, the seconds that they may have affected, which include a little \
                quiet time, are compared with the quiet seconds, in which no intervention was \
                under way either, by the rules of comparisons. \
                Trials that lost connections or fell behind their rate are left out. The longest \
                operation is the longest that was seen, and more seconds show longer ones.";
    ("Interventions and background work", text.to_owned())
}

/// What the costs rest on, where there are prices.
fn money(study: &Study, counted: UnitName) -> Option<Method> {
    study.targets.iter().find(|target| target.price.is_some())?;
    let text = format!(
        "Prices are as the study gives them. A month has 730 hours, and a request is one {} of the \
         test. Costs are for a target that runs at its peak all month. If IOs are charged, the \
         number of requests per IO is as given, or as measured on the server’s disk at the peak. \
         Two targets cost the same at the load at which the difference of their charges per \
         request makes up for the difference of their fixed charges. A target is on the Pareto \
         front if no other target is clearly faster for the same price, or as fast for less. \
         Intervals of costs come from those of the measured figures; amounts that rest on prices \
         alone are exact.",
        counted.one
    );
    Some(("Money", text))
}

/// What a run may take, as the study has it: `4 h`, or `50 EUR`.
pub fn budget(budget: &Budget) -> String {
    match &budget.money {
        Some(money) => format!("{} {}", numbers::figure(money.amount), money.currency),
        None => numbers::duration(budget.time),
    }
}
