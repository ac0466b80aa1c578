//! Whatever arrives, in whatever pieces: the same replies, and never a panic.

use crate::support::{MORE, definition, eof, err, greeting, lenenc, ok, packet, stream};
use mysql::protocol::{
    Dialect, Login, LoginOptions, PrepareReader, ProtocolError, Reply, ResponseReader, ServerKey,
    TextReader, TextReply,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn dialect() -> impl Strategy<Value = Dialect> {
    (any::<bool>(), any::<bool>()).prop_map(|(deprecate_eof, caching)| Dialect {
        deprecate_eof,
        cache_metadata: deprecate_eof && caching,
        compressed: false,
    })
}

/// The packets of one result, of which another follows if `status` says so.
fn result(dialect: Dialect, status: u16) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let value = prop_oneof![Just(None), vec(any::<u8>(), 0..300).prop_map(Some)];
    let table = (1..4_usize).prop_flat_map(move |columns| {
        vec(vec(value.clone(), columns), 0..20).prop_map(move |rows| {
            let mut packets = vec![vec![columns as u8]];
            if dialect.cache_metadata {
                packets[0].push(1);
            }
            packets.extend((0..columns).map(|column| definition(&format!("c{column}"))));
            if !dialect.deprecate_eof {
                packets.push(eof(0));
            }
            packets.extend(rows.iter().map(|row| {
                row.iter().flat_map(|v| v.as_ref().map_or(vec![0xFB], |v| lenenc(v))).collect()
            }));
            packets.push(match dialect.deprecate_eof {
                true => ok(0xFE, 0, status),
                false => eof(status),
            });
            packets
        })
    });
    prop_oneof![table, (0..250_u8).prop_map(move |rows| vec![ok(0, rows, status)])]
}

/// Replies to two commands in a row, the first of several results and the second maybe an error.
fn replies() -> impl Strategy<Value = (Dialect, Vec<u8>)> {
    dialect().prop_flat_map(|dialect| {
        let last = prop_oneof![
            result(dialect, 0),
            Just(vec![err(1213, "40001", "Deadlock found when trying to get lock")]),
        ];
        (result(dialect, MORE), result(dialect, 0), last).prop_map(move |(first, second, last)| {
            let bytes = [stream(1, &[first, second].concat()), stream(1, &last)].concat();
            (dialect, bytes)
        })
    })
}

/// Feeds a reader pieces whose lengths come from `lengths`, over and over.
fn fed<T>(
    bytes: &[u8],
    lengths: &[usize],
    mut receive: impl FnMut(&[u8]) -> Result<(usize, Option<T>), ProtocolError>,
) -> Vec<T> {
    let (mut at, mut found) = (0, Vec::new());
    let mut lengths = lengths.iter().cycle();
    while at < bytes.len() {
        let length = *lengths.next().unwrap();
        let end = bytes.len().min(at + length);
        while at < end {
            let (consumed, reply) = receive(&bytes[at..end]).unwrap();
            found.extend(reply);
            at += consumed;
        }
    }
    found
}

fn options(tls: bool) -> LoginOptions {
    LoginOptions {
        user: "u".into(),
        password: b"p".to_vec(),
        database: None,
        tls,
        local_transport: false,
        compression: false,
        local_infile: true,
        server_key: ServerKey::Request,
        may_reveal: true,
    }
}

