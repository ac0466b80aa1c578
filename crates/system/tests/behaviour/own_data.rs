//! Data of a user's own on a real server: made, kept, made anew, removed, and nothing of others touched.

use crate::support::{Server, address, value};
use model::{
    ColumnValues, DataFile, DataSource, Failure, FailureKind, Fingerprint, GeneratedColumn,
    Invariant, Nulls, OwnData, Popularity, Restore, RowGenerator, ServerAddress, Stop,
    Transactions, Workload,
};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use system::{CleanedUp, Login, Preparing, System, TargetHandle};

const SCHEMA: &str = "
-- A shop.
DROP TABLE IF EXISTS orders, customers;
CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(100) NULL, note TEXT) COMMENT='people';
CREATE TABLE orders (
    id INT PRIMARY KEY, customer_id INT NOT NULL, amount DECIMAL(8,2), placed DATE, status CHAR(8),
    FOREIGN KEY (customer_id) REFERENCES customers (id)
);
DELIMITER //
CREATE TRIGGER orders_placed BEFORE INSERT ON orders FOR EACH ROW BEGIN
    SET NEW.amount = NEW.amount; SET NEW.status = UPPER(NEW.status);
END//
DELIMITER ;
CREATE VIEW open_orders AS SELECT * FROM orders WHERE status = 'OPEN';
";

const CUSTOMERS: &str = "id,name,note\n1,\"Anna, of \"\"A\"\"\",\\N\n2,,\"\"\n3,Bob\\,x\n";

fn file(directory: &Path, name: &str, content: impl AsRef<[u8]>) -> DataFile {
    let (path, content) = (directory.join(name), content.as_ref());
    std::fs::write(&path, content).unwrap();
    let mut print = Fingerprint::default();
    print.bytes(content);
    DataFile {
        name: name.to_owned(),
        path,
        bytes: content.len() as u64,
        fingerprint: print.finish(),
        built_in: None,
    }
}

fn orders(rows: u32) -> DataSource {
    let column =
        |name: &str, values| GeneratedColumn { name: name.into(), values, nulls: Nulls::NONE };
    let of = ColumnValues::Of {
        table: "customers".into(),
        column: "id".into(),
        popularity: Popularity::Zipfian { s: 0.9 },
    };
    let statuses = vec![("open".into(), 1.0), ("paid".into(), 3.0)];
    DataSource::Rows(RowGenerator {
        table: "orders".into(),
        rows,
        columns: vec![
            column("id", ColumnValues::Sequence { first: 1 }),
            column("customer_id", of),
            column("amount", ColumnValues::Decimal { low: 100, high: 50_000, digits: 2 }),
            column("placed", ColumnValues::Date { low: 19_000, high: 20_000 }),
            column("status", ColumnValues::Weighted(statuses)),
        ],
        set: Default::default(),
    })
}

fn shop(directory: &Path) -> OwnData {
    let customers = file(directory, "customers.csv", CUSTOMERS);
    OwnData {
        setup: vec![file(directory, "schema.sql", SCHEMA)],
        load: vec![
            DataSource::Csv { table: "customers".into(), file: customers },
            orders(20_000),
            DataSource::Script(file(
                directory,
                "more.sql",
                "UPDATE customers SET note='x' WHERE id=3",
            )),
        ],
        restore: Restore::Trial,
        ..OwnData::default()
    }
}

fn transactions(data: OwnData, writes: bool) -> Workload {
    Workload::Transactions(Transactions {
        transactions: Vec::new(),
        set: Default::default(),
        prepared: true,
        writes,
        change_data: true,
        data,
    })
}

fn handle(server: &Server, database: &str) -> Box<dyn TargetHandle> {
    let address = ServerAddress { database: database.into(), ..address(server.tcp()) };
    let login =
        Login::with_credentials(model::System::Mysql, address, server.administrator()).unwrap();
    system::reach(login).unwrap()
}

fn prepare(
    target: &mut dyn TargetHandle,
    workload: &Workload,
    may_write: bool,
    stop: &Stop,
    progress: &mut dyn FnMut(system::Step),
) -> Result<u32, Failure> {
    let mut preparing = Preparing {
        seed: 7,
        repeat: 0,
        may_write,
        is_private: false,
        connections: Some(3),
        stop,
        progress,
    };
    target.prepare(workload, &mut preparing).map(|prepared| prepared.made)
}

