//! Statistics for small samples: estimates that carry their interval, ratios, equivalence, many
//! comparisons at once, scaling laws.
//!
//! Pure functions: no IO, no clock; randomness comes from a seed that is passed in. A sample holds
//! *trial-level* values (one for each repeat); what happens within a trial is the business of its
//! histogram.

mod apart;
mod autocorrelation;
mod between_runs;
mod bootstrap;
mod by_target;
mod centre;
mod chance;
mod change;
mod cliff;
mod closed;
mod course;
mod drift;
mod equivalence;
mod estimate;
mod highest;
mod incomplete;
mod interval;
mod lack_of_fit;
mod lasting;
mod learned;
mod level;
mod local;
mod looks;
mod normal_equations;
mod p_value;
mod part;
mod pooled;
mod ratio;
mod sample;
mod saturation;
mod scatter;
mod spending;
mod split;
mod student;
mod trend;
mod usl;

pub use apart::{LastingApart, Persistence};
pub use autocorrelation::Autocorrelation;
pub use between_runs::BetweenRuns;
pub use bootstrap::Bootstrap;
pub use by_target::{ByTarget, OfTargets};
pub use centre::Centre;
pub use chance::Expected;
pub use change::{ChangeFinder, Changes, fewest_values};
pub use cliff::Cliff;
pub use closed::{Chance, closed, closed_groups};
pub use equivalence::Relation;
pub use estimate::{Estimate, Interval, IntervalMethod};
pub use highest::HighestThroughput;
pub use incomplete::{InCommon, SharedVariance};
pub use interval::values_needed;
pub use lasting::Lasting;
pub use level::is_level;
pub use looks::error_of_looks;
pub use p_value::holm;
pub use part::part_of;
pub use pooled::Part;
pub use ratio::{KnownScatter, Ratio, Repeat, paired_ratio};
pub use sample::{Sample, SampleError};
pub use saturation::{Saturation, SaturationFit};
pub use scatter::Scatter;
pub use spending::Looks;
pub use trend::trend;
pub use usl::{USL_MIN_LEVELS, Usl, UslFit, UslParameters, UslPeak};
