use std::ops::Range;

/// Bytes of the study file that something is about.
pub(crate) type Place = Range<usize>;

/// One thing that is wrong with a study file.
#[derive(Debug)]
pub(crate) struct Problem {
    pub at: Place,
    pub message: String,
    /// Another place that belongs to it, and what is there.
    pub other: Option<(Place, String)>,
    pub help: Option<String>,
    /// The line may hold a secret and must not be shown.
    pub secret: bool,
}

impl Problem {
    pub fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.help = Some(text.into());
        self
    }

    pub fn secret(&mut self) -> &mut Self {
        self.secret = true;
        self
    }

    pub fn other(&mut self, at: Place, text: impl Into<String>) -> &mut Self {
        self.other = Some((at, text.into()));
        self
    }
}

/// Everything that is wrong with a study file: collected, so that a user mends it in one go.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    incomplete: bool,
}

impl Problems {
    /// Notes a problem; the returned value takes a help text or a second place.
    pub fn add(&mut self, at: Place, message: impl Into<String>) -> &mut Problem {
        self.list.push(Problem {
            at,
            message: message.into(),
            other: None,
            help: None,
            secret: false,
        });
        self.list.last_mut().expect("an element was pushed on the line above")
    }

    /// Notes that a key was misspelt or its value dropped: from now on a missing key may be a
    /// consequence of that, so [`Self::missing`] keeps silent.
    pub fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Notes that something is missing at a place.
    pub fn missing(&mut self, at: Place, message: impl Into<String>, help: &str) {
        if !self.incomplete {
            self.add(at, message).help(help);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All problems in the order of the file.
    pub fn into_sorted(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.at.start);
        self.list
    }
}
