//! Answers to questions of capacity, in words.

use super::capitalised;
use crate::numbers::{self, count, duration, figure, percent};
use crate::view;
use analyse::capacity::{
    Answer, Budget, Ground, LimitedBy, MonthlyCost, Question, RateLimit, Reason, Requirement,
    RequirementAnswer, Stage, TargetAnswer, TargetOrder, TestAnswers, answers,
};
use analyse::{Amount, Analysis, BreakEven, CostGap, Outcome};
use findings::names::metric_name;
use findings::names::target_name;
use findings::place::at;
use findings::words::{amount, outcome};
use model::{Metric, UnitName};
use std::time::Duration;

/// Yes, no, or not known.
pub(crate) fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::YesMeasuredOnce => "yes, as measured once",
        Answer::Unknown => "not known",
        Answer::NoMeasuredOnce => "no, as measured once",
        Answer::No => "no",
    }
}

/// All that is asked, as a heading; `counted` is what throughput counts.
pub(crate) fn question(question: &Question, counted: UnitName) -> String {
    let parts = [
        question.writes.map(|share| asked(&Requirement::Writes { share }, counted)),
        question.clients.map(|clients| asked(&Requirement::Clients { clients }, counted)),
        question.rate.map(|rate| asked(&Requirement::Rate { rate }, counted)),
    ];
    let bounds = question.latency.iter().map(|&slo| asked(&Requirement::Latency { slo }, counted));
    let page = question.page.map(|page| asked(&Requirement::Page { page }, counted));
    let budget = question.budget.clone();
    let budget = budget.map(|budget| asked(&Requirement::Budget { budget }, counted));
    let all: Vec<String> =
        parts.into_iter().flatten().chain(bounds).chain(page).chain(budget).collect();
    numbers::list(&all)
}

fn asked(asked: &Requirement, counted: UnitName) -> String {
    match asked {
        Requirement::Writes { share } => format!("{} writing statements", percent(*share)),
        Requirement::Clients { clients } => numbers::counted(*clients as usize, "client"),
        Requirement::Rate { rate } => format!("{} {counted}/s", numbers::tick(*rate)),
        Requirement::Latency { slo } => slo.to_string(),
        Requirement::Page { page } => format!(
            "a page of {} within {}",
            queries(page.queries),
            duration(Duration::from_secs_f64(page.budget_ms / 1e3)),
        ),
        Requirement::Budget { budget: Budget { amount, currency } } => {
            let currency = currency.as_ref().map_or(String::new(), |code| format!(" {code}"));
            format!("at most {}{currency} a month", numbers::money(*amount))
        }
    }
}

fn queries(n: u32) -> String {
    if n == 1 { "1 query".to_owned() } else { format!("{} queries", count(n.into())) }
}

fn takes(n: u32) -> String {
    format!("{} {}", queries(n), if n == 1 { "takes" } else { "take" })
}

/// A part of a question with its answer, why, and what that rests on.
pub(crate) fn part(part: &RequirementAnswer, counted: UnitName) -> String {
    let (shown, others) = told(part);
    let mut grounds: Vec<String> =
        shown.into_iter().map(|g| ground(g, &part.asked, counted)).collect();
    if others > 0 {
        let less = matches!(part.asked, Requirement::Rate { .. });
        let levels = if less { "lower at" } else { "between them" };
        grounds.push(format!("{levels} {}", numbers::counted(others, "other level")));
    }
    let grounds =
        if grounds.is_empty() { String::new() } else { format!(": {}", grounds.join("; ")) };
    format!("{}: {}, {}{grounds}.", asked(&part.asked, counted), answer(part.answer), reason(part),)
}

/// The measurements that are told of an answer that rests on many, and how many others there are: of throughputs the
/// highest and those that are lacking, of what depends on the load the first and the last.
fn told(part: &RequirementAnswer) -> (Vec<&Ground>, usize) {
    /// More are not told one by one.
    const MOST: usize = 3;
    let all = &part.grounds;
    let shown: Vec<&Ground> = match (&part.asked, all.as_slice()) {
        (_, all) if all.len() <= MOST => all.iter().collect(),
        (Requirement::Rate { .. }, all) => {
            let (known, lacking): (Vec<&Ground>, Vec<&Ground>) =
                all.iter().partition(|ground| ground.estimate.is_some());
            let height =
                |ground: &&&Ground| ground.estimate.as_ref().map_or(0.0, |found| found.point);
            let highest = known.iter().max_by(|a, b| height(a).total_cmp(&height(b)));
            highest.copied().into_iter().chain(lacking).collect()
        }
        (_, [first, .., last]) => vec![first, last],
        (_, all) => all.iter().collect(),
    };
    let others = all.len() - shown.len();
    (shown, others)
}

