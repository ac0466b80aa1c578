//! `weighin serve`: pages of studies, also of one that runs meanwhile, for those who may see them.

use crate::support::{
    Answer, Frozen, Serving, Workplace, certificates, light_study, succeed, wait_for,
};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Pages open at a time.
const READERS: usize = 100;

/// Reads the events of a page until one holds a text; gives how many there were. It is one of those that
/// follow from the first one on.
fn read_until(mut stream: TcpStream, path: &str, text: &str, following: &AtomicUsize) -> usize {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut events = 0;
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        if !line.starts_with("data: ") {
            continue;
        }
        if events == 0 {
            following.fetch_add(1, Ordering::Relaxed);
        }
        events += 1;
        if line.contains(text) {
            return events;
        }
    }
    panic!("the events of {path} ended after {events} without «{text}»");
}

#[test]
fn a_hundred_pages_follow_a_run_that_is_not_disturbed() {
    let place = Workplace::new();
    let keys = "warmup = \"200ms\"\nduration = \"1s\"";
    place.write("duel.toml", light_study(keys).replace("Which is", "Which <i>is</i>"));
    let serving = Serving::start(&place, &["."]);
    assert!(serving.shown("/").contains("no results file"));
    let run = place.start(&["run", "duel.toml", "--plain"]);
    // It goes on when everybody follows it, however long this machine takes for that.
    let frozen = Frozen::under_load(&run);
    let mut runs = Vec::new();
    wait_for("the run on the list", || {
        runs = serving.runs();
        !runs.is_empty()
    });
    let path = &runs[0];
    let page = serving.shown(path);
    assert!(page.contains("Which &lt;i&gt;is&lt;/i&gt; faster?"), "{page}");
    assert!(page.contains("http-equiv=\"refresh\"") && page.contains("● running"), "{page}");
    let following = AtomicUsize::new(0);
    let counts: Vec<usize> = thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|_| {
                let stream = serving.connect();
                let path = format!("{path}/events");
                let following = &following;
                scope.spawn(move || read_until(stream, &path, "✓ finished", following))
            })
            .collect();
        wait_for("all readers", || following.load(Ordering::Relaxed) == READERS);
        drop(frozen);
        // Whoever asks for more meanwhile gets it.
        wait_for("trials in the report", || {
            serving.shown("/");
            serving.get(&format!("{path}/report")).body.contains("id=\"trials\"")
        });
        readers.into_iter().map(|reader| reader.join().unwrap()).collect()
    });
    assert!(counts.iter().all(|&count| count > 1), "{counts:?}");
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.iter().filter(|trial| trial.outcome().is_some()).count(), 8);
    let page = serving.shown(path);
    assert!(page.contains("8 trials") && !page.contains("http-equiv=\"refresh\""), "{page}");
    assert!(page.contains("Latest trials") && page.contains("<table>"), "{page}");
    let results = place.files(".weighin")[0].display().to_string();
    let report = place.weighin(&["report", &results, "--out", "-"]).done();
    // A page that was made just before the end is given again for a while.
    wait_for("the report of all trials", || {
        serving.shown(&format!("{path}/report")).trim_end() == report.trim_end()
    });
    serving.ends();
    place.assert_no_server_left();
}

/// A directory with two runs and all that is none.
fn strange(place: &Workplace) {
    let rows = ["a,t,1,1", "a,t,1,2", "b,t,1,1", "b,t,1,2"];
    let rows = rows.map(|row| format!("{row},transactions_per_s,90,1/s\n")).concat();
    place.write("r.csv", format!("target,test,clients,repeat,metric,value,unit\n{rows}"));
    for (out, name) in [("one.weighin", "one"), ("two.weighin", "<script>alert(1)</script>")] {
        place.weighin(&["import", "csv", "r.csv", "--out", out, "--name", name]).done();
    }
    let whole = fs::read(place.path("one.weighin")).unwrap();
    place.write("half.weighin", &whole[..whole.len() / 2]);
    place.write("empty.weighin", "");
    place.write("<b>&\"'.weighin", "no database");
    place.write("\u{1b}[2J\u{202e}.weighin", "no database");
    fs::create_dir(place.path("directory.weighin")).unwrap();
    symlink("one.weighin", place.path("link.weighin")).unwrap();
    symlink("/etc/passwd", place.path("passwd.weighin")).unwrap();
    succeed("mkfifo", &place.path("."), &["fifo.weighin"]);
    // In the middle of the file, where a page of SQLite's is.
    let mut damaged = whole.clone();
    let end = damaged.len().min(60_000);
    damaged[8_192..end].fill(0xa5);
    place.write("damaged.weighin", damaged);
}

