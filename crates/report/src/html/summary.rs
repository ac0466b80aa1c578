//! Who comes first and second in each test of the study.

use super::layer::Layer;
use super::table;
use crate::{tables, words};
use analyse::Analysis;
use maud::{Markup, html};

/// All tests in two tables; nothing for a study of fewer than two tests that rank targets.
pub(super) fn section(analysis: &Analysis) -> Markup {
    let Some((tests, targets)) = tables::summary(analysis) else { return html! {} };
    let content = html! {
        p.caption { (words::summary(analysis)) }
        (table::table(&tests))
        @if !targets.rows.is_empty() { (table::table(&targets)) }
    };
    Layer::new("summary", "First and second places", "in every test").around(&content)
}
