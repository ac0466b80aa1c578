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
    /// What is in it, in a few words, for those who see it folded; one without is never folded.
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
    Warning(Text),
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

impl Document {
    pub(crate) fn new(title: impl Into<String>, make: impl FnOnce(&mut Blocks)) -> Self {
        Self { title: title.into(), blocks: Blocks::new(false).within(make) }
    }
}

/// Blocks as they are put one below the other. What would say nothing leaves no trace.
pub(crate) struct Blocks {
    all: Vec<Block>,
    is_page: bool,
}

impl Blocks {
    /// For a page, or for texts.
    pub(crate) fn new(is_page: bool) -> Self {
        Self { all: Vec::new(), is_page }
    }

    pub(crate) fn within(&self, make: impl FnOnce(&mut Self)) -> Vec<Block> {
        let mut inner = Self::new(self.is_page);
        make(&mut inner);
        inner.all
    }

    fn words(&mut self, block: fn(Text) -> Block, text: impl Into<Text>) {
        let text = text.into();
        if !text.is_empty() {
            self.all.push(block(text));
        }
    }

    pub(crate) fn headline(&mut self, text: impl Into<Text>) {
        self.words(Block::Headline, text);
    }

    pub(crate) fn paragraph(&mut self, text: impl Into<Text>) {
        self.words(Block::Paragraph, text);
    }

    pub(crate) fn caption(&mut self, text: impl Into<Text>) {
        self.words(Block::Caption, text);
    }

    pub(crate) fn limits(&mut self, text: impl Into<Text>) {
        self.words(Block::Limits, text);
    }

    pub(crate) fn warning(&mut self, text: impl Into<Text>) {
        self.words(Block::Warning, text);
    }

    /// All of them open.
    pub(crate) fn bullets<T: Into<Text>>(&mut self, items: impl IntoIterator<Item = T>) {
        self.first_bullets(items, usize::MAX);
    }

    /// So many of them open at the most.
    pub(crate) fn first_bullets<T: Into<Text>>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        most: usize,
    ) {
        let items: Vec<Text> = items.into_iter().map(Into::into).collect();
        let open = items.len().min(most);
        let folded = format!("{} more", items.len() - open);
        self.list(Bullets { items, open, folded, tone: Tone::Plain });
    }

    pub(crate) fn list(&mut self, bullets: Bullets) {
        if !bullets.items.is_empty() {
            self.all.push(Block::Bullets(bullets));
        }
    }

    pub(crate) fn table(&mut self, table: impl Into<Option<Table>>) {
        self.explained(table, "");
    }

    /// A table, and how to read it.
    pub(crate) fn explained(&mut self, table: impl Into<Option<Table>>, how: impl Into<Text>) {
        if let Some(table) = table.into().filter(|table| !table.rows.is_empty()) {
            self.all.push(Block::Table(table, usize::MAX));
            self.caption(how);
        }
    }

    /// A table of which so many rows stand open.
    pub(crate) fn long_table(&mut self, table: Table, open: usize) {
        if !table.rows.is_empty() {
            self.all.push(Block::Table(table, open));
        }
    }

    /// A section of a short report, be there anything in it or not.
    pub(crate) fn section(&mut self, title: impl Into<String>, make: impl FnOnce(&mut Self)) {
        let (title, blocks) = (title.into(), self.within(make));
        self.all.push(Block::Part(Part { title, rank: 2, tone: None, fold: Fold::Open, blocks }));
    }

    /// A heading with what is under it, if that is anything.
    pub(crate) fn part(
        &mut self,
        rank: u8,
        title: impl Into<String>,
        make: impl FnOnce(&mut Self),
    ) {
        self.folded(rank, title, Fold::Open, make);
    }

    pub(crate) fn folded(
        &mut self,
        rank: u8,
        title: impl Into<String>,
        fold: Fold,
        make: impl FnOnce(&mut Self),
    ) {
        let (title, blocks) = (title.into(), self.within(make));
        self.push_part(Part { title, rank, tone: None, fold, blocks });
    }

    /// A part whose heading says how much it matters.
    pub(crate) fn toned(
        &mut self,
        rank: u8,
        title: impl Into<String>,
        tone: Tone,
        make: impl FnOnce(&mut Self),
    ) {
        let (title, blocks) = (title.into(), self.within(make));
        self.push_part(Part { title, rank, tone: Some(tone), fold: Fold::Open, blocks });
    }

    fn push_part(&mut self, part: Part) {
        if !part.blocks.is_empty() {
            self.all.push(Block::Part(part));
        }
    }

    pub(crate) fn columns(&mut self, columns: [Vec<Block>; 2]) {
        self.all.push(Block::Columns(columns));
    }

    pub(crate) fn terms(&mut self, terms: Vec<(String, Text)>) {
        self.all.push(Block::Terms(terms));
    }

    pub(crate) fn source(&mut self, language: &'static str, text: &str) {
        self.all.push(Block::Source { language, text: text.to_owned() });
    }

    /// What only a page shows: it is not even made for others.
    pub(crate) fn drawn(&mut self, make: impl FnOnce() -> Option<Markup>) {
        if self.is_page {
            self.all.extend(make().map(Block::OnPage));
        }
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

    fn is_empty(&self) -> bool {
        self.0.iter().all(|span| matches!(span, Span::Plain(text) if text.is_empty()))
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