#[test]
fn what_is_no_run_is_named_and_nothing_else_of_the_machine_is_shown() {
    let place = Workplace::new();
    strange(&place);
    let serving = Serving::start(&place, &[]);
    wait_for("all files", || !serving.shown("/").contains("is being read"));
    let list = serving.shown("/");
    assert!(!list.contains("<script>alert") && !list.contains("<b>&"), "{list}");
    assert!(!list.chars().any(|c| model::text::deceives(c) && c != '\n'), "{list:?}");
    for unreadable in ["half.weighin", "empty.weighin", "damaged.weighin"] {
        assert!(list.contains(unreadable), "{unreadable}: {list}");
    }
    for other in ["link.weighin", "passwd.weighin", "fifo.weighin", "directory.weighin", "root:"] {
        assert!(!list.contains(other), "{other}: {list}");
    }
    let runs = serving.runs();
    assert_eq!(runs.len(), 2, "{list}");
    for run in &runs {
        assert!(serving.shown(&format!("{run}/report")).contains("</html>"));
    }
    let ids: Vec<&str> = runs.iter().map(|run| &run["/runs/".len()..]).collect();
    let compared = serving.get(&format!("/compare?old={}&new={}", ids[0], ids[1]));
    assert_eq!(compared.status, 200, "{compared:?}");
    assert!(compared.body.contains("What changed"), "{compared:?}");
    assert!(serving.shown("/history").contains("History"));

    for path in [
        "/one.weighin",
        "/runs/one.weighin",
        "/runs/one.weighin/report",
        "/runs/../one.weighin",
        "/runs/..%2f..%2f..%2fetc%2fpasswd",
        "/runs/%2fetc%2fpasswd/report",
        "/../../etc/passwd",
        "//etc/passwd",
        "/runs/%00",
        "/runs/",
        "/compare",
        "/compare?old=../x&new=%00",
    ] {
        let answer = serving.get(path);
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:"), "{answer:?}");
    }
    assert_eq!(serving.ask("POST / HTTP/1.1\r\nContent-Length: 0").status, 405);
    assert_eq!(serving.ask("DELETE / HTTP/1.1").status, 405);
    for host in ["evil.example", "localhost.evil.example", "", "localhost\r\nHost: localhost"] {
        let answer = serving
            .exchange(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(answer.status, 421, "{host}: {answer:?}");
        assert!(!answer.body.contains("one.weighin"), "{answer:?}");
    }
    let answer = serving.ask("GET http://evil.example/ HTTP/1.1");
    assert_eq!(answer.status, 421, "{answer:?}");
    let answer = serving.ask(&format!("GET / HTTP/1.1\r\nX-Long: {}", "x".repeat(64 << 10)));
    assert_eq!(answer.status, 431, "{answer:?}");

    let head = serving.get("/").head;
    for header in [
        "content-security-policy: default-src 'none'; style-src 'sha256-",
        "x-content-type-options: nosniff",
        "x-frame-options: deny",
        "cache-control: no-store",
        "cross-origin-resource-policy: same-origin",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }

    // What goes away is gone, and what becomes another file is another.
    fs::remove_file(place.path("one.weighin")).unwrap();
    fs::rename(place.path("half.weighin"), place.path("two.weighin")).unwrap();
    wait_for("the runs to go", || serving.runs().is_empty());
    let gone = serving.get(&format!("{}/report", runs[0]));
    assert!([404, 503].contains(&gone.status), "{gone:?}");
    serving.ends();
}

#[test]
fn a_token_lets_in_by_header_or_form_and_nothing_else_does() {
    const TOKEN: &str = "a-token-of-24-characters";
    let place = Workplace::new();
    place.write("token", format!("{TOKEN}\n"));
    let serving = Serving::start(&place, &["--token-file", "token"]);
    let with = |path: &str, header: &str| serving.ask(&format!("GET {path} HTTP/1.1\r\n{header}"));
    for (path, header) in [
        ("/", "X: y"),
        ("/events", "X: y"),
        ("/none", "X: y"),
        ("/login", "X: y"),
        ("/?token=a-token-of-24-characters", "X: y"),
        ("/", "Authorization: Bearer a-token-of-24-character"),
        ("/", "Authorization: Bearer"),
        ("/", "Authorization: Basic a-token-of-24-characters"),
        ("/", "Cookie: weighin=a-token-of-24-characters"),
    ] {
        let answer = with(path, header);
        assert_eq!(answer.status, 401, "{path} {header}: {answer:?}");
        assert!(answer.body.contains("<form action=\"/login\""), "{answer:?}");
    }
    let answer = with("/", &format!("Authorization: Bearer {TOKEN}"));
    assert_eq!(answer.status, 200, "{answer:?}");

    let login = |form: &str, header: &str| {
        let length = form.len();
        serving.exchange(&format!(
            "POST /login HTTP/1.1\r\nHost: localhost\r\n{header}Connection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
        ))
    };
    assert_eq!(login("token=wrong", "").status, 401);
    assert_eq!(login(&"x".repeat(100 << 10), "").status, 401);
    let form = format!("token={TOKEN}");
    assert_eq!(login(&form, "Origin: https://evil.example\r\n").status, 401);
    let answer = login(&form, "Origin: http://localhost\r\n");
    assert_eq!(answer.status, 303, "{answer:?}");
    let (_, cookie) = answer.head.split_once("set-cookie: ").unwrap();
    let cookie = cookie.lines().next().unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    assert!(!cookie.contains(TOKEN), "{cookie}");
    let (cookie, _) = cookie.split_once(';').unwrap();
    assert_eq!(with("/", &format!("Cookie: other=1; {cookie}")).status, 200);
    assert_eq!(with("/", &format!("Cookie: {cookie}0")).status, 401);
    serving.ends();
}

#[test]
fn other_machines_need_a_token_and_tls() {
    let place = Workplace::new();
    let listen = ["serve", "--listen", "0.0.0.0:0"];
    let serve = |more: &[&str]| place.weighin(&[&listen[..], more].concat());
    serve(&[]).refused(2, &["other machines", "--token-file", "--certificate", "ssh -L"]);
    place.write("token", "a-token-of-24-characters");
    serve(&["--token-file", "token"]).refused(2, &["other machines", "--certificate"]);
    place.write("short", "short");
    place.weighin(&["serve", "--token-file", "short"]).refused(2, &["16 to 1024", "openssl rand"]);
    fs::set_permissions(place.path("short"), fs::Permissions::from_mode(0o644)).unwrap();
    place.weighin(&["serve", "--token-file", "short"]).refused(3, &["0644", "chmod 600"]);
    place.weighin(&["serve", "--token-env", "NOT_SET"]).refused(3, &["NOT_SET"]);
    place.weighin(&["serve", "--listen", "example.org:80"]).refused(2, &["127.0.0.1:8470"]);
    place.weighin(&["serve", "--certificate", "x"]).refused(2, &["--key"]);
    place.weighin(&["serve", "none"]).refused(3, &["none", "name a directory"]);

    let certificates = certificates();
    let file = |name: &str| certificates.path().join(name).display().to_string();
    let (certificate, key) = (file("server.pem"), file("server.key"));
    let tls = ["--token-file", "token", "--certificate", &certificate, "--key", &key];
    serve(&tls).refused(3, &["server.key", "chmod 600"]);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    serve(&["--token-file", "token", "--certificate", "token", "--key", &key])
        .refused(2, &["holds none", "PEM"]);
    let serving = Serving::start(&place, &tls);
    let over_tls = |header: &str| {
        let connect = serving.address.to_string();
        let ca = file("ca.pem");
        let script = format!(
            "printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n{header}Connection: close\\r\\n\\r\\n' | \
             timeout 60 openssl s_client -quiet -verify_return_error -CAfile {ca} -servername localhost \
             -connect {connect} 2>/dev/null || true"
        );
        Answer::from_bytes(succeed("sh", &place.path("."), &["-c", &script]).as_bytes())
    };
    assert_eq!(over_tls("").status, 401);
    let answer = over_tls("Authorization: Bearer a-token-of-24-characters\\r\\n");
    assert_eq!(answer.status, 200, "{answer:?}");
    // Without TLS there is no answer.
    assert_eq!(serving.get("/").status, 0);
    serving.ends();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    place.weighin(&["serve", "--listen", &taken]).refused(3, &["another port"]);
}

#[test]
fn pages_of_other_sites_may_lead_here_and_do_nothing_else() {
    let place = Workplace::new();
    let serving = Serving::start(&place, &[]);
    let from = |site: &str, mode: &str, dest: &str| {
        format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {dest}")
    };
    let asked = |method: &str, path: &str, headers: &str| {
        serving.ask(&format!("{method} {path} HTTP/1.1\r\n{headers}"))
    };
    for site in ["cross-site", "same-site"] {
        // As fetch, EventSource, an image, a style sheet, a frame and a prefetch ask.
        for (mode, dest) in [
            ("cors", "empty"),
            ("no-cors", "empty"),
            ("no-cors", "image"),
            ("no-cors", "style"),
            ("no-cors", "script"),
            ("navigate", "iframe"),
            ("navigate", "object"),
            ("navigate", "empty"),
        ] {
            for path in ["/", "/events", "/history", "/none"] {
                let answer = asked("GET", path, &from(site, mode, dest));
                assert_eq!(answer.status, 403, "{site} {mode} {dest} {path}: {answer:?}");
                assert!(!answer.body.contains("Studies in"), "{answer:?}");
            }
        }
        // A link may lead here; a form may not.
        assert_eq!(asked("GET", "/", &from(site, "navigate", "document")).status, 200, "{site}");
        let form = from(site, "navigate", "document") + "\r\nContent-Length: 0";
        assert_eq!(asked("POST", "/login", &form).status, 403, "{site}");
    }
    // Pages of this place, and what is typed into the field of the address.
    for site in ["same-origin", "none"] {
        assert_eq!(asked("GET", "/", &from(site, "cors", "empty")).status, 200, "{site}");
    }
    serving.ends();
}

#[test]
fn a_results_file_without_its_log_says_so_wherever_it_is_read() {
    let place = Workplace::new();
    let rows = ["a,t,1,1", "a,t,1,2"].map(|row| format!("{row},transactions_per_s,90,1/s\n"));
    place
        .write("r.csv", format!("target,test,clients,repeat,metric,value,unit\n{}", rows.concat()));
    place.weighin(&["import", "csv", "r.csv", "--out", "r.weighin"]).done();
    // As of a run that was killed: its header says that it has a log.
    let mut bytes = fs::read(place.path("r.weighin")).unwrap();
    bytes[18..20].fill(2);
    place.write("r.weighin", bytes);
    let said = "the log r.weighin-wal is missing";
    for command in [&["report", "r.weighin", "--out", "-"][..], &["advise", "r.weighin"]] {
        let ran = place.weighin(command);
        assert!(ran.err.contains(said), "{ran:?}");
        assert!(ran.err.contains("from one copy"), "{ran:?}");
    }
    let serving = Serving::start(&place, &[]);
    wait_for("the run", || !serving.runs().is_empty());
    let run = serving.runs().remove(0);
    assert!(serving.shown(&run).contains(said));
    assert!(serving.shown(&format!("{run}/report")).contains(said));
    serving.ends();
}
