//! How the figures came about, in plain words.

use crate::{numbers, view};
use analyse::Analysis;
use model::{Noun, Study, Test};
use stats::values_needed;

/// Why intervals of few repeats are as wide as they are: a note for where they are shown.
pub(crate) fn few_repeats(analysis: &Analysis) -> String {
    let needed = values_needed(0.5, analysis.dataset.study.confidence);
    format!(
        "With fewer than {needed} repeats they assume that repeats scatter log-normally, and are \
         wide because so few cannot show how much."
    )
}

/// Each method: what it is about, and what was done.
pub(crate) fn methods(analysis: &Analysis) -> Vec<(&'static str, String)> {
    let study = &analysis.dataset.study;
    if view::imported(analysis) {
        let mut methods = of_imported(analysis);
        methods.extend(money(study, view::work(analysis).counted));
        return methods;
    }
    let confidence = numbers::percent(study.confidence);
    let work = view::work(analysis);
    let counted = work.counted;
    let mut methods = vec![
        (
            "Repeats",
            format!(
                "Every cell (a target under a test at a level) was planned {}. Each block passes \
                 once over all cells in a random order drawn from seed {}, so that drift of the \
                 machine falls on all targets alike.",
                numbers::counted(study.repeats as usize, "time"),
                analysis.dataset.plan.seed,
            ),
        ),
        medians(study),
        comparisons(study),
        (
            "Many comparisons",
            format!(
                "Of many comparisons of equal targets a few would find a difference by chance. So \
                 all comparisons of a test by one figure are held to one another by Holm’s method: \
                 with {confidence} confidence none of them calls equal targets different. A ratio \
                 whose own interval leaves out 1 may therefore still be not resolved. Comparisons \
                 over all levels together are a family of their own. That two targets are the \
                 same is claimed at {confidence} confidence each time.",
            ),
        ),
        (
            "Scaling",
            "Growth is held against the lowest level: throughput for each client, over what it was \
             there. The knee is where throughput ÷ latency is highest, which in a closed loop is \
             throughput² ÷ clients. The Universal Scalability Law is fitted by least squares of \
             relative errors, to six or more steady levels that include one client; the intervals \
             of its parameters, as those of the point at which two curves cross, come from a \
             bootstrap over the repeats. A crossing is claimed only where the difference is \
             resolved on both sides; the point between them is interpolated on logarithmic scales."
                .to_owned(),
        ),
        (
            "Latency",
            format!(
                "Of one {}: from the first byte sent to the last byte received. Percentiles \
                 come from histograms and are never averaged within a trial; a cell shows the \
                 median of its trials. A percentile is shown only where each trial has enough \
                 {} for a {confidence} interval around it to exist: {} for the 95th, {} for the \
                 99th.",
                counted.one,
                counted.many,
                values_needed(0.95, study.confidence),
                values_needed(0.99, study.confidence),
            ),
        ),
        (
            "Spread",
            "The largest throughput of a cell’s repeats less the smallest, over their median."
                .to_owned(),
        ),
        (
            "Valid, suspect, void",
            "A trial is valid if every check passed. It is suspect if a check raised a doubt: it \
             still counts, and the doubt is among the findings. It is void if no conclusion may \
             rest on it; void and failed trials are in no estimate, but they are listed."
                .to_owned(),
        ),
    ];
    methods.extend(study.twin.as_ref().map(|_| ("Noise floor", NOISE_FLOOR.to_owned())));
    methods.extend(super::disks::method(analysis));
    if work.keys {
        methods.push(operations());
    }
    if study.tests.iter().any(Test::is_open) {
        methods.push(response_times(counted));
    }
    if study.tests.iter().any(|test| test.bound().is_some()) {
        methods.push(super::search::method());
    }
    if analysis.tests.iter().any(|test| !test.events.trials.is_empty()) {
        methods.push(("Background work", super::events::method()));
    }
    methods.extend(money(study, counted));
    methods
}

