//! Statistics for small samples: estimates that carry their interval, ratios, equivalence.
//!
//! Pure functions: no IO, no clock, no randomness. A sample holds *trial-level* values (one for
//! each repeat); what happens within a trial is the business of its histogram.

mod equivalence;
mod estimate;
mod interval;
mod ratio;
mod sample;
mod trend;

pub use equivalence::Relation;
pub use estimate::{Estimate, Interval, IntervalMethod};
pub use interval::{repeats_needed, values_needed};
pub use ratio::{paired_ratio, unpaired_ratio};
pub use sample::{Sample, SampleError};
pub use trend::trend;
