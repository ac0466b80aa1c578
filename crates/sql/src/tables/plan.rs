use super::{TableInfo, mark};
use host::size_in_words;
use model::{Failure, FailureKind, Oltp};
use std::time::Duration;
use system::{DataPlan, Prepared};
use workload::oltp::table_name;

/// What has to happen so that the tables are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToDo {
    /// Tables of ours with other rows than wanted, by number: drop, then make.
    pub replace: Vec<u32>,
    /// Tables that are missing, by number.
    pub make: Vec<u32>,
    /// Tables of somebody else that will serve if their shape is right.
    pub foreign: Vec<u32>,
}

impl ToDo {
    /// All tables that must be filled, in request.
    pub fn fill(&self) -> Vec<u32> {
        let mut fill: Vec<u32> = self.replace.iter().chain(&self.make).copied().collect();
        fill.sort_unstable();
        fill
    }

    /// What carrying it out would come to, in words, and the names of the tables that are kept.
    pub fn described(&self, workload: &Oltp, present: &[TableInfo]) -> (DataPlan, Vec<String>) {
        let fill = self.fill();
        let named = |number: u32| {
            let name = table_name(number);
            present.iter().find(|table| table.name == name)
        };
        let kept = (1..=workload.tables).filter(|number| fill.binary_search(number).is_err());
        let kept: Vec<&TableInfo> = kept.filter_map(named).collect();
        let replaced = self.replace.iter().filter_map(|&number| named(number));
        let described = replaced.map(|table| {
            let (name, bytes) = (&table.name, size_in_words(table.bytes));
            format!("{name} ({}; {bytes})", mark::noted(&table.comment).unwrap_or_default())
        });
        let new = workload.bytes_of_tables(fill.len().try_into().unwrap_or(u32::MAX));
        let plan = DataPlan {
            noun: "table",
            keep: kept.len(),
            foreign: self.foreign.len(),
            make: self.make.len(),
            replace: described.collect(),
            bytes: kept.iter().map(|table| table.bytes).sum::<u64>() + new,
        };
        (plan, kept.into_iter().map(|table| table.name.clone()).collect())
    }

    /// What has come of it, given what is there now and how long it took.
    pub fn done(&self, workload: &Oltp, present: &[TableInfo], elapsed: Duration) -> Prepared {
        let names: Vec<String> = (1..=workload.tables).map(table_name).collect();
        let ours = present.iter().filter(|table| names.contains(&table.name));
        let made = self.fill().len() as u32;
        Prepared {
            noun: "table",
            made,
            all_new: made == workload.tables,
            foreign: self.foreign.len() as u32,
            bytes: ours.map(|table| table.bytes).sum(),
            elapsed,
        }
    }
}

/// Decides what to do, given what is there.
///
/// # Errors
/// `ForeignTables` when something would have to be made in a database that holds tables that are
/// not weighin's.
pub fn to_do(workload: &Oltp, present: &[TableInfo], database: &str) -> Result<ToDo, Failure> {
    let mut to_do = ToDo::default();
    for number in 1..=workload.tables {
        let name = table_name(number);
        match present.iter().find(|table| table.name == name) {
            None => to_do.make.push(number),
            Some(table) if !mark::is_ours(&table.comment) => to_do.foreign.push(number),
            Some(table) if table.comment != mark::finished(workload) => {
                to_do.replace.push(number);
            }
            Some(_) => {}
        }
    }
    if !to_do.fill().is_empty() {
        let what = format!("{} of the {} test tables", to_do.fill().len(), workload.tables);
        refuse_beside(present, database, &what).map_err(|failure| Failure {
            remedy: format!("{}, or tables that sysbench prepared in full", failure.remedy),
            ..failure
        })?;
    }
    Ok(to_do)
}

/// Refuses to make tables in a database that holds tables of others.
///
/// # Errors
/// `ForeignTables` where it does.
pub fn refuse_beside(present: &[TableInfo], database: &str, what: &str) -> Result<(), Failure> {
    let others: Vec<&str> = present
        .iter()
        .filter(|table| !mark::is_ours(&table.comment))
        .map(|table| table.name.as_str())
        .collect();
    if others.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        FailureKind::ForeignTables,
        format!(
            "the database {database} holds {} that weighin did not make ({}), and {what} would have \
             to be made beside {}",
            count(others.len()),
            shortened(&others),
            if others.len() == 1 { "it" } else { "them" },
        ),
        "use an empty database of its own for weighin (CREATE DATABASE)",
    ))
}

fn count(tables: usize) -> String {
    if tables == 1 { "a table".to_owned() } else { format!("{tables} tables") }
}

fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let mut text = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OltpMix;

    fn workload() -> Oltp {
        Oltp { tables: 3, table_size: 1_000, ..Oltp::preset(OltpMix::ReadWrite) }
    }

    fn table(name: &str, comment: &str) -> TableInfo {
        TableInfo {
            name: name.to_owned(),
            comment: comment.to_owned(),
            auto_increment: Some(1_001),
            bytes: 0,
            is_elsewhere: false,
        }
    }

    #[test]
    fn an_empty_database_gets_all_tables() {
        assert_eq!(to_do(&workload(), &[], "db").unwrap().fill(), [1, 2, 3]);
    }

    #[test]
    fn finished_tables_of_ours_stay_and_others_of_ours_are_replaced() {
        let done = mark::finished(&workload());
        let present = [
            table("sbtest1", &done),
            table("sbtest2", mark::unfinished()),
            table("sbtest3", "weighin: 500 rows, special"),
            table("sbtest4", &done),
        ];
        let to_do = to_do(&workload(), &present, "db").unwrap();
        assert_eq!((to_do.replace, to_do.make), (vec![2, 3], vec![]));
    }

    #[test]
    fn sysbenchs_tables_serve_as_they_are_even_beside_other_tables() {
        let present = ["sbtest1", "sbtest2", "sbtest3", "orders"].map(|name| table(name, ""));
        let to_do = to_do(&workload(), &present, "db").unwrap();
        assert_eq!(to_do.foreign, [1, 2, 3]);
        assert!(to_do.fill().is_empty());
    }

    #[test]
    fn nothing_is_made_beside_the_tables_of_others() {
        let present = [table("orders", ""), table("sbtest1", "")];
        let failure = to_do(&workload(), &present, "shop").unwrap_err();
        assert_eq!(failure.kind, FailureKind::ForeignTables);
        assert!(failure.message.contains("shop") && failure.message.contains("orders"));
    }
}
