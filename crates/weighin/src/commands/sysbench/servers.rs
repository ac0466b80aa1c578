//! The servers of a run, reached before it begins.

use super::drivers::{Connection, Driver};
use super::generation::Release;
use super::request::Request;
use crate::exit::CliError;
use crate::signals;
use campaign::{Observation, Watched};
use engine::Address;
use model::{OltpMix, Study, Workload};
use sql::Control;
use system::{Login, TargetHandle, reach};

/// The servers of a run, at least one.
pub(super) struct Servers {
    pub(super) logins: Vec<Login>,
    /// Where each listens.
    pub(super) addresses: Vec<Address>,
}

/// What is watched while the load runs.
pub(super) type WatchedServer = (Box<dyn TargetHandle>, Observation);

impl Servers {
    /// Logs in to each once, and asks whether the load can run there.
    pub(super) fn reach<D: Driver>(request: &Request) -> Result<Self, CliError> {
        let mut servers = Self { logins: Vec::new(), addresses: Vec::new() };
        for address in request.servers() {
            let login = request.login(&address)?.stopped_by(&signals::stop());
            let mut control = D::connect(&login)?;
            // Each has its share of the threads.
            let share = request.threads.div_ceil(request.endpoints.len() as u32);
            D::check_limits(&mut control, &Workload::Oltp(request.workload.clone()), share, 0)?;
            if servers.logins.is_empty() {
                empty_table::<D>(&mut control, request)?;
            }
            servers.addresses.push(login.address_of(control.ends())?);
            servers.logins.push(login.encrypted_as(D::encryption(&control)));
        }
        Ok(servers)
    }

    /// Begins to watch the server. Of several none is: what one of them counts is no account of a load
    /// that others carried too.
    pub(super) fn watch(&self) -> Result<Option<WatchedServer>, CliError> {
        let [login] = self.logins.as_slice() else { return Ok(None) };
        let mut target = reach(login.clone())?;
        let watched = Watched { space: false, server: false };
        let observation =
            Observation::begin(target.as_mut(), &host::Local, Study::SAMPLE_EVERY, watched, &[])?;
        // Nothing but the load is to be connected while it runs, as with sysbench.
        target.release()?;
        Ok(Some((target, observation)))
    }

    /// All of them, for a message.
    pub(super) fn names(&self) -> String {
        let name = |login: &Login| login.address().endpoint.to_string();
        self.logins.iter().map(name).collect::<Vec<_>>().join(" or ")
    }
}

/// Generation 0.4 inserts into an empty table where it does nothing but insert.
fn empty_table<D: Driver>(control: &mut Connection<D>, request: &Request) -> Result<(), CliError> {
    if request.generation.tests != Release::V04 || request.workload.mix != OltpMix::Insert {
        return Ok(());
    }
    let table = workload::oltp::name_of(&request.workload, 1);
    Ok(control.run_long(&format!("TRUNCATE TABLE {table}"))?)
}
