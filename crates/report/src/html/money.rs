//! What the targets cost.

use super::layer::Layer;
use super::table;
use crate::svg::{Plane, PlanePoint};
use crate::{tables, view};
use analyse::{Analysis, Standing, TargetCost, TestAnalysis};
use maud::{Markup, html};

/// The section on money; empty where no cost follows from the prices.
pub(super) fn section(analysis: &Analysis) -> Markup {
    let break_evens = tables::break_evens(analysis);
    if !applies(analysis) {
        return html! {};
    }
    let content = html! {
        @for (number, test) in analysis.tests.iter().enumerate() {
            @if let Some(costs) = tables::costs(analysis, test) {
                @if analysis.tests.len() > 1 { h3 { (test.test) } }
                @for plane in planes(analysis, test, number) { (plane) }
                (table::table(&costs))
            }
        }
        @if let Some(break_evens) = &break_evens {
            h3 { "Break-even" }
            (table::table(break_evens))
        }
    };
    Layer::new("money", "Money", "what the targets cost at their peaks").around(&content)
}

/// Cost against throughput, one chart for each currency that several targets have.
fn planes(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Vec<Markup> {
    let drawn = |plane: Plane| {
        html! {
            figure {
                figcaption {
                    strong { "Cost and performance" } ", each target at its peak"
                    span.hint { "the line joins those on the Pareto front" }
                }
                @if plane.needs_legend() { (super::charts::legend(analysis, test, true)) }
                (plane.draw())
            }
        }
    };
    charts(analysis, test, number).into_iter().map(drawn).collect()
}

/// The charts of cost against throughput, by currency.
pub(crate) fn charts(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Vec<Plane> {
    let mut currencies: Vec<&str> =
        test.money.costs.iter().map(|cost| cost.currency.as_str()).collect();
    currencies.sort_unstable();
    currencies.dedup();
    let of = |currency: &str| {
        let costs = test.money.costs.iter().filter(|cost| cost.currency == currency);
        let points: Vec<PlanePoint> =
            costs.filter_map(|cost| plane_point(analysis, cost)).collect();
        Plane {
            id: format!("cost-{number}-{currency}"),
            title: format!("Monthly cost against peak throughput, {}", test.test),
            across: format!("monthly cost, {currency}"),
            up: format!("{}/s", view::counted(test)),
            points,
        }
    };
    currencies.into_iter().map(of).filter(|plane| plane.points.len() > 1).collect()
}

fn plane_point(analysis: &Analysis, cost: &TargetCost) -> Option<PlanePoint> {
    let monthly = cost.monthly()?;
    Some(PlanePoint {
        series: view::series(analysis, &cost.target),
        name: cost.target.clone(),
        at: (monthly.point, cost.throughput.point),
        across: monthly.interval.filter(|_| !monthly.is_exact()),
        up: cost.throughput.interval.map(|interval| (interval.low, interval.high)),
        on_front: cost.standing == Some(Standing::OnParetoFront),
    })
}

/// Whether any cost follows from the prices.
fn applies(analysis: &Analysis) -> bool {
    tables::break_evens(analysis).is_some()
        || analysis.tests.iter().any(|test| tables::costs(analysis, test).is_some())
}
