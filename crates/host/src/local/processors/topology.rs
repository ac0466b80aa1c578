//! Which processors a machine has, and equal sets of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A processor core: its hardware threads, which share what it has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Core {
    /// What makes cores alike: how fast they are where the kernel tells, and how many threads they have.
    kind: (u64, usize),
    /// The package that it is in; those of one package share a cache.
    package: u64,
    pub(super) threads: Vec<u32>,
}

/// The cores that this process may use, as far as it may use them.
pub(super) fn cores() -> Vec<Core> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = allowed_in(&status).unwrap_or_default();
    cores_of(Path::new("/sys/devices/system/cpu"), &allowed)
}

/// The processors that a process may use, by its `/proc/<pid>/status`.
pub(crate) fn allowed_in(status: &str) -> Option<Vec<u32>> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(listed(list))
}

/// The numbers in a list such as `0-3,8`.
fn listed(list: &str) -> Vec<u32> {
    let range = |part: &str| -> Option<std::ops::RangeInclusive<u32>> {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some(from.parse().ok()?..=to.parse().ok()?)
    };
    // No kernel has more.
    let most = |range: &std::ops::RangeInclusive<u32>| *range.end() < 1 << 16;
    list.trim().split(',').filter_map(range).filter(most).flatten().collect()
}

/// Such a list of numbers in rising order.
pub(super) fn list(processors: &[u32]) -> String {
    let words: Vec<String> = processors.iter().map(u32::to_string).collect();
    words.join(",")
}

fn cores_of(sysfs: &Path, allowed: &[u32]) -> Vec<Core> {
    let mut cores: BTreeMap<Vec<u32>, Core> = BTreeMap::new();
    for &processor in allowed {
        let of = sysfs.join(format!("cpu{processor}"));
        let text = |name: &str| fs::read_to_string(of.join(name)).unwrap_or_default();
        let number = |name: &str| text(name).trim().parse().unwrap_or(0);
        let mut siblings = listed(&text("topology/thread_siblings_list"));
        if !siblings.contains(&processor) {
            siblings = vec![processor];
        }
        let core = cores.entry(siblings).or_insert_with(|| Core {
            kind: (number("cpu_capacity"), 0),
            package: number("topology/physical_package_id"),
            threads: Vec::new(),
        });
        core.threads.push(processor);
        core.kind.1 += 1;
    }
    cores.into_values().collect()
}

/// So many sets of whole cores, as large as they can be: each has as many cores of each kind as the
/// others. Cores that are neighbours stay together. `None` where there are too few for a core each.
pub(super) fn equal_sets(mut cores: Vec<Core>, count: usize) -> Option<Vec<Vec<u32>>> {
    let mut sets = vec![Vec::new(); count];
    cores.sort();
    for alike in cores.chunk_by(|one, next| one.kind == next.kind) {
        let each = alike.len() / count.max(1);
        if each == 0 {
            continue;
        }
        for (set, own) in sets.iter_mut().zip(alike.chunks(each)) {
            set.extend(own.iter().flat_map(|core| core.threads.iter().copied()));
        }
    }
    sets.iter_mut().for_each(|set| set.sort_unstable());
    sets.first().is_some_and(|set| !set.is_empty()).then_some(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cores with these threads, of so many packages.
    fn machine(cores: &[&[u32]], packages: usize) -> (tempfile::TempDir, Vec<u32>) {
        let sysfs = tempfile::tempdir().unwrap();
        let each = cores.len().div_ceil(packages);
        for (number, threads) in cores.iter().enumerate() {
            for processor in *threads {
                let topology = sysfs.path().join(format!("cpu{processor}/topology"));
                fs::create_dir_all(&topology).unwrap();
                fs::write(topology.join("thread_siblings_list"), list(threads)).unwrap();
                let package = (number / each).to_string();
                fs::write(topology.join("physical_package_id"), package).unwrap();
            }
        }
        let mut all = cores.concat();
        all.sort_unstable();
        (sysfs, all)
    }

    fn sets(cores: &[&[u32]], packages: usize, count: usize) -> Option<Vec<Vec<u32>>> {
        let (sysfs, all) = machine(cores, packages);
        equal_sets(cores_of(sysfs.path(), &all), count)
    }

    #[test]
    fn sets_are_equal_and_threads_of_a_core_stay_together() {
        assert_eq!(sets(&[&[0], &[1]], 1, 2), Some(vec![vec![0], vec![1]]));
        // One is left to whoever else needs it.
        assert_eq!(sets(&[&[0], &[1], &[2]], 1, 2), Some(vec![vec![0], vec![1]]));
        let smt: &[&[u32]] = &[&[0, 4], &[1, 5], &[2, 6], &[3, 7]];
        assert_eq!(sets(smt, 1, 2), Some(vec![vec![0, 1, 4, 5], vec![2, 3, 6, 7]]));
        assert_eq!(sets(smt, 1, 3).unwrap()[2], [2, 6]);
        // Two threads of one core are no two sets.
        assert_eq!(sets(&[&[0, 1]], 1, 2), None);
        assert_eq!(sets(&[&[0]], 1, 2), None);
    }

    #[test]
    fn packages_and_kinds_of_cores_are_divided_alike() {
        // Numbered across the packages, as many kernels do.
        let two: &[&[u32]] = &[&[0], &[2], &[1], &[3]];
        assert_eq!(sets(two, 2, 2), Some(vec![vec![0, 2], vec![1, 3]]));
        // Two fast cores of two threads, and four slow ones of one.
        let hybrid: &[&[u32]] = &[&[0, 1], &[2, 3], &[4], &[5], &[6], &[7]];
        assert_eq!(sets(hybrid, 1, 2), Some(vec![vec![0, 1, 4, 5], vec![2, 3, 6, 7]]));
        // One fast core cannot be divided.
        assert_eq!(sets(&[&[0, 1], &[2], &[3]], 1, 2), Some(vec![vec![2], vec![3]]));
    }

    #[test]
    fn only_what_this_process_may_use_is_divided() {
        let (sysfs, _) = machine(&[&[0, 2], &[1, 3]], 1);
        let cores = cores_of(sysfs.path(), &[1, 2, 3]);
        assert_eq!(equal_sets(cores, 2), None, "the cores are no more alike");
        assert_eq!(allowed_in("Name:\tx\nCpus_allowed_list:\t0-1,4\n"), Some(vec![0, 1, 4]));
        assert_eq!(listed("0-4294967295"), Vec::<u32>::new());
        assert!(!super::cores().is_empty());
    }
}
