use serde::{Deserialize, Serialize};

/// What is run on a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// One of the sysbench OLTP family.
    Oltp(Oltp),
}

/// A workload of the sysbench OLTP family, with the meaning that sysbench 1.0 gives its options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Oltp {
    /// Which statements a transaction holds.
    pub mix: OltpMix,
    /// Number of tables `sbtest1` … `sbtestN`; at least 1.
    pub tables: u32,
    /// Rows per table; at least 1.
    pub table_size: u32,
    /// Rows that a range statement spans; at least 1.
    pub range_size: u32,
    /// How row numbers are drawn.
    pub distribution: KeyDistribution,
}

/// Which statements a transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OltpMix {
    /// 10 point selects, 4 range selects, 2 updates, a delete and an insert, in a transaction.
    ReadWrite,
    /// 10 point selects and 4 range selects, in a transaction.
    ReadOnly,
    /// 2 updates, a delete and an insert, in a transaction.
    WriteOnly,
    /// One point select, without a transaction around it.
    PointSelect,
}

impl OltpMix {
    /// All mixes, in the order in which help texts list them.
    pub const ALL: [Self; 4] =
        [Self::ReadWrite, Self::ReadOnly, Self::WriteOnly, Self::PointSelect];

    /// The name that sysbench and study files give it, such as `oltp_read_write`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "oltp_read_write",
            Self::ReadOnly => "oltp_read_only",
            Self::WriteOnly => "oltp_write_only",
            Self::PointSelect => "oltp_point_select",
        }
    }

    /// The mix of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mix| mix.name() == name)
    }
}

impl Workload {
    /// The name that study files and reports use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Oltp(oltp) => oltp.mix.name(),
        }
    }
}

/// How keys are drawn from a range; the names and defaults are those of sysbench 1.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyDistribution {
    /// Every key equally likely.
    Uniform,
    /// The mean of 12 uniform draws.
    Gaussian,
    /// Three quarters of the draws hit the middle 1 % of the range; sysbench's default.
    #[default]
    Special,
    /// Pareto with h = 0.2: low keys are the popular ones.
    Pareto,
    /// Zipfian with exponent 0.8: low keys are the popular ones.
    Zipfian,
}

impl KeyDistribution {
    /// All distributions, in the order in which help texts list them.
    pub const ALL: [Self; 5] =
        [Self::Uniform, Self::Gaussian, Self::Special, Self::Pareto, Self::Zipfian];

    /// The name that sysbench and study files give it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Gaussian => "gaussian",
            Self::Special => "special",
            Self::Pareto => "pareto",
            Self::Zipfian => "zipfian",
        }
    }

    /// The distribution of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|distribution| distribution.name() == name)
    }
}
