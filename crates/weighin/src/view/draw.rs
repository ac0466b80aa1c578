//! How a view looks, at every size of a terminal.

use super::state::{CurrentTrial, End, EndedTrial, HostNow, Mode, Sentence, State, Totals};
use analyse::{Severity, Validity};
use model::Phase;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Sparkline, Wrap};
use report::numbers::{duration, figure};
use std::time::{Duration, Instant};
use unicode_width::UnicodeWidthStr;

/// Rows of a trial under way.
const TRIAL_ROWS: u16 = 8;
/// Fewest rows in which trials and sentences both have a place.
const BOTH: u16 = 9;
/// From so many columns on the figures of a trial are a table.
const TABLE: u16 = 72;
/// Of that table.
const LABEL: usize = 13;
const COLUMN: usize = 12;
/// Rows above and below which there is one line less.
const LOW: u16 = 10;

/// How long it is shown what a key came to.
const REPLY: Duration = Duration::from_secs(3);

/// The looks that there are.
#[derive(Clone, Copy)]
struct Looks {
    colour: bool,
}

impl Looks {
    fn coloured(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    fn bad(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }
}

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const SOFT: Style = Style::new().add_modifier(Modifier::DIM);

/// Draws the whole of it, with colours or without.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State, colour: bool, now: Instant) {
    let looks = Looks { colour };
    let area = frame.area();
    let head = if area.height < LOW { 1 } else { 2 };
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(head), Constraint::Fill(1), Constraint::Length(1)])
            .areas(area);
    draw_head(frame, head, state, looks, now);
    draw_foot(frame, foot, state, looks, now);
    let trial_rows = TRIAL_ROWS.min(body.height);
    let [trial, rest] =
        Layout::vertical([Constraint::Length(trial_rows), Constraint::Fill(1)]).areas(body);
    draw_trial(frame, trial, state, looks, now);
    let all = u16::try_from(state.ended.len()).unwrap_or(u16::MAX).saturating_add(2);
    let trials = if rest.height < BOTH { rest.height } else { all.min(rest.height * 3 / 5) };
    let [trials, said] =
        Layout::vertical([Constraint::Length(trials), Constraint::Fill(1)]).areas(rest);
    draw_trials(frame, trials, state, looks);
    draw_said(frame, said, state, looks);
}

/// A text of at most so many columns.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() + c.to_string().width() + 1 > width {
            break;
        }
        kept.push(c);
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// A text and one at the right, which gives way where both have no room.
fn both_ends(left: &str, right: &str, width: usize) -> String {
    let room = width.saturating_sub(right.width() + 2);
    if room < left.width().min(width / 3) {
        return cut(left, width);
    }
    let left = cut(left, room);
    let gap = width.saturating_sub(left.width() + right.width());
    format!("{left}{}{right}", " ".repeat(gap))
}

fn line(frame: &mut Frame<'_>, area: Rect, text: impl Into<Line<'static>>) {
    frame.render_widget(text.into(), area);
}

/// A heading on a rule.
fn heading(frame: &mut Frame<'_>, area: Rect, text: &str, looks: Looks) {
    let width = usize::from(area.width);
    let text = cut(&format!("─ {text} "), width);
    let rule = "─".repeat(width.saturating_sub(text.width()));
    let style = looks.coloured(Color::Cyan).add_modifier(Modifier::BOLD);
    line(frame, area, vec![Span::styled(text, style), Span::styled(rule, SOFT)]);
}

/// The rows of an area, each with an area of its own.
fn rows(area: Rect) -> impl Iterator<Item = Rect> {
    area.rows()
}

fn whole_seconds(length: Duration) -> String {
    duration(Duration::from_secs(length.as_secs()))
}

fn draw_head(frame: &mut Frame<'_>, area: Rect, state: &State, looks: Looks, now: Instant) {
    let failed = state.ended.iter().filter(|trial| trial.end == End::Failed).count();
    let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    let left = match state.left.at(now) {
        left if left < Duration::from_secs(1) => "soon done".to_owned(),
        left => format!("about {} left", whole_seconds(left)),
    };
    let mut rows = rows(area);
    if let Some(row) = rows.next() {
        let text = match area.width < TABLE {
            true => {
                cut(&format!("{} of {}{failed}, {left}", state.done, state.total), row.width.into())
            }
            false => {
                let name = format!("weighin: {}", state.study);
                let done = format!("{} of {} trials{failed}, {left}", state.done, state.total);
                both_ends(&name, &done, row.width.into())
            }
        };
        line(frame, row, Span::styled(text, BOLD));
    }
    if let Some(row) = rows.next() {
        let share = state.done as f64 / state.total.max(1) as f64;
        bar(frame, row, share, looks);
    }
}

