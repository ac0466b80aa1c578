//! Keys that say how hard a load is.

use model::LevelPlacement;
use model::bounds::MAX_CLIENTS;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::RangeInclusive;

/// The highest level where the study names none: servers allow 151 connections unless told otherwise.
pub(crate) const DEFAULT_TO: u32 = 128;
/// The most levels that a study may ask for.
pub(crate) const MOST_LEVELS: RangeInclusive<u32> = 2..=100;
pub(crate) const STEPS: RangeInclusive<f64> = 1.1..=16.0;
pub(crate) const RESOLUTIONS: RangeInclusive<f64> = 1.01..=4.0;
/// Connections of an open loop where the study names no number.
pub(crate) const DEFAULT_CONNECTIONS: u32 = 64;
/// Reads and writes in flight where a rate decides how hard the load is.
pub(crate) const DEFAULT_QUEUE_DEPTH: u32 = 32;

/// One level or several, such as numbers of clients or rates.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a whole number or a list of whole numbers")]
pub(crate) enum Numbers {
    One(i64),
    Many(Vec<i64>),
}

impl std::fmt::Display for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::One(number) => number.fmt(f),
            Self::Many(numbers) => write!(f, "{numbers:?}"),
        }
    }
}

/// Levels of clients: given, or such as place themselves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a whole number, a list of whole numbers, \"auto\", or a table such as { from = 1, to = 128 }"
)]
pub(crate) enum ClientsKey {
    Numbers(Numbers),
    Auto(#[schemars(extend("enum" = ["auto"]))] String),
    Placed(Box<PlacementTable>),
}

/// Levels that place themselves: a first pass from the lowest to the highest, then more half-way between
/// levels around peaks, knees and crossovers.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlacementTable {
    /// The lowest level.
    #[schemars(with = "Option<u32>", range(min = 1, max = MAX_CLIENTS), extend("default" = 1))]
    pub from: Option<i64>,
    /// The highest level.
    #[schemars(
        with = "Option<u32>",
        range(min = 2, max = MAX_CLIENTS),
        extend("default" = DEFAULT_TO)
    )]
    pub to: Option<i64>,
    /// How many times as high as the one before it a level of the first pass is at most.
    #[schemars(
        range(min = *STEPS.start(), max = *STEPS.end()),
        extend("default" = LevelPlacement::STEP)
    )]
    pub step: Option<f64>,
    /// Levels that differ by this factor are close enough.
    #[schemars(
        range(min = *RESOLUTIONS.start(), max = *RESOLUTIONS.end()),
        extend("default" = LevelPlacement::RESOLUTION)
    )]
    pub resolution: Option<f64>,
    /// The most levels, those of the first pass included.
    #[schemars(
        with = "Option<u32>",
        range(min = *MOST_LEVELS.start(), max = *MOST_LEVELS.end()),
        extend("x-absent" = "half of those that a sweep over all of the range at this resolution would have")
    )]
    pub most: Option<i64>,
}