/// What a model says beyond what was measured, and how it came to that.
pub(crate) fn beyond(part: &RequirementAnswer, counted: UnitName) -> Option<String> {
    let (found, Requirement::Rate { rate }) = (part.beyond.as_ref()?, &part.asked) else {
        return None;
    };
    let Some((first, others)) = found.limits.split_first() else {
        return Some(format!(
            "Beyond the {} {counted}/s that were measured{} no model tells anything: its machine was not \
             seen, and no law describes its curve.",
            figure(found.measured),
            at(found.level)
        ));
    };
    let ends = |limit: &RateLimit| {
        let range = limit.prediction.map_or(String::new(), |(low, high)| match high {
            Some(high) => format!(" (prediction interval {})", numbers::range(low, high)),
            None => format!(" (prediction interval from {} on)", figure(low)),
        });
        format!("{} {counted}/s{range}", figure(limit.rate))
    };
    let needs = match first.resource {
        LimitedBy::Contention | LimitedBy::ScalabilityLaw | LimitedBy::Ceiling => String::new(),
        _ => format!(
            ", and {} {counted}/s would take {} of it",
            figure(*rate),
            percent(rate / first.rate)
        ),
    };
    let others: Vec<String> =
        others.iter().map(|limit| format!("{} at {}", limited_by(limit), ends(limit))).collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!(" Then {}.", numbers::list(&others))
    };
    Some(format!(
        "By a model, not measured: {} would be the first limit of those that are known, at {}{needs}, if \
         transactions go on taking what they took{}.{others} The model says nothing of latency.",
        limited_by(first),
        ends(first),
        at(found.level),
    ))
}

/// A resource with what there is of it and what a transaction takes.
fn limited_by(limit: &RateLimit) -> String {
    let (all, each) = (limit.capacity, limit.each);
    match limit.resource {
        LimitedBy::Processors => format!(
            "processor time ({} processors, {} µs for each)",
            numbers::tick(all / 1e6),
            figure(each)
        ),
        LimitedBy::VolumeReads => io_limit("reads", all, each),
        LimitedBy::VolumeWrites => io_limit("writes", all, each),
        LimitedBy::VolumeReadBytes => io_limit("bytes read", all, each),
        LimitedBy::VolumeWrittenBytes => io_limit("bytes written", all, each),
        LimitedBy::Contention => "what clients wait for one another (Amdahl’s law)".to_owned(),
        LimitedBy::ScalabilityLaw => {
            "what clients cost one another (the highest throughput of the Universal Scalability Law)"
                .to_owned()
        }
        LimitedBy::Ceiling => {
            "what clients wait for one another (the ceiling of the law that describes the curve)".to_owned()
        }
    }
}

fn io_limit(what: &str, all: f64, each: f64) -> String {
    format!("the volume’s limit of {what} ({}/s, {} for each)", figure(all), figure(each))
}

