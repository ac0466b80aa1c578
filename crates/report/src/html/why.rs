//! What decides differences, beside the verdicts, and where the time of an operation goes.

use super::table;
use crate::{tables, words};
use analyse::{Analysis, TestAnalysis};
use maud::{Markup, html};

/// Nothing where no target differs and nothing is known of its time.
pub(super) fn section(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let why = words::why(analysis, test);
    let times = tables::times(analysis, test);
    html! {
        @if !why.is_empty() {
            h3 { (words::WHY) }
            ul.findings { @for sentence in &why { li { (sentence) } } }
        }
        @if !times.rows.is_empty() {
            details.paper {
                summary { h3 { (words::TIMES) } }
                (table::table(&times))
                p.caption { (words::TIMES_CAPTION) }
            }
        }
    }
}
