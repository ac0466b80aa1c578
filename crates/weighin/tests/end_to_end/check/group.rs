//! Members of a group of MySQL's Group Replication.

use super::instead::asking_instead;
use super::{READS, WRITES, refused, study, url_of, warned};
use crate::support::{MYSQL, Server, Workplace, fetched};

const ASKED: &str = "SELECT * FROM performance_schema.replication_group_members";
const GIVEN: &str = "SELECT * FROM other.replication_group_members             ";

#[test]
fn a_member_of_a_group_is_told_with_what_keeps_it_from_taking_writes() {
    let place = Workplace::new();
    let server = Server::start_from(fetched(MYSQL));
    // One whose password needs no encryption: there is none.
    server.execute("CREATE USER app@'127.0.0.1' IDENTIFIED WITH mysql_native_password BY ''");
    server.execute("GRANT ALL ON *.* TO app@'127.0.0.1'");
    // In no group nothing is said, and the server has such a table.
    assert_eq!(server.query(ASKED), [""; 0]);
    let direct = url_of(&server, "app");
    place.write("asked.toml", study(&[("one", &direct)], WRITES));
    assert!(!place.weighin(&["check", "asked.toml"]).done().contains("group"));

    server.execute("CREATE DATABASE other");
    server.execute(
        "CREATE TABLE other.replication_group_members AS SELECT 'group_replication_applier' CHANNEL_NAME, \
         @@server_uuid MEMBER_ID, 'db1' MEMBER_HOST, 3306 MEMBER_PORT, 'RECOVERING ' MEMBER_STATE, \
         'SECONDARY' MEMBER_ROLE",
    );
    server.execute("UPDATE other.replication_group_members SET MEMBER_STATE = 'RECOVERING'");
    server.execute(
        "INSERT INTO other.replication_group_members VALUES \
         ('group_replication_applier', 'another', 'db2', 3306, 'ONLINE', 'PRIMARY')",
    );
    // The distribution that tests have comes without the plugin.
    let through = asking_instead(&server, &direct, ASKED, GIVEN);
    let asked = |test: &str| study(&[("one", &through)], test);
    refused(&place, &asked(WRITES), &["RECOVERING", "says ONLINE"]);
    server.execute("UPDATE other.replication_group_members SET MEMBER_STATE = 'ONLINE'");
    refused(&place, &asked(WRITES), &["is a secondary of a group", "db2:3306"]);
    server.execute(
        "UPDATE other.replication_group_members SET MEMBER_ROLE = \
         IF(MEMBER_ID = 'another', 'SECONDARY', 'PRIMARY')",
    );
    let said = warned(&place, &asked(WRITES), &["a member of a group of 2"]);
    assert!(!said.contains("3098"), "{said}");
    // Rows that a group can tell apart have a key without NULL.
    let keyless = |columns: &str| {
        server.execute(&format!("CREATE TABLE other_table ({columns})"));
        let said = place.weighin(&["check", "asked.toml"]).out;
        server.execute("DROP TABLE other_table");
        said.contains("error 3098") && said.contains("other_table has none")
    };
    for (columns, expected) in [
        ("a INT", true),
        ("a INT NOT NULL, KEY (a)", true),
        ("a INT, UNIQUE KEY (a)", true),
        ("a INT NOT NULL, b INT, UNIQUE KEY (a, b)", true),
        ("a CHAR(9) NOT NULL, UNIQUE KEY (a(4))", true),
        ("a INT NOT NULL, b INT NOT NULL, c INT, UNIQUE KEY (c), UNIQUE KEY (a, b)", false),
        ("a INT NOT NULL, UNIQUE KEY (a)", false),
        ("a CHAR(9) PRIMARY KEY", false),
        ("a CHAR(9), PRIMARY KEY (a(4))", false),
    ] {
        assert_eq!(keyless(columns), expected, "{columns}");
    }
    server.execute(
        "UPDATE other.replication_group_members SET MEMBER_STATE = 'UNREACHABLE' WHERE MEMBER_ID = 'another'",
    );
    refused(&place, &asked(WRITES), &["lost its majority", "db2:3306 is"]);
    // Reads alone are served; making the tables for them is not.
    refused(&place, &asked(READS), &["lost its majority"]);
}
