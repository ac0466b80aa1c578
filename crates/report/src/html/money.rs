//! What the targets cost.

use super::table;
use crate::tables;
use analyse::Analysis;
use maud::{Markup, html};

/// The section on money; empty where no cost follows from the prices.
pub(super) fn section(analysis: &Analysis) -> Markup {
    let break_evens = tables::break_evens(analysis);
    html! {
        @if applies(analysis) {
            section #money {
                h2 { "Money" }
                @for test in &analysis.tests {
                    @if let Some(costs) = tables::costs(analysis, test) {
                        @if analysis.tests.len() > 1 { h3 { (test.test) } }
                        (table::table(&costs))
                    }
                }
                @if let Some(break_evens) = &break_evens {
                    h3 { "Break-even" }
                    (table::table(break_evens))
                }
            }
        }
    }
}

/// Whether any cost follows from the prices.
pub(super) fn applies(analysis: &Analysis) -> bool {
    tables::break_evens(analysis).is_some()
        || analysis.tests.iter().any(|test| tables::costs(analysis, test).is_some())
}
