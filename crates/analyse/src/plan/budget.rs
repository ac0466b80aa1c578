//! What a run has taken of its budget, and which further repeats fit into the rest.

use model::{Dataset, TrialKey, TrialRecord, time_taken};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// What a run has taken, and what its trials take.
pub(crate) struct Spending<'a> {
    /// Of the budget; none left where more was taken.
    left: Duration,
    /// Of each cell: how long its trials took, with what went before them, and how many they are.
    cells: HashMap<(&'a str, &'a str, model::Level), (Duration, u32)>,
    /// Of all trials.
    all: (Duration, u32),
    /// Whether targets run side by side.
    parallel: bool,
}

impl<'a> Spending<'a> {
    /// `None` of a study without a budget.
    pub(crate) fn for_dataset(dataset: &'a Dataset) -> Option<Self> {
        let budget = dataset.study.budget.as_ref()?;
        let (left, parallel) = (budget.time, dataset.study.runs_together());
        let mut spending = Self { left, cells: HashMap::new(), all: Default::default(), parallel };
        for record in &dataset.trials {
            let key = &record.key;
            let cell = spending.cells.entry((&key.target, &key.test, key.level)).or_default();
            for (time, number) in [cell, &mut spending.all] {
                *time += taken(record);
                *number += 1;
            }
        }
        // Making servers and data, before the first trial.
        let first = dataset.trials.iter().map(|record| record.started_at).min();
        let before = first.map_or(Duration::ZERO, |first| first.since(dataset.run.started_at));
        spending.left = budget.time.saturating_sub(time_taken(&dataset.trials) + before);
        Some(spending)
    }

    /// What a trial of that cell takes, by those that there are of it.
    fn trial(&self, key: &TrialKey) -> Duration {
        let cell = self.cells.get(&(key.target.as_str(), key.test.as_str(), key.level));
        match cell.unwrap_or(&self.all) {
            (_, 0) => Duration::ZERO,
            (time, number) => *time / *number,
        }
    }

    /// What these take, where those that run side by side take as long as the longest of them.
    fn trials<'k>(&self, keys: impl IntoIterator<Item = &'k TrialKey>) -> Duration {
        if !self.parallel {
            return keys.into_iter().map(|key| self.trial(key)).sum();
        }
        let mut rounds: HashMap<(&str, model::Level), Duration> = HashMap::new();
        for key in keys {
            let longest = rounds.entry((key.test.as_str(), key.level)).or_default();
            *longest = self.trial(key).max(*longest);
        }
        rounds.values().sum()
    }

    /// Of what could be measured next, what is: all of it where what resolving it is expected to take
    /// still fits. Otherwise that comes first of which most is resolved in a time: chance of being
    /// resolved ÷ (repeats until then × time of a repeat); and what a trial serves already costs no
    /// more. What does not fit is left out.
    pub(crate) fn choose(&self, mut wishes: Vec<Wish>) -> BTreeSet<TrialKey> {
        let worth = |wish: &Wish| {
            let seconds = self.trials(&wish.trials).as_secs_f64() * f64::from(wish.repeats.max(1));
            wish.chance / seconds.max(f64::MIN_POSITIVE)
        };
        // Stable: of equal ones the earlier in the study comes first.
        wishes.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let (mut chosen, mut block, mut expected) =
            (BTreeSet::new(), Duration::ZERO, Duration::ZERO);
        for wish in wishes {
            let more = self.trials(chosen.union(&wish.trials)) - self.trials(&chosen);
            let in_all = more * wish.repeats.max(1);
            // The best is worth what is left even where that is hardly enough.
            let fits = expected + in_all <= self.left || chosen.is_empty();
            if fits && block + more <= self.left {
                (block, expected) = (block + more, expected + in_all);
                chosen.extend(wish.trials);
            }
        }
        chosen
    }
}

/// A comparison that further repeats could resolve.
pub(crate) struct Wish {
    /// What a repeat of it takes.
    pub(crate) trials: BTreeSet<TrialKey>,
    /// That it will be resolved, from 0 to 1.
    pub(crate) chance: f64,
    /// How many repeats that will take, as far as is known.
    pub(crate) repeats: u32,
}

/// How long a trial took, with what went before it.
fn taken(record: &TrialRecord) -> Duration {
    record.finished_at.since(record.started_at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Level;

    fn key(target: &str, clients: u32) -> TrialKey {
        TrialKey {
            target: target.to_owned(),
            test: "t".to_owned(),
            level: Level::clients(clients),
            repeat: 4,
        }
    }

    /// Every trial takes a second.
    fn spending(left: u64) -> Spending<'static> {
        let all = (Duration::from_secs(1), 1);
        Spending { left: Duration::from_secs(left), cells: HashMap::new(), all, parallel: false }
    }

    fn wish(targets: [&str; 2], clients: u32, chance: f64, repeats: u32) -> Wish {
        let trials = targets.map(|target| key(target, clients)).into();
        Wish { trials, chance, repeats }
    }

    #[test]
    fn what_runs_side_by_side_is_paid_for_once() {
        let wishes = || {
            vec![
                wish(["a", "b"], 1, 0.9, 1),
                wish(["a", "c"], 1, 0.5, 1),
                wish(["a", "b"], 2, 0.4, 1),
            ]
        };
        // A second for each of a, b and c at one level; the other does not fit.
        assert_eq!(levels(&spending(3).choose(wishes())), [1]);
        // At once they take one second each level.
        let abreast = |left| Spending { parallel: true, ..spending(left) };
        assert_eq!(abreast(2).choose(wishes()).len(), 5);
        assert_eq!(levels(&abreast(1).choose(wishes())), [1]);
    }

    fn levels(chosen: &BTreeSet<TrialKey>) -> Vec<u32> {
        let mut levels: Vec<u32> = chosen.iter().map(|key| key.level.clients).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    #[test]
    fn all_is_measured_while_there_is_room_for_what_it_will_take() {
        let wishes = || vec![wish(["a", "b"], 1, 0.3, 5), wish(["a", "b"], 2, 0.9, 1)];
        assert_eq!(levels(&spending(12).choose(wishes())), [1, 2]);
        // A repeat of both would fit, and what they take in all would not.
        assert_eq!(levels(&spending(11).choose(wishes())), [2]);
        assert_eq!(levels(&spending(1).choose(wishes())), [0; 0]);
    }

    #[test]
    fn what_serves_two_comparisons_is_paid_for_once() {
        let wishes = vec![
            wish(["a", "b"], 1, 0.9, 2),
            wish(["b", "c"], 1, 0.8, 2),
            wish(["c", "a"], 1, 0.7, 2),
        ];
        assert_eq!(spending(6).choose(wishes).len(), 3);
    }

    #[test]
    fn the_best_goes_on_to_the_end_of_the_budget() {
        let wishes = vec![wish(["a", "b"], 1, 0.5, 9), wish(["a", "b"], 2, 0.2, 9)];
        assert_eq!(levels(&spending(3).choose(wishes)), [1]);
    }
}
