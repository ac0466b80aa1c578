//! What is said of the disks under a trial's server, in the measured phase.

use super::{Column, Field, TrialRow};
use model::DiskRates;

/// The columns; null where the disks are not known, and where there is nothing to average.
pub(super) const COLUMNS: [Column; 24] = [
    ("disks", |row| {
        row.volume.as_ref().map(|known| known.volume.together.device.replace(", ", " ")).into()
    }),
    ("disk_reads_per_second", |row| row.disks(|disks| Some(disks.reads))),
    ("disk_writes_per_second", |row| row.disks(|disks| Some(disks.writes))),
    ("disk_read_bytes_per_second", |row| row.disks(|disks| Some(disks.read_bytes))),
    ("disk_written_bytes_per_second", |row| row.disks(|disks| Some(disks.written_bytes))),
    ("disk_reads_merged_per_second", |row| row.disks(|disks| Some(disks.reads_merged))),
    ("disk_writes_merged_per_second", |row| row.disks(|disks| Some(disks.writes_merged))),
    ("disk_reads_merged_share", |row| row.disks(DiskRates::reads_merged_share)),
    ("disk_writes_merged_share", |row| row.disks(DiskRates::writes_merged_share)),
    ("disk_read_await_ms", |row| row.disks(|disks| disks.read_await_ms)),
    ("disk_write_await_ms", |row| row.disks(|disks| disks.write_await_ms)),
    ("disk_read_size_bytes", |row| row.disks(DiskRates::read_size)),
    ("disk_write_size_bytes", |row| row.disks(DiskRates::write_size)),
    ("disk_flushes_per_second", |row| row.disks(|disks| Some(disks.flushes))),
    ("disk_flush_await_ms", |row| row.disks(|disks| disks.flush_await_ms)),
    ("disk_discards_per_second", |row| row.disks(|disks| Some(disks.discards))),
    ("disk_discarded_bytes_per_second", |row| row.disks(|disks| Some(disks.discarded_bytes))),
    ("disk_discards_merged_per_second", |row| row.disks(|disks| Some(disks.discards_merged))),
    ("disk_discard_await_ms", |row| row.disks(|disks| disks.discard_await_ms)),
    ("disk_queue_length", |row| row.disks(|disks| Some(disks.queue))),
    ("disk_utilisation_mean", |row| row.disks(|disks| Some(disks.utilisation))),
    ("disk_utilisation_busiest", |row| {
        row.volume.as_ref().map(|known| known.volume.busiest).into()
    }),
    ("operations_per_io", |row| {
        row.volume.as_ref().and_then(|known| known.operations_per_io()).into()
    }),
    ("merge_factor", |row| row.disks(DiskRates::merge_factor)),
];

impl TrialRow<'_> {
    /// A figure of the disks together.
    fn disks(&self, figure: impl FnOnce(&DiskRates) -> Option<f64>) -> Field<'static> {
        self.volume.as_ref().and_then(|known| figure(&known.volume.together)).into()
    }
}
