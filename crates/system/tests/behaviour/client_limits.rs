//! Servers that lie, stall, or never end, against the limits of connections for control work.

#[path = "../../../mysql/tests/support/mod.rs"]
mod packets;

use model::{Endpoint, Failure, FailureKind, PasswordSource, ServerAddress, ServerKey, Stop, Tls};
use mysql::client::{ClientError, Connection};
use packets::{CHALLENGE, definition, flag, greeting, lenenc, ok, packet, packet_from};
use redis::client::{RedisConnection, RedisError};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};
use system::client::{Credentials, How, Limits, Secret};

/// What would take ten minutes or never end must be over by then, on a machine that is busy with other things.
const SOON: Duration = Duration::from_secs(120);
const PATIENCE: Duration = Duration::from_secs(600);
const PASSWORD: &str = "s3cret-of-the-test";

/// A server of one connection, whose thread ends when the client is gone.
fn serve(script: impl FnOnce(&mut TcpStream) -> std::io::Result<()> + Send + 'static) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // A client that hangs up is what most tests wait for.
        let _ = script(&mut stream);
        let _ = stream.read_to_end(&mut Vec::new());
    });
    Endpoint::Tcp { host: "127.0.0.1".into(), port }
}

fn address(endpoint: Endpoint) -> ServerAddress {
    ServerAddress {
        endpoint,
        user: None,
        database: "0".into(),
        password: PasswordSource::OptionFile,
        tls: Tls::Off,
        compression: false,
        server_key: ServerKey::default(),
        auth: model::AuthMethods::default(),
    }
}

/// More time than a busy machine needs.
fn patient() -> Limits {
    let all = PATIENCE;
    Limits { connect: all, login: all, answer: all, work: all, ..Limits::default() }
}

/// Half a second to log in.
fn short_login() -> Limits {
    Limits { login: Duration::from_millis(500), ..patient() }
}

/// Half a second for what is asked after the login.
fn short_answers() -> Limits {
    let half = Duration::from_millis(500);
    Limits { answer: half, work: half, ..patient() }
}

fn open(address: &ServerAddress, limits: Limits, stop: &Stop) -> Result<Connection, Failure> {
    let login = Credentials::new("bench", Secret::new(PASSWORD));
    Connection::open_within(address, &login, limits, stop)
}

fn open_redis(endpoint: Endpoint, limits: Limits, stop: &Stop) -> Result<RedisConnection, Failure> {
    RedisConnection::open_within(&address(endpoint), &Secret::new(PASSWORD), limits, stop)
}

