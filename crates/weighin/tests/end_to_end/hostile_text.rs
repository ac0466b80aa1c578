//! Whatever names, messages, versions and files hold: nothing that steers a terminal, hides text or
//! turns it around leaves any command, and no text becomes markup or a formula.

use crate::support::{
    Ran, Workplace, fake_server, handshake, mysql_error, not_tested, packet, sandbox_study,
};
use model::text::deceives;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

/// Escape sequences that clear the screen, set its title and colour; C1 controls; what changes the
/// direction of text or is invisible; separators of lines; markup of all formats; and a line that
/// looks like weighin's own. Without NUL, which no argument can hold, and without newlines.
fn hostile() -> String {
    let all: String = (1..=0x10_ffff_u32)
        .filter_map(char::from_u32)
        .filter(|c| deceives(*c) && *c != '\n' && *c != '\t')
        // Of long ranges the ends will do.
        .filter(|c| (*c as u32) < 0xe000 || [0xe0001, 0xe0041, 0xfeff].contains(&(*c as u32)))
        .collect();
    format!("x\x1b[2J\x1b]0;t\x07\x1b[31m|`#[a](b)<script>alert(1)</script>\"'&{all}y")
}

/// The same in three lines, the last of which pretends to be weighin's.
fn hostile_lines() -> String {
    format!("{}\r\n\0\nweighin: all is well", hostile())
}

/// Asserts that a text is what it looks like.
#[track_caller]
fn assert_clean(what: &str, text: &str) {
    if let Some(c) = text.chars().find(|c| deceives(*c) && *c != '\n' && *c != '\t') {
        panic!("{c:?} in {what}: {text:?}");
    }
    assert!(!text.contains('\u{fffd}'), "{what} is not UTF-8, or was made so: {text:?}");
    // In HTML a line break is a space.
    let forged = text.lines().any(|line| line.starts_with("weighin: all is well"));
    assert!(!forged || text.starts_with("<!DOCTYPE"), "a line of {what} is not weighin's: {text}");
}

#[track_caller]
fn run(place: &Workplace, arguments: &[OsString]) -> Ran {
    let ran = place.weighin(arguments);
    assert_clean(&format!("standard output of {arguments:?}"), &ran.out);
    assert_clean(&format!("standard error of {arguments:?}"), &ran.err);
    ran
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(Into::into).collect()
}

#[test]
fn arguments_and_file_names() {
    let place = Workplace::new();
    let bad = hostile().replace('/', "");
    // A name of a file has at most 255 bytes.
    let name: String = bad.chars().filter(|c| c.len_utf8() < 3).take(120).collect();
    place.write("study.toml", sandbox_study(""));
    for arguments in [
        vec![&*bad],
        vec![&bad, &bad],
        vec!["plan", &bad],
        vec!["plan", "study.toml", &bad],
        vec!["check", &bad],
        vec!["run", &bad],
        vec!["run", "study.toml", "--resume", "--store", &name],
        vec!["report", &bad],
        vec!["report", &bad, "--format", &bad],
        vec!["advise", &bad, "--test", &bad, "--budget", &bad],
        vec!["init", &name],
        vec!["init", &name],
        vec!["init", "--template", &bad],
        vec!["import", &bad, "study.toml"],
        vec!["import", "auto", &bad],
        vec!["import", "csv", &name, "--out", "named.weighin"],
        vec!["load", &bad],
        vec!["load", &format!("mysql://me@{bad}/db"), "--workload=oltp_read_write"],
        vec!["load", "mysql://me@127.0.0.1:1/db", &format!("--rate={bad}")],
        vec!["load", &format!("/{name}"), &format!("--pattern={bad}")],
        vec!["prepare", &format!("/nowhere/{name}")],
        vec!["cleanup", &format!("/nowhere/{name}")],
        vec!["cleanup", "mysql://me@127.0.0.1:1/db", "--also", &bad],
        vec!["sysbench", &bad, "run"],
        vec!["sysbench", "oltp_read_write", &bad],
        vec!["sysbench", "oltp_read_write", &format!("--{bad}"), "run"],
        vec!["sysbench", "oltp_read_write", &format!("--tables={bad}"), "run"],
        vec!["sysbench", &format!("--mysql-host={bad}"), "--mysql-db=d", "oltp_insert", "run"],
        vec!["sysbench", &bad, "help"],
    ] {
        run(&place, &words(&arguments));
    }
    // Nor do bytes that are no text.
    let bytes = OsString::from_vec(b"a\xff\x9b\x1b[1m".to_vec());
    for command in ["plan", "report", "init", "load", "sysbench"] {
        let ran = place.weighin(&[OsString::from(command), bytes.clone()]);
        assert!(!ran.err.contains('\x1b') && !ran.out.contains('\x1b'), "{ran:?}");
    }
    for variable in ["WEIGHIN_SANDBOX_DIR", "XDG_CACHE_HOME", "HOME", "TMPDIR", "NO_COLOR", "TERM"]
    {
        let mut command = place.command(&["check", "study.toml"]);
        command.env(variable, format!("/nowhere/{bad}"));
        let ran = Ran::of(command);
        assert_clean(variable, &(ran.out + &ran.err));
    }
}

