//! A known delay on the way from a load's clients to their server.
//!
//! The connections of the part of a load that this process makes pass through a thread of it, which
//! keeps their bytes for half of the round-trip time in either direction. That thread listens on
//! loopback, so that whatever drives the clients knows nothing of it, and replies still get the kernel's
//! time stamps. How much longer a round trip takes because of it is measured before the load and beside
//! it, by a byte that comes back.

mod echo;
mod flow;
mod meter;
mod relay;

use self::echo::Echo;
use self::meter::Meter;
use self::relay::Relay;
use crate::{Address, LoadError, Nanos, Schedule};
use mio::Waker;
use model::{DelayMeasured, Latencies};
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The name of the thread through which delayed connections pass.
pub const DELAY_THREAD: &str = "delay";

/// What was measured of a delay, by one part of a load.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DelayRecord {
    asked: Duration,
    /// Round trips without it.
    without: Latencies,
    /// Round trips with it, before the load and beside it.
    before: Latencies,
    beside: Latencies,
    round_trips: u64,
    cpu: Duration,
}

impl DelayRecord {
    pub(crate) fn add(&mut self, other: &Self) {
        self.without.merge(&other.without);
        self.before.merge(&other.before);
        self.beside.merge(&other.beside);
        self.round_trips += other.round_trips;
        self.cpu += other.cpu;
    }

    pub(crate) fn measured(&self) -> DelayMeasured {
        let without = self.without.percentile_ms(50.0).unwrap_or_default();
        let added = |with: Option<f64>| Some((with? - without).max(0.0));
        DelayMeasured {
            asked: self.asked,
            before_ms: added(self.before.percentile_ms(50.0)),
            beside_ms: added(self.beside.mean_ms()),
            beside_p95_ms: added(self.beside.percentile_ms(95.0)),
            echoes: self.beside.count(),
            round_trips: self.round_trips,
            cpu_seconds: self.cpu.as_secs_f64(),
        }
    }
}

/// A delay through which connections pass, until this is ended or dropped.
pub(crate) struct Delay {
    asked: Duration,
    meter: Arc<Meter>,
    waker: Waker,
    relay: Option<JoinHandle<io::Result<()>>>,
    echo: Option<JoinHandle<io::Result<Latencies>>>,
    addresses: Vec<Address>,
    without: Latencies,
    before: Latencies,
}

impl Delay {
    /// A delay of so much for each round trip to these addresses.
    ///
    /// # Errors
    /// Where one is a socket of this host, or there are no more connections or threads.
    pub(crate) fn begin(
        asked: Duration,
        to: &[Address],
        schedule: Schedule,
    ) -> Result<Self, LoadError> {
        let to: Option<Vec<_>> = to.iter().map(Address::network).collect();
        let not_tcp = || io::Error::new(io::ErrorKind::Unsupported, "a delay takes TCP");
        let mut to = to.ok_or_else(|| LoadError::System(not_tcp()))?;
        Self::start(asked, &mut to, schedule).map_err(LoadError::System)
    }

    fn start(
        asked: Duration,
        to: &mut Vec<std::net::SocketAddr>,
        schedule: Schedule,
    ) -> io::Result<Self> {
        let echo = echo::serve(2)?;
        let without = Echo::connect(echo, Duration::ZERO)?.before()?;
        to.push(echo);
        let meter = Arc::new(Meter::new(schedule));
        let relay = Relay::bind(to, 1, asked, Arc::clone(&meter))?;
        let (mut addresses, waker) = (relay.addresses()?, relay.waker()?);
        let to_echo = addresses.pop();
        let named = |name: &str| std::thread::Builder::new().name(name.into());
        let relay = Some(named(DELAY_THREAD).spawn(move || relay.run())?);
        let addresses = addresses.into_iter().map(Address::Tcp).collect();
        let (echo, before) = (None, Latencies::new());
        let mut delay = Self { asked, meter, waker, relay, echo, addresses, without, before };
        if let Some(to_echo) = to_echo {
            let mut echo = Echo::connect(to_echo, asked)?;
            delay.before = echo.before()?;
            let meter = Arc::clone(&delay.meter);
            delay.echo = Some(named("echo").spawn(move || echo.beside(&meter))?);
        }
        Ok(delay)
    }

    /// Where clients connect to, in the order of the addresses of their servers.
    pub(crate) fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// The load begins then.
    pub(crate) fn start_at(&self, start: Nanos) {
        self.meter.start_at(start);
    }

    /// Ends it: what was measured.
    ///
    /// # Errors
    /// When it could not pass on what it was to.
    pub(crate) fn end(mut self) -> Result<DelayRecord, LoadError> {
        self.tell_end();
        let relay = self.relay.take().map_or(Ok(Ok(())), JoinHandle::join);
        relay.unwrap_or_else(|_| Err(io::Error::other("the delay ended"))).map_err(system)?;
        let beside = self.echo.take().map_or(Ok(Ok(Latencies::new())), JoinHandle::join);
        let beside = beside.unwrap_or_else(|_| Ok(Latencies::new())).unwrap_or_default();
        Ok(DelayRecord {
            asked: self.asked,
            without: std::mem::take(&mut self.without),
            before: std::mem::take(&mut self.before),
            beside,
            round_trips: self.meter.round_trips(),
            cpu: self.meter.cpu(),
        })
    }

