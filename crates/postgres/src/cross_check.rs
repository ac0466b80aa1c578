//! sysbench or pgbench on the tables of a trial.

use crate::client::Connection;
use crosscheck::SqlLoad;
use crosscheck::libpq::Encryption;
use crosscheck::pgbench::{Pgbench, PgbenchServer};
use crosscheck::sysbench::{Driver, Server, Sysbench, unsupported};
use engine::Stop;
use host::Host;
use model::{CrossCheckFigures, Endpoint, Failure, Load, Place, Target, Tls, Trial, Workload};
use std::sync::Arc;
use std::time::Duration;
use system::{Login, cannot_check as cannot};

/// What runs the same load: sysbench its own family, pgbench its own scripts.
#[derive(Clone, Debug)]
pub enum SqlTool {
    Sysbench(Sysbench),
    Pgbench(Pgbench),
}

impl SqlTool {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Sysbench(sysbench) => sysbench.name(),
            Self::Pgbench(pgbench) => pgbench.name(),
        }
    }
}

pub(super) fn tool(
    host: &Arc<dyn Host>,
    workload: &Workload,
    target: &Target,
    test: &str,
) -> Result<SqlTool, Failure> {
    let (tool, lacks) = match workload {
        Workload::Transactions(transactions) => {
            let lacks = Pgbench::unsupported(transactions);
            (SqlTool::Pgbench(Pgbench::find(host)?), lacks)
        }
        workload => {
            let lacks = unsupported(workload.oltp()?);
            (SqlTool::Sysbench(Sysbench::find(host)?), lacks)
        }
    };
    if let Some(reason) = lacks {
        return Err(cannot(&tool.name(), &format!("the test {test}: {reason}")));
    }
    if let Place::Server(spec) = &target.place
        && let Err(reason) = encryption(&spec.address.tls, &spec.address.endpoint)
    {
        return Err(cannot(&tool.name(), &format!("this target: {reason}")));
    }
    Ok(tool)
}

/// As libpq does what weighin does.
fn encryption(tls: &Tls, endpoint: &Endpoint) -> Result<Encryption, &'static str> {
    let Endpoint::Tcp { host, .. } = endpoint else { return Ok(Encryption::Off) };
    match tls {
        Tls::Off => Ok(Encryption::Off),
        // What the server lets weighin in by is known when it does.
        Tls::Unverified | Tls::Allowed(_) | Tls::Preferred(_) => Ok(Encryption::Unverified),
        Tls::Chain(roots) => Ok(Encryption::Chain { roots: roots.clone() }),
        Tls::Verified(Some(roots)) => {
            Ok(Encryption::Verified { host: host.clone(), roots: roots.clone() })
        }
        Tls::Verified(None) => Err("libpq checks certificates only against a file that is named"),
        Tls::Pinned(_) => Err("its certificate is known to weighin alone"),
    }
}

pub(super) fn load(
    tool: &SqlTool,
    login: &Login,
    control: Connection,
    trial: &Trial,
    load: &Load,
    stop: &Stop,
) -> Result<CrossCheckFigures, Failure> {
    let (address, credentials) = (login.address(), login.credentials());
    let encryption = encryption(&address.tls, &address.endpoint)
        .map_err(|reason| cannot(&tool.name(), &format!("this target: {reason}")))?;
    if !credentials.password().bytes().is_empty() && !credentials.may_reveal() {
        return Err(cannot(
            &tool.name(),
            "this target: libpq would give the password to a server that is not verified, if asked \
             (--allow-cleartext allows that)",
        ));
    }
    let ends = login.address_of(control.ends())?;
    drop(control);
    let (clients, rate) = (trial.key.level.clients, trial.key.level.rate);
    let (user, database) = (credentials.user.clone(), address.database.clone());
    let password = credentials.password().bytes().to_vec();
    let stopped = || stop.is_requested();
    let run = |duration: Duration, seed: u32| {
        let work = SqlLoad { clients, rate, duration, seed: Some(seed) };
        let done = match tool {
            SqlTool::Sysbench(sysbench) => {
                let (address, user) = (ends.clone(), user.clone());
                let (password, database) = (password.clone(), database.clone());
                let driver = Driver::Pgsql(encryption.clone());
                let server = Server { address, user, password, database, driver };
                let oltp = load.workload.oltp()?;
                sysbench.load(&server, oltp, work, &stopped)?
            }
            SqlTool::Pgbench(pgbench) => {
                let Workload::Transactions(transactions) = &load.workload else {
                    return Err(cannot(&tool.name(), "this workload"));
                };
                let server = PgbenchServer {
                    address: ends.clone(),
                    user: user.clone(),
                    password: password.clone(),
                    database: database.clone(),
                    encryption: encryption.clone(),
                };
                pgbench.load(&server, transactions, work, &stopped)?
            }
        };
        done.map(|done| done.figures).ok_or_else(Failure::stopped)
    };
    // Zero would make sysbench take the clock.
    let seed = (trial.seed >> 33) as u32 | 1;
    // Neither knows a warm-up: a load whose figures nobody looks at.
    if !load.warmup.is_zero() {
        run(load.warmup, seed ^ 2)?;
    }
    run(load.duration, seed)
}
