//! A second probe of a failover: a process of its own, with a connection of its own, that writes one
//! row after another.

use super::pair::Pair;
use crate::support::{Workplace, wait_for};
use model::{Endpoint, PasswordSource, ServerAddress, ServerKey, Stop, Tls};
use mysql::client::Connection;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use system::client::{Credentials, Limits, Secret};

/// In its environment, where that process is told what to do.
const ORDER: &str = "WEIGHIN_TEST_PROBE";
/// Between two writes, and two attempts to connect.
const STEP: Duration = Duration::from_millis(2);

/// What it saw; times in seconds.
pub struct Seen {
    pub acknowledged: Vec<u64>,
    pub longest: f64,
    /// The longest pause before the longest.
    pub longest_before: f64,
}

pub struct IndependentProbe {
    process: Child,
    stop: PathBuf,
    result: PathBuf,
}

impl IndependentProbe {
    /// Starts it, and waits until it writes.
    pub fn start(place: &Workplace, pair: &Pair, port: u16) -> Self {
        let (stop, result) = (place.path("probe.stop"), place.path("probe.result"));
        let password = pair.probe_password(place);
        let order =
            format!("{port} {} {} {}", password.display(), stop.display(), result.display());
        let process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "failover::probe::independent_probe", "--ignored", "--nocapture"])
            .env(ORDER, order)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait_for("the second probe", || !pair.ids_on_replica("other.independent").is_empty());
        Self { process, stop, result }
    }

    pub fn end(mut self) -> Seen {
        std::fs::write(&self.stop, "").unwrap();
        assert!(self.process.wait().unwrap().success());
        let text = std::fs::read_to_string(&self.result).unwrap();
        let writes: Vec<(u64, f64)> = text
            .lines()
            .map(|line| line.split_once(' ').unwrap())
            .map(|(id, at)| (id.parse().unwrap(), at.parse().unwrap()))
            .collect();
        let pauses: Vec<f64> = writes.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
        let longest = pauses.iter().copied().fold(0.0, f64::max);
        let until = pauses.iter().position(|pause| *pause == longest).unwrap_or_default();
        Seen {
            acknowledged: writes.iter().map(|(id, _)| *id).collect(),
            longest,
            longest_before: pauses[..until].iter().copied().fold(0.0, f64::max),
        }
    }
}

impl Drop for IndependentProbe {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[ignore = "no test by itself: other tests start it in a process of its own"]
fn independent_probe() {
    let Ok(order) = std::env::var(ORDER) else { return };
    let mut words = order.split(' ');
    let port = words.next().unwrap().parse().unwrap();
    let password = std::fs::read_to_string(words.next().unwrap()).unwrap();
    let (stop, result) = (Path::new(words.next().unwrap()), words.next().unwrap());
    let began = Instant::now();
    let mut connection = None;
    let mut acknowledged = String::new();
    for id in 1_u64.. {
        if stop.exists() {
            break;
        }
        thread::sleep(STEP);
        let Some(open) = &mut connection else {
            connection = connect(port, password.trim());
            continue;
        };
        match open.execute(&format!("INSERT INTO independent VALUES ({id})")) {
            Ok(_) => {
                let at = began.elapsed().as_secs_f64();
                writeln!(acknowledged, "{id} {at:.6}").unwrap();
            }
            Err(_) => connection = None,
        }
    }
    std::fs::write(result, acknowledged).unwrap();
}

fn connect(port: u16, password: &str) -> Option<Connection> {
    let address = ServerAddress {
        endpoint: Endpoint::Tcp { host: "127.0.0.1".to_owned(), port },
        user: None,
        database: "other".to_owned(),
        password: PasswordSource::OptionFile,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::default(),
        auth: model::AuthMethods::default(),
    };
    let second = Duration::from_secs(1);
    let limits = Limits { connect: second, login: second, answer: second, ..Limits::default() };
    let credentials = Credentials::new("probe", Secret::new(password));
    Connection::open_within(&address, &credentials, limits, &Stop::default()).ok()
}
