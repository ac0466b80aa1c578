//! A part of the page that is folded until somebody asks for it.

use maud::{Markup, html};

/// What a layer says while it is folded.
pub(super) struct Layer<'a> {
    id: &'a str,
    title: &'a str,
    note: &'a str,
    is_open: bool,
}

impl<'a> Layer<'a> {
    /// One with this title and, in a few words, what is in it. The id is that of its content, so that
    /// a link to it unfolds it.
    pub(super) fn new(id: &'a str, title: &'a str, note: &'a str) -> Self {
        Self { id, title, note, is_open: false }
    }

    /// The same unfolded, where it holds what nobody may miss.
    pub(super) fn open_if(self, is_open: bool) -> Self {
        Self { is_open, ..self }
    }

    pub(super) fn around(&self, content: &Markup) -> Markup {
        html! {
            details.layer open[self.is_open] {
                summary { h2 { (self.title) } " " span.note { (self.note) } }
                section id=(self.id) { (content) }
            }
        }
    }
}
