use model::{Oltp, OltpDialect, OltpMix};

/// The storage engine of tables where a workload names none.
pub const DEFAULT_ENGINE: &str = "InnoDB";

/// Name of a numbered test table; tables count from 1.
pub fn table_name(table: u32) -> String {
    format!("sbtest{table}")
}

/// Name of a workload's table: numbered, from 1, unless the workload has a single table of
/// another name.
pub fn name_of(workload: &Oltp, table: u32) -> String {
    workload.schema.single_table.clone().unwrap_or_else(|| table_name(table))
}

/// Creates a test table without its secondary index. `comment` becomes the table's comment, by
/// which weighin knows its own tables again; it must hold no quotes.
pub fn create_table(workload: &Oltp, table: u32, comment: Option<&str>) -> String {
    let schema = &workload.schema;
    let name = name_of(workload, table);
    let unsigned = match workload.dialect {
        OltpDialect::Sysbench10 => "",
        OltpDialect::Sysbench05 | OltpDialect::Sysbench04 => " UNSIGNED",
    };
    let engine = schema.engine.as_deref().unwrap_or(DEFAULT_ENGINE);
    let comment = comment.map(|text| format!(" COMMENT='{text}'")).unwrap_or_default();
    if workload.mix == OltpMix::BulkInsert {
        return format!(
            "CREATE TABLE IF NOT EXISTS {name} (id INTEGER{unsigned} NOT NULL, \
             k INTEGER{unsigned} DEFAULT '0' NOT NULL, PRIMARY KEY (id)){comment}"
        );
    }
    let auto_increment = if schema.auto_increment { " AUTO_INCREMENT" } else { "" };
    let options = match schema.options.as_str() {
        "" => String::new(),
        options => format!(" {options}"),
    };
    let key = if schema.secondary { "KEY xid" } else { "PRIMARY KEY" };
    format!(
        "CREATE TABLE {name} (id INTEGER{unsigned} NOT NULL{auto_increment}, \
         k INTEGER{unsigned} DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
         pad CHAR(60) DEFAULT '' NOT NULL, {key} (id)) ENGINE={engine}{comment}{options}"
    )
}

/// Creates the secondary index of a test table, as sysbench names it; `None` for a workload
/// without one.
pub fn create_index(workload: &Oltp, table: u32) -> Option<String> {
    if !workload.schema.index_on_k || workload.mix == OltpMix::BulkInsert {
        return None;
    }
    let name = name_of(workload, table);
    Some(match workload.schema.single_table {
        Some(_) => format!("CREATE INDEX k ON {name}(k)"),
        None => format!("CREATE INDEX k_{table} ON {name}(k)"),
    })
}

/// Removes a numbered test table.
pub fn drop_table(table: u32) -> String {
    format!("DROP TABLE {}", table_name(table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_generation_has_its_columns() {
        let mut workload = Oltp::preset(OltpMix::ReadWrite);
        assert_eq!(
            create_table(&workload, 3, None),
            "CREATE TABLE sbtest3 (id INTEGER NOT NULL AUTO_INCREMENT, \
             k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
             pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) ENGINE=InnoDB"
        );
        assert_eq!(create_index(&workload, 3).as_deref(), Some("CREATE INDEX k_3 ON sbtest3(k)"));
        workload.dialect = OltpDialect::Sysbench04;
        workload.schema.single_table = Some("t".to_owned());
        workload.schema.auto_increment = false;
        workload.schema.secondary = true;
        workload.schema.engine = Some("Aria".to_owned());
        assert_eq!(
            create_table(&workload, 1, Some("ours")),
            "CREATE TABLE t (id INTEGER UNSIGNED NOT NULL, k INTEGER UNSIGNED DEFAULT '0' NOT \
             NULL, c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, \
             KEY xid (id)) ENGINE=Aria COMMENT='ours'"
        );
        assert_eq!(create_index(&workload, 1).as_deref(), Some("CREATE INDEX k ON t(k)"));
        workload.schema.index_on_k = false;
        assert_eq!(create_index(&workload, 1), None);
    }
}
