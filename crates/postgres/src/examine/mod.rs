//! What would make a study fail on a PostgreSQL server, or mislead.

mod identity;
mod limits;
mod pooler;
mod replication;
mod rights;
mod space;
mod state;

use crate::client::{Connection, connect};
use crate::facts::variables;
use crate::own_data::Database;
use model::{Failure, FailureKind, Needs, Test};
use std::collections::BTreeMap;
use system::{Diagnostics, Examination, Examined, Login, Setting};

/// A server being looked at.
struct Server<'a> {
    login: &'a Login,
    control: &'a mut Connection,
    setting: &'a Setting<'a>,
    /// All its variables, as for sessions of the account.
    variables: BTreeMap<String, String>,
}

impl Server<'_> {
    fn text(&self, name: &str) -> &str {
        self.variables.get(name).map(String::as_str).unwrap_or_default()
    }

    fn is_off(&self, name: &str) -> bool {
        self.text(name) == "off"
    }

    /// The only value that a query gives, where the server lets the account ask it.
    fn value(&mut self, sql: &str) -> Option<String> {
        crate::facts::value(self.control, sql)
    }

    fn is_true(&mut self, sql: &str) -> Option<bool> {
        Some(self.value(sql)? == "t")
    }

    fn endpoint(&self) -> String {
        self.control.endpoint().to_string()
    }
}

/// Looks at everything. Changes nothing that is there.
pub(super) fn examine(
    login: &Login,
    control: &mut Connection,
    setting: &Setting<'_>,
    examination: &mut Examination<'_>,
) -> Result<Examined, Failure> {
    let variables = variables(control)?;
    let mut server = Server { login, control, setting, variables };
    let needs = examination.study.tests.iter().map(Test::needs).fold(Needs::default(), Needs::and);
    refuse_recovery(&mut server, &needs, examination)?;
    let (database, is_private) = (Database(login), setting.is_private);
    let data = sql::data::plan(&database, login, server.control, is_private, examination)?;
    let (plan, kept) = data.clone().unwrap_or_default();
    rights::check(&mut server, &needs, &plan, &kept, examination.found);
    state::check(&mut server, &needs, &plan, examination.found);
    replication::check(&mut server, &needs, &plan, examination.found);
    sql::examine_statements::<crate::Postgres>(server.control, examination)?;
    pooler::check(login, server.control, examination)?;
    limits::check(&mut server, &needs, examination);
    space::check(&mut server, &plan, examination);
    let identity = identity::find(&mut server, examination.load_host);
    let tables = sql::definitions(server.control, examination.study);
    Ok(Examined { data: data.map(|(plan, _)| plan), identity, tables })
}

/// Looks at what loads go through to it.
pub(super) fn examine_proxy(
    login: &Login,
    examination: &mut Examination<'_>,
) -> Result<(), Failure> {
    pooler::check(login, &mut connect(login)?, examination)
}

/// A replica takes no writes, whoever asks.
fn refuse_recovery(
    server: &mut Server<'_>,
    needs: &Needs,
    examination: &mut Examination<'_>,
) -> Result<(), Failure> {
    let recovers = server.is_true("SELECT pg_is_in_recovery()").unwrap_or(false);
    let read_only = server.text("default_transaction_read_only") == "on";
    let endpoint = server.endpoint();
    let refuse = |message: String, remedy: &str| -> Result<(), Failure> {
        Err(Failure::new(FailureKind::NotPermitted, message, remedy))
    };
    if recovers {
        let failure = refuse(
            format!(
                "the server at {endpoint} is in recovery: it is a replica, and takes no writes"
            ),
            "name its primary",
        );
        return examination.found.keep(failure).map(drop);
    }
    if read_only && needs.writes() {
        let failure = refuse(
            format!(
                "transactions at {endpoint} are read-only (default_transaction_read_only), and the \
                 study writes"
            ),
            "ALTER USER … SET default_transaction_read_only = off, or name a server that takes writes",
        );
        return examination.found.keep(failure).map(drop);
    }
    Ok(())
}

/// That something costs a load time, or saves it, for another reason than the study's.
fn warn_if(found: &mut Diagnostics, holds: bool, message: &str, remedy: &str) {
    if holds {
        found.warn(message, remedy);
    }
}
