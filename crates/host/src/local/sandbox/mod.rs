//! Private servers, of the installed programs, an unpacked distribution or a container image; gone
//! when weighin is.
//!
//! A sandbox is a directory of its own with data, socket and log, and a server on it that listens
//! on that socket and on a loopback port. A guardian process beside weighin ends the server and
//! removes the directory however weighin ends, also by SIGKILL; and should the guardian be
//! killed too, the next sandbox in the same place sweeps up.

pub(crate) mod account;
mod answers;
pub(crate) mod certificate;
mod container;
pub(crate) mod distribution;
mod ending;
pub(crate) mod fuzzing;
pub(crate) mod home;
mod identity;
pub(crate) mod initial_data;
pub(crate) mod kind;
mod left;
mod owner;
pub(crate) mod permitted;
mod place;
pub(crate) mod recipe;
mod server;
pub(crate) mod trouble;

use self::distribution::Distribution;
use self::home::Home;
pub use self::initial_data::forget_kept;
pub use self::left::remove_left;
use self::recipe::{Recipe, RecipeOrder, kind_of};
use self::server::{Place, Server};
use self::trouble::file_trouble;
use crate::local::os;
use crate::local::sample::volume_of;
use crate::local::volume::Volume;
pub use crate::question::{Password, SandboxOptions};
use crate::question::{PrivateServer, ServerAct, ServerState};
use crate::supervise::Network;
use crate::waiting::Waiting;
use model::{
    Endpoint, Failure, FailureKind, PasswordSource, ServerAddress, ServerKey, Software, Stop, Tls,
};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

pub use self::place::sandbox_directory;

/// The file with the password of those that replicate from a server.
const REPLICATION_PASSWORD: &str = "replication-password";

/// A private server, running or stopped. Dropping it ends the server and removes its data.
#[derive(Debug)]
pub struct Sandbox {
    // In this order: the server goes before its network and the directory that it lives in.
    server: Option<Server>,
    network: Option<Network>,
    home: Home,
    recipe: Box<dyn Recipe>,
    state: ServerState,
    password: Password,
    socket: PathBuf,
    /// Where it listens as long as it has no network of its own.
    listen: IpAddr,
    port: u16,
    stop: Stop,
}

impl Sandbox {
    /// Makes a data directory and starts a server on it; returns when the server answers.
    ///
    /// What the settings do not say is the server's own default, but for what the recipes of its kind say
    /// of connections.
    ///
    /// # Errors
    /// `MissingProgram` when the server is not installed, `SandboxStart` with what it said when it
    /// does not start with these settings, `DiskFull` or `NotPermitted` for the directory; what
    /// [`crate::local::volume::check`] says of a volume that can't be built.
    pub fn start(options: SandboxOptions) -> Result<Self, Failure> {
        let SandboxOptions {
            system,
            proxy,
            name,
            settings,
            trusted,
            software,
            directory,
            program,
            data,
            database,
            fits_memory,
            of_versions,
            ..
        } = options;
        let (volume, temporary_volume) = (options.volume, options.temporary_volume);
        let (member, stop) = (options.member, options.stop);
        let over_socket = options.over_socket || matches!(software, Software::Container(_));
        let listen = options.listen.unwrap_or(Ipv4Addr::LOCALHOST.into());
        let parent = directory.unwrap_or_else(sandbox_directory);
        let kind = kind_of(system, proxy.map(|(program, _)| program), &name)?;
        let distribution = Distribution::find(&software, &kind.facts, &parent)?;
        let used = database.clone();
        let order = RecipeOrder {
            target: name,
            settings,
            trusted,
            program,
            member,
            fits_memory,
            of_versions,
            data,
            database,
            forwards_to: proxy.map(|(_, server)| server),
        };
        let recipe = (kind.recipe)(order, distribution)?;
        let home = Home::make(&parent, volume.as_ref(), temporary_volume.as_ref())?;

        let files = |error| file_trouble("the login", &home.run(), &error);
        let random = || os::random_hex(16).map(Password::new);
        let password = options.password.map_or_else(random, Ok).map_err(files)?;
        home.write_password(password.reveal()).map_err(files)?;
        let distribution = &recipe.program().distribution;
        if let Some(container) = distribution.container() {
            container.furnish(&home, distribution.run_as()).map_err(files)?;
        }
        let replication = member.map(|_| replication_password(&password));
        if let Some(password) = &replication {
            home.write(REPLICATION_PASSWORD, password.reveal()).map_err(files)?;
        }
        options.listen.map_or(Ok(()), certificate::check_address)?;
        let tls = options.listen.map(|address| certificate::write(&home, recipe.as_ref(), address));
        let tls = tls.transpose()?;
        recipe.prepare(&home, password.reveal(), replication.as_ref().map(Password::reveal))?;
        let place = Place { network: None, listen };
        let server = start_limited(recipe.as_ref(), &home, place, None, &stop)?;
        recipe.has_come_up(&home)?;

        let (port, pid) = (server.port(), server.pid());
        let (user, database) = kind.facts.login;
        let address = ServerAddress {
            endpoint: if over_socket {
                Endpoint::Socket(home.socket())
            } else {
                endpoint(place, port)
            },
            user: user.map(str::to_owned),
            database: used.unwrap_or_else(|| database.to_owned()),
            password: PasswordSource::File(home.password_file()),
            tls: tls.map_or(Tls::Off, Tls::Pinned),
            // It comes from a server of weighin's own, on this machine.
            compression: false,
            server_key: ServerKey::Request,
            auth: model::AuthMethods::default(),
        };
        let data = home.data();
        let disks =
            volume_of(&data).map_or(Vec::new(), |volume| volume.members.into_iter().collect());
        let mut sandbox = Self {
            server: Some(server),
            network: None,
            state: ServerState {
                address,
                replication_address: None,
                password: Some(password.reveal().to_owned()),
                pid,
                program: recipe.program().describe(),
                disks,
                data,
            },
            password,
            socket: home.socket(),
            home,
            recipe,
            listen,
            port,
            stop,
        };
        sandbox.state.replication_address = sandbox.replication_address();
        Ok(sandbox)
    }

