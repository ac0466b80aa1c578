//! memtier_benchmark or redis-benchmark on the keys of a trial.

use crate::Redis;
use crate::client::RedisConnection;
use crate::guest::Guest;
use crosscheck::key_value::{KeyValueTool, Server, choose};
use engine::Stop;
use host::Host;
use model::{CrossCheckFigures, Endpoint, Failure, KeyValue, Load, Place, Target, Tls, Trial};
use std::sync::Arc;
use system::{CrossCheckTool, Login, cannot_check};
use workload::key_value::KEY_PREFIX;

impl CrossCheckTool<Redis> for KeyValueTool {
    fn for_test(
        host: &Arc<dyn Host>,
        workload: &KeyValue,
        target: &Target,
        test: &str,
    ) -> Result<Self, Failure> {
        let tls = match &target.place {
            Place::Server(spec) => &spec.address.tls,
            _ => &Tls::Off,
        };
        choose(host, workload, tls, &format!("the test {test}"))
    }

    fn tool_name(&self) -> String {
        self.name()
    }

    /// Whether a guest can be let in, where one will be needed.
    fn check_login(login: &Login, control: &mut RedisConnection) -> Result<(), Failure> {
        guest(login, control).map(|_| ())
    }

    fn run_load(
        &self,
        login: &Login,
        mut control: RedisConnection,
        trial: &Trial,
        load: &Load,
        stop: &Stop,
    ) -> Result<CrossCheckFigures, Failure> {
        let workload = load.workload.key_value().ok_or_else(|| {
            cannot_check(&self.name(), &format!("the workload {}", load.workload.name()))
        })?;
        let address = login.address_of(control.ends())?;
        let guest = guest(login, &mut control)?;
        let server = Server {
            address,
            database: super::database(login),
            guest: guest.as_ref().map(|guest| crosscheck::key_value::Guest {
                user: guest.user().to_owned(),
                password: String::from_utf8_lossy(guest.password().bytes()).into_owned(),
            }),
            tls: login.address().tls.clone(),
            host: match &login.address().endpoint {
                Endpoint::Tcp { host, .. } => host.clone(),
                Endpoint::Socket(_) | Endpoint::NotUp => "localhost".to_owned(),
            },
        };
        let clients = trial.key.level.clients;
        let (warmup, duration) = (load.warmup, load.duration);
        let stop = || stop.is_requested();
        let done = self.load(&server, workload, clients, warmup, duration, &stop)?;
        done.map(|done| done.figures).ok_or_else(Failure::stopped)
    }
}

/// An account for the tool, which shows its password to all users of this machine; none where the
/// server asks for none.
fn guest<'c>(
    login: &Login,
    control: &'c mut RedisConnection,
) -> Result<Option<Guest<'c>>, Failure> {
    if login.credentials().password().bytes().is_empty() {
        return Ok(None);
    }
    Guest::admit(control, KEY_PREFIX).map(Some)
}
