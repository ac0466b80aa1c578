//! A network of a private server's own, which can be cut.

use super::guardian::{Charge, Guardian};
use crate::local::os;
use model::{Failure, FailureKind};
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Ipv4Addr;
use std::os::unix::process::CommandExt;
use std::process::{self, Child, ChildStdin, ChildStdout, Command, Stdio};

/// What keeps it, for `/bin/sh`.
const SCRIPT: &str = include_str!("network.sh");
/// Addresses are from the half of those for tests of networks (RFC 2544) that begins here.
const FIRST_ADDRESS: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
/// How many bits all of them have in common.
const COMMON_BITS: u8 = 16;
/// The addresses of private servers that have networks of their own, and of weighin in these: the first, and
/// how many bits all have in common.
pub const ADDRESSES: (Ipv4Addr, u8) = (FIRST_ADDRESS, COMMON_BITS);
/// Networks of four addresses among them.
const NETWORKS: u32 = 1 << (30 - COMMON_BITS);
/// How many networks are tried.
const TRIES: u32 = 8;

/// A network namespace for a server, with one link, to the network of weighin: from elsewhere nothing
/// leads there. A process keeps it while no server is in it, and ends with weighin. Guardians remove the
/// link where that process is killed.
#[derive(Debug)]
pub(crate) struct Network {
    keeper: Child,
    /// `None` only while it is being dropped.
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    address: Ipv4Addr,
    guardian: Guardian,
}

impl Network {
    /// Makes one.
    ///
    /// # Errors
    /// `NotPermitted` with what is against it.
    pub(crate) fn make() -> Result<Self, Failure> {
        for _ in 0..TRIES {
            if let Some(made) = Self::try_make().map_err(|error| network_trouble(&error))? {
                return Ok(made);
            }
        }
        let taken = format!(
            "this machine has a use of its own for addresses of {FIRST_ADDRESS}/{COMMON_BITS}"
        );
        Err(network_trouble(&io::Error::other(taken)))
    }

    /// `None` where the addresses that it came upon have another use.
    fn try_make() -> io::Result<Option<Self>> {
        let random = u32::from_str_radix(&os::random_hex(4)?, 16).unwrap_or_default();
        let number = random % NETWORKS;
        let at = |place| Ipv4Addr::from_bits(FIRST_ADDRESS.to_bits() + 4 * number + place);
        let (there, address) = (at(1), at(2));
        let name = format!("weighin-{number}");
        let guardian = Guardian::watch(Charge::Link(&name))?;
        let mut keeper = crate::local::command::command("unshare")
            .args(["--net", "/bin/sh", "-c", SCRIPT, "weighin-network"])
            .arg(process::id().to_string())
            .arg(&name)
            .args([there, address].map(|address| address.to_string()))
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: Ctrl-C in a terminal goes to weighin's.
            .process_group(0)
            .spawn()?;
        let orders = keeper.stdin.take();
        let mut complaints = keeper.stderr.take();
        let answers = keeper.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let answers = BufReader::new(answers);
        let mut network = Self { keeper, orders, answers, address, guardian };
        match network.answer()?.as_str() {
            "ready" => {
                let number = fs::read_to_string(format!("/sys/class/net/{name}/ifindex"))?;
                network.guardian.tell(number.trim())?;
                Ok(Some(network))
            }
            "taken" => Ok(None),
            _ => {
                let mut said = String::new();
                complaints.as_mut().map_or(Ok(0), |pipe| pipe.read_to_string(&mut said))?;
                Err(io::Error::other(said.lines().next().unwrap_or("no reason given").to_owned()))
            }
        }
    }

