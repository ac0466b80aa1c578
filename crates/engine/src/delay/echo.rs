//! How long a round trip takes through the relay, and how long without it: one byte that comes back.

use super::meter::Meter;
use crate::{Clock, Nanos};
use model::Latencies;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Round trips before a load, with the delay and without.
const BEFORE: u32 = 50;
/// They may take so long together; a few are made in any case.
const BEFORE_LIMIT: Duration = Duration::from_millis(500);
const FEWEST: u32 = 5;
/// Between two round trips beside a load.
const PAUSE: Duration = Duration::from_millis(20);
/// How much longer than the delay one may take, before the relay is given up.
const LOST: Duration = Duration::from_secs(10);

/// A server that sends back whatever it gets, on a thread that ends when `connections` have ended.
pub(super) fn serve(connections: usize) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    std::thread::Builder::new().name("echo".into()).spawn(move || {
        let mut under_way = Vec::new();
        for _ in 0..connections {
            let Ok((connection, _)) = listener.accept() else { break };
            let echo = std::thread::Builder::new().name("echo".into());
            under_way.extend(echo.spawn(move || send_back(connection)));
        }
    })?;
    Ok(address)
}

fn send_back(mut connection: TcpStream) {
    let mut byte = [0];
    let _ = connection.set_nodelay(true);
    while connection.read_exact(&mut byte).is_ok() && connection.write_all(&byte).is_ok() {}
}

/// One end of a connection to an echo.
pub(super) struct Echo(TcpStream);

impl Echo {
    pub(super) fn connect(address: SocketAddr, round_trip: Duration) -> io::Result<Self> {
        let connection = TcpStream::connect(address)?;
        connection.set_nodelay(true)?;
        connection.set_read_timeout(Some(LOST + round_trip))?;
        let mut echo = Self(connection);
        // The first one has the connection's own time in it.
        echo.round_trip()?;
        Ok(echo)
    }

    fn round_trip(&mut self) -> io::Result<Duration> {
        let sent = Clock.now();
        self.0.write_all(b"?")?;
        self.0.read_exact(&mut [0])?;
        Ok(Clock.now().since(sent))
    }

    /// The round trips of a moment.
    pub(super) fn before(&mut self) -> io::Result<Latencies> {
        let until = Clock.now().plus(BEFORE_LIMIT);
        let mut took = Latencies::new();
        for done in 0..BEFORE {
            if done >= FEWEST && Clock.now() > until {
                break;
            }
            took.record(self.round_trip()?);
        }
        Ok(took)
    }

    /// Round trips beside a load, as long as that measures.
    pub(super) fn beside(mut self, meter: &Meter) -> io::Result<Latencies> {
        let mut took = Latencies::new();
        while !meter.is_over() {
            let now: Nanos = Clock.now();
            if meter.measures_at(now) {
                match self.round_trip() {
                    Ok(round_trip) => took.record(round_trip),
                    // The relay ended meanwhile; what was measured before stays.
                    Err(_) if meter.is_over() => break,
                    Err(error) => return Err(error),
                }
            }
            std::thread::sleep(PAUSE);
        }
        Ok(took)
    }
}
