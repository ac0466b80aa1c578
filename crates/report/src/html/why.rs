//! What decides differences, beside the verdicts, and where the time of an operation goes.

use super::table;
use crate::{tables, words};
use analyse::{Analysis, TestAnalysis};
use maud::{Markup, html};

/// Sentences beyond these are folded.
const MOST_SENTENCES: usize = 8;

/// Nothing where no target differs and nothing is known of its time.
pub(super) fn section(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let why = words::why(analysis, test);
    let times = tables::times(analysis, test);
    let (first, more) = why.split_at(why.len().min(MOST_SENTENCES));
    let list = |said: &[String]| html! { ul.findings { @for one in said { li { (one) } } } };
    html! {
        @if !why.is_empty() {
            h3 { (words::WHY) }
            (list(first))
            @if !more.is_empty() { details { summary { (more.len()) " more" } (list(more)) } }
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