proptest! {
    #[test]
    fn pieces_do_not_change_the_replies(
        (dialect, bytes) in replies(),
        lengths in vec(1..40_usize, 1..20),
    ) {
        let mut reader = ResponseReader::new(dialect);
        let whole: Vec<Reply> = fed(&bytes, &[usize::MAX / 2], |input| reader.receive(input));
        prop_assert_eq!(whole.len(), 3);
        let mut reader = ResponseReader::new(dialect);
        let pieces: Vec<Reply> = fed(&bytes, &lengths, |input| reader.receive(input));
        prop_assert_eq!(&whole, &pieces);
    }

    #[test]
    fn both_readers_see_the_same_rows(
        (dialect, bytes) in replies(),
        lengths in vec(1..40_usize, 1..20),
    ) {
        let mut reader = ResponseReader::new(dialect);
        let counted: Vec<Reply> = fed(&bytes, &lengths, |input| reader.receive(input));
        let mut reader = TextReader::new(dialect, 1);
        let mut command = 0;
        let read: Vec<TextReply> = fed(&bytes, &lengths, |input| {
            let (consumed, reply) = reader.receive(input)?;
            if reply.is_some() {
                command += 1;
                if command == 2 {
                    reader = TextReader::new(dialect, 1);
                }
            }
            Ok((consumed, reply))
        });
        let read: Vec<Reply> = read.into_iter().map(|reply| match reply {
            TextReply::Ok { affected_rows, more_results } => Reply::Ok { affected_rows, more_results },
            TextReply::Rows { rows, more_results } => {
                Reply::Rows { rows: rows.rows.len() as u64, more_results }
            }
            TextReply::LocalInfile { filename, sequence } => Reply::LocalInfile { filename, sequence },
            TextReply::Err(error) => Reply::Err(error),
        }).collect();
        prop_assert_eq!(counted, read);
    }

    #[test]
    fn damaged_replies_never_panic(
        (dialect, mut bytes) in replies(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        lengths in vec(1..40_usize, 1..20),
    ) {
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        feed_all(dialect, &bytes, &lengths);
    }

    #[test]
    fn noise_never_panics(
        dialect in dialect(),
        bytes in vec(any::<u8>(), 0..400),
        payloads in vec(vec(any::<u8>(), 0..60), 0..6),
        lengths in vec(1..40_usize, 1..20),
    ) {
        feed_all(dialect, &bytes, &lengths);
        // In frames that are in order, noise gets further.
        feed_all(dialect, &stream(1, &payloads), &lengths);
    }

    #[test]
    fn a_noisy_login_never_panics(
        tls in any::<bool>(),
        bytes in vec(any::<u8>(), 0..400),
        mut hello in Just(greeting("8.0.40", u32::MAX, 0, "caching_sha2_password")),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        payloads in vec(answer_to_login(), 0..6),
    ) {
        let _ = Login::new(options(tls)).receive(&bytes, &mut Vec::new());
        for (place, value) in damage {
            let place = place.index(hello.len());
            hello[place] = value;
        }
        let mut login = Login::new(options(tls));
        let mut sent = Vec::new();
        let _ = login.receive(&packet(0, &hello), &mut sent);
        login.tls_started(&mut sent);
        let first = if tls { 3 } else { 2 };
        for (turn, payload) in payloads.iter().enumerate() {
            let _ = login.receive(&packet(first + 2 * turn as u8, payload), &mut sent);
        }
    }
}

/// Something like what a server sends during authentication.
fn answer_to_login() -> impl Strategy<Value = Vec<u8>> {
    let plugin = prop_oneof![
        Just("mysql_native_password"),
        Just("caching_sha2_password"),
        Just("sha256_password"),
        Just("client_ed25519"),
        Just("mysql_clear_password"),
    ];
    let data = prop_oneof![vec(any::<u8>(), 0..40), vec(any::<u8>(), 20), vec(any::<u8>(), 32)];
    prop_oneof![
        (plugin, data)
            .prop_map(|(plugin, data)| [b"\xFE", plugin.as_bytes(), b"\0", &data].concat()),
        Just(vec![1, 4]),
        vec(any::<u8>(), 0..60).prop_map(|data| [&[1][..], &data].concat()),
        vec(any::<u8>(), 0..60),
        // A key whose lengths are noise.
        vec(0..65_usize, 0..80).prop_map(|digits| {
            const DIGITS: &[u8; 65] =
                b"MIBAQgCDwEFGHJKLNOPRSTUVWXYZabcdefhijklmnopqrstuvxyz0123456789+/=";
            let body: Vec<u8> = digits.iter().map(|&digit| DIGITS[digit]).collect();
            let (begin, end) = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----");
            [&[1], begin.as_bytes(), b"MII", &body, end.as_bytes()].concat()
        }),
    ]
}

/// Feeds every reader until it refuses.
fn feed_all(dialect: Dialect, bytes: &[u8], lengths: &[usize]) {
    let mut responses = ResponseReader::new(dialect);
    until_refused(bytes, lengths, |input| responses.receive(input).map(|(n, _)| n));
    let mut rows = TextReader::new(dialect, 1);
    until_refused(bytes, lengths, |input| rows.receive(input).map(|(n, _)| n));
    let mut statements = PrepareReader::new(dialect);
    until_refused(bytes, lengths, |input| statements.receive(input).map(|(n, _)| n));
}

fn until_refused(
    bytes: &[u8],
    lengths: &[usize],
    mut receive: impl FnMut(&[u8]) -> Result<usize, ProtocolError>,
) {
    let mut at = 0;
    for length in lengths.iter().cycle() {
        if at >= bytes.len() {
            return;
        }
        match receive(&bytes[at..bytes.len().min(at + length)]) {
            Ok(consumed) => at += consumed,
            Err(_) => return,
        }
    }
}
