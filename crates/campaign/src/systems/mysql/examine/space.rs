//! Room for the data and for temporary files, where the server or its machine tells.

use super::Server;
use crate::systems::{DataPlan, Examination};
use host::size_in_words;
use model::{Failure, FailureKind, Needs};
use std::path::Path;

pub(super) fn check(
    server: &Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    examination: &mut Examination<'_>,
) {
    data(server, plan, examination);
    let largest = super::of_study(examination.study).map(|oltp| oltp.bytes_of_tables(1)).max();
    let needed = (largest.unwrap_or(0) as f64 * needs.temporary_tables) as u64;
    if needed > 0 {
        temporary(server, needed, plan, examination);
    }
}

/// Whether the tables have room where a server that runs already keeps its data; private ones are
/// looked at together, as they share a disk.
fn data(server: &Server<'_>, plan: &DataPlan, examination: &mut Examination<'_>) {
    let new = to_make(plan, examination);
    let Some(host) = server.setting.host.filter(|_| !server.setting.is_private) else { return };
    let directory = server.text("datadir");
    let Some(space) = host.space(Some(Path::new(directory))).filter(|space| space.free < new)
    else {
        return;
    };
    examination.found.error(Failure::new(
        FailureKind::DiskFull,
        format!(
            "{directory} has {} free, and the tables to be made need about {}",
            size_in_words(space.free),
            size_in_words(new)
        ),
        "make room there, or lower `tables` or `table_size`",
    ));
}

/// Bytes of the tables that will be made, about.
fn to_make(plan: &DataPlan, examination: &Examination<'_>) -> u64 {
    let tables = plan.to_make().try_into().unwrap_or(u32::MAX);
    super::of_study(examination.study).next().map_or(0, |oltp| oltp.bytes_of_tables(tables))
}

/// What a statement may need that sorts a table. That it runs out of space is a result, so that it
/// does not keep a study from running.
fn temporary(server: &Server<'_>, needed: u64, plan: &DataPlan, examination: &mut Examination<'_>) {
    for name in ["max_tmp_session_space_usage", "max_tmp_total_space_usage"] {
        if let Some(limit) = server.number(name).filter(|&limit| limit > 0 && limit < needed) {
            examination.found.warn(
                format!(
                    "statements may take {} of temporary space ({name}), and sorting the largest \
                     table takes up to {}",
                    size_in_words(limit),
                    size_in_words(needed)
                ),
                format!(
                    "SET GLOBAL {name} = {needed}, or expect trials that fail for lack of space"
                ),
            );
        }
    }
    let Some(host) = server.setting.host else { return };
    let data = host.space(Some(Path::new(server.text("datadir")))).map(|space| space.device);
    let new = to_make(plan, examination);
    // Several directories are taken in turn.
    for directory in server.text("tmpdir").split(':').filter(|name| !name.is_empty()) {
        let Some(space) = host.space(Some(Path::new(directory))) else { continue };
        let (beside, free) = match data == Some(space.device) {
            true => (" beside the data", space.free.saturating_sub(new)),
            false => ("", space.free),
        };
        if free < needed {
            examination.found.warn(
                format!(
                    "{directory} (tmpdir) has {} free{beside}, and sorting the largest table takes up \
                     to {}",
                    size_in_words(free),
                    size_in_words(needed)
                ),
                "set tmpdir to a directory with more room, or expect trials that fail for lack of \
                 space",
            );
        }
    }
}
