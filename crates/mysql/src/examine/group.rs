//! Members of a group of MySQL's Group Replication.

use super::Server;
use crate::connect;
use host::size_in_words;
use model::{Failure, FailureKind, Needs};
use std::collections::BTreeMap;
use system::DataPlan;
use system::Diagnostics;
use system::Login;

/// Members as the server sees them; their roles are told from 8.0.2 on. Empty where it is in no group.
const MEMBERS: &str = "SELECT * FROM performance_schema.replication_group_members";
/// Tables of the database in which a group cannot tell rows apart: that have neither a primary key nor a
/// unique one of whole columns that are NOT NULL.
const WITHOUT_KEY: &str = "SELECT t.table_name AS Name FROM information_schema.tables t \
    WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' \
    AND NOT EXISTS (SELECT 1 FROM information_schema.statistics s \
    WHERE s.table_schema = t.table_schema AND s.table_name = t.table_name AND s.non_unique = 0 \
    GROUP BY s.index_name HAVING SUM(s.index_name <> 'PRIMARY' AND \
    (s.nullable = 'YES' OR s.column_name IS NULL OR s.sub_part IS NOT NULL)) = 0) \
    ORDER BY 1 LIMIT 4";
/// What a transaction that fills tables takes at the most, in bytes: with LOAD DATA, and with INSERT where
/// the server does not permit that.
const LARGEST_LOADED: u64 = 24 << 20;
const LARGEST_INSERTED: u64 = 1 << 20;

/// A row of what a query gives.
type Row = BTreeMap<String, String>;

/// A member, as another or it itself sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Member {
    place: String,
    state: String,
    /// Empty where the server does not tell it.
    role: String,
}

impl Member {
    fn from_row(row: &Row) -> Self {
        let text = |name: &str| row.get(name).cloned().unwrap_or_default();
        let place = format!("{}:{}", text("MEMBER_HOST"), text("MEMBER_PORT"));
        Self { place, state: text("MEMBER_STATE"), role: text("MEMBER_ROLE") }
    }
}

/// What a server tells of its group.
#[derive(Clone, Debug, Default)]
struct Group {
    own: Member,
    others: Vec<Member>,
    /// Its settings: the variables that begin with `group_replication_`, without that.
    settings: BTreeMap<String, String>,
    /// Some tables whose rows the group cannot tell apart.
    without_key: Vec<String>,
    /// Bytes of the largest transaction that fills tables; 0 where none are made.
    largest: u64,
}

impl Group {
    /// `None` where the server belongs to none. A server whose plugin is there and stopped tells one
    /// member, which is offline.
    fn from_rows(rows: &[Row], variables: &BTreeMap<String, String>) -> Option<Self> {
        let id = variables.get("server_uuid").map(String::as_str).unwrap_or_default();
        let is_own = |row: &&Row| row.get("MEMBER_ID").is_some_and(|other| other == id);
        let is_offline = |row: &&Row| row.get("MEMBER_STATE").is_some_and(|s| s == "OFFLINE");
        let own = rows.iter().find(is_own).or_else(|| rows.iter().find(is_offline))?;
        let others = rows.iter().filter(|row| *row != own).map(Member::from_row).collect();
        let settings = variables.iter().filter_map(|(name, value)| {
            Some((name.strip_prefix("group_replication_")?.to_owned(), value.clone()))
        });
        let settings = settings.collect();
        Some(Self { own: Member::from_row(own), others, settings, ..Self::default() })
    }

    fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map(String::as_str).unwrap_or_default()
    }

    fn has_one_primary(&self) -> bool {
        !matches!(self.setting("single_primary_mode"), "OFF" | "0")
    }

    fn judge(&self, endpoint: &str, writes: bool, found: &mut Diagnostics) {
        if !self.is_usable(endpoint, writes, found) {
            return;
        }
        if !writes {
            if !self.others.is_empty() {
                found.warn(
                    "the server is a member of a group (Group Replication): what it applies \
                     meanwhile takes part in what is measured",
                    "let nothing else write to the group for the time of the study",
                );
            }
            return;
        }
        if !self.others.is_empty() {
            found.warn(
                format!(
                    "the server is a member of a group of {} (Group Replication): every commit waits \
                     for a majority of them, and all get what the study writes, test tables included",
                    self.others.len() + 1
                ),
                "name a server without a group, unless the study is about it",
            );
        }
        self.waits(found);
        self.conflicts(found);
        self.refuses(found);
    }

    /// Whether it takes what the study asks of it.
    fn is_usable(&self, endpoint: &str, writes: bool, found: &mut Diagnostics) -> bool {
        let mut trouble = |message: String, remedy: String| match writes {
            true => found.error(Failure::new(FailureKind::NotPermitted, message, remedy)),
            false => found.warn(message, remedy),
        };
        let unreachable = self.others.iter().filter(|other| other.state == "UNREACHABLE");
        let unreachable: Vec<&str> = unreachable.map(|other| other.place.as_str()).collect();
        match self.own.state.as_str() {
            "ONLINE" => {}
            "OFFLINE" => {
                found.warn(
                    format!(
                        "Group Replication is set up at {endpoint} and stopped (OFFLINE): it does not \
                         do what a member of the group does"
                    ),
                    "START GROUP_REPLICATION, or uninstall the plugin to measure it as a server of its \
                     own",
                );
                return false;
            }
            state => {
                let why = match state {
                    "RECOVERING" => {
                        "it is still taking over what the group has, and takes no writes"
                    }
                    "ERROR" => "it has left the group after an error, and takes no writes",
                    _ => "a member works as such only when it is ONLINE",
                };
                trouble(
                    format!("the member of a group at {endpoint} is {state}: {why}"),
                    "wait until performance_schema.replication_group_members says ONLINE; after an \
                     error read the server's log, then STOP and START GROUP_REPLICATION"
                        .to_owned(),
                );
                return false;
            }
        }
        // With half of the members gone there is no majority.
        if !unreachable.is_empty() && 2 * unreachable.len() > self.others.len() {
            trouble(
                format!(
                    "the group of the server at {endpoint} has lost its majority: {} unreachable, and \
                     writes wait until they are back",
                    is_or_are(&unreachable)
                ),
                "bring them back, or end the loss with group_replication_force_members".to_owned(),
            );
            return false;
        }
        if !unreachable.is_empty() {
            found.warn(
                format!(
                    "of the server's group {} unreachable: it is not measured as it should be",
                    is_or_are(&unreachable)
                ),
                "bring them back, or have them leave the group",
            );
        }
        if writes && self.own.role == "SECONDARY" {
            let primary = self.others.iter().find(|other| other.role == "PRIMARY");
            let remedy = match primary {
                Some(primary) => {
                    format!("name the primary, which the group says is {}", primary.place)
                }
                None => "name the primary".to_owned(),
            };
            found.error(Failure::new(
                FailureKind::NotPermitted,
                format!(
                    "the server at {endpoint} is a secondary of a group with a single primary, and \
                     takes no writes (super_read_only)"
                ),
                remedy,
            ));
            return false;
        }
        true
    }

    /// What writes wait for.
    fn waits(&self, found: &mut Diagnostics) {
        if self.setting("flow_control_mode") == "QUOTA" && !self.others.is_empty() {
            let threshold = |name: &str| match self.setting(name) {
                "" => "25000".to_owned(),
                threshold => threshold.to_owned(),
            };
            found.note(
                format!(
                    "flow control (group_replication_flow_control_mode = QUOTA) throttles writes once a \
                     member has {} transactions to apply or {} to certify: the throughput is then that \
                     of the slowest member",
                    threshold("flow_control_applier_threshold"),
                    threshold("flow_control_certifier_threshold")
                ),
                "leave it where the study is about the group; else SET GLOBAL \
                 group_replication_flow_control_mode = 'DISABLED' for its time, and let members fall \
                 behind",
            );
        }
        let waits = match self.setting("consistency") {
            "BEFORE" => "every transaction waits until those before it are applied",
            "AFTER" => "every write waits until all members have applied it",
            "BEFORE_AND_AFTER" => {
                "every transaction waits until those before it are applied, and every write until all \
                 members have applied it"
            }
            _ => return,
        };
        let consistency = self.setting("consistency");
        found.note(
            format!("group_replication_consistency = {consistency}: {waits}"),
            "compare it with servers that promise the same",
        );
    }

    fn conflicts(&self, found: &mut Diagnostics) {
        if self.has_one_primary() || self.others.is_empty() {
            return;
        }
        found.warn(
            "every member of the server's group takes writes (multi-primary mode): where others write \
             to the same rows, commits fail in certification (error 3101), which a load counts as \
             conflicts, and changes of the schema beside a load may break the group",
            "let nothing else write to the group for the time of the study, or switch it to a single \
             primary: SELECT group_replication_switch_to_single_primary_mode()",
        );
    }

    /// Writes that a group refuses.
    fn refuses(&self, found: &mut Diagnostics) {
        if !self.without_key.is_empty() {
            found.warn(
                format!(
                    "a group refuses writes to tables with neither a primary key nor a unique one that \
                     is NOT NULL (error 3098), and {} none",
                    match self.without_key.as_slice() {
                        [one] => format!("{one} has"),
                        several => format!("{} have", several.join(", ")),
                    }
                ),
                "give them one where statements of the study write to them; weighin's own tables have one",
            );
        }
        let limit: u64 = self.setting("transaction_size_limit").parse().unwrap_or(0);
        if (1..self.largest).contains(&limit) {
            found.warn(
                format!(
                    "the group refuses transactions above {} (group_replication_transaction_size_limit), \
                     and one that fills tables may take {}",
                    size_in_words(limit),
                    size_in_words(self.largest)
                ),
                "SET GLOBAL group_replication_transaction_size_limit to its default, 150000000, at \
                 every member",
            );
        }
    }
}

