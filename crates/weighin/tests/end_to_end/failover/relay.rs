//! A relay before a server, which notes the write that each acknowledgement is of.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

/// Writes with the moments at which their acknowledgements passed.
type Acknowledged = Arc<Mutex<Vec<(u64, Instant)>>>;

/// Whether an answer to a statement acknowledges it.
pub type Acknowledges = fn(&[u8]) -> bool;

/// As MariaDB does: the first byte of an answer, behind the four of its header, says what it is.
const OF_MARIADB: Acknowledges = |answer| answer.get(4) == Some(&0);
/// As PostgreSQL does: with how a command has ended.
pub const OF_POSTGRESQL: Acknowledges = |answer| answer.first() == Some(&b'C');

pub struct Relay {
    pub port: u16,
    acknowledged: Acknowledged,
}

impl Relay {
    /// Relays to a port of this machine for as long as the test runs.
    pub fn start(to: u16) -> Self {
        Self::to_port(to, OF_MARIADB)
    }

    /// The same to a server that acknowledges so.
    pub fn to_port(to: u16, acknowledges: Acknowledges) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let acknowledged = Acknowledged::default();
        let seen = Arc::clone(&acknowledged);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // As a server that is not there, it closes.
                let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                join(client, server, &seen, acknowledges);
            }
        });
        Self { port, acknowledged }
    }

    pub fn acknowledged(&self) -> Vec<(u64, Instant)> {
        self.acknowledged.lock().unwrap().clone()
    }
}

/// The longest time between two acknowledgements, in seconds.
pub fn longest_pause(acknowledged: &[(u64, Instant)]) -> f64 {
    let mut moments: Vec<Instant> = acknowledged.iter().map(|(_, at)| *at).collect();
    moments.sort_unstable();
    let pauses = moments.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64());
    pauses.fold(0.0, f64::max)
}

/// Passes bytes on both ways. A client sends one statement at a time.
fn join(client: TcpStream, server: TcpStream, seen: &Acknowledged, acknowledges: Acknowledges) {
    client.set_nodelay(true).unwrap();
    server.set_nodelay(true).unwrap();
    let asked = Arc::new(Mutex::new(None));
    let (mut from_client, mut to_client) = (client.try_clone().unwrap(), client);
    let (mut from_server, mut to_server) = (server.try_clone().unwrap(), server);
    let statement = Arc::clone(&asked);
    thread::spawn(move || {
        pass(&mut from_client, &mut to_server, |bytes| {
            if let Some(id) = inserted(bytes) {
                *statement.lock().unwrap() = Some(id);
            }
        });
    });
    let seen = Arc::clone(seen);
    thread::spawn(move || {
        pass(&mut from_server, &mut to_client, |bytes| {
            if let (Some(id), true) = (asked.lock().unwrap().take(), acknowledges(bytes)) {
                seen.lock().unwrap().push((id, Instant::now()));
            }
        });
    });
}

fn pass(from: &mut TcpStream, to: &mut TcpStream, mut look: impl FnMut(&[u8])) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        look(&buffer[..read]);
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// The id that a statement inserts, where that is what it does.
fn inserted(statement: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(statement);
    let (_, rest) = text.split_once("INSERT INTO weighin_failover (id) VALUES (")?;
    rest.split_once(')')?.0.parse().ok()
}
