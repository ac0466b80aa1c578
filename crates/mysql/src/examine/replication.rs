//! Servers that replicate from others, and such that others replicate from.

use super::Server;
use super::privileges::sees_others;
use crate::connect;
use model::{Endpoint, Failure, FailureKind, Needs};
use std::collections::{BTreeMap, BTreeSet};
use system::DataPlan;
use system::Diagnostics;
use system::Login;

/// Longest name of a host that a replica can be told to replicate from, in characters: of MariaDB
/// before 10.6 and MySQL before 8.0.17, and of later ones (MDEV-24312, WL#12571).
const HOST_NAME_BEFORE: usize = 60;
const HOST_NAME: usize = 255;
/// How many hosts of replicas are named.
const NAMED_HOSTS: usize = 4;
/// The account lacks a right on the server as a whole.
const NOT_PERMITTED: u16 = 1227;

pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    found: &mut Diagnostics,
) {
    let writes = needs.writes() || plan.to_make() > 0;
    match sources(server) {
        Some(sources) => {
            for source in &sources {
                replicates(server, source, writes, found);
            }
        }
        None if server.setting.is_private => {}
        None => {
            let right = match server.is_mariadb() {
                true => "SLAVE MONITOR",
                false => "REPLICATION CLIENT",
            };
            found.note(
                "the account may not see whether the server is a replica and whether its \
                 replication is broken",
                format!("GRANT {right} ON *.* to it, or look at SHOW REPLICA STATUS yourself"),
            );
        }
    }
    let connected = Connected::read_from(server);
    if connected.is_none() && writes && !server.setting.is_private {
        found.note(
            "the account may not see whether replicas are connected, which get everything that the \
             study writes",
            "GRANT PROCESS ON *.* to it, or look at SHOW REPLICAS yourself",
        );
    }
    let connected = connected.unwrap_or_default();
    if let (Some(message), true) = (connected.beyond(server.setting.replicas.len()), writes) {
        found.warn(message, "name a server without replicas, unless the study is about them");
    }
    host_name(server, connected.count > 0, found);
    if server.setting.controls_appliers && !server.setting.is_private {
        for login in server.setting.replicas {
            let (is_mariadb, needed) = (server.is_mariadb(), server.setting.needs_appliers);
            appliers(login, is_mariadb, needed, found);
        }
    }
}

/// Whether the account may stop and start a replica's applier, which is an error where it may not and
/// a test needs it. What takes the same right is tried in
/// a way that the server refuses once it has looked at rights: a setting of a wrong type, and a
/// replication by a name that none has.
fn appliers(login: &Login, is_mariadb: bool, needed: bool, found: &mut Diagnostics) {
    // What cannot be reached was said when the group was brought up.
    let Ok(mut control) = connect(login) else { return };
    let (sql, right) = match is_mariadb {
        true => ("SET GLOBAL slave_net_timeout = 'none'", "REPLICATION SLAVE ADMIN"),
        false => ("STOP SLAVE SQL_THREAD FOR CHANNEL 'weighin_none'", "REPLICATION_SLAVE_ADMIN"),
    };
    let tried = control.execute(sql);
    let Err(error) = tried else { return };
    if error.code() == Some(NOT_PERMITTED) {
        let message = format!(
            "the account may not stop the applier of the replica at {}, which tests of replication \
             do: {error}",
            control.endpoint()
        );
        let remedy = format!(
            "GRANT {right} ON *.* to it, or say in [target.replication] what stops and starts it"
        );
        match needed {
            true => found.error(Failure::new(FailureKind::NotPermitted, message, remedy)),
            false => found.warn(message, remedy),
        }
    }
}

