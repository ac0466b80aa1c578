//! A connection to a broker, with the thread that it runs on.

use async_nats::connection::State;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, RequestErrorKind};
use futures_util::StreamExt;
use model::{BrokerAddress, Failure, FailureKind};
use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long connecting may take, with TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a message may wait for the connection.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the broker is asked whether it is there. It is given up after three times.
const PING_INTERVAL: Duration = Duration::from_secs(2);
/// Longest time between two attempts to reach a broker that is gone.
const LONGEST_RETRY: Duration = Duration::from_secs(1);
/// How long the last messages may take.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);
/// How often it is looked whether the broker is there again.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Least that a broker must pass on in one message, in bytes.
pub(crate) const LEAST_PAYLOAD: usize = 4096;

/// How to log in to a broker.
#[derive(Clone)]
pub struct Login {
    pub address: BrokerAddress,
    pub token: String,
    /// PEM file with the certificates to trust; those of the system when absent.
    pub ca: Option<PathBuf>,
    /// What the broker’s own lists call this connection.
    pub name: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A connection to a broker, which is made anew when it is lost. Its work is done by a thread of its
/// own, which ends when the last copy of this is dropped.
#[derive(Clone)]
pub struct Broker(Arc<Connection>);

struct Connection {
    address: BrokerAddress,
    handle: Handle,
    client: Client,
    /// Of the thread that hears agents, once there is one.
    jobs: OnceLock<Sender<Job>>,
    /// Dropped with this, by which the thread ends.
    _end: oneshot::Sender<()>,
}

impl std::fmt::Debug for Broker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Broker").field("address", &self.0.address).finish_non_exhaustive()
    }
}

/// Something that is done when a message was heard, and may wait for the broker.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// A message that was heard.
pub(crate) struct Heard {
    /// Where an answer is wanted.
    pub reply: Option<String>,
    pub payload: Vec<u8>,
}

/// Ends when this is dropped.
pub(crate) struct Subscription(JoinHandle<()>);

