//! A real nats-server, and a client of it that says what it likes.

use fleet::Login;
use model::BrokerAddress;
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
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Nats {
    pub fn start() -> Self {
        let port = test_support::free_port();
        let directory = tempfile::tempdir().unwrap();
        let child = Self::run(&directory, port, &with_token());
        Self { child, port, directory }
    }

    fn run(directory: &tempfile::TempDir, port: u16, authorization: &str) -> Child {
        let config = format!("listen: \"127.0.0.1:{port}\"\n{authorization}\n");
        std::fs::write(directory.path().join("conf"), config).unwrap();
        let child = Command::new("nats-server")
            .arg("-c")
            .arg(directory.path().join("conf"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("nats-server is needed for this test: {error}"));
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the broker does not listen");
            thread::sleep(Duration::from_millis(10));
        }
        child
    }

    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn start_again(&mut self) {
        self.child = Self::run(&self.directory, self.port, &with_token());
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
            token: TOKEN.to_owned(),
            ca: None,
            name: "a test".to_owned(),
        }
    }
}

fn with_token() -> String {
    format!("authorization {{ token: \"{TOKEN}\" }}")
}

/// A client that speaks the protocol by hand.
pub struct Raw {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Raw {
    pub fn connect(nats: &Nats) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", nats.port)).unwrap();
        let mut raw = Self { lines: BufReader::new(stream.try_clone().unwrap()), stream };
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

    pub fn publish(&mut self, subject: &str, text: &str) {
        self.send(&format!("PUB {subject} {}\r\n{text}\r\n", text.len()));
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap_or(0) > 0, "the broker is gone");
        line.trim_end().to_owned()
    }

    /// Publishes a text that is to be answered on another subject.
    pub fn ask(&mut self, subject: &str, answer_on: &str, text: &str) {
        self.send(&format!("PUB {subject} {answer_on} {}\r\n{text}\r\n", text.len()));
    }

    /// The subject of the next message.
    pub fn next(&mut self) -> String {
        self.next_message().0
    }

    /// The next message, with its subject.
    pub fn next_message(&mut self) -> (String, String) {
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
            return (subject, String::from_utf8(payload).unwrap().trim_end().to_owned());
        }
    }
}
