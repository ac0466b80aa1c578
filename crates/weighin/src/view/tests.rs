use super::draw::draw;
use super::keys::Key;
use super::state::{End, HostNow, Mode, Wish};
use super::{Sentence, State};
use crate::progress::{TimeLeft, TrialCount};
use analyse::{Severity, Validity};
use model::{
    CpuShares, DiskRates, Interval, Latencies, Level, PackedLatencies, Phase, ProcessUsage, Sample,
    Stop, Trial, TrialKey, UnitName,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn trial(position: u32, target: &str) -> Trial {
    let key = TrialKey {
        target: target.to_owned(),
        test: "reads".to_owned(),
        level: Level::clients(8),
        repeat: 1,
    };
    Trial { key, position, seed: 1, load_time: Duration::from_secs(40) }
}

fn interval(second: u64, transactions: u64, errors: u64) -> Interval {
    let mut latencies = Latencies::default();
    (1..=100).for_each(|ms| latencies.record(Duration::from_millis(ms)));
    Interval {
        phase: if second < 10 { Phase::Warmup } else { Phase::Measure },
        start: Duration::from_secs(second),
        length: Duration::from_secs(1),
        transactions,
        queries: transactions,
        errors,
        moved: Default::default(),
        longest_statement: None,
        latencies: PackedLatencies::from(&latencies),
    }
}

fn sample() -> Sample {
    let disk = |device: &str, utilisation| DiskRates {
        device: device.to_owned(),
        writes: 10.0,
        written_bytes: 3e6,
        utilisation,
        ..DiskRates::default()
    };
    Sample {
        cpu: CpuShares { user: 0.4, system: 0.2, iowait: 0.05, steal: 0.0, idle: 0.35 },
        disks: vec![disk("idle", 0.01), disk("vda", 0.5), disk("vdb", 0.2)],
        server: Some(ProcessUsage { cpus: 1.25, rss_bytes: 0, ..ProcessUsage::default() }),
        delay_cpus: Some(0.3),
        client: ProcessUsage { cpus: 0.5, rss_bytes: 0, ..ProcessUsage::default() },
        ..Sample::default()
    }
}

/// A run at twelve trials, of which so many have ended, in the middle of the next.
fn running(ended: u32, now: Instant) -> State {
    let left = TimeLeft::new(Duration::from_secs(150), now);
    let mut state =
        State::new("which-one", UnitName::TRANSACTION, TrialCount { total: 12, done: 0 }, left);
    for position in 1..=ended {
        let planned = trial(position, "plain");
        state.trial_started(&planned, Stop::default(), left);
        let name = planned.key.to_string();
        let figures = "1,234 transactions/s, p95 5.2 ms";
        state.trial_ended(position, &name, figures, End::Completed(None), left);
    }
    state.trial_started(&trial(ended + 1, "slow"), Stop::default(), left);
    for second in 0..16 {
        state.second(ended + 1, &interval(second, 100 + second, 0), now);
    }
    state.sampled(HostNow::from_sample(&sample()));
    state
}

fn shown(state: &State, (width, height): (u16, u16), now: Instant) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state, true, now)).unwrap();
    if width == 0 { String::new() } else { terminal.backend().to_string() }
}

#[track_caller]
fn assert_shows(screen: &str, all: &[&str]) {
    for text in all {
        assert!(screen.contains(text), "no «{text}» in:\n{screen}");
    }
}

#[test]
fn a_running_trial_is_shown_with_what_its_host_does() {
    let now = Instant::now();
    let mut state = running(3, now);
    state.judged(
        &BTreeMap::from([(1, Validity::Valid), (2, Validity::Suspect), (3, Validity::Void)]),
        vec![
            Sentence::new(None, "reads: plain is ahead."),
            Sentence::new(Some(Severity::Warning), "The host was busy."),
        ],
    );
    let screen = shown(&state, (80, 24), now);
    assert_shows(
        &screen,
        &[
            "weighin: which-one",
            "3 of 12 trials, about 2\u{a0}min 30\u{a0}s left",
            "Trial 4 of 12: reads on slow, 8 clients, repeat 1",
            "measuring, 16\u{a0}s of 40\u{a0}s",
            "last second         115/s     50.0 ms     95.2 ms     98.9 ms     99.9 ms",
            "measured            113/s",
            "60 % busy, 5 % waiting for IO; server 1.2, delay 0.3, weighin 0.5",
            "vda 50 % busy, 0 MB/s read, 3.00 MB/s written; vdb 20 % busy",
            "1 valid       reads on plain, 8 clients, repeat 1",
            "2 suspect",
            "3 void",
            "1,234/s, p95 5.2 ms",
            "reads: plain is ahead.",
            "! The host was busy.",
            "p: pause after this trial  s: skip it  n: note  q: stop",
        ],
    );
    assert!(!screen.contains("idle"), "{screen}");
}

