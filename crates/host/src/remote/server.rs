//! Private servers on another machine: what the agent there holds, and what the lead has of it.

use super::agent::{Held, Shared, hold, unknown, value};
use super::channel::Channel;
use super::wire::Order;
use super::{ANSWER_TIMEOUT, held};
use crate::local::sandbox::recipe::kind_of;
use crate::question::{Host, PrivateServer, SandboxOptions};
use crate::recipe::PrivateServerKind;
use model::{Endpoint, Failure, FailureKind, PasswordSource, ServerAddress, ServerKey, Stop, Tls};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Private servers that an agent holds at a time.
const MOST_SERVERS: usize = 64;
/// How long making a server and starting it may take, and anything else that waits for one: each part
/// of it has a shorter limit of its own.
const START_TIMEOUT: Duration = Duration::from_secs(900);
/// How long its end may take, with its volume and its directory.
const END_TIMEOUT: Duration = Duration::from_secs(60);
/// Of a password that an agent has made: 128 bits.
const PASSWORD_DIGITS: usize = 32;
/// What sshd tells of a connection: two addresses with their ports, the second one its own.
const CONNECTION: &str = "SSH_CONNECTION";

/// What the lead asks of private servers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ServerOrder {
    /// Starts one under the number of the order.
    Start(Box<SandboxOptions>),
    Act {
        server: u64,
        act: ServerAct,
    },
    End {
        server: u64,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ServerAct {
    Stop,
    Kill,
    Freeze,
    Thaw,
    ForgetCache,
    StartAgain,
    LastWords,
}

/// A server as the agent sees it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ServerState {
    address: ServerAddress,
    password: Option<String>,
    pid: u32,
    program: String,
    disks: Vec<String>,
    data: PathBuf,
    /// What it said when it ended by itself, where it was asked for that.
    last_words: Option<Failure>,
}

impl std::fmt::Debug for ServerState {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerState").field("pid", &self.pid).finish_non_exhaustive()
    }
}

impl ServerState {
    fn of(server: &dyn PrivateServer) -> Self {
        Self {
            address: server.address().clone(),
            password: server.password(),
            pid: server.pid(),
            program: server.program(),
            disks: server.disks(),
            data: server.data_directory().to_owned(),
            last_words: None,
        }
    }

    /// What may be believed of it. Lead and load log in where they are told to, with what they are
    /// told: a machine that is not what it should be must not have them log in to their own servers, in
    /// the name of another account, or with a password of theirs.
    fn checked(self, asked: &Asked) -> Result<Self, Failure> {
        let (user, database) = asked.kind.facts.login;
        let ServerAddress { endpoint, tls, .. } = self.address;
        let endpoint = match endpoint {
            Endpoint::Tcp { host, port } if port != 0 => host.parse().ok().map(|host| (host, port)),
            _ => None,
        };
        let endpoint = endpoint.filter(|(host, _)| asked.listen.is_none_or(|asked| asked == *host));
        let is_secret = |password: &String| {
            password.len() == PASSWORD_DIGITS
                && password.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let password = self.password.filter(is_secret);
        let (Some((host, port)), Some(password), Tls::Pinned(certificate)) =
            (endpoint, password, tls)
        else {
            return Err(Failure::new(
                FailureKind::Other,
                "the agent says of its private server what cannot be: it listens by TCP where it was \
                 told to, with a password and a certificate of its own",
                "look whether that machine is the one that it should be; the agent may be of another \
                 version",
            ));
        };
        let host: IpAddr = host;
        let address = ServerAddress {
            endpoint: Endpoint::Tcp { host: host.to_string(), port },
            user: user.map(str::to_owned),
            database: database.to_owned(),
            // It came with the answer; that machine's file is not here.
            password: PasswordSource::File("/dev/null".into()),
            tls: Tls::Pinned(certificate),
            compression: false,
            server_key: ServerKey::Request,
        };
        Ok(Self { address, password: Some(password), ..self })
    }
}

/// What was asked for of a private server.
#[derive(Clone, Copy, Debug)]
struct Asked {
    kind: &'static PrivateServerKind,
    listen: Option<IpAddr>,
}

/// Those that an agent holds. They end when this is dropped, or with the process.
pub(super) struct HeldServers(Held<Shared<dyn PrivateServer>>);

impl Default for HeldServers {
    fn default() -> Self {
        Self(Mutex::new(Some(HashMap::new())))
    }
}

impl HeldServers {
    pub(super) fn carry_out(
        &self,
        host: &dyn Host,
        number: u64,
        order: ServerOrder,
        stop: &Stop,
    ) -> Result<Value, Failure> {
        match order {
            ServerOrder::Start(options) => {
                let listen = match options.listen {
                    Some(address) => address,
                    None => own_address()?,
                };
                let (listen, stop) = (Some(listen), stop.clone());
                let server = host.start_server(SandboxOptions { listen, stop, ..*options })?;
                let state = ServerState::of(server.as_ref());
                hold(&self.0, number, Arc::new(Mutex::new(server)), MOST_SERVERS)?;
                value(state)
            }
            ServerOrder::Act { server, act } => {
                let server = held(&self.0).as_ref().and_then(|all| all.get(&server).cloned());
                let server = server.ok_or_else(|| unknown("no private server"))?;
                let mut server = held(&server);
                let mut last_words = None;
                match act {
                    ServerAct::Stop => server.stop()?,
                    ServerAct::Kill => server.kill()?,
                    ServerAct::Freeze => server.freeze()?,
                    ServerAct::Thaw => server.thaw()?,
                    ServerAct::ForgetCache => server.forget_cache()?,
                    ServerAct::StartAgain => server.start_again()?,
                    ServerAct::LastWords => last_words = server.last_words(),
                }
                value(ServerState { last_words, ..ServerState::of(server.as_ref()) })
            }
            ServerOrder::End { server } => {
                let ended = held(&self.0).as_mut().and_then(|all| all.remove(&server));
                drop(ended);
                value(())
            }
        }
    }

