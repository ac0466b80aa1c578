//! What a test needs of a target besides its data and its connections: by it rights and limits are
//! judged before anything runs.

use crate::{
    Act, Algorithm, BuiltInQuery, Change, Load, Oltp, Query, Statement, Task, Test, Workload,
};
use std::collections::BTreeSet;
use std::time::Duration;

/// What a test needs of a target, in words that hold for every system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// What it does with the data.
    pub access: BTreeSet<Access>,
    /// Whether the user's own transactions change data.
    pub changes_data: bool,
    /// Whether weighin makes a table of its own beside the data, and removes it.
    pub own_table: bool,
    /// The longest time that one of its statements may take, where such statements take longer than
    /// those of a transaction.
    pub longest_statement: Option<Duration>,
    /// Temporary space of statements that sort, in sizes of the largest table.
    pub sorted_tables: f64,
    /// Space of changes of the schema, in sizes of the largest table: for its copy, and again for what
    /// is sorted.
    pub changed_tables: f64,
    /// Whether queries of the user's are timed, which may build temporary tables of any size.
    pub own_queries: bool,
    /// The user's own statements, each with the name that results have it by.
    pub own_statements: Vec<(String, String)>,
}

/// What is done with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    Read,
    Insert,
    Update,
    Delete,
    /// Changes the definition of tables.
    Alter,
}

impl Needs {
    /// Whether data is changed.
    pub fn writes(&self) -> bool {
        self.changes_data || self.access.iter().any(|access| *access != Access::Read)
    }

    /// What both need.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.access.extend(other.access);
        self.changes_data |= other.changes_data;
        self.own_table |= other.own_table;
        self.longest_statement = self.longest_statement.max(other.longest_statement);
        self.sorted_tables = self.sorted_tables.max(other.sorted_tables);
        self.changed_tables = self.changed_tables.max(other.changed_tables);
        self.own_queries |= other.own_queries;
        self.own_statements.extend(other.own_statements);
        self
    }
}

impl Test {
    /// What the test needs, its interventions included.
    pub fn needs(&self) -> Needs {
        match &self.task {
            Task::Load(load) => load.needs(),
            Task::Search(search) => search.load.needs(),
            Task::Statement(statement) => statement.needs(),
            Task::Failover(_) => Needs {
                access: [Access::Read, Access::Insert, Access::Delete].into(),
                own_table: true,
                ..Needs::default()
            },
            Task::CatchUp(task) => {
                // The data is compared in the end.
                let compared = Needs { access: [Access::Read].into(), ..Needs::default() };
                task.workload.needs().and(compared)
            }
            Task::Imported(_) => Needs::default(),
        }
    }
}

impl Load {
    fn needs(&self) -> Needs {
        let own = self.interventions.iter().filter_map(|one| match &one.act {
            Act::Statement(sql) => Some((one.name.clone(), sql.clone())),
            Act::BackgroundWork(_) | Act::Command(_) => None,
        });
        Needs { own_statements: own.collect(), ..self.workload.needs() }
    }
}

impl Workload {
    fn needs(&self) -> Needs {
        match self {
            Self::Oltp(oltp) => Needs { access: oltp.access(), ..Needs::default() },
            // Rights are found by having the server explain the statements: which tables they are on, it
            // alone knows.
            Self::Transactions(own) => Needs { changes_data: own.change_data, ..Needs::default() },
            Self::KeyValue(keys) => {
                let (sets, gets) = keys.sets_to_gets;
                let of = [(sets, Access::Insert), (gets, Access::Read)];
                let access = of.into_iter().filter(|(share, _)| *share > 0);
                Needs { access: access.map(|(_, access)| access).collect(), ..Needs::default() }
            }
            Self::Storage(_) => Needs::default(),
        }
    }
}

impl Oltp {
    fn access(&self) -> BTreeSet<Access> {
        let of = &self.transaction;
        let counts = [
            (of.reads(), Access::Read),
            (of.inserts + of.delete_inserts + of.bulk_inserts, Access::Insert),
            (of.index_updates + of.non_index_updates, Access::Update),
            (of.deletes + of.delete_inserts, Access::Delete),
        ];
        counts.into_iter().filter(|(count, _)| *count > 0).map(|(_, access)| access).collect()
    }
}

impl Statement {
    fn needs(&self) -> Needs {
        let mut needs = Needs { longest_statement: Some(self.timeout), ..Needs::default() };
        for timed in &self.statements {
            match &timed.query {
                Query::BuiltIn(query) => {
                    needs.access.insert(Access::Read);
                    if *query == BuiltInQuery::Sort {
                        needs.sorted_tables = 1.0;
                    }
                }
                Query::Own(sql) => {
                    needs.own_queries = true;
                    needs.own_statements.push((timed.name.clone(), sql.clone()));
                }
                Query::Change(change) => {
                    if change.algorithm != Some(Algorithm::MetadataOnly) {
                        needs.changed_tables = 1.0;
                    }
                    match &change.change {
                        Change::BuiltIn(_) => drop(needs.access.insert(Access::Alter)),
                        Change::Own { sql, .. } => {
                            needs.own_statements.push((timed.name.clone(), sql.clone()));
                        }
                    }
                }
            }
        }
        match &self.beside {
            Some(beside) => needs.and(beside.load.needs()),
            None => needs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyValue, OltpMix, TimedStatement};

    fn needs_of(workload: Workload) -> Needs {
        let load = Load::new(workload, Vec::new(), Duration::ZERO, Duration::ZERO);
        Test::new("t", Task::Load(load)).needs()
    }

    #[test]
    fn a_load_needs_what_its_statements_do() {
        use Access::{Delete, Insert, Read, Update};
        let oltp = |mix| needs_of(Workload::Oltp(Oltp::preset(mix)));
        assert_eq!(oltp(OltpMix::PointSelect).access, [Read].into());
        assert!(!oltp(OltpMix::ReadOnly).writes());
        assert_eq!(oltp(OltpMix::ReadWrite).access, [Read, Insert, Update, Delete].into());
        let gets = KeyValue { sets_to_gets: (0, 1), ..KeyValue::default() };
        assert!(!needs_of(Workload::KeyValue(gets)).writes());
    }

    #[test]
    fn a_statement_that_sorts_needs_room_for_its_table() {
        let statement = |query| Statement {
            statements: vec![TimedStatement { name: "q".to_owned(), query }],
            data: None,
            timeout: Duration::from_secs(60),
            warmup_runs: 0,
            writes: false,
            beside: None,
        };
        let sort = statement(Query::BuiltIn(BuiltInQuery::Sort)).needs();
        assert_eq!(
            (sort.sorted_tables, sort.longest_statement),
            (1.0, Some(Duration::from_secs(60)))
        );
        let both = sort.and(statement(Query::Own("SELECT 1".to_owned())).needs());
        assert_eq!(both.sorted_tables, 1.0);
        assert!(both.own_queries && both.changed_tables == 0.0);
        assert_eq!(both.own_statements.len(), 1);
    }
}
