//! An allocator that counts: what the running thread has in use, and had at most.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Bytes that a thread may have in use. Beyond it allocations fail, which ends the process: so a
/// runaway is found before it takes the machine's memory.
const LIMIT: i64 = 500 << 20;

thread_local! {
    static IN_USE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, with an account for each thread.
pub struct Counting;

/// Bytes that this thread has allocated and not freed. What another thread frees stays in its
/// account, and may make that of the other negative.
pub fn in_use() -> i64 {
    IN_USE.get()
}

/// The highest [`in_use`] since [`forget_peak`].
pub fn peak() -> i64 {
    PEAK.get()
}

/// Begins a new maximum at what is in use now.
pub fn forget_peak() {
    PEAK.set(IN_USE.get());
}

/// Whether that many more bytes are within the limit; notes them if so.
fn take(bytes: i64) -> bool {
    let after = IN_USE.get() + bytes;
    if after > LIMIT {
        return false;
    }
    IN_USE.set(after);
    PEAK.set(PEAK.get().max(after));
    true
}

// SAFETY: all memory is the system allocator's, under the same layouts. The counters are plain
// cells of the thread without destructors: using them neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !take(layout.size() as i64) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !take(layout.size() as i64) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        take(-(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !take(new_size as i64 - layout.size() as i64) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