impl Drop for Subscription {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Broker {
    /// Connects to a broker that asks who comes. `changed` hears when the connection is there, and
    /// when it is gone.
    ///
    /// # Errors
    /// `AccessDenied` where the token is wrong or not asked for, `Unreachable` where the broker does
    /// not answer, or not as it should.
    pub fn connect(
        login: &Login,
        changed: impl Fn(bool) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let address = login.address.clone();
        let (end, ended) = oneshot::channel::<()>();
        let no_thread = |error: io::Error| {
            Failure::new(
                FailureKind::Other,
                format!("no thread can be started for the broker: {error}"),
                "check the limit on processes (ulimit -u) and the memory that is free",
            )
        };
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
        let runtime = runtime.map_err(no_thread)?;
        let handle = runtime.handle().clone();
        let run = move || {
            // Until its sender is dropped.
            let _ = runtime.block_on(ended);
        };
        thread::Builder::new().name("broker".to_owned()).spawn(run).map_err(no_thread)?;

        let changed = Arc::new(changed);
        let mut options = ConnectOptions::new()
            .token(login.token.clone())
            .name(&login.name)
            .connection_timeout(CONNECT_TIMEOUT)
            .ping_interval(PING_INTERVAL)
            .reconnect_delay_callback(|attempts| {
                let steps = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
                Duration::from_millis(100).saturating_mul(steps).min(LONGEST_RETRY)
            })
            // One that the broker names might be reached without TLS.
            .ignore_discovered_servers()
            .event_callback(move |event| {
                let changed = Arc::clone(&changed);
                async move {
                    match event {
                        Event::Connected => changed(true),
                        Event::Disconnected => changed(false),
                        _ => {}
                    }
                }
            });
        if address.tls {
            options = options.require_tls(true);
            if let Some(ca) = &login.ca {
                options = options.add_root_certificates(ca.clone());
            }
        }
        let (open, close) = if address.host.contains(':') { ("[", "]") } else { ("", "") };
        let scheme = if address.tls { "tls" } else { "nats" };
        let url = format!("{scheme}://{open}{}{close}:{}", address.host, address.port);
        let connected =
            handle.block_on(async { timeout(2 * CONNECT_TIMEOUT, options.connect(url)).await });
        let client = match connected {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(not_connected(&address, &error)),
            Err(_) => return Err(unreachable(&address, "it did not answer in time")),
        };
        let info = client.server_info();
        if !info.auth_required {
            return Err(open_to_all(&address));
        }
        if info.max_payload < LEAST_PAYLOAD {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                format!("the broker {address} passes on {} bytes at most", info.max_payload),
                "set max_payload in its configuration to 1 MB, which is what it is without",
            ));
        }
        Ok(Self(Arc::new(Connection { address, handle, client, jobs: OnceLock::new(), _end: end })))
    }

    /// Whether there is a connection just now, to a broker that asks who comes.
    pub(crate) fn is_connected(&self) -> bool {
        self.0.client.connection_state() == State::Connected && self.check().is_ok()
    }

    /// Looks at what the broker said when it was connected to: one that is started again may have
    /// another configuration.
    ///
    /// # Errors
    /// `AccessDenied` where it asks nobody for a token. Of one that is gone nothing is known.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let client = &self.0.client;
        let is_there = client.connection_state() == State::Connected;
        if is_there && !client.server_info().auth_required {
            return Err(open_to_all(&self.0.address));
        }
        Ok(())
    }

    /// Why nothing goes through it, where that is so.
    pub(crate) fn trouble(&self) -> Option<String> {
        match self.check() {
            Err(failure) => Some(failure.message),
            Ok(()) if self.is_connected() => None,
            Ok(()) => Some(format!("the broker {} is gone", self.0.address)),
        }
    }

    /// Bytes of the longest message that it passes on.
    pub(crate) fn longest(&self) -> usize {
        self.0.client.max_payload()
    }

    /// Of a thread that does one after the other, for all sessions: it ends with this broker.
    ///
    /// # Errors
    /// When there can be no thread.
    pub(crate) fn jobs(&self) -> io::Result<Sender<Job>> {
        if let Some(jobs) = self.0.jobs.get() {
            return Ok(jobs.clone());
        }
        let (sender, jobs) = channel::<Job>();
        let work = move || jobs.iter().for_each(|job| job());
        thread::Builder::new().name("agents".to_owned()).spawn(work)?;
        // Another session's was the first: its own ends then.
        Ok(self.0.jobs.get_or_init(|| sender).clone())
    }

    /// Sends a message. The client would keep one until there is a broker again, and then send it before
    /// anybody can look whether that asks who comes.
    ///
    /// # Errors
    /// `NotConnected` when there is no broker; when too many are waiting, or when it asks nobody for a
    /// token.
    pub(crate) fn publish(&self, subject: String, payload: Vec<u8>) -> io::Result<()> {
        if self.0.client.connection_state() != State::Connected {
            return Err(io::ErrorKind::NotConnected.into());
        }
        self.check().map_err(io::Error::other)?;
        let sent =
            async { timeout(SEND_TIMEOUT, self.0.client.publish(subject, payload.into())).await };
        match self.0.handle.block_on(sent) {
            Ok(sent) => sent.map_err(|error| io::Error::other(error.to_string())),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the broker takes nothing")),
        }
    }

    /// Waits until the broker has what was sent, where that does not take long.
    pub(crate) fn flush(&self) {
        let flushed = async { timeout(FLUSH_TIMEOUT, self.0.client.flush()).await };
        // What it has not got by now is lost, and noticed.
        let _ = self.0.handle.block_on(flushed);
    }

    /// Sends a message and waits for an answer; `None` where nobody listens, or none comes in time.
    ///
    /// # Errors
    /// When the broker does not take it, or asks nobody for a token.
    pub(crate) fn request(
        &self,
        subject: String,
        payload: Vec<u8>,
        limit: Duration,
    ) -> io::Result<Option<Vec<u8>>> {
        let began = Instant::now();
        // As of messages.
        while self.0.client.connection_state() != State::Connected {
            if began.elapsed() >= limit {
                return Ok(None);
            }
            thread::sleep(POLL_INTERVAL);
        }
        self.check().map_err(io::Error::other)?;
        let answer = async { timeout(limit, self.0.client.request(subject, payload.into())).await };
        match self.0.handle.block_on(answer) {
            Ok(Ok(message)) => Ok(Some(message.payload.to_vec())),
            Ok(Err(error))
                if matches!(
                    error.kind(),
                    RequestErrorKind::NoResponders | RequestErrorKind::TimedOut
                ) =>
            {
                Ok(None)
            }
            Ok(Err(error)) => Err(io::Error::other(error.to_string())),
            Err(_) => Ok(None),
        }
    }

    /// Hands on all messages under a subject, until `heard` wants no more. What comes through a broker
    /// that asks nobody for a token may be anybody’s, and is dropped.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub(crate) fn subscribe(
        &self,
        subject: String,
        mut heard: impl FnMut(Heard) -> bool + Send + 'static,
    ) -> io::Result<Subscription> {
        let subscribed = self.0.handle.block_on(self.0.client.subscribe(subject));
        let mut messages = subscribed.map_err(|error| io::Error::other(error.to_string()))?;
        let client = self.0.client.clone();
        Ok(Subscription(self.0.handle.spawn(async move {
            while let Some(message) = messages.next().await {
                // The client knows a new configuration before it subscribes there.
                if !client.server_info().auth_required {
                    continue;
                }
                let reply = message.reply.map(|reply| reply.to_string());
                if !heard(Heard { reply, payload: message.payload.to_vec() }) {
                    return;
                }
            }
        })))
    }
}

fn open_to_all(address: &BrokerAddress) -> Failure {
    Failure::new(
        FailureKind::AccessDenied,
        format!("the broker {address} asks nobody for a token"),
        "whoever reaches it could make agents load: set a token in its configuration \
         (authorization { token: \"…\" })",
    )
}

fn unreachable(address: &BrokerAddress, why: &str) -> Failure {
    Failure::new(
        FailureKind::Unreachable,
        format!("the broker {address} cannot be reached: {why}"),
        "see whether nats-server runs there, and whether a firewall lets its port pass",
    )
}

fn not_connected(address: &BrokerAddress, error: &async_nats::ConnectError) -> Failure {
    let mut words = vec![error.to_string()];
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(one) = cause {
        let said = one.to_string();
        if !words.iter().any(|before| before.contains(&said)) {
            words.push(said);
        }
        cause = one.source();
    }
    let words = words.join(": ");
    if error.kind() == ConnectErrorKind::AuthorizationViolation {
        return Failure::new(
            FailureKind::AccessDenied,
            format!("the broker {address} does not know the token"),
            "see what its configuration has under authorization, and what the token’s file or \
             variable holds",
        );
    }
    if error.kind() == ConnectErrorKind::Tls || words.contains("certificate") {
        return Failure::new(
            FailureKind::AccessDenied,
            format!("the certificate of the broker {address} is not trusted: {words}"),
            "name the certificates that it is signed with (ca in [fleet], --ca of an agent), and the \
             broker as its certificate does",
        );
    }
    unreachable(address, &words)
}
