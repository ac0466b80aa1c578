//! What targets take at a rate, as a usage file of Infracost: how often what is charged by use comes.

use analyse::Amount;
use analyse::capacity::UseAtRate;
use findings::place::at;
use model::Price;
use std::fmt::Write;

/// Seconds of a month, as Infracost counts it.
const MONTH: f64 = 3600.0 * Price::MONTH_HOURS;
const GIGABYTE: f64 = 1e9;

/// A resource of a Terraform project of which a usage file can say what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageOf {
    /// `aws_db_instance` and `aws_ebs_volume`: IOs a month.
    Ios,
    /// `aws_rds_cluster`: IOs a second, and storage.
    Cluster,
    /// `aws_data_transfer`: what leaves to the internet.
    Transfer,
}

impl UsageOf {
    /// Types of resources that it has keys for.
    pub const TYPES: [(&str, Self); 4] = [
        ("aws_db_instance", Self::Ios),
        ("aws_ebs_volume", Self::Ios),
        ("aws_rds_cluster", Self::Cluster),
        ("aws_data_transfer", Self::Transfer),
    ];

    /// Of the resource at an address, such as `module.db.aws_db_instance.main`.
    pub fn from_address(address: &str) -> Option<Self> {
        let mut parts = address.split('.').rev();
        parts.find_map(|part| Self::TYPES.iter().find(|(name, _)| *name == part)).map(|(_, of)| *of)
    }

    fn keys(self, used: &UseAtRate) -> Vec<(&'static str, Option<f64>)> {
        let point = |amount: Option<Amount>| amount.map(|amount| amount.point);
        let (reads, writes) = (point(used.reads), point(used.writes));
        // What is added is there for half of the month on average.
        let added = point(used.growth).map_or(0.0, |bytes| bytes.max(0.0) * MONTH / 2.0);
        let storage = used.dataset_bytes.map(|bytes| (bytes as f64 + added) / GIGABYTE);
        match self {
            Self::Ios => {
                let ios = reads.zip(writes).map(|(reads, writes)| (reads + writes) * MONTH);
                vec![("monthly_standard_io_requests", ios)]
            }
            Self::Cluster => vec![
                ("write_requests_per_sec", writes),
                ("read_requests_per_sec", reads),
                ("storage_gb", storage),
            ],
            Self::Transfer => {
                let sent = point(used.sent_bytes).map(|bytes| bytes * MONTH / GIGABYTE);
                vec![("monthly_outbound_internet_gb", sent)]
            }
        }
    }
}

/// A usage file: for each resource what the target that it is takes at the rate. A key of which nothing
/// was measured is a comment. Numbers are whole and rounded up, as some keys take no others.
pub fn usage_file(rate: f64, resources: &[(String, String, UsageOf, UseAtRate)]) -> String {
    let mut file = format!(
        "# Measured by weighin, and scaled to {rate} transactions/s throughout the month.\n\
         version: 0.1\nresource_usage:\n"
    );
    for (target, address, of, used) in resources {
        // A quoted text of JSON is one of YAML too.
        let key = serde_json::Value::from(address.as_str());
        let target = serde_json::Value::from(target.as_str());
        let _ = writeln!(file, "  # target {target}, as measured{}", at(used.level));
        let _ = writeln!(file, "  {key}:");
        for (name, value) in of.keys(used) {
            let _ = match value {
                Some(value) => writeln!(file, "    {name}: {}", value.ceil()),
                None => writeln!(file, "    # {name}: not measured"),
            };
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Level;

    #[test]
    fn a_usage_file_has_what_was_measured_under_the_keys_of_its_resources() {
        let used = UseAtRate {
            level: Level::clients(16),
            reads: Some(Amount::exact(10.5)),
            writes: Some(Amount::exact(300.2)),
            sent_bytes: None,
            dataset_bytes: Some(12_500_000_000),
            // 1.314 GB on average over a month.
            growth: Some(Amount::exact(1_000.0)),
        };
        let of = |address: &str| {
            let of = UsageOf::from_address(address).expect("a type that is known");
            ("a".to_owned(), address.to_owned(), of, used)
        };
        let all = [
            of("aws_rds_cluster.main"),
            of("module.x.aws_db_instance.b[0]"),
            of("aws_data_transfer.eu"),
        ];
        assert_eq!(
            usage_file(2_000.0, &all),
            "# Measured by weighin, and scaled to 2000 transactions/s throughout the month.\n\
             version: 0.1\n\
             resource_usage:\n\
             \x20 # target \"a\", as measured at 16 clients\n\
             \x20 \"aws_rds_cluster.main\":\n\
             \x20   write_requests_per_sec: 301\n\
             \x20   read_requests_per_sec: 11\n\
             \x20   storage_gb: 14\n\
             \x20 # target \"a\", as measured at 16 clients\n\
             \x20 \"module.x.aws_db_instance.b[0]\":\n\
             \x20   monthly_standard_io_requests: 816519600\n\
             \x20 # target \"a\", as measured at 16 clients\n\
             \x20 \"aws_data_transfer.eu\":\n\
             \x20   # monthly_outbound_internet_gb: not measured\n"
        );
        assert_eq!(UsageOf::from_address("google_sql_database_instance.a"), None);
    }
}
