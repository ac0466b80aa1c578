//! Whose a sandbox is, so that a later run can tell whether its owner is gone.

use crate::local::os::ProcessIdentity;
use std::fmt;
use std::fs;
use std::io;
use std::str::FromStr;

/// What the names of all sandboxes' directories begin with.
pub(super) const PREFIX: &str = "weighin-";
/// The file that marks a directory as a sandbox and says whose it is.
pub(super) const MARKER: &str = "weighin-sandbox";

/// The process that made a sandbox, and enough of its surroundings to know which process that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    /// Process id.
    pub(super) pid: u32,
    /// When it started, in clock ticks since boot.
    pub(super) started: u64,
    /// The boot that those ticks count from.
    pub(super) boot: String,
    /// The namespace that the id is of: another container's processes can't be seen.
    pub(super) namespace: String,
    /// The host: a directory may be shared over the network.
    pub(super) host: String,
}

impl Owner {
    /// This process.
    ///
    /// # Errors
    /// When `/proc` can't be read.
    pub(super) fn this_process() -> io::Result<Self> {
        let word = |path: &str| Ok::<_, io::Error>(fs::read_to_string(path)?.trim().to_owned());
        let process =
            ProcessIdentity::for_pid(std::process::id()).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self {
            pid: process.pid,
            started: process.started,
            boot: word("/proc/sys/kernel/random/boot_id")?,
            namespace: fs::read_link("/proc/self/ns/pid")?.display().to_string(),
            host: word("/proc/sys/kernel/hostname")?,
        })
    }

    /// Whether the owner is certainly gone. False when that can't be seen from here.
    pub(super) fn is_gone(&self) -> bool {
        let Ok(here) = Self::this_process() else { return false };
        if self.host != here.host {
            return false;
        }
        if self.boot != here.boot {
            return true;
        }
        self.namespace == here.namespace
            && !ProcessIdentity { pid: self.pid, started: self.started }.exists()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, started, boot, namespace, host } = self;
        write!(f, "{pid} {started} {boot} {namespace} {host}")
    }
}

impl FromStr for Owner {
    type Err = io::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || io::Error::from(io::ErrorKind::InvalidData);
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let [pid, started, boot, namespace, host] = words[..] else { return Err(bad()) };
        Ok(Self {
            pid: pid.parse().map_err(|_| bad())?,
            started: started.parse().map_err(|_| bad())?,
            boot: boot.to_owned(),
            namespace: namespace.to_owned(),
            host: host.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_read_as_they_were_written() {
        let owner = Owner::this_process().unwrap();
        assert_eq!(owner.to_string().parse::<Owner>().unwrap(), owner);
        assert!("".parse::<Owner>().is_err());
        assert!("x 1 boot ns host".parse::<Owner>().is_err());
    }

    #[test]
    fn only_the_certainly_dead_are_gone() {
        let here = Owner::this_process().unwrap();
        assert!(!here.is_gone());
        let other = |change: fn(&mut Owner)| {
            let mut owner = here.clone();
            change(&mut owner);
            owner
        };
        assert!(other(|o| o.started += 1).is_gone());
        assert!(other(|o| o.boot = "an-earlier-boot".to_owned()).is_gone());
        assert!(!other(|o| (o.started, o.namespace) = (1, "pid:[1]".to_owned())).is_gone());
        assert!(!other(|o| (o.started, o.host) = (1, "elsewhere".to_owned())).is_gone());
    }
}
