//! Loads that take turns: of several, each on a target of its own, one runs at a time.

use model::Phase;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Whose turn it is among loads that begin at one moment and never run at once: a pure function of the
/// time since then, so that each load knows its own turns and none has to tell another.
///
/// All warm up first, one after another. Then come rounds in which each has a slice, the second round of
/// every two in reverse: with two loads A B B A, which a drift that is linear over these four favours
/// neither of. Which one is first in a pair of rounds is drawn for each pair, so that noise with a period
/// does not meet the same load each time. At the beginning of a slice the load settles, which does not
/// count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// Which of the loads this is, from 0.
    pub place: u32,
    /// How many there are.
    pub of: u32,
    /// How long a load settles at the beginning of a slice.
    pub settling: Duration,
    /// How long it is measured after that.
    pub slice: Duration,
    /// How many slices each load has.
    pub slices: u32,
    /// Draws who is first; the same for all of them.
    pub seed: u64,
}

/// A time in which a load runs, from its beginning to its end, counted from the start of all loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) from: Duration,
    pub(crate) until: Duration,
}

impl Turns {
    /// How long a turn lasts.
    fn length(&self) -> Duration {
        self.settling + self.slice
    }

    /// When the rounds begin, after all loads have warmed up for so long.
    fn rounds_from(&self, warmup: Duration) -> Duration {
        warmup * self.of
    }

    /// The place of this load in a round.
    fn place_in(&self, round: u32) -> u32 {
        let of = self.of.max(1);
        let shift = (mixed(self.seed ^ u64::from(round / 2)) % u64::from(of)) as u32;
        let place = (self.place + shift) % of;
        if round.is_multiple_of(2) { place } else { of - 1 - place }
    }

    /// This load's turn in a round.
    fn in_round(&self, warmup: Duration, round: u32) -> Turn {
        let before = round * self.of + self.place_in(round);
        let from = self.rounds_from(warmup) + self.length() * before;
        Turn { from, until: from + self.length() }
    }

    /// This load's turns in order of time; the first is its warm-up, where there is one.
    fn all(self, warmup: Duration) -> impl Iterator<Item = Turn> {
        let from = warmup * self.place;
        let warms_up = (!warmup.is_zero()).then_some(Turn { from, until: from + warmup });
        let rounds = (0..self.slices).map(move |round| self.in_round(warmup, round));
        warms_up.into_iter().chain(rounds)
    }

    /// The turn at a moment, or the next one after it; `None` after the last.
    pub(crate) fn at_or_after(&self, warmup: Duration, at: Duration) -> Option<Turn> {
        let rounds_from = self.rounds_from(warmup);
        if at < rounds_from {
            return self.all(warmup).find(|turn| at < turn.until);
        }
        let round = at.saturating_sub(rounds_from).as_nanos() / self.round_nanos();
        let round = u32::try_from(round).unwrap_or(u32::MAX);
        let rounds = (round..self.slices).take(2).map(|round| self.in_round(warmup, round));
        rounds.into_iter().find(|turn| at < turn.until)
    }

    fn round_nanos(&self) -> u128 {
        (self.length() * self.of).as_nanos().max(1)
    }

    /// The phase of a moment, for this load. What is answered while it pauses was cut off by the end of
    /// its turn, as by the end of a load.
    pub(crate) fn phase(&self, warmup: Duration, at: Duration) -> Phase {
        match self.at_or_after(warmup, at) {
            Some(turn) if at >= turn.from => {
                let warms_up = at < self.rounds_from(warmup) || at < turn.from + self.settling;
                if warms_up { Phase::Warmup } else { Phase::Measure }
            }
            _ => Phase::Drain,
        }
    }

    /// Where the phase of a moment ends; `None` where it does not.
    pub(crate) fn phase_end(&self, warmup: Duration, at: Duration) -> Option<Duration> {
        let turn = self.at_or_after(warmup, at)?;
        if at < turn.from {
            return Some(turn.from);
        }
        let settled = turn.from + self.settling;
        let settles = at >= self.rounds_from(warmup) && at < settled;
        Some(if settles { settled } else { turn.until })
    }

    /// From when and until when each slice of this load is measured, counted from the start of all loads.
    pub fn slices(self, warmup: Duration) -> impl Iterator<Item = (Duration, Duration)> {
        (0..self.slices).map(move |round| {
            let turn = self.in_round(warmup, round);
            (turn.from + self.settling, turn.until)
        })
    }

