//! Builds what a server would send.
#![allow(dead_code, reason = "each test file uses its own part")]

/// A packet of one or more frames, as a server sends it; returns the next sequence number too.
pub fn packet_from(sequence: u8, payload: &[u8]) -> (Vec<u8>, u8) {
    let (mut bytes, mut sequence, mut rest) = (Vec::new(), sequence, payload);
    loop {
        let (now, after) = rest.split_at(rest.len().min(0xFF_FFFF));
        bytes.extend_from_slice(&(now.len() as u32).to_le_bytes()[..3]);
        bytes.push(sequence);
        bytes.extend_from_slice(now);
        sequence = sequence.wrapping_add(1);
        rest = after;
        if now.len() < 0xFF_FFFF {
            return (bytes, sequence);
        }
    }
}

/// A packet of one frame.
pub fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
    packet_from(sequence, payload).0
}

/// Packets numbered from a sequence number on.
pub fn stream(first: u8, payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut sequence = first;
    let mut bytes = Vec::new();
    for payload in payloads {
        let (framed, next) = packet_from(sequence, payload);
        bytes.extend(framed);
        sequence = next;
    }
    bytes
}

/// A length-encoded string.
pub fn lenenc(bytes: &[u8]) -> Vec<u8> {
    let mut out = match bytes.len() {
        n @ 0..=250 => vec![n as u8],
        n @ 251..=0xFFFF => [&[0xFC], &(n as u16).to_le_bytes()[..]].concat(),
        n @ 0x1_0000..=0xFF_FFFF => [&[0xFD], &(n as u32).to_le_bytes()[..3]].concat(),
        n => [&[0xFE], &(n as u64).to_le_bytes()[..]].concat(),
    };
    out.extend_from_slice(bytes);
    out
}

/// The definition of a column of that name.
pub fn definition(name: &str) -> Vec<u8> {
    let mut out = lenenc(b"def");
    for text in ["test", "t", "t", name, name] {
        out.extend(lenenc(text.as_bytes()));
    }
    out.push(0x0C);
    out.extend_from_slice(&[0x2D, 0, 0xFF, 0, 0, 0, 0xFD, 0, 0, 0, 0, 0]);
    out
}

/// Status flag: another result follows.
pub const MORE: u16 = 8;

/// An OK packet; with 0xFE in front it ends rows.
pub fn ok(first: u8, affected: u8, status: u16) -> Vec<u8> {
    [&[first, affected, 0][..], &status.to_le_bytes(), &[0, 0]].concat()
}

/// An EOF packet.
pub fn eof(status: u16) -> Vec<u8> {
    [&[0xFE, 0, 0][..], &status.to_le_bytes()].concat()
}

/// An ERR packet.
pub fn err(code: u16, state: &str, message: &str) -> Vec<u8> {
    [&[0xFF][..], &code.to_le_bytes(), b"#", state.as_bytes(), message.as_bytes()].concat()
}

/// Capability flags that the tests care about.
pub mod flag {
    pub const MYSQL: u32 = 1;
    pub const CONNECT_WITH_DB: u32 = 8;
    pub const LOCAL_FILES: u32 = 1 << 7;
    pub const PROTOCOL_41: u32 = 1 << 9;
    pub const SSL: u32 = 1 << 11;
    pub const SECURE_CONNECTION: u32 = 1 << 15;
    pub const PLUGIN_AUTH: u32 = 1 << 19;
    pub const DEPRECATE_EOF: u32 = 1 << 24;
    /// What MySQL 8 offers without TLS, and more than anyone asks for.
    pub const MYSQL_8: u32 = !SSL;
}

/// The challenge of all greetings here.
pub const CHALLENGE: &[u8; 20] = b"abcdefghijklmnopqrst";

/// A server's greeting.
pub fn greeting(version: &str, flags: u32, extended: u32, plugin: &str) -> Vec<u8> {
    let mut out = vec![10];
    out.extend_from_slice(version.as_bytes());
    out.push(0);
    out.extend_from_slice(&77_u32.to_le_bytes());
    out.extend_from_slice(&CHALLENGE[..8]);
    out.push(0);
    out.extend_from_slice(&(flags as u16).to_le_bytes());
    out.push(0x2D);
    out.extend_from_slice(&2_u16.to_le_bytes());
    out.extend_from_slice(&((flags >> 16) as u16).to_le_bytes());
    out.push(21);
    out.extend_from_slice(&[0; 6]);
    out.extend_from_slice(&extended.to_le_bytes());
    out.extend_from_slice(&CHALLENGE[8..]);
    out.push(0);
    out.extend_from_slice(plugin.as_bytes());
    out.push(0);
    out
}