/// A measurement that an answer rests on: `p95 latency of 4.20 ms (95 % interval 4.11–4.30) at 16
/// clients (6 trials)`.
fn ground(ground: &Ground, asked: &Requirement, counted: UnitName) -> String {
    let what = match (ground.figure, &ground.estimate) {
        (Some(Metric::Throughput), Some(found)) => {
            numbers::estimate(found, &format!("{counted}/s"))
        }
        (Some(metric), Some(found)) => {
            format!("{} of {}", metric_name(metric), numbers::estimate(found, "ms"))
        }
        (Some(metric), None) => format!("no {}", metric_name(metric)),
        (None, Some(found)) => {
            let unit = match ground.level.is_open() {
                true => format!("{counted}/s"),
                false => "clients".to_owned(),
            };
            format!("{} was the highest load", numbers::estimate(found, &unit))
        }
        (None, None) => String::new(),
    };
    // The rate of the level is the mean of the profile.
    let place = if ground.stage.is_some() { String::new() } else { at(ground.level) };
    let page = match (asked, &ground.estimate) {
        (Requirement::Page { page }, Some(found)) => {
            let total = found.point * f64::from(page.queries) / 1e3;
            format!(", {} {} s", takes(page.queries), figure(total))
        }
        _ => String::new(),
    };
    let stage = ground.stage.as_ref().map_or(String::new(), stage);
    let next = ground.next.map_or(String::new(), |next| {
        let share = percent((1.0 - next.confidence) / 2.0);
        format!(", and {share} of trials exceed {} ms", figure(next.high))
    });
    let burst = ground.burst.as_ref().map_or(String::new(), |burst| {
        format!(
            ", which is what lasts: a burst of {}/s ended {} after the load began",
            figure(burst.burst),
            duration(burst.after)
        )
    });
    let suspect = match ground.suspect {
        0 => String::new(),
        suspect => format!(", {suspect} of them suspect"),
    };
    let lost = match ground.lost {
        0 => String::new(),
        lost => format!("; {lost} failed or void"),
    };
    let lost = match ground.stalled {
        0 => lost,
        stalled => format!("; nothing succeeded in {stalled} of them{lost}"),
    };
    let lost = match ground.indebted {
        0 => lost,
        indebted => format!("; in {indebted} of them work that was put off grew{lost}"),
    };
    let trials = match ground.repeats.as_slice() {
        [] => "no trial that counts".to_owned(),
        [only] => format!("trial {only}"),
        several => {
            let names: Vec<String> = several.iter().map(u32::to_string).collect();
            format!("trials {}", numbers::list(&names))
        }
    };
    format!("{what}{place}{stage}{burst}{page}{next} [{trials}{suspect}{lost}]")
        .trim_start()
        .to_owned()
}

/// Where a stage lies in its profile, and from when on its rate was served.
fn stage(stage: &Stage) -> String {
    let seconds = |seconds: f64| duration(Duration::from_secs_f64(seconds));
    let served = match (stage.never_served, stage.served_after_seconds) {
        (0, Some(0.0)) => String::new(),
        (0, Some(after)) => format!(", served {} after it began", seconds(after)),
        (trials, _) => format!(", not served in {}", numbers::counted(trials, "trial")),
    };
    format!(
        " in the stage at {}/s, from {} on for {}{served}",
        figure(stage.rate),
        seconds(stage.from_seconds),
        seconds(stage.length_seconds)
    )
}

fn reason(part: &RequirementAnswer) -> String {
    let said = match &part.reason {
        Reason::Measured => match part.asked {
            Requirement::Clients { .. } if part.answer.is_no() => "every trial failed",
            Requirement::Clients { .. } => "they were served",
            _ => "measured there",
        },
        Reason::Between => {
            "it lies between two levels that agree, assuming that it is monotone between them"
        }
        Reason::NeighboursDiffer => "it lies between two levels that disagree",
        Reason::Straddles => "the interval includes the bound",
        Reason::NextMayNot => {
            "the median meets it, but single trials scatter so much that one may not"
        }
        Reason::TrialsLost => "the trials that count meet it, but others failed or are void",
        Reason::Stalled => "in some trials nothing succeeded",
        Reason::PutsOff => {
            "whether it lasts is not known, as the target put off more and more work meanwhile"
        }
        Reason::BeyondRange => "it lies beyond what was measured",
        Reason::NoFigure => "no trial that counts has this figure",
        Reason::FellBehind => "trials fell behind the offered rate",
        Reason::ClosedLoopOnly => {
            "latencies at a rate are response times, but only closed loops were measured: run a \
             test with rates or an slo to find out"
        }
        Reason::RatesOnly => "rates were measured, not clients that wait for their replies",
        Reason::RateChanges => match part.asked {
            Requirement::Rate { .. } => "no rate of the load profile stays",
            _ => "the rate followed a load profile: ask about one of its rates",
        },
        Reason::StagesDiffer => "several stages of the load profile offered it, and disagree",
        Reason::EveryLevel => "at every measured level",
        Reason::DependsOnLoad => "it depends on the load, which the question does not state",
        Reason::NeverReached => "no level reached it, and throughput no longer rises",
        Reason::OutOfReach { at_most } => {
            return format!(
                "no level reached it, and by what is left of its rise (Amdahl's law) throughput would \
                 not pass {}/s however many clients there were",
                figure(*at_most)
            );
        }
        Reason::PeakNotSeen => "no level reached it, but more clients may reach it",
        Reason::Searched { bound } => {
            return format!("from the search for the highest load with {bound}");
        }
        Reason::SearchedOtherwise { bound } => {
            return format!(
                "the search was for the highest load with {bound}, which does not answer this"
            );
        }
        Reason::WritesMeasured { share } => {
            return format!("the test has {}", percent(*share));
        }
        Reason::WritesUnknown => "imported results do not say what their statements do",
        Reason::Priced { monthly } => {
            return format!("a month costs {}", amount(&monthly.amount, &monthly.currency));
        }
        Reason::NoPrice => "it has no price",
        Reason::CurrencyNotStated => "prices are in several currencies, and the budget names none",
        Reason::OtherCurrency { currency } => return format!("its price is in {currency}"),
        Reason::CostUnknown { gap: CostGap::RequestsPerIo } => {
            "IOs are charged, and the number of requests per IO is neither given nor measured"
        }
        Reason::CostUnknown { gap: CostGap::SentBytes } => {
            "gigabytes sent are charged, and how many bytes a request makes the server send was not \
             measured"
        }
        Reason::CostUnknown { gap: CostGap::Gigabytes } => {
            "storage is charged by the gigabyte, and its size is not known"
        }
        Reason::LoadUnknown => "the bill depends on throughput, which is not known at that load",
    };
    said.to_owned()
}