    /// The lead is gone: all of them end, and none begins any more.
    pub(super) fn end(&self) {
        drop(held(&self.0).take());
    }
}

/// The address by which ssh has reached this machine.
fn own_address() -> Result<IpAddr, Failure> {
    let told = std::env::var(CONNECTION).unwrap_or_default();
    let address = told.split(' ').nth(2).and_then(|address| address.parse().ok());
    address.ok_or_else(|| {
        Failure::new(
            FailureKind::SandboxStart,
            format!("sshd does not say by which address it was reached ({CONNECTION})"),
            "name the address on which the server is to listen: sandbox = { listen = \"10.0.1.12\" }",
        )
    })
}

/// A private server there. It ends when this is dropped, or when the lead is gone.
#[derive(Debug)]
pub(super) struct RemoteServer {
    channel: Arc<Channel>,
    number: u64,
    asked: Asked,
    state: ServerState,
    stop: Stop,
}

impl RemoteServer {
    pub(super) fn start(channel: Arc<Channel>, options: SandboxOptions) -> Result<Self, Failure> {
        let stop = options.stop.clone();
        let kind = kind_of(options.system, &options.name)?;
        let asked = Asked { kind, listen: options.listen };
        let order = Order::Server(ServerOrder::Start(Box::new(options)));
        let (number, state): (_, ServerState) =
            channel.ask_numbered(order, START_TIMEOUT, &stop)?;
        Ok(Self { channel, number, asked, state: state.checked(&asked)?, stop })
    }

    fn act(&mut self, act: ServerAct, limit: Duration) -> Result<(), Failure> {
        let order = Order::Server(ServerOrder::Act { server: self.number, act });
        let state: ServerState = self.channel.ask(order, limit, &self.stop)?;
        self.state = state.checked(&self.asked)?;
        Ok(())
    }

    fn no_network(&self) -> Failure {
        Failure::new(
            FailureKind::NotPermitted,
            "a private server on another machine has no network of its own that could be cut",
            "choose another cause, or a private server of the machine that weighin runs on",
        )
    }
}

impl PrivateServer for RemoteServer {
    fn address(&self) -> &ServerAddress {
        &self.state.address
    }

    fn replication_address(&self) -> Option<ServerAddress> {
        None
    }

    fn password(&self) -> Option<String> {
        self.state.password.clone()
    }

    fn lost(&self) -> Option<Failure> {
        self.channel.lost()
    }

    fn pid(&self) -> u32 {
        self.state.pid
    }

    fn program(&self) -> String {
        self.state.program.clone()
    }

    fn disks(&self) -> Vec<String> {
        self.state.disks.clone()
    }

    fn data_directory(&self) -> &Path {
        &self.state.data
    }

