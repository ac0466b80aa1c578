use clap::{Parser, ValueEnum};
use model::OltpMix;
use std::path::PathBuf;

/// Weighin against the tools that do the same, on private servers and the same data.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    /// What to measure: mysql against sysbench, postgres against pgbench, redis against memtier_benchmark, where it is there,
    /// and redis-benchmark; disk against fio; view, a run with it against one with --plain; sampling, a run with
    /// samples as by default against one with hardly any
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = Suite::value_variants().to_vec())]
    pub(crate) suite: Vec<Suite>,
    /// Workloads of mysql to run
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = Workload::value_variants().to_vec())]
    pub(crate) workload: Vec<Workload>,
    /// How to reach the server of mysql and postgres
    #[arg(long, value_delimiter = ',', value_enum, default_values_t = Transport::value_variants().to_vec())]
    pub(crate) transport: Vec<Transport>,
    /// Numbers of connections of mysql and postgres
    #[arg(long, value_delimiter = ',', default_values_t = [1, 4, 16, 64, 256, 1000], value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) clients: Vec<u32>,
    /// Runs of each tool in every cell; 6 are needed for an interval without assumptions
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) pairs: u32,
    /// Length of each run; at least 4 from 1000 connections on, since tools take a second to start them all
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(crate) seconds: u32,
    /// Rows in each of the four tables of mysql, of view and of sampling
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) table_size: u32,
    /// Times to prepare tables with each tool; 0 leaves that out
    #[arg(long, default_value_t = 3)]
    pub(crate) preparations: u32,
    /// Rows in each of the four tables that are prepared for that
    #[arg(long, default_value_t = 250_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) preparation_size: u32,
    /// The memtier_benchmark to measure; looked for on the PATH when left out
    #[arg(long)]
    pub(crate) memtier: Option<PathBuf>,
    /// Where the file of disk is made
    #[arg(long, default_value = "/var/tmp")]
    pub(crate) directory: PathBuf,
    /// Length of the file of disk in GiB
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) gibibytes: u32,
    /// The weighin to measure
    #[arg(long, default_value = "target/release/weighin")]
    pub(crate) weighin: PathBuf,
    /// Also write the results to this file
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
}

impl Arguments {
    /// How long a run with so many connections takes.
    pub(crate) fn seconds_of(&self, clients: u32) -> u32 {
        if clients < MANY { self.seconds } else { self.seconds.max(SECONDS_OF_MANY) }
    }
}

/// From so many connections on a tool may take a second until all of its threads have begun.
const MANY: u32 = 1000;
/// The shortest run of so many.
const SECONDS_OF_MANY: u32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Suite {
    Mysql,
    Postgres,
    Redis,
    Disk,
    View,
    Sampling,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workload {
    #[value(name = "oltp_point_select")]
    PointSelect,
    #[value(name = "oltp_read_only")]
    ReadOnly,
    #[value(name = "oltp_read_write")]
    ReadWrite,
    #[value(name = "oltp_write_only")]
    WriteOnly,
}

impl Workload {
    pub(crate) fn mix(self) -> OltpMix {
        match self {
            Self::PointSelect => OltpMix::PointSelect,
            Self::ReadOnly => OltpMix::ReadOnly,
            Self::ReadWrite => OltpMix::ReadWrite,
            Self::WriteOnly => OltpMix::WriteOnly,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    Tcp,
    Socket,
}

impl Transport {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Socket => "Unix socket",
        }
    }
}
