use workload::script::{Placeholder, Syntax};

/// How statements are written that MariaDB and MySQL take, in their usual `sql_mode`.
pub const SCRIPT_SYNTAX: Syntax = Syntax {
    placeholder: Placeholder::QuestionMark,
    backslash_escapes: true,
    backticks: true,
    dollar_quotes: false,
    hash_comments: true,
    nested_comments: false,
    folds_names: false,
};
