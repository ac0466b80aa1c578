//! Loads, and the tables that they run on, on a real server.

use crate::support::{DATABASE, Server};
use engine::Stop;
use model::{FailureKind, Oltp, OltpMix};
use postgres::tables::Rows;
use sql::tables::{check, cleanup, prepare};
use system::{Preparing, Step};

fn workload() -> Oltp {
    Oltp { tables: 2, table_size: 2_500, ..Oltp::preset(OltpMix::ReadWrite) }
}

fn make(server: &Server, workload: &Oltp) -> Result<system::Prepared, model::Failure> {
    let mut steps = Vec::new();
    let mut preparing = Preparing {
        seed: 7,
        repeat: 0,
        may_write: false,
        is_private: false,
        connections: Some(3),
        stop: &Stop::default(),
        progress: &mut |step: Step| steps.push(step),
    };
    let (login, mut control) = (server.login(), server.connect());
    let rows = Rows { login: &login, workload, seed: 7 };
    let made = prepare(&rows, &login, &mut control, workload, &mut preparing);
    assert!(made.is_err() || steps.iter().all(|step| step.done <= step.of));
    made
}

#[test]
fn tables_are_made_kept_replaced_and_dropped_and_those_of_others_are_not_touched() {
    let server = Server::start(&[], "");
    let (mut control, workload) = (server.connect(), workload());
    assert_eq!(check(&mut control, &workload).unwrap_err().kind, FailureKind::MissingTables);
    let made = make(&server, &workload).unwrap();
    assert_eq!((made.made, made.all_new), (2, true));
    assert!(made.bytes > 2 * 2_500 * 190);
    check(&mut control, &workload).unwrap();
    assert_eq!(make(&server, &workload).unwrap().made, 0);

    // The next row gets the next number, the index is there, and what is known of values too.
    let mut one = |sql: &str| control.query(sql).unwrap().rows[0][0].clone().unwrap();
    assert_eq!(one("INSERT INTO sbtest1 (k, c, pad) VALUES (1, '', '') RETURNING id"), "2501");
    assert_eq!(one("SELECT count(*) FROM pg_indexes WHERE indexname IN ('k_1', 'k_2')"), "2");
    let analyzed = "SELECT count(*) FROM pg_stats WHERE tablename = 'sbtest2'";
    assert_eq!(one(analyzed), "4");

    // Another number of rows takes others of the same names, which are weighin's own.
    let larger = Oltp { table_size: 3_000, ..workload.clone() };
    assert_eq!(make(&server, &larger).unwrap().made, 2);
    check(&mut control, &larger).unwrap();

    // A table of somebody else, in whichever schema, keeps new ones from being made.
    control.execute("CREATE SCHEMA shop; CREATE TABLE shop.orders (id int)").unwrap();
    let refused = make(&server, &Oltp { tables: 3, ..larger.clone() }).unwrap_err();
    assert_eq!(refused.kind, FailureKind::ForeignTables, "{refused:?}");
    assert!(refused.message.contains("shop.orders") && refused.message.contains(DATABASE));

    // Whoever made a table of sysbench's shape, it serves where it is large enough.
    control.execute("COMMENT ON TABLE sbtest1 IS 'ours'").unwrap();
    assert_eq!(make(&server, &larger).unwrap().foreign, 1);
    let refused = make(&server, &Oltp { table_size: 9_000, tables: 1, ..larger.clone() });
    assert_eq!(refused.unwrap_err().kind, FailureKind::MissingTables);

    let done = cleanup(&mut control, DATABASE, &[]).unwrap();
    assert_eq!((done.0, done.1), (vec!["sbtest2".to_owned()], vec!["sbtest1".to_owned()]));
    let also = cleanup(&mut control, DATABASE, &["shop.orders".to_owned()]);
    assert_eq!(also.unwrap_err().kind, FailureKind::ForeignTables);
    let done = cleanup(&mut control, DATABASE, &["sbtest1".to_owned()]).unwrap();
    assert_eq!(done.0, ["sbtest1"]);
    let mut one = |sql: &str| control.query(sql).unwrap().rows[0][0].clone().unwrap();
    assert_eq!(one("SELECT count(*) FROM pg_tables WHERE schemaname = 'shop'"), "1");
}

#[test]
fn an_interrupted_table_is_made_anew() {
    let server = Server::start(&[], "");
    let (mut control, workload) = (server.connect(), workload());
    let stop = Stop::default();
    stop.request();
    let mut preparing = Preparing {
        seed: 7,
        repeat: 0,
        may_write: false,
        is_private: false,
        connections: None,
        stop: &stop,
        progress: &mut |_| {},
    };
    let login = server.login();
    let rows = Rows { login: &login, workload: &workload, seed: 7 };
    let stopped = prepare(&rows, &login, &mut control, &workload, &mut preparing);
    assert!(stopped.unwrap_err().is_stop());
    let unfinished = check(&mut control, &workload).unwrap_err();
    assert!(unfinished.message.contains("unfinished"), "{unfinished}");
    assert_eq!(make(&server, &workload).unwrap().made, 2);
}
