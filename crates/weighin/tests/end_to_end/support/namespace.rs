//! Network namespaces in the place of machines.

use super::wait_for;
use rustix::fd::AsFd;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::{self, File};
use std::panic::resume_unwind;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// A network namespace, which goes with its keeper, and with it the links to it.
pub struct Namespace {
    keeper: Child,
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

impl Namespace {
    /// Whether this user may make one.
    pub fn allowed() -> bool {
        let may = Command::new("unshare").args(["--net", "true"]).stderr(Stdio::null()).status();
        may.is_ok_and(|status| status.success())
    }

    pub fn make() -> Self {
        let made = Self::keep(Command::new("unshare").args(["--net", "cat"]));
        // What `unshare` becomes when it has made one.
        let line = format!("/proc/{}/cmdline", made.id());
        wait_for("a namespace", || fs::read(&line).unwrap() == b"cat\0");
        made
    }

    /// That of the tests, in which nothing is made.
    pub fn of_this_host() -> Self {
        Self::keep(&mut Command::new("cat"))
    }

    /// Does something, and starts whatever it starts, in a network in which nothing comes or goes: of
    /// links that other tests make and remove a browser takes notice, and gives up what it was loading.
    /// In that of this host where this user may not make one.
    pub fn undisturbed(work: impl FnOnce() + Send) {
        if !Self::allowed() {
            return work();
        }
        let namespace = Self::make();
        let own = namespace.id();
        run(&format!("exec nsenter -t {own} -n ip link set lo up"));
        let network = File::open(format!("/proc/{own}/ns/net")).unwrap();
        // A thread moves alone, and so do processes that it starts.
        let done = thread::scope(|scope| {
            let moved = scope.spawn(|| {
                move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))
                    .unwrap();
                work();
            });
            moved.join()
        });
        done.unwrap_or_else(|panic| resume_unwind(panic));
    }

    /// A keeper that reads until nobody writes any more: it stays as long as the tests, however long these
    /// take, and no longer, however they end.
    fn keep(command: &mut Command) -> Self {
        let quiet = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { keeper: quiet.spawn().unwrap() }
    }

    /// A process in it.
    pub fn id(&self) -> u32 {
        self.keeper.id()
    }

    /// Makes a link to it, which is `lead` there; returns the link's name here, and its address there.
    pub fn link(&self) -> (String, String) {
        let own = self.id();
        let (link, network) = Self::free_link(own);
        // Four addresses for each.
        let (network, first) = (format!("198.19.{}", network / 64), network % 64 * 4);
        let (here, there) = (first + 1, first + 2);
        let address = format!("{network}.{there}");
        run(&format!(
            "ip addr add {network}.{here}/30 dev {link}\n\
             ip link set {link} up\n\
             exec nsenter -t {own} -n sh -ec 'ip link set lo up; \
             ip addr add {address}/30 dev lead; ip link set lead up'\n"
        ));
        (link, address)
    }

    /// Makes a link that has no address yet; returns its name here, and the number of its network. The name
    /// has that number, so that no other test, of whatever process, has the network as well.
    fn free_link(own: u32) -> (String, u32) {
        const NETWORKS: u32 = 256 * 64;
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let start = std::process::id().wrapping_mul(97);
        for _ in 0..NETWORKS {
            let number = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % NETWORKS;
            let link = format!("wl-{number}");
            let add = format!("ip link add {link} type veth peer name lead netns {own}");
            let made = Command::new("sh").args(["-c", &add]).output().unwrap();
            let said = String::from_utf8_lossy(&made.stderr);
            match made.status.success() {
                true => return (link, number),
                false => assert!(said.contains("exists"), "{add}: {said}"),
            }
        }
        panic!("all of {NETWORKS} networks are in use");
    }

    /// Makes a link to a server that has a namespace of its own, known by its address and its process.
    /// `number` and `name` tell this machine from others of that server.
    pub fn link_to_server(&self, (number, name): (usize, &str), (address, server): (&str, u32)) {
        let own = self.id();
        // Seen in two namespaces alone, and of those that the server's accounts may come from; but not
        // around the server's own address.
        let network = if address.starts_with("198.18.255.") { "198.18.254" } else { "198.18.255" };
        let (first, second) = (number * 4 + 1, number * 4 + 2);
        run(&format!(
            "nsenter -t {server} -n sh -e <<'END'\n\
             ip link add to-{name} type veth peer name server netns {own}\n\
             ip addr add {network}.{first}/30 dev to-{name}\n\
             ip link set to-{name} up\n\
             END\n\
             exec nsenter -t {own} -n sh -e <<'END'\n\
             ip link set lo up\n\
             ip addr add {network}.{second}/30 dev server\n\
             ip link set server up\n\
             ip route add {address}/32 via {network}.{first}\n\
             END\n"
        ));
    }
}

fn run(script: &str) {
    assert!(Command::new("sh").args(["-ec", script]).status().unwrap().success(), "{script}");
}
