//! One self-contained page: a document with its charts, links and folds.

pub(crate) mod table;

use crate::charts::svg;
use crate::document::{Block, Bullets, Document, Fold, Part, Section, Span, Text};
use crate::mark;
use crate::tables::{Table, Tone};
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use model::text;

/// All colours and measures.
pub(crate) const STYLE: &str = include_str!("style.css");
/// Cross-hair, tooltip and printing; the page is complete without it.
pub(crate) const SCRIPT: &str = include_str!("page.js");

/// Where the sections of a page go. No text has such a mark: it would be escaped.
const SECTIONS: &str = "<!-- sections -->";

/// What is before and after the sections of a long report.
pub(crate) fn frame(title: &str, under: &Text) -> (String, String) {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body {
                (svg::key_shapes())
                header { h1 { (title) } p.meta { (under) } }
                main { (PreEscaped(SECTIONS)) }
                div #tip role="status" hidden {}
                script { (PreEscaped(lean(SCRIPT))) }
            }
        }
    }
    .into_string();
    let (before, after) = page.split_once(SECTIONS).unwrap_or((&page, ""));
    (before.to_owned(), after.to_owned())
}

pub(crate) fn section(section: &Section) -> String {
    let content = &section.blocks;
    let page = html! {
        @if let Some(note) = &section.note {
            details.layer open[section.is_open] {
                summary { h2 { (section.title) } " " span.note { (note) } }
                section id=(section.id) { @for block in content { (block) } }
            }
        } @else {
            section id=(section.id) { h2 { (section.title) } @for block in content { (block) } }
        }
    };
    page.into_string()
}

/// A short report as a page of its own.
pub(crate) fn document(document: &Document) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&document.title))
            body {
                header { h1 { (document.title) } }
                main { @for block in &document.blocks { (block) } }
            }
        }
    };
    text::visible(&page.into_string()).into_owned()
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="generator" content=(mark::GENERATOR);
            meta name="color-scheme" content="light dark";
            title { (title) " – weighin" }
            style { (PreEscaped(lean(STYLE))) }
        }
    }
}

/// Without indentation and lines of comments. No text of script or style sheet spans lines.
pub(crate) fn lean(source: &str) -> String {
    let lines = source.lines().map(str::trim_start);
    lines.filter(|line| !line.starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// Written straight into the page: sections are long.
impl Render for Block {
    fn render_to(&self, page: &mut String) {
        let short = match self {
            Self::Part(part) => return of_part(part, page),
            Self::Bullets(bullets) => return of_bullets(bullets, page),
            Self::Table(table, open) => return of_table(table, *open, page),
            Self::OnPage(markup) => return page.push_str(&markup.0),
            Self::Columns(columns) => html! {
                div.screen { @for blocks in columns { div { @for block in blocks { (block) } } } }
            },
            Self::Headline(text) => html! { p.headline { (text) } },
            Self::Paragraph(text) => html! { p { (text) } },
            Self::Caption(text) => html! { p.caption { (text) } },
            Self::Limits(text) => html! { p.limits { (text) } },
            Self::Warning(text) => html! { p.limits { strong { (text) } } },
            Self::Terms(terms) => html! {
                dl { @for (term, text) in terms { dt { (term) } dd { (text) } } }
            },
            Self::Source { text, .. } => html! { pre tabindex="0" { code { (text) } } },
        };
        page.push_str(&short.0);
    }
}

fn of_part(part: &Part, page: &mut String) {
    let content = |page: &mut String| part.blocks.iter().for_each(|block| block.render_to(page));
    let (title, class) = (&part.title, part.tone.map(class));
    if part.fold != Fold::Open {
        let summary = html! { @if part.rank == 3 { h3 { (title) } } @else { (title) } };
        return folded(part.fold, &summary, page, content);
    }
    let heading = match part.rank {
        2 => html! { h2 class=[class] { (title) } },
        3 => html! { h3 class=[class] { (title) } },
        _ => html! { h4 class=[class] { (title) } },
    };
    page.push_str(&heading.0);
    content(page);
}

fn folded(fold: Fold, summary: &Markup, page: &mut String, content: impl FnOnce(&mut String)) {
    let start = if fold == Fold::OnScreen { "<details class=\"paper\">" } else { "<details>" };
    page.push_str(start);
    page.push_str(&html! { summary { (summary) } }.0);
    content(page);
    page.push_str("</details>");
}

fn of_bullets(bullets: &Bullets, page: &mut String) {
    let (open, more) = bullets.items.split_at(bullets.open);
    let list = |items: &[Text]| html! { ul.findings { @for item in items { li { (item) } } } };
    if !open.is_empty() {
        page.push_str(&list(open).0);
    }
    if !more.is_empty() {
        let summary = html! { (bullets.folded) };
        folded(Fold::OnScreen, &summary, page, |page| page.push_str(&list(more).0));
    }
}

fn of_table(table: &Table, open: usize, page: &mut String) {
    let (first, more) = table.rows.split_at(table.rows.len().min(open));
    table::put(table, first, page);
    if !more.is_empty() {
        let summary = html! { (more.len()) " more" };
        folded(Fold::OnPaperToo, &summary, page, |page| table::put(table, more, page));
    }
}

/// The class of a tone in the style sheet.
fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "notice",
        Tone::Good => "good",
        Tone::Doubtful => "doubtful",
        Tone::Bad => "bad",
    }
}

/// A list of places that takes more characters is folded.
const LONGEST_PLACE: usize = 90;

impl Render for Text {
    fn render(&self) -> Markup {
        html! { @for span in &self.0 { (of_span(span)) } }
    }
}

fn of_span(span: &Span) -> Markup {
    match span {
        Span::Plain(text) => html! { (text) },
        Span::Strong(text) => html! { strong { (text) } },
        Span::Code(text) => html! { code { (text) } },
        Span::Link { to, text, tone: Tone::Plain } => html! { a href={ "#" (to) } { (text) } },
        Span::Link { to, text, tone } => {
            html! { a class=(class(*tone)) href={ "#" (to) } { (text) } }
        }
        Span::More { to, text } => html! { " " a href={ "#" (to) } { (text) } },
        Span::Place(place) if place.chars().count() > LONGEST_PLACE => {
            html! { details.places { summary { "Where" } (place) } }
        }
        Span::Place(place) => html! { " " span.note.place { (place) } },
    }
}
