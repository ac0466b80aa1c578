//! What MySQL servers send.

use super::seed;

/// Flag of the targets: the rest of the input is packets with a length in front.
const FRAMED_SESSION: u8 = 32;
const FRAMED_REPLIES: u8 = 4;

const NATIVE: &str = "mysql_native_password";
const CACHING: &str = "caching_sha2_password";

/// A 2048-bit RSA key, made for this.
pub(crate) const KEY: &str = include_str!("server-key.pem");

fn greeting(version: &str, flags: u32, extended: u32, plugin: &str) -> Vec<u8> {
    let mut out = vec![10];
    out.extend_from_slice(version.as_bytes());
    out.push(0);
    out.extend_from_slice(&77_u32.to_le_bytes());
    out.extend_from_slice(b"abcdefgh\0");
    out.extend_from_slice(&(flags as u16).to_le_bytes());
    out.push(0x2D);
    out.extend_from_slice(&2_u16.to_le_bytes());
    out.extend_from_slice(&((flags >> 16) as u16).to_le_bytes());
    out.push(21);
    out.extend_from_slice(&[0; 6]);
    out.extend_from_slice(&extended.to_le_bytes());
    out.extend_from_slice(b"ijklmnopqrst\0");
    out.extend_from_slice(plugin.as_bytes());
    out.push(0);
    out
}

/// Greetings of MySQL 8 with and without TLS, MySQL 5.7, MariaDB 10.11.
fn greetings() -> Vec<Vec<u8>> {
    vec![
        greeting("8.0.40", u32::MAX, 0, CACHING),
        greeting("8.4.2", !(1 << 11), 0, CACHING),
        greeting("5.7.44-log", !(1 << 11), 0, NATIVE),
        greeting("5.5.5-10.11.6-MariaDB-0+deb12u1", !1, 0b11111, NATIVE),
    ]
}

fn ok(first: u8, affected: u8, status: u16) -> Vec<u8> {
    [&[first, affected, 0][..], &status.to_le_bytes(), &[0, 0]].concat()
}

fn eof(status: u16) -> Vec<u8> {
    [&[0xFE, 0, 0][..], &status.to_le_bytes()].concat()
}

fn err(code: u16, state: &str, message: &str) -> Vec<u8> {
    [&[0xFF][..], &code.to_le_bytes(), b"#", state.as_bytes(), message.as_bytes()].concat()
}

fn lenenc(bytes: &[u8]) -> Vec<u8> {
    [&[bytes.len() as u8][..], bytes].concat()
}

fn definition(name: &str) -> Vec<u8> {
    let mut out = lenenc(b"def");
    for text in ["test", "t", "t", name, name] {
        out.extend(lenenc(text.as_bytes()));
    }
    out.extend_from_slice(&[0x0C, 0x2D, 0, 0xFF, 0, 0, 0, 0xFD, 0, 0, 0, 0, 0]);
    out
}

/// Packets with their lengths in front.
fn packets(packets: &[Vec<u8>]) -> Vec<u8> {
    packets.iter().flat_map(|p| [&(p.len() as u16).to_le_bytes(), &p[..]].concat()).collect()
}

/// Packets as they travel.
fn stream(first: u8, step: u8, packets: &[Vec<u8>]) -> Vec<u8> {
    let mut sequence = first;
    let mut bytes = Vec::new();
    for packet in packets {
        bytes.extend_from_slice(&(packet.len() as u32).to_le_bytes()[..3]);
        bytes.push(sequence);
        bytes.extend_from_slice(packet);
        sequence = sequence.wrapping_add(step);
    }
    bytes
}

fn switch(plugin: &str, data: &[u8]) -> Vec<u8> {
    [b"\xFE", plugin.as_bytes(), b"\0", data].concat()
}

