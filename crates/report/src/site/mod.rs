//! The pages of `weighin serve` around the reports: all runs of a directory, one run while it goes on
//! and afterwards, the way in, and what is said where something is not there.
//!
//! Each is complete without script, and asks for itself again where what it shows may change. With
//! script a part of it is exchanged when there is something new.

use crate::charts::svg::spark;
use crate::formats::html::table::table;
use crate::formats::html::{self, lean};
use crate::numbers::{NOTHING, count, counted, date, duration, figure};
use crate::{mark, so_far, tables, view, words};
use analyse::{Analysis, Severity};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use model::{UnixMillis, text};
use std::time::Duration;

/// What these pages have besides the look of a report.
const STYLE: &str = include_str!("style.css");
/// Exchanges the part that changes.
const SCRIPT: &str = include_str!("live.js");
/// Most trials of a run that are listed beside it.
const LATEST: usize = 10;
/// Most tests of a run whose answers stand in its line.
const MOST_ANSWERS: usize = 3;
/// Most characters of an answer in it.
const LONGEST_ANSWER: usize = 300;
/// Fewest runs of a study whose figures are drawn.
const FEWEST_OF_COURSE: usize = 3;
/// Seconds after which a page without script asks for itself again.
const AGAIN: u32 = 10;

/// What becomes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// A weighin holds its results for writing.
    Running,
    /// All of its plan is done.
    Finished,
    /// Nobody goes on with it, and trials of its plan are missing.
    CutOff,
}

impl RunState {
    fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Finished => "finished",
            Self::CutOff => "cut off",
        }
    }
}

/// A results file in the directory.
#[derive(Clone, Debug)]
pub struct SiteRun {
    /// By which its pages are asked for; letters and digits.
    pub id: String,
    /// Its name.
    pub file: String,
    pub state: ReadState,
}

/// What is known of a results file.
#[derive(Clone, Debug)]
pub enum ReadState {
    /// Nothing yet.
    Unread,
    Run(SiteSummary),
    /// Why it cannot be read.
    Unreadable(String),
}

/// A run in a few words.
#[derive(Clone, Debug)]
pub struct SiteSummary {
    pub study: String,
    pub question: Option<String>,
    pub started_at: UnixMillis,
    pub state: RunState,
    /// Trials with a record, and of the plan.
    pub done: usize,
    pub planned: usize,
    /// How much longer it takes, as far as its trials tell.
    pub left: Option<Duration>,
    /// What it says, in a line or two.
    pub answer: String,
    /// The best figure of its first test.
    pub best: Option<BestFigure>,
}

/// The best figure of a test, to be seen beside those of other runs.
#[derive(Clone, Debug, PartialEq)]
pub struct BestFigure {
    /// What it is: the test, and the metric with its unit.
    pub of: String,
    pub value: f64,
}

/// The best figure of the first test that has one.
pub fn best_figure(analysis: &Analysis) -> Option<BestFigure> {
    analysis.tests.iter().find_map(|test| {
        let best = view::ranked(test).next()?;
        let metric = words::with_unit(test.basis?.metric, view::counted(test));
        let of = format!("{}: {metric}", text::line(&test.test));
        Some(BestFigure { of, value: best.figure.point })
    })
}

/// What a run says, in a line or two.
pub fn answer_in_a_line(analysis: &Analysis) -> String {
    let judged: Vec<_> = analysis.tests.iter().filter(|test| test.basis.is_some()).collect();
    let several = judged.len() > 1;
    let mut said: Vec<String> = judged
        .iter()
        .take(MOST_ANSWERS)
        .map(|test| {
            let answer = words::answer(analysis, test).first();
            match several {
                true => format!("{}: {answer}", text::line(&test.test)),
                false => answer,
            }
        })
        .map(|said| text::excerpt(&said, LONGEST_ANSWER).into_owned())
        .collect();
    if said.is_empty() {
        said.push(words::nothing_ranked(analysis).unwrap_or_else(|| words::NO_TEST.to_owned()));
    }
    if judged.len() > MOST_ANSWERS {
        said.push(format!("{} more.", counted(judged.len() - MOST_ANSWERS, "test")));
    }
    said.join(" ")
}

/// The latest trials of a run, and what all of them say: a part of its page.
pub fn latest_and_findings(analysis: &Analysis, state: RunState) -> String {
    let said = so_far(analysis);
    let latest = tables::latest(analysis, LATEST);
    let heading = if state == RunState::Finished { "Findings" } else { "So far" };
    let part = html! {
        @if latest.rows.is_empty() {
            p { "No trial has ended yet." }
        } @else {
            h2 { "Latest trials" }
            (table(&latest))
        }
        @if !said.is_empty() {
            h2 { (heading) }
            ul.findings {
                @for (severity, sentence) in &said {
                    li {
                        @match severity {
                            Some(Severity::Severe) => span.bad { "✕ " (sentence) },
                            Some(_) => span.doubtful { "? " (sentence) },
                            None => (sentence),
                        }
                    }
                }
            }
        }
        @if let Some(notes) = tables::notes(analysis) {
            h2 { "Notes" }
            (table(&notes))
        }
    };
    part.into_string()
}