fn bar(frame: &mut Frame<'_>, area: Rect, share: f64, looks: Looks) {
    let width = usize::from(area.width);
    let full = ((share.clamp(0.0, 1.0) * width as f64) as usize).min(width);
    let full_bar = Span::styled("━".repeat(full), looks.coloured(Color::Cyan));
    line(frame, area, vec![full_bar, Span::styled("─".repeat(width - full), SOFT)]);
}

fn draw_foot(frame: &mut Frame<'_>, area: Rect, state: &State, looks: Looks, now: Instant) {
    let width = usize::from(area.width);
    let ask = looks.coloured(Color::Yellow).add_modifier(Modifier::BOLD);
    let is_new = |at: Instant| now.saturating_duration_since(at) < REPLY;
    let reply = state.reply.filter(|(_, at)| is_new(*at)).map(|(reply, _)| reply);
    let (text, style) = match &state.mode {
        _ if state.is_stopping => ("Stopping. What is recorded is safe.".to_owned(), ask),
        Mode::AsksToSkip => {
            let question = match state.trials.len() {
                0 | 1 => "Skip this trial? It counts as failed. y: yes, n: no".to_owned(),
                several => {
                    format!("Skip these {several} trials? They count as failed. y: yes, n: no")
                }
            };
            (question, ask)
        }
        Mode::AsksToStop => {
            ("Stop the run? --resume goes on with it. y: yes, n: no".to_owned(), ask)
        }
        Mode::Note(note) => {
            // The end is what is being written.
            let room = width.saturating_sub("Note: ▏".width());
            let mut start = 0;
            while note[start..].width() > room {
                start += note[start..].chars().next().map_or(1, char::len_utf8);
            }
            (format!("Note: {}▏", &note[start..]), BOLD)
        }
        Mode::Commands if reply.is_some() => (reply.unwrap_or_default().to_owned(), BOLD),
        Mode::Commands => {
            let pause = match (state.paused, state.pauses) {
                (Some(since), _) => {
                    let since = whole_seconds(now.saturating_duration_since(since));
                    let text = format!("Paused for {since}. p: go on  n: note  q: stop");
                    return line(frame, area, Span::styled(cut(&text, width), ask));
                }
                (None, true) => "p: do not pause",
                (None, false) => "p: pause after this trial",
            };
            let long = format!("{pause}  s: skip it  n: note  q: stop  ↑↓: scroll");
            let short = if state.pauses {
                "p:go on s:skip n:note q:stop"
            } else {
                "p:pause s:skip n:note q:stop"
            };
            let text = if long.width() <= width { long } else { short.to_owned() };
            (text, if state.pauses { ask } else { SOFT })
        }
    };
    line(frame, area, Span::styled(cut(&text, width), style));
}

fn draw_trial(frame: &mut Frame<'_>, area: Rect, state: &State, looks: Looks, now: Instant) {
    let mut rows = rows(area);
    let Some(first) = rows.next() else { return };
    if let [_, _, ..] = state.trials.as_slice() {
        return draw_side_by_side(frame, first, rows, state, looks, now);
    }
    let Some(trial) = state.trials.first() else {
        heading(frame, first, "Now", looks);
        if let Some(row) = rows.next() {
            let what = if state.paused.is_some() { "paused" } else { &state.doing };
            line(frame, row, cut(what, row.width.into()));
        }
        return;
    };
    heading(
        frame,
        first,
        &format!("Trial {} of {}: {}", trial.place, state.total, trial.name),
        looks,
    );
    let Some(row) = rows.next() else { return };
    draw_phase(frame, row, trial, &state.doing, looks, now);
    let mut lines = if area.width < TABLE { narrow(trial) } else { table(trial) };
    lines.extend(trial.steps.iter().map(|step| Line::raw(step.clone())));
    lines.extend(trial.host.iter().flat_map(host));
    for (row, text) in rows.zip(lines) {
        line(frame, row, text);
    }
}

