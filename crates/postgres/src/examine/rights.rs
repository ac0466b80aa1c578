//! What the account may do, without being a superuser.

use super::Server;
use model::{Access, Failure, FailureKind, Needs};
use system::{DataPlan, Diagnostics};

pub(super) fn check(
    server: &mut Server<'_>,
    needs: &Needs,
    plan: &DataPlan,
    kept: &[String],
    found: &mut Diagnostics,
) {
    if plan.to_make() > 0 {
        making_tables(server, found);
    }
    if let Some(table) = kept.first() {
        using_tables(server, needs, table, found);
    }
    statistics(server, found);
}

fn refused(message: String, remedy: String) -> Failure {
    Failure::new(FailureKind::AccessDenied, message, remedy)
}

/// Since PostgreSQL 15 a new database lets nobody but its owner make tables.
fn making_tables(server: &mut Server<'_>, found: &mut Diagnostics) {
    let schema = server.value("SELECT current_schema()");
    let may = "SELECT has_schema_privilege(current_schema(), 'CREATE')";
    let endpoint = server.endpoint();
    match schema {
        None => found.error(refused(
            format!("no schema of the account's search_path is there at {endpoint}"),
            "CREATE SCHEMA, or set search_path of the account".to_owned(),
        )),
        Some(schema) if server.is_true(may) == Some(false) => {
            let user = server.value("SELECT current_user").unwrap_or_default();
            found.error(refused(
                format!(
                    "the user '{user}' may not make tables in the schema {schema} at {endpoint}"
                ),
                format!(
                    "as the owner of the database: GRANT CREATE ON SCHEMA {schema} TO \"{user}\""
                ),
            ));
        }
        Some(_) => {}
    }
}

fn using_tables(server: &mut Server<'_>, needs: &Needs, table: &str, found: &mut Diagnostics) {
    let wanted = [
        (Access::Read, "SELECT"),
        (Access::Insert, "INSERT"),
        (Access::Update, "UPDATE"),
        (Access::Delete, "DELETE"),
    ];
    for (_, right) in wanted.iter().filter(|(access, _)| needs.access.contains(access)) {
        let name = table.replace('\'', "''");
        if server.is_true(&format!("SELECT has_table_privilege('{name}', '{right}')"))
            == Some(false)
        {
            let endpoint = server.endpoint();
            found.error(refused(
                format!("the account may not {right} the table {table} at {endpoint}"),
                format!(
                    "as its owner: GRANT {right} ON ALL TABLES IN SCHEMA public TO the account"
                ),
            ));
        }
    }
}

/// What other sessions do is shown to monitors; counters of the database are shown to everybody.
fn statistics(server: &mut Server<'_>, found: &mut Diagnostics) {
    let monitors = "SELECT pg_has_role(current_user, 'pg_monitor', 'USAGE')";
    if server.is_true(monitors) == Some(false) {
        found.note(
            "the account is no monitor: what clients wait for, settings of files and the server's data \
             directory are not shown to it",
            "GRANT pg_monitor TO the account",
        );
    }
    if server.is_off("track_counts") {
        found.warn(
            "the server counts nothing (track_counts = off): no trial can be checked by its counters, \
             and autovacuum does not run",
            "ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf()",
        );
    }
}
