use super::{Ran, STOP_LIMIT, TIMEOUT, comes_to_hold, wait_for};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// Weighin while it runs.
pub struct Started {
    child: Child,
    lines: Receiver<String>,
    said: String,
}

impl Started {
    pub fn new(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // Whoever has seen enough drops the receiver; the rest is read so that no pipe fills.
            stderr.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        });
        Self { child, lines, said: String::new() }
    }

    /// Waits until a line of the progress holds a text, and gives it.
    pub fn wait_for_line(&mut self, text: &str) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|error| {
                panic!("waited in vain for «{text}» ({error}) after:\n{}", self.said)
            });
            self.said += &format!("{line}\n");
            if line.contains(text) {
                return line;
            }
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until a load's threads run.
    pub fn wait_for_load(&self) {
        wait_for("a load", || !self.workers().is_empty());
    }

    /// The numbers of the threads that drive the load.
    pub fn workers(&self) -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap().flatten();
        tasks
            .filter(|task| {
                let name = std::fs::read_to_string(task.path().join("comm"));
                name.is_ok_and(|name| name.starts_with("load-"))
            })
            .map(|task| task.file_name().into_string().unwrap())
            .collect()
    }

    /// Sends a signal by its name, such as `INT`.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -s {name} {}", self.pid());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Sends SIGTERM, once, and asserts that it ends as one that was stopped, in time. It should take
    /// two seconds; on a busy machine any thread may stand still for several times as long.
    #[track_caller]
    pub fn stopped_by_one_signal(self) -> Ran {
        let asked = Instant::now();
        self.signal("TERM");
        self.stopped_since(asked)
    }

    /// Asserts that it ends as one that was stopped at that moment.
    #[track_caller]
    pub fn stopped_since(self, asked: Instant) -> Ran {
        let ran = self.end();
        let took = asked.elapsed();
        assert_eq!(ran.code, Some(130), "{ran:?}");
        assert!(took < STOP_LIMIT, "it took {took:?}");
        assert!(ran.err.contains("stopped"), "{ran:?}");
        ran
    }

    /// Kills it as `kill -9` does.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// What it has said, and what runs below it, for whoever waits for it in vain.
    fn state(&self) -> String {
        let said: String = self.lines.try_iter().map(|line| format!("{line}\n")).collect();
        let id = self.pid().to_string();
        let below = Command::new("ps").args(["-o", "pid,etime,stat,args", "--ppid", &id]).output();
        let below = below.map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned());
        format!("it said:\n{}{said}and below it ran:\n{}", self.said, below.unwrap_or_default())
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ran {
        let mut out = String::new();
        // Small enough for a pipe to hold; and standard error is being read.
        let mut stdout = self.child.stdout.take().unwrap();
        let mut status = None;
        let ended = comes_to_hold(|| {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        assert!(ended, "waited in vain for weighin's end; {}", self.state());
        stdout.read_to_string(&mut out).unwrap();
        self.lines.iter().for_each(|line| self.said += &format!("{line}\n"));
        assert!(!self.said.contains("panicked"), "{}", self.said);
        Ran { code: status.unwrap().code(), out, err: self.said }
    }
}