/// How the noise floor is found.
const NOISE_FLOOR: &str = "The first target was run a second time in every block as an A/A \
    control, which is the same in everything and no candidate. The ratio of the two should be 1; \
    the end of its intervals over all levels that is furthest from 1 is the noise floor of the \
    test. Weighin claims a difference between targets only where its whole interval lies beyond \
    the floor. Tests that search for the highest load have no noise floor.";

/// What is counted in tests of keys.
fn operations() -> (&'static str, String) {
    let text = "In a test of keys an operation is what one client sends together before it waits \
                for all replies: one command, or as many as the pipeline is deep. The hit rate is \
                the share of reads that found their key, over warm-up and measured phase together.";
    ("Operations", text.to_owned())
}

/// What latency means where load is offered at rates.
fn response_times(counted: Noun) -> (&'static str, String) {
    let text = format!(
        "Where {counted} are offered at a rate, latency is response time: from the moment at which \
         one was due, whether or not a connection was free, to the last byte received. It is never \
         set against the service times of closed loops. A rate counts as achieved where at least \
         99 % of what was due in the measured phase was answered within it; otherwise the cell is \
         overloaded, and its response times, which grow with the length of the trial, are not \
         shown."
    );
    ("Response time", text)
}

/// What figures and their intervals are.
fn medians(study: &Study) -> (&'static str, String) {
    let confidence = numbers::percent(study.confidence);
    let needed = values_needed(0.5, study.confidence);
    (
        "Medians and intervals",
        format!(
            "A figure is the median over the repeats that are not void. Its {confidence} \
                 interval says where the true value lies if the repeats are typical. From \
                 {needed} repeats on it comes from order statistics, which assume nothing of how \
                 repeats scatter. Below that it is Student’s t on logarithms, which assumes that \
                 they scatter log-normally: with three repeats such an interval is wide, and \
                 rightly so. A single measurement has no interval.",
        ),
    )
}

/// When a target counts as better than another, or as the same.
fn comparisons(study: &Study) -> (&'static str, String) {
    (
        "Comparisons",
        format!(
            "Ratios are taken repeat by repeat, both halves from the same block. A target is \
                 better where the whole interval lies on its side of 1 and the median ratio is \
                 more than {0} from 1; two are the same where the whole interval lies within {0} \
                 of 1; anything else is not resolved, which doesn’t mean equal. Over all levels \
                 together the geometric means of each repeat are compared in the same way, every \
                 level with equal weight; that says nothing of a single level. Targets tie in a \
                 ranking unless every one above is clearly better than every one below, with all \
         the luck that its best level may have had.",
            numbers::percent(study.margin),
        ),
    )
}

/// What is done with results that others measured.
fn of_imported(analysis: &Analysis) -> Vec<(&'static str, String)> {
    let study = &analysis.dataset.study;
    let mut methods = vec![(
        "Results of others",
        "Figures are shown as they are printed in the files that were imported, in their units; \
         what a file does not say is not known. A test is judged by throughput where it has one, \
         else by the time taken, else by the 95th percentile of latency, else by its mean; times \
         are ranked at the level at which the most targets have one. Other figures are shown, and \
         nothing is concluded from them."
            .to_owned(),
    )];
    if study.repeats > 1 {
        methods.extend([medians(study), comparisons(study)]);
    } else {
        methods.push((
            "Without repeats",
            "Nothing was measured twice, so nothing is known of how the figures scatter: places \
             are the order of what is printed, and no target is said to be better than another."
                .to_owned(),
        ));
    }
    methods
}

/// What the costs rest on, where there are prices.
fn money(study: &Study, counted: Noun) -> Option<(&'static str, String)> {
    study.targets.iter().find(|target| target.price.is_some())?;
    let text = format!(
        "Prices are as the study gives them. A month has 730 hours, and a request is one {} of the \
         test. Costs are for a target that runs at its peak all month. Where IOs are charged, the \
         number of requests that make one is as given, or as measured on the server’s disk at the \
         peak. Two targets cost the same at the load at which the difference of their fixed parts \
         is made up for by the difference of their parts for each request. A target is worth its \
         price if no other gives clearly more for the same, or as much for less. Intervals of \
         costs come from those of the measured figures; amounts that rest on prices alone are \
         exact.",
        counted.one
    );
    Some(("Money", text))
}
