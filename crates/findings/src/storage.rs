//! Loads on storage, in words.

use super::processors::shared;
use crate::numbers;
use model::{BlockOrder, Storage};

/// What is read and written: `70 % reads of 16 KiB at random, of 40 GiB of each of 50 virtual
/// machines`.
pub fn load(storage: &Storage) -> String {
    let order = match storage.order {
        BlockOrder::Random => "at random",
        BlockOrder::Sequential => "sequentially",
    };
    let mut text = format!("{} {order}", share(storage));
    if let Some(hot) = storage.hot {
        text.push_str(&format!(
            " ({} % of them in {} % of the space)",
            hot.io_percent, hot.space_percent
        ));
    }
    let data = numbers::size(storage.bytes_per_vm);
    match storage.vms {
        1 => text.push_str(&format!(", {data} of one virtual machine")),
        vms => text.push_str(&format!(
            ", {data} of each of {} virtual machines",
            numbers::count(vms.into())
        )),
    }
    if storage.threads > 1 {
        text.push_str(&format!(" with {} threads", storage.threads));
    }
    if let Some(shared) = shared(storage) {
        text.push_str(&format!(", {shared}"));
    }
    match storage.sync_every {
        Some(1) => text.push_str(", fdatasync after every write"),
        Some(writes) => text.push_str(&format!(", fdatasync after every {writes} writes")),
        None => {}
    }
    if let Some(limit) = storage.iops_limit {
        let limit = numbers::count(limit.into());
        text.push_str(&format!(", each limited to {limit} IOs/s"));
    }
    if storage.verify {
        text.push_str(", every block verified");
    }
    text
}

/// Reads and writes among all, and the sizes of blocks.
fn share(storage: &Storage) -> String {
    let kinds = match storage.read_percent {
        100 => "reads".to_owned(),
        0 => "writes".to_owned(),
        reads => format!("{reads} % reads and {} % writes", 100_u8.saturating_sub(reads)),
    };
    let size = |bytes: u32| numbers::size(bytes.into());
    match storage.blocks.as_slice() {
        [one] => format!("{kinds} of {}", size(one.bytes)),
        several => {
            let weights: u32 = several.iter().map(|share| share.weight).sum();
            let part = |share: &model::BlockShare| {
                let part = f64::from(share.weight) / f64::from(weights.max(1));
                format!("{} ({})", size(share.bytes), numbers::percent(part))
            };
            let parts: Vec<String> = several.iter().map(part).collect();
            format!("{kinds} of {}", parts.join(", "))
        }
    }
}
