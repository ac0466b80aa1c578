/// Name of a test table; tables count from 1.
pub fn table_name(table: u32) -> String {
    format!("sbtest{table}")
}

/// Creates a test table without its secondary index: the columns and types of sysbench 1.0.
/// `comment` becomes the table's comment, by which weighin knows its own tables again; it must
/// hold no quotes.
pub fn create_table(table: u32, comment: &str) -> String {
    format!(
        "CREATE TABLE {} (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER DEFAULT '0' NOT NULL, \
         c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) \
         ENGINE=InnoDB COMMENT='{comment}'",
        table_name(table)
    )
}

/// Creates the secondary index of a test table, as sysbench names it.
pub fn create_index(table: u32) -> String {
    format!("CREATE INDEX k_{table} ON {}(k)", table_name(table))
}

/// Removes a test table.
pub fn drop_table(table: u32) -> String {
    format!("DROP TABLE {}", table_name(table))
}
