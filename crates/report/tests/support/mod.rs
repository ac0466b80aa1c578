//! Runs to report: made up, but of the shape and size that real ones have.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of this")]
#![allow(clippy::unwrap_used, reason = "test data; the lint does not see that in an example")]

mod acceptance;
mod dataset;
mod load;

pub use acceptance::acceptance;
pub use dataset::{Shape, dataset};

use stats::{Estimate, Interval, IntervalMethod};

/// What may be concluded from a run.
pub fn analysis(dataset: &model::Dataset) -> analyse::Analysis<'_> {
    analyse::analyse(dataset)
}

/// A report as text.
pub fn rendered(dataset: &model::Dataset, format: report::Format) -> String {
    let mut out = Vec::new();
    report::render(&analysis(dataset), format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A ratio of three pairs.
pub fn ratio(point: f64, low: f64, high: f64) -> Estimate {
    let method = IntervalMethod::StudentLog;
    Estimate { point, interval: Some(Interval { low, high, confidence: 0.95, method }), n: 3 }
}

/// A name that must not become markup.
pub const HOSTILE: &str = "<script>alert(1)</script>";
/// A name that is longer than any column.
pub const LONG: &str = "production-replica-in-eu-central-1-with-provisioned-iops-gp3";

/// A study as it usually is: two targets, six levels, three repeats, nothing unusual in names.
pub fn usual() -> model::Dataset {
    dataset(&Shape { targets: &["durable", "relaxed"], levels: 6, repeats: 3, troubles: true })
}

/// The same with the latencies of every second.
pub fn with_latencies() -> model::Dataset {
    by_the_second(usual())
}

/// A study of the size of `weighin demo` in which nothing went wrong.
pub fn demo() -> model::Dataset {
    let targets = &["durable", "relaxed"];
    by_the_second(dataset(&Shape { targets, levels: 6, repeats: 3, troubles: false }))
}

fn by_the_second(mut dataset: model::Dataset) -> model::Dataset {
    dataset.trials.iter_mut().filter_map(|record| record.load_mut()).for_each(load::add_latencies);
    dataset
}

/// The same with names that try to break a page.
pub fn hostile() -> model::Dataset {
    dataset(&Shape { targets: &[HOSTILE, LONG], levels: 6, repeats: 3, troubles: true })
}

/// Targets of the largest studies.
const NAMES: [&str; 12] = [
    "metal", "r3.4xlarge", "c3.8xlarge", "db.r3.4xlarge", "db.m4.10xlarge", "vps-small",
    "vps-large", "aurora-2xlarge", "aurora-4xlarge", "aurora-8xlarge", "nvme-raid1", LONG,
];

/// A study of 1,440 trials.
pub fn huge() -> model::Dataset {
    dataset(&Shape { targets: &NAMES, levels: 12, repeats: 10, troubles: true })
}

/// The largest study that a page must cope with: 10,080 trials.
pub fn enormous() -> model::Dataset {
    dataset(&Shape { targets: &NAMES, levels: 12, repeats: 70, troubles: true })
}

/// Five targets at one level, once each: no curve, no interval.
pub fn single() -> model::Dataset {
    let targets = &["a", "b", "c", "d", LONG];
    dataset(&Shape { targets, levels: 1, repeats: 1, troubles: false })
}

/// A study of which every trial failed.
pub fn failures() -> model::Dataset {
    let targets = &["durable", "relaxed"];
    let mut data = dataset(&Shape { targets, levels: 2, repeats: 3, troubles: false });
    for record in &mut data.trials {
        let failure = model::Failure::new(
            model::FailureKind::Unreachable,
            format!("nothing answers at {}.example:3306", record.key.target),
            "start the server, or correct the url of the target",
        );
        record.end = model::TrialEnd::Failed(failure);
    }
    data
}

/// Name of a target that grows faster than the others.
pub const CLIMBER: &str = "climber";

/// A target that overtakes another.
pub fn crossing() -> model::Dataset {
    dataset(&Shape { targets: &["steady", CLIMBER], levels: 7, repeats: 4, troubles: false })
}

/// Imported results of so many targets, each a hundredth faster than the one before, in three blocks that scatter
/// by some per cent.
pub fn crowd(targets: u32) -> model::Dataset {
    const LEVELS: [u32; 12] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024];
    let mut table = "target,test,metric,value,clients,block\n".to_owned();
    for block in 1..=3 {
        for target in 0..targets {
            for clients in LEVELS {
                let scatter = f64::from((target * 7 + clients * 3 + block * 11) % 13) / 400.0;
                let ideal = f64::from(clients) * (1.0 + f64::from(target) / 100.0);
                let value =
                    1000.0 * ideal / (1.0 + 0.03 * f64::from(clients - 1)) * (1.0 + scatter);
                table += &format!("m{target:02},oltp,throughput,{value:.1},{clients},{block}\n");
            }
        }
    }
    test_support::imported("crowd", &table)
}