fn made(target: &mut dyn TargetHandle, data: &OwnData) -> Result<u32, Failure> {
    prepare(target, &transactions(data.clone(), true), true, &Stop::default(), &mut |_| {})
}

#[test]
fn data_is_made_kept_made_anew_and_removed() {
    let (server, directory) = (Server::start(&[]), tempfile::tempdir().unwrap());
    let (mut control, mut target) = (server.connect(), handle(&server, "sbtest"));
    let data = shop(directory.path());

    // Study and command line must both allow it.
    for (writes, may_write) in [(false, true), (true, false)] {
        let workload = transactions(data.clone(), writes);
        let refused = prepare(target.as_mut(), &workload, may_write, &Stop::default(), &mut |_| {});
        let refused = refused.unwrap_err();
        assert_eq!(refused.kind, FailureKind::NotPermitted, "{refused}");
        assert!(refused.remedy.contains("--allow-writes"), "{}", refused.remedy);
    }
    assert_eq!(
        value(
            &mut control,
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'sbtest'"
        ),
        "0"
    );

    let mut steps = Vec::new();
    let workload = transactions(data.clone(), true);
    let count =
        prepare(target.as_mut(), &workload, true, &Stop::default(), &mut |step| steps.push(step));
    assert_eq!(count.unwrap(), 2);
    assert!(steps.last().is_some_and(|step| step.done == step.of && step.of > 20_000), "{steps:?}");
    assert_eq!(value(&mut control, "SELECT COUNT(*) FROM customers WHERE name IS NULL"), "1");
    assert_eq!(value(&mut control, "SELECT name FROM customers WHERE id = 1"), "Anna, of \"A\"");
    assert_eq!(
        value(&mut control, "SELECT CONCAT(name, note) FROM customers WHERE id = 3"),
        "Bob\\x"
    );
    let orders = "SELECT COUNT(*) FROM orders JOIN customers ON customers.id = customer_id";
    assert_eq!(value(&mut control, orders), "20000");
    assert_eq!(
        value(&mut control, "SELECT COUNT(*) FROM orders WHERE status = 'OPEN' OR status = 'PAID'"),
        "20000"
    );
    let sum = "SELECT BIT_XOR(CRC32(CONCAT_WS(',', id, customer_id, amount, placed, status))) FROM orders";
    let first = value(&mut control, sum);

    // The same again is there, also for who comes anew; other data takes its place.
    assert_eq!(made(handle(&server, "sbtest").as_mut(), &data).unwrap(), 0);
    let mut fewer = data.clone();
    fewer.load[1] = self::orders(1_000);
    assert_eq!(made(target.as_mut(), &fewer).unwrap(), 2);
    assert_eq!(
        value(
            &mut control,
            "SELECT COUNT(*) FROM open_orders JOIN customers c ON c.id = customer_id WHERE amount < 0"
        ),
        "0"
    );
    assert_eq!(value(&mut control, "SELECT COUNT(*) FROM orders"), "1000");
    assert_eq!(made(target.as_mut(), &data).unwrap(), 2);
    assert_eq!(value(&mut control, sum), first, "the same seed gives the same rows");

    // What a trial changed is undone before the next.
    let workload = transactions(data.clone(), true);
    let ready = |target: &mut dyn TargetHandle| {
        let stop = Stop::default();
        let mut preparing = Preparing {
            seed: 7,
            repeat: 1,
            may_write: true,
            is_private: false,
            connections: None,
            stop: &stop,
            progress: &mut |_| {},
        };
        target.ready(Some(&workload), model::CacheState::Warm, &mut preparing).unwrap();
    };
    ready(target.as_mut());
    control.execute("DELETE FROM orders WHERE id <= 100").unwrap();
    target.loaded(&workload);
    ready(target.as_mut());
    assert_eq!(value(&mut control, sum), first);
    // A run that is killed during a trial leaves that to the next one.
    control.execute("DELETE FROM orders WHERE id <= 100").unwrap();
    assert_eq!(made(handle(&server, "sbtest").as_mut(), &data).unwrap(), 2);
    assert_eq!(value(&mut control, sum), first);

    // Nothing is made beside what others made, nor is that removed.
    control.execute("CREATE TABLE theirs (id INT)").unwrap();
    let refused = made(target.as_mut(), &fewer).unwrap_err();
    assert_eq!(refused.kind, FailureKind::ForeignTables);
    assert!(refused.message.contains("theirs"), "{refused}");
    let login = Login::with_credentials(
        model::System::Mysql,
        address(server.tcp()),
        server.administrator(),
    );
    let done = mysql::SYSTEM.clean_up(&login.unwrap(), &[]).unwrap();
    let CleanedUp::Tables { dropped, .. } = &done else { panic!("{done:?}") };
    assert_eq!(dropped.len(), 3, "{dropped:?}");
    let left = "SELECT GROUP_CONCAT(table_name) FROM information_schema.tables WHERE table_schema = 'sbtest'";
    assert_eq!(value(&mut control, left), "theirs");
}

