//! The protocol of Redis: replies in pieces, and whole answers of control work.

use super::{KIB, MIB};
use crate::Target;
use crate::input::{Cuts, Input, feed};
use crate::seeds::redis as seeds;
use redis::protocol::{Reply, ReplyReader, RespError, Value, ValueReader};

/// Replies.
pub(super) const REPLIES: Target = Target {
    name: "redis_replies",
    mutations: 3000,
    run: replies,
    seeds: seeds::replies,
    longest: 4 * KIB,
    memory: 2 * MIB,
    dictionary: dictionary!(redis_replies),
};

/// Byte 0: how the stream is cut.
fn replies(data: &[u8]) {
    let mut input = Input::new(data);
    let cuts = input.byte();
    let stream = input.rest();
    let whole = read(stream, Cuts::new(0));
    assert_eq!(whole, read(stream, Cuts::new(cuts)), "pieces change replies");
    let whole = values(stream, Cuts::new(0));
    assert_eq!(whole, values(stream, Cuts::new(cuts)), "pieces change answers");
}

/// All replies, and at the end the error if there is one.
type Read<T> = Vec<Result<T, String>>;

/// What a reader gives of a stream.
fn all<T>(
    stream: &[u8],
    cuts: Cuts,
    mut receive: impl FnMut(&[u8]) -> Result<(usize, Option<T>), RespError>,
) -> Read<T> {
    let mut found = Vec::new();
    feed(stream, cuts, |piece| match receive(piece) {
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

/// Replies of which only is kept what they amount to.
fn read(stream: &[u8], cuts: Cuts) -> Read<Reply> {
    let mut reader = ReplyReader::default();
    all(stream, cuts, |piece| reader.receive(piece))
}

/// Whole answers.
fn values(stream: &[u8], cuts: Cuts) -> Read<Value> {
    let mut reader = ValueReader::default();
    all(stream, cuts, |piece| reader.receive(piece))
}
