//! A whole run in a new file.

use crate::lock::WriterLock;
use crate::{Store, StoreError, beside, extension, file, run};
use model::{Block, Dataset, Plan, ReadLimit, RunInfo};
use std::path::Path;

impl Store {
    /// Writes all that is known of a run into a new file, and holds that for writing.
    ///
    /// # Errors
    /// When the file exists or cannot be made, or the run is none that a store can hold; no file
    /// stays then.
    pub fn create_from(path: &Path, dataset: &Dataset) -> Result<Self, StoreError> {
        let lock = WriterLock::take(path)?;
        // Asked with the lock held: from here on nobody else makes it. A link that leads nowhere is
        // there as well.
        if path.symlink_metadata().is_ok() {
            return Err(StoreError::Exists(path.to_path_buf()));
        }
        let blocks = |extension: u32| -> Vec<Block> {
            let blocks = dataset.plan.blocks.iter();
            blocks.filter(|block| block.extension == extension).cloned().collect()
        };
        let plan = Plan { seed: dataset.plan.seed, blocks: blocks(0) };
        let first = RunInfo { extensions: Vec::new(), ..dataset.run.clone() };
        file::create(path, &dataset.study, &plan, &first)?;
        let fill = |mut store: Self| {
            let mut read = None;
            store.write(|connection| {
                for (number, one) in (1..).zip(&dataset.run.extensions) {
                    extension::insert(connection, number, one, None, &blocks(number))?;
                }
                // What could not be read again is not kept.
                read = Some(run::select(connection)?);
                Ok(())
            })?;
            store.read_anew(read);
            let superseded = dataset.superseded.iter().map(|one| &one.record);
            let mut records: Vec<_> = dataset.trials.iter().chain(superseded).collect();
            records.sort_by_key(|record| record.position);
            for record in records {
                store.append(record)?;
            }
            dataset.targets.iter().try_for_each(|facts| store.record_target(facts))?;
            dataset.notes.iter().try_for_each(|note| store.add_note(note))?;
            dataset.instances.iter().try_for_each(|one| store.record_instance(one))?;
            Ok(store)
        };
        Self::writer(path, lock, ReadLimit::NONE)
            .and_then(fill)
            .inspect_err(|_| beside::remove(path))
    }
}