    /// Where a server in it listens.
    pub(crate) fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Has a command run in it, with further options of `nsenter`.
    pub(crate) fn around(&self, command: &Command, options: impl Fn(&mut Command)) -> Command {
        let mut inside = crate::local::command::command("nsenter");
        inside.arg(format!("--net=/proc/{}/ns/net", self.keeper.id()));
        options(&mut inside);
        inside.arg("--").arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(name, value),
                None => inside.env_remove(name),
            };
        }
        inside
    }

    /// Cuts its link: what is sent there or from there is lost, and nobody is told.
    ///
    /// # Errors
    /// When it is gone, or cannot be cut.
    pub(crate) fn cut(&mut self) -> Result<(), Failure> {
        self.order("down\n")
    }

    /// Undoes [`Self::cut`].
    ///
    /// # Errors
    /// As [`Self::cut`].
    pub(crate) fn mend(&mut self) -> Result<(), Failure> {
        self.order("up\n")
    }

    fn order(&mut self, order: &str) -> Result<(), Failure> {
        let done = self.orders.as_mut().map_or(Ok(()), |orders| orders.write_all(order.as_bytes()));
        let answer = done.and_then(|()| self.answer());
        match answer.map_err(|error| network_trouble(&error))?.as_str() {
            "done" => Ok(()),
            _ => Err(network_trouble(&io::Error::other("its link does not obey"))),
        }
    }

    /// The next line of its keeper; empty where that has ended.
    fn answer(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Network {
    /// Lets the keeper take the link away, and waits for it.
    fn drop(&mut self) {
        self.orders = None;
        // It fails only when somebody else has waited already.
        let _ = self.keeper.wait();
    }
}

/// A network of a server's own that cannot be made, or no longer does what it is told.
fn network_trouble(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("a network of its own, which can be cut, fails for a private server: {error}"),
        "run weighin as root, with ip (Debian package iproute2), unshare and nsenter (util-linux) \
         installed; or take the primary away in another way, such as loss = \"hang\"",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{SocketAddr, TcpStream};
    use std::time::Duration;

    fn link_of(network: &Network) -> String {
        let [_, _, high, low] = network.address.octets();
        let number = (u32::from(high) << 8 | u32::from(low)) / 4;
        format!("/sys/class/net/weighin-{number}")
    }

    fn is_link(network: &Network) -> bool {
        fs::exists(link_of(network)).unwrap()
    }

    #[test]
    fn whoever_is_cut_off_is_silent_and_answers_again_afterwards() {
        let mut network = match Network::make() {
            Ok(network) => network,
            Err(failure) if !os::is_root() => {
                return assert!(failure.message.contains("network"), "{failure}");
            }
            Err(failure) => panic!("{failure}"),
        };
        // Nobody listens there, and the kernel says so as long as anything reaches it.
        let there = SocketAddr::from((network.address(), 9));
        let connect = |seconds| {
            let limit = Duration::from_secs(seconds);
            TcpStream::connect_timeout(&there, limit).map(drop).unwrap_err().kind()
        };
        // What is sent just when the link comes up may be lost, and is sent again after a second.
        assert_eq!(connect(30), io::ErrorKind::ConnectionRefused);
        network.cut().unwrap();
        assert_eq!(connect(2), io::ErrorKind::TimedOut);
        network.mend().unwrap();
        assert_eq!(connect(30), io::ErrorKind::ConnectionRefused);
        let mut inside = Command::new("ip");
        inside.args(["-4", "-oneline", "address", "show"]);
        let seen = network.around(&inside, |_| ()).output().unwrap();
        let seen = String::from_utf8(seen.stdout).unwrap();
        assert!(seen.contains(&format!("{}/30", network.address())), "{seen}");
        assert!(is_link(&network));
        network.orders = None;
        network.keeper.wait().unwrap();
        assert!(!is_link(&network));
        drop(network);

        // Where the keeper is killed and something holds on to the namespace, the link goes all the same.
        let mut network = Network::make().unwrap();
        let mut inside = Command::new("cat");
        inside.stdin(Stdio::piped());
        let mut inside = network.around(&inside, |_| ());
        let mut holder = inside.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        holder.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        holder.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        network.keeper.kill().unwrap();
        network.keeper.wait().unwrap();
        assert!(is_link(&network));
        let link = link_of(&network);
        drop(network);
        assert!(!fs::exists(link).unwrap());
        drop(holder.stdin.take());
        holder.wait().unwrap();
    }
}
