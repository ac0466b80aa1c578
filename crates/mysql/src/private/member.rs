//! What makes a server a member of a group.

use super::programs::Programs;
use super::version::Version;
use host::recipe::GroupMember;
use model::{Failure, FailureKind};
use std::path::Path;

/// Semi-synchronous replication, where it is a plugin: as primary and as replica.
struct SemiSyncPlugins {
    files: [&'static str; 2],
    load: &'static str,
}

/// Up to MySQL 8.0.25, and MariaDB before 10.3.3.
const OLD: SemiSyncPlugins = SemiSyncPlugins {
    files: ["semisync_master.so", "semisync_slave.so"],
    load: "--plugin-load-add=rpl_semi_sync_master=semisync_master.so;\
           rpl_semi_sync_slave=semisync_slave.so",
};
const NEW: SemiSyncPlugins = SemiSyncPlugins {
    files: ["semisync_source.so", "semisync_replica.so"],
    load: "--plugin-load-add=rpl_semi_sync_source=semisync_source.so;\
           rpl_semi_sync_replica=semisync_replica.so",
};

/// Whether a server has the newer words.
fn is_new(version: &Version) -> bool {
    version.is_mysql_from([8, 0, 26])
}

/// What the member of a group takes from plugins; `None` where that is built in.
fn plugins(member: &GroupMember, version: &Version) -> Option<SemiSyncPlugins> {
    match version {
        _ if !member.semi_sync || version.is_mariadb_from([10, 3, 3]) => None,
        new if is_new(new) => Some(NEW),
        _ => Some(OLD),
    }
}

/// Loads what the member needs besides the server: without it the server knows no settings of it.
pub(super) fn plugin_options(member: &GroupMember, version: &Version) -> Option<&'static str> {
    plugins(member, version).map(|plugins| plugins.load)
}

/// Whether an unpacked distribution has what the member needs. Where an installed server has its
/// plugins, it knows itself.
///
/// # Errors
/// `MissingProgram` that names what is missing.
pub(super) fn check_plugins(
    member: &GroupMember,
    programs: &Programs,
    base: &Path,
) -> Result<(), Failure> {
    let Some(wanted) = plugins(member, &programs.version) else { return Ok(()) };
    let is_there =
        |file: &str| programs.plugins.as_ref().is_some_and(|place| place.join(file).is_file());
    let Some(file) = wanted.files.into_iter().find(|file| !is_there(file)) else { return Ok(()) };
    Err(Failure::new(
        FailureKind::MissingProgram,
        format!(
            "{} in {} comes without the plugin {file}, which semi-synchronous replication takes",
            programs.version,
            base.display()
        ),
        "name a distribution that has its plugins (lib/plugin), or leave out semi_sync",
    ))
}

/// What makes a server one that others can replicate from, and that can replicate from others, by
/// global transaction ids. They begin to replicate only when they are told to, since the primary may
/// listen elsewhere than before.
pub(super) fn options(member: &GroupMember, version: &Version) -> Vec<&'static str> {
    let mut options = vec!["--log-bin=binlog", "--relay-log=relay"];
    options.extend(match is_new(version) {
        true => ["--log-replica-updates", "--skip-replica-start"],
        false => ["--log-slave-updates", "--skip-slave-start"],
    });
    if !version.is_mariadb_from([0, 0, 0]) {
        options.extend(["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]);
    }
    if !member.semi_sync {
        return options;
    }
    options.extend(plugin_options(member, version));
    let (primary, replica) = match is_new(version) {
        true => ("--rpl-semi-sync-source-enabled=ON", "--rpl-semi-sync-replica-enabled=ON"),
        false => ("--rpl-semi-sync-master-enabled=ON", "--rpl-semi-sync-slave-enabled=ON"),
    };
    options.push(replica);
    // A replica that waited for replicas of its own would hold up the first commit that it applies,
    // until it gives up waiting.
    if member.number == 1 {
        options.push(primary);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semi_synchronous_replication_is_in_the_words_of_the_version() {
        let of = |line: &str, number, semi_sync| {
            let version = Version::parse(line).unwrap();
            options(&GroupMember { number, semi_sync }, &version).join(" ")
        };
        let mariadb = of("mariadbd  Ver 10.11.6-MariaDB", 1, true);
        assert!(mariadb.contains("--rpl-semi-sync-master-enabled=ON"), "{mariadb}");
        assert!(!mariadb.contains("plugin") && !mariadb.contains("gtid-mode"), "{mariadb}");
        let old = of("mysqld  Ver 8.0.15 for Linux", 1, true);
        for part in ["=semisync_slave.so", "--rpl-semi-sync-master-enabled=ON", "--gtid-mode=ON"] {
            assert!(old.contains(part), "{old}");
        }
        let new = of("mysqld  Ver 8.4.3 for Linux", 1, true);
        for part in ["=semisync_replica.so", "--rpl-semi-sync-source-enabled=ON"] {
            assert!(new.contains(part), "{new}");
        }
        assert!(!new.contains("slave") && !new.contains("master"), "{new}");
        let replica = of("mysqld  Ver 8.4.3 for Linux", 2, true);
        assert!(!replica.contains("source-enabled"), "{replica}");
        assert!(!of("mysqld  Ver 8.4.3 for Linux", 1, false).contains("semi"));
    }
}
