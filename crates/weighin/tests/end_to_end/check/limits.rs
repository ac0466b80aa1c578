//! Limits of servers that a study would meet.

use super::instead::Told;
use super::{WRITES, refused, said, study, url_of, warned};
use crate::support::{MYSQL, Server, Workplace, fetched};

const SORT: &str = "task = \"statement\"\nname = \"s\"\nstatements = [\"sort\"]\n\
                    table_size = 100\ntimeout = \"60s\"";

/// What a check says that finds no error.
fn check(place: &Workplace, study: &str) -> String {
    place.write("asked.toml", study);
    place.weighin(&["check", "asked.toml"]).done()
}

#[test]
fn statements_that_an_account_or_a_server_cuts_off_are_told_before_a_run() {
    let place = Workplace::new();
    let mariadb = Server::start();
    mariadb.execute("CREATE USER app@'127.0.0.1' WITH MAX_STATEMENT_TIME 12.5");
    mariadb.execute("GRANT ALL ON sbtest.* TO app@'127.0.0.1'");
    let of_account = study(&[("one", &url_of(&mariadb, "app"))], SORT);
    let words = ["ends statements after 12.5 s (max_statement_time)", "lets them take 60 s"];
    warned(&place, &of_account, &words);
    let shorter = of_account.replace("60s", "12s");
    assert!(!check(&place, &shorter).contains("max_statement_time"));
    // A load has no statement that takes long.
    let load = study(&[("one", &url_of(&mariadb, "app"))], WRITES);
    assert!(!check(&place, &load).contains("max_statement_time"));

    let mysql = Server::start_from(fetched(MYSQL));
    mysql.execute("CREATE USER app@'127.0.0.1' IDENTIFIED WITH mysql_native_password BY ''");
    mysql.execute("GRANT ALL ON sbtest.* TO app@'127.0.0.1'");
    let of_server = study(&[("one", &url_of(&mysql, "app"))], SORT);
    assert!(!check(&place, &of_server).contains("max_execution_time"));
    mysql.execute("SET GLOBAL max_execution_time = 30500");
    let words = ["ends statements after 30.5 s (max_execution_time)", "lets them take 60 s"];
    warned(&place, &of_server, &words);
}

#[test]
fn a_server_that_gives_up_stalled_connections_soon_is_told() {
    let place = Workplace::new();
    let server = Server::start();
    server.execute("CREATE USER app@'127.0.0.1'");
    server.execute("GRANT ALL ON sbtest.* TO app@'127.0.0.1'");
    let one = study(&[("one", &url_of(&server, "app"))], WRITES);
    for name in ["net_read_timeout", "net_write_timeout"] {
        assert!(!check(&place, &one).contains(name));
        server.execute(&format!("SET GLOBAL {name} = 2"));
        let stalls = format!("gives up a connection that stalls for 2 s ({name})");
        let remedy = format!("SET GLOBAL {name} = 30");
        warned(&place, &one, &[&stalls, &remedy]);
        server.execute(&format!("SET GLOBAL {name} = 30"));
    }
}

#[test]
fn files_that_a_server_may_open_have_to_do_for_the_highest_level() {
    let place = Workplace::new();
    let server = Server::start();
    let told = Told::from_server(&server);
    // Clients, control connections, two tables and a hundred other files.
    told.tell("open_files_limit", "160");
    let at = |clients: &str| study(&[("one", &told.keys)], &WRITES.replace("[1, 4]", clients));
    refused(
        &place,
        &at("[1, 60]"),
        &["may open 160 files and sockets (open_files_limit)", "LimitNOFILE", "fewer clients"],
    );
    assert!(!check(&place, &at("[1, 4]")).contains("open_files_limit"));
    // Where it is not known there is nothing to say.
    told.tell("open_files_limit", "0");
    assert!(!check(&place, &at("[1, 60]")).contains("open_files_limit"));
}

#[test]
fn limits_on_temporary_space_are_held_against_what_sorting_takes() {
    let place = Workplace::new();
    let server = Server::start();
    let told = Told::from_server(&server);
    let sort = study(&[("one", &told.keys)], &SORT.replace("= 100\n", "= 1_000_000\n"));
    for name in ["max_tmp_session_space_usage", "max_tmp_total_space_usage"] {
        told.tell(name, "104857600");
        let limit = format!("statements may take 100.0 MiB of temporary space ({name})");
        warned(&place, &sort, &[&limit, "sorting the largest table takes up to 238."]);
        for enough in ["0", "1073741824"] {
            told.tell(name, enough);
            assert!(!check(&place, &sort).contains(name));
        }
    }
}

#[test]
fn temporary_tables_of_mysql_have_limits_of_their_own() {
    let place = Workplace::new();
    let server = Server::start_from(fetched(MYSQL));
    let told = Told::from_server(&server);
    let own = "task = \"statement\"\nname = \"s\"\nsql = \"SELECT 1\"";
    let own = study(&[("one", &told.keys)], own);
    // As this version has it, without memory mapped files.
    let words = "go to disk beyond 1.0 GiB (temptable_max_ram, temptable_max_mmap)";
    assert!(check(&place, &own).contains(words));
    told.tell("temptable_max_mmap", "1073741824");
    let without = check(&place, &own);
    said(&without, &["go to disk beyond 2.0 GiB (temptable_max_ram, temptable_max_mmap)"]);
    assert!(!without.contains("innodb_temp_data_file_path"), "{without}");
    told.tell("innodb_temp_data_file_path", "ibtmp1:12M:autoextend:max:64M");
    let words = ["may take 64M together (innodb_temp_data_file_path)", "without :max:"];
    warned(&place, &own, &words);
}
