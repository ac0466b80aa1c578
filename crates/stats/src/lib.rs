//! Statistics for small samples: estimates that carry their interval, ratios, equivalence, many
//! comparisons at once, scaling laws.
//!
//! Pure functions: no IO, no clock; randomness comes from a seed that is passed in. A sample holds
//! *trial-level* values (one for each repeat); what happens within a trial is the business of its
//! histogram.

mod bootstrap;
mod equivalence;
mod estimate;
mod further;
mod interval;
mod p_value;
mod ratio;
mod sample;
mod trend;
mod usl;

pub use bootstrap::Bootstrap;
pub use equivalence::Relation;
pub use estimate::{Estimate, Interval, IntervalMethod};
pub use further::repeats_to_resolve;
pub use interval::{repeats_needed, values_needed};
pub use p_value::{holm, paired_p_value, unpaired_p_value};
pub use ratio::{paired_ratio, unpaired_ratio};
pub use sample::{Sample, SampleError};
pub use trend::trend;
pub use usl::{USL_MIN_LEVELS, Usl, UslFit, UslPeak};
