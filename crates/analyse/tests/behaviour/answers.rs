//! What targets answered to the statements of a workload before any trial.

use crate::support::{dataset, found};
use analyse::{Evidence, analyse};
use model::{Dataset, ServerFacts, StatementAnswer, System, TargetFacts};

/// A study of three targets of these systems, which answered with so many rows and that checksum.
fn run(answered: [(System, u64, u64); 3]) -> Dataset {
    let names = ["a", "b", "c"];
    let mut data = dataset(&names, &[4], 1, |_, _, _| 1000.0);
    data.targets.clear();
    for ((target, name), (system, rows, checksum)) in
        data.study.targets.iter_mut().zip(names).zip(answered)
    {
        target.system = system;
        let (statement, sql) = ("SELECT t".to_owned(), "SELECT price FROM t".to_owned());
        let answers = vec![StatementAnswer { statement, sql, rows, checksum }];
        let server = ServerFacts { answers, ..ServerFacts::default() };
        data.targets.push(TargetFacts { target: name.to_owned(), server });
    }
    data
}

/// Whether answers are said to differ, and to be alike.
fn said(answered: [(System, u64, u64); 3]) -> (bool, bool) {
    let data = run(answered);
    let analysis = analyse(&data);
    let has = |which: fn(&Evidence) -> bool| !found(&analysis, which).is_empty();
    (
        has(|one| matches!(one, Evidence::AnswersDiffer(_))),
        has(|one| matches!(one, Evidence::AnswersAlike(_))),
    )
}

#[test]
fn what_rows_hold_is_compared_among_servers_that_write_it_alike() {
    let (mysql, postgres) = (System::Mysql, System::Postgres);
    assert_eq!(said([(mysql, 5, 7), (mysql, 5, 7), (mysql, 5, 7)]), (false, true));
    assert_eq!(said([(mysql, 5, 7), (mysql, 5, 7), (mysql, 5, 8)]), (true, false));
    // `1.50` and `1.5` are one value; of a whole row more or less it is known.
    assert_eq!(said([(mysql, 5, 7), (postgres, 5, 8), (postgres, 5, 8)]), (false, false));
    assert_eq!(said([(mysql, 5, 7), (postgres, 5, 8), (postgres, 5, 9)]), (true, false));
    assert_eq!(said([(mysql, 5, 7), (postgres, 4, 7), (mysql, 5, 7)]), (true, false));
}