#[test]
fn study_files() {
    let place = Workplace::new();
    // TOML allows every character as an escape.
    let toml = |text: &str| -> String {
        text.chars().map(|c| format!("\\U{:08X}", u32::from(c))).collect()
    };
    let (raw, written) = (hostile().replace('"', ""), toml(&hostile_lines()));
    let study = sandbox_study("");
    for study in [
        study.replace("duel", &written),
        study.replace("name = \"one\"", &format!("name = \"{written}\"")),
        study.replace("Which is faster?", &written),
        study.replace("sort_buffer_size = \"1M\"", &format!("\"{written}\" = \"{written}\"")),
        study.replace("oltp_read_write", &written),
        study.replace("workload", &format!("\"{written}\" = 1\nworkload")),
        study.replace("[study]", &format!("[study]\n# {raw}\n{raw} = {raw}")),
        study.replace("sandbox =", &format!("url = \"mysql://{written}\"\nsandbox =")),
        study.replace("[study]", &format!("\"{}\" = 1\n[study]", "k".repeat(100_000))),
    ] {
        place.write("study.toml", &study);
        for command in ["plan", "run"].iter().take(1 + usize::from(!study.contains("question"))) {
            let ran = run(&place, &words(&[command, "study.toml"]));
            assert!(ran.err.len() < 8_000, "{} bytes of errors", ran.err.len());
        }
    }
}

/// A results file of imported figures whose every name is hostile.
fn imported(place: &Workplace) -> String {
    let bad = hostile_lines().replace('\0', "");
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut csv = "target,test,concurrency,metric,value,unit,note\n".to_owned();
    for formula in ["=1+1", "+1", "-1", "@SUM(A1)"] {
        let (target, test) = (quoted(&format!("{formula}{bad}")), quoted(&format!("# {bad}")));
        for level in [1, 2] {
            csv += &format!("{target},{test},{level},latency_p95,2{level},ms,\n");
        }
        let long = quoted(&bad.repeat(400));
        csv += &format!("{target},{test},3,failure,,,{long}\n");
        csv += &format!("{target},label,,{},{},,\n", quoted(&bad), quoted(&bad));
        csv += &format!("{target},price,,{},1,{},\n", quoted(&bad), quoted(&bad));
        csv += &format!("{target},{test},1,{},{},{},\n", quoted(&bad), quoted(&bad), quoted(&bad));
    }
    place.write("bad.csv", csv);
    let ran = run(place, &words(&["import", "csv", "bad.csv", "--out", "bad.weighin"]));
    assert!(ran.code == Some(0) || ran.code == Some(1), "{ran:?}");
    bad
}

