//! sysbench on the tables of a trial.

use super::cannot;
use crate::trial::Stand;
use crate::{Control, Login};
use engine::Stop;
use model::{Failure, Load, Oltp, Place, Target, Tls, Trial};
use peer::sysbench::{Server, Sysbench, unsupported};
use peer::{Address, Measured};
use target::client::Connection;

pub(super) fn tool(workload: &Oltp, target: &Target, test: &str) -> Result<Sysbench, Failure> {
    let sysbench = Sysbench::find()?;
    if let Some(reason) = unsupported(workload) {
        return Err(cannot(&sysbench.name(), &format!("the test {test}: {reason}")));
    }
    match &target.place {
        Place::Server(address) if address.tls != Tls::Off => Err(cannot(
            &sysbench.name(),
            "this target: it encrypts only with certificates of its own",
        )),
        _ => Ok(sysbench),
    }
}

pub(super) fn load(
    sysbench: &Sysbench,
    stand: &Stand,
    mut control: Control,
    (trial, load, oltp): (&Trial, &Load, &Oltp),
    stop: &Stop,
) -> Result<Option<Measured>, Failure> {
    let server = server(stand.deployment.login(), control.sql()?)?;
    drop(control);
    let level = (trial.key.level.clients, trial.key.level.rate);
    let run = |duration, seed| {
        sysbench.load(&server, oltp, level, duration, Some(seed), &|| stop.is_requested())
    };
    // Zero would make it take the clock.
    let seed = (trial.seed >> 33) as u32 | 1;
    // Version 1.0 knows no warm-up: a load whose figures nobody looks at.
    if !load.warmup.is_zero() && run(load.warmup, seed ^ 2)?.is_none() {
        return Ok(None);
    }
    run(load.duration, seed)
}

fn server(login: &Login, control: &Connection) -> Result<Server, Failure> {
    let credentials = login.credentials();
    Ok(Server {
        address: address(login.load_address(control)?),
        user: credentials.user.clone(),
        password: credentials.password().bytes().to_vec(),
        database: login.address().database.clone(),
    })
}

/// Where the load engine connects to, as the tools take it.
pub(super) fn address(address: engine::Address) -> Address {
    match address {
        engine::Address::Tcp(address) => Address::Tcp(address),
        engine::Address::Unix(path) => Address::Socket(path),
    }
}