    fn tell_end(&self) {
        self.meter.end();
        // It looks by itself as well, only later.
        let _ = self.waker.wake();
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        self.tell_end();
        // It ends at once, and its sockets with it.
        if let Some(relay) = self.relay.take() {
            let _ = relay.join();
        }
    }
}

fn system(error: io::Error) -> LoadError {
    LoadError::System(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, Limit};
    use std::io::{Read, Write};
    use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};

    const MS: Duration = Duration::from_millis(1);
    const FOREVER: Schedule = Schedule {
        warmup: Duration::ZERO,
        limit: Limit::LastReply { duration: None, events: None },
        turns: None,
    };

    fn network(address: &Address) -> SocketAddr {
        address.network().unwrap()
    }

    /// A server that reads to the end, and then sends back all that it got.
    fn reads_all() -> Address {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::Tcp(listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let mut connection = connection.unwrap();
                let mut all = Vec::new();
                connection.read_to_end(&mut all).unwrap();
                connection.write_all(&all).unwrap();
            }
        });
        address
    }

    fn echo() -> Address {
        Address::Tcp(echo::serve(1).unwrap())
    }

    #[test]
    fn bytes_come_through_unchanged_and_so_do_ends() {
        let delay = Delay::begin(2 * MS, &[reads_all()], FOREVER).unwrap();
        let mut sent: Vec<u8> =
            (0..8_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for length in [sent.len(), 1, 0] {
            sent.truncate(length);
            let mut client = TcpStream::connect(network(&delay.addresses()[0])).unwrap();
            let mut writing = client.try_clone().unwrap();
            let to_send = sent.clone();
            let writer = std::thread::spawn(move || {
                writing.write_all(&to_send).unwrap();
                writing.shutdown(Shutdown::Write).unwrap();
            });
            let mut came = Vec::new();
            client.read_to_end(&mut came).unwrap();
            writer.join().unwrap();
            assert!(came == sent, "{} of {} bytes", came.len(), sent.len());
        }
    }

    /// What is measured beside twenty round trips through a delay.
    fn beside_round_trips(asked: Duration) -> DelayRecord {
        let delay = Delay::begin(asked, &[echo()], FOREVER).unwrap();
        delay.start_at(Clock.now());
        // What looks at the time passes something on first.
        let began = Clock.now();
        let mut client = TcpStream::connect(network(&delay.addresses()[0])).unwrap();
        let mut byte = [7];
        for number in 1..=20 {
            client.write_all(&byte).unwrap();
            client.read_exact(&mut byte).unwrap();
            // The first one waits for the connection as well, which takes a round trip by itself.
            assert!(Clock.now().since(began) >= (number + 1) * asked, "{number}");
        }
        let record = delay.end().unwrap();
        let measured = record.measured();
        assert_eq!((measured.asked, measured.round_trips), (asked, 20), "{measured:?}");
        assert!(measured.before_ms.is_some() && measured.cpu_seconds > 0.0, "{measured:?}");
        record
    }

    #[test]
    fn a_round_trip_takes_the_delay_and_is_counted() {
        // On a busy machine the thread that measures may get no processor as long as that takes.
        let measured = (0..20).map(|_| beside_round_trips(30 * MS));
        let measured = measured.into_iter().find(|record| record.measured().echoes > 0).unwrap();
        assert!(measured.measured().beside_ms.is_some());
        // What a round trip takes without the delay, which is subtracted, has no limit on a busy machine.
        for with in [&measured.before, &measured.beside] {
            assert!(with.percentile_ms(50.0).unwrap() >= 29.0, "{:?}", measured.measured());
        }
    }

    #[test]
    fn a_server_that_is_not_there_closes_the_connection() {
        // No port that another test may be given meanwhile.
        let nobody = Address::Tcp(([127, 0, 0, 1], 1).into());
        let delay = Delay::begin(MS, &[nobody], FOREVER).unwrap();
        let mut client = TcpStream::connect(network(&delay.addresses()[0])).unwrap();
        assert!(matches!(client.read(&mut [0]), Ok(0) | Err(_)));
    }

    #[test]
    fn what_is_dropped_listens_no_more_and_a_socket_is_refused() {
        let delay = Delay::begin(MS, &[echo()], FOREVER).unwrap();
        let address = network(&delay.addresses()[0]);
        drop(delay);
        assert!(TcpStream::connect(address).is_err());
        let socket = Address::Unix("/nowhere".into());
        assert!(matches!(Delay::begin(MS, &[socket], FOREVER), Err(LoadError::System(_))));
    }
}
