//! Random studies of all shapes.

use super::tables;
use super::truth::{Draw, Truth};
use crate::{dataset, load, open_loop, plan, record, study};
use model::{
    Dataset, Failure, FailureKind, Level, Price, Trial, TrialEnd, TrialKey, TrialRecord, Until,
};

/// A study of any shape: measured or imported, with rates, zeros, rounded and equal figures, laws,
/// missing trials, prices and labels.
pub fn random(seed: u64) -> Dataset {
    let mut draw = Draw::new(seed);
    if draw.once_in(2) {
        return tables::imported(&mut draw);
    }
    let truth = Truth::draw(&mut draw);
    let targets: Vec<&str> = truth.targets.iter().map(String::as_str).collect();
    let mut study = study(&targets, &truth.levels, truth.repeats);
    let rate_of = draw.once_in(4).then(|| draw.one_of(&[50, 400, 1_500]));
    if let Some(each) = rate_of {
        let levels = &mut study.tests[0].load_mut().expect("the test is a load").levels;
        levels.iter_mut().for_each(|level| *level = Level::rate(64, each * level.clients));
    }
    if truth.repeats > 2 && draw.once_in(4) {
        study.until = Some(Until { min: 2 + draw.below(truth.repeats as usize - 2) as u32 });
    }
    if draw.once_in(6) {
        study.confidence = draw.one_of(&[0.9, 0.99]);
        study.margin = draw.one_of(&[0.01, 0.05]);
    }
    label_and_price(&mut study, &truth, &mut draw);
    let plan = plan(&study, draw.below(3));
    let mut dataset = dataset(study, plan, |trial| match rate_of {
        Some(each) => offered(trial, &truth, &mut draw, each),
        None => {
            let TrialKey { target, level, .. } = &trial.key;
            let throughput = truth.throughput(&mut draw, target, level.clients);
            record(trial, load(level.clients, throughput))
        }
    });
    for record in &mut dataset.trials {
        if truth.is_missing(&mut draw) {
            let failure = Failure::new(FailureKind::ServerLost, "the server went away", "");
            record.end = TrialEnd::Failed(failure);
        }
    }
    dataset
}

fn label_and_price(study: &mut model::Study, truth: &Truth, draw: &mut Draw) {
    for (place, target) in study.targets.iter_mut().enumerate() {
        if truth.is_priced && !draw.once_in(8) {
            let monthly = 40.0 + 10.0 * draw.below(5) as f64;
            target.price =
                Some(Price::monthly(monthly, draw.one_of(&["EUR", "EUR", "EUR", "USD"])));
        }
        if truth.is_labelled {
            let value = |kind: usize| ["x", "y", "z"][kind].to_owned();
            target.labels.insert("disk".to_owned(), value(place % 2));
            target.labels.insert("memory".to_owned(), value(place / 2 % 3));
        }
    }
}

/// At a rate: what the server can do, where that is less than is offered.
fn offered(trial: &Trial, truth: &Truth, draw: &mut Draw, each: u32) -> TrialRecord {
    let rate = trial.key.level.rate.unwrap_or_default();
    let clients = rate / each;
    let most = truth.throughput(draw, &trial.key.target, clients);
    let answered = most.min(f64::from(rate) * draw.factor(0.001));
    // The less there is left, the longer one waits.
    let busy = (answered / most).min(0.98);
    let concurrency = (2.0 / (1.0 - busy)).ceil() as u32;
    let mut made = record(trial, load(concurrency, answered));
    if let Some(load) = made.load_mut() {
        let answered = load.measure.transactions;
        let due = (f64::from(rate) * crate::MEASURE.as_secs_f64()) as u64;
        let scheduled = if most < f64::from(rate) { due.max(answered) } else { answered };
        load.clients = trial.key.level.clients;
        load.open = Some(open_loop(load, f64::from(rate), scheduled));
        load.ledger.dropped = scheduled - answered;
    }
    crate::balance(&mut made);
    made
}
