//! Check 8: what the tables held.

use super::{Group, Words};
use crate::numbers::{self, count, percent};
use crate::words::labels::target_name;
use analyse::{DifferentData, RowsMissing, TablesChanged, TablesIntact};

impl Words for RowsMissing {
    const HEADING: &'static str = "Missing rows";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let (answers, short) = (found.total(|rows| rows.answers), found.total(|rows| rows.short));
        format!(
            "{} of {} answers lacked rows that the tables must have ({}): prepare the tables again",
            count(short),
            count(answers),
            percent(short as f64 / answers.max(1) as f64),
        )
    }
}

impl Words for TablesIntact {
    const HEADING: &'static str = "Checks";

    fn say(found: &Group<'_, Self>) -> String {
        let values = if found.first.with_values { ", with unchanged values" } else { "" };
        let rows = count(found.first.rows);
        format!("check 8: after the last trial the tables still had all their {rows} rows{values}")
    }
}

impl Words for TablesChanged {
    const HEADING: &'static str = "Changed tables";

    fn say(found: &Group<'_, Self>) -> String {
        let (before, after) = found.first.rows;
        if before == after {
            format!(
                "something else wrote to the tables: no test of this study writes, but after the \
                 last trial their {} rows had different values",
                count(before)
            )
        } else {
            format!(
                "something else wrote to the tables: every test of this study keeps the number of \
                 rows, but after the last trial there were {}, and before it {}",
                count(after),
                count(before)
            )
        }
    }
}

impl Words for DifferentData {
    const HEADING: &'static str = "Different data";

    fn say(found: &Group<'_, Self>) -> String {
        let rows = found.first.rows.iter();
        let each: Vec<String> = rows
            .map(|(target, rows)| format!("{} ({} rows)", target_name(target), count(*rows)))
            .collect();
        format!(
            "the targets’ tables were made from one seed but hold different data, so the targets \
             did not do the same work: {}",
            numbers::list(&each)
        )
    }
}
