use super::slow_log::without_values;
use super::*;

fn tables() -> Vec<OutlineTable> {
    let column = |name: &str, range: Option<(i64, i64)>| OutlineColumn {
        name: name.into(),
        is_integer: range.is_some(),
        is_unique: name == "id",
        range,
    };
    vec![
        OutlineTable {
            name: "orders".into(),
            rows: 500,
            columns: vec![
                column("id", Some((1, 500))),
                column("customer_id", Some((1, 90))),
                column("note", None),
            ],
        },
        OutlineTable {
            name: "customer".into(),
            rows: 90,
            columns: vec![column("id", Some((1, 90))), column("name", None)],
        },
    ]
}

fn drafted(text: &str) -> Draft {
    draft(text, &tables()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> String {
    draft(text, &tables()).unwrap_err()
}

#[test]
fn values_are_drawn_from_the_columns_that_they_are_compared_with() {
    let one = drafted("SELECT `name` FROM `customer` WHERE `id` = ?");
    assert_eq!(
        one.script,
        "\\set v1 random(1, 90)\nSELECT `name` FROM `customer` WHERE `id` = :v1;\n"
    );
    assert_eq!((one.name.as_str(), one.writes), ("SELECT customer", false));
    assert_eq!(one.guesses, ["customer.id: 1 to 90, all as likely as any other"]);
    let joined = drafted(
        "SELECT `o` . `id` FROM `orders` AS `o` JOIN `customer` `c` ON `c` . `id` = `o` . `customer_id` \
         WHERE `c` . `name` LIKE ? AND `o` . `id` BETWEEN ? AND ? ORDER BY `o` . `id` LIMIT ?, ...",
    );
    assert!(joined.script.contains("`name` LIKE :v1 AND `o` . `id` BETWEEN :v2 AND :v2 + 99"));
    assert!(joined.script.ends_with("LIMIT 0, 10;\n"), "{}", joined.script);
}

#[test]
fn ranges_lists_and_limits_are_filled() {
    let range = drafted("SELECT * FROM orders WHERE id BETWEEN ? AND ? LIMIT ?");
    assert!(range.script.ends_with("BETWEEN :v1 AND :v1 + 99 LIMIT 10;\n"), "{}", range.script);
    assert_eq!(range.marked, "SELECT * FROM orders WHERE id BETWEEN ? AND ? + 99 LIMIT 10");
    let list = drafted("SELECT * FROM orders WHERE customer_id IN (...) AND note = ?");
    assert!(list.script.contains("IN (:v1, :v2, :v3) AND note = :v4"), "{}", list.script);
    assert!(list.script.contains("\\values v4 = SELECT `note` FROM `orders`"), "{}", list.script);
    let insert = drafted("INSERT INTO `orders` ( `customer_id` , `note` ) VALUES (...)");
    assert!(insert.writes && insert.script.contains("VALUES (:v1, :v2);"), "{}", insert.script);
    let update = drafted("UPDATE orders SET note = ?, customer_id = customer_id + ? WHERE id = ?");
    assert!(update.script.contains("note = :v1, customer_id = customer_id + 1 WHERE id = :v2"));
    assert_eq!(update.name, "UPDATE orders");
    let sum = drafted("SELECT SUM ( `id` ) FROM `orders` WHERE ID = ?");
    assert_eq!(sum.marked, "SELECT SUM( `id` ) FROM `orders` WHERE ID = ?");
}

#[test]
fn what_cannot_be_drafted_says_why() {
    assert!(refused("SET NAMES utf8").contains("neither a query"));
    assert!(refused("SELECT * FROM elsewhere WHERE id = ?").contains("no table of this database"));
    assert!(refused("SELECT LEFT(name, ?) FROM customer").contains("no column is seen"));
    assert!(refused("SELECT a, b FROM customer WHERE ...").contains("only its beginning"));
    assert!(refused("SELECT * FROM customer INTO OUTFILE ?").contains("elsewhere"));
    assert!(refused("SELECT '\u{1b}[31m' FROM customer").contains("characters"));
    assert!(refused("SELECT `a FROM customer").contains("quote"));
}

#[test]
fn a_slow_log_is_summed_up_without_values() {
    assert_eq!(
        without_values(
            "SELECT a1, `b2`  FROM t WHERE x = 'it''s; 5' AND y IN (1, 2.5,3) AND z=-7;"
        ),
        "SELECT a1, `b2` FROM t WHERE x = ? AND y IN (...) AND z=-?"
    );
    let mut log = SlowLog::default();
    let text = "/usr/sbin/mariadbd, Version: 10.11. started with:\n# Time: 1\n# User@Host: a[a] @ [::1]\n\
         # Query_time: 0.5  Lock_time: 0\nuse shop;\nSET timestamp=17;\nSELECT *\nFROM t WHERE id = 5;\n\
         # Query_time: 0.25  Lock_time: 0\nSET timestamp=17;\nSELECT * FROM t WHERE id = 6;\n\
         # Query_time: 2  Lock_time: 0\nUPDATE t SET a = 'x' WHERE id = 7;\n";
    text.lines().for_each(|line| log.line(line));
    let found: Vec<(String, u64)> =
        log.finish().into_iter().map(|one| (one.text, one.count)).collect();
    assert!(found.contains(&("SELECT * FROM t WHERE id = ?".to_owned(), 2)), "{found:?}");
    assert_eq!(found[0], ("UPDATE t SET a = ? WHERE id = ?".to_owned(), 1));
}