fn is_or_are(places: &[&str]) -> String {
    let be = if places.len() == 1 { "is" } else { "are" };
    format!("{} {be}", places.join(", "))
}

pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    found: &mut Diagnostics,
) {
    if server.is_mariadb() {
        return;
    }
    let writes = needs.writes() || plan.to_make() > 0;
    let rows = server.rows(MEMBERS);
    let is_set_up = server.variables.contains_key("group_replication_group_name");
    if rows.is_none() && is_set_up {
        found.note(
            "the account may not see whether the server is a member of a group (Group Replication)",
            "GRANT SELECT ON performance_schema.replication_group_members to it",
        );
    }
    if let Some(mut group) = Group::from_rows(&rows.unwrap_or_default(), &server.variables) {
        let keyless = if writes { server.rows(WITHOUT_KEY) } else { None };
        let names = keyless.unwrap_or_default().into_iter().flat_map(BTreeMap::into_values);
        group.without_key = names.collect();
        group.largest = match server.is_on("local_infile") {
            _ if plan.to_make() == 0 => 0,
            true => LARGEST_LOADED,
            false => LARGEST_INSERTED,
        };
        let endpoint = server.control.endpoint().to_string();
        group.judge(&endpoint, writes, found);
    }
    if server.setting.controls_appliers {
        server.setting.replicas.iter().for_each(|login| applier(login, found));
    }
}

