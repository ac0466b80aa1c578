//! Private servers on another machine: what the agent there holds, and what the lead has of it.

use super::channel::Channel;
use super::held::{Held, value};
use super::wire::{Answered, Order, ServerOrder};
use crate::local::sandbox::recipe::kind_of;
use crate::question::{
    ANSWER_TIMEOUT, Host, PrivateServer, SandboxOptions, ServerAct, ServerState,
};
use crate::recipe::PrivateServerKind;
use model::{Endpoint, Failure, FailureKind, PasswordSource, ServerAddress, ServerKey, Stop, Tls};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Private servers that an agent holds at a time.
const MOST_SERVERS: usize = 64;
/// How long making a server and starting it may take, and anything else that waits for one: each part
/// of it has a shorter limit of its own.
const START_TIMEOUT: Duration = Duration::from_secs(900);
/// For a copy of all data of a server.
const COPY_TIMEOUT: Duration = Duration::from_secs(3600);
/// How long its end may take, with its volume and its directory.
const END_TIMEOUT: Duration = Duration::from_secs(60);
/// Of a password that an agent has made: 128 bits.
const PASSWORD_DIGITS: usize = 32;
/// What sshd tells of a connection: two addresses with their ports, the second one its own.
const CONNECTION: &str = "SSH_CONNECTION";

/// What may be believed of it. Lead and load log in where they are told to, with what they are
/// told: a machine that is not what it should be must not have them log in to their own servers, in
/// the name of another account, or with a password of theirs.
fn checked(state: ServerState, asked: &Asked) -> Result<ServerState, Failure> {
    let (user, database) = asked.kind.facts.login;
    let ServerAddress { endpoint, tls, .. } = state.address;
    let endpoint = match endpoint {
        Endpoint::Tcp { host, port } if port != 0 => host.parse().ok().map(|host| (host, port)),
        _ => None,
    };
    let endpoint = endpoint.filter(|(host, _)| asked.listen.is_none_or(|asked| asked == *host));
    let is_secret = |password: &String| {
        password.len() == PASSWORD_DIGITS && password.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let password = state.password.filter(is_secret);
    let (Some((host, port)), Some(password), Tls::Pinned(certificate)) = (endpoint, password, tls)
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
        auth: model::AuthMethods::default(),
    };
    Ok(ServerState { address, replication_address: None, password: Some(password), ..state })
}

/// What was asked for of a private server.
#[derive(Clone, Copy, Debug)]
struct Asked {
    kind: &'static PrivateServerKind,
    listen: Option<IpAddr>,
}

/// Those that an agent holds.
pub(super) struct HeldServers(Held<Box<dyn PrivateServer>>);

impl Default for HeldServers {
    fn default() -> Self {
        Self(Held::new("private server", MOST_SERVERS))
    }
}

impl HeldServers {
    pub(super) fn carry_out(
        &self,
        host: &dyn Host,
        number: u64,
        order: ServerOrder,
        stop: &Stop,
    ) -> Answered {
        match order {
            ServerOrder::Start(options) => {
                let listen = match options.listen {
                    Some(address) => address,
                    None => own_address()?,
                };
                let (listen, stop) = (Some(listen), stop.clone());
                let server = host.start_server(SandboxOptions { listen, stop, ..*options })?;
                let state = value(server.state());
                self.0.hold(number, server)?;
                state
            }
            ServerOrder::Act { server, act } => self.0.with(server, |server| {
                server.act(act)?;
                value(server.state())
            }),
            ServerOrder::LastWords { server } => {
                self.0.with(server, |server| value(server.last_words()))
            }
            ServerOrder::End { server } => {
                drop(self.0.take(server));
                value(())
            }
        }
    }

    /// The lead is gone: all of them end, and none begins any more.
    pub(super) fn end(&self) {
        self.0.end();
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
        let proxy = options.proxy.map(|(program, _)| program);
        let kind = kind_of(options.system, proxy, &options.name)?;
        let asked = Asked { kind, listen: options.listen };
        let order = Order::Server(ServerOrder::Start(Box::new(options)));
        let (number, state): (_, ServerState) =
            channel.ask_numbered(order, START_TIMEOUT, &stop)?;
        Ok(Self { channel, number, asked, state: checked(state, &asked)?, stop })
    }
}

impl PrivateServer for RemoteServer {
    fn state(&self) -> &ServerState {
        &self.state
    }

    fn act(&mut self, act: ServerAct) -> Result<(), Failure> {
        let limit = match act {
            ServerAct::Stop | ServerAct::StartAgain => START_TIMEOUT,
            ServerAct::KeepData | ServerAct::RestoreData => COPY_TIMEOUT,
            ServerAct::Kill => END_TIMEOUT,
            ServerAct::Freeze | ServerAct::Thaw | ServerAct::ForgetCache => ANSWER_TIMEOUT,
            ServerAct::MoveApart | ServerAct::CutOff => return Err(no_network()),
            ServerAct::Reconnect => return Ok(()),
        };
        let order = Order::Server(ServerOrder::Act { server: self.number, act });
        let state = self.channel.ask(order, limit, &self.stop)?;
        self.state = checked(state, &self.asked)?;
        Ok(())
    }

    fn last_words(&mut self) -> Option<Failure> {
        let order = Order::Server(ServerOrder::LastWords { server: self.number });
        let said: Result<Option<Failure>, Failure> =
            self.channel.ask(order, ANSWER_TIMEOUT, &self.stop);
        match said {
            // As the channel does with other failures: its words are cut and made visible.
            Ok(said) => said.map(|said| {
                let kind = if said.is_stop() { FailureKind::Other } else { said.kind };
                Failure::new(kind, said.message, said.remedy)
            }),
            Err(failure) => Some(failure).filter(|failure| failure.kind == FailureKind::HostLost),
        }
    }

    fn lost(&self) -> Option<Failure> {
        self.channel.lost()
    }
}

fn no_network() -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        "a private server on another machine has no network of its own that could be cut",
        "choose another cause, or a private server of the machine that weighin runs on",
    )
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
    use crate::local::sandbox::recipe::tests::MADE_UP;

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
                auth: model::AuthMethods::default(),
            },
            replication_address: None,
            password: Some("0123456789abcdef0123456789abcdef".into()),
            pid: 7,
            program: "mariadbd".into(),
            disks: Vec::new(),
            data: "/data".into(),
        };
        change(&mut state);
        state
    }

    #[test]
    fn a_machine_cannot_have_its_lead_log_in_elsewhere_or_as_somebody_else() {
        let listen = Some("10.0.1.12".parse().unwrap());
        let kind = &MADE_UP;
        let asked = Asked { kind, listen };
        let refused = |change: fn(&mut ServerState)| {
            let failure = checked(state(change), &asked).unwrap_err();
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
            assert!(checked(state(elsewhere), &asked).is_err());
        }

        // What it says of account, database and where a password lies is not taken over.
        let other = state(|state| {
            state.address.user = Some("root".into());
            state.address.database = "mysql".into();
            state.address.password = PasswordSource::Environment("AWS_SECRET_ACCESS_KEY".into());
            state.address.compression = true;
        });
        let address = checked(other, &asked).unwrap().address;
        assert_eq!((address.user.as_deref(), address.database.as_str()), kind.facts.login);
        assert_eq!(address.password, PasswordSource::File("/dev/null".into()));
        assert!(!address.compression);
    }
}
