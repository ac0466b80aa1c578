//! The columns of disks, which every version of sysstat has named and ordered anew.

use model::DiskRates;

/// Sectors are of 512 bytes, whatever the device's own.
const SECTOR: f64 = 512.0;
const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * 1024.0;

/// Columns without which a disk's work is not known.
const NEEDED: [&str; 3] = ["r/s", "w/s", "%util"];

/// The columns of a heading.
pub(super) struct Columns(Vec<String>);

impl Columns {
    pub(super) fn from_heading(heading: &str) -> Result<Self, String> {
        let names: Vec<String> = heading.split_whitespace().skip(1).map(str::to_owned).collect();
        match NEEDED.iter().find(|needed| !names.iter().any(|name| name == *needed)) {
            Some(missing) => Err(format!("these disks have no column {missing}")),
            None => Ok(Self(names)),
        }
    }

    /// Reads a device's line.
    pub(super) fn read(&self, line: &str) -> Result<DiskRates, String> {
        let mut words = line.split_whitespace();
        let device = words.next().unwrap_or_default();
        let values: Option<Vec<f64>> = words.map(number).collect();
        let values = values.filter(|values| values.len() == self.0.len());
        let values = values.ok_or_else(|| format!("not understood: «{line}»"))?;
        let find = |name: &str| {
            self.0.iter().zip(&values).find(|(known, _)| *known == name).map(|(_, value)| *value)
        };
        Ok(disk(device.trim_end_matches(':'), &find))
    }
}

/// A disk's work, from its figures by the names of their columns.
pub(super) fn disk(device: &str, find: &dyn Fn(&str) -> Option<f64>) -> DiskRates {
    let value = |name: &str| find(name).unwrap_or(0.0);
    let bytes = |of: char| {
        value(&format!("{of}kB/s")) * KIB
            + value(&format!("{of}MB/s")) * MIB
            + value(&format!("{of}sec/s")) * SECTOR
    };
    let (reads, writes) = (value("r/s"), value("w/s"));
    let (discards, flushes) = (value("d/s"), value("f/s"));
    // Before sysstat 10 there is one wait for both, which is that of either if the other has
    // none.
    let wait = |name: &str, own: f64, other: f64| {
        let both = || find("await").filter(|_| other == 0.0);
        find(name).or_else(both).filter(|_| own > 0.0)
    };
    DiskRates {
        device: device.to_owned(),
        reads,
        writes,
        read_bytes: bytes('r'),
        written_bytes: bytes('w'),
        reads_merged: value("rrqm/s"),
        writes_merged: value("wrqm/s"),
        read_await_ms: wait("r_await", reads, writes),
        write_await_ms: wait("w_await", writes, reads),
        flushes,
        flush_await_ms: find("f_await").filter(|_| flushes > 0.0),
        discards,
        discarded_bytes: bytes('d'),
        discards_merged: value("drqm/s"),
        discard_await_ms: find("d_await").filter(|_| discards > 0.0),
        queue: find("aqu-sz").unwrap_or_else(|| value("avgqu-sz")),
        utilisation: (value("%util") / 100.0).min(1.0),
    }
}

/// A number, with the comma that some languages have for the point.
pub(super) fn number(text: &str) -> Option<f64> {
    let value: f64 = text.replace(',', ".").parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}