#[test]
fn making_data_that_was_cut_off_begins_anew() {
    let (server, directory) = (Server::start(&[]), tempfile::tempdir().unwrap());
    let (mut control, mut target) = (server.connect(), handle(&server, "sbtest"));
    let data = shop(directory.path());
    let (stop, workload) = (Stop::default(), transactions(data.clone(), true));
    let stopped = prepare(target.as_mut(), &workload, true, &stop, &mut |step| {
        if step.done > 0 {
            stop.request();
        }
    });
    // All may have been made before progress was first told.
    if let Err(failure) = stopped {
        assert!(failure.is_stop(), "{failure}");
        assert_eq!(made(handle(&server, "sbtest").as_mut(), &data).unwrap(), 2);
    }
    assert_eq!(value(&mut control, "SELECT COUNT(*) FROM orders"), "20000");
}

#[test]
fn errors_name_file_line_and_statement_and_harm_nothing() {
    let (server, directory) = (Server::start(&[]), tempfile::tempdir().unwrap());
    let (mut control, mut target) = (server.connect(), handle(&server, "sbtest"));
    control.execute("CREATE DATABASE theirs").unwrap();
    control.execute("CREATE TABLE theirs.t (id INT)").unwrap();
    let mut error = |setup: &str, csv: &str| {
        let mut data = shop(directory.path());
        data.setup.push(file(directory.path(), "bad.sql", setup));
        let customers = file(directory.path(), "customers.csv", csv);
        data.load[0] = DataSource::Csv { table: "customers".into(), file: customers };
        made(target.as_mut(), &data).unwrap_err().message
    };
    let message = error("SELECT 1;\n\nSELECT nothing\n  FROM nowhere;", CUSTOMERS);
    assert!(message.contains("bad.sql, line 3 («SELECT nothing FROM nowhere»)"), "{message}");
    assert!(message.contains("1146"), "{message}");
    for (beyond, why) in [
        ("DROP TABLE theirs.t", "the database theirs"),
        ("DROP TABLE `theirs` . `t`", "the database theirs"),
        ("USE theirs", "USE"),
        ("DROP DATABASE theirs", "DATABASE"),
        ("SET GLOBAL max_connections = 7", "GLOBAL"),
    ] {
        let message = error(beyond, CUSTOMERS);
        let stands = message.contains("weighin does not run it") || message.contains(why);
        assert!(message.contains("bad.sql, line 1") && stands, "{message}");
    }
    assert_eq!(value(&mut control, "SELECT COUNT(*) FROM theirs.t"), "0");
    let message = error("", "id,name,note\n1,a,b\n2,c\n");
    assert!(message.contains("customers.csv") && message.contains("line 3"), "{message}");
    let message = error("", "id,name,note\n1,a,b\n1,c,d\n");
    assert!(message.contains("customers.csv, lines 2 to 3"), "{message}");
}

#[test]
fn files_that_have_changed_meanwhile_are_noticed() {
    let (server, directory) = (Server::start(&[]), tempfile::tempdir().unwrap());
    let mut target = handle(&server, "sbtest");
    let data = shop(directory.path());
    std::fs::write(directory.path().join("customers.csv"), CUSTOMERS.replace("Bob", "Eve"))
        .unwrap();
    let failure = made(target.as_mut(), &data).unwrap_err();
    assert!(failure.message.contains("customers.csv has changed"), "{failure}");
}

