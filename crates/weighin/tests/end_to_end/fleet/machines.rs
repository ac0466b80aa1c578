//! Machines that make loads, a server that they reach, and a broker beside that.

use crate::support::{
    Namespace, Server, Workplace, certificates_for, not_tested, processes_with, wait_for,
};
use host::{PrivateServer, ServerAct};
use model::Endpoint;
use std::fs;
use std::process::{Child, Command, Stdio};

pub const TOKEN: &str = "a-t0ken-of-the-tests-7c1d";

fn quiet(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A process that ends with the test.
pub struct Process(pub Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A machine that reaches the server.
struct Machine {
    name: String,
    namespace: Namespace,
    agents: Vec<Process>,
}

/// A server in a namespace of its own with a broker beside it, and machines with agents.
pub struct Fleet {
    machines: Vec<Machine>,
    broker: Option<Process>,
    pub server: Server,
    pub host: String,
    port: u16,
}

impl Fleet {
    /// Without agents; `None` where this user may not make one.
    pub fn start(place: &Workplace) -> Option<Self> {
        let mut server = Server::start();
        if let Err(failure) = server.sandbox.act(ServerAct::MoveApart) {
            not_tested(&failure.to_string());
            return None;
        }
        let Endpoint::Tcp { host, port } = server.sandbox.address().endpoint.clone() else {
            panic!("a server with a network listens on it")
        };
        let certificates = certificates_for(&format!("IP:{host}"));
        for file in ["ca.pem", "server.pem", "server.key"] {
            fs::copy(certificates.path().join(file), place.path(file)).unwrap();
        }
        place.write("token", format!("{TOKEN}\n"));
        let file = |name: &str| place.path(name).display().to_string();
        place.write(
            "broker.conf",
            format!(
                "listen: \"{host}:4222\"\nauthorization {{ token: \"{TOKEN}\" }}\n\
                 tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n",
                file("server.pem"),
                file("server.key")
            ),
        );
        let mut fleet = Self { machines: Vec::new(), broker: None, server, host, port };
        fleet.start_broker(place);
        Some(fleet)
    }

    /// Starts the broker, anew where there was one.
    pub fn start_broker(&mut self, place: &Workplace) {
        self.broker = None;
        let own = self.server.sandbox.pid().to_string();
        let mut command = Command::new("nsenter");
        command.args(["--target", &own, "--net", "nats-server", "-c"]);
        self.broker = Some(Process(quiet(command.arg(place.path("broker.conf")))));
        let address = format!("{}:4222", self.host);
        wait_for("the broker", || std::net::TcpStream::connect(&address).is_ok());
    }

    pub fn stop_broker(&mut self) {
        self.broker = None;
    }

    pub fn address(&self) -> String {
        format!("tls://{}:4222/tests", self.host)
    }

    /// A study of the server with these load hosts, as fast as so many clients are.
    pub fn study(&self, place: &Workplace, hosts: &str, clients: u32, repeats: u32, length: &str) {
        let load = format!("clients = {clients}\nduration = \"{length}\"");
        self.study_of(place, hosts, &load, repeats);
    }

    /// The same of five clients that leave processors to other tests.
    pub fn light_study(&self, place: &Workplace, hosts: &str, repeats: u32, length: &str) {
        let load = format!("clients = 5\nrate = 800\nduration = \"{length}\"");
        self.study_of(place, hosts, &load, repeats);
    }

    /// The same with these keys of its load.
    pub fn study_of(&self, place: &Workplace, hosts: &str, load: &str, repeats: u32) {
        let (address, host, port) = (self.address(), &self.host, self.port);
        place.write(
            "study.toml",
            format!(
                "[study]\nname = \"made-elsewhere\"\nrepeats = {repeats}\n\
                 [fleet]\nnats = \"{address}\"\ntoken_file = \"token\"\nca = \"ca.pem\"\n{hosts}\
                 [[target]]\nname = \"one\"\nurl = \"mysql://weighin@{host}:{port}/sbtest\"\n\
                 password_file = \"{}\"\n\
                 [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\n{load}\n\
                 warmup = \"500ms\"\n",
                self.server.password_file().display()
            ),
        );
    }

    fn machine(&self, name: &str) -> &Machine {
        self.machines.iter().find(|machine| machine.name == name).unwrap()
    }

    /// The command that starts an agent in the namespace of a process, with a monotonic clock that is so
    /// many seconds ahead.
    fn agent_in(
        &self,
        place: &Workplace,
        namespace_of: u32,
        name: &str,
        ahead: u32,
        further: &[&str],
    ) -> Command {
        let mut command = place.surround(Command::new("nsenter"));
        command
            .args(["--target", &namespace_of.to_string(), "--net"])
            .args(["unshare", "--time", "--monotonic", &ahead.to_string()])
            .args(["--fork", "--kill-child", env!("CARGO_BIN_EXE_weighin"), "agent"])
            .args([&self.address(), "--ca", "ca.pem", "--name", name, "--token-file"])
            .arg(place.path("token"))
            .args(further);
        command
    }

    /// The same on the machine of an agent.
    pub fn agent_command(
        &self,
        place: &Workplace,
        name: &str,
        ahead: u32,
        further: &[&str],
    ) -> Command {
        self.agent_in(place, self.machine(name).namespace.id(), name, ahead, further)
    }

    /// Makes a machine with an agent of that name.
    pub fn agent(&mut self, place: &Workplace, name: &str, ahead: u32, further: &[&str]) {
        let namespace = Namespace::make();
        let server = (&*self.host, self.server.sandbox.pid());
        namespace.link_to_server((self.machines.len(), name), server);
        self.machines.push(Machine { name: name.to_owned(), namespace, agents: Vec::new() });
        self.agent_beside(place, name, name, ahead, further);
    }

    /// Starts an agent on the machine of that one, which may have ended.
    pub fn agent_beside(
        &mut self,
        place: &Workplace,
        machine: &str,
        name: &str,
        ahead: u32,
        further: &[&str],
    ) {
        let found = self.machines.iter().position(|one| one.name == machine).unwrap();
        let namespace = self.machines[found].namespace.id();
        let agent = Process(quiet(&mut self.agent_in(place, namespace, name, ahead, further)));
        self.machines[found].agents.push(agent);
        wait_for("an agent", || !self.agents(place, name).is_empty());
    }

    /// Starts so many agents on this machine, which reaches the server as well.
    pub fn agents_here(&mut self, place: &Workplace, count: usize) {
        let here = Namespace::of_this_host();
        let pid = here.id();
        let start = |number: usize| {
            let name = format!("n{number}");
            Process(quiet(&mut self.agent_in(place, pid, &name, 0, &[])))
        };
        let agents = (0..count).map(start).collect();
        self.machines.push(Machine { name: "here".to_owned(), namespace: here, agents });
    }

    /// The agents of that name, which is one unless it was started twice.
    pub fn agents(&self, place: &Workplace, name: &str) -> Vec<u32> {
        let token = place.path("token").display().to_string();
        let is_agent = |(pid, line): (u32, String)| {
            let exe = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
            let is_weighin = exe == std::path::Path::new(env!("CARGO_BIN_EXE_weighin"));
            (is_weighin && line.contains(&format!("--name {name} "))).then_some(pid)
        };
        processes_with(&format!("--token-file {token}")).into_iter().filter_map(is_agent).collect()
    }

    /// The load generators of an agent.
    pub fn generators(&self, place: &Workplace, name: &str) -> Vec<u32> {
        let agents = self.agents(place, name);
        let is_own = |pid: &u32| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
            parent
                .is_some_and(|parent| parent.trim().parse().is_ok_and(|pid| agents.contains(&pid)))
        };
        let all = processes_with(" load-generator-remote").into_iter().map(|(pid, _)| pid);
        all.filter(is_own).collect()
    }

    /// Cuts a machine off from server and broker, or joins it to them again.
    pub fn set_link(&self, name: &str, state: &str) {
        let server = self.server.sandbox.pid().to_string();
        let link = format!("to-{name}");
        let set = Command::new("nsenter")
            .args(["-t", &server, "-n", "ip", "link", "set", &link, state])
            .status();
        assert!(set.unwrap().success());
    }
}

/// A broker on this machine.
pub struct OpenBroker {
    _broker: Process,
    pub port: u16,
}

/// One that asks nobody who he is.
pub fn open_broker(place: &Workplace) -> OpenBroker {
    let port = test_support::free_port();
    place.write("open.conf", format!("listen: \"127.0.0.1:{port}\"\n"));
    let config = place.path("open.conf");
    let broker = Process(quiet(Command::new("nats-server").arg("-c").arg(config)));
    wait_for("the broker", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    OpenBroker { _broker: broker, port }
}
