//! No password is ever shown or kept.

use crate::support::{
    Frozen, Ran, Server, Workplace, command_lines_with, light_study, sandbox_study, server_study,
};
use std::net::TcpListener;

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
    let frozen = Frozen::under_load(&run);
    assert!(!command_lines_with("lone.toml").is_empty(), "nobody was looked at");
    assert!(command_lines_with(secret).is_empty(), "{:?}", command_lines_with(secret));
    drop(frozen);
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.out.contains(secret) && !ran.err.contains(secret));

    for format in ["html", "markdown", "json", "csv"] {
        let out = format!("report.{format}");
        place.weighin(&["report", "lone.toml", "--format", format, "--out", &out]).done();
    }
    assert_in_no_file(&place, secret);
}

/// Processes whose environment holds a text. Children of `starter` that have not begun their own program
/// don't count: they still have its command line and its environment.
fn environments_with(text: &str, starter: u32) -> Vec<u32> {
    let command_line = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let own = command_line(starter);
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let holds = |&pid: &u32| {
        // Read before the environment, which is its own once the command line is.
        let begun = pid == starter || command_line(pid) != own;
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        begun && environment.windows(text.len()).any(|window| window == text.as_bytes())
    };
    pids.filter(holds).collect()
}

#[test]
fn no_program_that_weighin_starts_gets_the_users_secrets() {
    let secret = "Tr0ub4dor-and-4";
    let place = Workplace::new();
    // Long enough for whoever looks at all processes meanwhile, and a load that takes next to nothing.
    let keys = "rate = 50\nwarmup = \"200ms\"\nduration = \"5s\"\nload_generators = 2";
    place.write("duel.toml", sandbox_study(keys).replace("[1, 2]", "2"));
    let mut command = place.command(&["run", "duel.toml"]);
    for name in ["BENCH_PASSWORD", "REDISCLI_AUTH", "MYSQL_PWD", "AWS_SECRET_ACCESS_KEY"] {
        command.env(name, secret);
    }
    let run = crate::support::Started::new(command);
    // Two generators, the server, and the guardians of two sandboxes at the least.
    crate::support::wait_for("a load", || descendants(run.pid()).len() >= 5);
    let with = environments_with(secret, run.pid());
    assert_eq!(with, [run.pid()], "of {:?}", descendants(run.pid()));
    assert_eq!(run.end().code, Some(0));
}

/// The processes that a process has started, and those that these have.
fn descendants(pid: u32) -> Vec<u32> {
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let children = pids.filter(|child| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        // The name before it may hold anything.
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name.split_whitespace().nth(1) == Some(&pid.to_string())
    });
    let children: Vec<u32> = children.collect();
    let further = children.iter().flat_map(|&child| descendants(child)).collect::<Vec<_>>();
    [children, further].concat()
}

#[test]
fn a_password_file_that_others_may_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Workplace::new();
    place.write("password", "hunter2");
    let readable = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(place.path("password"), readable).unwrap();
    let url = "mysql://bench@127.0.0.1:1/sbtest";
    let ran = place.weighin(&["prepare", url, "--password-file", "password"]);
    ran.refused(3, &["password", "mode 0644", "chmod 600"]);
    assert!(!ran.err.contains("hunter2"), "{}", ran.err);
}

#[test]
fn a_study_cannot_open_a_sandbox_or_write_outside_it_however_it_spells_the_setting() {
    let place = Workplace::new();
    let outside = place.path("outside");
    for setting in [
        "skip_grant_table = true",
        "loose-skip-g = true",
        "plugin_loa = \"ha_evil\"",
        &format!("log_bi = {:?}", outside.display().to_string()),
    ] {
        place.write("one.toml", sandbox_study("").replace("sort_buffer_size = \"1M\"", setting));
        let ran = place.weighin(&["check", "one.toml"]);
        assert!(ran.code == Some(2) || ran.code == Some(3), "{setting}: {}{}", ran.out, ran.err);
        let said = format!("{}{}", ran.out, ran.err);
        let refused = said.contains("cannot be set") || said.contains("needs trust");
        // Of `log_bi` the server has several.
        assert!(refused || said.contains("ambiguous"), "{setting}: {said}");
    }
    assert!(!outside.exists());
    place.assert_no_server_left();
}

