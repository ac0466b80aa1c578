//! What the targets of a study have to do with each other.

use super::{Diagnostics, Examined};
use model::{
    Failure, FailureKind, Kept, Place, RemoteHost, SettingOrigin, Study, System, TargetFacts, Test,
    promises_differ, promises_in_words, setting_differences, text,
};
use std::collections::{BTreeMap, BTreeSet};

/// Longest value of a setting that is shown, in characters.
const LONGEST_VALUE: usize = 40;

pub(super) fn compare(study: &Study, targets: &[Examined], found: &mut Diagnostics) {
    currencies(study, found);
    same_server(targets, found);
    settings(study, targets, found);
    products(targets, found);
}

/// Servers of different systems have no settings in common, and may promise different things.
fn products(targets: &[Examined], found: &mut Diagnostics) {
    let servers = targets.iter().filter(|examined| examined.target.system.has_server());
    let systems: BTreeSet<System> = servers.map(|examined| examined.target.system).collect();
    if systems.len() < 2 {
        return;
    }
    let kept: Vec<(&Examined, Vec<Kept>)> = targets
        .iter()
        .filter_map(|examined| {
            let variables = &examined.facts.as_ref()?.variables;
            Some((examined, examined.target.system.durability(variables)))
        })
        .filter(|(_, kept)| !kept.is_empty())
        .collect();
    let words: Vec<String> = kept
        .iter()
        .map(|(examined, kept)| promises_in_words(&examined.target.name, kept))
        .collect();
    let promises = words.join("; ");
    if promises_differ(kept.iter().map(|(_, kept)| kept.as_slice())) {
        found.warn(
            format!(
                "the study compares products that do not promise the same of data that they \
                 acknowledge: {promises}"
            ),
            "give them settings with which they do, or read the result with that in mind",
        );
    } else {
        found.note(format!("the study compares products, and not settings: {promises}"), "");
    }
}

fn currencies(study: &Study, found: &mut Diagnostics) {
    let mut by_currency: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for target in &study.targets {
        if let Some(price) = &target.price {
            by_currency.entry(&price.currency).or_default().push(&target.name);
        }
    }
    if by_currency.len() > 1 {
        let of =
            |(currency, names): (&&str, &Vec<&str>)| format!("{} in {currency}", names.join(", "));
        let named: Vec<String> = by_currency.iter().map(of).collect();
        found.warn(
            format!(
                "prices are in several currencies and will not be compared: {}",
                named.join("; ")
            ),
            "give all prices in one currency, with the rate's date in `date`",
        );
    }
}

/// Targets that are one and the same server, by whichever way.
fn same_server(targets: &[Examined], found: &mut Diagnostics) {
    for (place, one) in targets.iter().enumerate() {
        for other in &targets[place + 1..] {
            let (Some(a), Some(b)) = (&one.identity, &other.identity) else { continue };
            if a.server != b.server {
                continue;
            }
            let same_path = one.target.path == other.target.path;
            let named = format!(
                "the targets {} and {} are the same server",
                one.target.name, other.target.name
            );
            if a.way == b.way && same_path {
                found.error(Failure::new(
                    FailureKind::NotPermitted,
                    format!("{named}, reached in the same way, so there is nothing to compare"),
                    "correct the URL of one of them; to see how much is noise set noise_floor = true in \
                     [study]",
                ));
            } else if same_path {
                found.warn(
                    format!("{named}: they differ in the way to it (endpoint, encryption, user or database)"),
                    "correct the URL of one of them, unless that is what the study is about",
                );
            }
        }
    }
}

