use super::{STOP_LIMIT, Started, TIMEOUT, Workplace};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

/// `weighin serve` of a directory, and where it listens.
pub struct Serving {
    pub weighin: Started,
    pub address: SocketAddr,
}

impl Serving {
    pub fn start(place: &Workplace, arguments: &[&str]) -> Self {
        let mut words = vec!["serve", "--listen", "127.0.0.1:0"];
        words.extend(arguments);
        let mut weighin = place.start(&words);
        let line = weighin.wait_for_line("are shown at");
        let (_, address) = line.split_once("://").unwrap();
        let (address, _) = address.split_once('/').unwrap();
        Self { weighin, address: address.parse().unwrap() }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Sends what it is given, and reads to the end: status, head and body.
    pub fn exchange(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        let mut answer = Vec::new();
        // What is refused early may be cut off, in the middle of being sent too.
        let _ = stream.write_all(request.as_bytes());
        let _ = stream.read_to_end(&mut answer);
        Answer::from_bytes(&answer)
    }

    pub fn ask(&self, head: &str) -> Answer {
        self.exchange(&format!("{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1"))
    }

    #[track_caller]
    pub fn shown(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }

    /// The addresses of the runs on the list.
    pub fn runs(&self) -> Vec<String> {
        let list = self.shown("/");
        let links = list.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        links
            .filter(|link| link.starts_with("/runs/") && !link.ends_with("/report"))
            .map(str::to_owned)
            .collect()
    }

    #[track_caller]
    pub fn ends(self) {
        let asked = Instant::now();
        self.weighin.signal("TERM");
        let ran = self.weighin.end();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(asked.elapsed() < STOP_LIMIT, "it took {:?}", asked.elapsed());
    }
}

/// What was answered; status 0 stands for nothing.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Self { status: status.unwrap_or(0), head: head.to_ascii_lowercase(), body: body.to_owned() }
    }
}
