//! What would make a study fail on a MariaDB or MySQL server, or mislead.

mod clock;
mod group;
mod identity;
mod limits;
mod log;
mod privileges;
mod replication;
mod rights;
mod server;
mod space;
mod state;
mod statements;
mod tables;

use super::session;
use crate::client::Connection;
use crate::own_data;
use model::{Failure, Needs, Test};
use std::collections::BTreeMap;
use system::Login;
use system::Setting;
use system::{Examination, Examined};

/// A server being looked at.
struct Server<'a> {
    login: &'a Login,
    control: &'a mut Connection,
    setting: &'a Setting<'a>,
    /// All its variables, as for all sessions.
    variables: BTreeMap<String, String>,
}

impl Server<'_> {
    fn number(&self, name: &str) -> Option<u64> {
        self.variables.get(name)?.trim().parse().ok()
    }

    fn is_on(&self, name: &str) -> bool {
        self.variables.get(name).is_some_and(|value| value == "ON" || value == "1")
    }

    fn text(&self, name: &str) -> &str {
        self.variables.get(name).map(String::as_str).unwrap_or_default()
    }

    fn is_mariadb(&self) -> bool {
        self.control.server_version().contains("MariaDB")
    }

    /// Names of the columns of a query and its rows, where the server lets the account ask it.
    fn rows(&mut self, sql: &str) -> Option<Vec<BTreeMap<String, String>>> {
        let rows = self.control.query(sql).ok()?;
        let text = |cell: Option<Vec<u8>>| {
            cell.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        };
        let columns = rows.columns;
        let named = |row: Vec<Option<Vec<u8>>>| {
            columns.iter().cloned().zip(row.into_iter().map(text)).collect()
        };
        Some(rows.rows.into_iter().map(named).collect())
    }

    /// The only value that a query gives.
    fn value(&mut self, sql: &str) -> Option<String> {
        self.rows(sql)?.into_iter().next()?.into_values().next()
    }
}

/// Looks at everything. Changes nothing that is there: what is tried names tables that are not there,
/// or is explained and not run. A table of weighin's own is made, and removed, only where the study
/// makes tables and the server does not say what the account may do.
pub(super) fn examine(
    login: &Login,
    control: &mut Connection,
    setting: &Setting<'_>,
    examination: &mut Examination<'_>,
) -> Result<Examined, Failure> {
    examination.found.keep(session::refuse_unfit(control, None))?;
    let variables = super::facts::variables(control)?;
    let mut server = Server { login, control, setting, variables };
    let needs = examination.study.tests.iter().map(Test::needs).fold(Needs::default(), Needs::and);
    let (database, is_private) = (own_data::Database(login), setting.is_private);
    let data = sql::data::plan(&database, login, server.control, is_private, examination)?;
    let (plan, kept) = data.clone().unwrap_or_default();
    let own = examination.study.tests.iter().filter(|test| test.needs().own_table).count();
    let makes_own_again = own > 1 || (own == 1 && examination.study.repeats > 1);
    rights::check(&mut server, &needs, &plan, &kept, makes_own_again, examination.found)?;
    server::check(&server, &needs, &plan, examination.found);
    state::check(&mut server, &needs, &plan, examination.found);
    tables::check(
        &mut server,
        &kept,
        sql::data::test_tables(examination.study).next(),
        examination.found,
    );
    replication::check(&mut server, &needs, &plan, examination.found);
    group::check(&mut server, &needs, &plan, examination.found);
    statements::check(&mut server, &needs, plan.to_make() > 0, examination.found);
    sql::examine_statements::<crate::Mysql>(server.control, examination)?;
    privileges::check(&mut server, &needs, examination.found);
    limits::check(&mut server, &needs, examination);
    space::check(&mut server, &needs, &plan, examination);
    log::check(&mut server, &plan, examination);
    let load_host = examination.load_host;
    clock::check(&mut server, load_host, examination.found);
    let identity = identity::find(&server, load_host);
    let tables = sql::definitions(server.control, examination.study);
    Ok(Examined { data: data.map(|(plan, _)| plan), identity: Some(identity), tables })
}