/// What a month costs, of when the price is, and where transactions took so much of what is charged by
/// use.
fn monthly(cost: &MonthlyCost) -> String {
    let known = priced(cost);
    let known = if known.is_empty() { String::new() } else { format!(" [{}]", known.join("; ")) };
    format!("{}{known}", a_month(cost))
}

fn a_month(MonthlyCost { amount: cost, currency, .. }: &MonthlyCost) -> String {
    format!("{} a month", amount(cost, currency))
}

/// Of when the price of a month is, and what of it rests on measurements.
fn priced(MonthlyCost { date, used_at, growth, .. }: &MonthlyCost) -> Vec<String> {
    let offered = date.as_ref().map(|date| format!("prices of {date}"));
    let used = used_at.map(|level| format!("charges by use as measured{}", at(level)));
    let growth = growth.as_ref().map(|growth| match growth.gigabytes {
        Some(Amount { point: 0.0, interval: None | Some((_, 0.0)) }) => {
            "the data does not grow".to_owned()
        }
        Some(added) => {
            format!("the data grows by {}, half of which is charged", amount(&added, "GB"))
        }
        None => "without growth of the data, which was not measured".to_owned(),
    });
    offered.into_iter().chain(used).chain(growth).collect()
}

/// From which load on which of the sufficient targets costs less.
pub(crate) fn break_evens(answers: &TestAnswers) -> Vec<String> {
    let said = |found: &BreakEven| {
        let bill = match &found.outcome {
            Outcome::At { monthly, .. } => {
                format!("; at that load a month costs {}", amount(monthly, &found.currency))
            }
            _ => String::new(),
        };
        format!("{}{bill}.", outcome(found))
    };
    answers.break_evens.iter().map(said).collect()
}

/// What a test answers to the question of the study about a load.
pub(crate) struct AskedFor {
    /// Which target to choose for it, or which are sufficient.
    pub(crate) choice: String,
    /// What the costs in it rest on; empty where there are none.
    pub(crate) prices: String,
}

/// For the load that the study asks about, which targets are sufficient, of each test.
pub(crate) fn asked_for(analysis: &Analysis) -> Vec<AskedFor> {
    let Some(asked) = Question::for_study(&analysis.dataset.study) else { return Vec::new() };
    let found = answers(analysis, &asked);
    let several = found.len() > 1;
    let said = |test: &TestAnswers| {
        let of_test = analysis.tests.iter().find(|candidate| candidate.test == test.test);
        let counted = of_test.map_or(UnitName::TRANSACTION, view::counted);
        let load = question(&asked, counted);
        let choice = chosen(test, &load);
        AskedFor {
            choice: if several { format!("{}: {choice}", test.test) } else { capitalised(&choice) },
            prices: prices(test),
        }
    };
    found.iter().map(said).collect()
}

