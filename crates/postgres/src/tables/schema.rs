//! What makes test tables, in the words of sysbench's driver for PostgreSQL.

use crate::client::Connection;
use model::{Failure, FailureKind, Oltp, OltpMix};
use sql::Control;
use workload::oltp::name_of;

/// Creates a test table without its secondary index, with a comment by which weighin knows it again.
pub(super) fn create_table(
    workload: &Oltp,
    table: u32,
    comment: Option<&str>,
) -> Result<String, Failure> {
    let schema = &workload.schema;
    let name = name_of(workload, table);
    if let Some(engine) = &schema.engine {
        return Err(Failure::new(
            FailureKind::NotPermitted,
            format!("PostgreSQL has no storage engine {engine} for {name}"),
            "leave the storage engine out",
        ));
    }
    let id = match schema.auto_increment && workload.mix != OltpMix::BulkInsert {
        true => "SERIAL",
        false => "INTEGER NOT NULL",
    };
    let values = match workload.mix {
        OltpMix::BulkInsert => "",
        _ => ", c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL",
    };
    // A key that is not the primary one is an index, which is made afterwards.
    let key = if schema.secondary { "" } else { ", PRIMARY KEY (id)" };
    let options = match schema.options.as_str() {
        "" => String::new(),
        options => format!(" {options}"),
    };
    let create = format!(
        "CREATE TABLE {name} (id {id}, k INTEGER DEFAULT '0' NOT NULL{values}{key}){options}"
    );
    // Both or none of them: statements of one message are one transaction.
    Ok(match comment {
        Some(comment) => format!("{create}; {}", Connection::comment_on(&name, comment)),
        None => create,
    })
}

/// Creates the indexes that a test table has besides its primary key.
pub(super) fn create_indexes(workload: &Oltp, table: u32) -> Vec<String> {
    let name = name_of(workload, table);
    let mut indexes = Vec::new();
    if workload.schema.secondary {
        indexes.push(format!("CREATE INDEX xid_{table} ON {name}(id)"));
    }
    if workload.schema.index_on_k && workload.mix != OltpMix::BulkInsert {
        indexes.push(format!("CREATE INDEX k_{table} ON {name}(k)"));
    }
    indexes
}

/// Has the server go on counting rows after those that a table was filled with.
pub(super) fn set_sequence(workload: &Oltp, table: u32) -> Option<String> {
    let name = name_of(workload, table);
    let (rows, counts) = (workload.table_size, workload.schema.auto_increment);
    (counts && rows > 0 && workload.mix != OltpMix::BulkInsert)
        .then(|| format!("SELECT setval(pg_get_serial_sequence('{name}', 'id'), {rows})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_those_of_sysbench() {
        let mut workload = Oltp::preset(OltpMix::ReadWrite);
        assert_eq!(
            create_table(&workload, 3, Some("ours")).unwrap(),
            "CREATE TABLE sbtest3 (id SERIAL, k INTEGER DEFAULT '0' NOT NULL, \
             c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, \
             PRIMARY KEY (id)); COMMENT ON TABLE sbtest3 IS 'ours'"
        );
        assert_eq!(create_indexes(&workload, 3), ["CREATE INDEX k_3 ON sbtest3(k)"]);
        workload.schema.auto_increment = false;
        assert!(create_table(&workload, 1, None).unwrap().contains("(id INTEGER NOT NULL, "));
        assert_eq!(set_sequence(&workload, 1), None);
        workload.schema.engine = Some("InnoDB".to_owned());
        assert!(create_table(&workload, 1, None).is_err());
    }
}