#[test]
fn imported_names_in_every_format() {
    let place = Workplace::new();
    let bad = imported(&place);
    for format in ["html", "markdown", "json", "csv"] {
        let file = format!("report.{format}");
        run(&place, &words(&["report", "bad.weighin", "--format", format, "--out", &file]));
        let text = fs::read_to_string(place.path(&file)).unwrap();
        assert_clean(format, &text);
        let out = run(&place, &words(&["report", "bad.weighin", "--format", format, "--out", "-"]));
        assert_eq!(out.out, text, "{format} is the same wherever it goes");
        match format {
            "html" => assert!(!text.contains("<script>alert") && text.contains("alert(1)")),
            "markdown" => {
                assert!(!text.contains("<script>") && !text.contains("[a](b)"), "{text}");
                assert!(text.len() < 2_000_000, "{} bytes", text.len());
            }
            "csv" => {
                let formula = |cell: &str| cell.starts_with(['=', '+', '-', '@']);
                let cells = text.lines().flat_map(|line| line.split(','));
                let formulas: Vec<&str> = cells.filter(|c| formula(c.trim_matches('"'))).collect();
                assert!(formulas.is_empty(), "{formulas:?}");
                assert!(text.contains("\"'=1+1x\\x1b[2J"), "{text}");
            }
            _ => {
                let json: serde_json::Value = serde_json::from_str(&text).unwrap();
                let name = json["targets"][0]["name"].as_str().unwrap();
                assert!(name.ends_with(bad.trim()), "names are exact in JSON: {name:?}");
            }
        }
    }
    for more in [&[][..], &["--json"], &["--clients=1", "--p95=20ms"], &["--clients=1", "--json"]] {
        let ran = run(&place, &words(&[&["advise", "bad.weighin"], more].concat()));
        if more.contains(&"--json") {
            serde_json::from_str::<serde_json::Value>(&ran.done()).unwrap();
        }
    }
}

/// On a terminal the only escape sequences are the styles of the report, and a carriage return is
/// that of the terminal's own line breaks.
#[test]
fn terminals_get_the_reports_styles_and_no_others() {
    let place = Workplace::new();
    imported(&place);
    let weighin = env!("CARGO_BIN_EXE_weighin");
    for arguments in
        ["advise bad.weighin", "advise bad.weighin --test x", "report bad.weighin --out -"]
    {
        let mut command = place.surround(Command::new("script"));
        let line = format!("TERM=xterm '{weighin}' {arguments}");
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        let Ok(output) = command.output() else { return not_tested("there is no `script` here") };
        let mut shown = String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n");
        assert!(!shown.is_empty());
        for style in report::STYLES {
            shown = shown.replace(&format!("\x1b[{style}m"), "");
        }
        assert_clean(arguments, &shown);
    }
}

#[test]
fn files_of_other_tools_and_their_names() {
    let place = Workplace::new();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/fixtures");
    let name: String =
        hostile().chars().filter(|c| *c != '/' && c.len_utf8() < 3).take(100).collect();
    let (mut number, bad) = (0, hostile_lines());
    for kind in fs::read_dir(fixtures).unwrap().flatten() {
        for file in fs::read_dir(kind.path()).unwrap().flatten() {
            let Ok(text) = fs::read_to_string(file.path()) else { continue };
            // Words become hostile, one kind of place after another.
            let json = serde_json::to_string(&bad).unwrap();
            for changed in [
                text.replace(": \"", &format!(": \"{}", &json[1..json.len() - 1])),
                text.replace(": ", &format!(": {bad}")),
                text.replace('\t', &format!("\t{}", hostile())),
                format!("{bad}\n{text}\n{bad}"),
                text.replace("FATAL", &format!("FATAL {bad}")),
            ] {
                number += 1;
                let file = format!("{number}-{name}");
                if fs::write(place.path(&file), &changed).is_err() {
                    return not_tested("this file system takes no such names");
                }
                let results = format!("{number}.weighin");
                let kind = kind.file_name().into_string().unwrap();
                let ran = run(&place, &words(&["import", &kind, &file, "--out", &results]));
                if place.path(&results).exists() && number % 5 == 0 {
                    let arguments = ["report", &results, "--format", "markdown"];
                    run(&place, &words(&arguments)).done();
                }
                assert!(ran.err.len() < 1_000_000, "{} bytes of errors", ran.err.len());
            }
        }
    }
    assert!(number > 100, "only {number} files");
}