/// Several trials: a row for each, as far as there is room, and the machine that leads.
fn draw_side_by_side(
    frame: &mut Frame<'_>,
    first: Rect,
    rows: impl Iterator<Item = Rect>,
    state: &State,
    looks: Looks,
    now: Instant,
) {
    let count = state.trials.len();
    heading(frame, first, &format!("{count} of {} trials side by side", state.total), looks);
    let rows: Vec<Rect> = rows.collect();
    let fit = if rows.len() < count { rows.len().saturating_sub(1) } else { count };
    for (row, trial) in rows.iter().zip(&state.trials).take(fit) {
        let phase = phase(trial, "preparing", now);
        let figures = trial.last.as_ref().map_or(phase.clone(), |last| {
            let p95 = ms(last.account.latencies.percentile_ms(95.0));
            format!("{}/s, p95 {p95}, {phase}", figure(last.account.rate()))
        });
        line(frame, *row, both_ends(&trial.name, &figures, row.width.into()));
    }
    let mut rest = rows.into_iter().skip(fit);
    if let (true, Some(row)) = (fit < count, rest.next()) {
        line(frame, row, cut(&format!("and {} more", count - fit), row.width.into()));
    }
    let hosts = state.trials.iter().find_map(|trial| trial.host.as_ref());
    for (row, text) in rest.zip(hosts.into_iter().flat_map(host)) {
        line(frame, row, text);
    }
}

/// How far a trial is.
fn phase(trial: &CurrentTrial, doing: &str, now: Instant) -> String {
    let passed = trial.began.map(|began| now.saturating_duration_since(began).min(trial.load_time));
    match (&trial.last, passed) {
        _ if trial.is_skipped => "skipping it".to_owned(),
        (Some(second), Some(passed)) => {
            let what = match second.phase {
                Phase::Warmup => "warming up",
                Phase::Measure => "measuring",
                Phase::Drain => "waiting for its turn",
            };
            format!("{what}, {} of {}", whole_seconds(passed), duration(trial.load_time))
        }
        _ => doing.to_owned(),
    }
}

/// How far a trial is, and the throughput of its seconds.
fn draw_phase(
    frame: &mut Frame<'_>,
    area: Rect,
    trial: &CurrentTrial,
    doing: &str,
    looks: Looks,
    now: Instant,
) {
    let doing = cut(&phase(trial, doing, now), area.width.into());
    let width = u16::try_from(doing.width()).unwrap_or(u16::MAX);
    let [text, _, graph] =
        Layout::horizontal([Constraint::Length(width), Constraint::Length(2), Constraint::Fill(1)])
            .areas(area);
    line(frame, text, doing);
    let newest = trial.rates.len().saturating_sub(graph.width.into());
    let graph_of =
        Sparkline::default().data(&trial.rates[newest..]).style(looks.coloured(Color::Cyan));
    frame.render_widget(graph_of, graph);
}

fn ms(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |ms| format!("{} ms", figure(ms)))
}

/// Throughput and latencies of the last second and of all that was measured.
fn table(trial: &CurrentTrial) -> Vec<Line<'static>> {
    let Some(last) = &trial.last else { return Vec::new() };
    let headings = ["throughput", "p50", "p95", "p99", "longest"];
    let row = |label: &str, cells: [String; 5]| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>COLUMN$}")).collect();
        format!("{label:<LABEL$}{}", cells.concat())
    };
    let figures = |account: &Totals| {
        let of = |percentile| ms(account.latencies.percentile_ms(percentile));
        let longest = ms(account.latencies.max_ms());
        [format!("{}/s", figure(account.rate())), of(50.0), of(95.0), of(99.0), longest]
    };
    let errors = |account: &Totals| match account.errors {
        0 => String::new(),
        errors => format!("{errors} errors"),
    };
    let mut lines = vec![
        Line::styled(row("", headings.map(str::to_owned)), SOFT),
        Line::raw(row("last second", figures(&last.account))),
    ];
    if trial.measured.seconds > 0.0 {
        lines.push(Line::raw(row("measured", figures(&trial.measured))));
    }
    let failed = if trial.measured.errors > 0 { &trial.measured } else { &last.account };
    if failed.errors > 0 {
        lines.push(Line::raw(errors(failed)));
    }
    lines
}

