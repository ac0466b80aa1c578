//! What the name of a storage test says of its load, as in `t1 o32 b16k random`.

/// Threads, outstanding requests per thread, and bytes per request, as far as the name says them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    pub(super) threads: Option<u64>,
    pub(super) outstanding: Option<u64>,
    pub(super) block: Option<u64>,
}

impl Pattern {
    /// The words `t4`, `o16` and `b2m` of a name; `b` takes `k` and `m`, powers of 1024.
    pub(super) fn for_test(test: &str) -> Self {
        let mut pattern = Self::default();
        for word in test.split([' ', ',', ';', '/']) {
            let mut letters = word.chars();
            let letter = letters.next().map(|letter| letter.to_ascii_lowercase());
            let rest = letters.as_str();
            match letter {
                Some('t') => pattern.threads = pattern.threads.or(rest.parse().ok()),
                Some('o') => pattern.outstanding = pattern.outstanding.or(rest.parse().ok()),
                Some('b') => pattern.block = pattern.block.or(bytes(rest)),
                _ => {}
            }
        }
        pattern
    }

    /// What two tests of one set-up have in common, whatever they read and write.
    pub(super) fn set_up(self) -> Self {
        Self { block: None, ..self }
    }

    /// Requests that one client, such as a virtual machine, keeps outstanding.
    pub(super) fn limit(self) -> Option<u64> {
        Some(self.threads.unwrap_or(1) * self.outstanding?)
    }
}

fn bytes(text: &str) -> Option<u64> {
    let unit = match text.chars().last()?.to_ascii_lowercase() {
        'k' => 1024,
        'm' => 1024 * 1024,
        _ => return None,
    };
    let number: u64 = text[..text.len() - 1].parse().ok()?;
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_say() {
        let pattern = Pattern::for_test("t4 o16 b16k random, read_percent 100");
        let all = Pattern { threads: Some(4), outstanding: Some(16), block: Some(16_384) };
        assert_eq!(pattern, all);
        assert_eq!(pattern.limit(), Some(64));
        assert_eq!(Pattern::for_test("T1 B2M sequential").block, Some(2_097_152));
        assert_eq!(Pattern::for_test("oltp-read-write base"), Pattern::default());
        assert_eq!(Pattern::for_test("bk").block, None);
    }
}