#[test]
fn what_is_waited_for_is_shown_for_as_long() {
    let now = Instant::now();
    let mut state = running(3, now);
    state.waits_for(&["waiting for the server of target \u{1b}[2Ja to end (6 s)".to_owned()]);
    let screen = shown(&state, (80, 24), now);
    assert_shows(&screen, &["! waiting for the server of target \\x1b[2Ja to end (6 s)"]);
    state.waits_for(&[]);
    assert!(!shown(&state, (80, 24), now).contains("waiting for the server"));
}

#[test]
fn no_size_of_a_terminal_is_too_small() {
    let now = Instant::now();
    for ended in [0, 1, 40] {
        let mut state = running(ended, now);
        state.mode = Mode::Note("läßt 写 much to be said".repeat(4));
        for width in (0..30).chain([79, 80, 120, 300]) {
            for height in (0..14).chain([24, 40]) {
                shown(&state, (width, height), now);
            }
        }
        state.mode = Mode::Commands;
        for width in 0..80 {
            shown(&state, (width, 5), now);
        }
    }
    let screen = shown(&running(4, now), (20, 5), now);
    assert_shows(
        &screen,
        &["4 of 12, about", "Trial 5 of 12", "115/s, p95 95.2 ms", "p:pause s:skip"],
    );
}

#[test]
fn what_ended_scrolls_and_stays_where_one_looks() {
    let now = Instant::now();
    let mut state = running(60, now);
    let at = |state: &State, place: u32| {
        let screen = shown(state, (80, 30), now);
        screen.contains(&format!("{place:>4} done"))
    };
    assert!(at(&state, 60) && !at(&state, 1));
    state.key(Key::Home, now);
    assert!(at(&state, 1) && !at(&state, 60));
    state.key(Key::End, now);
    state.key(Key::PageUp, now);
    assert!(at(&state, 50) && !at(&state, 51));
    let (planned, left) = (trial(61, "slow"), TimeLeft::new(Duration::ZERO, now));
    state.trial_ended(61, &planned.key.to_string(), "FAILED", End::Failed, left);
    assert!(at(&state, 50) && !at(&state, 51));
    assert_shows(&shown(&state, (80, 30), now), &["61 of 12 trials, 1 failed"]);
}

#[test]
fn keys_pause_skip_note_and_stop() {
    let now = Instant::now();
    let mut state = running(1, now);
    let skip = state.trials.first().unwrap().skip.clone();
    assert_eq!(state.key(Key::Char('p'), now), Some(Wish::Pause(true)));
    assert_eq!(state.key(Key::Char('p'), now), Some(Wish::Pause(false)));

    state.key(Key::Char('s'), now);
    assert_shows(&shown(&state, (80, 24), now), &["Skip this trial?"]);
    state.key(Key::Char('n'), now);
    assert!(!skip.is_requested() && state.mode == Mode::Commands);
    state.key(Key::Char('s'), now);
    state.key(Key::Char('y'), now);
    assert!(skip.is_requested());
    assert_shows(&shown(&state, (80, 24), now), &["skipping it"]);

    state.key(Key::Char('n'), now);
    for key in "too low".chars().map(Key::Char).chain([Key::Backspace, Key::Char('!')]) {
        assert_eq!(state.key(key, now), None);
    }
    assert_shows(&shown(&state, (80, 24), now), &["Note: too lo!"]);
    assert_eq!(state.key(Key::Enter, now), Some(Wish::Note("too lo!".to_owned())));
    assert_shows(&shown(&state, (80, 24), now), &["Noted"]);
    assert_shows(&shown(&state, (80, 24), now + Duration::from_secs(5)), &["p: pause"]);
    for key in [Key::Char('n'), Key::Char('x'), Key::Escape, Key::Char('n'), Key::Enter] {
        assert_eq!(state.key(key, now), None);
    }

    assert_eq!(state.key(Key::Char('q'), now), None);
    assert_eq!(state.key(Key::Char('y'), now), Some(Wish::Stop));
    // Once: a second wish would end the process at once.
    for key in [Key::Char('q'), Key::Char('y'), Key::Char('y')] {
        assert_eq!(state.key(key, now), None);
    }
}

