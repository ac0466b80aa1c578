//! The compressed protocol, between two ends of which one plays the server.

use flate2::{Compression, write::ZlibEncoder};
use mysql::protocol::{Compressed, ProtocolError};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Write;

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

/// A frame with whatever it says of itself.
fn frame(sequence: u8, travels: &[u8], before: usize) -> Vec<u8> {
    let mut bytes = travels.len().to_le_bytes()[..3].to_vec();
    bytes.push(sequence);
    bytes.extend_from_slice(&before.to_le_bytes()[..3]);
    bytes.extend_from_slice(travels);
    bytes
}

/// Frames of a reply, in turns compressed and not; the first has number 1, as after a command.
fn reply(contents: &[Vec<u8>]) -> Vec<u8> {
    let frames = contents.iter().zip(1..).map(|(content, sequence)| match sequence % 2 {
        0 => frame(sequence, content, 0),
        _ => frame(sequence, &deflated(content), content.len()),
    });
    frames.flatten().collect()
}

fn after_a_command() -> Compressed {
    let mut end = Compressed::default();
    end.wrap(&mut vec![1, 0, 0, 0, 14], 0);
    end
}

/// Everything that comes of a stream which arrives in pieces of these lengths, in turns.
fn read(stream: &[u8], lengths: &[usize]) -> Result<Vec<u8>, ProtocolError> {
    let (mut end, mut all, mut rest) = (after_a_command(), Vec::new(), stream);
    for &length in lengths.iter().cycle() {
        let (mut piece, after) = rest.split_at(length.min(rest.len()));
        loop {
            let content = end.unwrap(&mut piece)?;
            if content.is_empty() {
                break;
            }
            all.extend_from_slice(content);
        }
        assert!(piece.is_empty(), "what gives nothing more was taken in");
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    Ok(all)
}

#[test]
fn a_command_is_compressed_where_that_makes_it_shorter() {
    let mut end = Compressed::default();
    let mut out = b"before".to_vec();
    end.wrap(&mut out, 6);
    assert_eq!(out, b"before", "nothing is no command");
    out.extend_from_slice(&[7; 49]);
    end.wrap(&mut out, 6);
    assert_eq!(out[6..], frame(0, &[7; 49], 0));
    out.truncate(6);
    out.extend_from_slice(&[7; 5_000]);
    end.wrap(&mut out, 6);
    assert_eq!(out[6..], frame(0, &deflated(&[7; 5_000]), 5_000));
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    let noise: Vec<u8> = noise.take(400).collect();
    let mut out = noise.clone();
    end.wrap(&mut out, 0);
    assert_eq!(out, frame(0, &noise, 0), "what grows travels as it is");
}

#[test]
fn a_command_longer_than_a_frame_has_several() {
    let mut end = Compressed::default();
    let mut out = vec![3; 0xFF_FFFF + 10];
    end.wrap(&mut out, 0);
    let first = deflated(&vec![3; 0xFF_FFFF]);
    let second = frame(1, &[3; 10], 0);
    assert_eq!(out, [frame(0, &first, 0xFF_FFFF), second].concat());
    // The reply goes on counting.
    let mut bytes = &frame(2, b"done", 0)[..];
    assert_eq!(end.unwrap(&mut bytes).unwrap(), b"done");
}

#[test]
fn the_end_of_a_frame_is_given_when_all_of_it_has_come() {
    let stream = reply(&[vec![5; 300]]);
    let mut end = after_a_command();
    let (mut most, mut last) = stream.split_at(stream.len() - 1);
    assert!(end.unwrap(&mut most).unwrap().is_empty());
    assert_eq!(end.unwrap(&mut last).unwrap(), [5; 300]);
}

#[test]
fn frames_that_are_not_what_they_say_are_refused() {
    let packed = deflated(&[5; 300]);
    let mut damaged = packed.clone();
    damaged[5] ^= 0x55;
    let mut checksum = packed.clone();
    *checksum.last_mut().unwrap() ^= 1;
    for (stream, why) in [
        (frame(1, &packed, 299), "longer"),
        (frame(1, &packed, 301), "ends before"),
        (frame(1, &packed[..packed.len() - 1], 300), "shorter"),
        (frame(1, &[&packed[..], b"x"].concat(), 300), "ends before"),
        (frame(1, &damaged, 300), "decompressed"),
        (frame(1, &checksum, 300), "decompressed"),
        (frame(1, b"", 300), "shorter"),
    ] {
        for lengths in [&[usize::MAX][..], &[1], &[7, 3]] {
            let error = read(&stream, lengths).unwrap_err().to_string();
            assert!(error.contains(why), "{why}: {error}");
        }
    }
    let order = ProtocolError::Sequence { expected: 1, got: 2 };
    assert_eq!(read(&frame(2, b"x", 0), &[1]).unwrap_err(), order);
}

proptest! {
    #[test]
    fn pieces_do_not_change_what_is_read(
        contents in vec(vec(0..4_u8, 0..3_000), 0..6),
        long in 0..80_000_usize,
        lengths in vec(1..4_000_usize, 1..10),
    ) {
        let mut contents = contents;
        contents.push(vec![9; long]);
        // A frame that says it is not compressed has something in it, as one that is has.
        contents.retain(|content| !content.is_empty());
        let stream = reply(&contents);
        prop_assert_eq!(read(&stream, &lengths).unwrap(), contents.concat());
    }

    #[test]
    fn noise_ends_in_an_error_or_is_taken_in(
        noise in vec(any::<u8>(), 0..300),
        lengths in vec(1..20_usize, 1..5),
    ) {
        let mut stream = frame(1, &noise, noise.len());
        stream.extend_from_slice(&noise);
        let whole = read(&stream, &[usize::MAX]);
        prop_assert_eq!(read(&stream, &lengths), whole);
    }
}
