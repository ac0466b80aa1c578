//! Which process serves a connection: `/proc/net/tcp`, `/proc/<pid>/fd` and what the process shows.

use super::os::read_stat;
use super::sample::volume_of;
use crate::question::{Ends, ProcessClue, RunningServer};
use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The process at the other end of a connection, if it is on this machine, may be looked at, and is
/// what the server says of itself.
pub(super) fn find(ends: &Ends, clue: &ProcessClue) -> Option<RunningServer> {
    let pid = match ends {
        Ends::Unix { listener } => (*listener)?,
        Ends::Tcp { own, peer } => holder(&inode_of(*peer, *own)?)?,
        Ends::Translated => only_listener(clue)?,
    };
    let pid = first_of(pid);
    let directory = PathBuf::from(format!("/proc/{pid}/cwd"));
    let path = fs::read_link(&directory).ok().filter(|path| same_file(&directory, path));
    let volume = path.as_deref().and_then(volume_of);
    is_meant(pid, clue).then(|| RunningServer {
        pid,
        shares_files: path.is_some(),
        disks: volume.map_or(Vec::new(), |volume| volume.members.into_iter().collect()),
        control_groups: control_groups(pid),
    })
}

/// The first of the processes of a server that makes one for each connection: its parent, as long as that
/// has the same name and works in the same directory.
fn first_of(mut pid: u32) -> u32 {
    let name = |pid: u32| fs::read(format!("/proc/{pid}/comm")).ok();
    let directory = |pid: u32| PathBuf::from(format!("/proc/{pid}/cwd"));
    while let Some(parent) = read_stat(pid).map(|stat| stat.parent)
        && name(parent).is_some_and(|parent| Some(parent) == name(pid))
        && same_file(&directory(parent), &directory(pid))
    {
        pid = parent;
    }
    pid
}

/// The control groups of a process: a line for each hierarchy, `number:controllers:path`.
fn control_groups(pid: u32) -> Vec<String> {
    let lines = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let path = |line: &str| Some(line.splitn(3, ':').nth(2)?.to_owned());
    lines.lines().filter_map(path).collect()
}

/// The number of the socket whose own address is `local`, and which is connected to `remote`.
fn inode_of(local: SocketAddr, remote: SocketAddr) -> Option<String> {
    // A server that listens on all addresses of version 6 has its sockets of version 4 there too.
    ["/proc/net/tcp", "/proc/net/tcp6"].into_iter().find_map(|table| {
        let table = fs::read_to_string(table).ok()?;
        inode_in(&table, local, remote)
    })
}

/// The number of a socket in a table like `/proc/net/tcp`.
fn inode_in(table: &str, local: SocketAddr, remote: SocketAddr) -> Option<String> {
    let (local, remote) = (in_table(local), in_table(remote));
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let of_connection = local.iter().any(|ip| fields.get(1) == Some(&ip.as_str()))
            && remote.iter().any(|ip| fields.get(2) == Some(&ip.as_str()));
        // Nobody holds number 0: a connection that is not accepted yet.
        fields.get(9).filter(|&&inode| of_connection && inode != "0").map(|&inode| inode.to_owned())
    })
}

/// An address as the kernel writes it there: words of four bytes, in the order of this machine, and
/// the port. One of version 4 can also be written as one of version 6.
fn in_table(address: SocketAddr) -> Vec<String> {
    let words = |bytes: &[u8]| -> String {
        let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
        words.map(|word| format!("{:08X}", u32::from_ne_bytes(word))).collect()
    };
    let ips = match address.ip().to_canonical() {
        IpAddr::V4(ip) => vec![words(&ip.octets()), words(&ip.to_ipv6_mapped().octets())],
        IpAddr::V6(ip) => vec![words(&ip.octets())],
    };
    ips.into_iter().map(|ip| format!("{ip}:{:04X}", address.port())).collect()
}

