use model::VolumeLayout;

/// The beginning and the end that weighin keeps free of data, in bytes.
pub(super) const EDGE: u64 = 1 << 20;
/// Bytes at the very beginning in which weighin's own mark stands.
pub(super) const MARK_BYTES: u64 = 4096;
/// What the mark of a volume begins with.
pub(super) const TITLE: &str = "weighin storage 1\n";

/// By what weighin knows its own data again, and how much there is of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Virtual machines on this volume, and bytes of each.
    pub(super) layout: VolumeLayout,
    /// Whether all of it has been written once.
    pub(super) filled: bool,
    /// Where ends whatever weighin has ever written here, in bytes from the beginning: an earlier
    /// layout may have been larger. What is behind it is not weighin's.
    pub(super) end: u64,
}

impl Mark {
    /// That of a layout, on a volume that had another mark before, or none.
    pub(super) fn new(layout: VolumeLayout, filled: bool, before: Option<&Self>) -> Self {
        let end = end_of(layout).max(before.map_or(0, |mark| mark.end));
        Self { layout, filled, end }
    }

    /// The text of the mark, which people may read as well.
    pub(super) fn text(&self) -> String {
        let VolumeLayout { vms, bytes_per_vm } = self.layout;
        let filled = if self.filled { "yes" } else { "no" };
        format!(
            "{TITLE}Made by weighin to measure this volume; weighin cleanup removes it.\n\
             vms {vms}\nbytes {bytes_per_vm}\nfilled {filled}\nend {}\n",
            self.end
        )
    }

    /// What a text says; `None` for one that is no mark.
    pub(super) fn read(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(TITLE)?;
        let value =
            |name: &str| rest.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let layout = VolumeLayout {
            vms: value("vms")?.parse().ok()?,
            bytes_per_vm: value("bytes")?.parse().ok()?,
        };
        // A layout that takes more than any device has is no mark of weighin's.
        let end = value("end")?.parse().ok().filter(|end| *end >= end_of(layout))?;
        Some(Self { layout, filled: value("filled")? == "yes", end })
    }

    /// Whether what is there serves a layout: the same bytes for each virtual machine, and no fewer
    /// of them.
    pub(super) fn serves(&self, layout: VolumeLayout) -> bool {
        self.layout.bytes_per_vm == layout.bytes_per_vm && self.layout.vms >= layout.vms
    }
}

/// Where the data of a layout ends, in bytes from the beginning of its volume.
pub(super) fn end_of(layout: VolumeLayout) -> u64 {
    EDGE.saturating_add(u64::from(layout.vms).saturating_mul(layout.bytes_per_vm))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let layout = VolumeLayout { vms: 50, bytes_per_vm: 40 << 30 };
        for filled in [true, false] {
            let mark = Mark::new(layout, filled, None);
            assert_eq!(Mark::read(&mark.text()), Some(mark));
            assert_eq!(mark.end, EDGE + 50 * (40 << 30));
        }
        assert_eq!(Mark::read("weighin storage 1\nvms many\n"), None);
        assert_eq!(Mark::read("something else"), None);
        let less = Mark::new(layout, true, None).text().replace("end ", "end 1\nfill ");
        assert_eq!(Mark::read(&less), None);
    }

    #[test]
    fn a_smaller_layout_forgets_nothing_that_was_written() {
        let of = |vms| VolumeLayout { vms, bytes_per_vm: 100 };
        let large = Mark::new(of(4), true, None);
        let small = Mark::new(of(1), true, Some(&large));
        assert_eq!(small.end, large.end);
        assert_eq!(Mark::new(of(5), true, Some(&small)).end, EDGE + 500);
    }

    #[test]
    fn more_machines_serve_fewer_but_not_larger_ones() {
        let of = |vms, bytes_per_vm| VolumeLayout { vms, bytes_per_vm };
        let mark = Mark::new(of(4, 100), true, None);
        assert!(mark.serves(of(3, 100)) && !mark.serves(of(5, 100)) && !mark.serves(of(3, 50)));
    }
}
