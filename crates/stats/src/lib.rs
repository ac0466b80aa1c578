//! Statistics for small samples: estimates that carry their interval, ratios, comparisons.
//!
//! Pure functions: no IO, no clock; every random stream is seeded by the caller.

mod estimate;

pub use estimate::{Estimate, Interval, IntervalMethod};
