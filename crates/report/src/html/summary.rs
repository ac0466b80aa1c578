//! Who comes first and second in each test of the study.

use super::table;
use crate::{tables, words};
use analyse::Analysis;
use maud::{Markup, html};

/// The part of the answer that sums all tests up; nothing for a study of fewer than two tests that rank targets.
pub(super) fn part(analysis: &Analysis) -> Markup {
    let Some((tests, targets)) = tables::summary(analysis) else { return html! {} };
    html! {
        div.answer #summary {
            h3 { "First and second places" }
            p.caption { (words::summary(analysis)) }
            (table::table(&tests))
            @if !targets.rows.is_empty() { (table::table(&targets)) }
        }
    }
}
