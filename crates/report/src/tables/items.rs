//! Transactions and statements of the user's own, by name.

use super::{Table, TableCell, Tone, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::{count, figure as figure_of};
use crate::view;
use crate::words::{OVERLOADED, verdict};
use analyse::{
    Analysis, ItemCell, ItemComparison, ItemFigures, ItemKind, Metric, TestAnalysis, Verdict,
};
use model::{Level, StatementPlan, TargetFacts};
use stats::Estimate;

/// Every transaction of every target at every level.
pub(crate) fn transactions(analysis: &Analysis, test: &TestAnalysis) -> Table {
    table(analysis, test, ItemKind::Transaction)
}

/// Every statement of every target at every level.
pub(crate) fn statements(analysis: &Analysis, test: &TestAnalysis) -> Table {
    table(analysis, test, ItemKind::Statement)
}

/// The transactions at the highest level of every target, in few columns; empty where there is one alone.
pub(crate) fn short(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let mut table = Table::new([
        words("transaction"),
        words("target"),
        numbers("per second"),
        numbers("p95, ms"),
        numbers("errors"),
        words("its own bound"),
    ]);
    let highest = |target: &str| {
        test.items.iter().filter(|cell| cell.target == target).map(|cell| cell.level).max()
    };
    for (cell, item) in ordered(test, ItemKind::Transaction) {
        if highest(&cell.target) != Some(cell.level) || cell.transactions.len() < 2 {
            continue;
        }
        let point = |figure: Option<Estimate>| {
            figure.map_or_else(TableCell::default, |one| TableCell::text(figure_of(one.point)))
        };
        let is_overloaded = cell.overloaded > 0;
        table.push(vec![
            TableCell::text(&item.name),
            TableCell::target(&cell.target, view::series(analysis, &cell.target)),
            point(item.per_second),
            if is_overloaded { overloaded() } else { point(item.p95_ms) },
            if item.errors == 0 {
                TableCell::default()
            } else {
                TableCell::text(count(item.errors))
            },
            slo(item, is_overloaded),
        ]);
    }
    table.without_empty_columns()
}

fn table(analysis: &Analysis, test: &TestAnalysis, kind: ItemKind) -> Table {
    let (name, share) = match kind {
        ItemKind::Transaction => ("transaction", "share, %"),
        ItemKind::Statement => ("statement", "of all statements, %"),
    };
    let axis = LevelAxis::for_test(test);
    let mut table = Table::new([
        words(name),
        numbers(axis.name()),
        words("target"),
        numbers("per second"),
        numbers(share),
        numbers("rows each"),
        numbers("mean, ms"),
        numbers("p50, ms"),
        numbers("p95, ms"),
        numbers("p99, ms"),
        numbers("max, ms"),
        numbers("errors"),
        numbers("done again"),
        words("its own bound"),
    ]);
    // A name at a level has its targets below each other.
    let mut group: Option<(&str, Level)> = None;
    for (cell, item) in ordered(test, kind) {
        let here = (item.name.as_str(), cell.level);
        let row = row(analysis, &axis, (cell, kind), item);
        match group.replace(here) == Some(here) {
            true => table.push(row),
            false => table.push_group(row),
        }
    }
    table.without_empty_columns()
}

fn of_kind(cell: &ItemCell, kind: ItemKind) -> &[ItemFigures] {
    match kind {
        ItemKind::Transaction => &cell.transactions,
        ItemKind::Statement => &cell.statements,
    }
}

/// Name by name, in the order of the scripts, level by level, target by target.
fn ordered(test: &TestAnalysis, kind: ItemKind) -> Vec<(&ItemCell, &ItemFigures)> {
    let mut names: Vec<&str> = Vec::new();
    for item in test.items.iter().flat_map(|cell| of_kind(cell, kind)) {
        if !names.contains(&item.name.as_str()) {
            names.push(&item.name);
        }
    }
    let place = |name: &str| names.iter().position(|known| *known == name);
    let all = test.items.iter();
    let all = all.flat_map(|cell| of_kind(cell, kind).iter().map(move |item| (cell, item)));
    let mut all: Vec<(&ItemCell, &ItemFigures)> = all.collect();
    // Stable: targets stay in the order of the study.
    all.sort_by_key(|(cell, item)| (place(&item.name), cell.level));
    all
}

fn row(
    analysis: &Analysis,
    axis: &LevelAxis,
    (cell, kind): (&ItemCell, ItemKind),
    item: &ItemFigures,
) -> Vec<TableCell> {
    let is_overloaded = kind == ItemKind::Transaction && cell.overloaded > 0;
    let latency = |figure: &Option<Estimate>| match is_overloaded {
        true => overloaded(),
        false => TableCell::estimate(figure.as_ref()),
    };
    let none_or = |number: u64| match number {
        0 => TableCell::default(),
        number => TableCell::text(count(number)),
    };
    let share = item.share.map(|share| share.map(|share| share * 100.0));
    vec![
        TableCell::text(&item.name),
        TableCell::text(axis.text(cell.level)),
        TableCell::target(&cell.target, view::series(analysis, &cell.target)),
        TableCell::estimate(item.per_second.as_ref()),
        TableCell::estimate(share.as_ref()),
        item.rows.as_ref().map_or_else(TableCell::default, |rows| TableCell::counted(Some(rows))),
        latency(&item.mean_ms),
        latency(&item.p50_ms),
        latency(&item.p95_ms),
        latency(&item.p99_ms),
        latency(&item.max_ms),
        none_or(item.errors).with_tone(if item.errors > 0 { Tone::Doubtful } else { Tone::Plain }),
        none_or(item.retries),
        slo(item, is_overloaded),
    ]
}

/// Stands where a response time would, at a rate that was not kept up with.
fn overloaded() -> TableCell {
    TableCell::text(OVERLOADED).with_tone(Tone::Doubtful)
}

fn slo(item: &ItemFigures, is_overloaded: bool) -> TableCell {
    let Some(slo) = &item.slo else { return TableCell::default() };
    let (said, tone) = match slo.met {
        _ if is_overloaded => (OVERLOADED, Tone::Doubtful),
        Some(true) => ("met", Tone::Good),
        Some(false) => ("missed", Tone::Bad),
        None => ("not known", Tone::Doubtful),
    };
    TableCell::text(format!("{}: {said}", slo.bound)).with_tone(tone)
}

/// Two targets against one another, name by name and level by level; transactions before statements.
pub(crate) fn item_ratios(test: &TestAnalysis, baseline: &str, candidate: &str) -> Table {
    let axis = LevelAxis::for_test(test);
    let mut table = Table::new([
        words("transaction or statement"),
        numbers(axis.name()),
        numbers("mean latency ratio"),
        words("verdict"),
        numbers("p95 ratio"),
        words("verdict"),
    ]);
    let of_pair = |one: &&ItemComparison| one.baseline == baseline && one.candidate == candidate;
    let mut pair: Vec<&ItemComparison> = test.item_comparisons.iter().filter(of_pair).collect();
    pair.sort_by_key(|one| one.of);
    let by_mean = pair.iter().filter(|one| one.metric == Metric::LatencyMean);
    for mean in by_mean {
        let same = |one: &&&ItemComparison| {
            one.metric == Metric::LatencyP95
                && (one.of, &one.name, one.level) == (mean.of, &mean.name, mean.level)
        };
        let p95 = pair.iter().find(same).copied();
        let name = match mean.of {
            ItemKind::Transaction => format!("transaction {}", mean.name),
            ItemKind::Statement => mean.name.clone(),
        };
        let [ratio, said] = judged(Some(mean));
        let [ratio_p95, said_p95] = judged(p95);
        let level = TableCell::text(axis.text(mean.level));
        table.push([TableCell::text(name), level, ratio, said, ratio_p95, said_p95]);
    }
    table.without_empty_columns()
}

fn judged(comparison: Option<&ItemComparison>) -> [TableCell; 2] {
    let Some(one) = comparison else { return [TableCell::default(), TableCell::default()] };
    let tone = match one.verdict {
        Verdict::CandidateBetter | Verdict::BaselineBetter => Tone::Good,
        Verdict::Equivalent => Tone::Plain,
        Verdict::Unresolved => Tone::Doubtful,
    };
    let said = TableCell::text(verdict(one.verdict, &one.baseline, &one.candidate));
    [TableCell::estimate(Some(&one.ratio)), said.with_tone(tone)]
}

/// How targets carry out the statements of a test that not all carry out alike; `None` where all do.
pub(crate) fn plans(analysis: &Analysis, test: &TestAnalysis) -> Option<Table> {
    let targets = &analysis.dataset.targets;
    let plan = |facts: &'_ TargetFacts, name: &str| {
        let plans = facts.server.plans.iter();
        plans.clone().find(|plan| plan.test == test.test && plan.statement == name).cloned()
    };
    let mut names: Vec<&str> = Vec::new();
    for plan in targets.iter().flat_map(|facts| &facts.server.plans) {
        if plan.test == test.test && !names.contains(&plan.statement.as_str()) {
            names.push(&plan.statement);
        }
    }
    let mut table =
        Table::new([words("statement"), words("target"), words("plan"), numbers("rows expected")]);
    for name in names {
        let of: Vec<(&str, StatementPlan)> = targets
            .iter()
            .filter_map(|facts| Some((facts.target.as_str(), plan(facts, name)?)))
            .collect();
        if of.windows(2).all(|two| two[0].1.steps == two[1].1.steps) {
            continue;
        }
        for (number, (target, plan)) in of.iter().enumerate() {
            let row = [
                TableCell::text(name),
                TableCell::target(target, view::series(analysis, target)),
                TableCell::text(plan.steps.join("; ")),
                TableCell::text(count(plan.rows)),
            ];
            if number == 0 { table.push_group(row) } else { table.push(row) }
        }
    }
    (!table.rows.is_empty()).then_some(table)
}
