//! Listening: connections within bounds ([`crate::places`]), each encrypted where that is asked for, until the end.

use crate::door::Door;
use crate::gate::Gate;
use crate::patient::Patient;
use crate::places::{Place, Places};
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use model::{Failure, FailureKind, Stop};
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener as Listener};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

/// Connections that wait to be accepted: with less room many of them at once would have others wait for
/// seconds, until they try again.
const MOST_WAITING: i32 = 4096;
/// How long the head of a request may take, and how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of the head of a request.
const LARGEST_HEAD: usize = 16 << 10;
const MOST_HEADERS: usize = 64;
/// Threads that make reports.
const MAKERS: usize = 4;
/// How often it is looked whether to end.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long requests that are answered may go on at the end.
const GRACE: Duration = Duration::from_secs(1);

/// What becomes true when everything is to end.
pub(crate) type Ending = watch::Receiver<bool>;

/// A door that is listened at.
pub(crate) struct Server {
    door: Door,
    listener: Listener,
    address: SocketAddr,
    runtime: Runtime,
}

impl Server {
    /// # Errors
    /// When the address cannot be listened on.
    pub(crate) fn bind(door: Door) -> Result<Self, Failure> {
        let failed = |error: io::Error| {
            let remedy = match error.kind() {
                ErrorKind::AddrInUse => "end what listens there, or choose another port",
                ErrorKind::PermissionDenied => "choose a port above 1023",
                ErrorKind::AddrNotAvailable => "name an address of this machine",
                _ => "choose another address",
            };
            let message = format!("cannot listen on {}: {error}", door.listen);
            Failure::new(FailureKind::Other, message, remedy)
        };
        let listener = Listener::bind(door.listen).map_err(failed)?;
        rustix::net::listen(&listener, MOST_WAITING).map_err(|error| failed(error.into()))?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let runtime = Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(MAKERS)
            .thread_name("pages")
            .on_thread_start(crate::give_way)
            .build()
            .map_err(failed)?;
        Ok(Self { door, listener, address, runtime })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests with what a router has until it is stopped.
    ///
    /// # Errors
    /// When the operating system does not go along.
    pub(crate) fn run(
        self,
        pages: impl FnOnce(Ending) -> Router,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let Self { door, listener, address, runtime } = self;
        let (end, ending) = watch::channel(false);
        let served = runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            let tls = door.tls.clone().map(TlsAcceptor::from);
            let gate = Arc::new(Gate::new(door, address.port(), pages(ending.clone())));
            tokio::spawn(end_with(stop.clone(), end));
            accept(&listener, tls, gate, ending).await;
            Ok::<_, io::Error>(())
        });
        // A report that is being made is not waited for.
        runtime.shutdown_background();
        served.map_err(|error| {
            let message = format!("cannot listen on {address}: {error}");
            Failure::new(FailureKind::Other, message, "choose another address")
        })
    }
}

async fn end_with(stop: Stop, end: watch::Sender<bool>) {
    while !stop.is_requested() {
        sleep(POLL_INTERVAL).await;
    }
    // Who hears nothing has ended.
    let _ = end.send(true);
}

async fn accept(
    listener: &TcpListener,
    tls: Option<TlsAcceptor>,
    gate: Arc<Gate>,
    mut ending: Ending,
) {
    let places = Arc::new(Places::default());
    loop {
        let accepted = tokio::select! {
            _ = ending.wait_for(|end| *end) => break,
            accepted = one_more(listener, &places) => accepted,
        };
        let Some((stream, place)) = accepted else {
            // Out of descriptors, for example: others end before long.
            sleep(POLL_INTERVAL).await;
            continue;
        };
        let (tls, gate, place) = (tls.clone(), Arc::clone(&gate), Arc::new(place));
        let mut ending = ending.clone();
        tokio::spawn(async move {
            let stream = Patient::new(stream);
            let visitor = Arc::clone(&place);
            let visit = async {
                let Some(tls) = tls else { return converse(stream, gate, visitor, ending).await };
                let shaken = tokio::select! {
                    _ = ending.wait_for(|end| *end) => return,
                    shaken = timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)) => shaken,
                };
                if let Ok(Ok(stream)) = shaken {
                    converse(stream, gate, visitor, ending).await;
                }
            };
            tokio::select! {
                () = place.is_lost() => {}
                () = visit => {}
            }
        });
    }
    let _ = timeout(GRACE, places.are_empty()).await;
}

async fn one_more(listener: &TcpListener, places: &Arc<Places>) -> Option<(TcpStream, Place)> {
    let (stream, from) = listener.accept().await.ok()?;
    // Answers are small, and events must not wait for more of them.
    let _ = stream.set_nodelay(true);
    let place = places.enter(from.ip()).await;
    Some((stream, place))
}

/// Answers the requests of a connection, one after the other.
async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    gate: Arc<Gate>,
    place: Arc<Place>,
    mut ending: Ending,
) {
    let answer = service_fn(move |request| {
        let (gate, place) = (Arc::clone(&gate), Arc::clone(&place));
        async move { Ok::<_, Infallible>(gate.answer(request, &place).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(LARGEST_HEAD)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // How it ended is the visitor's matter.
        _ = connection.as_mut() => return,
        _ = ending.wait_for(|end| *end) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(GRACE, connection).await;
}
