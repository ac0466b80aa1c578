//! Network namespaces in the place of machines.

use super::{processes_with, wait_for};
use rustix::fd::AsFd;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::{self, File};
use std::panic::resume_unwind;
use std::process::{Child, Command, Stdio};
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
        let made = Self::keep(Command::new("unshare").args(["--net", "sleep", "600"]));
        let own = made.id();
        wait_for("a namespace", || {
            let of = |pid: u32| fs::read_link(format!("/proc/{pid}/ns/net")).unwrap();
            of(own) != of(std::process::id())
                && processes_with("sleep 600").iter().any(|process| process.0 == own)
        });
        made
    }

    /// That of the tests, in which nothing is made.
    pub fn of_this_host() -> Self {
        Self::keep(Command::new("sleep").arg("600"))
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

    fn keep(command: &mut Command) -> Self {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { keeper: quiet.spawn().unwrap() }
    }

    /// A process in it.
    pub fn id(&self) -> u32 {
        self.keeper.id()
    }

    /// Makes a link to it; returns the link's name here, and its address there.
    pub fn link(&self) -> (String, String) {
        let own = self.id();
        let link = format!("wl-{own}");
        // Four addresses for each.
        let network = format!("198.19.{}", own / 64 % 256);
        let (here, there) = (own % 64 * 4 + 1, own % 64 * 4 + 2);
        let address = format!("{network}.{there}");
        run(&format!(
            "ip link add {link} type veth peer name lead netns {own}\n\
             ip addr add {network}.{here}/30 dev {link}\n\
             ip link set {link} up\n\
             exec nsenter -t {own} -n sh -ec 'ip link set lo up; \
             ip addr add {address}/30 dev lead; ip link set lead up'\n"
        ));
        (link, address)
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
