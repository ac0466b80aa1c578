//! What reading a file from elsewhere may take.

use clap::Args;
use model::ReadLimit;
use std::time::Duration;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ReadArguments {
    /// Most memory that what is read of one file may take; a file that needs more is refused
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = study::parse_size)]
    read_limit: u64,
    /// Most processor time that reading one file may take, and as much again for what is made of it: its
    /// analysis, and the report or the comparison in any format
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = super::bounds::some_time)]
    read_time: Duration,
}

impl ReadArguments {
    pub(crate) fn limit(self) -> ReadLimit {
        ReadLimit { bytes: self.read_limit, time: self.read_time, clock: store::thread_time }
    }
}
