//! The process that runs `up` and `down`.

use super::guardian::{Charge, Guardian};
use super::running::{Ending, Running};
use crate::question::InstanceOrder;
use model::Failure;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::Duration;

/// The hidden command by which weighin becomes a keeper. The program must answer to it with [`keep`].
pub const KEEPER_COMMAND: &str = "instance-keeper";
/// How often `down` is tried where nobody is there to be told that it failed, and how long after.
const TRIES: u32 = 3;
const AGAIN_AFTER: Duration = Duration::from_secs(10);

/// What a keeper is told.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// The first: which commands.
    Keep(InstanceOrder),
    Up,
    Down,
}

/// What it answers: to each command lines that it said, and then its end.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Said(String),
    /// How `up` ended: what it printed on standard output.
    Up(Result<String, Failure>),
    Down(Result<(), Failure>),
}

/// Runs the commands that whoever writes to `orders` wants, until these end; then `down` where
/// something may be up, which a guardian does where this one is killed. Nobody needs to read `answers`.
pub fn keep(orders: impl BufRead + Send + 'static, answers: impl Write) {
    let (sender, orders_read) = channel();
    thread::spawn(move || {
        for line in orders.lines().map_while(Result::ok) {
            let Ok(order) = serde_json::from_str::<Order>(&line) else { return };
            if sender.send(order).is_err() {
                return;
            }
        }
    });
    let Ok(Order::Keep(order)) = orders_read.recv() else { return };
    // Without one it is kept all the same.
    let guardian = Guardian::watch(Charge::Instance(&order)).ok();
    let orders = orders_read;
    let (next, is_left, may_be_up) = (None, false, false);
    Keeper { order, orders, answers, guardian, next, is_left, may_be_up }.run();
}

struct Keeper<W> {
    order: InstanceOrder,
    orders: Receiver<Order>,
    answers: W,
    guardian: Option<Guardian>,
    /// What was ordered while a command ran.
    next: Option<Order>,
    /// Nobody orders anything any more.
    is_left: bool,
    may_be_up: bool,
}

impl<W: Write> Keeper<W> {
    fn run(mut self) {
        loop {
            let next = self.next.take();
            let order = match next {
                Some(order) => Ok(order),
                None if self.is_left => break,
                None => self.orders.recv(),
            };
            match order {
                Ok(Order::Up) => self.up(),
                Ok(Order::Down) => {
                    let done = self.down();
                    self.answer(&Answer::Down(done));
                }
                Ok(Order::Keep(_)) | Err(_) => break,
            }
        }
        for attempt in 1..=TRIES {
            if !self.may_be_up || self.down().is_ok() {
                break;
            }
            if attempt < TRIES {
                thread::sleep(AGAIN_AFTER);
            }
        }
        if let Some(guardian) = &mut self.guardian {
            guardian.dismiss();
        }
    }

    fn up(&mut self) {
        self.may_be_up = true;
        tell(&mut self.guardian, "rests");
        let words = self.order.up.clone();
        let (orders, mut next, mut is_left) = (&self.orders, None, false);
        let mut wanted = || {
            match orders.try_recv() {
                Ok(order) => next = Some(order),
                Err(TryRecvError::Disconnected) => is_left = true,
                Err(TryRecvError::Empty) => {}
            }
            next.is_none() && !is_left
        };
        let answers = &mut self.answers;
        let mut said = |line: &str| answer(answers, &Answer::Said(line.to_owned()));
        let running = Running::start(&self.order.names.0, &words, &self.order, self.order.answers);
        let guardian = &mut self.guardian;
        let ended = running.and_then(|running| {
            tell(guardian, &format!("up {}", running.group()));
            running.wait(&mut wanted, &mut said)
        });
        tell(guardian, "rests");
        (self.next, self.is_left) = (next, is_left);
        match ended {
            Ok(Ending::Well(output)) => self.answer(&Answer::Up(Ok(output))),
            // Whoever wanted that waits for `down`.
            Ok(Ending::Unwanted) => {}
            Err(failure) => self.answer(&Answer::Up(Err(failure))),
        }
    }