/// Reads one packet of a client.
fn read_packet(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let mut payload = vec![0; u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

fn hello() -> Vec<u8> {
    packet(0, &greeting("10.11.6-MariaDB", flag::MYSQL_8 & !1, 0, "mysql_native_password"))
}

/// Lets a client of MySQL in, and takes its first statement.
fn let_in(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(&hello())?;
    read_packet(stream)?;
    stream.write_all(&packet(2, &ok(0, 0, 2)))?;
    read_packet(stream).map(drop)
}

/// Sends bytes one by one, each well within what a wait for a single read would allow.
fn drip(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    for byte in bytes.iter().cycle() {
        stream.write_all(&[*byte])?;
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// Runs something that must be over soon.
fn soon<T>(act: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let result = act();
    assert!(began.elapsed() < SOON, "took {:?}", began.elapsed());
    result
}

fn how(error: ClientError) -> How {
    match error {
        ClientError::Broken(broken) => broken.how,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_login_byte_by_byte_ends_with_the_time_for_the_whole() {
    // A greeting that never ends, and half of it again and again.
    let endless = [&[0xFF, 0xFF, 0, 0, 10][..], &[b'8'; 60_000]].concat();
    for bytes in [endless, hello()] {
        let endpoint = serve(move |stream| drip(stream, &bytes));
        let failure = soon(|| open(&address(endpoint.clone()), short_login(), &Stop::default()));
        let failure = failure.unwrap_err();
        assert!(failure.message.contains(&endpoint.to_string()), "{failure}");
    }
    let endpoint = serve(|stream| drip(stream, b"+"));
    let failure = soon(|| open_redis(endpoint.clone(), short_login(), &Stop::default()));
    let failure = failure.unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure}");
    assert!(failure.message.contains(&endpoint.to_string()), "{failure}");
}

#[test]
fn an_answer_byte_by_byte_ends_with_the_time_for_the_whole() {
    let endpoint = serve(|stream| {
        let_in(stream)?;
        drip(stream, &[0xFF, 0xFF, 0, 1, 0xFF])
    });
    let opened = open(&address(endpoint.clone()), short_answers(), &Stop::default());
    let mut connection = opened.unwrap();
    let error = soon(|| connection.query("SELECT 1")).unwrap_err();
    assert!(error.to_string().contains(&endpoint.to_string()), "{error}");
    assert!(matches!(how(error), How::TimedOut(_)));

    let endpoint = serve(|stream| {
        stream.write_all(b"+OK\r\n+OK\r\n")?;
        drip(stream, b"*1000\r\n")
    });
    let mut connection = open_redis(endpoint, short_answers(), &Stop::default()).unwrap();
    let error = soon(|| connection.command(&[b"INFO"])).unwrap_err();
    let failure = error.failure("cannot look");
    assert!(matches!(failure.kind, FailureKind::TimedOut | FailureKind::Other), "{failure}");
    // What comes late is not taken for the next answer.
    assert!(matches!(connection.command(&[b"PING"]), Err(RedisError::Broken(_))));
}

#[test]
fn what_never_ends_is_refused_at_a_number_of_bytes() {
    // Rows without end, of one column.
    let endpoint = serve(|stream| {
        let_in(stream)?;
        stream.write_all(&[packet(1, &[1]), packet(2, &definition("a"))].concat())?;
        let mut sequence = 3;
        loop {
            let (bytes, next) = packet_from(sequence, &lenenc(&[b'x'; 60_000]));
            stream.write_all(&bytes)?;
            sequence = next;
        }
    });
    let mut connection = open(&address(endpoint), patient(), &Stop::default()).unwrap();
    let error = connection.query("SELECT 1").unwrap_err();
    assert!(matches!(error, ClientError::Protocol(..)), "{error}");

    // Results without rows, each with another to follow.
    let endpoint = serve(|stream| {
        let_in(stream)?;
        for sequence in (0..=255).cycle().skip(1) {
            stream.write_all(&packet(sequence, &ok(0, 0, packets::MORE)))?;
        }
        Ok(())
    });
    let few = Limits { bytes: 1 << 20, ..patient() };
    let mut connection = open(&address(endpoint), few, &Stop::default()).unwrap();
    let error = connection.query("SELECT 1").unwrap_err();
    assert!(matches!(how(error), How::TooMuch(_)));

    // A value, and messages that were not asked for.
    for (head, body) in [("$512000000\r\n", "x"), ("", ">1\r\n+a\r\n"), ("*67000000\r\n", ":1\r\n")]
    {
        let endpoint = serve(move |stream| {
            stream.write_all(b"+OK\r\n+OK\r\n")?;
            stream.write_all(head.as_bytes())?;
            let body = body.repeat(10_000);
            loop {
                stream.write_all(body.as_bytes())?;
            }
        });
        let mut connection = open_redis(endpoint, patient(), &Stop::default()).unwrap();
        let error = connection.command(&[b"INFO"]).unwrap_err();
        assert!(matches!(error, RedisError::Protocol(..)), "{error}");
    }
}

#[test]
fn a_server_that_takes_nothing_does_not_hold_up_a_transfer_for_ever() {
    let endpoint = serve(|stream| {
        let_in(stream)?;
        stream.write_all(&packet(1, b"\xFBweighin"))?;
        std::thread::sleep(Duration::from_secs(3600));
        Ok(())
    });
    let mut connection = open(&address(endpoint), short_answers(), &Stop::default()).unwrap();
    let error = soon(|| {
        connection.load_local("LOAD DATA LOCAL INFILE 'weighin' INTO TABLE t", &mut |out| {
            out.extend_from_slice(&[b'x'; 1 << 20]);
            true
        })
    });
    assert!(matches!(how(error.unwrap_err()), How::TimedOut(_)));
}

#[test]
fn a_stop_ends_every_wait() {
    // Somebody asks while it waits, or before it has begun to.
    let stopped = |stop: &Stop, act: &mut dyn FnMut() -> Failure| {
        let later = stop.clone();
        let asks = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            later.request();
        });
        let failure = soon(act);
        assert!(failure.is_stop(), "{failure}");
        asks.join().unwrap();
    };
    let stopped_opening = |address: &ServerAddress| {
        let stop = Stop::default();
        stopped(&stop, &mut || open(address, patient(), &stop).unwrap_err());
    };
    // While connecting: nobody accepts at this socket, and its queue is full.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("full.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    let _queue = fill_queue(&path);
    stopped_opening(&address(Endpoint::Socket(path.clone())));
    // While logging in, with TLS and without.
    stopped_opening(&address(serve(|_| Ok(()))));
    let with_tls = serve(|stream| {
        stream.write_all(&packet(0, &greeting("8.0.40", u32::MAX, 0, "x")))?;
        read_packet(stream).map(drop)
    });
    stopped_opening(&ServerAddress { tls: Tls::Unverified, ..address(with_tls) });
    let stop = Stop::default();
    stopped(&stop, &mut || open_redis(serve(|_| Ok(())), patient(), &stop).unwrap_err());
    // While waiting for an answer: nobody asks before the connection is there.
    let stop = Stop::default();
    let mut connection = open(&address(serve(let_in)), patient(), &stop).unwrap();
    stopped(&stop, &mut || {
        connection.execute_long("DROP TABLE t").unwrap_err().failure("cannot drop")
    });
    let stop = Stop::default();
    let endpoint = serve(|stream| stream.write_all(b"+OK\r\n+OK\r\n"));
    let mut connection = open_redis(endpoint, patient(), &stop).unwrap();
    stopped(&stop, &mut || connection.command(&[b"INFO"]).unwrap_err().failure("cannot look"));
}

/// Connects to a socket until its queue is full.
fn fill_queue(path: &std::path::Path) -> Vec<UnixStream> {
    let (sender, connected) = std::sync::mpsc::channel();
    let path = path.to_path_buf();
    std::thread::spawn(move || {
        while let Ok(stream) = UnixStream::connect(&path) {
            if sender.send(stream).is_err() {
                return;
            }
        }
    });
    let mut queue = Vec::new();
    while let Ok(stream) = connected.recv_timeout(Duration::from_millis(500)) {
        queue.push(stream);
    }
    queue
}

#[test]
fn tls_that_was_asked_for_cannot_be_talked_away() {
    // No TLS among the capabilities; garbage, or the login going on, where TLS should begin.
    type Script = fn(&mut TcpStream) -> std::io::Result<()>;
    let scripts: [(&str, Script); 4] = [
        ("no TLS", |stream| stream.write_all(&hello())),
        ("garbage", |stream| {
            stream.write_all(&packet(0, &greeting("8.0.40", u32::MAX, 0, "x")))?;
            read_packet(stream)?;
            stream.write_all(b"220 mail.example ESMTP\r\n")
        }),
        ("goes on in clear", |stream| {
            stream.write_all(&packet(0, &greeting("8.0.40", u32::MAX, 0, "x")))?;
            read_packet(stream)?;
            stream.write_all(&packet(2, &ok(0, 0, 2)))
        }),
        ("lets in at once", |stream| {
            let greeting = packet(0, &greeting("8.0.40", u32::MAX, 0, "x"));
            stream.write_all(&[greeting, packet(1, &ok(0, 0, 2))].concat())
        }),
    ];
    for (what, script) in scripts {
        let (sender, received) = std::sync::mpsc::channel();
        let endpoint = serve(move |stream| {
            // A client that has given up hears none of it.
            let _ = script(stream);
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            let _ = sender.send(rest);
            Ok(())
        });
        let address = ServerAddress { tls: Tls::Unverified, ..address(endpoint) };
        let failure = soon(|| open(&address, short_login(), &Stop::default())).unwrap_err();
        assert!(
            matches!(failure.kind, FailureKind::Tls | FailureKind::Other | FailureKind::TimedOut),
            "{what}: {failure:?}"
        );
        // Nothing of the login came, neither name nor password.
        let sent = received.recv_timeout(SOON).unwrap();
        assert!(!contains(&sent, b"bench") && !contains(&sent, PASSWORD.as_bytes()), "{what}");
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_server_in_between_gets_neither_the_password_nor_a_file() {
    // It asks for the password in each way there is.
    let switch = |plugin: &str| {
        packet(2, &[b"\xFE", plugin.as_bytes(), b"\0", &CHALLENGE[..], &[0]].concat())
    };
    let questions = [
        ("caching_sha2_password", packet(2, &[1, 4])),
        ("mysql_native_password", switch("sha256_password")),
        ("mysql_native_password", switch("mysql_clear_password")),
        ("mysql_native_password", switch("mysql_old_password")),
        ("mysql_native_password", switch("dialog")),
    ];
    for (plugin, question) in questions {
        let (sender, received) = std::sync::mpsc::channel();
        let what = String::from_utf8_lossy(&question[4..]).into_owned();
        let endpoint = serve(move |stream| {
            stream.write_all(&packet(0, &greeting("8.0.40", flag::MYSQL_8, 0, plugin)))?;
            read_packet(stream)?;
            stream.write_all(&question)?;
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            let _ = sender.send(answer);
            Ok(())
        });
        let failure = soon(|| open(&address(endpoint.clone()), patient(), &Stop::default()));
        let failure = failure.unwrap_err();
        assert!(failure.message.contains(&endpoint.to_string()), "{failure}");
        let answer = received.recv_timeout(SOON).unwrap();
        assert!(answer.is_empty(), "{what:?} was answered with {answer:?}");
    }

    // It asks for a file, whatever the statement was.
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("private");
    std::fs::write(&file, "root:x:0:0").unwrap();
    let request = packet(1, &[b"\xFB", file.to_str().unwrap().as_bytes()].concat());
    let (sender, received) = std::sync::mpsc::channel();
    let endpoint = serve(move |stream| {
        let_in(stream)?;
        stream.write_all(&request)?;
        let _ = sender.send(read_packet(stream)?);
        stream.write_all(&packet(3, &ok(0, 0, 2)))
    });
    let mut connection = open(&address(endpoint), patient(), &Stop::default()).unwrap();
    let refused = connection.query("SHOW GLOBAL VARIABLES").unwrap_err();
    assert!(matches!(refused, ClientError::Infile(_)), "{refused}");
    assert_eq!(received.recv_timeout(SOON).unwrap(), b"", "the end of a file of no bytes");
}

#[test]
fn a_key_is_asked_for_only_when_told_and_a_pinned_file_must_hold_one() {
    let question = || {
        serve(|stream| {
            let hello = greeting("8.0.40", flag::MYSQL_8, 0, "caching_sha2_password");
            stream.write_all(&packet(0, &hello))?;
            read_packet(stream)?;
            stream.write_all(&packet(2, &[1, 4]))?;
            let answer = read_packet(stream)?;
            let refusal = [&[0xFF][..], &9999_u16.to_le_bytes(), b"got ", &answer].concat();
            stream.write_all(&packet(4, &refusal))
        })
    };
    let asked = ServerAddress { server_key: ServerKey::Request, ..address(question()) };
    let failure = open(&asked, patient(), &Stop::default()).unwrap_err();
    assert!(failure.message.contains("got \\x02"), "{failure:?}");

    let failure = open(&address(question()), patient(), &Stop::default()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Tls, "{failure}");
    assert!(failure.remedy.contains("get_server_public_key"), "{failure:?}");

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("key.pem");
    for content in [None, Some("no key at all"), Some("")] {
        if let Some(content) = content {
            std::fs::write(&file, content).unwrap();
        }
        let pinned =
            ServerAddress { server_key: ServerKey::Pinned(file.clone()), ..address(question()) };
        let failure = open(&pinned, patient(), &Stop::default()).unwrap_err();
        assert!(failure.message.contains(&file.display().to_string()), "{failure:?}");
    }
}
