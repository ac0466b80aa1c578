//! Reports of datasets of which the truth is known.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod audit;
mod chart;
mod contradictions;
mod crowd;
mod deadline;
mod events;
mod figures;
mod first_screen;
mod hlog;
mod html;
mod imported_verdicts;
mod pipeline;
mod rates;
mod scaling;
mod search;
mod standings;
#[path = "../support/mod.rs"]
mod support;
mod texts;
mod words;
