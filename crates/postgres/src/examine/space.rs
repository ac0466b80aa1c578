//! Room for the data and for the log, where the server's machine tells.

use super::Server;
use host::size_in_words;
use model::{Failure, FailureKind};
use sql::data::test_tables;
use std::path::Path;
use system::{DataPlan, Examination};

pub(super) fn check(server: &mut Server<'_>, plan: &DataPlan, examination: &mut Examination<'_>) {
    // Private ones are looked at together, as they share a disk.
    if server.setting.is_private {
        return;
    }
    let number = plan.to_make().try_into().unwrap_or(u32::MAX);
    let tables =
        test_tables(examination.study).next().map_or(0, |oltp| oltp.bytes_of_tables(number));
    // The server keeps about as much of the log, and more where somebody else needs it.
    let log = server
        .value("SELECT pg_size_bytes(current_setting('max_wal_size'))")
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(0);
    let directory = server.text("data_directory").to_owned();
    let Some(host) = server.setting.host.filter(|_| !directory.is_empty()) else { return };
    let Some(space) = host.space(Some(Path::new(&directory))) else { return };
    if space.free < tables {
        examination.found.error(Failure::new(
            FailureKind::DiskFull,
            format!(
                "{directory} has {} free, and the tables to be made need about {}",
                size_in_words(space.free),
                size_in_words(tables)
            ),
            "make room there, or lower `tables` or `table_size`",
        ));
    } else if space.free < tables.saturating_add(log) {
        examination.found.warn(
            format!(
                "{directory} has {} free; the tables need about {}, and the log may take {} beside them \
                 (max_wal_size): a server without room for its log stops",
                size_in_words(space.free),
                size_in_words(tables),
                size_in_words(log)
            ),
            "make room there, or lower max_wal_size",
        );
    }
}
