use model::VolumeLayout;

/// What the mark of a volume begins with.
pub(super) const TITLE: &str = "weighin storage 1\n";

/// By what weighin knows its own data again, and how much there is of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Virtual machines on this volume, and bytes of each.
    pub(super) layout: VolumeLayout,
    /// Whether all of it has been written once.
    pub(super) filled: bool,
}

impl Mark {
    /// The text of the mark, which people may read as well.
    pub(super) fn text(&self) -> String {
        let VolumeLayout { vms, bytes_per_vm } = self.layout;
        let filled = if self.filled { "yes" } else { "no" };
        format!(
            "{TITLE}Made by weighin to measure this volume; weighin cleanup removes it.\n\
             vms {vms}\nbytes {bytes_per_vm}\nfilled {filled}\n"
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
        Some(Self { layout, filled: value("filled")? == "yes" })
    }

    /// Whether what is there serves a layout: the same bytes for each virtual machine, and no fewer
    /// of them.
    pub(super) fn serves(&self, layout: VolumeLayout) -> bool {
        self.layout.bytes_per_vm == layout.bytes_per_vm && self.layout.vms >= layout.vms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let layout = VolumeLayout { vms: 50, bytes_per_vm: 40 << 30 };
        for filled in [true, false] {
            let mark = Mark { layout, filled };
            assert_eq!(Mark::read(&mark.text()), Some(mark));
        }
        assert_eq!(Mark::read("weighin storage 1\nvms many\n"), None);
        assert_eq!(Mark::read("something else"), None);
    }

    #[test]
    fn more_machines_serve_fewer_but_not_larger_ones() {
        let of = |vms, bytes_per_vm| VolumeLayout { vms, bytes_per_vm };
        let mark = Mark { layout: of(4, 100), filled: true };
        assert!(mark.serves(of(3, 100)) && !mark.serves(of(5, 100)) && !mark.serves(of(3, 50)));
    }
}