    fn down(&mut self) -> Result<(), Failure> {
        if !self.may_be_up {
            return Ok(());
        }
        let words = self.order.down.clone();
        let answers = &mut self.answers;
        let mut said = |line: &str| answer(answers, &Answer::Said(line.to_owned()));
        let running = Running::start(&self.order.names.1, &words, &self.order, false)?;
        tell(&mut self.guardian, &format!("down {}", running.group()));
        let ended = running.wait(&mut || true, &mut said);
        tell(&mut self.guardian, "rests");
        ended?;
        self.may_be_up = false;
        tell(&mut self.guardian, "");
        Ok(())
    }

    fn answer(&mut self, what: &Answer) {
        answer(&mut self.answers, what);
    }
}

/// Tells what runs, and whether something may be up.
fn tell(guardian: &mut Option<Guardian>, state: &str) {
    if let Some(guardian) = guardian {
        // Guardians that were killed guard nothing, which takes nothing from the commands.
        let _ = guardian.tell(state);
    }
}

fn answer(answers: &mut impl Write, what: &Answer) {
    let mut line = serde_json::to_string(what).unwrap_or_default();
    line.push('\n');
    // Whoever would read it may be gone.
    let _ = answers.write_all(line.as_bytes()).and_then(|()| answers.flush());
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FailureKind;
    use std::fs;
    use std::io::{BufReader, PipeReader, PipeWriter, pipe};
    use std::path::Path;

    const LONG: Duration = Duration::from_secs(600);

    /// A keeper in a thread of this process.
    struct Kept {
        orders: Option<PipeWriter>,
        answers: BufReader<PipeReader>,
        keeper: Option<thread::JoinHandle<()>>,
    }

    impl Kept {
        fn from_commands(up: &str, down: &str, limit: Duration) -> Self {
            let words = |script: &str| ["sh", "-c", script].map(str::to_owned).to_vec();
            let (orders, told) = pipe().map(|(reader, writer)| (writer, reader)).unwrap();
            let (answers, answering) = pipe().unwrap();
            let keeper = thread::spawn(move || keep(BufReader::new(told), answering));
            let mut kept = Self {
                orders: Some(orders),
                answers: BufReader::new(answers),
                keeper: Some(keeper),
            };
            kept.tell(&Order::Keep(InstanceOrder {
                up: words(up),
                down: words(down),
                variables: vec![("WORD".to_owned(), "told".to_owned())],
                environment: Vec::new(),
                limit,
                names: names(),
                answers: true,
            }));
            kept
        }

        fn tell(&mut self, order: &Order) {
            let line = serde_json::to_string(order).unwrap() + "\n";
            self.orders.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        }

        /// The lines that were said, and the end that follows.
        fn hear(&mut self) -> (Vec<String>, Answer) {
            let mut said = Vec::new();
            loop {
                let mut line = String::new();
                self.answers.read_line(&mut line).unwrap();
                match serde_json::from_str(&line).unwrap() {
                    Answer::Said(line) => said.push(line),
                    end => return (said, end),
                }
            }
        }

        /// Whoever ordered is gone.
        fn leave(mut self) {
            self.orders = None;
            self.keeper.take().unwrap().join().unwrap();
        }
    }

    fn names() -> (String, String) {
        ("up".to_owned(), "down".to_owned())
    }

    fn marks(file: &Path) -> String {
        fs::read_to_string(file).unwrap_or_default()
    }

    #[test]
    fn what_is_up_is_taken_down_once_whoever_ends_it() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("marks");
        let to = |word: &str| format!("echo {word} >> {}", file.display());
        let down = to("down") + "; echo gone; echo really >&2";
        let up = to("up") + "; echo coming >&2; printf '{\"url\": \"%s\"}' $WORD";
        let mut kept = Kept::from_commands(&up, &down, LONG);
        kept.tell(&Order::Up);
        let (said, end) = kept.hear();
        assert_eq!(said, ["coming"]);
        let Answer::Up(Ok(output)) = end else { panic!("{end:?}") };
        assert_eq!(output, r#"{"url": "told"}"#);
        kept.tell(&Order::Down);
        let (said, end) = kept.hear();
        assert!(matches!(end, Answer::Down(Ok(()))), "{end:?}");
        assert!(
            said.contains(&"gone".to_owned()) && said.contains(&"really".to_owned()),
            "{said:?}"
        );
        kept.leave();
        assert_eq!(marks(&file), "up\ndown\n");

        // Left alone when it is up, in the middle of `up`, and before.
        let mut kept = Kept::from_commands(&up, &down, LONG);
        kept.tell(&Order::Up);
        kept.hear();
        kept.leave();
        let slow = format!("trap '{}; exit 1' TERM; echo x >&2; sleep 600 & wait", to("ended"));
        let mut kept = Kept::from_commands(&slow, &down, LONG);
        kept.tell(&Order::Up);
        let mut line = String::new();
        kept.answers.read_line(&mut line).unwrap();
        kept.leave();
        Kept::from_commands(&up, &down, LONG).leave();
        assert_eq!(marks(&file), "up\ndown\nup\ndown\nended\ndown\n");
    }

    #[test]
    fn an_up_that_fails_is_taken_down_as_well() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("marks");
        let down = format!("echo down >> {}", file.display());
        for (up, limit, words) in [
            ("echo half; exit 3", LONG, "`up` ended with exit code 3"),
            ("kill -9 $$", LONG, "`up` was ended by signal 9"),
            ("exec sleep 600", Duration::from_millis(200), "did not end within 0.2 s"),
            ("head -c 3000000 /dev/zero | tr '\\0' x", LONG, "printed more than 1048576 bytes"),
            ("printf '\\377'", LONG, "no text"),
        ] {
            let _ = fs::remove_file(&file);
            let mut kept = Kept::from_commands(up, &down, limit);
            kept.tell(&Order::Up);
            let (_, end) = kept.hear();
            let Answer::Up(Err(failure)) = end else { panic!("{up}: {end:?}") };
            assert_eq!(failure.kind, FailureKind::NotUp, "{failure}");
            assert!(failure.message.contains(words), "{failure}");
            // A short limit is one of `down` too, which may miss it on a busy machine.
            let mut downs = 0;
            loop {
                downs += 1;
                kept.tell(&Order::Down);
                match kept.hear().1 {
                    Answer::Down(Ok(())) => break,
                    Answer::Down(Err(_)) if limit < LONG && downs < 100 => {}
                    end => panic!("{end:?}"),
                }
            }
            kept.leave();
            let marks = marks(&file);
            assert!((1..=downs).contains(&marks.lines().count()), "{up}: {marks}");
            assert!(marks.lines().all(|mark| mark == "down"), "{up}: {marks}");
        }
    }

    #[test]
    fn what_up_leaves_running_goes_on_and_keeps_nobody_waiting() {
        let place = tempfile::tempdir().unwrap();
        let pid = place.path().join("pid");
        let up = format!("sleep 600 & echo $! > {}; echo '{{}}'", pid.display());
        let down = format!("kill $(cat {})", pid.display());
        let mut kept = Kept::from_commands(&up, &down, LONG);
        kept.tell(&Order::Up);
        let (_, end) = kept.hear();
        assert!(matches!(&end, Answer::Up(Ok(output)) if output == "{}\n"), "{end:?}");
        let number = marks(&pid).trim().to_owned();
        let is_there = || Path::new("/proc").join(&number).join("exe").exists();
        assert!(is_there());
        kept.leave();
        while is_there() {
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let mut kept = Kept::from_commands("true", "true", LONG);
        let order = InstanceOrder {
            up: vec!["/no/such/program".to_owned()],
            down: vec!["true".to_owned()],
            variables: Vec::new(),
            environment: Vec::new(),
            limit: LONG,
            names: names(),
            answers: true,
        };
        assert!(matches!(Running::start("up", &order.up, &order, true), Err(failure)
            if failure.kind == FailureKind::MissingProgram));
        kept.tell(&Order::Down);
        let (_, end) = kept.hear();
        assert!(matches!(end, Answer::Down(Ok(()))), "{end:?}");
        kept.leave();
    }
}
