//! The protocol of Redis: replies in pieces, and whole answers of control work.

use super::{KIB, MIB};
use crate::Target;
use crate::input::{Cuts, Input, feed};
use crate::seeds::redis as seeds;
use protocol::redis::{Reply, ReplyReader, Value};

/// Replies.
pub(super) const REPLIES: Target = Target {
    name: "redis_replies",
    mutations: 3000,
    run: replies,
    seeds: seeds::replies,
    longest: 4 * KIB,
    memory: 2 * MIB,
    words: &[
        "\r\n",
        "$-1\r\n",
        "*2\r\n",
        "%1\r\n",
        ">2\r\n",
        "|1\r\n",
        "_\r\n",
        "$3\r\nabc\r\n",
        "-ERR ",
    ],
};

/// Byte 0: how the stream is cut.
fn replies(data: &[u8]) {
    let mut input = Input::new(data);
    let cuts = input.byte();
    let stream = input.rest();
    let whole = read(stream, Cuts::new(0));
    assert_eq!(whole, read(stream, Cuts::new(cuts)), "pieces change replies");
    values(stream);
}

/// All replies, and at the end the error if there is one.
fn read(stream: &[u8], cuts: Cuts) -> Vec<Result<Reply, String>> {
    let (mut reader, mut found) = (ReplyReader::default(), Vec::new());
    feed(stream, cuts, |piece| match reader.receive(piece) {
        Ok((consumed, reply)) => {
            found.extend(reply.map(Ok));
            Some(consumed)
        }
        Err(error) => {
            found.push(Err(error.to_string()));
            None
        }
    });
    found
}

/// Whole answers, one after another. One that is complete stays the same with more behind it, and
/// is not complete without its last byte.
fn values(stream: &[u8]) {
    let mut at = 0;
    while let Ok(Some((length, value))) = Value::parse(&stream[at..]) {
        assert!(length > 0 && length <= stream.len() - at);
        let whole = &stream[at..at + length];
        assert_eq!(Value::parse(whole), Ok(Some((length, value))));
        assert_eq!(Value::parse(&whole[..length - 1]), Ok(None));
        at += length;
    }
}