/// Every command that connects, at a server at that URL.
#[track_caller]
fn connect(place: &Workplace, url: &str, sysbench: bool) {
    let workload = if sysbench { "--workload=oltp_point_select" } else { "--workload=key_value" };
    let kind = if sysbench { "" } else { "kind = \"redis\"\n" };
    let study = crate::support::server_study(url, 1, kind);
    let study = match sysbench {
        true => study,
        false => study.replace("\"oltp_point_select\"\ntable_size", "\"key_value\"\nkeys"),
    };
    place.write("lone.toml", study);
    let mut all = vec![
        words(&["load", url, workload]),
        words(&["load", url, workload, "--json"]),
        words(&["prepare", url]),
        words(&["cleanup", url]),
        words(&["check", "lone.toml"]),
        words(&["run", "lone.toml"]),
    ];
    if sysbench {
        let port = url.rsplit_once(':').unwrap().1.split('/').next().unwrap();
        let at = ["--mysql-host=127.0.0.1", &format!("--mysql-port={port}")].map(OsString::from);
        for command in ["prepare", "run", "cleanup", "prewarm"] {
            let mut line = words(&["sysbench", "oltp_read_write"]);
            line.extend(at.clone());
            line.push(command.into());
            all.push(line);
        }
    }
    for arguments in all {
        let ran = run(place, &arguments);
        assert_ne!(ran.code, Some(0), "{ran:?}");
        let said = ran.out.len() + ran.err.len();
        assert!(said > 0 && said < 20_000, "{arguments:?} printed {said} bytes");
    }
}

#[test]
fn what_servers_of_sql_say() {
    let place = Workplace::new();
    let bad = hostile_lines();
    let long = format!("{bad}{}", "z".repeat(64 * 1024));
    let login = [handshake(&bad.replace('\0', "")), handshake("8.0.36")];
    let silent = |_: &[u8]| Vec::new();
    let url = |port| format!("mysql://me@127.0.0.1:{port}/db");
    // Refused at once, at login, and when asked for anything.
    connect(&place, &url(fake_server(mysql_error(0, &long), silent)), true);
    for greeting in login {
        let said = long.clone();
        let refuses = move |_: &[u8]| mysql_error(2, &said);
        connect(&place, &url(fake_server(greeting.clone(), refuses)), true);
        let said = long.clone();
        let lets_in = move |asked: &[u8]| match asked.get(3) {
            Some(1) => packet(2, &[0, 0, 0, 2, 0, 0, 0]),
            _ => mysql_error(1, &said),
        };
        connect(&place, &url(fake_server(greeting, lets_in)), true);
    }
    // No MySQL at all.
    connect(&place, &url(fake_server(bad.into_bytes(), silent)), true);
}

#[test]
fn what_servers_of_keys_say() {
    let place = Workplace::new();
    let bad = hostile_lines().replace(['\r', '\n'], " ");
    let error = format!("-ERR {bad}{}\r\n", "z".repeat(64 * 1024));
    let url = |port| format!("redis://127.0.0.1:{port}");
    let all = error.clone();
    connect(&place, &url(fake_server(Vec::new(), move |_| all.clone().into_bytes())), false);
    // Its version is hostile, and everything but the login is refused.
    let info = format!("# Server\r\nredis_version:{bad}\r\nredis_mode:{bad}\r\nrole:{bad}\r\n");
    let answers = move |asked: &[u8]| {
        let asked = String::from_utf8_lossy(asked).to_lowercase();
        let one = |command: &str| match command {
            "info" => format!("${}\r\n{info}\r\n", info.len()),
            "hello" | "auth" | "select" | "client" | "ping" => "+OK\r\n".to_owned(),
            _ => error.clone(),
        };
        // One answer for each array of words.
        let commands = asked.split('*').skip(1).filter_map(|words| words.lines().nth(2).map(one));
        commands.collect::<String>().into_bytes()
    };
    connect(&place, &url(fake_server(Vec::new(), answers)), false);
}
