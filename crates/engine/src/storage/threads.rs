//! Reads and writes that block, each in a thread of its own: for hosts that do not permit
//! io_uring.

use super::arena::Arena;
use super::transport::{Done, Kind, Request, Transport};
use crate::{Clock, Nanos};
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Threads at most: so much can be under way at once.
pub(super) const MOST: usize = 256;

/// A request with its buffer's address.
struct Job {
    request: Request,
    address: *mut u8,
}

// SAFETY: the address is that of a buffer that is lent to whoever has the job.
unsafe impl Send for Job {}

/// What the threads and their owner share.
struct Shared {
    files: Vec<File>,
    clock: Clock,
    jobs: Mutex<(VecDeque<Job>, bool)>,
    there_is_work: Condvar,
    done: Mutex<Vec<Done>>,
    something_is_done: Condvar,
}

/// Threads, with their files and buffers.
pub(super) struct Threads {
    shared: Arc<Shared>,
    arena: Arena,
    threads: Vec<JoinHandle<()>>,
    pushed: Vec<Job>,
    under_way: usize,
    done: VecDeque<Done>,
}

impl Threads {
    /// So many threads, [`MOST`] at most.
    ///
    /// # Errors
    /// When not even one can be started.
    pub(super) fn new(
        threads: usize,
        files: Vec<File>,
        arena: Arena,
        clock: Clock,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            files,
            clock,
            jobs: Mutex::default(),
            there_is_work: Condvar::new(),
            done: Mutex::default(),
            something_is_done: Condvar::new(),
        });
        let mut started = Vec::new();
        for number in 0..threads.clamp(1, MOST) {
            let shared = shared.clone();
            let thread = std::thread::Builder::new()
                .name(format!("io-{number}"))
                .spawn(move || work(&shared));
            match thread {
                Ok(thread) => started.push(thread),
                // Fewer do as well.
                Err(_) if !started.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        let (pushed, done) = (Vec::new(), VecDeque::new());
        Ok(Self { shared, arena, threads: started, pushed, under_way: 0, done })
    }
}

impl Transport for Threads {
    fn push(&mut self, request: &Request) -> io::Result<()> {
        let address = self.arena.lend(request.slot, request.kind);
        self.pushed.push(Job { request: *request, address });
        Ok(())
    }

    fn submit(&mut self) -> io::Result<()> {
        let pushed = self.pushed.len();
        if pushed > 0 {
            self.under_way += pushed;
            locked(&self.shared.jobs).0.extend(self.pushed.drain(..));
            (0..pushed).for_each(|_| self.shared.there_is_work.notify_one());
        }
        Ok(())
    }

    fn wait(&mut self, timeout: Duration) -> io::Result<Nanos> {
        self.submit()?;
        let done = locked(&self.shared.done);
        let waited = self
            .shared
            .something_is_done
            .wait_timeout_while(done, timeout, |done| done.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        let mut done = waited.0;
        self.done.extend(done.drain(..));
        drop(done);
        self.done.make_contiguous().sort_by_key(|done| done.ended);
        Ok(self.shared.clock.now())
    }

    fn take(&mut self) -> Option<Done> {
        let done = self.done.pop_front()?;
        self.arena.give_back(done.slot);
        self.under_way -= 1;
        Some(done)
    }

    fn buffer(&mut self, slot: u32, kind: Kind, bytes: u32) -> &mut [u8] {
        self.arena.buffer(slot, kind, bytes)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        {
            let mut jobs = locked(&self.shared.jobs);
            self.under_way -= jobs.0.drain(..).count().min(self.under_way);
            jobs.1 = true;
        }
        self.shared.there_is_work.notify_all();
        self.under_way -= locked(&self.shared.done).len().min(self.under_way);
        if self.under_way == 0 {
            // A thread that has no work ends at once, and none of them panics.
            self.threads.drain(..).for_each(|thread| drop(thread.join()));
        } else {
            // A device that does not answer holds threads, and they hold buffers, until it does.
            self.arena.keep_for_ever();
        }
    }
}

/// What is behind a lock; a thread that panicked would not have left it half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn work(shared: &Shared) {
    loop {
        let job = {
            let jobs = locked(&shared.jobs);
            let mut jobs = shared
                .there_is_work
                .wait_while(jobs, |(jobs, over)| jobs.is_empty() && !*over)
                .unwrap_or_else(PoisonError::into_inner);
            match jobs.0.pop_front() {
                Some(job) => job,
                None => return,
            }
        };
        let began = shared.clock.now();
        let result = carry_out(&shared.files, &job);
        let ended = shared.clock.now();
        let slot = job.request.slot;
        locked(&shared.done).push(Done { slot, result, began: Some(began), ended });
        shared.something_is_done.notify_one();
    }
}

/// Does it, and returns bytes, or an error number below 0.
fn carry_out(files: &[File], job: &Job) -> i32 {
    let Request { file, kind, offset, bytes, .. } = job.request;
    let (Some(file), Ok(offset)) = (files.get(file as usize), i64::try_from(offset)) else {
        return -libc::EBADF;
    };
    let (file, address, bytes) = (file.as_raw_fd(), job.address.cast(), bytes as usize);
    // SAFETY: the buffer has that many bytes and is lent to this job.
    let result = unsafe {
        match kind {
            Kind::Read => libc::pread(file, address, bytes, offset),
            Kind::Write => libc::pwrite(file, address, bytes, offset),
            Kind::Sync => libc::fdatasync(file) as isize,
        }
    };
    match result {
        ..0 => -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO),
        // Blocks are far smaller than 2 GiB.
        bytes => bytes as i32,
    }
}
