//! Comparisons with an array that is one value: `= ANY(?)`.

use super::token::{Kind, Token};

/// A comparison with an array.
pub(super) struct Compared {
    /// The token that ends it.
    pub(super) last: usize,
    /// Whether it holds of what is not in the array.
    pub(super) is_not: bool,
}

/// The comparison that begins with a token.
pub(super) fn compared(tokens: &[Token<'_>], at: usize) -> Option<Compared> {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    let is_not = (is(at, "<>") || is(at, "!=")) && is(at + 1, "ALL");
    let is_in = is(at, "=") && (is(at + 1, "ANY") || is(at + 1, "SOME"));
    if !(is_in || is_not) || !is(at + 2, "(") {
        return None;
    }
    let mut next = at + 3;
    if is(next, "ARRAY") {
        let values = tokens[next + 1..].iter();
        let inside = values.take_while(|token| token.is("[") || token.is("?") || token.is(","));
        next += 1 + inside.count();
        if !is(next, "]") {
            return None;
        }
    } else if !is(next, "?") {
        return None;
    }
    next += 1;
    // `::int[]`
    if is(next, ":") && is(next + 1, ":") {
        let rest = tokens[next + 2..].iter();
        let of_type = |token: &&Token<'_>| {
            token.kind == Kind::Word
                || token.kind == Kind::Quoted
                || [".", "[", "]"].iter().any(|sign| token.is(sign))
        };
        next += 2 + rest.take_while(of_type).count();
    }
    is(next, ")").then_some(Compared { last: next, is_not })
}
