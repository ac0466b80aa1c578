//! sysbench on the tables of a trial.

use crate::Mysql;
use crate::client::Connection;
use crosscheck::SqlLoad;
use crosscheck::sysbench::{Driver, Server, Sysbench, unsupported};
use engine::Stop;
use host::Host;
use model::{CrossCheckFigures, Failure, Load, Place, Target, Tls, Trial, Workload};
use std::sync::Arc;
use system::{CrossCheckTool, Login, cannot_check as cannot};

impl CrossCheckTool<Mysql> for Sysbench {
    fn for_test(
        host: &Arc<dyn Host>,
        workload: &Workload,
        target: &Target,
        test: &str,
    ) -> Result<Self, Failure> {
        let sysbench = Self::find(host)?;
        if let Some(reason) = unsupported(workload.oltp()?) {
            return Err(cannot(&sysbench.name(), &format!("the test {test}: {reason}")));
        }
        match &target.place {
            Place::Server(spec) if spec.address.tls != Tls::Off => Err(cannot(
                &sysbench.name(),
                "this target: it encrypts only with certificates of its own",
            )),
            _ => Ok(sysbench),
        }
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
        let oltp = load.workload.oltp()?;
        let credentials = login.credentials();
        if !credentials.password().bytes().is_empty() && !credentials.may_reveal() {
            // The client library decides what the server gets: MariaDB's sends whatever is asked for.
            return Err(cannot(
                &self.name(),
                "this target: it would give the password to a server that is not verified, if asked \
                 (--allow-cleartext allows that)",
            ));
        }
        let server = server(login, &control)?;
        drop(control);
        let (clients, rate) = (trial.key.level.clients, trial.key.level.rate);
        let run = |duration, seed| {
            let work = SqlLoad { clients, rate, duration, seed: Some(seed) };
            let done = self.load(&server, oltp, work, &|| stop.is_requested())?;
            done.map(|done| done.figures).ok_or_else(Failure::stopped)
        };
        // Zero would make it take the clock.
        let seed = (trial.seed >> 33) as u32 | 1;
        // Version 1.0 knows no warm-up: a load whose figures nobody looks at.
        if !load.warmup.is_zero() {
            run(load.warmup, seed ^ 2)?;
        }
        run(load.duration, seed)
    }
}

fn server(login: &Login, control: &Connection) -> Result<Server, Failure> {
    let credentials = login.credentials();
    Ok(Server {
        address: login.address_of(control.ends())?,
        user: credentials.user.clone(),
        password: credentials.password().bytes().to_vec(),
        database: login.address().database.clone(),
        driver: Driver::Mysql { compression: login.address().compression },
    })
}