    /// Where the server listens on loopback, with login, database, and the file that holds the
    /// password as long as the sandbox lives.
    pub fn address(&self) -> &ServerAddress {
        &self.state.address
    }

    /// Process id of the server; of the last one while it is stopped.
    pub fn pid(&self) -> u32 {
        self.state.pid
    }

    /// The server's Unix socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The server's port, on 127.0.0.1 unless it has a network of its own. Starting again keeps it,
    /// unless another program has taken it meanwhile.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The password of the login in [`Self::address`].
    pub fn password(&self) -> &Password {
        &self.password
    }

    /// The server's data directory.
    pub fn data_directory(&self) -> &Path {
        &self.state.data
    }

    fn place(&self) -> Place<'_> {
        Place { network: self.network.as_ref(), listen: self.listen }
    }

    fn lift_limits(&self) {
        if let Some(volume) = self.home.volume() {
            volume.lift();
        }
    }

    /// Stops the server and starts it again on the same data.
    ///
    /// # Errors
    /// As [`ServerAct::Stop`] and [`ServerAct::StartAgain`].
    pub fn restart(&mut self) -> Result<(), Failure> {
        self.stop()?;
        self.start_again()
    }

    /// Shuts it down cleanly.
    ///
    /// # Errors
    /// As [`ServerAct::Stop`].
    pub fn stop(&mut self) -> Result<(), Failure> {
        self.act(ServerAct::Stop)
    }

    /// Starts it again on the same data.
    ///
    /// # Errors
    /// As [`ServerAct::StartAgain`].
    pub fn start_again(&mut self) -> Result<(), Failure> {
        if self.server.as_mut().is_some_and(Server::is_running) {
            return Ok(());
        }
        let place = Place { network: self.network.as_ref(), listen: self.listen };
        let port = Some(self.port);
        let server = start_limited(self.recipe.as_ref(), &self.home, place, port, &self.stop)?;
        (self.port, self.state.pid) = (server.port(), server.pid());
        if self.network.is_some() || matches!(self.state.address.endpoint, Endpoint::Tcp { .. }) {
            self.state.address.endpoint = endpoint(self.place(), self.port);
        }
        self.state.replication_address = self.replication_address();
        self.server = Some(server);
        Ok(())
    }

    /// Always over TCP.
    fn replication_address(&self) -> Option<ServerAddress> {
        let user = self.recipe.program().distribution.kind().replication_user.map(str::to_owned);
        self.home.has(REPLICATION_PASSWORD).then(|| ServerAddress {
            user,
            password: PasswordSource::File(self.home.path_of(REPLICATION_PASSWORD)),
            endpoint: endpoint(self.place(), self.port),
            ..self.state.address.clone()
        })
    }

    fn signal(&self, signal: fn(u32) -> std::io::Result<()>) -> Result<(), Failure> {
        self.server.as_ref().map_or(Ok(()), |server| server.signal(signal))
    }

    /// Has its data copied, which nothing may change meanwhile.
    fn copied(&self, copy: impl FnOnce(&Home) -> std::io::Result<()>) -> Result<(), Failure> {
        let shown = &self.recipe.program().target;
        if self.server.is_some() {
            return Err(Failure::new(
                FailureKind::NotPermitted,
                format!("the data of {shown} is copied only while its server is stopped"),
                "",
            ));
        }
        let _waiting = Waiting::for_the(format!("a copy of the data of {shown}"));
        copy(&self.home).map_err(|error| file_trouble("a copy", &self.state.data, &error))
    }

    fn forget_cache(&self) -> Result<(), Failure> {
        let Some(memory) = self.recipe.cache_memory() else { return Ok(()) };
        match self.home.open_data().and_then(|data| data.remove_file(memory)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(file_trouble("an empty cache", &self.state.data, &error))
            }
            _ => Ok(()),
        }
    }
}

