//! Volumes of another machine: its agent holds them, as [`crate::Local`] does here, until it is told to
//! let them go or its lead is gone.

use super::channel::Channel;
use super::held::{Held, value};
use super::wire::{Answered, Order, VolumeOrder};
use crate::question::{
    ANSWER_TIMEOUT, HeldVolume, Host, LONGEST, Looking, Share, Space, VolumeFacts,
};
use engine::storage::{FileSpec, Filling};
use model::{Failure, FailureKind, Stop, VolumeLayout, VolumePlace};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long trying a volume may take, whose device may have to wake up.
const HOLD_TIMEOUT: Duration = Duration::from_secs(120);
/// How often the lead is told how far that is.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);
/// Volumes that an agent holds at a time.
const MOST_VOLUMES: usize = 256;

/// The volumes that an agent holds for its lead.
pub(super) struct HeldVolumes(Held<Box<dyn HeldVolume>>);

impl Default for HeldVolumes {
    fn default() -> Self {
        Self(Held::new("volume", MOST_VOLUMES))
    }
}

impl HeldVolumes {
    /// Does what order `number` says, telling how far it is where that takes long.
    pub(super) fn carry_out(
        &self,
        host: &dyn Host,
        number: u64,
        order: VolumeOrder,
        stop: &Stop,
        tell: &dyn Fn(u64, u64),
    ) -> Answered {
        let mut told = Instant::now();
        let mut progress = |done, of| {
            if told.elapsed() >= PROGRESS_INTERVAL {
                told = Instant::now();
                tell(done, of);
            }
        };
        match order {
            VolumeOrder::Hold { path, block } => {
                let volume = host.hold_volume(&path, block)?;
                let facts = volume.facts().clone();
                self.0.hold(number, volume)?;
                // Of an order that was cancelled nobody would let it go.
                if stop.is_requested() {
                    drop(self.0.take(number));
                    return Err(Failure::stopped());
                }
                value(facts)
            }
            VolumeOrder::CheckSame { held } => self.with(held, |volume| volume.check_same()),
            VolumeOrder::CheckContents { held, place, consented, layout } => {
                let looking = Looking { stop, progress: &mut progress };
                self.with(held, |volume| volume.check_contents(&place, consented, layout, looking))
            }
            VolumeOrder::Space { held } => self.with(held, |volume| volume.space()),
            VolumeOrder::Files { held, share } => self.with(held, |volume| volume.files(&share)),
            VolumeOrder::IsFilled { held, share } => {
                self.with(held, |volume| volume.is_filled(&share))
            }
            VolumeOrder::Fill { held, share, seed, unit } => {
                let filling = Filling { seed, unit, method: None, stop, progress: &mut progress };
                self.with(held, |volume| volume.fill(&share, filling))
            }
            VolumeOrder::LetGo { held } => {
                drop(self.0.take(held));
                value(())
            }
        }
    }

    fn with<T: Serialize>(
        &self,
        held: u64,
        act: impl FnOnce(&mut dyn HeldVolume) -> Result<T, Failure>,
    ) -> Answered {
        self.0.with(held, |volume| value(act(volume.as_mut())?))
    }

    pub(super) fn end(&self) {
        self.0.end();
    }
}

/// A volume there, held by its agent; let go when this is dropped.
#[derive(Debug)]
pub(super) struct RemoteVolume {
    channel: Arc<Channel>,
    number: u64,
    path: PathBuf,
    facts: VolumeFacts,
    stop: Stop,
}

impl RemoteVolume {
    pub(super) fn hold(
        channel: &Arc<Channel>,
        path: &Path,
        block: u32,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let order = Order::Volume(VolumeOrder::Hold { path: path.to_owned(), block });
        let (number, facts) = channel.ask_numbered(order, HOLD_TIMEOUT, stop)?;
        let (channel, path, stop) = (Arc::clone(channel), path.to_owned(), stop.clone());
        Ok(Self { channel, number, path, facts, stop })
    }

    fn ask<T: serde::de::DeserializeOwned>(&self, order: VolumeOrder) -> Result<T, Failure> {
        self.channel.ask(Order::Volume(order), ANSWER_TIMEOUT, &self.stop)
    }
}

impl Drop for RemoteVolume {
    fn drop(&mut self) {
        self.channel.let_go(Order::Volume(VolumeOrder::LetGo { held: self.number }));
    }
}

impl HeldVolume for RemoteVolume {
    fn facts(&self) -> &VolumeFacts {
        &self.facts
    }

    fn check_same(&self) -> Result<(), Failure> {
        self.ask(VolumeOrder::CheckSame { held: self.number })
    }

    fn check_contents(
        &mut self,
        place: &VolumePlace,
        consented: bool,
        layout: VolumeLayout,
        looking: Looking<'_>,
    ) -> Result<Option<String>, Failure> {
        let (held, place) = (self.number, place.clone());
        let order = VolumeOrder::CheckContents { held, place, consented, layout };
        let Looking { stop, progress } = looking;
        self.channel.ask_at_length(Order::Volume(order), LONGEST, stop, progress)
    }

    fn space(&self) -> Result<Option<Space>, Failure> {
        self.ask(VolumeOrder::Space { held: self.number })
    }

    fn files(&self, share: &Share) -> Result<Vec<FileSpec>, Failure> {
        let order = VolumeOrder::Files { held: self.number, share: share.clone() };
        let files: Vec<FileSpec> = self.ask(order)?;
        let bytes = share.layout.bytes_per_vm;
        // What it says is not trusted: each virtual machine has its own, as long as asked for.
        let are_of_share = files.len() == share.vms.len()
            && files.iter().zip(&share.vms).all(|(file, vm)| {
                file.vm == *vm && file.volume == share.volume && file.length == bytes
            });
        if are_of_share {
            return Ok(files);
        }
        Err(Failure::new(
            FailureKind::Other,
            format!("the agent names other files on {} than were asked for", self.path.display()),
            "see what runs there as weighin: `weighin hosts --clean STUDY` removes the copies",
        ))
    }

    fn is_filled(&self, share: &Share) -> Result<bool, Failure> {
        self.ask(VolumeOrder::IsFilled { held: self.number, share: share.clone() })
    }

    fn fill(&mut self, share: &Share, filling: Filling<'_>) -> Result<(), Failure> {
        let Filling { seed, unit, stop, progress, method: _ } = filling;
        let order = VolumeOrder::Fill { held: self.number, share: share.clone(), seed, unit };
        self.channel.ask_at_length(Order::Volume(order), LONGEST, stop, progress)
    }
}
