//! The MySQL protocol: what a server sends, from the greeting to the last row.

use super::{KIB, MIB};
use crate::Target;
use crate::input::{Cuts, Input, feed};
use crate::seeds::mysql as seeds;
use mysql::protocol::{
    Compressed, Dialect, Login, LoginOptions, LoginStep, PrepareReader, Prepared, ProtocolError,
    Reply, ResponseReader, ServerError, ServerKey, TextReader, TextReply,
};

/// A login against a server that may send anything.
pub(super) const LOGIN: Target = Target {
    name: "mysql_login",
    mutations: 500,
    run: login,
    seeds: seeds::logins,
    longest: 4 * KIB,
    memory: 2 * MIB,
    dictionary: dictionary!(mysql_login),
};

/// Replies to commands.
pub(super) const REPLIES: Target = Target {
    name: "mysql_replies",
    mutations: 3000,
    run: replies,
    seeds: seeds::replies,
    longest: 4 * KIB,
    memory: 2 * MIB,
    dictionary: dictionary!(mysql_replies),
};

/// Frames of the compressed protocol.
pub(super) const COMPRESSED: Target = Target {
    name: "mysql_compressed",
    mutations: 3000,
    run: compressed,
    seeds: seeds::compressed,
    longest: 4 * KIB,
    memory: 2 * MIB,
    dictionary: dictionary!(mysql_compressed),
};

/// What the client sends of itself, decided by a byte.
pub(super) fn options(flags: u8) -> LoginOptions {
    LoginOptions {
        user: "root".into(),
        password: if flags & 1 != 0 { b"secret".to_vec() } else { Vec::new() },
        database: (flags & 2 != 0).then(|| "test".into()),
        tls: flags & 4 != 0,
        compression: false,
        local_transport: flags & 8 != 0,
        local_infile: flags & 16 != 0,
        server_key: match flags >> 6 {
            0 | 3 => ServerKey::Request,
            1 => ServerKey::Refuse,
            _ => ServerKey::Pinned(seeds::KEY.into()),
        },
        may_reveal: flags & 32 != 0,
    }
}

/// Packets as the stream that a server would send: their framing is right, so that noise gets
/// further. Each packet has a length in front and may skip sequence numbers.
pub(super) fn framed(data: &[u8], first: u8, step: u8) -> Vec<u8> {
    let (mut input, mut stream, mut sequence) = (Input::new(data), Vec::new(), first);
    while !input.is_empty() {
        let length = input.below(1 << 12);
        let payload = input.bytes(length);
        stream.extend_from_slice(&(payload.len() as u32).to_le_bytes()[..3]);
        stream.push(sequence);
        stream.extend_from_slice(payload);
        sequence = sequence.wrapping_add(step);
    }
    stream
}

/// Byte 0: options and framing. Byte 1: how the stream is cut.
fn login(data: &[u8]) {
    let mut input = Input::new(data);
    let (flags, cuts) = (input.byte(), input.byte());
    let options = options(flags);
    let stream = match flags & 32 {
        0 => input.rest().to_vec(),
        _ => framed(input.rest(), 0, 2),
    };
    let whole = log_in(&stream, &options, Cuts::new(0));
    if options.tls {
        // What comes together with the greeting is refused there, so pieces do matter.
        log_in(&stream, &options, Cuts::new(cuts));
    } else {
        assert_eq!(whole, log_in(&stream, &options, Cuts::new(cuts)), "pieces change a login");
    }
}

/// How much the client sent, and how the login ended. What it sent is not compared: an encrypted
/// password never looks the same twice.
fn log_in(stream: &[u8], options: &LoginOptions, cuts: Cuts) -> (usize, String) {
    let mut login = Login::new(options.clone());
    let (mut sent, mut end) = (Vec::new(), String::new());
    feed(stream, cuts, |piece| match login.receive(piece, &mut sent) {
        Ok(LoginStep::NeedMore { consumed }) => Some(consumed),
        Ok(LoginStep::StartTls { consumed }) => {
            login.tls_started(&mut sent);
            Some(consumed)
        }
        Ok(LoginStep::Done { session, .. }) => {
            end = format!("{session:?}");
            None
        }
        Err(error) => {
            end = format!("{error:?} {error}");
            None
        }
    });
    (sent.len(), end)
}

