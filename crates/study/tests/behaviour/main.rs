//! What a study file says, how it becomes a plan, and what is said of one that is wrong.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod accepted;
mod amounts;
mod changes;
mod command_line;
mod defaults;
mod documents;
mod duet;
mod elsewhere;
mod examples;
mod failover;
mod files;
mod growing_plans;
mod hosts;
mod instances;
mod interventions;
mod load_hosts;
mod messages;
mod originals;
mod parallel;
mod plan;
mod price_lists;
mod replication;
mod restarts;
mod script_columns;
mod slices;
mod statements;
mod storage;
mod transactions;
mod versions;
mod volumes;
