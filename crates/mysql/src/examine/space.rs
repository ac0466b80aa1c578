//! Room for the data and for temporary files, where the server or its machine tells.

use super::Server;
use host::size_in_words;
use model::{Failure, FailureKind, Needs};
use std::path::Path;
use system::Diagnostics;
use system::{DataPlan, Examination};

/// From so many bytes on it is worth a word that nobody knows whether there is room for them.
const WORTH_A_WORD: u64 = 1 << 30;

/// Room in a directory of the server.
pub(super) struct Room {
    /// Which file system.
    device: String,
    pub(super) free: u64,
}

pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    examination: &mut Examination<'_>,
) {
    let new = to_make(plan, examination);
    let largest =
        sql::data::test_tables(examination.study).map(|oltp| oltp.bytes_of_tables(1)).max();
    let of_largest = |share: f64| (largest.unwrap_or(0) as f64 * share) as u64;
    let (sorted, changed) = (of_largest(needs.sorted_tables), of_largest(needs.changed_tables));
    let found = &mut *examination.found;
    if room(server, server.text("datadir").to_owned().as_str()).is_none() {
        not_known(server, new.saturating_add(sorted.max(changed)), found);
    }
    data(server, new, found);
    if changed > 0 {
        copy(server, changed, new, found);
        let directories = match server.text("innodb_tmpdir") {
            "" => ("tmpdir", server.text("tmpdir").to_owned()),
            own => ("innodb_tmpdir", own.to_owned()),
        };
        temporary(server, directories, ("changing", changed), new, found);
    }
    if sorted > 0 {
        limits(server, sorted, found);
        let directories = ("tmpdir", server.text("tmpdir").to_owned());
        temporary(server, directories, ("sorting", sorted), new, found);
    }
    if needs.own_queries {
        temporary_tables(server, found);
    }
}

/// Room where a directory is, as the server's machine tells, or else the server itself: MariaDB with
/// the plugin `disks`, to accounts with FILE.
pub(super) fn room(server: &mut Server<'_>, directory: &str) -> Option<Room> {
    if let Some(host) = server.setting.host {
        let space = host.space(Some(Path::new(directory)))?;
        return Some(Room { device: space.device.to_string(), free: space.free });
    }
    let disks = server.rows("SELECT Disk, Path, Available FROM information_schema.disks")?;
    let of = |disk: &std::collections::BTreeMap<String, String>| {
        let path = disk.get("Path").filter(|path| Path::new(directory).starts_with(path))?;
        let kibibytes: u64 = disk.get("Available")?.parse().ok()?;
        let free = kibibytes.saturating_mul(1024);
        Some((path.len(), Room { device: path.clone(), free }))
    };
    let under = disks.iter().filter_map(of).max_by_key(|(length, _)| *length);
    under.map(|(_, room)| room)
}

/// That nobody says how much room there is.
fn not_known(server: &Server<'_>, needed: u64, found: &mut Diagnostics) {
    if needed < WORTH_A_WORD {
        return;
    }
    let ask = match server.is_mariadb() {
        true => {
            ", or let the server tell: INSTALL SONAME 'disks', and GRANT FILE ON *.* to the account"
        }
        false => "",
    };
    found.note(
        format!(
            "the server does not say how much room its disks have: the study takes about {} of it for \
             tables and temporary files",
            size_in_words(needed)
        ),
        format!("look at df on its machine, or at what the service's console says{ask}"),
    );
}

/// Whether the tables have room where a server that runs already keeps its data; private ones are
/// looked at together, as they share a disk.
fn data(server: &mut Server<'_>, new: u64, found: &mut Diagnostics) {
    if server.setting.is_private {
        return;
    }
    let directory = server.text("datadir").to_owned();
    let Some(room) = room(server, &directory).filter(|room| room.free < new) else { return };
    found.error(Failure::new(
        FailureKind::DiskFull,
        format!(
            "{directory} has {} free, and the tables to be made need about {}",
            size_in_words(room.free),
            size_in_words(new)
        ),
        "make room there, or lower `tables` or `table_size`",
    ));
}

