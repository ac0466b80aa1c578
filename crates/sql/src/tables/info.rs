/// What a server says of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableInfo {
    pub name: String,
    pub comment: String,
    /// The highest id so far plus one, where the server knows it.
    pub auto_increment: Option<u64>,
    /// Data and index, in bytes.
    pub bytes: u64,
    /// Whether it is not in the schema that weighin works in.
    pub is_elsewhere: bool,
}

/// Whether a table has a name of those that sysbench makes, and weighin.
pub fn is_test_table(name: &str) -> bool {
    name.strip_prefix("sbtest")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sbtest_with_a_number_is_a_test_table() {
        assert!(is_test_table("sbtest1") && is_test_table("sbtest250"));
        assert!(
            !is_test_table("sbtest") && !is_test_table("sbtest_old") && !is_test_table("orders")
        );
    }
}