/// All runs of a directory, the latest first.
pub fn list_page(directory: &str, runs: &[SiteRun]) -> String {
    // New files are shown as they come.
    let changes = runs.is_empty() || runs.iter().any(SiteRun::may_change);
    let title = format!("Studies in {}", text::line(directory));
    page(
        &title,
        changes,
        &html! {
            header { h1 { (title) } }
            main {
                (changing("/events", &list_part(runs)))
            }
        },
    )
}

/// The part of the list that changes.
pub fn list_part(runs: &[SiteRun]) -> String {
    let readable: Vec<(&SiteRun, &SiteSummary)> =
        runs.iter().filter_map(|run| Some((run, run.summary()?))).collect();
    let part = html! {
        @if runs.is_empty() {
            p { "There is no results file (*.weighin) here yet. The page shows those that come." }
        } @else {
            ul.runs { @for run in runs { li { (line_of(run, &readable)) } } }
        }
        @if readable.len() > 1 {
            section.below {
                h2 { "Two runs side by side" }
                form action="/compare" method="get" {
                    label { "Old " select name="old" { (options(&readable, 1)) } }
                    label { "New " select name="new" { (options(&readable, 0)) } }
                    button { "Compare" }
                }
            }
            section.below {
                h2 { "History" }
                p { a href="/history" { "Where figures changed over these runs" } }
            }
        }
    };
    part.into_string()
}

fn line_of(run: &SiteRun, all: &[(&SiteRun, &SiteSummary)]) -> Markup {
    let file = text::line(&run.file);
    match &run.state {
        ReadState::Unread => html! { p.title { (file) } p.meta { "is being read" } },
        ReadState::Unreadable(why) => html! {
            p.title { (file) }
            p.meta { span.bad { "✕ cannot be read: " (why) } }
        },
        ReadState::Run(summary) => html! {
            p.title { a href={ "/runs/" (run.id) } { (summary.title()) } }
            p.meta {
                (state(summary)) " · " (trials(summary)) " · " (began(summary)) " · study "
                (text::line(&summary.study)) " · file " (file) " · "
                a href={ "/runs/" (run.id) "/report" } { "Report" }
            }
            @if summary.done > 0 { p.answer { (summary.answer) } }
            (course(summary, all))
        },
    }
}

/// The best figure of a run among those of all runs of its study, from the first on; nothing for fewer
/// than three.
fn course(summary: &SiteSummary, all: &[(&SiteRun, &SiteSummary)]) -> Markup {
    let Some(own) = &summary.best else { return Markup::default() };
    let of_kind = |other: &&SiteSummary| {
        other.study == summary.study && other.best.as_ref().is_some_and(|best| best.of == own.of)
    };
    let mut runs: Vec<&SiteSummary> = all.iter().map(|(_, other)| *other).filter(of_kind).collect();
    runs.sort_by_key(|other| other.started_at.0);
    if runs.len() < FEWEST_OF_COURSE {
        return Markup::default();
    }
    let meant = runs.iter().position(|other| std::ptr::eq(*other, summary)).unwrap_or(runs.len());
    let values: Vec<f64> =
        runs.iter().filter_map(|other| Some(other.best.as_ref()?.value)).collect();
    html! {
        p.meta { (own.of) ", best: " (figure(own.value)) " " (spark::course(&values, meant)) }
    }
}

fn state(summary: &SiteSummary) -> Markup {
    let (tone, sign) = match summary.state {
        RunState::Running => ("live", "● "),
        RunState::Finished => ("good", "✓ "),
        RunState::CutOff => ("doubtful", "? "),
    };
    html! { span class=(tone) { (sign) (summary.state.word()) } }
}

/// `5 of 8 trials`, and how long the others take.
fn trials(summary: &SiteSummary) -> String {
    let (done, planned) = (summary.done as u64, summary.planned as u64);
    let mut said = match done == planned {
        true => counted(summary.planned, "trial"),
        false => format!("{} of {} trials", count(done), count(planned)),
    };
    if let Some(left) = summary.left.filter(|_| summary.state == RunState::Running) {
        said += &format!(", about {} left", duration(left));
    }
    said
}

fn began(summary: &SiteSummary) -> String {
    match summary.started_at {
        UnixMillis(0) => "date not known".to_owned(),
        at => date(at),
    }
}

fn options(runs: &[(&SiteRun, &SiteSummary)], chosen: usize) -> Markup {
    html! {
        @for (i, (run, summary)) in runs.iter().enumerate() {
            option value=(run.id) selected[i == chosen] {
                (began(summary)) ", " (text::line(&summary.study)) " (" (text::line(&run.file)) ")"
            }
        }
    }
}

