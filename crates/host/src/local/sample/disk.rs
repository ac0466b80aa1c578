//! What the disks did: `/proc/diskstats`, with the arithmetic of `iostat -x`.
//!
//! The columns are described in the kernel's `Documentation/admin-guide/iostats.rst`.

use crate::question::DiskCounters;
use model::DiskRates;
use std::collections::BTreeMap;
use std::time::Duration;

/// Sectors of `/proc/diskstats` are 512 bytes, whatever the device's own sector size.
const SECTOR_BYTES: f64 = 512.0;

/// Reads `/proc/diskstats`. Lines that can't be read are left out.
pub fn parse_diskstats(text: &str) -> BTreeMap<String, DiskCounters> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<(String, DiskCounters)> {
    let mut words = line.split_ascii_whitespace().skip(2);
    let name = words.next()?;
    let fields: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let [
        reads,
        reads_merged,
        sectors_read,
        read_ms,
        writes,
        writes_merged,
        sectors_written,
        write_ms,
        _ios_in_progress,
        busy_ms,
        weighted_ms,
        ..,
    ] = fields[..]
    else {
        return None;
    };
    // Older kernels have fewer columns.
    let later = |column: usize| fields.get(column).copied().unwrap_or(0);
    let counters = DiskCounters {
        reads,
        reads_merged,
        sectors_read,
        read_ms,
        writes,
        writes_merged,
        sectors_written,
        write_ms,
        busy_ms,
        weighted_ms,
        discards: later(11),
        discards_merged: later(12),
        sectors_discarded: later(13),
        discard_ms: later(14),
        flushes: later(15),
        flush_ms: later(16),
    };
    Some((name.to_owned(), counters))
}

/// One of the counters.
type Column = fn(&DiskCounters) -> u64;

impl DiskCounters {
    /// Whether the device was never read from nor written to since boot.
    pub fn idle_since_boot(&self) -> bool {
        self.reads == 0 && self.writes == 0
    }

    /// The figures of `iostat -x` for the time between two readings.
    pub fn rates_since(&self, earlier: &Self, elapsed: Duration, device: &str) -> DiskRates {
        let seconds = elapsed.as_secs_f64();
        let grown = |column: Column| advance(column(earlier), column(self));
        let per_second = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
        let rate = |column: Column| per_second(grown(column));
        let bytes = |sectors: Column| per_second(grown(sectors) * SECTOR_BYTES);
        let mean_ms = |total_ms: Column, requests: Column| {
            let requests = grown(requests);
            (requests > 0.0).then(|| grown(total_ms) / requests)
        };
        DiskRates {
            device: device.to_owned(),
            reads: rate(|disk| disk.reads),
            writes: rate(|disk| disk.writes),
            read_bytes: bytes(|disk| disk.sectors_read),
            written_bytes: bytes(|disk| disk.sectors_written),
            reads_merged: rate(|disk| disk.reads_merged),
            writes_merged: rate(|disk| disk.writes_merged),
            read_await_ms: mean_ms(|disk| disk.read_ms, |disk| disk.reads),
            write_await_ms: mean_ms(|disk| disk.write_ms, |disk| disk.writes),
            flushes: rate(|disk| disk.flushes),
            flush_await_ms: mean_ms(|disk| disk.flush_ms, |disk| disk.flushes),
            discards: rate(|disk| disk.discards),
            discarded_bytes: bytes(|disk| disk.sectors_discarded),
            discards_merged: rate(|disk| disk.discards_merged),
            discard_await_ms: mean_ms(|disk| disk.discard_ms, |disk| disk.discards),
            queue: rate(|disk| disk.weighted_ms) / 1000.0,
            // The kernel accounts busy time in whole ticks, so a saturated disk can show a little
            // more time than has passed.
            utilisation: (rate(|disk| disk.busy_ms) / 1000.0).min(1.0),
        }
    }
}

