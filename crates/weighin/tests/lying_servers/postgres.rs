//! What servers of PostgreSQL do that lie.

use crate::lies::{Lie, drip, endless, lie, silence, well_formed};
use std::io::{self, Read, Write};
use std::net::TcpStream;

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag][..], &(body.len() as i32 + 4).to_be_bytes(), body].concat()
}

fn error(severity: &str, state: &str, words: &str) -> Vec<u8> {
    message(b'E', format!("S{severity}\0V{severity}\0C{state}\0M{words}\0\0").as_bytes())
}

fn authentication(step: u32, rest: &[u8]) -> Vec<u8> {
    message(b'R', &[&step.to_be_bytes()[..], rest].concat())
}

/// What a client says first, which has no type.
fn read_startup(stream: &mut TcpStream) -> io::Result<()> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut body = vec![0; u32::from_be_bytes(length).saturating_sub(4) as usize];
    stream.read_exact(&mut body)
}

fn read_message(stream: &mut TcpStream) -> io::Result<()> {
    stream.read_exact(&mut [0])?;
    read_startup(stream)
}

fn welcome() -> Vec<u8> {
    [
        authentication(0, b""),
        message(b'S', b"server_version\x0015.8\0"),
        message(b'K', &[0, 0, 0, 7, 1, 2, 3, 4]),
        message(b'Z', b"I"),
    ]
    .concat()
}

/// Lets a client in.
fn let_in(stream: &mut TcpStream) -> io::Result<()> {
    read_startup(stream)?;
    stream.write_all(&welcome())
}

/// Lets a client in, and answers every message with that.
fn answers(name: &str, answer: Vec<u8>) -> Lie {
    lie(name, move |stream| {
        let_in(stream)?;
        loop {
            read_message(stream)?;
            stream.write_all(&answer)?;
        }
    })
}

/// Lets a client in, and goes on with something that never ends.
fn never_ends(name: &str, head: Vec<u8>, body: Vec<u8>) -> Lie {
    lie(name, move |stream| {
        let_in(stream)?;
        read_message(stream)?;
        stream.write_all(&head)?;
        endless(stream, &body)
    })
}

/// Asks for a step of the login, and says no more.
fn asks(name: &str, step: Vec<u8>) -> Lie {
    lie(name, move |stream| {
        read_startup(stream)?;
        stream.write_all(&step)?;
        silence(stream)
    })
}

fn columns() -> Vec<u8> {
    message(b'T', &[&[0, 1, b'v', 0][..], &[0; 18]].concat())
}

