//! How many processes make the load of a test.

use crate::keys::LoadKeys;
use crate::problem::Problems;
use model::{Level, Storage};

/// The load generators of a test on a server with these levels: every one of them needs a client.
pub(crate) fn of_clients(keys: &LoadKeys, levels: &[Level], problems: &mut Problems) -> u32 {
    let count = count(keys, problems);
    let fewest = levels.iter().map(|level| level.clients).min();
    if let (Some(at), Some(clients)) =
        (keys.load_generators.place(), fewest.filter(|&few| few < count))
    {
        let least = problems.notation.setting("clients", &count.to_string());
        problems
            .add(
                at,
                format!(
                    "{count} load generators cannot share a level of {clients} {}",
                    if clients == 1 { "client" } else { "clients" }
                ),
            )
            .help(format!("every generator needs a client: begin with {least}, or more"));
    }
    count
}

/// Those of a test on storage: every one of them needs a virtual machine.
pub(crate) fn of_vms(keys: &LoadKeys, storage: &Storage, problems: &mut Problems) -> u32 {
    let (count, vms) = (count(keys, problems), storage.vms);
    let Some(at) = keys.load_generators.place() else { return count };
    if count > vms {
        let noun = if vms == 1 { "virtual machine" } else { "virtual machines" };
        let least = problems.notation.setting("vms", &count.to_string());
        problems
            .add(at, format!("{count} load generators cannot share {vms} {noun}"))
            .help(format!("every generator needs one: write {least}, or more"));
    } else if count > 1 && storage.oversubscription.is_some() {
        let keys = ["load_generators", "cpu_oversubscription"].map(|key| problems.key(key));
        problems
            .add(at, "virtual machines that share processors are driven by one process")
            .help(format!("leave out {}", keys.join(", or ")));
    }
    count
}

fn count(keys: &LoadKeys, problems: &mut Problems) -> u32 {
    keys.load_generators.value("load_generators", problems)
}
