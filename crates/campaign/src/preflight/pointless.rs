//! Whether a study compares a server with itself.

use super::{Diagnostics, Examined};
use model::{Place, SandboxSpec, ServerFacts, Software, Study, Target};

/// Private servers that are alike in all that a study may let them differ in: whatever a comparison of
/// them finds is noise. The control of a noise floor is such a server on purpose, and is not looked at.
pub(super) fn check(study: &Study, targets: &[Examined], found: &mut Diagnostics) {
    let seen = |target: &Target| targets.iter().find(|one| one.target.name == target.name);
    let all: Vec<(&Target, Option<&ServerFacts>)> = study
        .targets
        .iter()
        .map(|target| (target, seen(target).and_then(|examined| examined.facts.as_ref())))
        .collect();
    let groups = alike(&all);
    for group in &groups {
        let whole = match group.len() == study.targets.len() {
            true => ", and nothing else is measured",
            false => "",
        };
        let noise = match study.aa_control {
            Some(_) => "; the control of noise_floor is there already",
            None => "; to see how much is noise set noise_floor = true in [study]",
        };
        found.warn(
            format!(
                "nothing differs between {}: they are the same server with the same settings, and the \
                 study compares it with itself{whole}",
                group.join(", ")
            ),
            format!(
                "give one of them another version (`base` or `container`) or other settings{noise}"
            ),
        );
    }
}

/// The names of targets that are alike, where there are several.
fn alike<'a>(all: &[(&'a Target, Option<&ServerFacts>)]) -> Vec<Vec<&'a str>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, (target, facts)) in all.iter().enumerate() {
        let same = |group: &&mut Vec<usize>| {
            let (first, of_first) = all[group[0]];
            are_alike((first, of_first), (*target, *facts))
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    let several = groups.into_iter().filter(|group| group.len() > 1);
    several
        .map(|group| group.into_iter().map(|place| all[place].0.name.as_str()).collect())
        .collect()
}

fn are_alike(
    (one, facts): (&Target, Option<&ServerFacts>),
    (other, of_other): (&Target, Option<&ServerFacts>),
) -> bool {
    let (Place::Sandbox(spec), Place::Sandbox(of_spec)) = (&one.place, &other.place) else {
        return false;
    };
    let program = |facts: Option<&ServerFacts>| {
        let facts = facts?;
        Some((facts.version.clone(), facts.program.clone()?))
    };
    // Two ways to name a program may lead to the same one.
    let same_program = match (program(facts), program(of_other)) {
        (Some(one), Some(other)) => one == other,
        _ => (&spec.software, &spec.program) == (&of_spec.software, &of_spec.program),
    };
    let same_variables = facts.zip(of_other).is_none_or(|(one, other)| {
        one.variables.iter().all(|(name, value)| {
            let is_own = one.incidental.contains(name) || other.incidental.contains(name);
            is_own || other.variables.get(name) == Some(value)
        })
    });
    let plain = |spec: &SandboxSpec| SandboxSpec {
        software: Software::default(),
        program: None,
        trusted: false,
        ..spec.clone()
    };
    let around = |target: &Target| (target.system, target.load_hosts.clone(), target.path.clone());
    same_program && same_variables && plain(spec) == plain(of_spec) && around(one) == around(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::System;
    use std::collections::BTreeMap;

    fn target(name: &str, spec: SandboxSpec) -> Target {
        Target {
            name: name.to_owned(),
            system: System::Mysql,
            place: Place::Sandbox(spec),
            price: None,
            labels: BTreeMap::new(),
            path: None,
            load_hosts: None,
        }
    }

    fn facts(program: &str, pool: &str) -> ServerFacts {
        let variables = [("innodb_buffer_pool_size", pool), ("port", program)];
        ServerFacts {
            version: "10.11".to_owned(),
            program: Some(program.to_owned()),
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            incidental: ["port".to_owned()].into(),
            ..ServerFacts::default()
        }
    }

    #[test]
    fn servers_in_which_nothing_differs_are_found_however_they_are_named() {
        let software = Software::Base("/usr".into());
        let base = SandboxSpec { software, ..SandboxSpec::default() };
        let (old, new) = (target("old", SandboxSpec::default()), target("new", base.clone()));
        let (same, other) = (facts("/usr/sbin/mariadbd", "1"), facts("/opt/sbin/mariadbd", "1"));
        let groups = |one, another| alike(&[(&old, one), (&new, another)]);
        assert_eq!(groups(Some(&same), Some(&same)), [["old", "new"]]);
        assert!(groups(Some(&same), Some(&other)).is_empty(), "another program");
        let larger = facts("/usr/sbin/mariadbd", "2");
        assert!(groups(Some(&same), Some(&larger)).is_empty(), "a setting of the environment");
        assert!(groups(None, None).is_empty(), "not known to be the same program");
        let twin = target("twin", SandboxSpec::default());
        assert_eq!(alike(&[(&old, None), (&new, None), (&twin, None)]), [["old", "twin"]]);
        let settings = [("sync_binlog".to_owned(), "1".to_owned())].into();
        let set = target("set", SandboxSpec { settings, ..SandboxSpec::default() });
        assert!(alike(&[(&old, Some(&same)), (&set, Some(&same))]).is_empty());
        let directory = Some("/mnt/fast".into());
        let disk = target("disk", SandboxSpec { directory, ..SandboxSpec::default() });
        assert!(alike(&[(&old, Some(&same)), (&disk, Some(&same))]).is_empty());
    }
}
