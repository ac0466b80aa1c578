//! No password is ever shown or kept.

use crate::support::{Ran, Server, Workplace, command_lines_with, sandbox_study, server_study};

/// Asserts that no file here holds a text, whatever it is.
fn assert_in_no_file(place: &Workplace, secret: &str) {
    for file in place.files("") {
        if file.is_dir() || file.file_name() == Some("password".as_ref()) {
            continue;
        }
        let content = std::fs::read(&file).unwrap();
        let found = content.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "the password is in {}", file.display());
    }
}

#[test]
fn a_servers_password_is_nowhere_while_and_after_a_study_runs() {
    let secret = "Tr0ub4dor-and-3";
    let place = Workplace::new();
    let server = Server::start();
    server.execute(&format!("CREATE USER bench@'%' IDENTIFIED BY '{secret}'"));
    server.execute("GRANT ALL ON sbtest.* TO bench@'%'");
    let keys = "password_env = \"BENCH_PASSWORD\"";
    let url = server.url_of("bench", "sbtest");
    place.write("lone.toml", server_study(&url, 2, keys).replace("200ms", "2s"));

    let mut command = place.command(&["run", "lone.toml"]);
    command.env("BENCH_PASSWORD", secret);
    let run = crate::support::Started::new(command);
    run.wait_for_load();
    assert!(!command_lines_with("lone.toml").is_empty(), "nobody was looked at");
    assert!(command_lines_with(secret).is_empty(), "{:?}", command_lines_with(secret));
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.out.contains(secret) && !ran.err.contains(secret));

    for format in ["html", "markdown", "json", "csv"] {
        let out = format!("report.{format}");
        place.weighin(&["report", "lone.toml", "--format", format, "--out", &out]).done();
    }
    assert_in_no_file(&place, secret);
}

#[test]
fn a_private_servers_password_is_on_no_command_line_and_in_no_result() {
    let place = Workplace::new();
    place.write("duel.toml", sandbox_study("warmup = \"200ms\"\nduration = \"1s\""));
    let run = place.start(&["run", "duel.toml"]);
    run.wait_for_load();
    let homes = std::fs::read_dir(place.sandboxes()).unwrap().flatten();
    let passwords: Vec<String> =
        homes.map(|home| std::fs::read_to_string(home.path().join("password")).unwrap()).collect();
    assert_eq!(passwords.len(), 2);
    for secret in &passwords {
        assert!(secret.len() >= 16, "a guessable password");
        assert!(command_lines_with(secret).is_empty());
    }
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place.weighin(&["report", "duel.toml", "--format", "json", "--out", "report.json"]).done();
    for secret in &passwords {
        assert!(!ran.out.contains(secret) && !ran.err.contains(secret));
        assert_in_no_file(&place, secret);
    }
}

#[test]
fn a_password_in_a_url_or_study_is_refused_and_not_repeated() {
    let place = Workplace::new();
    let study = server_study("mysql://bench:hunter2@db/sbtest", 1, "");
    place.write("lone.toml", study);
    let refuse = |ran: Ran| {
        ran.refused(2, &["password_env"]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    };
    refuse(place.weighin(&["run", "lone.toml"]));
    refuse(place.weighin(&["prepare", "mysql://bench:hunter2@db/sbtest"]));
}