    /// When the first slice of this load is measured, and when its last one ends.
    pub(crate) fn measured(&self, warmup: Duration) -> (Duration, Duration) {
        let first = self.in_round(warmup, 0).from + self.settling;
        (first, self.in_round(warmup, self.slices.saturating_sub(1)).until)
    }

    /// The moment at which this load has run for so long.
    pub(crate) fn after_running(&self, warmup: Duration, run: Duration) -> Duration {
        if run < warmup {
            return warmup * self.place + run;
        }
        let run = run - warmup;
        let length = self.length().as_nanos().max(1);
        let round = u32::try_from(run.as_nanos() / length).unwrap_or(u32::MAX);
        if round >= self.slices {
            // After the end, where nothing is due any more.
            return self.measured(warmup).1 + (run - self.length() * self.slices);
        }
        self.in_round(warmup, round).from + (run - self.length() * round)
    }

    /// Longer than any pause of this load.
    pub(crate) fn longest_pause(&self, warmup: Duration) -> Duration {
        (warmup + self.length() * 2) * self.of
    }

    /// How long all of them take together.
    pub fn total(&self, warmup: Duration) -> Duration {
        self.rounds_from(warmup) + self.length() * self.of * self.slices
    }
}

/// SplitMix64: neighbouring numbers give unrelated ones (G. L. Steele, D. Lea and C. H. Flood, OOPSLA
/// 2014).
pub fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn turns(place: u32, of: u32, seed: u64) -> Turns {
        Turns { place, of, settling: S, slice: 4 * S, slices: 6, seed }
    }

    /// Who is measured in each slice.
    fn order(of: u32, seed: u64, warmup: Duration) -> Vec<u32> {
        let slots = 6 * of;
        let owner = |slot: u32| {
            let middle = warmup * of + 5 * S * slot + 3 * S;
            let measured = (0..of)
                .filter(|place| turns(*place, of, seed).phase(warmup, middle) == Phase::Measure);
            let measured: Vec<u32> = measured.collect();
            assert_eq!(measured.len(), 1, "one at a time");
            measured[0]
        };
        (0..slots).map(owner).collect()
    }

    #[test]
    fn one_load_runs_at_a_time_and_linear_drift_favours_none() {
        for of in [2, 3, 5] {
            for seed in 0..20 {
                let order = order(of, seed, 2 * S);
                for pair in order.chunks(2 * of as usize) {
                    let sum = |load| -> usize {
                        let own = pair.iter().enumerate().filter(|(_, one)| **one == load);
                        own.map(|(slot, _)| slot).sum()
                    };
                    assert!((1..of).all(|load| sum(load) == sum(0)), "{order:?}");
                    assert!(
                        (0..of).all(|load| pair.iter().filter(|one| **one == load).count() == 2)
                    );
                }
            }
        }
        let firsts: Vec<u32> = (0..20).map(|seed| order(2, seed, S)[0]).collect();
        assert!(firsts.contains(&0) && firsts.contains(&1), "drawn: {firsts:?}");
    }

    #[test]
    fn phases_follow_each_other_without_a_gap_and_add_up() {
        for (place, warmup) in [(0, 3 * S), (1, 3 * S), (2, Duration::ZERO)] {
            let turns = turns(place, 3, 9);
            let (mut at, mut lengths) = (Duration::ZERO, [Duration::ZERO; 3]);
            while let Some(end) = turns.phase_end(warmup, at) {
                assert!(end > at);
                let phase = turns.phase(warmup, at);
                let last = end - Duration::from_nanos(1);
                assert_eq!(turns.phase(warmup, last), phase, "{at:?} to {end:?}");
                lengths[phase as usize] += end - at;
                at = end;
            }
            assert_eq!(at, turns.measured(warmup).1);
            assert_eq!(lengths[Phase::Measure as usize], 24 * S);
            assert_eq!(lengths[Phase::Warmup as usize], warmup + 6 * S);
            assert_eq!(turns.total(warmup), 3 * warmup + 3 * 30 * S);
            assert!(at <= turns.total(warmup));
        }
    }

    #[test]
    fn time_that_a_load_runs_is_that_of_its_turns() {
        let turns = turns(1, 2, 4);
        let warmup = 2 * S;
        let mut last = Duration::ZERO;
        for ms in (0..32_000).step_by(250) {
            let at = turns.after_running(warmup, Duration::from_millis(ms));
            assert_ne!(turns.phase(warmup, at), Phase::Drain, "{ms} ms: {at:?}");
            assert!(at >= last);
            last = at;
        }
        let end = turns.after_running(warmup, 32 * S);
        assert_eq!(end, turns.measured(warmup).1);
    }
}
