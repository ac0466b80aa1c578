/// How the statements of a system are written, as far as it matters for finding their ends and their
/// variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlSyntax {
    /// How the parameters of prepared statements are written.
    pub placeholder: Placeholder,
    /// Whether a backslash escapes within every quote; otherwise in `E'…'` alone.
    pub backslash_escapes: bool,
    /// Whether names stand between backticks.
    pub backticks: bool,
    /// Whether texts stand between `$$`.
    pub dollar_quotes: bool,
    /// Whether `#` begins a comment, and `--` only where a space follows.
    pub hash_comments: bool,
    /// Whether a comment may stand in a comment.
    pub nested_comments: bool,
    /// Whether names of columns without quotes are in small letters, whatever the statement says.
    pub folds_names: bool,
    /// Whether a client may send statements before the answers to others.
    pub pipelines: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// `?`
    QuestionMark,
    /// `$1`, `$2` and so on.
    Numbered,
}

impl SqlSyntax {
    /// That of standard SQL, with numbered parameters and `$$`.
    pub const STANDARD: Self = Self {
        placeholder: Placeholder::Numbered,
        backslash_escapes: false,
        backticks: false,
        dollar_quotes: true,
        hash_comments: false,
        nested_comments: true,
        folds_names: true,
        pipelines: true,
    };
}