impl PrivateServer for Sandbox {
    fn state(&self) -> &ServerState {
        &self.state
    }

    fn act(&mut self, act: ServerAct) -> Result<(), Failure> {
        match act {
            ServerAct::Stop => {
                // What a server still has to write when it ends belongs to no trial.
                self.lift_limits();
                self.server.take().map_or(Ok(()), |server| server.shut_down(&self.home, &self.stop))
            }
            ServerAct::Kill => {
                self.lift_limits();
                self.server.take().into_iter().for_each(Server::kill);
                Ok(())
            }
            ServerAct::Freeze => self.signal(os::freeze),
            ServerAct::Thaw => self.signal(os::thaw),
            ServerAct::MoveApart => {
                if self.network.is_none() {
                    self.network = Some(Network::make()?);
                    self.act(ServerAct::Stop)?;
                }
                self.start_again()
            }
            ServerAct::CutOff => self.network.as_mut().map_or(Ok(()), Network::cut),
            ServerAct::Reconnect => self.network.as_mut().map_or(Ok(()), Network::mend),
            ServerAct::ForgetCache => self.forget_cache(),
            ServerAct::KeepData => self.copied(Home::keep_data),
            ServerAct::RestoreData => {
                let run_as = self.recipe.program().run_as();
                self.copied(|home| home.restore_data(run_as))
            }
            ServerAct::StartAgain => self.start_again(),
        }
    }

    fn last_words(&mut self) -> Option<Failure> {
        self.server.as_mut()?.last_words(&self.home)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // The server could not be waited for otherwise until the last of its writes had its turn.
        self.lift_limits();
    }
}

/// Starts a server under the limits of its volume from the beginning.
fn start_limited(
    recipe: &dyn Recipe,
    home: &Home,
    place: Place<'_>,
    port: Option<u16>,
    stop: &Stop,
) -> Result<Server, Failure> {
    home.volume().map_or(Ok(()), Volume::limit)?;
    Server::start(recipe, home, place, port, stop)
}

/// The password of those that replicate from a member of a group: alike in members that have their
/// accounts from one another, and no way back to that of the login.
fn replication_password(login: &Password) -> Password {
    let digest = Sha256::digest(format!("replication {}", login.reveal()));
    Password::new(digest[..16].iter().map(|byte| format!("{byte:02x}")).collect())
}

fn endpoint(place: Place<'_>, port: u16) -> Endpoint {
    Endpoint::Tcp { host: place.address().to_string(), port }
}

/// Whether a private server can have a network of its own, which can be cut: makes one, and removes it.
///
/// # Errors
/// `NotPermitted` where it cannot.
pub(crate) fn check_networks() -> Result<(), Failure> {
    Network::make().map(drop)
}
