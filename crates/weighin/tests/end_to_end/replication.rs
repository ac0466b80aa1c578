//! Groups: primaries with replicas, private ones and such that run already.

mod by_url;
mod catch_up;
mod positions;
mod private;
mod sustained;
