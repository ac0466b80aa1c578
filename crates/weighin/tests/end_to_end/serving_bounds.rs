//! `weighin serve` beside those who take its connections and say nothing, and how it ends.

use crate::support::{Answer, Serving, Started, Workplace, certificates, succeed, wait_for};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const TOKEN: &str = "a-token-of-24-characters";
/// Connections of each kind that say nothing of use.
const SILENT: usize = 250;

/// So many connections at once take more descriptors than most processes may have unasked.
fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).unwrap();
}

/// Whether the other side has not closed it.
fn is_open(mut stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    loop {
        match stream.read(&mut [0; 4096]) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
    }
}

/// Asserts that somebody is answered while connections that have sent that much are open: after 10 s they are
/// closed by themselves. Of a machine that took longer it is asked once more.
#[track_caller]
fn answered_beside(serving: &Serving, said: &str, ask: impl Fn() -> u16) -> Vec<TcpStream> {
    for _ in 0..20 {
        let open = silent(serving, said);
        let status = ask();
        if open.iter().any(is_open) {
            assert_eq!(status, 200, "beside {said:?}");
            return open;
        }
    }
    panic!("connections that have sent {said:?} are closed too soon for this machine");
}

/// Connections that have sent that much, and send no more.
fn silent(serving: &Serving, said: &str) -> Vec<TcpStream> {
    let connect = |_| {
        let mut stream = TcpStream::connect(serving.address).unwrap();
        // It may be closed by now.
        let _ = stream.write_all(said.as_bytes());
        stream
    };
    (0..SILENT).map(connect).collect()
}

fn results(place: &Workplace, files: usize) {
    let rows = ["a,t,1,1", "a,t,1,2", "b,t,1,1", "b,t,1,2"];
    let rows = rows.map(|row| format!("{row},transactions_per_s,90,1/s\n")).concat();
    place.write("r.csv", format!("target,test,clients,repeat,metric,value,unit\n{rows}"));
    place.weighin(&["import", "csv", "r.csv", "--out", "0.weighin"]).done();
    for copy in 1..files {
        fs::copy(place.path("0.weighin"), place.path(&format!("{copy}.weighin"))).unwrap();
    }
}

#[test]
fn a_thousand_idle_connections_keep_nobody_out() {
    raise_descriptors();
    let place = Workplace::new();
    place.write("token", TOKEN);
    let serving = Serving::start(&place, &["--token-file", "token"]);
    let head = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    let form = "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40\r\n\r\ntoken=a-tok";
    let with_token = format!("{head}Authorization: Bearer {TOKEN}\r\n");
    let mut open = Vec::new();
    for said in ["", "G", &with_token, form, &format!("{head}\r\n")] {
        open.extend(answered_beside(&serving, said, || {
            serving.ask(&format!("GET / HTTP/1.1\r\nAuthorization: Bearer {TOKEN}")).status
        }));
    }
    // One that is being answered stays, whoever comes after it.
    let mut followed = serving.connect();
    followed
        .write_all(format!("GET /events HTTP/1.1\r\n{}\r\n", &with_token[16..]).as_bytes())
        .unwrap();
    let mut first = [0; 12];
    followed.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    open.extend((0..4).flat_map(|_| silent(&serving, "")));
    wait_for("the first to be closed", || !is_open(&open[0]));
    place.write("later.weighin", "no results");
    let mut heard = String::new();
    let mut bytes = [0; 4096];
    while !heard.contains("later.weighin") {
        let read = followed.read(&mut bytes).unwrap();
        assert!(read > 0, "closed after {heard}");
        heard += &String::from_utf8_lossy(&bytes[..read]);
    }
    serving.ends();
}

/// A handshake costs its client a packet and keeps a place until it is finished.
#[test]
fn idle_connections_keep_nobody_from_a_handshake_either() {
    raise_descriptors();
    let place = Workplace::new();
    place.write("token", TOKEN);
    let certificates = certificates();
    let file = |name: &str| certificates.path().join(name).display().to_string();
    let key = file("server.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let certificate = file("server.pem");
    let tls = ["--token-file", "token", "--certificate", &certificate, "--key", &key];
    let serving = Serving::start(&place, &tls);
    let ask = || {
        let request = format!(
            "printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer {TOKEN}\\r\\n\
             Connection: close\\r\\n\\r\\n' | timeout 60 openssl s_client -quiet -verify_return_error \
             -CAfile {} -servername localhost -connect {} 2>/dev/null || true",
            file("ca.pem"),
            serving.address,
        );
        let answer = succeed("sh", &place.path("."), &["-c", &request]);
        Answer::from_bytes(answer.as_bytes()).status
    };
    // Nothing; the head of a record that never comes; half a greeting.
    let greeting = "\u{16}\u{3}\u{1}\u{2}\0";
    let half = format!("{greeting}\u{1}\0\u{1}");
    let mut open = Vec::new();
    for said in ["", greeting, &half] {
        open.extend(answered_beside(&serving, said, ask));
    }
    // What is no TLS at all is closed at once.
    open.extend(silent(&serving, "GET / HTTP/1.1\r\n"));
    assert_eq!(ask(), 200);
    // Those that finished theirs, and ask nothing.
    let script = format!(
        "exec openssl s_client -quiet -verify_return_error -CAfile {} -servername localhost -connect {}",
        file("ca.pem"),
        serving.address,
    );
    let finished: Vec<_> = (0..30)
        .map(|_| {
            let mut client = Command::new("sh");
            client.args(["-c", &script]).stdin(Stdio::piped());
            client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    open.extend(silent(&serving, greeting));
    open.extend(answered_beside(&serving, greeting, ask));
    for mut client in finished {
        let _ = client.kill();
        client.wait().unwrap();
    }
    serving.ends();
}

/// Waits until a process has said what it does at SIGTERM.
fn wait_for_handler(weighin: &Started) {
    const SIGTERM: u64 = 1 << 14;
    wait_for("a handler of SIGTERM", || {
        let status = fs::read_to_string(format!("/proc/{}/status", weighin.pid())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & SIGTERM != 0
    });
}

#[track_caller]
fn assert_ends(weighin: Started) {
    let ran = weighin.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn whatever_it_does_sigterm_ends_it_with_zero() {
    let place = Workplace::new();
    results(&place, 100);
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    // While it starts, and while it ends.
    for signals in [1, 2, 3] {
        let weighin = place.start(&serve);
        wait_for_handler(&weighin);
        (0..signals).for_each(|_| weighin.signal("TERM"));
        assert_ends(weighin);
    }
    // While it looks at a directory, answers some, makes a report, and others say nothing.
    for (path, is_kept) in [("/", false), ("/events", true), ("", true), ("/report", true)] {
        let serving = Serving::start(&place, &[]);
        let run = match path {
            "/report" => {
                wait_for("a run", || !serving.runs().is_empty());
                serving.runs().remove(0)
            }
            _ => String::new(),
        };
        let open: Vec<TcpStream> = (0..20)
            .map(|_| {
                let mut stream = serving.connect();
                let end = if is_kept { "" } else { "Connection: close\r\n" };
                let request = match path {
                    "" => "GET /".to_owned(),
                    path => format!("GET {run}{path} HTTP/1.1\r\nHost: localhost\r\n{end}\r\n"),
                };
                stream.write_all(request.as_bytes()).unwrap();
                stream
            })
            .collect();
        serving.ends();
        drop(open);
    }
    let serving = Serving::start(&place, &[]);
    serving.weighin.signal("TERM");
    serving.weighin.signal("TERM");
    assert_ends(serving.weighin);
}
