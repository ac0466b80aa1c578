//! What a test with cold caches takes of a target's machine.

use crate::Hosts;
use host::Host;
use model::{Failure, FailureKind, Target, Test};

/// Whether the caches of a target's machine may be emptied, as a cold test asks.
pub fn check_root(cold: &Test, target: &Target, hosts: &Hosts) -> Result<(), Failure> {
    let Some(host) = hosts.for_target(target) else { return Err(target.out_of_reach()) };
    check_caches(cold, host.as_ref())
}

/// The same of a machine that is known.
pub fn check_caches(cold: &Test, host: &dyn Host) -> Result<(), Failure> {
    host.reach()?;
    if host.is_root() {
        return host.check_caches();
    }
    let (name, machine) = (&cold.name, host.name());
    Err(Failure::new(
        FailureKind::NotPermitted,
        format!("the test {name} is cold, and only root may empty the caches of {machine}"),
        "be root there, as which weighin runs or ssh logs in; or set cache = \"warm\", and no trial \
         says what the first reads from disk cost",
    ))
}
