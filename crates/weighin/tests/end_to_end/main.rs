//! Weighin as its users run it, against real servers.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod advise;
mod bad_input;
mod closed_pipes;
mod freezes;
mod full_disks;
mod generators;
mod imported_runs;
mod kills;
mod load;
mod load_errors;
mod login;
mod many_clients;
mod noise_floor;
mod outages;
mod oversubscription;
mod prepare;
mod published;
mod rates;
mod redis;
mod resume;
mod run;
mod second_opinion;
mod secrets;
mod server_trouble;
mod slo;
mod soak;
mod storage;
mod storage_contents;
mod storage_faults;
mod support;
mod sysbench;
mod sysbench_commands;
mod validity;
mod volumes;
mod without_io_uring;
