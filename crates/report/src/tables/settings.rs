use super::{Table, TableCell, Tone, words};
use crate::numbers::{NOTHING, count};
use analyse::Analysis;
use model::{SettingDifference, SettingOrigin};
use std::collections::{BTreeMap, BTreeSet};

/// More rows than this are folded where a page can do that.
const SHORT: usize = 12;
/// A value with more items between commas than this is shown by those that differ.
const LONGEST_LIST: usize = 3;

/// Server variables that differ between the targets for one reason.
pub(crate) struct Differences {
    pub(crate) heading: String,
    pub(crate) table: Table,
}

impl Differences {
    pub(crate) fn is_long(&self) -> bool {
        self.table.rows.len() > SHORT
    }
}

/// The server variables in which the targets differ: those set on purpose first.
pub(crate) fn differences(analysis: &Analysis) -> Vec<Differences> {
    let all = analysis.dataset.targets.len();
    let everywhere = |difference: &SettingDifference| difference.values.len() == all;
    type Belongs<'a> = &'a dyn Fn(&SettingDifference) -> bool;
    let groups: [(&str, Tone, Belongs<'_>); 4] = [
        ("Set by the study", Tone::Plain, &|s| s.origin == SettingOrigin::Study),
        ("Not set by the study", Tone::Doubtful, &|s| s.origin == SettingOrigin::Unknown),
        ("Defaults that differ", Tone::Plain, &|s| {
            s.origin == SettingOrigin::Default && everywhere(s)
        }),
        ("Defaults of settings that not every server has", Tone::Plain, &|s| {
            s.origin == SettingOrigin::Default && !everywhere(s)
        }),
    ];
    let tables = groups.into_iter().filter_map(|(heading, tone, belongs)| {
        let own: Vec<&SettingDifference> =
            analysis.settings.iter().filter(|difference| belongs(difference)).collect();
        (!own.is_empty()).then(|| Differences {
            heading: format!("{heading} ({})", count(own.len() as u64)),
            table: by_target(analysis, &own, tone),
        })
    });
    tables.collect()
}

/// A row for each variable, a column for each target that was reached.
fn by_target(analysis: &Analysis, own: &[&SettingDifference], tone: Tone) -> Table {
    let targets: Vec<&str> =
        analysis.dataset.targets.iter().map(|facts| facts.target.as_str()).collect();
    let mut table =
        Table::new([words("variable")].into_iter().chain(targets.iter().map(|name| words(*name))));
    for difference in own {
        let common = common_items(difference);
        let value = |name: &&str| match difference.values.get(*name) {
            Some(value) => TableCell::text(without(value, &common)),
            None => TableCell::text(NOTHING),
        };
        let name = TableCell::text(&difference.name).with_tone(tone);
        table.push([name].into_iter().chain(targets.iter().map(value)));
    }
    table
}

/// The items that all values of a variable have where these are long lists, such as of an optimiser's
/// switches.
fn common_items(difference: &SettingDifference) -> BTreeSet<&str> {
    let mut lists = difference.values.values().map(|value| value.split(',').collect());
    let Some(first) = lists.next() else { return BTreeSet::new() };
    let common: BTreeSet<&str> = lists
        .fold(first, |common: BTreeSet<&str>, list| common.intersection(&list).copied().collect());
    if common.len() > LONGEST_LIST { common } else { BTreeSet::new() }
}

fn without(value: &str, common: &BTreeSet<&str>) -> String {
    if common.is_empty() {
        return value.to_owned();
    }
    let own: Vec<&str> = value.split(',').filter(|item| !common.contains(item)).collect();
    match own.is_empty() {
        true => "…".to_owned(),
        false => format!("… {}", own.join(", ")),
    }
}

/// A server variable with its value, as one line: once where all targets that have it agree.
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Every server variable, in order of name.
pub(crate) fn variables(analysis: &Analysis) -> Vec<Variable> {
    let targets = &analysis.dataset.targets;
    let names: BTreeSet<&String> = targets.iter().flat_map(|t| t.server.variables.keys()).collect();
    let value_of = |name: &String| {
        let mut holders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for target in targets {
            if let Some(value) = target.server.variables.get(name) {
                holders.entry(value).or_default().push(&target.target);
            }
        }
        let everywhere = holders.len() == 1 && holders.values().all(|h| h.len() == targets.len());
        if everywhere {
            return holders.keys().next().copied().unwrap_or(NOTHING).to_owned();
        }
        let each = |(value, names): (&&str, &Vec<&str>)| format!("{}: {value}", names.join(", "));
        holders.iter().map(each).collect::<Vec<String>>().join("; ")
    };
    names.into_iter().map(|name| Variable { name: name.clone(), value: value_of(name) }).collect()
}
