//! Moving the bytes of a load with io_uring: one system call sends a batch of requests, and one
//! takes in all replies that are there.

mod buffers;

use self::buffers::{GROUP, ProvidedBuffers};
use super::goodbye::Goodbye;
use super::option;
use super::pace::Pace;
use super::stamp::{self, Stamps};
use crate::error::LoadError;
use crate::pool::Next;
use crate::{Clock, Nanos, Pool, Session};
use io_uring::types::{Fixed, RecvMsgOut, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// Requests that are sent with one system call. More would cost less, and make the first of them
/// wait for the last to be made.
const BATCH: usize = 8;
/// How long to wait for replies to gather when fewer come than were to be expected. Longer than a
/// tick of the kernel's clock: a shorter timer would have to be programmed each time.
const GATHER_TIMEOUT: Duration = Duration::from_millis(5);
/// Room for a request; longer ones make it grow.
const REQUEST: usize = 512;
/// Marks the completion of a send.
const SEND: u64 = 1 << 63;

/// A ring with the connections of a worker.
pub(super) struct Uring {
    // Dropped in this order: the kernel must let go of the memory before it goes.
    ring: IoUring,
    buffers: ProvidedBuffers,
    /// How stamped messages lie in a buffer.
    layout: Box<libc::msghdr>,
    lines: Vec<Line>,
    /// Request buffers that grew: the kernel might still look at the old ones.
    outgrown: Vec<Vec<u8>>,
    clock: Clock,
    stamps: Stamps,
    pace: Pace,
    queued: usize,
    done: Vec<(u64, i32, u32)>,
    /// Clients whose connections were lost, and how.
    lost: Vec<(usize, String)>,
}

/// A client's place in the ring.
struct Line {
    socket: Option<OwnedFd>,
    /// Counts the sockets that have been here: completions of an older one are not for this one.
    generation: u32,
    stamped: bool,
    /// When the latest request was made.
    sent: Nanos,
    out: Vec<u8>,
    /// The start of a message whose rest has not come yet: buffers end where it suits the kernel.
    carry: Vec<u8>,
}

impl Uring {
    /// A ring for so many clients, without connections yet.
    ///
    /// # Errors
    /// When the kernel has no io_uring, lacks something of it, or does not permit it.
    pub(super) fn new(clients: usize, clock: Clock) -> io::Result<Self> {
        let entries = u32::try_from(clients).unwrap_or(u32::MAX).clamp(64, 4096);
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_cqsize(entries.next_power_of_two() * 4)
            .build(entries.next_power_of_two())?;
        ring.submitter().register_files(&vec![-1; clients])?;
        let buffers = ProvidedBuffers::register(&ring)?;
        // SAFETY: msghdr is plain data for which zero is a value.
        let mut layout: Box<libc::msghdr> = Box::new(unsafe { std::mem::zeroed() });
        layout.msg_controllen = stamp::CONTROL as _;
        let line = |_| Line {
            socket: None,
            generation: 0,
            stamped: false,
            sent: Nanos(0),
            out: Vec::with_capacity(REQUEST),
            carry: Vec::new(),
        };
        Ok(Self {
            ring,
            buffers,
            layout,
            lines: (0..clients).map(line).collect(),
            outgrown: Vec::new(),
            clock,
            stamps: Stamps::new(),
            pace: Pace::new(),
            queued: 0,
            done: Vec::new(),
            lost: Vec::new(),
        })
    }

    pub(super) fn stamps(&mut self) -> &mut Stamps {
        &mut self.stamps
    }

    /// Takes over a client's connected socket.
    pub(super) fn adopt(&mut self, id: usize, socket: OwnedFd) -> io::Result<()> {
        let raw = socket.as_raw_fd();
        self.ring.submitter().register_files_update(id as u32, &[raw])?;
        let line = &mut self.lines[id];
        line.generation = line.generation.wrapping_add(1);
        line.stamped = option::note_arrivals(raw);
        line.socket = Some(socket);
        self.arm(id)
    }

    /// The socket of a client that has a connection here.
    pub(super) fn socket(&self, id: usize) -> Option<BorrowedFd<'_>> {
        self.lines.get(id)?.socket.as_ref().map(AsFd::as_fd)
    }

    /// Lets a client begin.
    pub(super) fn begin<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        now: Nanos,
    ) -> Result<(), LoadError> {
        let line = &mut self.lines[id];
        if line.socket.is_some() {
            line.out.clear();
            let room = line.out.as_ptr();
            line.sent = now;
            // No connection is renewed over a ring: see `Worker::choose_io`.
            let _ = pool.begin(id, now, &mut line.out);
            self.send(id, room).map_err(LoadError::System)?;
        }
        Ok(())
    }

    /// Waits once and handles everything that is there. Returns when the wait ended.
    pub(super) fn turn<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        timeout: Duration,
    ) -> Result<Nanos, LoadError> {
        let wanted = self.pace.gather(pool.waiting());
        let timeout = if wanted > 1 { timeout.min(GATHER_TIMEOUT) } else { timeout };
        let limit = Timespec::from(timeout);
        let arguments = SubmitArgs::new().timespec(&limit);
        match self.ring.submitter().submit_with_args(wanted, &arguments) {
            Err(e)
                if !matches!(e.raw_os_error(), Some(libc::ETIME | libc::EINTR | libc::EBUSY)) =>
            {
                return Err(LoadError::System(e));
            }
            _ => {}
        }
        self.queued = 0;
        let woke = self.stamps.wake(&self.clock);
        let mut done = std::mem::take(&mut self.done);
        done.extend(self.ring.completion().map(|c| (c.user_data(), c.result(), c.flags())));
        for &(data, result, flags) in &done {
            self.completed(pool, data, result, flags)?;
        }
        self.buffers.publish();
        done.clear();
        self.done = done;
        Ok(woke)
    }

    /// Clients whose connections were lost since the last call, and how.
    pub(super) fn take_lost(&mut self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.lost)
    }

    /// Says goodbye on every connection, and waits until the server has closed them.
    pub(super) fn close<S: Session>(&mut self, pool: &mut Pool<S>) {
        let mut told = Vec::new();
        for id in 0..self.lines.len() {
            let line = &mut self.lines[id];
            if line.socket.is_some() {
                line.out.clear();
                let room = line.out.as_ptr();
                pool.close_session(id, &mut line.out);
                let says = !line.out.is_empty();
                // The server has answered everything: nothing is lost where this is not heard.
                if self.send(id, room).is_ok() && says {
                    told.push(id);
                }
            }
        }
        if self.submit().is_err() {
            return;
        }
        let mut goodbye = Goodbye::begin(self.clock);
        let sockets = told.into_iter().filter_map(|id| self.lines[id].socket.as_ref());
        sockets.for_each(|socket| goodbye.wait_for(socket));
    }

    fn completed<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        data: u64,
        result: i32,
        flags: u32,
    ) -> Result<(), LoadError> {
        let id = (data & u64::from(u32::MAX)) as usize;
        let generation = ((data & !SEND) >> 32) as u32;
        let current =
            generation == self.lines[id].generation & GENERATION && self.lines[id].socket.is_some();
        let buffer = cqueue::buffer_select(flags);
        let outcome = match (current, result) {
            (false, _) => Ok(()),
            // All buffers were in use; they are free again after this turn.
            (true, _) if -result == libc::ENOBUFS => Ok(()),
            (true, ..0) => Err(io::Error::from_raw_os_error(-result).to_string()),
            // Only sends that failed are reported, except for what was sent in part.
            (true, _) if data & SEND != 0 => Err("a request could not be sent whole".to_owned()),
            (true, _) => self.received(pool, id, buffer, result as usize)?,
        };
        if let Some(buffer) = buffer {
            self.buffers.give_back(buffer);
        }
        match outcome {
            Err(how) => self.give_up(id, how),
            Ok(()) if current && data & SEND == 0 && !cqueue::more(flags) => {
                if self.lines[id].socket.is_some() {
                    self.arm(id).map_err(LoadError::System)?;
                }
            }
            Ok(()) => {}
        }
        Ok(())
    }

    /// Gives received bytes to the pool and sends what it answers. The inner error is a lost
    /// connection.
    #[inline]
    fn received<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        buffer: Option<u16>,
        length: usize,
    ) -> Result<Result<(), String>, LoadError> {
        let line = &mut self.lines[id];
        let bytes = self.buffers.filled(buffer.unwrap_or_default(), length);
        let message;
        let (bytes, arrived) = if line.stamped {
            let Ok(parsed) = RecvMsgOut::parse(bytes, &self.layout) else {
                return Ok(Err("the kernel gave an incomplete message".to_owned()));
            };
            message = parsed;
            (message.payload_data(), self.stamps.arrived(stamp::parse(message.control_data())))
        } else {
            (bytes, self.stamps.arrived(None))
        };
        if bytes.is_empty() {
            return Ok(Err("the server closed the connection".to_owned()));
        }
        self.pace.answered(line.sent, arrived);
        line.out.clear();
        let room = line.out.as_ptr();
        let now = self.clock.now();
        line.sent = now;
        let next = if line.carry.is_empty() {
            let (used, next) = pool.receive(id, bytes, arrived, now, &mut line.out)?;
            line.carry.extend_from_slice(&bytes[used..]);
            next
        } else {
            line.carry.extend_from_slice(bytes);
            let (used, next) = pool.receive(id, &line.carry, arrived, now, &mut line.out)?;
            line.carry.drain(..used);
            next
        };
        if next == Next::Reconnect {
            return Ok(Err("the server ended the session".to_owned()));
        }
        self.send(id, room).map_err(LoadError::System)?;
        Ok(Ok(()))
    }

    /// A connection is of no use any more.
    fn give_up(&mut self, id: usize, how: String) {
        let line = &mut self.lines[id];
        line.socket = None;
        line.carry.clear();
        line.generation = line.generation.wrapping_add(1);
        // An empty place cannot be refused.
        let _ = self.ring.submitter().register_files_update(id as u32, &[-1]);
        self.lost.push((id, how));
    }

    /// Asks for whatever the server sends to this client.
    fn arm(&mut self, id: usize) -> io::Result<()> {
        let file = Fixed(id as u32);
        let entry = if self.lines[id].stamped {
            opcode::RecvMsgMulti::new(file, &raw const *self.layout, GROUP).build()
        } else {
            opcode::RecvMulti::new(file, GROUP).build()
        };
        self.push(&entry.user_data(self.tag(id)))
    }

    /// Sends what is in a client's buffer, which was at `room` before that was written.
    #[inline]
    fn send(&mut self, id: usize, room: *const u8) -> io::Result<()> {
        let tag = SEND | self.tag(id);
        let out = &mut self.lines[id].out;
        if out.is_empty() {
            return Ok(());
        }
        if out.as_ptr() != room {
            // The buffer moved when it grew; what the kernel may look at must stay where it is.
            let larger = Vec::with_capacity(out.capacity() * 2);
            let moved = std::mem::replace(out, larger);
            out.extend_from_slice(&moved);
            self.outgrown.push(moved);
        }
        let out = &self.lines[id].out;
        let entry = opcode::Send::new(Fixed(id as u32), out.as_ptr(), out.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .flags(squeue::Flags::SKIP_SUCCESS)
            .user_data(tag);
        self.push(&entry)?;
        self.queued += 1;
        if self.queued >= BATCH {
            self.submit()?;
        }
        Ok(())
    }

    fn tag(&self, id: usize) -> u64 {
        u64::from(self.lines[id].generation & GENERATION) << 32 | id as u64
    }

    fn push(&mut self, entry: &squeue::Entry) -> io::Result<()> {
        // SAFETY: a send points into its line's buffer, which is written to only after the reply
        // has come, when the kernel is done with it, and freed after the ring; a receive points to
        // the layout and to registered buffers, which outlive the ring too.
        while unsafe { self.ring.submission().push(entry) }.is_err() {
            self.submit()?;
        }
        Ok(())
    }

    fn submit(&mut self) -> io::Result<()> {
        self.queued = 0;
        match self.ring.submit() {
            // Completions wait to be taken in first: the next wait does that and submits too.
            Err(e) if e.raw_os_error() == Some(libc::EBUSY) => Ok(()),
            other => other.map(drop),
        }
    }
}

/// Bits of a generation that fit into a completion's tag.
const GENERATION: u32 = u32::MAX >> 1;
