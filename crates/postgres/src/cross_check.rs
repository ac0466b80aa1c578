//! sysbench or pgbench on the tables of a trial.

use crate::Postgres;
use crate::client::Connection;
use crate::tool::SqlTool;
use crosscheck::SqlLoad;
use crosscheck::libpq::Encryption;
use crosscheck::pgbench::{Pgbench, PgbenchServer};
use crosscheck::sysbench::{Driver, Server, Sysbench, unsupported};
use engine::Stop;
use host::Host;
use model::{CrossCheckFigures, Endpoint, Failure, Load, Place, Target, Tls, Trial, Workload};
use std::sync::Arc;
use std::time::Duration;
use system::{CrossCheckTool, Login, cannot_check as cannot};

impl CrossCheckTool<Postgres> for SqlTool {
    fn for_test(
        host: &Arc<dyn Host>,
        workload: &Workload,
        target: &Target,
        test: &str,
    ) -> Result<Self, Failure> {
        let (tool, lacks) = match workload {
            Workload::Transactions(transactions) => {
                let lacks = Pgbench::unsupported(transactions);
                (Self::Pgbench(Pgbench::find(host)?), lacks)
            }
            workload => {
                let lacks = unsupported(workload.oltp()?);
                (Self::Sysbench(Sysbench::find(host)?), lacks)
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

    fn tool_name(&self) -> String {
        self.name()
    }

    fn run_load(
        &self,
        login: &Login,
        control: Connection,
        trial: &Trial,
        load: &Load,
        stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure> {
        let (address, credentials) = (login.address(), login.credentials());
        let encryption = encryption(&address.tls, &address.endpoint)
            .map_err(|reason| cannot(&self.name(), &format!("this target: {reason}")))?;
        if !credentials.password().bytes().is_empty() && !credentials.may_reveal() {
            return Err(cannot(
                &self.name(),
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
            let done = match self {
                Self::Sysbench(sysbench) => {
                    let (address, user) = (ends.clone(), user.clone());
                    let (password, database) = (password.clone(), database.clone());
                    let driver = Driver::Pgsql(encryption.clone());
                    let server = Server { address, user, password, database, driver };
                    let oltp = load.workload.oltp()?;
                    sysbench.load(&server, oltp, work, &stopped)?
                }
                Self::Pgbench(pgbench) => {
                    let Workload::Transactions(transactions) = &load.workload else {
                        return Err(cannot(&self.name(), "this workload"));
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
