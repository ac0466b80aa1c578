//! A connection to a broker, with the thread that it runs on.

use crate::held;
use crate::identity::Identity;
use async_nats::connection::State;
use async_nats::rustls::ClientConfig;
use async_nats::{
    Auth, AuthError, Client, ConnectErrorKind, ConnectOptions, Event, Request, RequestErrorKind,
    ServerError, Subscriber,
};
use futures_util::StreamExt;
use model::{BrokerAddress, Failure, FailureKind};
use std::error::Error;
use std::future::ready;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
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
    pub proof: Proof,
    /// How to encrypt, and whom to trust; `None` where the address has no TLS.
    pub tls: Option<Arc<ClientConfig>>,
    /// What the broker’s own lists call this connection.
    pub name: String,
}

/// What shows a broker who logs in.
#[derive(Clone)]
pub enum Proof {
    Token(String),
    Seed(Identity),
}

impl Proof {
    /// Who logs in, where that is known.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        match self {
            Self::Token(_) => None,
            Self::Seed(identity) => Some(identity),
        }
    }
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
    /// What it does not let this client do, in its words.
    refused: Arc<Mutex<Option<String>>>,
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
    /// `AccessDenied` where the broker knows neither token nor key, or lets everybody in, `Unreachable`
    /// where it does not answer, or not as it should.
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

        let (changed, refused) = (Arc::new(changed), Arc::new(Mutex::new(None)));
        let refusal = Arc::clone(&refused);
        let mut options = with_proof(&login.proof)
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
                let (changed, refusal) = (Arc::clone(&changed), Arc::clone(&refusal));
                async move {
                    match event {
                        Event::Connected => changed(true),
                        Event::Disconnected => changed(false),
                        Event::ServerError(ServerError::Other(said))
                            if said.to_ascii_lowercase().contains("permissions violation") =>
                        {
                            *held(&refusal) = Some(said);
                            // Whoever waits looks at it.
                            changed(true);
                        }
                        _ => {}
                    }
                }
            });
        if let Some(tls) = &login.tls {
            options = options.require_tls(true).tls_client_config(ClientConfig::clone(tls));
        }
        let (open, close) = if address.host.contains(':') { ("[", "]") } else { ("", "") };
        let scheme = if login.tls.is_some() { "tls" } else { "nats" };
        let url = format!("{scheme}://{open}{}{close}:{}", address.host, address.port);
        let connected =
            handle.block_on(async { timeout(2 * CONNECT_TIMEOUT, options.connect(url)).await });
        let client = match connected {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(not_connected(login, &error)),
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
        let jobs = OnceLock::new();
        Ok(Self(Arc::new(Connection { address, handle, client, refused, jobs, _end: end })))
    }

    /// Whether there is a connection just now, to a broker that asks who comes.
    pub(crate) fn is_connected(&self) -> bool {
        self.0.client.connection_state() == State::Connected && self.check().is_ok()
    }

    /// Looks at what the broker said when it was connected to: one that is started again may have
    /// another configuration.
    ///
    /// # Errors
    /// `AccessDenied` where it lets everybody in, `NotPermitted` where it does not let this client do what
    /// is needed. Of one that is gone nothing is known.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if let Some(said) = held(&self.0.refused).as_ref() {
            return Err(not_permitted(&self.0.address, said));
        }
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
    /// `NotConnected` when there is no broker; when too many are waiting, or when it lets everybody in.
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

    /// Sends a message and waits for an answer on a subject; `None` where nobody listens, or none comes in time.
    ///
    /// # Errors
    /// When the broker does not take it, or lets everybody in.
    pub(crate) fn request(
        &self,
        (subject, answer_on): (String, String),
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
        let request = Request::new().inbox(answer_on).payload(payload.into()).timeout(Some(limit));
        let sent = self.0.client.send_request(subject, request);
        let answer = async { timeout(limit, sent).await };
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

    /// Hands on all messages under a subject, until `heard` wants no more.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub(crate) fn subscribe(
        &self,
        subject: String,
        heard: impl FnMut(Vec<u8>) -> bool + Send + 'static,
    ) -> io::Result<Subscription> {
        self.listen(subject).map(|listening| listening.hand_on(heard))
    }

    /// Keeps the messages under a subject from now on.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub(crate) fn listen(&self, subject: String) -> io::Result<Listening> {
        let subscribed = self.0.handle.block_on(self.0.client.subscribe(subject));
        let messages = subscribed.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Listening { broker: self.clone(), messages })
    }
}

/// Messages that are heard, and wait to be handed on.
pub(crate) struct Listening {
    broker: Broker,
    messages: Subscriber,
}