/// What the server says of each replication that it has been told to do, in the words of before
/// MySQL 8.0.22; `None` where the account may not see that.
fn sources(server: &mut Server<'_>) -> Option<Vec<BTreeMap<String, String>>> {
    let ways: &[&str] = match server.is_mariadb() {
        true => &["SHOW ALL SLAVES STATUS", "SHOW SLAVE STATUS"],
        false => &["SHOW REPLICA STATUS", "SHOW SLAVE STATUS"],
    };
    let rows = ways.iter().find_map(|sql| server.rows(sql))?;
    let older = |name: String| name.replace("Replica_", "Slave_").replace("Source_", "Master_");
    let renamed = |row: BTreeMap<String, String>| {
        row.into_iter().map(|(name, value)| (older(name), value)).collect()
    };
    Some(rows.into_iter().map(renamed).collect())
}

/// One replication of the server from another.
fn replicates(
    server: &Server<'_>,
    status: &BTreeMap<String, String>,
    writes: bool,
    found: &mut Diagnostics,
) {
    let value = |name: &str| status.get(name).map(String::as_str).unwrap_or_default();
    let from = format!("{}:{}", value("Master_Host"), value("Master_Port"));
    let endpoint = server.control.endpoint();
    for (part, errno, error, running) in [
        ("applier", "Last_SQL_Errno", "Last_SQL_Error", "Slave_SQL_Running"),
        ("receiver", "Last_IO_Errno", "Last_IO_Error", "Slave_IO_Running"),
    ] {
        let has_failed = !matches!(value(errno), "" | "0");
        if has_failed && value(running) != "Yes" {
            let (number, message) = (value(errno), value(error));
            found.error(Failure::new(
                FailureKind::NotPermitted,
                format!(
                    "the server at {endpoint} is a replica of {from}, and its {part} is broken: \
                     error {number}: {message}"
                ),
                "repair it and START REPLICA; to measure it as a server of its own STOP REPLICA and \
                 RESET REPLICA ALL",
            ));
            return;
        }
        if value(running) == "No" {
            found.warn(
                format!(
                    "the server is a replica of {from}, and its {part} is stopped: its data is not \
                     that of its primary"
                ),
                "START REPLICA, or RESET REPLICA ALL to measure it as a server of its own",
            );
            return;
        }
    }
    let message = match writes {
        true => "what the study writes makes it differ from its primary, which may break it",
        false => "what it applies meanwhile takes part in what is measured",
    };
    found.warn(
        format!("the server is a replica of {from}: {message}"),
        "name the primary, or STOP REPLICA for the time of the study",
    );
}

/// Replicas that are connected, and other programs that read the binary log as one does.
#[derive(Debug, Default, PartialEq, Eq)]
struct Connected {
    count: usize,
    /// From where, each once, as far as the account may see that.
    hosts: BTreeSet<String>,
}

impl Connected {
    /// `None` where the account may not see any.
    fn read_from(server: &mut Server<'_>) -> Option<Self> {
        let status = server.rows("SHOW GLOBAL STATUS LIKE 'Slaves_connected'").unwrap_or_default();
        let counted: Option<usize> = status.first().and_then(|row| row.get("Value")?.parse().ok());
        let threads = server.rows(
            "SELECT host AS Place FROM information_schema.processlist \
             WHERE command LIKE 'Binlog Dump%'",
        );
        let threads = threads.unwrap_or_default();
        // Of the connections of others an account sees none without a right to.
        let seen = (!threads.is_empty() || sees_others(server)).then_some(threads.len());
        let host = |row: &BTreeMap<String, String>| {
            let place = row.get("Place")?;
            Some(place.rsplit_once(':').map_or(place.as_str(), |(host, _port)| host).to_owned())
        };
        let hosts = threads.iter().filter_map(host).filter(|host| !host.is_empty()).collect();
        Some(Self { count: counted.max(seen)?, hosts })
    }

