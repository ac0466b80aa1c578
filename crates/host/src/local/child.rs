//! Runs a program to its end, and says what it used.

mod usage;

use super::os;
use super::sample::own_usage;
use crate::question::{Ended, Finished};
use crate::waiting::Waiting;
use rustix::fs::{MemfdFlags, Mode, fchmod, memfd_create};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often to look whether the program has ended or is to be stopped. It has ended within
/// microseconds of closing its output, so this delays nothing but the answer to a stop.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Bytes of standard error that are kept: a tool may complain of every request.
const MAX_COMPLAINTS: usize = 1 << 20;

/// Bytes of standard output that are kept: results of a tool are far shorter.
const MAX_OUTPUT: usize = 64 << 20;

/// How long a program's output is waited for when it has ended: what it left behind may hold it open.
const AFTER_END: Duration = Duration::from_secs(5);

/// How long a program may take to answer a question about itself.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// Runs a program to its end, or until `stop` says so, or for `limit` at most; a program that is
/// not to go on is killed. `input` is what it finds on standard input.
///
/// # Errors
/// When the program cannot be started or waited for.
pub fn run(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
    stop: &dyn Fn() -> bool,
) -> io::Result<Ended> {
    // It is waited for below.
    os::ends_with_thread(command);
    let began = Instant::now();
    let input = Stdio::from(readable(input)?);
    let mut child = command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // After the fork: what other threads allocated until then, the child began with.
    let own_peak = own_usage().peak_rss_bytes;
    let stdout = collect(child.stdout.take(), MAX_OUTPUT);
    let stderr = collect(child.stderr.take(), MAX_COMPLAINTS);
    let mut killed = None;
    let (status, usage) = loop {
        if let Some(ended) = usage::reap(&child, own_peak)? {
            break ended;
        }
        if killed.is_none() {
            killed = if stop() {
                Some(Ended::Stopped)
            } else {
                (began.elapsed() >= limit).then_some(Ended::TimedOut)
            };
            if killed.is_some() {
                // Nobody else waits for it, so its id cannot have passed on to another process.
                child.kill()?;
            }
        }
        if stdout.wait(LOOK_EVERY) && stderr.wait(LOOK_EVERY) {
            // Both closed: it is ending.
            thread::sleep(Duration::from_millis(1));
        }
    };
    let elapsed = began.elapsed();
    if let Some(killed) = killed {
        return Ok(killed);
    }
    let until = Instant::now() + AFTER_END;
    let (stdout, stderr) = (stdout.text(until), stderr.text(until));
    Ok(Ended::Finished(Finished { status, stdout, stderr, result: String::new(), elapsed, usage }))
}

/// What a program answers to a question about itself, within 30 s.
///
/// # Errors
/// When it cannot be run, or takes longer.
pub(crate) fn ask(command: &mut Command) -> io::Result<Output> {
    ask_within(command, ANSWER_LIMIT)
}

/// The same within another time.
///
/// # Errors
/// As there.
pub(crate) fn ask_within(command: &mut Command, limit: Duration) -> io::Result<Output> {
    let _waiting = Waiting::for_the(format!("{} to answer", command.get_program().display()));
    match run(command, b"", limit, &|| false)? {
        Ended::Finished(Finished { status, stdout, stderr, .. }) => {
            Ok(Output { status, stdout: stdout.into_bytes(), stderr: stderr.into_bytes() })
        }
        Ended::TimedOut | Ended::Stopped => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("it did not answer within {} s", limit.as_secs()),
        )),
    }
}

/// A stream being read by a thread of its own.
struct Collected {
    bytes: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

/// A file in memory with what a program finds on its standard input, from its beginning whenever it opens
/// `/dev/stdin`. Its mode is that of a file of passwords, which libpq reads no other way.
fn readable(input: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("weighin input", MemfdFlags::CLOEXEC)?);
    fchmod(&file, Mode::RUSR | Mode::WUSR)?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(file)
}

/// Reads a stream to its end, and keeps so many bytes of its beginning.
fn collect(stream: Option<impl Read + Send + 'static>, kept: usize) -> Collected {
    let (open, closed) = channel::<()>();
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let collected = Collected { bytes: Arc::clone(&bytes), closed };
    // Not waited for: it ends with the stream, which others may hold.
    thread::spawn(move || {
        let _open = open;
        let Some(mut stream) = stream else { return };
        let mut piece = [0; 1 << 16];
        // What arrived before a failure is what there is.
        while let Ok(length @ 1..) = read(&mut stream, &mut piece) {
            let mut bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
            let left = kept - bytes.len();
            bytes.extend_from_slice(&piece[..length.min(left)]);
        }
    });
    collected
}

