use super::{Table, TableCell, Tone, numbers, words};
use crate::numbers::{NOTHING, figure, money, range};
use crate::view;
use crate::words::{amount, outcome, standing};
use analyse::{Amount, Analysis, Outcome, Standing, StorageGrowth, TargetCost, TestAnalysis};

/// What the targets of a test cost, each at its own peak; `None` where none has a price.
pub(crate) fn costs(analysis: &Analysis, test: &TestAnalysis) -> Option<Table> {
    let costs = &test.money.costs;
    if costs.is_empty() {
        return None;
    }
    let measured = costs.iter().any(|cost| cost.usage.requests_per_io.is_some());
    let sent = costs.iter().any(|cost| cost.usage.sent_bytes_per_request.is_some());
    let stored = costs.iter().any(|cost| cost.growth.is_some());
    let mut columns = vec![
        words("target"),
        numbers(format!("peak, {}/s", view::counted(test))),
        numbers("monthly cost at that load"),
        numbers(format!("a million {}", view::counted(test))),
        words("price and performance"),
    ];
    if measured {
        columns.push(numbers(format!("{} per IO, measured", view::counted(test))));
    }
    if sent {
        columns.push(numbers("bytes sent for each, measured"));
    }
    if stored {
        columns.push(numbers("bytes stored for each, measured"));
    }
    let mut table = Table::new(columns);
    for cost in costs {
        let mut row = vec![
            TableCell::target(&cost.target, view::series(analysis, &cost.target)),
            TableCell::estimate(Some(&cost.throughput)),
            money_cell(cost.monthly(), &cost.currency),
            money_cell(cost.per_million(), &cost.currency),
            place(cost),
        ];
        if measured {
            row.push(TableCell::estimate(cost.usage.requests_per_io.as_ref()));
        }
        if sent {
            row.push(TableCell::estimate(cost.usage.sent_bytes_per_request.as_ref()));
        }
        if stored {
            row.push(match cost.growth {
                Some(StorageGrowth::NotMeasured) => {
                    TableCell::text("not measured: not in the bill").with_tone(Tone::Doubtful)
                }
                Some(StorageGrowth::Charged { .. }) => {
                    TableCell::estimate(cost.usage.stored_bytes_per_request.as_ref())
                }
                None => TableCell::text(NOTHING),
            });
        }
        table.push(row);
    }
    Some(table)
}

fn place(cost: &TargetCost) -> TableCell {
    let Some(found) = &cost.standing else {
        let known = cost.monthly().is_some();
        return TableCell::text(if known { "no comparable price" } else { "cost not known" });
    };
    let tone = match found {
        Standing::OnParetoFront => Tone::Good,
        Standing::Dominated { .. } => Tone::Plain,
        Standing::Unresolved { .. } | Standing::NotExhausted { .. } => Tone::Doubtful,
    };
    TableCell::text(standing(found)).with_tone(tone)
}

/// An amount with its currency, its interval as the note where it has a width.
pub(super) fn money_cell(amount: Option<Amount>, currency: &str) -> TableCell {
    let Some(amount) = amount else { return TableCell::text(NOTHING) };
    match amount.interval {
        Some((low, high)) if !amount.is_exact() => {
            TableCell::text(format!("{} {currency}", figure(amount.point)))
                .with_note(range(low, high))
        }
        Some(_) => TableCell::text(format!("{} {currency}", money(amount.point))),
        None => TableCell::text(format!("{} {currency}", figure(amount.point))),
    }
}

/// Which target costs less from which load on; `None` where no cost depends on the load.
pub(crate) fn break_evens(analysis: &Analysis) -> Option<Table> {
    let depends = analysis.dataset.study.targets.iter().any(|target| {
        let items = target.price.iter().flat_map(|price| &price.items);
        items.into_iter().any(|item| !item.per.has_quantity())
    });
    if analysis.break_evens.is_empty() || !depends {
        return None;
    }
    let mut table = Table::new([words("test"), words("break-even"), numbers("monthly cost there")]);
    for found in &analysis.break_evens {
        let bill = match &found.outcome {
            Outcome::At { monthly, .. } => amount(monthly, &found.currency),
            Outcome::Always { .. } | Outcome::Same | Outcome::Unresolved => NOTHING.to_owned(),
        };
        table.push([
            TableCell::text(found.test.as_deref().unwrap_or("all")),
            TableCell::text(outcome(found)),
            TableCell::text(bill),
        ]);
    }
    Some(table)
}