    /// What is said where there are more than the study names.
    fn beyond(&self, named: usize) -> Option<String> {
        if self.count <= named {
            return None;
        }
        let hosts: Vec<&str> = self.hosts.iter().take(NAMED_HOSTS).map(String::as_str).collect();
        let hosts = match (hosts.is_empty(), self.hosts.len() > NAMED_HOSTS) {
            (true, _) => String::new(),
            (false, false) => format!(" from {}", hosts.join(", ")),
            (false, true) => format!(" from {} and others", hosts.join(", ")),
        };
        let (are, gets) = match (self.count, named) {
            (1, _) => ("a replica is".to_owned(), " and gets".to_owned()),
            (count, 0) => (format!("{count} replicas are"), " and get".to_owned()),
            (count, named) if count - named == 1 => (
                format!("{count} replicas are"),
                format!("; the study names {named}, and the other gets"),
            ),
            (count, named) => (
                format!("{count} replicas are"),
                format!("; the study names {named}, and the others get"),
            ),
        };
        Some(format!(
            "{are} connected{hosts}{gets} everything that the study writes, test tables included"
        ))
    }
}

/// Whether replicas can be told the name that the study has for the server.
fn host_name(server: &Server<'_>, has_replicas: bool, found: &mut Diagnostics) {
    let Endpoint::Tcp { host, .. } = server.control.endpoint() else { return };
    let length = host.chars().count();
    let version = server.control.server_version();
    let longest = longest_host_name(version, server.is_mariadb());
    if length <= HOST_NAME_BEFORE {
        return;
    }
    let message = match length > longest {
        true => format!(
            "the name of its host has {length} characters, and replicas of its version take {longest}"
        ),
        false => format!(
            "the name of its host has {length} characters: replicas of MariaDB before 10.6 and of \
             MySQL before 8.0.17 take {HOST_NAME_BEFORE}"
        ),
    };
    let remedy = "replicate from it by its address or a shorter alias (CNAME)";
    match length > longest && has_replicas {
        true => found.warn(message, remedy),
        false => found.note(message, remedy),
    }
}

/// How long a name of a host may be for replicas of a version.
fn longest_host_name(version: &str, is_mariadb: bool) -> usize {
    // MariaDB stood behind a prefix once, so that old replicas took it for MySQL 5.5.
    let version = version.strip_prefix("5.5.5-").unwrap_or(version);
    let numbers: Vec<u32> = version
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|number| number.parse().ok())
        .take(3)
        .collect();
    let from: &[u32] = if is_mariadb { &[10, 6] } else { &[8, 0, 17] };
    if numbers.as_slice() >= from { HOST_NAME } else { HOST_NAME_BEFORE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicas_that_the_study_does_not_name_are_told_with_where_they_are() {
        let connected = |count, hosts: &[&str]| Connected {
            count,
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        };
        let gets = "everything that the study writes, test tables included";
        let says = |connected: Connected, named| connected.beyond(named).unwrap();
        assert_eq!(connected(1, &["10.0.0.5"]).beyond(1), None);
        assert_eq!(says(connected(1, &[]), 0), format!("a replica is connected and gets {gets}"));
        assert_eq!(
            says(connected(2, &["10.0.0.5", "10.0.0.6"]), 0),
            format!("2 replicas are connected from 10.0.0.5, 10.0.0.6 and get {gets}")
        );
        assert_eq!(
            says(connected(2, &["10.0.0.5"]), 1),
            format!(
                "2 replicas are connected from 10.0.0.5; the study names 1, and the other gets {gets}"
            )
        );
        let many = says(connected(9, &["a", "b", "c", "d", "e"]), 2);
        assert!(many.contains("from a, b, c, d and others; the study names 2, and the others get"));
    }

    #[test]
    fn names_of_hosts_may_be_longer_in_later_versions() {
        for (version, is_mariadb, longest) in [
            ("10.11.19-MariaDB-0+deb12u1", true, 255),
            ("5.5.5-10.5.29-MariaDB", true, 60),
            ("10.6.0-MariaDB", true, 255),
            ("5.6.27-log", false, 60),
            ("8.0.16", false, 60),
            ("8.0.17", false, 255),
            ("8.4.0", false, 255),
        ] {
            assert_eq!(longest_host_name(version, is_mariadb), longest, "{version}");
        }
    }
}
