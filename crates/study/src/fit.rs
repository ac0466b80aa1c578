//! Workloads and the servers that they are to run on.

use crate::problem::{Place, Problems};
use crate::wire::TestTable;
use model::{System, Target, Test, Workload};
use toml::Spanned;

/// Notes a test whose workload the server of a target cannot run; every test runs on every target.
pub(crate) fn check(
    test: &Test,
    table: &TestTable,
    targets: &[(Target, Place)],
    problems: &mut Problems,
) {
    let misfit = targets.iter().find(|(target, _)| !test.workload.suits(target.system));
    let Some((target, place)) = misfit else { return };
    let server = match target.system {
        System::MariaDb => "MariaDB or MySQL",
        System::Redis => "Redis",
        System::Unknown => "a server that is not known",
    };
    problems
        .add(
            table.workload.as_ref().map_or(0..0, Spanned::span),
            format!(
                "{} cannot run on the target `{}`, which is {server}",
                test.workload.name(),
                target.name
            ),
        )
        .other(place.clone(), "the target")
        .help(match test.workload {
            Workload::KeyValue(_) => {
                "key_value runs on targets of the kind redis, valkey or keydb; put the others into \
                 a study of their own"
            }
            Workload::Oltp(_) | Workload::Imported(_) => {
                "Redis runs the workload key_value; put targets of other kinds into a study of \
                 their own"
            }
        });
}