/// From which load on which of the targets costs less that are sufficient for what the study asks about.
pub(super) fn asked_break_evens(analysis: &Analysis) -> Vec<String> {
    let asked = Question::for_study(&analysis.dataset.study);
    let found = asked.map_or_else(Vec::new, |asked| answers(analysis, &asked));
    found.iter().flat_map(break_evens).collect()
}

/// `for 10 transactions/s, choose a, the cheapest that is sufficient: 3.00 EUR a month. Sufficient too: b for
/// 5.00 EUR a month.`
fn chosen(answers: &TestAnswers, load: &str) -> String {
    let name = |target: &TargetAnswer| target_name(&target.target);
    let with_cost = |target: &&TargetAnswer| match &target.monthly {
        Some(cost) => format!("{} for {}", name(target), a_month(cost)),
        None => name(target),
    };
    let fit = fit(answers);
    match fit.as_slice() {
        [] if answers.targets.iter().all(|target| target.answer.is_no()) => {
            format!("no target is sufficient for {load}.")
        }
        [] => format!("no target is shown to be sufficient for {load}."),
        [only] => format!("for {load}, only {} is shown to be sufficient.", with_cost(only)),
        [first, others @ ..] if answers.order == TargetOrder::Cost => {
            let cost =
                first.monthly.as_ref().map_or(String::new(), |cost| format!(": {}", a_month(cost)));
            let others: Vec<String> = others.iter().map(with_cost).collect();
            format!(
                "for {load}, choose {}, the cheapest that is sufficient{cost}. Sufficient too: {}.",
                name(first),
                numbers::list(&others)
            )
        }
        all => {
            let all: Vec<String> = all.iter().map(with_cost).collect();
            let doubt = match answers.order {
                TargetOrder::CostUndecided => OPEN_COSTS,
                TargetOrder::Cost | TargetOrder::Study => "",
            };
            format!("for {load}, {} are sufficient.{doubt}", numbers::list(&all))
        }
    }
}

/// What the costs of the sufficient targets rest on, those alike together.
fn prices(answers: &TestAnswers) -> String {
    let mut alike: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for target in fit(answers) {
        let known = target.monthly.as_ref().map_or_else(Vec::new, priced);
        let name = target_name(&target.target);
        match alike.iter_mut().find(|(other, _)| *other == known) {
            _ if known.is_empty() => {}
            Some((_, names)) => names.push(name),
            None => alike.push((known, vec![name])),
        }
    }
    let said = alike
        .iter()
        .map(|(known, names)| format!("{}: {}", numbers::list(names), known.join(", ")));
    said.collect::<Vec<String>>().join("; ")
}

/// The sufficient targets, in their order.
fn fit(answers: &TestAnswers) -> Vec<&TargetAnswer> {
    let fit = |name: &String| answers.targets.iter().find(|target| target.target == *name);
    answers.sufficient.iter().filter_map(fit).collect()
}

/// Where costs do not decide.
const OPEN_COSTS: &str =
    " Which of them costs less is not decided where intervals overlap or costs are equal.";

/// The targets that meet the requirements, or that none is known to.
pub(crate) fn sufficient(answers: &TestAnswers) -> String {
    let TestAnswers { targets, order, .. } = answers;
    let fit = fit(answers);
    if fit.is_empty() {
        return match targets.iter().all(|target| target.answer.is_no()) {
            true => "No target is sufficient.".to_owned(),
            false => "No target is shown to be sufficient.".to_owned(),
        };
    }
    let described: Vec<String> = fit
        .iter()
        .map(|target| match &target.monthly {
            Some(cost) => format!("{} for {}", target_name(&target.target), monthly(cost)),
            None => target_name(&target.target),
        })
        .collect();
    let (order, doubt) = match order {
        TargetOrder::Cost if fit.len() > 1 => (", cheapest first", ""),
        TargetOrder::CostUndecided => (", in the order of what they cost as measured", OPEN_COSTS),
        TargetOrder::Cost | TargetOrder::Study => ("", ""),
    };
    format!("Sufficient{order}: {}.{doubt}", numbers::list(&described))
}

/// What must be known of latencies of closed loops.
pub(crate) const SERVICE_TIMES: &str = "Latencies here are service times: each client waited for \
    its reply before it sent the next request. Requests that arrive regardless of replies wait \
    longer.";
