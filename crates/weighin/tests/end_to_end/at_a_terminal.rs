//! The view of a run on a real terminal, which tmux is.

use crate::support::{TIMEOUT, Workplace, wait_for};
use model::FailureKind;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

/// A first trial long enough for keys to be answered in it, on a busy machine too, where a view of the
/// lowest priority draws a frame every few seconds; then, by this seed, two that are over only when a key says
/// so. They leave the processors to the view.
const STUDY: &str = r#"
[study]
name = "seen"
repeats = 3
seed = 7

[[target]]
name = "plain"
sandbox = { restart = false }

[[test]]
name = "reads"
workload = "oltp_point_select"
table_size = 1_000
clients = 1
rate = 10
warmup = "1s"
duration = "25s"

[[test]]
name = "more"
workload = "oltp_point_select"
table_size = 1_000
clients = 1
rate = 20
warmup = "1s"
duration = "10m"
"#;

/// A shell with job control on a terminal.
struct Terminal<'p> {
    place: &'p Workplace,
}

impl<'p> Terminal<'p> {
    fn start(place: &'p Workplace) -> Self {
        place.write("seen.toml", STUDY);
        let terminal = Self { place };
        let shell = "exec bash --noprofile --norc -i";
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", shell]);
        terminal.types("PS1='ready> '", "ready>");
        terminal.types("stty -g >modes", "ready>");
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut tmux = self.place.surround(Command::new("tmux"));
        tmux.env("TERM", "screen").arg("-S").arg(self.place.path("tmux")).args(arguments);
        let output = tmux.output().unwrap();
        assert!(output.status.success(), "tmux {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let screen = self.screen();
            if screen.contains(text) {
                return;
            }
            assert!(Instant::now() < deadline, "waited in vain for «{text}» on\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn keys(&self, keys: &str, text: &str) {
        self.tmux(&["send-keys", "-l", keys]);
        self.wait_for(text);
    }

    fn key(&self, name: &str, text: &str) {
        self.tmux(&["send-keys", name]);
        self.wait_for(text);
    }

    fn types(&self, line: &str, text: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.key("Enter", text);
    }

    /// Runs weighin, and waits for a text, which is not one that was there before.
    fn weighin(&self, arguments: &str, text: &str) {
        self.types("clear", "ready>");
        wait_for("an empty screen", || self.screen().trim() == "ready>");
        let program = env!("CARGO_BIN_EXE_weighin");
        self.types(&format!("{program} {arguments}; echo ended with $?"), text);
    }

    fn resized(&self, width: &str, height: &str, text: &str) {
        self.tmux(&["resize-window", "-x", width, "-y", height]);
        self.wait_for(text);
    }

    /// Asserts that the shell has its terminal back as it was.
    #[track_caller]
    fn assert_restored(&self) {
        let _ = fs::remove_file(self.place.path("now"));
        self.types("stty -g >now.new; mv now.new now; echo looked", "\nlooked");
        wait_for("the modes", || self.place.path("now").exists());
        let modes = ["modes", "now"].map(|name| fs::read_to_string(self.place.path(name)).unwrap());
        assert_eq!(modes[0], modes[1]);
        let state = self.tmux(&["display", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(state, "0 1\n", "the normal screen, with a cursor");
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let mut tmux = Command::new("tmux");
        let _ = tmux.arg("-S").arg(self.place.path("tmux")).arg("kill-server").output();
    }
}

#[test]
fn a_view_shows_a_run_and_its_keys_pause_note_skip_and_stop_it() {
    let place = Workplace::new();
    let terminal = Terminal::start(&place);
    terminal.weighin("run seen.toml --metrics 0", "Trial 1 of 6");
    terminal.wait_for("last second");
    terminal.wait_for("processors");
    terminal.keys("p", "p: do not pause");
    terminal.wait_for("Paused for");
    terminal.keys("n", "Note: ");
    terminal.keys("a disk was changed", "Note: a disk was changed");
    terminal.tmux(&["send-keys", "Enter"]);
    // That it was noted is shown for seconds, and may be gone by now.
    wait_for("the note to be taken", || !terminal.screen().contains("Note: "));
    terminal.resized("20", "5", "1 of 6, about");
    terminal.resized("100", "30", "Trials done");

    // Stopped by the keyboard, the shell has its terminal; and the view comes back.
    terminal.key("C-z", "Stopped");
    terminal.assert_restored();
    terminal.types("fg", "Paused for");
    terminal.keys("p", "Trial 2 of 6");
    terminal.keys("s", "Skip this trial?");
    terminal.keys("y", "2 failed");
    terminal.wait_for("Trial 3 of 6");
    terminal.keys("q", "Stop the run?");
    terminal.keys("y", "2 completed trials are safe");
    terminal.types("echo it ended with $?", "it ended with 130");
    // What was seen stays to be read.
    for text in ["[1/6] reads on plain", "[2/6]", "skipped by the user"] {
        terminal.wait_for(text);
    }
    terminal.assert_restored();
    let data = place.store().dataset().unwrap();
    let notes: Vec<&str> = data.notes.iter().map(|note| note.text.as_str()).collect();
    assert!(notes[0].starts_with("a disk was changed") && notes[1].starts_with("paused for"));
    let kinds: Vec<_> = data.trials.iter().map(|trial| trial.failure().map(|f| f.kind)).collect();
    assert_eq!(kinds, [None, Some(FailureKind::Skipped)]);

    // A log where that is asked for; Ctrl-C ends it as ever.
    terminal.weighin("run seen.toml --resume --plain", "1 table made");
    let screen = terminal.screen();
    assert!(screen.contains("plain: bringing up") && !screen.contains("p: "), "{screen}");
    terminal.key("C-c", "ended with 130");
    let results = place.files(".weighin");
    let report = |format: &str| {
        place.weighin(&["report", results[0].to_str().unwrap(), "--format", format, "--out", "-"])
    };
    for format in ["html", "markdown", "json"] {
        assert!(report(format).done().contains("a disk was changed"), "{format}");
    }
}

#[test]
fn the_terminal_is_given_back_however_the_run_ends() {
    let place = Workplace::new();
    let terminal = Terminal::start(&place);
    let pid = || {
        let children = terminal.tmux(&["display", "-p", "#{pane_pid}"]);
        let output = Command::new("pgrep").args(["-P", children.trim(), "weighin"]).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    };
    let kill = |signal: &str, pid: &str| {
        let killed = Command::new("sh").args(["-c", &format!("kill -s {signal} {pid}")]).status();
        assert!(killed.unwrap().success());
    };
    for (signal, code) in [("TERM", "130"), ("HUP", "130"), ("QUIT", "131")] {
        terminal.weighin("run seen.toml", "last second");
        kill(signal, &pid());
        terminal.wait_for(&format!("ended with {code}"));
        terminal.assert_restored();
        place.files(".weighin").iter().for_each(|results| fs::remove_file(results).unwrap());
    }
    // The second Ctrl-C does not wait for good order.
    terminal.weighin("run seen.toml", "last second");
    terminal.tmux(&["send-keys", "C-c", "C-c"]);
    terminal.wait_for("ended with 130");
    terminal.assert_restored();
    place.assert_no_server_left();
}
