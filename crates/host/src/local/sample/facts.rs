//! What the host is: the facts without which a result means nothing.

use super::mounts::mount_now;
use model::HostFacts;
use std::fs;
use std::path::Path;

/// Facts on this host, and on the file system of `sandbox_dir`. What can't be read is absent, or
/// empty where it is a plain string.
pub fn host_facts(sandbox_dir: Option<&Path>) -> HostFacts {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    HostFacts {
        hostname: line("/proc/sys/kernel/hostname").unwrap_or_default(),
        kernel: kernel(),
        os: os_name(&fs::read_to_string("/etc/os-release").unwrap_or_default()),
        cpu_model: cpu_model(&cpuinfo),
        cpus: online_cpus(),
        memory_bytes: memory_bytes(&fs::read_to_string("/proc/meminfo").unwrap_or_default()),
        governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        smt: line("/sys/devices/system/cpu/smt/active").map(|active| active == "1"),
        numa_nodes: cpu_list_length(&line("/sys/devices/system/node/online").unwrap_or_default()),
        virtualisation: virtualisation(&cpuinfo),
        disks: disks(),
        sandbox_filesystem: sandbox_dir.and_then(filesystem),
        clock_source: line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    }
}

/// Logical processors that are there.
pub(crate) fn online_cpus() -> u32 {
    cpu_list_length(&line("/sys/devices/system/cpu/online").unwrap_or_default())
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get() as u32))
}

/// Reads a text as each of the files.
pub(crate) fn read_texts(text: &str) {
    let _ = (os_name(text), cpu_model(text), memory_bytes(text), cpu_list_length(text.trim()));
}

/// The trimmed content of a one-line file; `None` when absent or empty.
fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn kernel() -> String {
    let part = |name| line(&format!("/proc/sys/kernel/{name}")).unwrap_or_default();
    let kernel = format!("{} {} {}", part("ostype"), part("osrelease"), std::env::consts::ARCH);
    kernel.trim().to_owned()
}

fn os_name(os_release: &str) -> String {
    os_release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map(|name| name.trim().trim_matches(['"', '\'']).to_owned())
        .unwrap_or_default()
}

/// The value of the first line `key : value` of `/proc/cpuinfo`.
fn cpuinfo_value<'a>(cpuinfo: &'a str, key: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then_some(value.trim())
    })
}

fn cpu_model(cpuinfo: &str) -> String {
    // Arm has no name here, only the numbers of implementer and part.
    if let Some(name) = cpuinfo_value(cpuinfo, "model name") {
        return name.to_owned();
    }
    match (cpuinfo_value(cpuinfo, "CPU implementer"), cpuinfo_value(cpuinfo, "CPU part")) {
        (Some(implementer), Some(part)) => format!("implementer {implementer} part {part}"),
        _ => String::new(),
    }
}

fn memory_bytes(meminfo: &str) -> u64 {
    meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|value| value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map_or(0, |kib| kib.saturating_mul(1024))
}

/// How many members a list such as `0-3,8` has; `None` when it is no such list.
fn cpu_list_length(list: &str) -> Option<u32> {
    list.split(',').try_fold(0_u32, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// What the host runs in, as far as it shows: a container, a virtual machine, or both.
fn virtualisation(cpuinfo: &str) -> Option<String> {
    let flags = cpuinfo_value(cpuinfo, "flags").unwrap_or_default();
    let dmi = |name: &str| line(&format!("/sys/class/dmi/id/{name}"));
    let machine = if flags.split(' ').any(|flag| flag == "hypervisor") {
        let name = line("/sys/hypervisor/type").or_else(|| {
            let name = [dmi("sys_vendor"), dmi("product_name")];
            let name: Vec<String> = name.into_iter().flatten().collect();
            (!name.is_empty()).then(|| name.join(" "))
        });
        Some(name.map_or("virtual machine".to_owned(), |name| format!("virtual machine ({name})")))
    } else {
        None
    };
    match (machine, container()) {
        (Some(machine), Some(container)) => Some(format!("{container} in a {machine}")),
        (machine, container) => machine.or(container),
    }
}

fn container() -> Option<String> {
    let has = |path| fs::exists(path).unwrap_or(false);
    if has("/.dockerenv") {
        Some("Docker container".to_owned())
    } else if has("/run/.containerenv") {
        Some("Podman container".to_owned())
    } else {
        line("/run/systemd/container").map(|kind| format!("{kind} container"))
    }
}

/// Every whole disk with a size, such as `nvme0n1: 894 GiB, not rotational, SAMSUNG …`.
fn disks() -> Vec<String> {
    let Ok(entries) = fs::read_dir("/sys/block") else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.iter().filter_map(|name| disk(name)).collect()
}

fn disk(name: &str) -> Option<String> {
    let attribute = |path: &str| line(&format!("/sys/block/{name}/{path}"));
    let bytes = attribute("size")?.parse::<u64>().ok()? * 512;
    if bytes == 0 {
        return None;
    }
    let (unit, size) = if bytes < 1 << 30 { ("MiB", 1 << 20) } else { ("GiB", 1 << 30) };
    let amount = bytes as f64 / f64::from(size);
    let decimals = if amount < 100.0 { 1 } else { 0 };
    let mut text = format!("{name}: {amount:.decimals$} {unit}");
    match attribute("queue/rotational").as_deref() {
        Some("1") => text.push_str(", rotational"),
        Some("0") => text.push_str(", not rotational"),
        _ => {}
    }
    if let Some(model) = attribute("device/model") {
        text.push_str(", ");
        text.push_str(&model);
    }
    Some(text)
}

/// The file system of a directory, or of the nearest parent that exists, such as
/// `ext4 on /dev/vda (rw,relatime)`.
fn filesystem(directory: &Path) -> Option<String> {
    let mount = mount_now(directory)?;
    Some(format!("{} on {} ({})", mount.kind, mount.source, mount.options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_counted() {
        assert_eq!(cpu_list_length("0"), Some(1));
        assert_eq!(cpu_list_length("0-3,8,10-11"), Some(7));
        assert_eq!(cpu_list_length("0-4294967295"), None);
        assert_eq!(cpu_list_length("3-1"), None);
        assert_eq!(cpu_list_length(""), None);
    }

    #[test]
    fn names_are_found_in_their_files() {
        assert_eq!(
            os_name("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n"),
            "Debian GNU/Linux 12"
        );
        assert_eq!(os_name("PRETTY_NAME=Plain\n"), "Plain");
        assert_eq!(os_name(""), "");
        assert_eq!(
            cpu_model("processor\t: 0\nmodel name\t: Xeon: 6246 @ 3.3\n"),
            "Xeon: 6246 @ 3.3"
        );
        assert_eq!(
            cpu_model("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
            "implementer 0x41 part 0xd0c"
        );
        assert_eq!(memory_bytes("MemTotal:       24731708 kB\n"), 25_325_268_992);
        assert_eq!(memory_bytes("nothing"), 0);
    }

    #[test]
    fn this_host_shows_its_facts() {
        let directory = std::env::temp_dir();
        let facts = host_facts(Some(&directory.join("not/made/yet")));
        assert!(facts.kernel.starts_with("Linux "), "{facts:?}");
        assert!(facts.cpus >= 1 && facts.memory_bytes > 1 << 20, "{facts:?}");
        assert!(!facts.hostname.is_empty() && facts.sandbox_filesystem.is_some(), "{facts:?}");
    }
}
