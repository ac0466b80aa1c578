//! What the targets cost.

use super::table;
use crate::tables;
use analyse::Analysis;
use maud::{Markup, html};

/// The section on money; empty where no target has a price.
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

/// Whether any target has a price.
pub(super) fn applies(analysis: &Analysis) -> bool {
    analysis.dataset.study.targets.iter().any(|target| target.price.is_some())
}