pub(crate) fn logins() -> Vec<Vec<u8>> {
    let key = [b"\x01", KEY.as_bytes()].concat();
    let challenge = b"abcdefghijklmnopqrst\0";
    let answers: Vec<Vec<Vec<u8>>> = vec![
        vec![ok(0, 0, 2)],
        vec![vec![1, 3], ok(0, 0, 2)],
        vec![vec![1, 4], ok(0, 0, 2)],
        vec![vec![1, 4], key.clone(), ok(0, 0, 2)],
        vec![switch(NATIVE, challenge), ok(0, 0, 2)],
        vec![switch("client_ed25519", &[b'e'; 32]), ok(0, 0, 2)],
        vec![switch("sha256_password", challenge), key, ok(0, 0, 2)],
        vec![switch("mysql_clear_password", b""), ok(0, 0, 2)],
        vec![vec![0xFE]],
        vec![err(1045, "28000", "Access denied for user 'root'@'localhost'")],
    ];
    let mut seeds = Vec::new();
    for greeting in greetings() {
        for (number, answer) in answers.iter().enumerate() {
            let all = [vec![greeting.clone()], answer.clone()].concat();
            let options = [1, 3, 5, 9, 17][number % 5];
            seeds.push(seed(&[options | FRAMED_SESSION, number as u8], &packets(&all)));
        }
        let all = [greeting, ok(0, 0, 2)];
        seeds.push(seed(&[1, 3], &stream(0, 2, &all)));
    }
    seeds.push(seed(&[1, 0], &stream(0, 2, &[b"\xFF\x10\x04Too many connections".to_vec()])));
    seeds
}

/// Replies to commands, by whether definitions end without an EOF packet and may be left out.
fn results(deprecate_eof: bool, cache_metadata: bool, status: u16) -> Vec<Vec<u8>> {
    let mut all = vec![vec![2]];
    if cache_metadata {
        all[0].push(1);
    }
    all.extend([definition("a"), definition("b")]);
    if !deprecate_eof {
        all.push(eof(0));
    }
    all.push([lenenc(b"value"), vec![0xFB]].concat());
    all.push([lenenc(b""), lenenc(b"1")].concat());
    all.push(if deprecate_eof { ok(0xFE, 0, status) } else { eof(status) });
    all
}

pub(crate) fn replies() -> Vec<Vec<u8>> {
    const MORE: u16 = 8;
    let mut seeds = Vec::new();
    for dialect in 0..4 {
        let (deprecate_eof, cache_metadata) = (dialect & 1 != 0, dialect & 2 != 0);
        let results = |status| results(deprecate_eof, cache_metadata, status);
        let many = [results(MORE), vec![ok(0, 3, MORE)], results(0)].concat();
        seeds.push(seed(&[dialect | FRAMED_REPLIES, 3], &packets(&many)));
        seeds.push(seed(&[dialect, 2], &stream(1, 1, &many)));
        let failing = [results(MORE), vec![err(1213, "40001", "Deadlock found")]].concat();
        seeds.push(seed(&[dialect | FRAMED_REPLIES, 0], &packets(&failing)));
        seeds.push(seed(&[dialect, 1], &stream(1, 1, &[b"\xFBfile.csv".to_vec(), ok(0, 1, 0)])));
        let mut prepared = vec![vec![0, 7, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]];
        for name in ["?", "c"] {
            prepared.push(definition(name));
            if !deprecate_eof {
                prepared.push(eof(0));
            }
        }
        seeds.push(seed(&[dialect | FRAMED_REPLIES | 8, 2], &packets(&prepared)));
        seeds.push(seed(&[dialect | 8, 2], &stream(1, 1, &prepared)));
    }
    seeds
}

pub(crate) fn sessions() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for mix in 0..11_u8 {
        for prepared in [true, false] {
            let head = [1, mix | if prepared { 0 } else { 16 }, 0];
            let mut bytes = stream(0, 2, &[greeting("8.4.2", !(1 << 11), 0, CACHING), ok(0, 0, 2)]);
            if prepared {
                // As many as the largest mix has for one table; those left over end the session.
                for id in 1..=12 {
                    bytes.extend(stream(1, 1, &[vec![0, id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]));
                }
            }
            for number in 0..30 {
                let rows = results(true, false, 2);
                bytes.extend(match number % 3 {
                    0 => stream(1, 1, &[ok(0, 1, 2)]),
                    1 => stream(1, 1, &rows),
                    _ => stream(1, 1, &[err(1213, "40001", "Deadlock found")]),
                });
            }
            seeds.push(seed(&head, &bytes));
        }
    }
    seeds
}

/// Frames as a server sends them: two that are not compressed, and one that is.
pub(crate) fn compressed() -> Vec<Vec<u8>> {
    let row = packets(&[ok(0, 1, 2)]);
    let mut commands = vec![row, vec![b'c'; 700]];
    let mut end = mysql::protocol::Compressed::default();
    commands.iter_mut().for_each(|command| end.wrap(command, 0));
    let mut both = commands.concat();
    // The second frame follows the first.
    both[commands[0].len() + 3] = 1;
    commands.push(both);
    commands.iter().map(|frames| [&[3][..], frames].concat()).collect()
}
