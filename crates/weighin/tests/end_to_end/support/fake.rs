//! Servers that say what a test has them say.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// A server that answers whatever it is sent with what `answer` makes of it, after a greeting.
pub fn fake_server(
    greeting: Vec<u8>,
    answer: impl Fn(&[u8]) -> Vec<u8> + Send + Clone + 'static,
) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let (greeting, answer) = (greeting.clone(), answer.clone());
            std::thread::spawn(move || serve(&mut stream, &greeting, &answer));
        }
    });
    port
}

fn serve(stream: &mut TcpStream, greeting: &[u8], answer: &dyn Fn(&[u8]) -> Vec<u8>) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(60)));
    let mut asked = [0; 65_536];
    if stream.write_all(greeting).is_err() {
        return;
    }
    while let Ok(read @ 1..) = stream.read(&mut asked) {
        if stream.write_all(&answer(&asked[..read])).is_err() {
            return;
        }
    }
}

/// A packet of MySQL's protocol.
pub fn packet(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], content].concat()
}

/// The packet of an error.
pub fn mysql_error(number: u8, message: &str) -> Vec<u8> {
    packet(number, &[&[0xff, 0x15, 0x04][..], b"#28000", message.as_bytes()].concat())
}

/// The greeting of a server of MySQL's protocol of that version.
pub fn handshake(version: &str) -> Vec<u8> {
    let mut content = vec![10];
    content.extend(version.bytes());
    content.extend([0, 1, 0, 0, 0]);
    content.extend(*b"abcdefgh\0");
    // Protocol 4.1, plugins, secure connections, databases named at login.
    content.extend([0xff, 0xf7, 33, 2, 0, 0xff, 0x81, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    content.extend(*b"ijklmnopqrst\0");
    content.extend(*b"mysql_native_password\0");
    packet(0, &content)
}

/// A server of MySQL's protocol that lets everybody in and answers nothing else.
pub fn silent_after_login() -> u16 {
    fake_server(handshake("8.0.36"), |asked| match asked.get(3) {
        Some(1) => packet(2, &[0, 0, 0, 2, 0, 0, 0]),
        _ => Vec::new(),
    })
}
