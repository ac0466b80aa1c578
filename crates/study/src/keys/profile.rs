//! Keys of a rate that changes within a trial.

use model::LoadProfile;
use model::bounds::MAX_RATE;
use schemars::JsonSchema;
use serde::Deserialize;

/// Stages, or the file that has them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a list of tables such as { rate = 500, hold = \"60s\" }, or the name of a file"
)]
pub(crate) enum LoadProfileKey {
    Stages(
        #[schemars(with = "Vec<StageTable>", length(min = 1, max = LoadProfile::MAX_STAGES))]
        Vec<toml::Table>,
    ),
    File(String),
}

// Read by hand: of a value that may be something else as well, serde tells neither stage nor key.
/// A rate that is offered for some time.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct StageTable {
    /// Transactions, or operations of `key_value`, offered per second.
    #[schemars(range(min = 0, max = MAX_RATE))]
    pub rate: i64,
    /// How long the rate takes to come there from that of the stage before, evenly, in whole seconds, such as
    /// `10s`.
    #[schemars(extend("x-absent" = "it is there at once"))]
    pub ramp: Option<String>,
    /// How long it stays, in whole seconds, such as `60s`.
    pub hold: String,
}
