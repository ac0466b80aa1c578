//! The load engine's path through an answer must not allocate: not for an answer, not for a row, and
//! not for a request.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use postgres::protocol::{Answer, AnswerReader, Columns, ExecuteTemplate, Kept};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: all work is the system allocator's; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn message(tag: u8, body: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&(body.len() as i32 + 4).to_be_bytes());
    out.extend_from_slice(body);
}

/// An answer of 100 rows, with a notice in the middle.
fn answer() -> Vec<u8> {
    let mut out = Vec::new();
    message(b'2', b"", &mut out);
    message(b'T', &[&[0, 1, b'v', 0][..], &[0; 18]].concat(), &mut out);
    for number in 0..100_u8 {
        message(b'D', &[&[0, 1, 0, 0, 0, 121][..], &[number; 121]].concat(), &mut out);
        if number == 50 {
            message(b'N', b"SNOTICE\0C00000\0Mnothing\0\0", &mut out);
        }
    }
    message(b'C', b"SELECT 100\0", &mut out);
    message(b'Z', b"I", &mut out);
    out
}

#[test]
fn requests_and_answers_do_not_allocate_once_their_buffers_have_grown() {
    const INT4: u32 = 23;
    const INT8: u32 = 20;
    let answer = answer();
    let template = ExecuteTemplate::new("w0", &[INT4, INT8, 0, 0]);
    let (mut reader, mut columns) = (AnswerReader::default(), Columns::default());
    let (mut out, mut value) = (Vec::new(), Vec::new());
    let mut input = Vec::with_capacity(2 * answer.len());
    let mut round = |piece: usize| {
        out.clear();
        let mut execution = template.begin(&mut out);
        execution.integer(42);
        execution.integer(-1);
        execution.text_slot(119).fill(b'x');
        execution.integer(7);
        execution.end();
        reader.keep_row(Kept::First);
        input.clear();
        let mut seen = 0;
        for bytes in answer.chunks(piece) {
            input.extend_from_slice(bytes);
            let (used, answer) = reader.receive(&input, Some(&mut columns)).unwrap();
            input.drain(..used);
            if let Some(Answer::Done { rows, .. }) = answer {
                seen += rows;
            }
        }
        assert_eq!(seen, 100);
        assert!(reader.read(0, &mut value).unwrap());
    };
    // Cut everywhere first, so that every buffer reaches its size.
    round(1);
    let before = ALLOCATIONS.get();
    for piece in [1, 3, 7, 100, 1000, 100_000] {
        round(piece);
    }
    assert_eq!(ALLOCATIONS.get(), before);
}
