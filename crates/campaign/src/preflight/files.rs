//! Sockets and files that the load takes of the machine that makes it.

use super::Diagnostics;
use host::Host;
use model::{Failure, FailureKind, Study, Test};

/// Files of a load generator besides one for each client: standard ones, rings, the store, what is
/// sampled.
const OTHER_FILES: u64 = 40;

pub(super) fn check(study: &Study, load_host: &dyn Host, found: &mut Diagnostics) {
    let Some(limit) = load_host.open_files() else { return };
    for test in &study.tests {
        // The files of a load on storage do not grow with its level.
        let Some(load) = test.load().filter(|_| test.storage().is_none()) else { continue };
        let clients = load.levels.iter().map(|level| level.clients).max().unwrap_or(0);
        let each = u64::from(clients.div_ceil(load.load_generators.max(1)));
        let needed = each + OTHER_FILES;
        if limit < needed {
            found.error(too_few(test, clients, (limit, needed)));
        }
    }
}

fn too_few(test: &Test, clients: u32, (limit, needed): (u64, u64)) -> Failure {
    let name = &test.name;
    Failure::new(
        FailureKind::NotPermitted,
        format!(
            "a process of this user may open {limit} files and sockets, and the test {name} with \
             {clients} clients needs {needed}"
        ),
        format!(
            "raise the limit (ulimit -n {needed}), run fewer clients, or set load_generators: each \
             has a limit of its own"
        ),
    )
}
