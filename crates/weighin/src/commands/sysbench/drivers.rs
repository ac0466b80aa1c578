//! The drivers that `--db-driver` names: what differs between their servers.

use super::options::Options;
use model::System;
use mysql::Mysql;
use mysql::load::MysqlWire;
use postgres::Postgres;
use postgres::load::PostgresWire;
use sql::{Control, SqlKind, Statements};
use system::ServerKind;
use workload::oltp::Wording;

/// A driver by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DriverName {
    Mysql,
    Pgsql,
}

impl DriverName {
    /// The one that the options name. What is none is refused when the run begins, as with the original.
    pub(super) fn from_options(options: &Options) -> Self {
        match options.text("db-driver") {
            "pgsql" => Self::Pgsql,
            _ => Self::Mysql,
        }
    }

    pub(super) fn system(self) -> System {
        match self {
            Self::Mysql => System::Mysql,
            Self::Pgsql => System::Postgres,
        }
    }

    /// An option of the driver's own, by what comes after the driver's name.
    pub(super) fn option(self, name: &str) -> String {
        let driver = match self {
            Self::Mysql => "mysql",
            Self::Pgsql => "pgsql",
        };
        format!("{driver}-{name}")
    }
}

/// A kind of server that a driver reaches.
pub(super) trait Driver: SqlKind {
    /// How its statements are written.
    fn wording() -> Wording;

    /// What clients speak that are measured alone.
    fn dry(statements: &Statements) -> Self::Wire;

    /// Where the tables are that clients find by their names alone, as SQL.
    const HERE: &'static str;
}

impl Driver for Mysql {
    fn wording() -> Wording {
        Wording::default()
    }

    fn dry(statements: &Statements) -> MysqlWire {
        MysqlWire::dry(statements)
    }

    const HERE: &'static str = "DATABASE()";
}

impl Driver for Postgres {
    /// The server numbers rows whose id is left out.
    fn wording() -> Wording {
        Self::READER.wording
    }

    fn dry(statements: &Statements) -> PostgresWire {
        PostgresWire::dry(statements)
    }

    const HERE: &'static str = "current_schema()";
}

/// A control connection of a driver's servers.
pub(super) type Connection<D> = <D as ServerKind>::Connection;

/// Whether a table of that name is there.
pub(super) fn has_table<D: Driver>(
    control: &mut Connection<D>,
    name: &str,
) -> Result<bool, model::Failure> {
    let sql = format!(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = {} \
         AND table_name = '{name}'",
        D::HERE
    );
    Ok(control.number(&sql)?.is_some_and(|count| count > 0))
}
