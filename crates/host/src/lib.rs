//! Machines that weighin measures on: their files, processes, devices, clocks and what they count.

#[doc(hidden)]
pub mod fuzzing;
pub mod local;
