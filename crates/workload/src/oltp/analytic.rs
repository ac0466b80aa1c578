use super::name_of;
use model::{BuiltInQuery, Oltp};

/// A query of the built-in analytic set over the tables of a workload. Each reads whole tables; none
/// can be answered from an index alone.
pub fn analytic(query: BuiltInQuery, tables: &Oltp) -> String {
    let first = name_of(tables, 1);
    match query {
        BuiltInQuery::Scan => format!(
            "SELECT k % 10 AS part, COUNT(*), AVG(k), MIN(c), MAX(pad) FROM {first} GROUP BY k % 10"
        ),
        BuiltInQuery::Join => {
            // With one table only, each row is joined to another of the same.
            let second = name_of(tables, tables.tables.min(2));
            format!(
                "SELECT COUNT(*), SUM(b.k), MAX(b.pad) FROM {first} AS a JOIN {second} AS b \
                 ON b.id = a.k WHERE a.pad <> ''"
            )
        }
        BuiltInQuery::Sort => format!("SELECT id, c, pad FROM {first} ORDER BY pad, c"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OltpMix;

    #[test]
    fn a_join_is_of_two_tables_where_there_are_two() {
        let tables = |tables| Oltp { tables, ..Oltp::preset(OltpMix::ReadOnly) };
        assert!(
            analytic(BuiltInQuery::Join, &tables(4)).contains("sbtest1 AS a JOIN sbtest2 AS b")
        );
        assert!(
            analytic(BuiltInQuery::Join, &tables(1)).contains("sbtest1 AS a JOIN sbtest1 AS b")
        );
    }
}
