//! What servers of SQL can run: test tables with their workloads, and a user's own transactions.

use crate::data::prepare_own;
use crate::{
    Outlined, Probed, SqlClients, SqlKind, SqlWorkloads, TimedSession, explained, load, tables,
};
use model::{Failure, Statement, StatementPlan, TableContents, Transactions, Workload};
use std::sync::Arc;
use system::own_data::{self, SqlServer};
use system::{
    CleanedUp, LoadRequest, Login, Outliner, Prepared, Preparing, ProbedServer, StatementSession,
    Workloads,
};
use workload::program::Program;

impl<K: SqlKind> Workloads<K> for SqlWorkloads {
    type Work = Workload;
    type Clients = SqlClients<K>;

    fn work(workload: &Workload) -> Option<&Workload> {
        workload.suits(K::SYSTEM).then_some(workload)
    }

    fn same_data(a: &Workload, b: &Workload) -> bool {
        match (a, b) {
            (Workload::Oltp(a), Workload::Oltp(b)) => {
                (a.tables, a.table_size, a.distribution) == (b.tables, b.table_size, b.distribution)
            }
            (Workload::Transactions(a), Workload::Transactions(b)) => {
                (&a.data.setup, &a.data.load) == (&b.data.setup, &b.data.load)
            }
            (a, b) => a == b,
        }
    }

    fn outline(login: &Login) -> Result<Box<dyn Outliner>, Failure> {
        Ok(Box::new(Outlined::<K>::reach(login)?))
    }

    fn prepare(
        login: &Login,
        connection: &mut K::Connection,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<Prepared, Failure> {
        if let Workload::Transactions(own) = workload {
            return prepare_own(&*K::database(login), own, preparing);
        }
        let oltp = workload.oltp()?;
        let rows = K::rows(login, oltp, preparing.seed);
        tables::prepare(&rows, login, connection, oltp, preparing)
    }

    fn check_data(
        login: &Login,
        connection: &mut K::Connection,
        workload: &Workload,
        preparing: &mut Preparing<'_>,
    ) -> Result<(), Failure> {
        match workload {
            Workload::Transactions(own) => {
                let database = K::database(login);
                own_data::check(&*database, &own.data, preparing.seed, own.change_data)
            }
            other => other.oltp().map_or(Ok(()), |oltp| tables::check(connection, oltp)),
        }
    }

    fn own(workload: &Workload) -> Option<&Transactions> {
        workload.transactions()
    }

    fn database(login: &Login) -> Result<Box<dyn SqlServer + '_>, Failure> {
        Ok(K::database(login))
    }

    fn program(login: &Login, workload: &Workload) -> Result<Program, Failure> {
        load::program::<K>(workload, login)
    }

    fn contents(
        connection: &mut K::Connection,
        workload: &Workload,
    ) -> Result<Option<TableContents>, Failure> {
        workload.oltp().map_or(Ok(None), |oltp| tables::contents_if_finished(connection, oltp))
    }

    fn plans(
        connection: &mut K::Connection,
        test: &str,
        workload: &Workload,
    ) -> Result<Vec<StatementPlan>, Failure> {
        explained::plans::<K>(connection, test, workload)
    }

    fn clients(
        login: &Login,
        workload: &Workload,
        request: &LoadRequest<'_>,
    ) -> Result<SqlClients<K>, Failure> {
        SqlClients::new(login, workload, request)
    }

    fn statement_session(
        login: &Login,
        statement: &Statement,
    ) -> Result<Box<dyn StatementSession>, Failure> {
        Ok(Box::new(TimedSession::<K>::open(login, statement)?))
    }

    fn probed(login: Login) -> Result<Arc<dyn ProbedServer>, Failure> {
        Ok(Arc::new(Probed::<K>::new(login)))
    }

    fn clean_up(
        login: &Login,
        connection: &mut K::Connection,
        also: &[String],
    ) -> Result<CleanedUp, Failure> {
        // First what refers to other tables.
        let mut dropped = own_data::clean_up(&*K::database(login))?;
        let (tables, kept) = tables::cleanup(connection, &login.address().database, also)?;
        dropped.extend(tables);
        Ok(CleanedUp::Tables { dropped, kept })
    }
}
