//! Rights that no statement on a table tells of.

use super::{WRITES, refused, said, study, url_of, warned};
use crate::support::{MYSQL, Server, Workplace, fetched};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};

fn own(server: &Server, sql: &str) -> String {
    let app = url_of(server, "app");
    study(&[("one", &app)], &format!("task = \"statement\"\nname = \"s\"\nsql = \"{sql}\""))
}

fn app_of(server: &Server) {
    server.execute("CREATE USER app@'127.0.0.1'");
    server.execute("GRANT ALL ON sbtest.* TO app@'127.0.0.1'");
}

#[test]
fn rights_on_the_whole_server_are_looked_at_where_a_statement_takes_them() {
    let place = Workplace::new();
    let server = Server::start_with(&[("log_bin", "binlog"), ("server_id", "7")]);
    app_of(&server);
    let before = server.query("SHOW MASTER STATUS");
    for (sql, right) in [
        ("FLUSH TABLES", "RELOAD"),
        ("FLUSH LOGS", "RELOAD"),
        ("SHOW ENGINE INNODB STATUS", "PROCESS"),
        ("SELECT COUNT(*) FROM information_schema.innodb_trx", "PROCESS"),
    ] {
        let message =
            format!("the statement sql takes the right {right}, which the account 'app'@");
        let grant = format!("GRANT {right} ON *.* TO 'app'@'127.0.0.1'");
        refused(&place, &own(&server, sql), &[&message, &grant]);
    }
    assert_eq!(server.query("SHOW MASTER STATUS"), before, "a check wrote something");
    server.execute("GRANT RELOAD, PROCESS ON *.* TO app@'127.0.0.1'");
    for sql in ["FLUSH TABLES", "SHOW ENGINE INNODB STATUS"] {
        place.write("asked.toml", own(&server, sql));
        place.weighin(&["check", "asked.toml"]).done();
    }
}

#[test]
fn mysql_shows_replicas_and_flushes_to_accounts_with_a_right_to_that() {
    let place = Workplace::new();
    let server = Server::start_from(fetched(MYSQL));
    app_of(&server);
    refused(&place, &own(&server, "FLUSH LOGS"), &["takes the right RELOAD, which the account"]);
    let check = |unseen: bool| {
        place.write("asked.toml", study(&[("one", &url_of(&server, "app"))], WRITES));
        let checked = place.weighin(&["check", "asked.toml"]).done();
        let words = "may not see whether replicas are connected";
        assert_eq!(checked.contains(words), unseen, "{checked}");
    };
    check(true);
    server.execute("GRANT PROCESS, RELOAD ON *.* TO app@'127.0.0.1'");
    check(false);
    place.write("asked.toml", own(&server, "FLUSH LOGS"));
    place.weighin(&["check", "asked.toml"]).done();
}

/// A proxy before a server that has words of its own for a table that does not exist, and loses
/// connections that send one of these.
fn proxy(server: u16, lost: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || {
                let mut asked = [0; 65_536];
                while let Ok(read @ 1..) = from.read(&mut asked) {
                    let text = String::from_utf8_lossy(&asked[..read]);
                    if (!lost.is_empty() && text.contains(lost))
                        || to.write_all(&asked[..read]).is_err()
                    {
                        break;
                    }
                }
                let _ = to.shutdown(Shutdown::Both);
                from.shutdown(Shutdown::Both)
            });
            std::thread::spawn(move || {
                let (mut server, mut client, mut said) = (server, client, [0; 65_536]);
                while let Ok(read @ 1..) = server.read(&mut said) {
                    let no_table = [1146_u16, 1051].map(u16::to_le_bytes);
                    if read > 7
                        && said[4] == 0xff
                        && no_table.iter().any(|code| said[5..7] == *code)
                    {
                        said[5..7].copy_from_slice(&9001_u16.to_le_bytes());
                    }
                    if client.write_all(&said[..read]).is_err() {
                        break;
                    }
                }
            });
        }
    });
    port
}

#[test]
fn what_a_proxy_leaves_unclear_is_tried_with_a_table_that_is_removed() {
    let place = Workplace::new();
    let server = Server::start();
    for sql in [
        "CREATE USER wild@'127.0.0.1', writer@'127.0.0.1', keeper@'127.0.0.1'",
        "GRANT ALL ON sbtest.* TO wild@'127.0.0.1'",
        "GRANT SELECT, UPDATE, DELETE, CREATE, DROP, ALTER ON sbtest.* TO writer@'127.0.0.1'",
        "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON sbtest.* \
         TO keeper@'127.0.0.1'",
    ] {
        server.execute(sql);
    }
    let of = |user: &str, lost: &'static str| {
        let port = proxy(server.sandbox.port(), lost);
        study(&[("one", &format!("url = \"mysql://{user}@127.0.0.1:{port}/sbtest\""))], WRITES)
    };
    let nothing_left = || {
        let left = server.query("SHOW TABLES");
        assert!(left.is_empty(), "{left:?}");
    };
    place.write("asked.toml", of("wild", ""));
    let checked = place.weighin(&["check", "asked.toml"]).done();
    said(&checked, &["2 tables will be made", "The study can run."]);
    nothing_left();
    refused(&place, &of("writer", ""), &["lacks INSERT, INDEX on the database sbtest"]);
    nothing_left();
    // Who may not remove the table makes none.
    let words = ["whether the account may INSERT could not be found out: ", "look at SHOW GRANTS"];
    warned(&place, &of("keeper", ""), &words);
    nothing_left();
    // The table goes also where the connection is lost over it.
    let words = ["cannot find out what the account may do"];
    refused(&place, &of("wild", "ALTER TABLE weighin_trial_"), &words);
    nothing_left();
}
