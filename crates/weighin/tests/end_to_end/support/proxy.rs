use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Passes on what comes to a port of its own until it is dropped, and counts the bytes of both
/// directions.
pub struct Proxy {
    port: u16,
    bytes: Arc<AtomicU64>,
    /// Connections that the server ended before the client did.
    ended_by_server: Arc<AtomicU64>,
    /// Microseconds that each byte takes.
    delay: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
}

/// One in front of that port of this host.
pub fn proxy(server: u16) -> Proxy {
    far_proxy((Ipv4Addr::LOCALHOST, server).into(), Duration::ZERO)
}

/// One that takes that long to pass on each byte, as a way of that length would.
pub fn far_proxy(server: SocketAddr, delay: Duration) -> Proxy {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let delay = Arc::new(AtomicU64::new(delay.as_micros() as u64));
    let (bytes, ended_by_server, over) = Default::default();
    let proxy = Proxy { port, bytes, ended_by_server, delay, over };
    let (counted, ended) = (Arc::clone(&proxy.bytes), Arc::clone(&proxy.over));
    let (by_server, delay) = (Arc::clone(&proxy.ended_by_server), Arc::clone(&proxy.delay));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            if ended.load(Ordering::Relaxed) {
                return;
            }
            let client = client.unwrap();
            let server = TcpStream::connect(server).unwrap();
            let first = Arc::new(AtomicBool::new(true));
            for (from, to, is_server) in [(&client, &server, false), (&server, &client, true)] {
                let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                let (counted, delay) = (Arc::clone(&counted), Arc::clone(&delay));
                let (first, by_server) = (Arc::clone(&first), Arc::clone(&by_server));
                let ended = move || {
                    if first.swap(false, Ordering::Relaxed) && is_server {
                        by_server.fetch_add(1, Ordering::Relaxed);
                    }
                };
                std::thread::spawn(move || pass(from, to, &delay, &counted, ended));
            }
        }
    });
    proxy
}

fn pass(
    mut from: TcpStream,
    mut to: TcpStream,
    delay: &AtomicU64,
    counted: &AtomicU64,
    ended: impl FnOnce(),
) {
    let (sender, under_way) = mpsc::channel::<(Instant, Vec<u8>)>();
    let arriving = std::thread::spawn(move || {
        for (due, bytes) in under_way {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    });
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        counted.fetch_add(length as u64, Ordering::Relaxed);
        let delay = Duration::from_micros(delay.load(Ordering::Relaxed));
        if sender.send((Instant::now() + delay, buffer[..length].to_vec())).is_err() {
            break;
        }
    }
    ended();
    drop(sender);
    let _ = arriving.join();
}

impl Proxy {
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Takes that long from now on.
    pub fn delay(&self, delay: Duration) {
        self.delay.store(delay.as_micros() as u64, Ordering::Relaxed);
    }

    /// Connections that the server has ended, and the client had not.
    pub fn ended_by_server(&self) -> u64 {
        self.ended_by_server.load(Ordering::Relaxed)
    }

    /// Passed on so far, in both directions.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // What wakes it up is not passed on.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}