/// The same where there is little room.
fn narrow(trial: &CurrentTrial) -> Vec<Line<'static>> {
    let Some(Totals { latencies, errors, .. }) = trial.last.as_ref().map(|last| &last.account)
    else {
        return Vec::new();
    };
    let rate = trial.last.as_ref().map_or(0.0, |last| last.account.rate());
    let p95 = ms(latencies.percentile_ms(95.0));
    let mut lines = vec![Line::raw(format!("{}/s, p95 {p95}", figure(rate)))];
    if *errors > 0 {
        lines.push(Line::raw(format!("{errors} errors")));
    }
    lines
}

fn host(host: &HostNow) -> Vec<Line<'static>> {
    let percent = |share: f64| format!("{} %", (share * 100.0).round());
    let mut processors = format!("processors   {} busy", percent(host.busy));
    if host.waiting >= 0.005 {
        processors += &format!(", {} waiting for IO", percent(host.waiting));
    }
    if host.stolen >= 0.005 {
        processors += &format!(", {} stolen", percent(host.stolen));
    }
    let server = host.server.map(|cpus| format!("server {cpus:.1}, ")).unwrap_or_default();
    let delay = host.delay.map(|cpus| format!("delay {cpus:.1}, ")).unwrap_or_default();
    processors += &format!("; {server}{delay}weighin {:.1}", host.weighin);
    let megabytes = |bytes: f64| format!("{} MB/s", figure(bytes / 1e6));
    let disks: Vec<String> = host
        .disks
        .iter()
        .map(|(name, busy, read, written)| {
            let (read, written) = (megabytes(*read), megabytes(*written));
            format!("{name} {} busy, {read} read, {written} written", percent(*busy))
        })
        .collect();
    let mut lines = vec![Line::raw(processors)];
    if !disks.is_empty() {
        lines.push(Line::raw(format!("disks        {}", disks.join("; "))));
    }
    lines
}

fn draw_trials(frame: &mut Frame<'_>, area: Rect, state: &State, looks: Looks) {
    let mut rows = rows(area);
    let Some(first) = rows.next() else { return };
    let room = usize::from(area.height) - 1;
    let count = state.ended.len();
    let end = count.saturating_sub(state.below).max(room.min(count));
    let start = end.saturating_sub(room);
    let which = match (start, end) {
        (0, end) if end == count => String::new(),
        (start, end) => format!(", {} to {end} of {count}", start + 1),
    };
    heading(frame, first, &format!("Trials done{which}"), looks);
    let unit = format!(" {}/s", state.counted);
    for (row, (place, trial)) in rows.zip((1..).zip(&state.ended).skip(start).take(end - start)) {
        let (word, style) = verdict(trial, looks);
        let figures = trial.figures.replace(&unit, "/s");
        let mark = format!("{place:>4} {word:<12}");
        let width = usize::from(row.width).saturating_sub(mark.width());
        let text = both_ends(&trial.name, &figures, width);
        line(frame, row, vec![Span::styled(mark, style), Span::raw(text)]);
    }
}

/// What is known of a trial in a word.
fn verdict(trial: &EndedTrial, looks: Looks) -> (&'static str, Style) {
    match trial.end {
        End::Completed(None) => ("done", SOFT),
        End::Completed(Some(Validity::Valid)) => ("valid", looks.coloured(Color::Green)),
        End::Completed(Some(Validity::Suspect)) => ("suspect", looks.coloured(Color::Yellow)),
        End::Completed(Some(Validity::Void)) => ("void", looks.bad()),
        End::Failed => ("failed", looks.bad()),
        End::NotOffered => ("not offered", SOFT),
    }
}

fn draw_said(frame: &mut Frame<'_>, area: Rect, state: &State, looks: Looks) {
    let mut rows = rows(area);
    let Some(first) = rows.next() else { return };
    heading(frame, first, "So far", looks);
    let below = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let of = |said: &Sentence| {
        let (mark, style) = match said.severity {
            Some(Severity::Severe) => ("!! ", looks.bad()),
            Some(Severity::Warning) => ("! ", looks.coloured(Color::Yellow)),
            Some(Severity::Notice | Severity::Passed) | None => ("", Style::new()),
        };
        Line::styled(format!("{mark}{}", said.text), style)
    };
    let said = state.waits.iter().chain(&state.said).chain(&state.warnings);
    let mut lines: Vec<Line<'static>> = said.map(of).collect();
    if lines.is_empty() {
        let text = "What the trials say is shown here when there are some to compare.";
        lines.push(Line::styled(text, SOFT));
    }
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), below);
}
