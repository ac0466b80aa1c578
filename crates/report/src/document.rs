//! A short report: a title, sentences and tables, in every format that people read.

use crate::tables::Table;
use crate::terminal::{Page, Style};
use crate::{html, markdown};
use maud::{DOCTYPE, Markup, html};
use model::text;

/// What is said, from top to bottom.
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) parts: Vec<Part>,
}

pub(crate) enum Part {
    Heading(String),
    Paragraph(String),
    /// What a reader must not miss.
    Warning(String),
    Bullets(Vec<String>),
    Table(Table),
}

impl Document {
    /// For a terminal, in lines of at most that width where words allow it.
    pub(crate) fn terminal(&self, width: usize, colour: bool) -> String {
        let mut page = Page::new(width, colour);
        page.paragraph("", &self.title, Style::Bold);
        page.end_section();
        for part in &self.parts {
            match part {
                Part::Heading(heading) => page.paragraph("", heading, Style::Bold),
                Part::Paragraph(said) => page.paragraph("", said, Style::Plain),
                Part::Warning(said) => page.paragraph("", said, Style::Doubtful),
                Part::Bullets(all) => {
                    all.iter().for_each(|said| page.bullet(said, Style::Plain));
                }
                Part::Table(table) => page.table(table),
            }
            if !matches!(part, Part::Heading(_)) {
                page.end_section();
            }
        }
        page.into_text()
    }

    pub(crate) fn markdown(&self) -> String {
        let mut blocks = vec![format!("# {}", markdown::escaped(&self.title))];
        for part in &self.parts {
            blocks.push(match part {
                Part::Heading(heading) => format!("## {}", markdown::escaped(heading)),
                Part::Paragraph(said) => markdown::escaped(said),
                Part::Warning(said) => format!("**{}**", markdown::escaped(said)),
                Part::Bullets(all) => markdown::bullets(all).unwrap_or_default(),
                Part::Table(table) => markdown::table(table),
            });
        }
        blocks.push(String::new());
        text::visible(&blocks.join("\n\n")).into_owned()
    }

    pub(crate) fn html(&self) -> String {
        let page: Markup = html! {
            (DOCTYPE)
            html lang="en" {
                (html::head(&self.title))
                body {
                    header { h1 { (self.title) } }
                    main {
                        @for part in &self.parts {
                            @match part {
                                Part::Heading(heading) => h2 { (heading) },
                                Part::Paragraph(said) => p { (said) },
                                Part::Warning(said) => p.limits { strong { (said) } },
                                Part::Bullets(all) => ul { @for said in all { li { (said) } } },
                                Part::Table(table) => (html::table::table(table)),
                            }
                        }
                    }
                }
            }
        };
        text::visible(&page.into_string()).into_owned()
    }
}