/// Reads a piece, however often a signal comes.
fn read(stream: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

impl Collected {
    /// Waits until the stream is closed, no longer than `timeout`; whether it is.
    fn wait(&self, timeout: Duration) -> bool {
        self.closed.recv_timeout(timeout) == Err(RecvTimeoutError::Disconnected)
    }

    /// All that there is when it is closed, or then.
    fn text(self, until: Instant) -> String {
        self.wait(until.saturating_duration_since(Instant::now()));
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn finished(ended: Ended) -> Finished {
        match ended {
            Ended::Finished(finished) => finished,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn output_input_and_status_are_passed_on() {
        let script = "read word; echo got $word; echo trouble >&2; exit 3";
        let ended = run(&mut shell(script), b"mail\n", LONG, &|| false).unwrap();
        let ended = finished(ended);
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("got mail\n", "trouble\n"));
        assert_eq!(ended.status.code(), Some(3));
    }

    #[test]
    fn processor_time_and_memory_are_the_programs_own() {
        // A shell that holds 64 MiB: more than this test, whose peak would hide a smaller one.
        let script = "x=$(head -c 67108864 /dev/zero | tr '\\0' x); echo ${#x}";
        let ended = finished(run(&mut shell(script), b"", LONG, &|| false).unwrap());
        assert_eq!(ended.stdout, "67108864\n");
        assert!(ended.usage.peak_rss_bytes.unwrap() >= 64 << 20, "{:?}", ended.usage);
        assert!(ended.usage.cpu() > Duration::ZERO);
        // Two processors at most can have worked for it, with room for clock ticks.
        assert!(ended.usage.cpu() < 64 * ended.elapsed);
    }

    #[test]
    fn memory_that_cannot_be_told_from_our_own_is_not_known() {
        let held = vec![1u8; 64 << 20];
        let ended = finished(run(&mut shell("true"), b"", LONG, &|| false).unwrap());
        assert!(held.iter().all(|&byte| byte == 1));
        assert_eq!(ended.usage.peak_rss_bytes, None);
    }

    #[test]
    fn a_stop_kills_the_program() {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        let ended = run(&mut shell("exec sleep 600"), b"", LONG, &stop).unwrap();
        assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed() {
        let limit = Duration::from_millis(50);
        let ended = run(&mut shell("exec sleep 600"), b"", limit, &|| false).unwrap();
        assert!(matches!(ended, Ended::TimedOut), "{ended:?}");
    }

    #[test]
    fn a_program_that_does_not_read_is_no_error() {
        // More than a pipe holds.
        let input = vec![b'x'; 1 << 20];
        for script in ["exec <&-; exit 0", "exec sleep 0.01"] {
            let ended = run(&mut shell(script), &input, LONG, &|| false).unwrap();
            assert!(finished(ended).status.success());
        }
    }

    #[test]
    fn complaints_without_end_are_read_and_not_kept() {
        let script = "head -c 3000000 /dev/zero >&2; echo done";
        let ended = finished(run(&mut shell(script), b"", LONG, &|| false).unwrap());
        assert_eq!((ended.stdout.as_str(), ended.stderr.len()), ("done\n", 1 << 20));
    }

    #[test]
    fn what_a_program_leaves_behind_is_not_waited_for() {
        let began = Instant::now();
        let ended = finished(run(&mut shell("sleep 600 & echo $!"), b"", LONG, &|| false).unwrap());
        assert!(ended.status.success() && began.elapsed() < 5 * LONG, "{:?}", began.elapsed());
        let left: u32 = ended.stdout.trim().parse().unwrap();
        os::kill(left).unwrap();
    }

    #[test]
    fn output_without_end_is_read_and_not_kept() {
        let stream = io::repeat(b'x').take(1 << 20);
        assert_eq!(collect(Some(stream), 100_000).text(Instant::now() + LONG), "x".repeat(100_000));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error = run(&mut Command::new("/no/such/program"), b"", LONG, &|| false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