    fn stop(&mut self) -> Result<(), Failure> {
        self.act(ServerAct::Stop, START_TIMEOUT)
    }

    fn kill(&mut self) -> Result<(), Failure> {
        self.act(ServerAct::Kill, END_TIMEOUT)
    }

    fn freeze(&mut self) -> Result<(), Failure> {
        self.act(ServerAct::Freeze, ANSWER_TIMEOUT)
    }

    fn thaw(&mut self) -> Result<(), Failure> {
        self.act(ServerAct::Thaw, ANSWER_TIMEOUT)
    }

    fn move_apart(&mut self) -> Result<(), Failure> {
        Err(self.no_network())
    }

    fn cut_off(&mut self) -> Result<(), Failure> {
        Err(self.no_network())
    }

    fn reconnect(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn forget_cache(&mut self) -> Result<(), Failure> {
        self.act(ServerAct::ForgetCache, ANSWER_TIMEOUT)
    }

    fn start_again(&mut self) -> Result<(), Failure> {
        self.act(ServerAct::StartAgain, START_TIMEOUT)
    }

    fn last_words(&mut self) -> Option<Failure> {
        if let Err(failure) = self.act(ServerAct::LastWords, ANSWER_TIMEOUT) {
            return Some(failure).filter(|failure| failure.kind == FailureKind::HostLost);
        }
        // As the channel does with other failures: its words are cut and made visible.
        let said = self.state.last_words.take()?;
        let kind = if said.is_stop() { FailureKind::Other } else { said.kind };
        Some(Failure::new(kind, said.message, said.remedy))
    }
}

impl Drop for RemoteServer {
    fn drop(&mut self) {
        // Waited for, whatever else is to stop: nothing of it is left when this returns. A channel that
        // is lost has ended it.
        let order = Order::Server(ServerOrder::End { server: self.number });
        let _ = self.channel.ask::<()>(order, END_TIMEOUT, &Stop::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(change: impl FnOnce(&mut ServerState)) -> ServerState {
        let mut state = ServerState {
            address: ServerAddress {
                endpoint: Endpoint::Tcp { host: "10.0.1.12".into(), port: 40_000 },
                user: Some("weighin".into()),
                database: "weighin".into(),
                password: PasswordSource::File("/var/tmp/weighin-x/password".into()),
                tls: Tls::Pinned("certificate".into()),
                compression: false,
                server_key: ServerKey::Request,
            },
            password: Some("0123456789abcdef0123456789abcdef".into()),
            pid: 7,
            program: "mariadbd".into(),
            disks: Vec::new(),
            data: "/data".into(),
            last_words: None,
        };
        change(&mut state);
        state
    }

    #[test]
    fn a_machine_cannot_have_its_lead_log_in_elsewhere_or_as_somebody_else() {
        let listen = Some("10.0.1.12".parse().unwrap());
        let kind = kind_of(model::System::Mysql, "a").unwrap();
        let asked = Asked { kind, listen };
        let refused = |change: fn(&mut ServerState)| {
            let failure = state(change).checked(&asked).unwrap_err();
            assert!(failure.message.contains("what cannot be"), "{failure}");
        };
        refused(|state| state.password = None);
        refused(|state| state.password = Some("root".into()));
        refused(|state| state.address.tls = Tls::Off);
        refused(|state| state.address.tls = Tls::Verified(None));
        refused(|state| {
            state.address.endpoint = Endpoint::Socket("/run/mysqld/mysqld.sock".into())
        });
        refused(|state| state.address.endpoint = Endpoint::NotUp);
        for host in ["db.example", "127.0.0.1"] {
            let elsewhere = |state: &mut ServerState| {
                state.address.endpoint = Endpoint::Tcp { host: host.to_owned(), port: 3306 };
            };
            assert!(state(elsewhere).checked(&asked).is_err());
        }

        // What it says of account, database and where a password lies is not taken over.
        let other = state(|state| {
            state.address.user = Some("root".into());
            state.address.database = "mysql".into();
            state.address.password = PasswordSource::Environment("AWS_SECRET_ACCESS_KEY".into());
            state.address.compression = true;
        });
        let address = other.checked(&asked).unwrap().address;
        assert_eq!((address.user.as_deref(), address.database.as_str()), kind.facts.login);
        assert_eq!(address.password, PasswordSource::File("/dev/null".into()));
        assert!(!address.compression);
    }
}
