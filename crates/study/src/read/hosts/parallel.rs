//! Targets side by side: `parallel`.

use crate::keys::key::{Flag, Key};
use crate::problem::Problems;
use model::{Endpoint, Load, Place, RemoteHost, Target, Task, Test, Transport};

/// Validates `parallel`: whether targets share nothing that a study tells of, and what their tests do can
/// be done to several at once.
pub(crate) fn parallel(
    key: &Key<Flag<false>>,
    targets: &[Target],
    tests: &[Test],
    problems: &mut Problems,
) -> bool {
    let Some(at) = key.place().filter(|_| key.value()) else { return false };
    let mut refuse = |message: String, help: &str| {
        problems.add(at.clone(), message).help(help);
    };
    if targets.len() < 2 {
        refuse(
            "`parallel` needs two targets: one has nobody to run beside".to_owned(),
            "remove it, or add a target",
        );
    }
    for target in targets {
        let is_elsewhere = match &target.place {
            Place::Server(_) => true,
            Place::Storage(place) => !place.hosts.is_empty(),
            Place::Sandbox(_) => target.ssh_host().is_some(),
            Place::Imported => false,
        };
        if !is_elsewhere {
            refuse(
                format!(
                    "`parallel`: the target `{}` is on the machine that weighin runs on, where all would share processors and disks",
                    target.name
                ),
                "give it the url of a server on a machine of its own, or volumes their `host`, or remove `parallel`",
            );
        }
    }
    for test in tests {
        if !matches!(test.task, Task::Load(_) | Task::Search(_)) {
            refuse(
                format!(
                    "`parallel`: the test `{}` is no load, and the machine that weighin runs on would do it to all targets at once",
                    test.name
                ),
                "put it into a study of its own, or remove `parallel`",
            );
        }
    }
    for test in tests {
        if test.load().is_some_and(|load| load.steady_within.is_some()) {
            refuse(
                format!(
                    "`parallel`: the test `{}` settles before it is measured, and those that are steady would wait for the others",
                    test.name
                ),
                "give `warmup` a time and remove `steady_within`, or remove `parallel`",
            );
        }
    }
    for (place, one) in targets.iter().enumerate() {
        for other in targets.iter().skip(place + 1) {
            if let Some((shared, help)) = shared(one, other, tests) {
                refuse(
                    format!(
                        "`parallel`: the targets `{}` and `{}` share {shared}",
                        one.name, other.name
                    ),
                    help,
                );
            }
        }
    }
    true
}

/// What two targets share, as far as a study tells, and what to do.
fn shared(one: &Target, other: &Target, tests: &[Test]) -> Option<(String, &'static str)> {
    let addresses = |target: &Target| -> Vec<String> {
        let Place::Server(spec) = &target.place else { return Vec::new() };
        let all = std::iter::once(&spec.address).chain(&spec.replicas);
        let hosts = all.filter_map(|address| match &address.endpoint {
            Endpoint::Tcp { host, .. } => Some(host.clone()),
            Endpoint::Socket(_) | Endpoint::NotUp => None,
        });
        hosts.collect()
    };
    let own = addresses(other);
    if let Some(address) = addresses(one).into_iter().find(|address| own.contains(address)) {
        let help = "targets run side by side on machines of their own; remove `parallel`";
        return Some((format!("the machine {address}"), help));
    }
    if let Some((a, b)) = one.ssh_host().zip(other.ssh_host())
        && a.destination == b.destination
    {
        let help = "targets run side by side on machines of their own; remove `parallel`";
        return Some((format!("the machine {}", a.name), help));
    }
    let help = "give each target load_hosts = [\"NAME\"] of its own; the machine that weighin runs on can make the loads of one target: load_hosts = []";
    for load in tests.iter().filter_map(Test::load) {
        let (mine, theirs) = (load.load_hosts(one), load.load_hosts(other));
        if mine.is_empty() && theirs.is_empty() {
            return Some((
                "the machine that weighin runs on, which makes their loads".to_owned(),
                help,
            ));
        }
    }
    let load_hosts = |target| -> Vec<&RemoteHost> {
        tests
            .iter()
            .filter_map(Test::load)
            .flat_map(|load: &Load| load.load_hosts(target))
            .collect()
    };
    let theirs = load_hosts(other);
    let is_theirs = |host: &&RemoteHost| {
        theirs.iter().any(|one| {
            one.name == host.name
                || matches!(&one.transport, Transport::Ssh(_)) && one.transport == host.transport
        })
    };
    let host = load_hosts(one).into_iter().find(is_theirs)?;
    Some((format!("the load host `{}`", host.name), help))
}
