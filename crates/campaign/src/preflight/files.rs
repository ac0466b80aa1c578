//! Sockets and files that the load takes of the machine that makes it.

use super::Diagnostics;
use host::Host;
use model::{Failure, FailureKind, RemoteHost, Study, Test};

/// Files of a load generator besides one for each client: standard ones, rings, the store, what is
/// sampled.
const OTHER_FILES: u64 = 40;

/// On the machine that weighin runs on, of the loads that it makes.
pub(super) fn check(study: &Study, load_host: &dyn Host, found: &mut Diagnostics) {
    check_host(study, load_host, found, |load_hosts| load_hosts.is_empty());
}

/// On another machine, of the loads that it makes a part of.
pub(super) fn check_maker(study: &Study, host: &dyn Host, found: &mut Diagnostics) {
    check_host(study, host, found, |load_hosts| {
        load_hosts.iter().any(|one| one.name == host.name())
    });
}

fn check_host(
    study: &Study,
    host: &dyn Host,
    found: &mut Diagnostics,
    is_load_host: impl Fn(&[RemoteHost]) -> bool,
) {
    let Some(limit) = host.open_files() else { return };
    for test in &study.tests {
        // The files of a load on storage do not grow with its level.
        let load = test.load().filter(|_| test.storage().is_none());
        let Some(load) = load else { continue };
        let targets = study.measured().filter(|target| is_load_host(load.load_hosts(target)));
        let Some(fewest) = targets.map(|target| load.generators(target)).min() else { continue };
        let clients = load.levels.iter().map(|level| level.clients).max().unwrap_or(0);
        let needed = u64::from(clients.div_ceil(fewest.max(1))) + OTHER_FILES;
        if limit < needed {
            found.error(too_few(test, clients, (limit, needed), host.name()));
        }
    }
}

fn too_few(test: &Test, clients: u32, (limit, needed): (u64, u64), host: &str) -> Failure {
    let name = &test.name;
    Failure::new(
        FailureKind::NotPermitted,
        format!(
            "a process of this user may open {limit} files and sockets on {host}, and the test {name} \
             with {clients} clients needs {needed}"
        ),
        format!(
            "raise the limit (ulimit -n {needed}), run fewer clients, or set load_generators: each \
             has a limit of its own"
        ),
    )
}
