//! What a report says, as a tree of blocks. `sections` and the short reports make it, the formats
//! write it, and know nothing of what it is about.

use crate::tables::{Table, Tone};
use maud::Markup;

/// A short report: a title and what stands under it.
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

/// A part of a long report, which a page folds until somebody asks for it.
pub(crate) struct Section {
    /// By which links lead to it.
    pub(crate) id: String,
    pub(crate) title: String,
    /// What is in it, in a few words, for those who see it folded; the first section is never folded
    /// and has none.
    pub(crate) note: Option<String>,
    /// Whether it holds what nobody may miss.
    pub(crate) is_open: bool,
    pub(crate) blocks: Vec<Block>,
}

pub(crate) enum Block {
    /// A heading and what is under it.
    Part(Part),
    /// What to take home.
    Headline(Text),
    Paragraph(Text),
    /// How to read what stands beside it.
    Caption(Text),
    /// What something rests on, or does not hold for.
    Limits(Text),
    /// What a reader must not miss.
    Warning(String),
    Bullets(Bullets),
    /// A table, and how many of its rows stand open on a page.
    Table(Table, usize),
    /// Terms and what they mean.
    Terms(Vec<(String, Text)>),
    /// A file as it is.
    Source {
        language: &'static str,
        text: String,
    },
    /// Two columns where there is room for them.
    Columns([Vec<Block>; 2]),
    /// What only a page can show: charts, their keys, long lists, links.
    OnPage(Markup),
}

pub(crate) struct Part {
    pub(crate) title: String,
    /// 2 for the parts of a document, 3 for those of a section, 4 for theirs.
    pub(crate) rank: u8,
    /// Where it says something of what is under the heading.
    pub(crate) tone: Option<Tone>,
    pub(crate) fold: Fold,
    pub(crate) blocks: Vec<Block>,
}

/// Whether a page shows a part before somebody asks for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    Open,
    /// Folded, but for paper.
    OnScreen,
    /// Folded on paper too: it is long.
    OnPaperToo,
}

/// Sentences, the first of which stand open.
pub(crate) struct Bullets {
    pub(crate) items: Vec<Text>,
    pub(crate) open: usize,
    /// What is said of the others where they are folded.
    pub(crate) folded: String,
    pub(crate) tone: Tone,
}

/// Words of which some are more than words.
#[derive(Default)]
pub(crate) struct Text(pub(crate) Vec<Span>);

pub(crate) enum Span {
    Plain(String),
    Strong(String),
    Code(String),
    /// What leads to an id, on a page.
    Link {
        to: String,
        text: String,
        tone: Tone,
    },
    /// What leads on to an id, on a page; elsewhere there is nothing to say.
    More {
        to: String,
        text: String,
    },
    /// Where something was found.
    Place(String),
}

impl Section {
    /// A section that is folded.
    pub(crate) fn new(id: impl Into<String>, title: &str, note: &str, blocks: Vec<Block>) -> Self {
        let note = Some(note.to_owned());
        Self { id: id.into(), title: title.to_owned(), note, is_open: false, blocks }
    }
}

impl Block {
    pub(crate) fn part(rank: u8, title: impl Into<String>, blocks: Vec<Self>) -> Self {
        Self::folded(rank, title, Fold::Open, blocks)
    }

    pub(crate) fn folded(
        rank: u8,
        title: impl Into<String>,
        fold: Fold,
        blocks: Vec<Self>,
    ) -> Self {
        Self::Part(Part { title: title.into(), rank, tone: None, fold, blocks })
    }

    pub(crate) fn paragraph(text: impl Into<Text>) -> Self {
        Self::Paragraph(text.into())
    }

    pub(crate) fn caption(text: impl Into<Text>) -> Self {
        Self::Caption(text.into())
    }

    pub(crate) fn table(table: Table) -> Self {
        let rows = table.rows.len();
        Self::Table(table, rows)
    }

    /// The table, if it says anything.
    pub(crate) fn of_rows(table: Table) -> Option<Self> {
        (!table.rows.is_empty()).then(|| Self::table(table))
    }

    /// All of them open; nothing where there is none.
    pub(crate) fn bullets<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Option<Self> {
        Self::first_bullets(items, usize::MAX)
    }

    /// So many of them open at the most; nothing where there is none.
    pub(crate) fn first_bullets<T: Into<Text>>(
        items: impl IntoIterator<Item = T>,
        most: usize,
    ) -> Option<Self> {
        let items: Vec<Text> = items.into_iter().map(Into::into).collect();
        let open = items.len().min(most);
        let folded = format!("{} more", items.len() - open);
        (!items.is_empty()).then_some(Self::Bullets(Bullets {
            items,
            open,
            folded,
            tone: Tone::Plain,
        }))
    }
}

impl Text {
    pub(crate) fn strong(text: impl Into<String>) -> Self {
        Self(vec![Span::Strong(text.into())])
    }

    pub(crate) fn linking(to: impl Into<String>, text: impl Into<String>) -> Self {
        Self::default().link(to, text)
    }

    pub(crate) fn plain(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Plain(text.into()));
        self
    }

    pub(crate) fn code(mut self, text: &str) -> Self {
        self.0.push(Span::Code(text.to_owned()));
        self
    }

    pub(crate) fn place(mut self, place: String) -> Self {
        self.0.push(Span::Place(place));
        self
    }

    pub(crate) fn link(mut self, to: impl Into<String>, text: impl Into<String>) -> Self {
        self.0.push(Span::Link { to: to.into(), text: text.into(), tone: Tone::Plain });
        self
    }

    pub(crate) fn more(mut self, to: impl Into<String>, text: impl Into<String>) -> Self {
        self.0.push(Span::More { to: to.into(), text: text.into() });
        self
    }

    /// A link to what speaks against something.
    pub(crate) fn doubt(mut self, to: &str, text: String) -> Self {
        self.0.push(Span::Link { to: to.to_owned(), text, tone: Tone::Doubtful });
        self
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// What it says where it can be no more than words.
    pub(crate) fn words(&self) -> String {
        self.0.iter().map(Span::text).collect()
    }
}

impl Span {
    /// What it says where it can be no more than words.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Plain(text) | Self::Strong(text) | Self::Code(text) | Self::Link { text, .. } => {
                text.into()
            }
            Self::More { .. } => "".into(),
            Self::Place(place) => format!(" Where: {place}.").into(),
        }
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self(vec![Span::Plain(text.into())])
    }
}
