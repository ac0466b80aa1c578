use model::{Place, PlacedVolume, Study, Test, VolumeLayout};

/// What a study needs of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeSpace<'a> {
    /// The target that the volume belongs to.
    pub target: &'a str,
    /// Where it is.
    pub volume: PlacedVolume<'a>,
    /// Virtual machines on it, in the test with the most.
    pub vms: u32,
    /// Bytes that its files take, all of which are written once before the first trial.
    pub bytes: u64,
}

/// Disk space that the study needs, volume by volume; none without targets of storage.
pub fn space(study: &Study) -> Vec<VolumeSpace<'_>> {
    let layout = VolumeLayout::of(study.tests.iter().filter_map(Test::storage));
    let mut needs = Vec::new();
    for target in &study.targets {
        let Place::Storage(place) = &target.place else { continue };
        for (number, volume) in place.placed().enumerate() {
            let vms = place.vms_on(number, layout.vms);
            let bytes = u64::from(vms).saturating_mul(layout.bytes_per_vm);
            needs.push(VolumeSpace { target: &target.name, volume, vms, bytes });
        }
    }
    needs
}
