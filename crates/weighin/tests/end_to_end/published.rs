//! Five published studies, imported from their figures: what the program reports of them is what
//! their authors found, and what they printed that cannot be true.

use crate::support::Workplace;

/// The Markdown report of a study that is imported from tables.
fn reported(tables: &[(&str, &str)]) -> String {
    let place = Workplace::new();
    let mut words = vec!["import", "csv", "--out", "study.weighin"];
    for (name, text) in tables {
        words.push(place.write(name, text));
    }
    place.weighin(&words).done();
    place.weighin(&["report", "study.weighin", "--format", "markdown", "--out", "-"]).done()
}

#[track_caller]
fn assert_says(report: &str, sentences: &[&str]) {
    // Units are tied to their numbers by spaces that do not break.
    let plain = report.replace('\u{a0}', " ");
    for sentence in sentences {
        assert!(plain.contains(sentence), "«{sentence}» is not in:\n{plain}");
    }
}

/// That a finding is told, and where it was made.
#[track_caller]
fn assert_finds(report: &str, place: &str, statement: &str) {
    let plain = report.replace('\u{a0}', " ");
    let place = format!(" Where: {place}.");
    let found = plain.lines().any(|line| line.contains(statement) && line.ends_with(&place));
    assert!(found, "«{statement}» is not found of {place} in:\n{plain}");
}

#[test]
fn metal_or_cloud_depends_on_the_load() {
    let table = include_str!("../fixtures/000-metal-ec2-rds.csv");
    let report = reported(&[("metal-ec2-rds.csv", table)]);
    assert_says(
        &report,
        &[
            "**Choose hp-dl380 up to 64 clients; choose rds-r3 from 128 clients.**",
            "rds-r3 overtakes hp-dl380 between 64 and 128 clients",
            "rds-r3 overtakes ec2-r3 between 16 and 32 clients",
            "from 16 to 256 clients throughput is the same as at its peak, within 3 %",
            "At 256 clients, the highest common level, rds-r3 has 3.00 × the throughput of ec2-r3",
            "By service, RDS against EC2: which one has the better throughput depends on the load",
            "By tenancy: no difference between on-demand and dedicated",
            "By region: no difference between us-east-1 and eu-west-1",
            "By family: over all levels together compute has 0.940 × the throughput of memory",
            "at 128 and 256 clients it is 1.06 ×",
        ],
    );
    let grows = "Throughput grows in proportion to clients up to 16 clients";
    assert_finds(&report, "oltp, ec2-r3", grows);
    assert_finds(&report, "oltp, hp-dl380", "Throughput falls after its peak at 32 clients");
}

#[test]
fn the_vps_is_behind_at_every_level_and_64_clients_are_critical() {
    let table = include_str!("../../../analyse/tests/fixtures/001-vps-vs-hardware.csv");
    let report = reported(&[("vps.csv", table)]);
    assert_says(
        &report,
        &[
            "hardware with 263.22 ms at 128 clients comes first",
            "vps is behind at every level: it has 3.42–4.59 × the p95 latency of hardware",
            "2,300.00 RUB a month",
        ],
    );
    for target in ["hardware", "vps"] {
        let bends = "P95 latency rises faster above 64 clients, as printed";
        assert_finds(&report, &format!("oltp-cold, {target}"), bends);
    }
    assert!(!report.contains("cannot be told apart"), "nothing was repeated:\n{report}");
}

#[test]
fn the_acceptance_test_has_its_ranks_failures_and_the_time_that_cannot_be_true() {
    let table = include_str!("../../../analyse/tests/fixtures/002-aws-bmt.csv");
    let report = reported(&[("bmt.csv", table)]);
    assert_says(
        &report,
        &[
            "| idc-fio | 4 | 2 |",
            "| ec2-tuned | 2 | 1 |",
            "| aurora-r3.8xlarge | 0 | 3 |",
            "| oltp-point-select | ec2-tuned | idc-fio |",
            "| 1 | idc-fio | 9 h 58 min 39 s | – |",
            "| – | aurora-r3.2xlarge | – | lost connection |",
            "| – | aurora-r3.2xlarge | – | /tmp too small (120 GB for a 200 GB table) |",
            "Elapsed is given as 266 min (line 5), but ended\\_at 2016-06-09T15:37:00 (line 4) − \
             started\\_at 2016-06-09T11:21:20 (line 3) make 255.7 min: 4 % too much",
        ],
    );
    for silly in ["(repeat 1)", "(other)", "no remedy known", "cannot be told apart"] {
        assert!(!report.contains(silly), "«{silly}» is in:\n{report}");
    }
}

#[test]
fn the_storage_table_does_not_add_up_at_4_kib() {
    let table = include_str!("../../../analyse/tests/fixtures/003-storage-cluster.csv");
    let report = reported(&[("storage.csv", table)]);
    assert_says(
        &report,
        &[
            "Nothing is ranked",
            "475,000",
            "## Contradictory figures",
            "iops\\_per\\_volume 282,000/s ÷ gb\\_per\\_volume 2,000",
            "140.7/s/GB",
            "iops\\_per\\_volume 509,000/s × block\\_size 4 KiB",
        ],
    );
}

#[test]
fn standard_volumes_cost_less_below_the_break_evens_once_requests_per_io_are_given() {
    let prices = include_str!("../../../analyse/tests/fixtures/004-redis-volumes-prices.csv");
    let given = "target,test,metric,value,unit,note\n\
                 standard-nonopt,price,requests_per_io,40,,\n\
                 standard-opt,price,requests_per_io,40,,\n";
    let report = reported(&[("prices.csv", prices), ("requests-per-io.csv", given)]);
    assert_says(
        &report,
        &[
            "As priced, standard-nonopt costs less than piops-nonopt below 38,100 requests/s, and more above; \
             at that load a month costs 873.00 USD",
            "As priced, standard-opt costs less than piops-opt below 92,800 requests/s, and more above; at that load \
             a month costs 1,557.00 USD",
            "40.0 requests per IO as given",
        ],
    );
    let without = reported(&[("prices.csv", prices)]);
    assert!(!without.contains("requests/s"), "nobody says what an IO takes in:\n{without}");
}