/// Byte 0: dialect, framing and reader. Byte 1: how the stream is cut.
fn replies(data: &[u8]) {
    let mut input = Input::new(data);
    let (flags, cuts) = (input.byte(), input.byte());
    let dialect = Dialect {
        deprecate_eof: flags & 1 != 0,
        cache_metadata: flags & 2 != 0,
        compressed: flags & 16 != 0,
    };
    let stream = match flags & 4 {
        0 => input.rest().to_vec(),
        _ => framed(input.rest(), 1, 1),
    };
    match flags >> 3 & 1 {
        0 => {
            let counted = read_counting(&stream, dialect, Cuts::new(0));
            let pieces = read_counting(&stream, dialect, Cuts::new(cuts));
            assert_eq!(counted, pieces, "pieces change replies");
            let read = read_text(&stream, dialect, Cuts::new(cuts));
            let whole = read_text(&stream, dialect, Cuts::new(0));
            assert_eq!(read, whole, "pieces change rows");
            // The counting reader looks at less, so it may get further, and never says otherwise.
            for (counted, read) in counted.iter().zip(read) {
                match (counted, &read) {
                    (Ok(Reply::Rows { rows, .. }), Ok(TextReply::Rows { rows: read, .. })) => {
                        assert_eq!(*rows, read.rows.len() as u64);
                        let columns = read.columns.len();
                        assert!(read.rows.iter().all(|row| row.len() == columns));
                    }
                    (Ok(Reply::Err(counted)), Ok(TextReply::Err(read))) => {
                        assert_eq!(counted, read);
                    }
                    (_, Err(_)) => break,
                    (Ok(Reply::Ok { .. }), Ok(TextReply::Ok { .. }))
                    | (Ok(Reply::LocalInfile { .. }), Ok(TextReply::LocalInfile { .. })) => {}
                    other => panic!("two readers, two replies: {other:?}"),
                }
            }
        }
        _ => {
            let whole = read_prepare(&stream, dialect, Cuts::new(0));
            assert_eq!(whole, read_prepare(&stream, dialect, Cuts::new(cuts)), "pieces matter");
        }
    }
}

/// Byte 0: how the stream is cut.
fn compressed(data: &[u8]) {
    let mut input = Input::new(data);
    let cuts = input.byte();
    let stream = input.rest();
    let whole = decompressed(stream, Cuts::new(0));
    assert_eq!(whole, decompressed(stream, Cuts::new(cuts)), "pieces change what was compressed");
}

/// How many bytes came of it, what they add up to, and the error if there is one. Up to where a frame is
/// damaged, pieces do change how much comes of it.
fn decompressed(stream: &[u8], cuts: Cuts) -> Result<(usize, u32), ProtocolError> {
    let (mut end, mut all, mut sum, mut failed) = (Compressed::default(), 0, 0_u32, None);
    feed(stream, cuts, |piece| {
        let mut rest = piece;
        loop {
            match end.unwrap(&mut rest) {
                Ok([]) => return Some(piece.len()),
                Ok(content) => {
                    all += content.len();
                    sum = content
                        .iter()
                        .fold(sum, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
                }
                Err(error) => {
                    failed = Some(error);
                    return None;
                }
            }
        }
    });
    failed.map_or(Ok((all, sum)), Err)
}

/// All replies, and at the end the error if there is one.
type Read<T> = Vec<Result<T, ProtocolError>>;

/// Keeps what a reader gives; how much it consumed, unless that was its end.
fn keep<T>(found: &mut Read<T>, read: Result<(usize, Option<T>), ProtocolError>) -> Option<usize> {
    match read {
        Ok((consumed, reply)) => {
            found.extend(reply.map(Ok));
            Some(consumed)
        }
        Err(error) => {
            found.push(Err(error));
            None
        }
    }
}

fn read_counting(stream: &[u8], dialect: Dialect, cuts: Cuts) -> Read<Reply> {
    let (mut reader, mut found) = (ResponseReader::new(dialect), Vec::new());
    feed(stream, cuts, |piece| keep(&mut found, reader.receive(piece)));
    found
}

fn read_text(stream: &[u8], dialect: Dialect, cuts: Cuts) -> Read<TextReply> {
    let (mut reader, mut found) = (TextReader::new(dialect, 1), Vec::new());
    feed(stream, cuts, |piece| {
        let read = reader.receive(piece);
        // A reader serves one query: the next one has a new reader.
        let goes_on = match &read {
            Ok((
                _,
                Some(TextReply::Ok { more_results, .. } | TextReply::Rows { more_results, .. }),
            )) => *more_results,
            Ok((_, Some(TextReply::Err(_)))) => false,
            _ => true,
        };
        if !goes_on {
            reader = TextReader::new(dialect, 1);
        }
        keep(&mut found, read)
    });
    found
}

fn read_prepare(
    stream: &[u8],
    dialect: Dialect,
    cuts: Cuts,
) -> Read<Result<Prepared, ServerError>> {
    let (mut reader, mut found) = (PrepareReader::new(dialect), Vec::new());
    feed(stream, cuts, |piece| keep(&mut found, reader.receive(piece)));
    found
}
