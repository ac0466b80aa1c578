use super::not_tested;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// Runs something in a thread that the kernel refuses io_uring, as it does to every process that is
/// started from it; `None` where this thread may not do that to itself.
pub fn without_io_uring<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    without(&[libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register], run)
}

/// The same where io_uring is permitted, and registering anything for it is not.
pub fn without_registering<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    without(&[libc::SYS_io_uring_register], run)
}

/// Runs something in a thread that may not make these system calls, nor may what it starts.
fn without<T: Send>(calls: &[i64], run: impl FnOnce() -> T + Send) -> Option<T> {
    let filter = SeccompFilter::new(
        calls.iter().map(|&call| (call, Vec::new())).collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM as u32),
        std::env::consts::ARCH.try_into().unwrap(),
    );
    let filter: BpfProgram = filter.unwrap().try_into().unwrap();
    let confined = || match apply_filter(&filter) {
        Ok(()) => Some(run()),
        Err(error) => {
            not_tested(&format!("this thread cannot confine itself: {error}"));
            None
        }
    };
    std::thread::scope(|scope| scope.spawn(confined).join().unwrap())
}
