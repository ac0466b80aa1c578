//! A short report: a title, sentences and tables, in every format that people read.

use crate::tables::Table;
use crate::terminal::{Page, Style};
use crate::{html, markdown};
use maud::{DOCTYPE, Markup, html};
use model::text;

/// What is said, from top to bottom.
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) parts: Vec<Block>,
}

pub(crate) enum Block {
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
                Block::Heading(heading) => page.paragraph("", heading, Style::Bold),
                Block::Paragraph(said) => page.paragraph("", said, Style::Plain),
                Block::Warning(said) => page.paragraph("", said, Style::Doubtful),
                Block::Bullets(all) => {
                    all.iter().for_each(|said| page.bullet(said, Style::Plain));
                }
                Block::Table(table) => page.table(table),
            }
            if !matches!(part, Block::Heading(_)) {
                page.end_section();
            }
        }
        page.into_text()
    }

    pub(crate) fn markdown(&self) -> String {
        let mut blocks = vec![format!("# {}", markdown::escaped(&self.title))];
        for part in &self.parts {
            blocks.push(match part {
                Block::Heading(heading) => format!("## {}", markdown::escaped(heading)),
                Block::Paragraph(said) => markdown::escaped(said),
                Block::Warning(said) => format!("**{}**", markdown::escaped(said)),
                Block::Bullets(all) => markdown::bullets(all).unwrap_or_default(),
                Block::Table(table) => markdown::table(table),
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
                                Block::Heading(heading) => h2 { (heading) },
                                Block::Paragraph(said) => p { (said) },
                                Block::Warning(said) => p.limits { strong { (said) } },
                                Block::Bullets(all) => ul { @for said in all { li { (said) } } },
                                Block::Table(table) => (html::table::table(table)),
                            }
                        }
                    }
                }
            }
        };
        text::visible(&page.into_string()).into_owned()
    }
}