pub fn lies() -> Vec<Lie> {
    let escape = "\x1b]0;hacked\x07\x1b[2J\r\u{202e}".repeat(2000);
    let sasl = || authentication(10, b"SCRAM-SHA-256\0\0");
    let mut lies = vec![
        lie("silent at once", silence),
        lie("closes at once", |_| Ok(())),
        lie("garbage", |stream| endless(stream, b"HTTP/1.1 400 Bad Request\r\n\r\n\x1b[2J")),
        lie("zeros", |stream| endless(stream, &[0])),
        lie("lets in byte by byte", |stream| drip(stream, &welcome())),
        lie("parameters without end", |stream| {
            endless(stream, &message(b'S', b"server_version\x0015\0"))
        }),
        lie("notices without end", |stream| endless(stream, &message(b'N', b"SNOTICE\0\0"))),
        lie("asks for the password again and again", |stream| {
            read_startup(stream)?;
            loop {
                stream.write_all(&authentication(5, b"salt"))?;
                read_message(stream)?;
            }
        }),
        asks("asks for the password in clear", authentication(3, b"")),
        asks("asks for a method that nobody has", authentication(77, b"")),
        asks("asks for a mechanism that nobody has", authentication(10, b"OAUTH\x1b[2J\0\0")),
        asks("goes on with a login that has not begun", authentication(11, b"r=a,s=YQ==,i=1")),
        asks("ends a login that has not begun", authentication(12, b"v=YQ==")),
        asks("a step of two gigabytes", b"R\x7f\xff\xff\xff\0\0\0\x0a".to_vec()),
        asks("a step of negative length", b"R\xff\xff\xff\xff\0\0\0\x0a".to_vec()),
        lie("lets in without the proof of a password", move |stream| {
            read_startup(stream)?;
            stream.write_all(&sasl())?;
            read_message(stream)?;
            stream.write_all(&welcome())?;
            silence(stream)
        }),
        lie("two proofs", move |stream| {
            read_startup(stream)?;
            stream.write_all(&authentication(10, b"SCRAM-SHA-256\0\0"))?;
            read_message(stream)?;
            let twice = authentication(12, b"v=YQ==").repeat(2);
            stream.write_all(&twice)?;
            silence(stream)
        }),
        lie("refuses with escape sequences", move |stream| {
            read_startup(stream)?;
            stream.write_all(&error("FATAL", "28P01", &escape))?;
            silence(stream)
        }),
        lie("silent after the login", |stream| {
            let_in(stream)?;
            silence(stream)
        }),
        lie("an answer byte by byte", |stream| {
            let_in(stream)?;
            read_message(stream)?;
            drip(stream, &columns())
        }),
        lie("closes on the first statement", |stream| {
            let_in(stream)?;
            read_message(stream).map(drop)
        }),
        lie("errors and closes in the middle of an answer", |stream| {
            let_in(stream)?;
            read_message(stream)?;
            stream.write_all(&columns())?;
            stream.write_all(&error("ERROR", "XX000", "half a row"))
        }),
        well_formed(answers("ready after everything", message(b'Z', b"I"))),
        answers("an unknown state", message(b'Z', b"?")),
        answers("an unknown message", message(b'~', b"\x1b[2J")),
        answers("data, please", message(b'G', &[0, 0, 0])),
        answers("another login", authentication(0, b"")),
        answers("rows without columns", message(b'D', &[0, 1, 0, 0, 0, 1, b'x'])),
        answers("60,000 columns", message(b'T', &[0xEA, 0x60])),
        answers("a value of negative length", {
            [columns(), message(b'D', &[0, 1, 0xff, 0xff, 0xff, 0xf0])].concat()
        }),
        answers("a value longer than its row", {
            [columns(), message(b'D', &[0, 1, 0x7f, 0xff, 0xff, 0xff])].concat()
        }),
        well_formed(answers(
            "an error in escape sequences",
            [error("ERROR", "42601", "\x1b[2J\x07"), message(b'Z', b"I")].concat(),
        )),
        answers("its last word in escape sequences", error("FATAL", "57P01", "\x1b[2J\x07")),
        never_ends("rows without end", columns(), {
            message(b'D', &[&[0, 1, 0, 0, 0xc3, 0x50][..], &[b'x'; 50_000]].concat())
        }),
        never_ends("tiny rows without end", columns(), message(b'D', &[0, 1, 255, 255, 255, 255])),
        never_ends("rows of nothing without end", message(b'T', &[0, 0]), message(b'D', &[0, 0])),
        never_ends("errors without end", Vec::new(), error("ERROR", "XX000", "no")),
        never_ends("results without end", Vec::new(), message(b'C', b"SELECT 0\0")),
        never_ends("asides without end", Vec::new(), message(b'S', b"TimeZone\0UTC\0")),
        never_ends("one row without end", [columns(), b"D\x7f\xff\xff\xff".to_vec()].concat(), {
            vec![1; 1000]
        }),
        never_ends("an error without end", b"E\x7f\xff\xff\xff".to_vec(), vec![b'S'; 1000]),
    ];
    // Closed at any byte of a login, and of the answer to the first statement.
    let whole = welcome();
    for at in (0..whole.len()).step_by(9) {
        let whole = whole.clone();
        lies.push(lie(format!("closes after {at} bytes of the login"), move |stream| {
            read_startup(stream)?;
            stream.write_all(&whole[..at])
        }));
    }
    let row = message(b'D', &[0, 1, 0, 0, 0, 1, b'x']);
    let rows = [columns(), row, message(b'C', b"SELECT 1\0"), message(b'Z', b"I")].concat();
    for at in (1..rows.len()).step_by(7) {
        let rows = rows.clone();
        lies.push(lie(format!("closes after {at} bytes of an answer"), move |stream| {
            let_in(stream)?;
            read_message(stream)?;
            stream.write_all(&rows[..at])
        }));
    }
    lies
}
