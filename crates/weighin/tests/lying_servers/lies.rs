//! What servers do that lie.

use super::packets::{
    self, CHALLENGE, definition, err, flag, greeting, lenenc, ok, packet, packet_from,
};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a server does with one connection, until the client is gone.
pub type Script = Arc<dyn Fn(&mut TcpStream) -> io::Result<()> + Send + Sync>;

/// A way to lie.
pub struct Lie {
    pub name: String,
    pub script: Script,
    /// Whether it keeps to the protocol: what its answers amount to is for each command to judge.
    pub well_formed: bool,
}

/// A server that lies to any number of connections until it is dropped.
pub struct Server {
    port: u16,
    over: Arc<AtomicBool>,
}

impl Server {
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&over);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let script = Arc::clone(&script);
                std::thread::spawn(move || {
                    let mut stream = stream;
                    // Clients hang up when they have seen enough.
                    let _ = script(&mut stream);
                });
            }
        });
        Self { port, over }
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

pub fn lie(
    name: impl Into<String>,
    script: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> Lie {
    Lie { name: name.into(), script: Arc::new(script), well_formed: false }
}

/// Says nothing until the client is gone.
pub fn silence(stream: &mut TcpStream) -> io::Result<()> {
    io::copy(stream, &mut io::sink()).map(drop)
}

/// Sends the same for ever.
pub fn endless(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    let many = bytes.repeat(64 * 1024 / bytes.len().max(1) + 1);
    loop {
        stream.write_all(&many)?;
    }
}

/// Sends bytes one by one, and goes on with zeros.
pub fn drip(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    for byte in bytes.iter().copied().chain(std::iter::repeat(0)) {
        stream.write_all(&[byte])?;
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn read_packet(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let mut payload = vec![0; u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

fn hello(flags: u32, plugin: &str) -> Vec<u8> {
    packet(0, &greeting("10.11.6-MariaDB", flags, 0, plugin))
}

fn usual_hello() -> Vec<u8> {
    hello(flag::MYSQL_8 & !flag::MYSQL, "mysql_native_password")
}

/// Lets a client of MySQL in.
fn let_in(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(&usual_hello())?;
    read_packet(stream)?;
    stream.write_all(&packet(2, &ok(0, 0, 2)))
}

/// The same, where it keeps to the protocol.
pub fn well_formed(lie: Lie) -> Lie {
    Lie { well_formed: true, ..lie }
}

/// Lets a client in, and answers every statement with that.
fn answers(name: &str, answer: Vec<u8>) -> Lie {
    lie(name, move |stream| {
        let_in(stream)?;
        loop {
            read_packet(stream)?;
            stream.write_all(&answer)?;
        }
    })
}

/// Lets a client in, and goes on with something that never ends.
fn never_ends(
    name: &str,
    head: Vec<u8>,
    next: impl Fn(u8) -> (Vec<u8>, u8) + Send + Sync + 'static,
) -> Lie {
    lie(name, move |stream| {
        let_in(stream)?;
        read_packet(stream)?;
        stream.write_all(&head)?;
        // Numbers of packets are those after the head.
        let mut sequence = if head.is_empty() { 1 } else { 3 };
        loop {
            let (bytes, after) = next(sequence);
            stream.write_all(&bytes)?;
            sequence = after;
        }
    })
}

pub fn mysql() -> Vec<Lie> {
    let columns = || [packet(1, &[1]), packet(2, &definition("a"))].concat();
    let escape = "\x1b]0;hacked\x07\x1b[2J\r\u{202e}".repeat(2000);
    let mut lies = vec![
        lie("silent at once", silence),
        lie("closes at once", |_| Ok(())),
        lie("garbage", |stream| endless(stream, b"HTTP/1.1 400 Bad Request\r\n\r\n\x1b[2J")),
        lie("zeros", |stream| endless(stream, &[0])),
        lie("silent after the greeting", |stream| {
            stream.write_all(&usual_hello())?;
            silence(stream)
        }),
        lie("greets again and again", |stream| endless(stream, &usual_hello())),
        lie("a greeting byte by byte", |stream| drip(stream, &usual_hello())),
        lie("a greeting of 16 MiB", |stream| {
            stream.write_all(&[0xFF, 0xFF, 0xFF, 0, 10])?;
            endless(stream, b"8")
        }),
        lie("asks for other plugins without end", |stream| {
            stream.write_all(&usual_hello())?;
            let switch = [b"\xFEmysql_native_password\0", &CHALLENGE[..], &[0]].concat();
            let mut sequence = 0_u8;
            loop {
                read_packet(stream)?;
                sequence = sequence.wrapping_add(2);
                stream.write_all(&packet(sequence, &switch))?;
            }
        }),
        lie("asks for the password by a key", |stream| {
            stream.write_all(&hello(flag::MYSQL_8, "caching_sha2_password"))?;
            read_packet(stream)?;
            stream.write_all(&packet(2, &[1, 4]))?;
            silence(stream)
        }),
        lie("asks for the password in clear", |stream| {
            stream.write_all(&usual_hello())?;
            read_packet(stream)?;
            stream.write_all(&packet(2, b"\xFEmysql_clear_password\0"))?;
            silence(stream)
        }),
        lie("refuses with escape sequences", move |stream| {
            stream.write_all(&packet(0, &err(1045, "28000", &escape)))?;
            silence(stream)
        }),
        lie("silent after the login", |stream| {
            let_in(stream)?;
            silence(stream)
        }),
        lie("an answer byte by byte", |stream| {
            let_in(stream)?;
            read_packet(stream)?;
            drip(stream, &[0xFF, 0xFF, 0, 1, 1])
        }),
        lie("closes on the first statement", |stream| {
            let_in(stream)?;
            read_packet(stream).map(drop)
        }),
        answers("wrong numbers of packets", packet(77, &ok(0, 0, 2))),
        well_formed(answers("OK to everything", packet(1, &ok(0, 0, 2)))),
        answers("a file, please", packet(1, b"\xFB/etc/passwd")),
        answers("2^64 columns", packet(1, &[0xFE, 255, 255, 255, 255, 255, 255, 255, 255])),
        answers("a value of negative length", {
            let value = [0xFE, 255, 255, 255, 255, 255, 255, 255, 255];
            [columns(), packet(3, &value)].concat()
        }),
        well_formed(answers(
            "an error in escape sequences",
            packet(1, &err(1064, "42000", "\x1b[2J\x07")),
        )),
        never_ends("rows without end", columns(), |sequence| {
            packet_from(sequence, &lenenc(&[b'x'; 50_000]))
        }),
        never_ends("tiny rows without end", columns(), |sequence| {
            let (mut bytes, mut sequence) = (Vec::new(), sequence);
            for _ in 0..5000 {
                let (row, next) = packet_from(sequence, &[0]);
                bytes.extend(row);
                sequence = next;
            }
            (bytes, sequence)
        }),
        never_ends("results without end", Vec::new(), |sequence| {
            packet_from(sequence, &ok(0, 0, packets::MORE))
        }),
        never_ends("one row without end", columns(), |sequence| {
            let header = [0xFF, 0xFF, 0xFF, sequence];
            ([&header[..], &vec![1; 0xFF_FFFF]].concat(), sequence.wrapping_add(1))
        }),
    ];
    // Closed at any byte of a login, and of the answer to the first statement.
    let greeting = usual_hello().len();
    for at in (0..greeting).step_by(9) {
        lies.push(lie(format!("closes after {at} bytes of the greeting"), move |stream| {
            stream.write_all(&usual_hello()[..at])
        }));
    }
    for at in [0, 1, 4, 5, 10] {
        lies.push(lie(format!("closes after {at} bytes of the login's end"), move |stream| {
            stream.write_all(&usual_hello())?;
            read_packet(stream)?;
            stream.write_all(&packet(2, &ok(0, 0, 2))[..at])
        }));
    }
    let rows = [columns(), packet(3, &lenenc(b"x")), packet(4, &ok(0xFE, 0, 0))].concat();
    for at in (1..rows.len()).step_by(11) {
        let rows = rows.clone();
        lies.push(lie(format!("closes after {at} bytes of an answer"), move |stream| {
            let_in(stream)?;
            read_packet(stream)?;
            stream.write_all(&rows[..at])
        }));
    }
    lies
}

/// Answers every read with that.
fn says(name: &str, answer: &'static [u8]) -> Lie {
    lie(name, move |stream| {
        let mut buffer = [0; 4096];
        while stream.read(&mut buffer)? > 0 {
            stream.write_all(answer)?;
        }
        Ok(())
    })
}

/// Lets a client of Redis in, and goes on with something that never ends.
fn goes_on(name: &str, head: &'static [u8], body: &'static [u8]) -> Lie {
    lie(name, move |stream| {
        stream.write_all(b"+OK\r\n+OK\r\n")?;
        stream.write_all(head)?;
        endless(stream, body)
    })
}

pub fn redis() -> Vec<Lie> {
    let mut lies = vec![
        lie("silent at once", silence),
        lie("closes at once", |_| Ok(())),
        lie("garbage", |stream| endless(stream, b"SSH-2.0-OpenSSH\x1b[2J")),
        lie("a line without end", |stream| endless(stream, b"+")),
        lie("a line byte by byte", |stream| drip(stream, b"+OK but very slowly")),
        lie("silent after the login", |stream| {
            stream.write_all(b"+OK\r\n+OK\r\n")?;
            silence(stream)
        }),
        well_formed(says("OK to everything", b"+OK\r\n")),
        says("an error in escape sequences", b"-ERR \x1b[2J\x07\x1b]0;hacked\x07\r\n"),
        says("pushes in place of answers", b">1\r\n+OK\r\n"),
        says("arrays in arrays", b"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n"),
        goes_on("67 million elements", b"*67000000\r\n", b":1\r\n"),
        goes_on("an array that goes on", b"*500000\r\n", b"$1\r\nx\r\n"),
        goes_on("a value of half a GB", b"$512000000\r\n", b"x"),
        goes_on("a value of 20 MB", b"$20000000\r\n", b"x"),
        goes_on("deep nesting", b"", b"*1\r\n"),
        goes_on("maps in maps", b"", b"%1000\r\n"),
        goes_on("pushes without end", b"", b">1\r\n+x\r\n"),
        goes_on("attributes without end", b"", b"|1\r\n+x\r\n+y\r\n"),
        goes_on("negative lengths", b"", b"$-77\r\n"),
        well_formed(goes_on("answers without end", b"", b"+OK\r\n")),
    ];
    let whole = b"+OK\r\n+OK\r\n$12\r\nredis_versio\r\n";
    for at in 1..whole.len() {
        lies.push(lie(format!("closes after {at} bytes"), move |stream| {
            stream.read_exact(&mut [0])?;
            stream.write_all(&whole[..at])
        }));
    }
    lies
}
