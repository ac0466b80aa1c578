//! What the targets cost, drawn.

use crate::charts::svg::{Plane, PlanePoint};
use crate::view;
use analyse::{Analysis, Standing, TargetCost, TestAnalysis};
use maud::{Markup, html};

/// Cost against throughput, one chart for each currency that several targets have.
pub(crate) fn planes(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Markup {
    html! {
        @for plane in charts(analysis, test, number) {
            figure {
                figcaption {
                    strong { "Cost and performance" } ", each target at its peak"
                    span.hint { "the line joins those on the Pareto front" }
                }
                @if plane.needs_legend() { (super::metrics::legend(analysis, test, true)) }
                (plane.draw())
            }
        }
    }
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