/// A replica that gets its transactions from a group, and not from a source that it connects to.
fn applier(login: &Login, found: &mut Diagnostics) {
    // What cannot be reached was said when the group was brought up.
    let Ok(mut control) = connect(login) else { return };
    let Ok(members) = control.query(MEMBERS) else { return };
    if !members.rows.is_empty() {
        found.warn(
            format!(
                "the replica at {} is a member of a group (Group Replication), whose applier works in \
                 the channel group_replication_applier: STOP REPLICA without a channel does not mean it",
                control.endpoint()
            ),
            "say in [target.replication] what stops and starts it, such as STOP REPLICA SQL_THREAD FOR \
             CHANNEL 'group_replication_applier'",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::Diagnostic;

    /// As the server tells them: number, state, role.
    fn group(members: &[(u8, &str, &str)], settings: &[(&str, &str)]) -> Option<Group> {
        let row = |&(number, state, role): &(u8, &str, &str)| {
            let fields = [
                ("CHANNEL_NAME", "group_replication_applier".to_owned()),
                ("MEMBER_ID", format!("uuid-{number}")),
                ("MEMBER_HOST", format!("db{number}")),
                ("MEMBER_PORT", "3306".to_owned()),
                ("MEMBER_STATE", state.to_owned()),
                ("MEMBER_ROLE", role.to_owned()),
            ];
            fields.map(|(name, value)| (name.to_owned(), value)).into()
        };
        let rows: Vec<Row> = members.iter().map(row).collect();
        let mut variables: BTreeMap<String, String> = settings
            .iter()
            .map(|&(name, value)| (format!("group_replication_{name}"), value.to_owned()))
            .collect();
        variables.insert("server_uuid".to_owned(), "uuid-1".to_owned());
        Group::from_rows(&rows, &variables)
    }

    fn said(group: &Group, writes: bool) -> Vec<(&'static str, String)> {
        let mut found = Diagnostics::default();
        group.judge("db1:3306", writes, &mut found);
        let told =
            |one: &Diagnostic| (one.severity.name(), format!("{}; {}", one.message, one.remedy));
        found.into_sorted().iter().map(told).collect()
    }

    const ONLINE: [(u8, &str, &str); 3] =
        [(1, "ONLINE", "PRIMARY"), (2, "ONLINE", "SECONDARY"), (3, "ONLINE", "SECONDARY")];

    #[track_caller]
    fn first(group: &Group, writes: bool, severity: &str, words: &[&str]) {
        let said = said(group, writes);
        assert_eq!(said[0].0, severity, "{said:?}");
        for word in words {
            assert!(said[0].1.contains(word), "no «{word}» in {said:?}");
        }
    }

    #[test]
    fn a_server_without_a_group_has_nothing_said_of_it() {
        assert!(group(&[], &[]).is_none());
        let alone = group(&[(1, "ONLINE", "PRIMARY")], &[("flow_control_mode", "QUOTA")]);
        assert_eq!(said(&alone.unwrap(), true), []);
    }

    #[test]
    fn a_member_takes_writes_only_online_as_a_primary_of_a_majority() {
        let secondary = [(1, "ONLINE", "SECONDARY"), (2, "ONLINE", "PRIMARY")];
        let secondary = group(&secondary, &[]).unwrap();
        first(&secondary, true, "error", &["secondary", "super_read_only", "primary", "db2:3306"]);
        first(&secondary, false, "warning", &["takes part in what is measured"]);
        for (state, why) in [("RECOVERING", "still taking over"), ("ERROR", "after an error")] {
            let group = group(&[(1, state, ""), (2, "ONLINE", "PRIMARY")], &[]).unwrap();
            first(&group, true, "error", &[state, why, "ONLINE"]);
            first(&group, false, "warning", &[state]);
            assert_eq!(said(&group, true).len(), 1);
        }
        let offline = group(&[(0, "OFFLINE", "")], &[]).unwrap();
        first(&offline, true, "warning", &["OFFLINE", "START GROUP_REPLICATION"]);
        let mut members = ONLINE;
        members[1].1 = "UNREACHABLE";
        let one = group(&members, &[]).unwrap();
        first(&one, true, "warning", &["db2:3306 is unreachable"]);
        members[2].1 = "UNREACHABLE";
        let both = group(&members, &[]).unwrap();
        first(&both, true, "error", &["majority", "db2:3306, db3:3306 are unreachable"]);
        let pair = [(1, "ONLINE", "PRIMARY"), (2, "UNREACHABLE", "SECONDARY")];
        first(&group(&pair, &[]).unwrap(), true, "error", &["majority"]);
    }

    #[test]
    fn what_a_group_waits_for_and_refuses_is_told() {
        let settings = [
            ("flow_control_mode", "QUOTA"),
            ("flow_control_applier_threshold", "500"),
            ("consistency", "AFTER"),
            ("single_primary_mode", "OFF"),
            ("transaction_size_limit", "1000"),
        ];
        let mut group_of_three = group(&ONLINE, &settings).unwrap();
        group_of_three.largest = LARGEST_LOADED;
        group_of_three.without_key = vec!["log".to_owned(), "queue".to_owned()];
        let all = said(&group_of_three, true);
        let severities: Vec<&str> = all.iter().map(|(severity, _)| *severity).collect();
        assert_eq!(severities, ["warning", "warning", "warning", "warning", "note", "note"]);
        let text: String = all.into_iter().map(|(_, text)| text + "\n").collect();
        for words in [
            "group_replication_transaction_size_limit",
            "a group of 3",
            "multi-primary mode",
            "3101",
            "log, queue have none",
            "500 transactions to apply or 25000 to certify",
            "group_replication_consistency = AFTER",
        ] {
            assert!(text.contains(words), "no «{words}» in {text}");
        }
        let mut defaults = group(&ONLINE, &[("transaction_size_limit", "150000000")]).unwrap();
        defaults.largest = LARGEST_LOADED;
        assert_eq!(said(&defaults, true).len(), 1, "{:?}", said(&defaults, true));
    }
}
