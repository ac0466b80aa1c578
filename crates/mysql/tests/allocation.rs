//! The load engine's path through a reply must not allocate: not for a reply, not for a row, and
//! not for a request.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod support;

use mysql::protocol::{Dialect, ExecuteTemplate, ParamKind, Reply, ResponseReader};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use support::{definition, lenenc, ok, stream};

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

#[test]
fn requests_and_replies_do_not_allocate_once_their_buffers_have_grown() {
    let mut packets = vec![vec![1], definition("c")];
    packets.extend((0..100).map(|_| lenenc(&[b'v'; 120])));
    packets.push(ok(0xFE, 0, 0));
    let replies = [stream(1, &packets), stream(1, &[ok(0, 1, 0)])].concat();

    let template = ExecuteTemplate::new(&[ParamKind::Int, ParamKind::Str(119)]);
    let mut reader = ResponseReader::new(Dialect {
        deprecate_eof: true,
        cache_metadata: false,
        compressed: false,
    });
    let mut out = Vec::new();
    let mut round = |piece: usize| {
        out.clear();
        let mut slots = template.write(7, false, &mut out);
        slots.set_int(0, 42);
        slots.str_slot(1).fill(b'x');
        let mut seen = (0, 0);
        for input in replies.chunks(piece) {
            let mut at = 0;
            while at < input.len() {
                let (consumed, reply) = reader.receive(&input[at..]).unwrap();
                at += consumed;
                match reply {
                    Some(Reply::Rows { rows, .. }) => seen.0 += rows,
                    Some(Reply::Ok { affected_rows, .. }) => seen.1 += affected_rows,
                    Some(other) => panic!("{other:?}"),
                    None => {}
                }
            }
        }
        assert_eq!(seen, (100, 1));
    };
    // Cut everywhere first, so that every buffer reaches its size.
    round(1);
    let before = ALLOCATIONS.get();
    for piece in [1, 3, 7, 100, 1000, 100_000] {
        round(piece);
    }
    assert_eq!(ALLOCATIONS.get(), before);
}
