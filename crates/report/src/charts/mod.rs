//! What pages draw, and charts in files of their own.

pub(crate) mod chart;
mod disk_panels;
pub(crate) mod drawn;
pub(crate) mod events;
pub(crate) mod evidence;
pub(crate) mod failover;
mod heat_maps;
pub(crate) mod metrics;
pub(crate) mod money;
mod overlays;
pub(crate) mod percentiles;
pub(crate) mod svg;
pub(crate) mod timelines;