/// Whether the load takes processors from some servers and from others not. `lead` makes the loads that
/// none of the others makes; of these the names are known where they answered.
pub(super) fn load_hosts(
    study: &Study,
    targets: &[Examined],
    lead: &str,
    others: &BTreeMap<&RemoteHost, String>,
    found: &mut Diagnostics,
) {
    let shares_machine = |examined: &Examined| {
        let machine = examined.identity.as_ref()?.machine.as_deref()?;
        let target = study.measured().find(|target| target.name == examined.target.name)?;
        let mut loads = study.tests.iter().filter_map(Test::load);
        Some(loads.any(|load| {
            match load.load_hosts(target) {
                [] => machine == lead,
                load_hosts => load_hosts
                    .iter()
                    .any(|load_host| others.get(load_host).is_some_and(|name| name == machine)),
            }
        }))
    };
    let on = |wanted: bool| {
        let are = targets.iter().filter(|examined| shares_machine(examined) == Some(wanted));
        are.map(|examined| examined.target.name.as_str()).collect::<Vec<_>>()
    };
    let (here, elsewhere) = (on(true), on(false));
    let by_url = targets.iter().any(|examined| {
        here.contains(&examined.target.name.as_str())
            && matches!(examined.target.place, Place::Server(_))
    });
    match (here.as_slice(), elsewhere.as_slice()) {
        ([_, ..], [_, ..]) => found.warn(
            format!(
                "the load is made on the machine of {}, and takes processors from it; {} pay for the \
                 network instead",
                here.join(", "),
                elsewhere.join(", ")
            ),
            "make the load on a machine that has none of the servers, as far from all of them",
        ),
        ([_, ..], []) if by_url => found.note(
            format!("the load is made on the machine of {}, and shares its processors", here.join(", ")),
            "",
        ),
        _ => {}
    }
}

/// In what the servers differ without the study asking for it.
fn settings(study: &Study, targets: &[Examined], found: &mut Diagnostics) {
    let of = |examined: &Examined| {
        let server = examined.facts.clone()?;
        Some(TargetFacts { target: examined.target.name.clone(), server })
    };
    let facts: Vec<TargetFacts> = targets.iter().filter_map(of).collect();
    let versions: BTreeSet<&str> =
        facts.iter().map(|facts| facts.server.version.as_str()).collect();
    if study.targets.iter().any(|target| matches!(target.place, Place::Storage(_))) {
        return;
    }
    if versions.len() > 1 {
        let of = |facts: &TargetFacts| {
            format!("{} {}", facts.target, text::excerpt(&facts.server.version, LONGEST_VALUE))
        };
        let named: Vec<String> = facts.iter().map(of).collect();
        found.note(format!("the targets have different versions: {}", named.join(", ")), "");
    }
    let telling: BTreeSet<&str> = targets
        .iter()
        .filter_map(|examined| system::of_target(&examined.target).ok())
        .flat_map(|system| system.telling_settings())
        .copied()
        .collect();
    let differences = setting_differences(study, &facts);
    let unasked = differences.iter().filter(|one| one.origin != SettingOrigin::Study);
    // Versions have names of their own for some, so that a value alone tells nothing.
    let (telling, others): (Vec<_>, Vec<_>) = unasked.partition(|one| {
        let values: BTreeSet<&String> = one.values.values().collect();
        telling.contains(one.name.as_str()) && values.len() > 1
    });
    if !telling.is_empty() {
        let values = |values: &BTreeMap<String, String>| {
            let of = |(target, value): (&String, &String)| {
                let value = if value.is_empty() { "none" } else { value };
                format!("{target} {}", text::excerpt(value, LONGEST_VALUE))
            };
            values.iter().map(of).collect::<Vec<_>>().join(", ")
        };
        let named: Vec<String> =
            telling.iter().map(|one| format!("{} ({})", one.name, values(&one.values))).collect();
        let more = match others.len() {
            0 => String::new(),
            1 => "; and in another setting".to_owned(),
            more => format!("; and in {more} others"),
        };
        found.warn(
            format!(
                "the targets differ in settings that the study does not name: {}{more}",
                named.join("; ")
            ),
            "set them alike, or say in `labels` that they are meant to differ",
        );
    } else if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(4).map(|one| one.name.as_str()).collect();
        let more = if others.len() > names.len() { ", …" } else { "" };
        found.note(
            format!(
                "the targets differ in {} that the study does not name: {}{more}",
                if others.len() == 1 {
                    "a setting".to_owned()
                } else {
                    format!("{} settings", others.len())
                },
                names.join(", ")
            ),
            "",
        );
    }
}