/// What a program makes of a text.
fn compressed(program: &str, text: &str) -> Vec<u8> {
    let plain = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(plain.path(), text).unwrap();
    let made = Command::new(program).arg("-c").arg(plain.path()).output().unwrap();
    assert!(made.status.success(), "{program}: {}", String::from_utf8_lossy(&made.stderr));
    made.stdout
}

#[test]
fn compressed_files_are_unpacked_while_they_are_read() {
    let (server, directory) = (Server::start(&[]), tempfile::tempdir().unwrap());
    let (mut control, mut target) = (server.connect(), handle(&server, "sbtest"));
    for (program, end) in [("gzip", "gz"), ("zstd", "zst"), ("bzip2", "bz2"), ("xz", "xz")] {
        let packed = |name: &str, text: &str| {
            file(directory.path(), &format!("{name}.{end}"), compressed(program, text))
        };
        let customers = packed("customers.csv", CUSTOMERS);
        let data = OwnData {
            setup: vec![packed("schema.sql", SCHEMA)],
            load: vec![DataSource::Csv { table: "customers".into(), file: customers }, orders(10)],
            ..OwnData::default()
        };
        assert_eq!(made(target.as_mut(), &data).unwrap(), 2, "{program}");
        let name = "SELECT GROUP_CONCAT(name ORDER BY id) FROM customers";
        assert_eq!(value(&mut control, name), "Anna, of \"A\",Bob\\", "{program}");
    }
}

#[test]
fn a_damaged_file_is_said_to_be_damaged_and_where() {
    let (server, directory) = (Server::start(&[]), tempfile::tempdir().unwrap());
    let (mut control, mut target) = (server.connect(), handle(&server, "sbtest"));
    let mut text = String::from("id,name,note\n");
    for id in 0..20_000_u64 {
        let name = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        writeln!(text, "{id},{name:x},{:x}", name.rotate_left(29)).unwrap();
    }
    let mut error = |name: &str, content: &[u8]| {
        let mut data = shop(directory.path());
        let customers = file(directory.path(), name, content);
        data.load[0] = DataSource::Csv { table: "customers".into(), file: customers };
        made(target.as_mut(), &data).unwrap_err().message
    };
    for (program, end) in [("gzip", "gz"), ("zstd", "zst"), ("bzip2", "bz2"), ("xz", "xz")] {
        let (name, whole) = (format!("customers.csv.{end}"), compressed(program, &text));
        let cut_off = error(&name, &whole[..whole.len() / 2]);
        let mut flipped = whole.clone();
        flipped[whole.len() * 3 / 4] ^= 0x55;
        for message in [cut_off, error(&name, &flipped)] {
            assert!(message.contains(&format!("{name} is damaged or cut off")), "{message}");
            assert!(
                message.contains("beyond line ") && message.contains("near byte "),
                "{message}"
            );
            // Nothing of it was loaded.
            assert_eq!(value(&mut control, "SELECT COUNT(*) FROM customers"), "0");
        }
    }
    let message = error("customers.csv.gz", text.as_bytes());
    assert!(message.contains("not compressed by gzip"), "{message}");
    let message = error("customers.csv.gz", b"");
    assert!(message.contains("not compressed by gzip"), "{message}");
}

#[test]
fn invariants_say_what_came_instead() {
    let server = Server::start(&[]);
    let mut target = handle(&server, "sbtest");
    let invariant = |name: &str, sql: &str, gives: &str| Invariant {
        name: name.into(),
        sql: sql.into(),
        gives: gives.into(),
    };
    let invariants = vec![
        invariant("holds", "SELECT 1, NULL UNION ALL SELECT 2, 'x'", "1,NULL\n2,x"),
        invariant("broken", "SELECT CONCAT('a', CHAR(27), REPEAT('b', 500))", "0"),
        invariant("no table", "SELECT COUNT(*) FROM nowhere", "0"),
    ];
    let data = OwnData { invariants, ..OwnData::default() };
    let state = target.data_state(&transactions(data, false)).unwrap().unwrap();
    assert_eq!(state.checked, 3);
    let names: Vec<&str> = state.broken.iter().map(|broken| broken.name.as_str()).collect();
    assert_eq!(names, ["broken", "no table"]);
    assert!(state.broken[0].came.len() < 300 && !state.broken[0].came.contains('\u{1b}'));
    assert!(state.broken[1].came.contains("1146"), "{:?}", state.broken[1]);
}
