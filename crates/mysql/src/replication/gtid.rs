//! Global transaction ids, as far as counting them goes.

use std::collections::BTreeMap;

/// How many transactions lie between two positions; `None` where one is no list of global transaction
/// ids, or they do not follow each other.
pub(super) fn between(from: &str, to: &str) -> Option<u64> {
    match (mariadb(from), mariadb(to)) {
        (Some(from), Some(to)) => {
            let grown = to.iter().map(|(domain, last)| {
                last.checked_sub(from.get(domain).copied().unwrap_or_default())
            });
            grown.sum()
        }
        _ => mysql(to)?.checked_sub(mysql(from)?),
    }
}

/// Whether a position of MariaDB is at another or beyond it, in every domain. Positions of MySQL are none.
pub(super) fn has_reached(position: &str, goal: &str) -> bool {
    let (Some(at), Some(goal)) = (mariadb(position), mariadb(goal)) else { return false };
    goal.iter().all(|(domain, number)| at.get(domain).is_some_and(|last| last >= number))
}

/// The last number of each domain of `domain-server-number,...`.
fn mariadb(position: &str) -> Option<BTreeMap<u64, u64>> {
    let one = |id: &str| {
        let mut parts = id.split('-').map(str::parse::<u64>);
        let (domain, _server, number) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?);
        parts.next().is_none().then_some(())?;
        Some((domain, number.ok()?))
    };
    position.split(',').map(one).collect()
}

/// How many transactions there are in `uuid:first-last:first-last,uuid:...`. With tags there are
/// words among the parts.
fn mysql(set: &str) -> Option<u64> {
    let mut count: u64 = 0;
    for of_server in set.split(',').filter(|part| !part.is_empty()) {
        let (_uuid, intervals) = of_server.split_once(':')?;
        for interval in intervals.split(':') {
            let (first, last) = interval.split_once('-').unwrap_or((interval, interval));
            let Ok(first) = first.parse::<u64>() else { continue };
            let last: u64 = last.parse().ok()?;
            count = count.checked_add(last.checked_sub(first)?.checked_add(1)?)?;
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transactions_between_two_positions_of_mariadb_are_counted_by_domain() {
        assert_eq!(between("0-1-17", "0-1-117"), Some(100));
        assert_eq!(between("0-1-17", "0-2-20,3-1-5"), Some(8));
        assert_eq!(between("0-1-17", "0-1-3"), None);
        assert_eq!(between("0-1-17", "binlog.000001 4"), None);
    }

    #[test]
    fn a_position_is_reached_in_every_domain() {
        assert!(has_reached("0-2-150,1-1-7", "0-1-150"));
        assert!(has_reached("0-2-150,1-1-7", "0-2-149,1-1-7"));
        assert!(!has_reached("0-2-150", "0-2-151"));
        assert!(!has_reached("0-2-150", "0-2-150,1-1-1"));
        let set = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5";
        assert!(!has_reached(set, set));
    }

    #[test]
    fn sets_of_mysql_are_counted_by_their_intervals() {
        let from = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5";
        let to = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7-9,\
                  4e11fa47-71ca-11e1-9e33-c80aa9429562:1";
        assert_eq!(between(from, to), Some(4));
        assert_eq!(between("", from), Some(5));
        let tagged = "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:tag:1-2";
        assert_eq!(between(from, tagged), Some(2));
        assert_eq!(between(to, from), None);
    }

    #[test]
    fn numbers_beyond_all_measure_are_no_transactions() {
        let set = format!("u:1-{}:1-{}", u64::MAX, u64::MAX);
        assert_eq!(between("u:1", &set), None);
        assert_eq!(between("", "u:9-1"), None);
    }
}
