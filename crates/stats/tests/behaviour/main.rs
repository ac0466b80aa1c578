//! Statistics of series of which the truth is known.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod change;
mod coverage;
mod looks;
mod scaling_rates;
mod sparse;
mod spending;
