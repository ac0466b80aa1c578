//! Cross-check tools of a study's tests.

use super::{CrossCheckTool, ServerKind, work};
use crate::Hosts;
use crate::cannot_check;
use model::{Failure, Place, Study, Target};
use std::collections::BTreeMap;

/// The tools for the tests of a study that ask for a cross-check, by the tests' names.
pub(super) fn tools<K: ServerKind>(
    study: &Study,
    target: &Target,
    hosts: &Hosts,
) -> Result<BTreeMap<String, K::Tool>, Failure> {
    let asking = study.tests.iter().filter(|test| test.cross_check);
    let tools = asking.map(|test| {
        if let (Place::Sandbox(_), Some(host)) = (&target.place, target.ssh_host()) {
            let what = format!("the test {} on a private server of {}", test.name, host.name);
            return Err(cannot_check("a tool of this machine", &what));
        }
        let work = work::<K>(&test.runnable_load()?.workload)?;
        Ok((test.name.clone(), K::Tool::for_test(&hosts.load, work, target, &test.name)?))
    });
    tools.collect()
}
