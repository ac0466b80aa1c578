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

/// With names in backticks.
const BACKTICKS: SqlSyntax = SqlSyntax {
    placeholder: Placeholder::QuestionMark,
    backslash_escapes: true,
    backticks: true,
    dollar_quotes: false,
    hash_comments: true,
    nested_comments: false,
    folds_names: false,
    pipelines: false,
};

fn drafted(text: &str) -> Draft {
    draft(text, &tables(), &BACKTICKS).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> String {
    draft(text, &tables(), &BACKTICKS).unwrap_err()
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
    let unknown = |of: &str| format!("{of}: the value that was asked for is not known");
    assert!(range.guesses.contains(&unknown("LIMIT 10")), "{:?}", range.guesses);
    let page = drafted("SELECT * FROM orders LIMIT ? OFFSET ?");
    assert_eq!(page.guesses, [unknown("LIMIT 10"), unknown("OFFSET 0")]);
    let logged = drafted("SELECT * FROM orders WHERE id > ? LIMIT 400,3");
    assert!(logged.script.ends_with("id > :v1 LIMIT 400,3;\n"), "{}", logged.script);
    assert_eq!(logged.guesses, ["orders.id: 1 to 500, all as likely as any other"]);
    let signed = drafted("SELECT * FROM orders WHERE id = - ? AND customer_id + ? > 0 LIMIT 5");
    assert!(signed.script.ends_with("id = :v1 AND customer_id + 1 > 0 LIMIT 5;\n"), "{signed:?}");
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
fn arrays_become_lists() {
    let standard = |text: &str| draft(text, &tables(), &SqlSyntax::STANDARD);
    for array in ["ANY(?)", "ANY (?::int[])", "ANY(ARRAY[?, ?])", "any(array[?]::public.\"t\"[])"] {
        let one = standard(&format!("SELECT name FROM customer c WHERE c.id = {array} LIMIT ?"));
        let one = one.unwrap_or_else(|error| panic!("{array}: {error}"));
        let list = "WHERE c.id IN (:v1, :v2, :v3) LIMIT 10;\n";
        assert!(one.script.ends_with(list), "{}", one.script);
        assert!(one.marked.ends_with("c.id IN ($1, $2, $3) LIMIT 10"), "{}", one.marked);
        assert!(one.guesses.contains(&"customer.id: an array of 3 values".to_owned()));
    }
    let none = standard("DELETE FROM orders WHERE note <> ALL(?) AND id = ?").unwrap();
    assert!(none.script.ends_with("note NOT IN (:v1, :v2, :v3) AND id = :v4;\n"));
    // An array of the table has no value that could be drawn.
    for other in ["? = ANY(name)", "id = ANY(?, ?)", "id = ANY(string_to_array(?, ?))"] {
        let error = standard(&format!("SELECT id FROM customer WHERE {other}")).unwrap_err();
        assert!(error.contains("no column is seen"), "{other}: {error}");
    }
}

#[test]
fn a_with_is_drafted_as_what_comes_after_it_and_writes_where_any_part_does() {
    let standard = |text: &str| {
        let drafted = draft(text, &tables(), &SqlSyntax::STANDARD);
        drafted.unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let one = standard(
        "WITH recent AS (SELECT * FROM orders o WHERE o.customer_id = ?), \"few\" (a) AS MATERIALIZED \
         (SELECT id FROM recent LIMIT ?) SELECT r.note, c.name FROM recent AS r JOIN customer c ON \
         c.id = r.customer_id, few WHERE r.note = ? AND c.id BETWEEN ? AND ?",
    );
    assert_eq!((one.name.as_str(), one.writes), ("SELECT orders", false));
    assert!(one.script.contains("o.customer_id = :v1), \"few\" (a)"), "{}", one.script);
    assert!(one.script.contains("\\values v2 = SELECT \"note\" FROM \"orders\""), "{}", one.script);
    assert!(one.script.ends_with("r.note = :v2 AND c.id BETWEEN :v3 AND :v3 + 99;\n"));
    // A name of a WITH stands before that of a table.
    let own =
        standard("WITH customer AS (SELECT id FROM orders) SELECT * FROM customer WHERE id = ?");
    assert!(own.guesses[0].starts_with("orders.id"), "{:?}", own.guesses);

    let moved = standard(
        "WITH gone AS (DELETE FROM orders WHERE id = ? RETURNING customer_id) SELECT * FROM gone",
    );
    assert_eq!((moved.name.as_str(), moved.writes), ("SELECT orders", true));
    let added = standard(
        "WITH c AS (SELECT id FROM customer WHERE name = ?) INSERT INTO orders (customer_id, note) \
         VALUES (?, ?) RETURNING id, note",
    );
    assert_eq!((added.name.as_str(), added.writes), ("INSERT customer", true));
    assert!(added.script.ends_with("(:v2, :v3) RETURNING id, note;\n"), "{}", added.script);
    let new = standard(
        "WITH new AS (INSERT INTO orders (customer_id, note) VALUES (?, ?) RETURNING id) \
         UPDATE customer SET name = ? WHERE id IN (SELECT id FROM new)",
    );
    assert_eq!((new.name.as_str(), new.writes), ("UPDATE orders", true));
    assert!(new.script.contains("random(1, 90)") && new.script.contains("(:v1, :v2) RETURNING"));
    let error = |text: &str| draft(text, &tables(), &SqlSyntax::STANDARD).unwrap_err();
    assert!(error("WITH x AS (SELECT 1) TABLE x").contains("comes after its WITH"));
    assert!(error("WITH x AS (SELECT ?) SELECT * FROM x").contains("no table of this database"));
    assert!(
        error("WITH x AS (SELECT id FROM orders) SELECT * INTO y FROM x").contains("elsewhere")
    );
    let nested =
        drafted("SELECT id FROM (SELECT id FROM orders) o JOIN customer USING (id) WHERE name = ?");
    assert!(nested.script.contains("FROM `customer` WHERE `name`"), "{}", nested.script);
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
    assert!(refused("SELECT 1; DROP TABLE customer").contains("several"));
}

#[test]
fn standard_sql_has_numbered_parameters_and_names_in_double_quotes() {
    let standard = |text: &str| draft(text, &tables(), &SqlSyntax::STANDARD);
    let one = standard(
        "SELECT o.id::text FROM \"orders\" o JOIN public.customer c ON c.id = o.customer_id \
         WHERE c.name = ? AND o.id BETWEEN ? AND ? LIMIT ? OFFSET ?",
    )
    .unwrap();
    assert!(
        one.script.contains("\\values v1 = SELECT \"name\" FROM \"customer\""),
        "{}",
        one.script
    );
    assert!(one.script.contains("o.id\\:\\:text FROM"), "{}", one.script);
    assert!(
        one.marked.ends_with("c.name = $1 AND o.id BETWEEN $2 AND $3 + 99 LIMIT 10 OFFSET 0"),
        "{}",
        one.marked
    );
    for several in ["SELECT id FROM orders; DROP TABLE orders", "SELECT \"id;\" FROM orders"] {
        assert!(standard(several).unwrap_err().contains("several statements"));
    }
    let key = by_key(&tables()[1], &SqlSyntax::STANDARD).unwrap();
    assert_eq!(key, "SELECT * FROM \"customer\" WHERE \"id\" = ?");
    assert_eq!(by_key(&OutlineTable::default(), &BACKTICKS), None);
}
