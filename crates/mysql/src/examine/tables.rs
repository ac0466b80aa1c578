//! Tables that a study uses as they are: what makes them unlike those that weighin would make.

use super::Server;
use model::Oltp;
use std::collections::{BTreeMap, BTreeSet};
use system::Diagnostics;
use workload::oltp::{DEFAULT_ENGINE, create_index};

/// Tables named in one message.
const SHOWN: usize = 3;

/// `kept` are names of tables. Where the account may not look, nothing is said.
pub(super) fn check(
    server: &mut Server<'_>,
    kept: &[String],
    oltp: Option<&Oltp>,
    found: &mut Diagnostics,
) {
    let kept: BTreeSet<&str> = kept.iter().map(String::as_str).collect();
    if kept.is_empty() {
        return;
    }
    let mut unlike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in server.rows("SHOW TABLE STATUS").unwrap_or_default() {
        let of = |name: &str| row.get(name).map(String::as_str).unwrap_or_default();
        if !kept.contains(of("Name")) {
            continue;
        }
        let mut note = |what: String| unlike.entry(what).or_default().push(of("Name").to_owned());
        if !of("Engine").is_empty() && !of("Engine").eq_ignore_ascii_case(DEFAULT_ENGINE) {
            note(format!("of the engine {}, not {DEFAULT_ENGINE}", of("Engine")));
        }
        let options = of("Create_options").to_lowercase();
        for option in ["partitioned", "compress", "encrypt"] {
            if options.contains(option) {
                note(format!("made with other options ({})", of("Create_options")));
                break;
            }
        }
    }
    for row in server.rows("SHOW TRIGGERS").unwrap_or_default() {
        if let Some(table) = row.get("Table").filter(|table| kept.contains(table.as_str())) {
            unlike
                .entry("with triggers, which run with every write".to_owned())
                .or_default()
                .push(table.clone());
        }
    }
    if oltp.is_some_and(|oltp| create_index(oltp, 1).is_some()) {
        let sql = "SELECT DISTINCT table_name AS t FROM information_schema.statistics \
                   WHERE table_schema = DATABASE() AND column_name = 'k' AND seq_in_index = 1";
        if let Some(rows) = server.rows(sql) {
            let indexed: BTreeSet<String> =
                rows.into_iter().filter_map(|row| row.into_values().next()).collect();
            let without: Vec<String> = kept
                .iter()
                .filter(|name| !indexed.contains(**name))
                .map(|name| (*name).to_owned())
                .collect();
            if !without.is_empty() {
                unlike.insert("without the index on k".to_owned(), without);
            }
        }
    }
    for (what, mut names) in unlike {
        names.dedup();
        let more = names.len().saturating_sub(SHOWN);
        names.truncate(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        found.warn(
            format!("test tables that are there already are {what}: {}{more}", names.join(", ")),
            "make them alike on all targets, or drop them and let weighin make its own",
        );
    }
}
