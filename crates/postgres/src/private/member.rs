//! What makes a server a member of a group.
//!
//! Replicas begin as copies of their primary's data directory, its accounts among it.

use super::facts::REPLICATION_USER;
use host::recipe::GroupMember;

/// By this file in its data directory a server begins as a replica.
pub(super) const STANDBY_FILE: &str = "standby.signal";
/// What a replica calls itself, and its slot on the primary.
pub(crate) const NAME_PREFIX: &str = "weighin_";

/// The first member is the primary; the others begin as replicas of nobody.
pub(super) fn is_replica(member: Option<GroupMember>) -> bool {
    member.is_some_and(|member| member.number > 1)
}

/// Options of a member; settings of the study come after them.
pub(super) fn options(member: &GroupMember) -> Vec<String> {
    let mut options = vec![
        format!("cluster_name={NAME_PREFIX}{}", member.number),
        // From the start of the primary until its replicas have slots on it, and from the promotion of one
        // until the others do.
        "wal_keep_size=64MB".to_owned(),
        // A replica that lost its primary, or is told to follow another, looks for it that often.
        "wal_retrieve_retry_interval=200ms".to_owned(),
    ];
    // A replica that waited for replicas of its own would hold up its first commit after a promotion.
    if member.semi_sync && member.number == 1 {
        options.push("synchronous_standby_names=ANY 1 (*)".to_owned());
    }
    options
}

/// What makes the account of replicas, on the primary.
pub(super) fn account(password: &str) -> String {
    format!("CREATE ROLE {REPLICATION_USER} LOGIN REPLICATION PASSWORD '{password}';\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commits_of_a_synchronous_primary_wait() {
        let waits = |number, semi_sync| {
            let options = options(&GroupMember { number, semi_sync });
            options.iter().any(|option| option.starts_with("synchronous_standby_names"))
        };
        assert!(waits(1, true));
        assert!(!waits(1, false));
        assert!(!waits(2, true));
        assert!(is_replica(Some(GroupMember { number: 2, semi_sync: false })));
        assert!(!is_replica(Some(GroupMember { number: 1, semi_sync: false })));
        assert!(!is_replica(None));
    }
}
