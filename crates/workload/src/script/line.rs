use super::error::Problem;

/// What follows a backslash, up to the end of its line; a backslash at the end of a line goes on with
/// the next one.
#[derive(Debug)]
pub(super) struct Line<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// The place that is looked at.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied().filter(|byte| *byte != b'\n')
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// What satisfies a condition, byte by byte.
    pub(super) fn take_while(&mut self, holds: impl Fn(u8) -> bool) -> &'t str {
        let from = self.at;
        while self.byte().is_some_and(&holds) {
            self.at += 1;
        }
        // Whoever asks takes all bytes of a character that is no ASCII, or none.
        self.text.get(from..self.at).unwrap_or_default()
    }

    /// Goes over spaces and to the next line where this one goes on.
    pub(super) fn skip_spaces(&mut self) {
        loop {
            match self.byte() {
                Some(byte) if is_space(byte) => self.at += 1,
                Some(b'\\') if self.continuation() > 0 => self.at += self.continuation(),
                _ => return,
            }
        }
    }

    /// The length of what continues a line, if it stands here.
    fn continuation(&self) -> usize {
        match self.text.as_bytes()[self.at..] {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 0,
        }
    }

    /// The next word, which ends at a space, and its place.
    pub(super) fn word(&mut self) -> Option<(usize, &'t str)> {
        self.skip_spaces();
        let from = self.at;
        while let Some(byte) = self.byte()
            && !is_space(byte)
            && self.continuation() == 0
        {
            self.at += 1;
        }
        (self.at > from).then(|| (from, &self.text[from..self.at]))
    }

    /// All up to the end of the line; where it goes on with the next one there is a space.
    pub(super) fn take_rest(&mut self) -> String {
        let mut rest = String::new();
        loop {
            let from = self.at;
            while self.byte().is_some() && self.continuation() == 0 {
                self.at += 1;
            }
            rest.push_str(&self.text[from..self.at]);
            if self.byte().is_none() {
                return rest;
            }
            self.at += self.continuation();
            rest.push(' ');
        }
    }

    /// Nothing may follow.
    pub(super) fn end(&mut self, command: &str) -> Result<(), Problem> {
        match self.word() {
            None => Ok(()),
            Some((at, word)) => {
                let message = format!("{word} does not belong to \\{command}");
                let help = "a command ends with its line: put what follows on the next line";
                Err(Problem::new(at, message, help))
            }
        }
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}