#[test]
fn a_private_servers_password_is_on_no_command_line_and_in_no_result() {
    let place = Workplace::new();
    place.write("duel.toml", light_study("warmup = \"200ms\"\nduration = \"1s\""));
    let run = place.start(&["run", "duel.toml"]);
    let frozen = Frozen::under_load(&run);
    let homes = std::fs::read_dir(place.sandboxes()).unwrap().flatten();
    let passwords: Vec<String> =
        homes.map(|home| std::fs::read_to_string(home.path().join("password")).unwrap()).collect();
    assert_eq!(passwords.len(), 2);
    for secret in &passwords {
        assert!(secret.len() >= 16, "a guessable password");
        assert!(command_lines_with(secret).is_empty());
    }
    drop(frozen);
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
    let refuse = |ran: Ran, remedy: &str| {
        ran.refused(2, &[remedy]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    };
    refuse(place.weighin(&["run", "lone.toml"]), "password_env");
    let by_hand = place.weighin(&["prepare", "mysql://bench:hunter2@db/sbtest"]);
    refuse(by_hand, "--password-env");
}

/// A port of loopback at which nobody may connect.
struct Forbidden(TcpListener);

impl Forbidden {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    fn assert_untouched(&self) {
        assert!(self.0.accept().is_err(), "somebody has connected");
    }
}

#[test]
fn a_study_gets_no_secret_of_this_machine_unless_the_command_line_says_so() {
    let place = Workplace::new();
    let server = Forbidden::new();
    place.write(".my.cnf", "[client]\npassword=hunter2\n");
    place.write("elsewhere.txt", "hunter2\n");
    std::os::unix::fs::symlink(place.path("elsewhere.txt"), place.path("link")).unwrap();
    let mysql = format!("mysql://root@127.0.0.1:{}/d", server.port());
    let redis = format!("redis://127.0.0.1:{}", server.port());
    let oltp = "workload = \"oltp_point_select\"\ntable_size = 10";
    let keys = "workload = \"key_value\"\nkeys = 10";
    let option_file = place.path(".my.cnf").display().to_string();
    for (url, login, test, source) in [
        (&mysql, "password_env = \"AWS_SECRET_ACCESS_KEY\"", oltp, "AWS_SECRET_ACCESS_KEY"),
        (&mysql, "tls = \"unverified\"", oltp, option_file.as_str()),
        (&mysql, "get_server_public_key = true", oltp, &option_file),
        (&mysql, "password_file = \"link\"", oltp, "link"),
        (&redis, "password_file = \"/proc/self/environ\"", keys, "/proc/self/environ"),
        (&redis, "tls = \"unverified\"", keys, "REDISCLI_AUTH"),
    ] {
        place.write(
            "wants.toml",
            format!(
                "[study]\nname = \"wants\"\n[[target]]\nname = \"a\"\nurl = \"{url}\"\n{login}\n\
                 [[test]]\n{test}\nclients = [1]\nwarmup = \"0s\"\nduration = \"1s\"\n"
            ),
        );
        let ran = |arguments: &[&str]| {
            let mut command = place.bare_command(arguments);
            command.env("AWS_SECRET_ACCESS_KEY", "hunter2").env("REDISCLI_AUTH", "hunter2");
            let ran = Ran::of(command);
            assert!(!format!("{}{}", ran.out, ran.err).contains("hunter2"), "{ran:?}");
            ran
        };
        let option = format!("--allow-secret {source}");
        let to = format!("a at 127.0.0.1:{}", server.port());
        for command in ["run", "check", "cleanup"] {
            ran(&[command, "wants.toml"]).refused(2, &[&to, source, &option]);
            ran(&[command, "wants.toml", "--allow-secret", "OTHER"]).refused(2, &[&option]);
        }
        let plan = ran(&["plan", "wants.toml"]).done();
        assert!(plan.contains(&to) && plan.contains(&format!("takes {option}")), "{plan}");
        let plan = ran(&["plan", "wants.toml", "--allow-secret", source]).done();
        assert!(plan.contains("; allowed"), "{plan}");
        server.assert_untouched();
    }
    // What the kernel makes up is no secret to send, whatever is allowed.
    place
        .weighin(&["prepare", &redis, "--password-file", "/proc/self/environ"])
        .refused(3, &["/proc/self/environ", "the kernel makes it up"]);
    server.assert_untouched();
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn a_study_with_its_password_beside_it_needs_no_word() {
    let place = Workplace::new();
    let server = Server::start();
    place.write("pw", server.password());
    place.write("lone.toml", server_study(&server.url(), 1, "password_file = \"pw\""));
    Ran::of(place.bare_command(&["check", "lone.toml"])).done();
    let plan = Ran::of(place.bare_command(&["plan", "lone.toml"])).done();
    assert!(plan.contains("the password in the file pw") && plan.contains("belongs to the study"));
}

#[test]
fn redis_gets_a_password_over_a_network_only_when_the_command_line_says_so() {
    let place = Workplace::new();
    place.write("pw", "hunter2");
    // TEST-NET-1 of RFC 5737: nobody is there.
    let url = "redis://192.0.2.1:6379";
    let login = ["prepare", url, "--password-file", "pw"];
    place.weighin(&login).refused(3, &["192.0.2.1", "not verified", "--allow-cleartext"]);
}

/// Whatever a study names is read as its user, and goes to servers that it names too.
#[test]
fn files_that_are_not_the_studys_own_take_a_word() {
    let place = Workplace::new();
    let study = Workplace::new();
    place.write("cred.csv", "key\nSECRETKEY\n");
    study.write("own.csv", "key\nplain\n");
    std::os::unix::fs::symlink(place.path("cred.csv"), study.path("link.csv")).unwrap();
    study.write("read.sql", "\\values key link.csv key\nSELECT ':key';\n");
    let elsewhere = place.path("cred.csv").display().to_string();
    let text = |file: &str| {
        format!(
            "[study]\nname = \"own\"\n[[target]]\nname = \"it\"\nsandbox = {{ trusted = true }}\n[[test]]\n\
             workload = \"transactions\"\nclients = 1\nwarmup = \"200ms\"\nduration = \"1s\"\n\
             setup = \"loot.sql\"\nload = [{{ table = \"loot\", file = \"{file}\" }}]\n\
             transaction = [{{ script = \"read.sql\" }}]\n"
        )
    };
    study.write("loot.sql", "CREATE TABLE loot (key_ VARCHAR(99) PRIMARY KEY);\n");
    study.write("s.toml", text(&elsewhere));
    let refused = study.weighin(&["run", "s.toml"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for part in ["the contents of link.csv", "--allow-secret link.csv", &elsewhere] {
        assert!(refused.err.contains(part), "{part}: {refused:?}");
    }
    assert!(!refused.err.contains("own.csv") && !refused.err.contains("loot.sql"), "{refused:?}");
    let plan = ["plan", "s.toml", "--allow-secret", "link.csv"];
    let planned = study.weighin(&plan).done();
    assert!(
        planned.contains("the contents of link.csv") && planned.contains("allowed"),
        "{planned}"
    );
    assert!(planned.contains(&format!("takes --allow-secret {elsewhere}")), "{planned}");
    // What is the study's own needs none.
    study.write("s.toml", text("own.csv"));
    study.write("read.sql", "\\values key own.csv key\nSELECT ':key';\n");
    let planned = study.weighin(&["plan", "s.toml"]).done();
    assert!(!planned.contains("the contents of"), "{planned}");
}