/// How far a counter went from `earlier` to `later`.
///
/// Kernels count some columns in 32 bits, so a counter that went back from a value in the upper
/// half of that range has wrapped; one that went back otherwise was reset (the device was
/// replaced), and nothing is known of the time between.
fn advance(earlier: u64, later: u64) -> f64 {
    const WRAP: u64 = 1 << 32;
    let difference = if later >= earlier {
        later - earlier
    } else if (WRAP / 2..WRAP).contains(&earlier) {
        WRAP - earlier + later
    } else if earlier > u64::MAX / 2 {
        later.wrapping_sub(earlier)
    } else {
        0
    };
    difference as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLIER: &str = "\
 259       0 nvme0n1 1000 10 8000 500 2000 20 16000 1000 0 900 1500 7 1 800 30 50 40
 259       1 nvme0n1p1 1 2 3 4 5 6 7 8 9 10 11
   8       0 sda 4 3 2
";
    const LATER: &str = "\
 259       0 nvme0n1 1200 14 11200 600 2100 50 17600 1400 0 1900 3500 9 5 1600 33 60 60
";

    fn rates(seconds: f64) -> DiskRates {
        let later = parse_diskstats(LATER)["nvme0n1"];
        let earlier = parse_diskstats(EARLIER)["nvme0n1"];
        later.rates_since(&earlier, Duration::from_secs_f64(seconds), "nvme0n1")
    }

    #[test]
    fn rates_are_those_computed_by_hand() {
        let expected = DiskRates {
            device: "nvme0n1".into(),
            reads: 100.0,                // (1200 - 1000) / 2 s
            writes: 50.0,                // (2100 - 2000) / 2 s
            read_bytes: 819_200.0,       // 3200 sectors * 512 / 2 s
            written_bytes: 409_600.0,    // 1600 sectors * 512 / 2 s
            reads_merged: 2.0,           // 4 / 2 s
            writes_merged: 15.0,         // 30 / 2 s
            read_await_ms: Some(0.5),    // 100 ms / 200 reads
            write_await_ms: Some(4.0),   // 400 ms / 100 writes
            flushes: 5.0,                // 10 / 2 s
            flush_await_ms: Some(2.0),   // 20 ms / 10 flushes
            discards: 1.0,               // 2 / 2 s
            discarded_bytes: 204_800.0,  // 800 sectors * 512 / 2 s
            discards_merged: 2.0,        // 4 / 2 s
            discard_await_ms: Some(1.5), // 3 ms / 2 discards
            queue: 1.0,                  // 2000 weighted ms / 2000 ms
            utilisation: 0.5,            // 1000 ms / 2000 ms
        };
        assert_eq!(rates(2.0), expected);
    }

    #[test]
    fn utilisation_stays_a_share() {
        assert_eq!(rates(0.5).utilisation, 1.0);
        assert_eq!(rates(0.0).reads, 0.0);
    }

    #[test]
    fn an_idle_disk_has_no_await() {
        let same = parse_diskstats(LATER)["nvme0n1"];
        let idle = same.rates_since(&same, Duration::from_secs(1), "nvme0n1");
        assert_eq!((idle.read_await_ms, idle.write_await_ms), (None, None));
        assert_eq!((idle.flush_await_ms, idle.discard_await_ms), (None, None));
        assert_eq!((idle.queue, idle.utilisation), (0.0, 0.0));
    }

    #[test]
    fn short_lines_are_left_out_and_old_kernels_have_fewer_columns() {
        let disks = parse_diskstats(EARLIER);
        assert_eq!(disks.keys().collect::<Vec<_>>(), ["nvme0n1", "nvme0n1p1"]);
        assert_eq!(disks["nvme0n1p1"].weighted_ms, 11);
        assert_eq!((disks["nvme0n1p1"].flushes, disks["nvme0n1p1"].discards), (0, 0));
        assert!(parse_diskstats("\u{fffd} text\n\n7 0").is_empty());
    }

    #[test]
    fn counters_wrap_at_32_and_64_bits_and_resets_count_as_nothing() {
        assert_eq!(advance(10, 25), 15.0);
        assert_eq!(advance((1 << 32) - 5, 7), 12.0);
        assert_eq!(advance(u64::MAX - 4, 7), 12.0);
        assert_eq!(advance(5_000, 3), 0.0);
        assert_eq!(advance(1 << 40, 3), 0.0);
    }
}
