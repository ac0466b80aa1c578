//! Tables of published studies, as tidy data.

use crate::{Found, audit};
use analyse::{Contradiction, Identity, Origin, Prefix, Severity};

const VPS: &str = include_str!("../fixtures/001-vps-vs-hardware.csv");
const AWS: &str = include_str!("../fixtures/002-aws-bmt.csv");
const STORAGE: &str = include_str!("../fixtures/003-storage-cluster.csv");
const REDIS: &str = include_str!("../fixtures/004-redis-volumes-prices.csv");

fn found_as(
    found: &Found,
    fits: impl Fn(&Identity) -> bool,
) -> Vec<(&str, &str, Severity, &Contradiction)> {
    let wrong = found.wrong.iter().filter(|(_, _, _, wrong)| fits(&wrong.identity));
    wrong
        .map(|(test, target, severity, w)| (test.as_str(), target.as_str(), *severity, w))
        .collect()
}

#[test]
fn latencies_of_the_first_study_are_sound() {
    assert_eq!(audit(VPS).figures(), Vec::<String>::new());
    assert_eq!(audit(REDIS).checked, 0);
}

#[test]
fn two_times_of_the_cloud_study_contradict_their_own_dates() {
    let found = audit(AWS);
    let elapsed = found_as(&found, |identity| *identity == Identity::Elapsed);
    let summary: Vec<(&str, &str)> = elapsed.iter().map(|w| (w.0, w.1)).collect();
    assert_eq!(summary, [("replication-catch-up", "idc-fio"), ("alter-table", "ec2-one-volume")]);

    // 4 h 26 min for an interval of 4 h 15 min 40 s.
    let (_, _, severity, catch_up) = elapsed[0];
    assert_eq!(severity, Severity::Warning);
    assert!((catch_up.follows.nominal - 255.0 - 40.0 / 60.0).abs() < 1e-9);
    assert!((catch_up.off - 10.0 - 20.0 / 60.0).abs() < 1e-9);
    assert_eq!(catch_up.printed.origin, Origin::Line(5));
    let lines: Vec<Origin> = catch_up.terms.iter().map(|term| term.origin).collect();
    assert_eq!(lines, [Origin::Line(4), Origin::Line(3)]);

    // A minute too much, which is 0.1 % and changes nothing.
    let (_, _, severity, alter) = elapsed[1];
    assert_eq!((severity, alter.off), (Severity::Notice, 60.0));
}

#[test]
fn rates_of_the_cloud_study_rest_on_different_times() {
    let found = audit(AWS);
    let rates = found_as(&found, |identity| *identity == Identity::SameTime);
    let names = |test: &str, figure: &str| -> Vec<&str> {
        let fits = rates.iter().filter(|w| w.0 == test && w.3.printed.name == figure);
        fits.map(|w| w.1).collect()
    };
    // Those of other targets are off by less than 0.1 %, which a tool's own clock explains.
    assert_eq!(names("oltp-read-write", "reads_per_s"), ["idc-fio"]);
    assert_eq!(names("oltp-read-write", "writes_per_s"), ["idc-fio"]);
    assert_eq!(names("oltp-point-select", "reads_per_s"), ["aurora-r3.4xlarge"]);
    assert_eq!(names("oltp-write-only", "writes_per_s"), ["ec2-three-volumes"]);

    // Whole seconds in place of the time: nothing that matters.
    assert!(
        rates.iter().all(|w| w.2 == Severity::Notice && (0.001..0.004).contains(&w.3.relative()))
    );
    let (_, _, _, idc) = rates.iter().find(|w| w.3.printed.name == "reads_per_s").unwrap();
    assert!((idc.follows.nominal - 14_000_238.0 * 2084.99 / 1_000_017.0).abs() < 1e-6);
}

#[test]
fn nothing_else_in_the_cloud_study_is_found_wrong() {
    let found = audit(AWS);
    let other = found_as(&found, |i| !matches!(i, Identity::Elapsed | Identity::SameTime));
    assert!(other.is_empty(), "{other:?}");
    assert!(found.checked > 100, "{}", found.checked);
}

#[test]
fn volumes_of_the_storage_study_have_two_sizes() {
    let found = audit(STORAGE);
    let sizes = found_as(&found, |identity| matches!(identity, Identity::PerUnit { .. }));
    let summary: Vec<(&str, &str)> =
        sizes.iter().map(|w| (w.0, w.3.printed.name.as_str())).collect();
    assert_eq!(
        summary,
        [
            ("t1 o32 b4k random, read_percent 90", "iops_per_gb"),
            ("t1 o32 b4k random, read_percent 70", "iops_per_gb"),
        ]
    );
    // Four rows are of 2000 GB, these two of 2500 GB.
    for (_, _, severity, wrong) in sizes {
        assert_eq!((severity, wrong.identity), (Severity::Warning, Identity::PerUnit { holds: 4 }));
        assert!((wrong.relative() - 0.2).abs() < 0.01, "{wrong:?}");
        assert_eq!(wrong.terms[1].name, "gb_per_volume");
    }
}

#[test]
fn one_row_of_the_storage_study_has_megabytes_of_another_size() {
    let found = audit(STORAGE);
    let bandwidths = found_as(&found, |identity| matches!(identity, Identity::Bandwidth { .. }));
    let summary: Vec<(&str, &str)> =
        bandwidths.iter().map(|w| (w.0, w.3.printed.name.as_str())).collect();
    let row = "t1 o32 b4k random, read_percent 100";
    assert_eq!(summary, [(row, "bandwidth_per_volume"), (row, "bandwidth_per_vm")]);
    for (_, _, _, wrong) in bandwidths {
        let identity =
            Identity::Bandwidth { prefix: Prefix::Decimal, holds: 10, other_holds: true };
        assert_eq!(wrong.identity, identity);
        assert!((wrong.relative() - 0.0407).abs() < 0.0001, "{wrong:?}");
    }
    assert_eq!(found.wrong.len(), 4, "{:?}", found.figures());
}
