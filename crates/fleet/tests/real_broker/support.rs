//! A real nats-server, and a client of it that says what it likes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fleet::{Identity, Login, Proof};
use model::BrokerAddress;
use nkeys::KeyPair;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const TOKEN: &str = "t0ken";

/// A broker on loopback that asks for a token; it ends when this is dropped.
pub struct Nats {
    child: Child,
    port: u16,
    directory: tempfile::TempDir,
    authorization: String,
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Nats {
    pub fn start() -> Self {
        Self::start_with(format!("authorization {{ token: \"{TOKEN}\" }}"))
    }

    /// A broker with these users: their keys, and their permissions where they have not all of them.
    pub fn start_with_users(users: &[(&KeyPair, &str)]) -> Self {
        let users =
            users.iter().map(|(pair, rights)| format!("{{ nkey: {}{rights} }}", pair.public_key()));
        let users: Vec<String> = users.collect();
        Self::start_with(format!("authorization {{ users: [ {} ] }}", users.join(", ")))
    }

    fn start_with(authorization: String) -> Self {
        let directory = tempfile::tempdir().unwrap();
        // Another process may take a port before the broker does.
        let started = (0..10).find_map(|_| {
            let port = test_support::free_port();
            Some((port, Self::try_run(&directory, port, &authorization)?))
        });
        let (port, child) = started.expect("a port that stays free");
        Self { child, port, directory, authorization }
    }

    /// Starts it again where it was.
    fn run(directory: &tempfile::TempDir, port: u16, authorization: &str) -> Child {
        let mut attempts = (0..50).map(|attempt| {
            thread::sleep(Duration::from_millis(100 * u64::from(attempt > 0)));
            Self::try_run(directory, port, authorization)
        });
        attempts.find_map(|child| child).expect("the broker's port is free again")
    }

    /// `None` where it ends at once: its port is another's.
    fn try_run(directory: &tempfile::TempDir, port: u16, authorization: &str) -> Option<Child> {
        let config = format!("listen: \"127.0.0.1:{port}\"\n{authorization}\n");
        std::fs::write(directory.path().join("conf"), config).unwrap();
        let mut child = Command::new("nats-server")
            .arg("-c")
            .arg(directory.path().join("conf"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("nats-server is needed for this test: {error}"));
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if child.try_wait().unwrap().is_some() {
                return None;
            }
            assert!(Instant::now() < deadline, "the broker does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        Some(child)
    }

    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn start_again(&mut self) {
        self.child = Self::run(&self.directory, self.port, &self.authorization);
    }

    /// With a configuration that lets everybody in, and writes down all that it hears.
    pub fn start_again_without_token(&mut self) {
        let heard = format!("trace: true\nlog_file: {:?}", self.directory.path().join("heard"));
        self.child = Self::run(&self.directory, self.port, &heard);
    }

    /// What was said to it since it has no token.
    pub fn heard_without_token(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("heard")).unwrap()
    }

    pub fn login(&self) -> Login {
        Login {
            address: BrokerAddress {
                tls: false,
                host: "127.0.0.1".to_owned(),
                port: self.port,
                fleet: "tests".to_owned(),
            },
            proof: Proof::Token(TOKEN.to_owned()),
            tls: None,
            name: "a test".to_owned(),
        }
    }

    pub fn login_with(&self, pair: &KeyPair) -> Login {
        Login { proof: Proof::Seed(Identity::read(&pair.seed().unwrap()).unwrap()), ..self.login() }
    }
}

/// A client that speaks the protocol by hand.
pub struct Raw {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Raw {
    fn open(nats: &Nats) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", nats.port)).unwrap();
        Self { lines: BufReader::new(stream.try_clone().unwrap()), stream }
    }

    /// Logs in with a key.
    pub fn connect_as(nats: &Nats, pair: &KeyPair) -> Self {
        let mut raw = Self::open(nats);
        let info = raw.line();
        let info: serde_json::Value =
            serde_json::from_str(info.strip_prefix("INFO ").unwrap()).unwrap();
        let signature = pair.sign(info["nonce"].as_str().unwrap().as_bytes()).unwrap();
        let (key, signature) = (pair.public_key(), URL_SAFE_NO_PAD.encode(signature));
        raw.send(&format!(
            "CONNECT {{\"verbose\":false,\"nkey\":\"{key}\",\"sig\":\"{signature}\"}}\r\n"
        ));
        raw
    }

    pub fn connect(nats: &Nats) -> Self {
        let mut raw = Self::open(nats);
        raw.send(&format!("CONNECT {{\"verbose\":false,\"auth_token\":\"{TOKEN}\"}}\r\n"));
        raw
    }

    fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    pub fn subscribe(&mut self, subject: &str) {
        self.send(&format!("SUB {subject} 1\r\nPING\r\n"));
        // The subscription is there when the broker has answered what follows it.
        while self.line() != "PONG" {}
    }

    /// Whether the broker refuses that, by what it says until it has done it.
    pub fn is_refused(&mut self, what: &str) -> bool {
        self.send(&format!("{what}\r\nPING\r\n"));
        let said: Vec<String> =
            std::iter::repeat_with(|| self.line()).take_while(|line| line != "PONG").collect();
        said.iter().any(|line| line.contains("Permissions Violation"))
    }

    pub fn publish(&mut self, subject: &str, message: impl AsRef<[u8]>) {
        let message = message.as_ref();
        self.send(&format!("PUB {subject} {}\r\n", message.len()));
        self.stream.write_all(message).unwrap();
        self.send("\r\n");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap_or(0) > 0, "the broker is gone");
        line.trim_end().to_owned()
    }

    /// The next message, with its subject.
    pub fn next_message(&mut self) -> (String, Vec<u8>) {
        loop {
            let line = self.line();
            if line == "PING" {
                self.send("PONG\r\n");
            }
            let Some(message) = line.strip_prefix("MSG ") else { continue };
            let length: usize = message.rsplit(' ').next().unwrap().parse().unwrap();
            let mut payload = vec![0; length + 2];
            self.lines.read_exact(&mut payload).unwrap();
            let subject = message.split(' ').next().unwrap().to_owned();
            payload.truncate(length);
            return (subject, payload);
        }
    }
}
