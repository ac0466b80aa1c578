//! What reading a file from elsewhere may take.

use clap::Args;
use model::{ByLength, ReadLimit};
use std::time::Duration;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ReadArguments {
    /// Most memory that what is read of one file may take; a file that needs more is refused. 256MiB where
    /// nothing is said, of a results file 16 times its length where that is more
    #[arg(long, value_name = "SIZE", value_parser = study::parse_size)]
    read_limit: Option<u64>,
    /// Most processor time that reading one file may take, and as much again for what is made of it: its
    /// analysis, and the report or the comparison in any format. 10s where nothing is said, of a results
    /// file 1s for each MiB where that is more
    #[arg(long, value_name = "DURATION", value_parser = super::bounds::some_time)]
    read_time: Option<Duration>,
}

impl ReadArguments {
    /// What was asked for holds for a file of any length.
    pub(crate) fn limit(self) -> ReadLimit {
        let by_length = ByLength {
            bytes: self.read_limit.map_or(ByLength::BYTES, |_| 0),
            time: self.read_time.map_or(ByLength::TIME, |_| Duration::ZERO),
        };
        ReadLimit {
            bytes: self.read_limit.unwrap_or(ReadLimit::BYTES),
            time: self.read_time.unwrap_or(ReadLimit::TIME),
            clock: store::thread_time,
            by_length,
        }
    }
}
