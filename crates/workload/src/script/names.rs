use super::error::Problem;
use crate::program::{Initial, Variable};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The variables of all scripts: where each is read and where it gets a value.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<UsedVariable>,
    numbers: HashMap<String, usize>,
    /// The number of the script that is read.
    script: usize,
}

#[derive(Debug)]
struct UsedVariable {
    name: String,
    initial: Option<Initial>,
    /// The first places, one for each script.
    reads: Vec<(usize, usize)>,
    sets: Vec<(usize, usize)>,
}

impl Names {
    /// The variables that all scripts have, and those that were given.
    pub(super) fn new(given: &BTreeMap<String, Initial>) -> Self {
        let mut names = Self::default();
        for (name, initial) in [
            ("client_id", Initial::Client),
            ("random_seed", Initial::Seed),
            ("default_seed", Initial::HashSeed),
            ("scale", Initial::Integer(1)),
        ] {
            names.give(name, initial);
        }
        given.iter().for_each(|(name, initial)| names.give(name, initial.clone()));
        names
    }

    pub(super) fn begin_script(&mut self, number: usize) {
        self.script = number;
    }

    pub(super) fn give(&mut self, name: &str, initial: Initial) {
        let number = self.number(name);
        self.all[number].initial = Some(initial);
    }

    pub(super) fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.all.len();
        let known =
            UsedVariable { name: name.to_owned(), initial: None, reads: vec![], sets: vec![] };
        self.all.push(known);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// A variable that is read at that place.
    pub(super) fn read(&mut self, name: &str, at: usize) -> usize {
        let number = self.number(name);
        note_first(&mut self.all[number].reads, self.script, at);
        number
    }

    /// A variable that has a value after that place.
    pub(super) fn set(&mut self, name: &str, at: usize) -> usize {
        let number = self.number(name);
        note_first(&mut self.all[number].sets, self.script, at);
        number
    }

    /// Whether a variable of that name gets a value anywhere.
    pub(super) fn has_value(&self, name: &str) -> bool {
        let number = self.numbers.get(name);
        number.is_some_and(|number| {
            self.all[*number].initial.is_some() || !self.all[*number].sets.is_empty()
        })
    }

    pub(super) fn is_read(&self, variable: usize) -> bool {
        !self.all[variable].reads.is_empty()
    }

    /// The variables that are read, in order of name.
    pub(super) fn read_anywhere(&self) -> BTreeSet<String> {
        let read = self.all.iter().filter(|known| !known.reads.is_empty());
        read.map(|known| known.name.clone()).collect()
    }

    /// What a variable always holds, where no script gives it a value.
    pub(super) fn constant(&self, variable: usize) -> Option<&Initial> {
        let known = &self.all[variable];
        known.initial.as_ref().filter(|_| known.sets.is_empty())
    }

    /// Variables that are read and get no value from anything: their names, with script and place.
    pub(super) fn without_value(&self) -> Vec<(String, usize, usize)> {
        let never = |known: &&UsedVariable| known.initial.is_none() && known.sets.is_empty();
        let places = |known: &UsedVariable| -> Vec<_> {
            known.reads.iter().map(|read| (known.name.clone(), read.0, read.1)).collect()
        };
        self.all.iter().filter(never).flat_map(places).collect()
    }

    /// The first place where a variable is read that cannot have a value there.
    pub(super) fn check(&self) -> Result<(), (usize, Problem)> {
        let problems = self.all.iter().flat_map(|known| known.problems());
        match problems.min_by_key(|(script, problem)| (*script, problem.at)) {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }

    pub(super) fn into_variables(self) -> Vec<Variable> {
        let variable = |known: UsedVariable| Variable { name: known.name, initial: known.initial };
        self.all.into_iter().map(variable).collect()
    }
}

impl UsedVariable {
    fn problems(&self) -> impl Iterator<Item = (usize, Problem)> {
        let given = self.initial.is_some();
        self.reads.iter().filter(move |_| !given).filter_map(|(script, at)| {
            let name = &self.name;
            if self.sets.is_empty() {
                let help = format!(
                    "give it a value with \\set, \\gset or \\values, or from outside; for a colon \
                     write \\: instead of :{name}"
                );
                let message = format!("the variable {name} has no value");
                return Some((*script, Problem::new(*at, message, help)));
            }
            let elsewhere = self.sets.iter().any(|set| set.0 != *script || set.1 <= *at);
            let message = format!("the variable {name} gets its value only further below");
            let problem = || Problem::new(*at, message, "give it a value above this line");
            (!elsewhere).then(|| (*script, problem()))
        })
    }
}

fn note_first(places: &mut Vec<(usize, usize)>, script: usize, at: usize) {
    if places.last().is_none_or(|last| last.0 != script) {
        places.push((script, at));
    }
}

/// Whether variables can be called so.
pub(super) fn is_name(name: &str) -> bool {
    name.bytes().next().is_some_and(begins_name) && name.bytes().all(in_name)
}

pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub(super) fn begins_name(byte: u8) -> bool {
    in_name(byte) && !byte.is_ascii_digit()
}