/// One run: how far it is, what its trials say so far, and the way to its report. `so_far` is from
/// [`latest_and_findings`].
pub fn run_page(run: &SiteRun, so_far: &str) -> String {
    let title =
        run.summary().map_or_else(|| text::line(&run.file).into_owned(), SiteSummary::title);
    page(
        &title,
        run.may_change(),
        &html! {
            header {
                nav { a href="/" { "All studies" } }
                h1 { (title) }
            }
            main { (changing(&format!("/runs/{}/events", run.id), &run_part(run, so_far))) }
        },
    )
}

/// The part of a run's page that changes.
pub fn run_part(run: &SiteRun, so_far: &str) -> String {
    let part = match &run.state {
        ReadState::Run(summary) => html! {
            p.meta {
                (state(summary)) " · " (trials(summary)) " · " (began(summary)) " · study "
                strong { (text::line(&summary.study)) } " · file " (text::line(&run.file))
            }
            @if summary.state != RunState::Finished {
                progress max=(summary.planned.max(1)) value=(summary.done)
                    aria-label="trials done" { (trials(summary)) }
            }
            @if summary.state == RunState::CutOff {
                p.limits {
                    "This run was interrupted. " code { "weighin run --resume STUDY" }
                    " completes it; its report covers the trials that are done."
                }
            }
            @if summary.done > 0 {
                p.headline { (summary.answer) }
                p { a href={ "/runs/" (run.id) "/report" } { "Report" } }
            }
            (PreEscaped(so_far))
        },
        _ => line_of(run, &[]),
    };
    part.into_string()
}

/// What asks for the token.
pub fn login_page(was_wrong: bool) -> String {
    page(
        "weighin: token",
        false,
        &html! {
            header { h1 { "Token" } }
            main {
                @if was_wrong { p { span.bad { "✕ This is not the token." } } }
                p { "It is in the file or the variable that weighin was started with." }
                form action="/login" method="post" {
                    // Password managers keep a password under a name.
                    input name="username" value="weighin" autocomplete="username" hidden;
                    label {
                        "Token "
                        input type="password" name="token" required autocomplete="current-password";
                    }
                    button { "Open" }
                }
            }
        },
    )
}

/// That something is not there, or cannot be shown, and what to do.
pub fn message_page(title: &str, said: &str) -> String {
    said_page(title, said, true)
}

/// The same where there are no studies to go back to.
pub fn notice_page(title: &str, said: &str) -> String {
    said_page(title, said, false)
}

fn said_page(title: &str, said: &str, has_studies: bool) -> String {
    page(
        &text::line(title),
        false,
        &html! {
            header {
                @if has_studies { nav { a href="/" { "All studies" } } }
                h1 { (text::line(title)) }
            }
            main { p { (said) } }
        },
    )
}

fn changing(events: &str, part: &str) -> Markup {
    html! {
        p #lost hidden { span.doubtful { "? The connection to weighin is lost; it is tried again." } }
        div #part data-events=(events) { (PreEscaped(part)) }
    }
}

fn page(title: &str, changes: bool, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(mark::GENERATOR);
                meta name="color-scheme" content="light dark";
                @if changes {
                    noscript { meta http-equiv="refresh" content=(AGAIN); }
                }
                title { (title) " – weighin" }
                link rel="icon" href="data:,";
                style { (PreEscaped(lean(html::STYLE))) }
                style { (PreEscaped(lean(STYLE))) }
            }
            body {
                (body)
                script { (PreEscaped(lean(SCRIPT))) }
            }
        }
    };
    text::visible(&page.into_string()).into_owned()
}

/// What the `style` elements of reports and of these pages hold, for a policy that permits no others.
pub fn styles() -> [String; 2] {
    [lean(html::STYLE), lean(STYLE)]
}

/// What their `script` elements hold.
pub fn scripts() -> [String; 2] {
    [lean(html::SCRIPT), lean(SCRIPT)]
}

impl SiteRun {
    pub fn summary(&self) -> Option<&SiteSummary> {
        match &self.state {
            ReadState::Run(summary) => Some(summary),
            ReadState::Unread | ReadState::Unreadable(_) => None,
        }
    }

    /// Whether something else may be known of it before long.
    fn may_change(&self) -> bool {
        match &self.state {
            ReadState::Unread => true,
            ReadState::Run(summary) => summary.state == RunState::Running,
            ReadState::Unreadable(_) => false,
        }
    }
}

impl SiteSummary {
    /// The question of the study, or its name.
    pub fn title(&self) -> String {
        let title = self.question.as_deref().unwrap_or(&self.study);
        match title.trim() {
            "" => NOTHING.to_owned(),
            title => text::line(title).into_owned(),
        }
    }
}