/// Bytes of the tables that will be made, about.
pub(super) fn to_make(plan: &DataPlan, examination: &Examination<'_>) -> u64 {
    let tables = plan.to_make().try_into().unwrap_or(u32::MAX);
    sql::data::test_tables(examination.study).next().map_or(0, |oltp| oltp.bytes_of_tables(tables))
}

/// Whether a change of the schema that makes the largest table anew has room for it. That it runs out
/// of space is a result, so that it does not keep a study from running.
fn copy(server: &mut Server<'_>, changed: u64, new: u64, found: &mut Diagnostics) {
    let directory = server.text("datadir").to_owned();
    let Some(room) = room(server, &directory) else { return };
    let free = room.free.saturating_sub(new);
    if free < changed {
        found.warn(
            format!(
                "{directory} has {} free beside the data, and a change of the schema that makes the \
                 largest table anew takes about {} there",
                size_in_words(free),
                size_in_words(changed)
            ),
            "make room there, lower `table_size`, or expect trials that fail for lack of space",
        );
    }
}

/// What the server itself allows statements that sort.
fn limits(server: &Server<'_>, needed: u64, found: &mut Diagnostics) {
    for name in ["max_tmp_session_space_usage", "max_tmp_total_space_usage"] {
        if let Some(limit) = server.number(name).filter(|&limit| limit > 0 && limit < needed) {
            found.warn(
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
}

/// Whether directories for temporary files, which are taken in turn, have room for something done
/// with the largest table.
fn temporary(
    server: &mut Server<'_>,
    (variable, directories): (&str, String),
    (doing, needed): (&str, u64),
    new: u64,
    found: &mut Diagnostics,
) {
    let data = server.text("datadir").to_owned();
    let data = room(server, &data).map(|room| room.device);
    for directory in directories.split(':').filter(|name| !name.is_empty()) {
        let Some(room) = room(server, directory) else { continue };
        let (beside, free) = match data.as_ref() == Some(&room.device) {
            true => (" beside the data", room.free.saturating_sub(new)),
            false => ("", room.free),
        };
        if free < needed {
            found.warn(
                format!(
                    "{directory} ({variable}) has {} free{beside}, and {doing} the largest table takes \
                     up to {}",
                    size_in_words(free),
                    size_in_words(needed)
                ),
                format!(
                    "set {variable} to a directory with more room, or expect trials that fail for \
                     lack of space"
                ),
            );
        }
    }
}

/// What becomes of temporary tables that queries of the user's build, whose size nobody knows.
fn temporary_tables(server: &Server<'_>, found: &mut Diagnostics) {
    // MySQL from 8.0.23 on maps files once memory is used up, and then takes tables of InnoDB; before,
    // and in MariaDB, tables on disk follow at once.
    let memory = match server.number("temptable_max_ram") {
        Some(all) => {
            let mapped = server.number("temptable_max_mmap").unwrap_or(0);
            Some((all.saturating_add(mapped), "temptable_max_ram, temptable_max_mmap"))
        }
        None => server
            .number("tmp_table_size")
            .into_iter()
            .chain(server.number("max_heap_table_size"))
            .min()
            .map(|size| (size, "tmp_table_size, max_heap_table_size")),
    };
    let Some((memory, names)) = memory else { return };
    found.note(
        format!(
            "temporary tables of the study's own queries go to disk beyond {} ({names})",
            size_in_words(memory)
        ),
        "raise these if your queries build larger ones: the report says how many went to disk",
    );
    let on_disk = server.number("tmp_disk_table_size").filter(|&limit| limit < u64::MAX);
    if let Some(limit) = on_disk {
        found.warn(
            format!(
                "queries fail that build a temporary table of more than {} on disk \
                 (tmp_disk_table_size)",
                size_in_words(limit)
            ),
            "SET GLOBAL tmp_disk_table_size = 18446744073709551615, or expect trials that fail for \
             lack of space",
        );
    }
    let file = server.text("innodb_temp_data_file_path");
    if let (false, Some((_, limit))) = (server.is_mariadb(), file.split_once(":max:")) {
        found.warn(
            format!(
                "temporary tables of InnoDB may take {limit} together (innodb_temp_data_file_path)"
            ),
            "start the server without :max:, or expect trials that fail for lack of space",
        );
    }
}