#[test]
fn trials_side_by_side_have_a_row_each_and_are_skipped_together() {
    let now = Instant::now();
    let mut state = running(0, now);
    let left = TimeLeft::new(Duration::ZERO, now);
    let skips: Vec<Stop> = (2..=9).map(|_| Stop::default()).collect();
    for (position, skip) in (2..=9).zip(&skips) {
        let target = format!("other-{position}");
        state.trial_started(&trial(position, &target), skip.clone(), left);
    }
    state.second(3, &interval(20, 777, 0), now);
    let screen = shown(&state, (80, 40), now);
    assert_shows(
        &screen,
        &[
            "9 of 12 trials side by side",
            "reads on slow, 8 clients, repeat 1",
            "115/s, p95 95.2 ms, measuring, 16\u{a0}s of 40\u{a0}s",
            "reads on other-2, 8 clients, repeat 1",
            "preparing",
            "777/s, p95 95.2 ms, measuring, 21\u{a0}s of 40\u{a0}s",
            "and 3 more",
        ],
    );
    state.trial_ended(1, "reads on slow", "12/s", End::Completed(None), left);
    state.key(Key::Char('s'), now);
    assert_shows(&shown(&state, (80, 40), now), &["Skip these 8 trials?", "8 of 12 trials"]);
    state.key(Key::Char('y'), now);
    assert!(skips.iter().all(Stop::is_requested));
}

/// A yes that was meant for one trial does not skip the next.
#[test]
fn a_question_goes_with_its_trial() {
    let now = Instant::now();
    let mut state = running(1, now);
    state.key(Key::Char('s'), now);
    let left = TimeLeft::new(Duration::ZERO, now);
    state.trial_ended(2, "reads on slow", "12/s", End::Completed(None), left);
    let next = Stop::default();
    state.trial_started(&trial(3, "plain"), next.clone(), left);
    state.key(Key::Char('y'), now);
    assert!(!next.is_requested());
}

#[test]
fn text_from_outside_steers_nothing() {
    let now = Instant::now();
    let evil = "a\u{1b}[2Jb\u{202e}c\nd";
    let left = TimeLeft::new(Duration::ZERO, now);
    let mut state = State::new(evil, UnitName::TRANSACTION, TrialCount { total: 3, done: 0 }, left);
    state.doing(evil);
    state.warned(evil);
    state.trial_started(&trial(1, evil), Stop::default(), left);
    state.searched(1, evil);
    state.trial_ended(1, evil, evil, End::Failed, left);
    state.trial_started(&trial(2, evil), Stop::default(), left);
    state.judged(&BTreeMap::new(), vec![Sentence::new(Some(Severity::Severe), evil)]);
    let mut terminal = Terminal::new(TestBackend::new(300, 40)).unwrap();
    terminal.draw(|frame| draw(frame, &state, true, now)).unwrap();
    let cells = terminal.backend().buffer().content();
    assert!(cells.iter().all(|cell| !cell.symbol().contains(model::text::deceives)));
    assert_shows(&terminal.backend().to_string(), &["a\\x1b[2Jb\\u{202e}c\\nd"]);
}

#[test]
fn without_colours_there_are_none() {
    let now = Instant::now();
    let mut state = running(2, now);
    state.warned("a warning");
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    for colours in [true, false] {
        terminal.draw(|frame| draw(frame, &state, colours, now)).unwrap();
        let cells = terminal.backend().buffer().content();
        assert_eq!(cells.iter().any(|cell| cell.fg != Color::Reset), colours);
    }
}