impl Listening {
    /// Hands them on, until `heard` wants no more. What comes through a broker that lets everybody in may
    /// be anybody’s, and is dropped.
    pub fn hand_on(self, mut heard: impl FnMut(Vec<u8>) -> bool + Send + 'static) -> Subscription {
        let Self { broker, mut messages } = self;
        // The broker ends when its last copy is dropped: none is kept here.
        let (client, handle) = (broker.0.client.clone(), broker.0.handle.clone());
        Subscription(handle.spawn(async move {
            while let Some(message) = messages.next().await {
                // The client knows a new configuration before it subscribes there.
                if !client.server_info().auth_required {
                    continue;
                }
                if !heard(message.payload.to_vec()) {
                    return;
                }
            }
        }))
    }
}

/// With what shows who logs in.
fn with_proof(proof: &Proof) -> ConnectOptions {
    match proof {
        Proof::Token(token) => ConnectOptions::new().token(token.clone()),
        Proof::Seed(identity) => {
            let identity = identity.clone();
            ConnectOptions::with_auth_callback(move |nonce| {
                let mut auth = Auth::new();
                auth.nkey = Some(identity.public_key());
                auth.signature = identity.sign_nonce(&nonce);
                ready(match auth.signature {
                    Some(_) => Ok(auth),
                    None => Err(AuthError::new(NO_NKEYS)),
                })
            })
        }
    }
}

/// Of a broker without nkeys.
const NO_NKEYS: &str = "it asks for no signature";

fn not_permitted(address: &BrokerAddress, said: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("the broker {address} does not permit what agents and leads need: {said}"),
        "give this user the permissions that docs/hosts.md shows (publish and subscribe), with the name of \
         the fleet in them",
    )
}

fn open_to_all(address: &BrokerAddress) -> Failure {
    Failure::new(
        FailureKind::AccessDenied,
        format!("the broker {address} asks nobody for a token or a key"),
        "whoever reaches it could make agents load: name users with their public keys in its \
         configuration (authorization { users: [ { nkey: U… } ] }), or a token",
    )
}

fn unreachable(address: &BrokerAddress, why: &str) -> Failure {
    Failure::new(
        FailureKind::Unreachable,
        format!("the broker {address} cannot be reached: {why}"),
        "see whether nats-server runs there, and whether a firewall lets its port pass",
    )
}

/// What is wrong with certificates, by what rustls calls it, and what to do about it.
const CERTIFICATES: [(&str, (&str, &str)); 3] = [
    (
        "CaUsedAsEndEntity",
        (
            "is an authority’s own (CA:TRUE), and not the one that was named to check it by",
            "name exactly this certificate (ca in [fleet], --ca of an agent), or give the broker one that \
             is signed by the authority that is named there",
        ),
    ),
    (
        "UnsupportedCertVersion",
        (
            "has the old format X.509 v1, which cannot be checked",
            "make one as docs/hosts.md shows: openssl makes one of version 3 where it is given extensions \
             such as subjectAltName",
        ),
    ),
    (
        "not valid for name",
        (
            "is made out for another name",
            "name the broker as its certificate does, or make one that carries this name (openssl: -addext \
             subjectAltName=DNS:NAME, or IP:ADDRESS; its CN alone does not count)",
        ),
    ),
];

fn not_connected(login: &Login, error: &async_nats::ConnectError) -> Failure {
    let address = &login.address;
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
        return match &login.proof {
            Proof::Token(_) => Failure::new(
                FailureKind::AccessDenied,
                format!("the broker {address} does not know the token"),
                "see what its configuration has under authorization, and what the token’s file or \
                 variable holds",
            ),
            Proof::Seed(identity) => Failure::new(
                FailureKind::AccessDenied,
                format!("the broker {address} does not know the key {}", identity.public_key()),
                "add it to the users in its configuration: authorization { users: [ { nkey: U…, \
                 permissions: … } ] }",
            ),
        };
    }
    if words.contains(NO_NKEYS) {
        return Failure::new(
            FailureKind::AccessDenied,
            format!("the broker {address} has no users with nkeys: {NO_NKEYS}"),
            "name users with their public keys in its configuration: authorization { users: [ { nkey: \
             U…, permissions: … } ] }",
        );
    }
    if let Some((_, (what, remedy))) =
        CERTIFICATES.iter().find(|(reason, _)| words.contains(reason))
    {
        let message = format!("the certificate of the broker {address} {what}");
        return Failure::new(FailureKind::AccessDenied, message, *remedy);
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
