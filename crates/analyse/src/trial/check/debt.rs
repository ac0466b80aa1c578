//! Check 4: whether a trial began and ended with as much work put off.

use super::CheckResult;
use super::counted::pair;
use findings::{DebtChanged, DebtsNotTold, NotLevel, SteadyStart};
use model::{Debt, DebtChange, Effect, LoadResult, Sampling, ServerCounters, Window};

/// By how much of what the target takes a debt may change while it is measured.
const RELEVANT: f64 = 0.25;
/// By how much it must have changed to be named, of what the target takes.
const NOTICEABLE: f64 = 0.02;
/// The same of a debt without a limit.
const LEAST: f64 = 10_000.0;

/// How a trial began that was to begin when debts were level.
pub(super) fn start(load: &LoadResult) -> Option<CheckResult> {
    let settled = load.settled.as_ref()?;
    let seconds = settled.took.as_secs_f64();
    Some(match settled.is_level() {
        Some(true) => CheckResult::valid(SteadyStart { seconds, debts: settled.debts.clone() }),
        Some(false) => CheckResult::suspect(NotLevel { seconds, debts: not_level(&settled.debts) }),
        None => CheckResult::suspect(DebtsNotTold {}),
    })
}

/// Those that still grew or fell: of a load too short to tell of any, those that changed at all.
fn not_level(debts: &[DebtChange]) -> Vec<DebtChange> {
    let all: Vec<DebtChange> = debts.iter().filter(|debt| !debt.is_level).copied().collect();
    let changed = |debt: &&DebtChange| {
        let least = debt.limit.map_or(LEAST, |limit| NOTICEABLE * limit as f64);
        debt.debt.is_work() || debt.to.abs_diff(debt.from) as f64 >= least
    };
    let some: Vec<DebtChange> = all.iter().filter(changed).copied().collect();
    if some.is_empty() { all } else { some }
}

/// Debts for which clients must wait at last, and that grew or fell while the load was measured. What a
/// checkpoint pays at one moment is no fall: a phase with one in it has seen a whole cycle.
pub(super) fn changed(sampling: &Sampling, load: &LoadResult) -> Vec<CheckResult> {
    if load.requests.with_effect(Effect::Write) == 0 {
        return Vec::new();
    }
    let window = Window::for_load(load);
    let Some(counters) = window.counters(sampling) else { return Vec::new() };
    let debts = Debt::ALL.into_iter().filter(|debt| debt.holds_clients_up());
    let changed = debts.filter_map(|debt| {
        let (from, to) = pair(counters, debt.signal())?;
        let (_, limit) = pair(counters, debt.limit_signal()?)?;
        let relevant = RELEVANT * limit as f64;
        let is_relevant = limit > 0 && to.abs_diff(from) as f64 >= relevant;
        if !is_relevant || is_paid_at_once(sampling, &window, debt, relevant) {
            return None;
        }
        let debt = DebtChange { debt, from, to, limit: Some(limit), is_level: false };
        Some(CheckResult::suspect(DebtChanged { debt, seconds: window.seconds() }))
    });
    // One sentence says it: of a log that fills there is as much changed data.
    changed.take(1).collect()
}

/// Whether it fell by so much from one sample of the phase to the next.
fn is_paid_at_once(sampling: &Sampling, window: &Window, debt: Debt, amount: f64) -> bool {
    let value = |counters: &ServerCounters| counters.get(debt.signal()).map(|&value| value as f64);
    let samples = sampling.samples.iter().filter(|sample| window.overlap(sample).is_some());
    let values: Vec<f64> = samples.filter_map(|s| value(s.counters.as_ref()?)).collect();
    values.windows(2).any(|two| two[0] - two[1] >= amount)
}
