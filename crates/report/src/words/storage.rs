//! Loads on storage, in words.

use super::processors::shared;
use crate::numbers;
use analyse::{DeviceBytes, Evidence, Finding, SustainedRate};
use model::{BlockOrder, Noun, Storage};

/// What is read and written: `70 % reads of 16 KiB at random, of 40 GiB of each of 50 virtual
/// machines`.
pub fn load(storage: &Storage) -> String {
    let order = match storage.order {
        BlockOrder::Random => "at random",
        BlockOrder::Sequential => "one after another",
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
        text.push_str(&format!(", each held to {limit} IOs/s"));
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

/// What may be promised, with its conditions: the target's name goes before.
pub(super) fn promise(promise: &SustainedRate) -> String {
    let SustainedRate { bound, rate, measured, load: storage, in_flight, step, repeats } = promise;
    let whole = rate.floor() as u64;
    let interval = match measured.interval {
        Some(_) => format!(", the lower end of {}", numbers::estimate(measured, "IOs/s")),
        None => ", the lowest rate that any repeat bore".to_owned(),
    };
    format!(
        "may promise up to {} {}/s with {bound}{interval}; as measured for {}, with up to {in_flight} \
         in flight on each, in steps of {}, in {}",
        numbers::count(whole),
        Noun::IO,
        load(storage),
        numbers::duration(*step),
        numbers::counted(*repeats, "repeat"),
    )
}

/// Whether one sentence can say both.
pub(super) fn alike(a: &DeviceBytes, b: &DeviceBytes) -> bool {
    a.writes == b.writes && (a.device > a.weighin) == (b.device > b.weighin)
}

/// Block devices that moved more or fewer bytes than weighin.
pub(super) fn device_bytes(findings: &[&Finding]) -> String {
    let all: Vec<&DeviceBytes> = findings
        .iter()
        .filter_map(|finding| match &finding.evidence {
            Evidence::DeviceBytes(bytes) => Some(bytes),
            _ => None,
        })
        .collect();
    let Some(first) = all.first() else { return String::new() };
    let (device, weighin) = (
        all.iter().map(|bytes| bytes.device).sum::<u64>(),
        all.iter().map(|bytes| bytes.weighin).sum::<u64>(),
    );
    let verb = if first.writes { "wrote" } else { "read" };
    let (device_says, own) = (numbers::bytes(device), numbers::bytes(weighin));
    if device > weighin {
        format!(
            "the block devices {verb} {device_says} while weighin {verb} {own}: the rest is of file \
             systems and others on these devices, so whether the counts agree is not known"
        )
    } else {
        format!(
            "the block devices {verb} only {device_says} while weighin {verb} {own}: something \
             between them, such as a cache or compression, did the rest"
        )
    }
}
