//! Passwords from wherever they may come, and encrypted loads.

use crate::support::{Ran, Server, Workplace, certificates, server_study};
use std::process::Command;

/// Of 50 transactions, all of which succeed.
const LOAD: [&str; 9] = [
    "--workload", "oltp_read_write", "--transactions", "50", "--clients", "4", "--on-conflict",
    "retry", "--json",
];

/// A server with tables, and an account `bench` on it.
fn server_with_account(place: &Workplace, settings: &[(&str, &str)], identified: &str) -> Server {
    let server = Server::start_with(settings);
    server.weighin(place, "prepare", &[]).done();
    server.execute(&format!("CREATE USER bench@'%' IDENTIFIED {identified}"));
    server.execute("GRANT ALL ON sbtest.* TO bench@'%'");
    server
}

#[test]
fn a_password_comes_from_the_environment_or_the_users_option_file() {
    let place = Workplace::new();
    let server = server_with_account(&place, &[], "BY 'wörter und \\'zeichen\\''");
    let url = server.url_of("bench", "sbtest");
    let load = |arguments: &[&str]| -> Command {
        place.command(&[&["load", &url], &LOAD[..], arguments].concat())
    };

    let mut with_variable = load(&["--password-env", "BENCH_PASSWORD"]);
    with_variable.env("BENCH_PASSWORD", "wörter und 'zeichen'");
    Ran::of(with_variable).done();

    let unset = Ran::of(load(&["--password-env", "NEVER_SET"]));
    unset.refused(3, &["NEVER_SET", "not set", "export"]);

    place.write(".my.cnf", "[client]\npassword=\"wörter und 'zeichen'\"\n");
    Ran::of(load(&[])).done();
}

#[test]
fn a_url_without_a_user_says_as_whom_weighin_logs_in() {
    let place = Workplace::new();
    let server = server_with_account(&place, &[], "BY 'geheim'");
    let url = server.url_of("bench", "sbtest").replace("bench@", "");
    place.write("password", "geheim\n");
    let study = server_study(&url, 1, "password_file = \"password\"");
    place.write("lone.toml", study);
    let named = url.replace("mysql://", "mysql://USER@");
    let run = |user: &str, arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("USER", user);
        Ran::of(command)
    };
    let words = ["no user is named in the URL, so weighin logs in as 'nobody-here'", &*named];
    let load = [&["load", &url, "--password-file", "password"], &LOAD[..]].concat();
    run("nobody-here", &load).refused(3, &words);
    let checked = run("nobody-here", &["check", "lone.toml"]);
    assert_eq!(checked.code, Some(3), "{checked:?}");
    assert!(words.iter().all(|word| checked.out.contains(word)), "{checked:?}");
    // Whoever is let in is told as well, in a note.
    let checked = run("bench", &["check", "lone.toml"]).done();
    assert!(checked.contains("note "), "{checked}");
    let said = "no user is named in the URL, so weighin logs in as 'bench', who runs weighin";
    assert!(checked.contains(said) && checked.contains(&named), "{checked}");
    run("bench", &load).done();
    // And who is named is not.
    let study = server_study(&server.url_of("bench", "sbtest"), 1, "password_file = \"password\"");
    place.write("lone.toml", study);
    let checked = run("nobody-here", &["check", "lone.toml"]).done();
    assert!(!checked.contains("no user is named"), "{checked}");
}

#[test]
fn ed25519_accounts_log_in_on_every_connection_of_a_load() {
    let place = Workplace::new();
    let plugin = [("plugin_load_add", "auth_ed25519")];
    let server = server_with_account(&place, &plugin, "VIA ed25519 USING PASSWORD('geheim')");
    let file = place.path(place.write("password", "geheim\n"));
    let mut arguments = vec!["load".to_owned(), server.url_of("bench", "sbtest")];
    arguments.extend(["--password-file".to_owned(), file.display().to_string()]);
    arguments.extend(LOAD.map(str::to_owned));
    let json = place.weighin(&arguments).json();
    assert_eq!(json["transactions"], 50);
}

#[test]
fn loads_run_encrypted_and_check_the_certificate_where_asked() {
    let place = Workplace::new();
    let directory = certificates();
    let file = |name: &str| directory.path().join(name).display().to_string();
    let settings = [("ssl_cert", &*file("server.pem")), ("ssl_key", &*file("server.key"))];
    let server = server_with_account(&place, &settings, "BY 'geheim' REQUIRE SSL");

    place.write("password", "geheim\n");
    let url = format!("mysql://bench@localhost:{}/sbtest", server.sandbox.port());
    let load = |tls: &[&str]| {
        let start = ["load", &url, "--password-file", "password"];
        place.weighin(&[&start, &LOAD[..], tls].concat())
    };
    load(&[]).refused(3, &["bench", "TLS"]);
    assert_eq!(load(&["--tls", "unverified"]).json()["transactions"], 50);
    let authority = file("ca.pem");
    let json = load(&["--tls", "verified", "--tls-ca", &authority]).json();
    assert_eq!(json["transactions"], 50);
    load(&["--tls", "verified"]).refused(3, &["certificate"]);
    load(&["--tls-ca", &authority]).refused(2, &["--tls=verified"]);
}