/// The process that has a socket open.
fn holder(inode: &str) -> Option<u32> {
    let socket = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(|pid| {
        let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        files.flatten().any(|file| {
            fs::read_link(file.path()).is_ok_and(|to| to.as_os_str() == socket.as_str())
        })
    })
}

/// The one process that listens for TCP and is what a server says of itself; `None` where there are
/// several, or none.
fn only_listener(clue: &ProcessClue) -> Option<u32> {
    /// As the kernel writes it.
    const LISTENS: &str = "0A";
    let mut sockets = BTreeSet::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let table = fs::read_to_string(table).unwrap_or_default();
        let lines = table.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
        let listening = lines.filter(|fields| fields.get(3) == Some(&LISTENS));
        sockets.extend(listening.filter_map(|fields| fields.get(9).map(ToString::to_string)));
    }
    let meant = sockets.iter().filter_map(|inode| holder(inode)).filter(|pid| is_meant(*pid, clue));
    let meant: BTreeSet<u32> = meant.collect();
    (meant.len() == 1).then(|| meant.first().copied()).flatten()
}

fn is_meant(pid: u32, clue: &ProcessClue) -> bool {
    match clue {
        ProcessClue::WorkingDirectory(path) => {
            let Ok(path) = path.strip_prefix("/") else { return false };
            // As the process sees it, which may have another root.
            let seen = PathBuf::from(format!("/proc/{pid}/root")).join(path);
            same_file(&PathBuf::from(format!("/proc/{pid}/cwd")), &seen)
        }
        ProcessClue::Number(number) => own_number(pid) == Some(*number),
        ProcessClue::Any => true,
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    let (Ok(a), Ok(b)) = (fs::metadata(a), fs::metadata(b)) else { return false };
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// The number that a process has for itself.
fn own_number(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_ascii_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    /// Two lines of the kernel's, of a little-endian machine.
    const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000   104        0 17 1 0 100 0 0 10 0
   1: 0100007F:0CEA 0100007F:D431 01 00000000:00000000 00:00000000 00000000   104        0 4711 1 0 20 4 30 10 -1
";

    #[test]
    #[cfg(target_endian = "little")]
    fn a_connection_is_found_in_the_table_of_the_kernel() {
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(inode_in(TABLE, at(3306), at(54321)).as_deref(), Some("4711"));
        assert_eq!(inode_in(TABLE, at(3306), at(54322)), None);
        assert_eq!(inode_in("", at(3306), at(54321)), None);
    }

    #[test]
    fn the_process_at_the_other_end_is_found_by_what_it_says_of_itself() {
        let here = std::env::current_dir().unwrap();
        for address in ["127.0.0.1:0", "[::1]:0", "[::]:0"] {
            // A machine may be without version 6.
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let port = listener.local_addr().unwrap().port();
            let host = if address.starts_with("[::1]") { "::1" } else { "127.0.0.1" };
            let stream = TcpStream::connect((host, port)).unwrap();
            let ends =
                Ends::Tcp { own: stream.local_addr().unwrap(), peer: stream.peer_addr().unwrap() };
            assert!(ends.on_one_machine());
            // Until somebody has accepted it, nobody holds the connection.
            let by_number = ProcessClue::Number(std::process::id());
            assert_eq!(find(&ends, &by_number), None);
            let _accepted = listener.accept().unwrap();
            let found = find(&ends, &by_number).unwrap();
            assert_eq!(find(&Ends::Translated, &by_number).as_ref(), Some(&found));
            assert!(found.pid == std::process::id() && found.shares_files);
            let by_directory = find(&ends, &ProcessClue::WorkingDirectory(here.clone()));
            assert_eq!(by_directory, Some(found));
            for of_others in [
                ProcessClue::Number(std::process::id() + 1),
                ProcessClue::WorkingDirectory("/proc".into()),
                ProcessClue::WorkingDirectory("relative".into()),
            ] {
                assert_eq!(find(&ends, &of_others), None, "{address}: {of_others:?}");
            }
        }
    }
}
