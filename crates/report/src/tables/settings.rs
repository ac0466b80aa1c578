use super::{Table, TableCell, Tone, words};
use crate::numbers::NOTHING;
use analyse::Analysis;
use std::collections::{BTreeMap, BTreeSet};

/// The server variables in which the targets differ: those set on purpose first.
pub(crate) fn differences(analysis: &Analysis) -> Table {
    let mut table = Table::new([words("variable"), words("target"), words("value"), words("why")]);
    let (intended, other): (Vec<_>, Vec<_>) = analysis.settings.iter().partition(|s| s.intended);
    for difference in intended.into_iter().chain(other) {
        for (i, target) in analysis.dataset.study.targets.iter().enumerate() {
            let value = difference.values.get(&target.name);
            let value = value.map_or("(no such variable)", String::as_str);
            let name =
                if i == 0 { TableCell::text(&difference.name) } else { TableCell::default() };
            let why = match (i, difference.intended) {
                (0, true) => TableCell::text("set by the study"),
                (0, false) => TableCell::text("not set by the study").with_tone(Tone::Doubtful),
                _ => TableCell::default(),
            };
            let row = [name, TableCell::target(&target.name, i), TableCell::text(value), why];
            if i == 0 {
                table.push_group(row);
            } else {
                table.push(row);
            }
        }
    }
    table
}

/// Every server variable with its value: once where all targets that have it agree.
pub(crate) fn variables(analysis: &Analysis) -> Table {
    let targets = &analysis.dataset.targets;
    let names: BTreeSet<&String> = targets.iter().flat_map(|t| t.server.variables.keys()).collect();
    let mut table = Table::new([words("variable"), words("value")]);
    for name in names {
        let mut holders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for target in targets {
            if let Some(value) = target.server.variables.get(name) {
                holders.entry(value).or_default().push(&target.target);
            }
        }
        let everywhere = holders.len() == 1 && holders.values().all(|h| h.len() == targets.len());
        let value = if everywhere {
            holders.keys().next().copied().unwrap_or(NOTHING).to_owned()
        } else {
            let each =
                |(value, names): (&&str, &Vec<&str>)| format!("{}: {value}", names.join(", "));
            holders.iter().map(each).collect::<Vec<String>>().join("; ")
        };
        table.push([TableCell::text(name), TableCell::text(value)]);
    }
    table
}
