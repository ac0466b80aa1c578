//! One self-contained page: a document with its charts, links and folds.

pub(crate) mod charts;
mod disk_panels;
pub(crate) mod drawn;
pub(crate) mod events;
pub(crate) mod evidence;
pub(crate) mod failover;
pub(crate) mod heat_maps;
pub(crate) mod money;
mod overlays;
pub(crate) mod percentiles;
pub(crate) mod table;
pub(crate) mod timelines;

use crate::document::{Block, Bullets, Document, Fold, Part, Section, Span, Text};
use crate::tables::{Table, Tone};
use crate::{mark, svg};
use maud::{DOCTYPE, Markup, PreEscaped, html};
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
                header { h1 { (title) } p.meta { (words(under)) } }
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
    let content = html! { @for block in &section.blocks { (of_block(block)) } };
    let page = html! {
        @if let Some(note) = &section.note {
            details.layer open[section.is_open] {
                summary { h2 { (section.title) } " " span.note { (note) } }
                section id=(section.id) { (content) }
            }
        } @else {
            section id=(section.id) { h2 { (section.title) } (content) }
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
                main { (of_blocks(&document.blocks)) }
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

fn of_blocks(blocks: &[Block]) -> Markup {
    html! { @for block in blocks { (of_block(block)) } }
}

fn of_block(block: &Block) -> Markup {
    match block {
        Block::Part(part) => of_part(part),
        Block::Headline(text) => html! { p.headline { (words(text)) } },
        Block::Paragraph(text) => html! { p { (words(text)) } },
        Block::Caption(text) => html! { p.caption { (words(text)) } },
        Block::Limits(text) => html! { p.limits { (words(text)) } },
        Block::Warning(text) => html! { p.limits { strong { (text) } } },
        Block::Bullets(bullets) => of_bullets(bullets),
        Block::Table(table, open) => of_table(table, *open),
        Block::Terms(terms) => html! {
            dl { @for (term, text) in terms { dt { (term) } dd { (words(text)) } } }
        },
        Block::Source { text, .. } => html! { pre tabindex="0" { code { (text) } } },
        Block::Columns(columns) => html! {
            div.screen { @for blocks in columns { div { (of_blocks(blocks)) } } }
        },
        Block::OnPage(markup) => markup.clone(),
    }
}

fn of_part(part: &Part) -> Markup {
    let (title, content) = (&part.title, of_blocks(&part.blocks));
    if part.fold != Fold::Open {
        let summary = html! { @if part.rank == 3 { h3 { (title) } } @else { (title) } };
        return folded(part.fold, &summary, &content);
    }
    let class = part.tone.map(class);
    html! {
        @match part.rank {
            2 => h2 class=[class] { (title) },
            3 => h3 class=[class] { (title) },
            _ => h4 class=[class] { (title) },
        }
        (content)
    }
}

fn folded(fold: Fold, summary: &Markup, content: &Markup) -> Markup {
    html! {
        details class=[(fold == Fold::OnScreen).then_some("paper")] {
            summary { (summary) }
            (content)
        }
    }
}

fn of_bullets(bullets: &Bullets) -> Markup {
    let (open, more) = bullets.items.split_at(bullets.open);
    let list =
        |items: &[Text]| html! { ul.findings { @for item in items { li { (words(item)) } } } };
    html! {
        @if !open.is_empty() { (list(open)) }
        @if !more.is_empty() {
            (folded(Fold::OnScreen, &html! { (bullets.folded) }, &list(more)))
        }
    }
}

fn of_table(table: &Table, open: usize) -> Markup {
    let (first, more) = table.rows.split_at(table.rows.len().min(open));
    html! {
        (table::rows(table, first))
        @if !more.is_empty() {
            (folded(Fold::OnPaperToo, &html! { (more.len()) " more" }, &table::rows(table, more)))
        }
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

fn words(text: &Text) -> Markup {
    html! { @for span in &text.0 { (of_span(span)) } }
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
