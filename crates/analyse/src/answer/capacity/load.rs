//! Whether a target sustains a load, and meets bounds on latency under it.

use super::judged::{self, Axis, Judged, along, at};
use super::question::{Answer, Candidate, Ground, Reason};
use super::searched;
use crate::{Cell, CurveShape, ProfileStretch};
use model::Slo;

impl Candidate<'_> {
    /// Whether so many clients are served at all.
    pub(super) fn clients(&self, clients: u32) -> Judged {
        if let Some(found) = &self.test.search {
            return searched::judged(found, self, None);
        }
        if self.of_study.is_open() {
            return Judged::unknown(Reason::RatesOnly);
        }
        let judge = |cell: &Cell| judged::served(self.analysis.dataset, cell);
        at(&self.cells(Axis::Clients), f64::from(clients), judge)
    }

    /// Whether so many transactions per second are borne.
    pub(super) fn rate(&self, rate: f64) -> Judged {
        if let Some(found) = &self.test.search {
            return searched::judged(found, self, None);
        }
        if self.of_study.has_profile() {
            return self.in_stages(rate, judged::stage_served);
        }
        if self.of_study.is_open() {
            return self.at_rate(rate, judged::kept_up);
        }
        let judge = |cell: &Cell| judged::throughput(cell, rate);
        let cells = self.cells(Axis::Clients);
        match self.question.clients {
            Some(clients) => at(&cells, f64::from(clients), judge),
            None => self.anywhere(rate, cells.iter().map(|(_, cell)| judge(cell)).collect()),
        }
    }

    /// Whether a bound on latency is met under the load that is asked about, or, where none is, at
    /// every level that was measured.
    pub(super) fn latency(&self, slo: &Slo) -> Judged {
        if let Some(found) = &self.test.search {
            return searched::judged(found, self, Some(slo));
        }
        if self.of_study.has_profile() {
            let judge =
                |cell: &Cell, stage: &ProfileStretch| judged::stage_latency(cell, stage, slo);
            return match self.question.rate {
                Some(rate) => self.in_stages(rate, judge),
                None => Judged::unknown(Reason::RateChanges),
            };
        }
        let judge = |cell: &Cell| judged::latency(cell, slo);
        let open = self.of_study.is_open();
        match (self.question.rate, self.question.clients) {
            (Some(rate), _) if open => self.at_rate(rate, judge),
            (Some(_), _) => Judged::unknown(Reason::ClosedLoopOnly),
            (None, Some(_)) if open => Judged::unknown(Reason::RatesOnly),
            (None, Some(clients)) => at(&self.cells(Axis::Clients), f64::from(clients), judge),
            (None, None) => {
                let cells = self.cells(if open { Axis::Rate } else { Axis::Clients });
                everywhere(cells.iter().map(|(_, cell)| judge(cell)).collect())
            }
        }
    }

    fn cells(&self, axis: Axis) -> Vec<(f64, &Cell)> {
        along(self.test, self.target, axis)
    }

    /// At an offered rate. What fell behind a lower one does not bear this one either: that is
    /// its capacity, and no guess beyond what was measured.
    fn at_rate(&self, rate: f64, judge: impl Fn(&Cell) -> Ground) -> Judged {
        let mut cells = self.cells(Axis::Rate);
        if let Some(clients) = self.question.clients {
            cells.retain(|(_, cell)| cell.level.clients == clients);
        }
        let up_to = cells.iter().take_while(|(place, _)| *place <= rate);
        let behind = up_to.map(|(_, cell)| judged::kept_up(cell)).find(|g| g.answer.is_no());
        if let Some(ground) = behind {
            return Judged {
                answer: ground.answer,
                reason: Reason::FellBehind,
                grounds: vec![ground],
            };
        }
        let partly = cells.iter().find(|(place, cell)| *place == rate && cell.overloaded > 0);
        if let Some((_, cell)) = partly {
            return Judged {
                answer: Answer::Unknown,
                reason: Reason::FellBehind,
                grounds: vec![judged::kept_up(cell)],
            };
        }
        at(&cells, rate, judge)
    }

    /// At a rate that stages of a load profile offered, or between two that they did. A stage says nothing of
    /// a rate beyond all of them: it lasted only so long, and what the stages before left was still to be done.
    fn in_stages(&self, rate: f64, judge: impl Fn(&Cell, &ProfileStretch) -> Ground) -> Judged {
        let of_target = |cell: &&Cell| cell.target == self.target;
        let Some(cell) = self.test.cells.iter().find(of_target) else {
            return Judged::unknown(Reason::NoFigure);
        };
        let has_held = |stage: &&ProfileStretch| {
            stage.target == self.target && !stage.served_after_seconds.is_empty()
        };
        let held: Vec<&ProfileStretch> = self.test.profile.iter().filter(has_held).collect();
        if held.is_empty() {
            return Judged::unknown(Reason::RateChanges);
        }
        let of = |offered: f64| -> Vec<Ground> {
            let there = held.iter().filter(|stage| stage.to_rate == offered);
            there.map(|stage| judge(cell, stage)).collect()
        };
        let mut exact = of(rate);
        if exact.len() == 1 {
            return Judged::measured(exact.remove(0));
        }
        if let Some(answer) = together(&exact) {
            let differ = exact.iter().any(|ground| ground.answer != Answer::Unknown);
            let reason = match answer {
                Answer::Unknown if differ => Reason::StagesDiffer,
                _ => Judged::measured(exact[0].clone()).reason,
            };
            return Judged { answer, reason, grounds: exact };
        }
        let rates = || held.iter().map(|stage| stage.to_rate);
        let below = rates().filter(|offered| *offered < rate).reduce(f64::max);
        let above = rates().filter(|offered| *offered > rate).reduce(f64::min);
        let [low, high] = [below, above].map(|offered| offered.map_or_else(Vec::new, of));
        let answers = together(&low).zip(together(&high));
        let (answer, reason) = match answers.map(|(low, high)| low.both(high)) {
            None => (Answer::Unknown, Reason::BeyondRange),
            Some(Answer::Unknown) => (Answer::Unknown, Reason::NeighboursDiffer),
            Some(answer) if answer.is_yes() => (answer, Reason::Between),
            // The lower one may have fallen behind for what a higher one before it had left.
            Some(_) => (Answer::Unknown, Reason::FellBehind),
        };
        Judged { answer, reason, grounds: low.into_iter().chain(high).collect() }
    }

    /// With as many clients as it takes.
    fn anywhere(&self, rate: f64, grounds: Vec<Ground>) -> Judged {
        let best = grounds.iter().max_by_key(|ground| ground.answer);
        let Some(best) = best else { return Judged::unknown(Reason::NoFigure) };
        if best.answer.is_yes() {
            return Judged::measured(best.clone());
        }
        if grounds.iter().any(|ground| ground.estimate.is_none()) {
            return Judged { answer: Answer::Unknown, reason: Reason::NoFigure, grounds };
        }
        let answer = best.answer;
        let curve = self.test.curves.iter().find(|curve| curve.target == self.target);
        let peak_seen = match curve {
            Some(curve) => match curve.shape {
                CurveShape::Flat | CurveShape::Declines { .. } => true,
                // Without repeats the shape is never resolved; the figures as printed go down.
                CurveShape::Unresolved => {
                    answer == Answer::NoMeasuredOnce
                        && grounds.last().is_some_and(|last| last.level != curve.peak)
                }
                CurveShape::SinglePoint | CurveShape::StillRising | CurveShape::CutShort => false,
            },
            None => false,
        };
        let at_most = curve.and_then(|curve| curve.at_most).filter(|at_most| *at_most < rate);
        match (answer, at_most) {
            (Answer::Unknown, _) if best.lost > 0 || best.stalled > 0 || best.indebted > 0 => {
                Judged::measured(best.clone())
            }
            (_, Some(at_most)) if !peak_seen => {
                let reason = Reason::OutOfReach { at_most };
                Judged { answer: Answer::No, reason, grounds }
            }
            (Answer::Unknown, _) => Judged { answer, reason: Reason::Straddles, grounds },
            _ if peak_seen => Judged { answer, reason: Reason::NeverReached, grounds },
            _ => Judged { answer: Answer::Unknown, reason: Reason::PeakNotSeen, grounds },
        }
    }
}

/// What all of these say; `None` of none.
fn together(grounds: &[Ground]) -> Option<Answer> {
    grounds.iter().map(|ground| ground.answer).reduce(Answer::both)
}

/// At whatever load was measured.
fn everywhere(grounds: Vec<Ground>) -> Judged {
    match together(&grounds) {
        None => Judged::unknown(Reason::NoFigure),
        Some(Answer::Unknown) if grounds.iter().all(|g| g.estimate.is_none()) => {
            Judged { answer: Answer::Unknown, reason: Reason::NoFigure, grounds }
        }
        Some(Answer::Unknown) => {
            let is_no = grounds.iter().any(|ground| ground.answer.is_no());
            let any = |has: fn(&Ground) -> bool| !is_no && grounds.iter().any(has);
            let reason = match () {
                () if any(|ground| ground.stalled > 0) => Reason::Stalled,
                () if any(|ground| ground.lost > 0) => Reason::TrialsLost,
                () if any(|ground| ground.indebted > 0) => Reason::PutsOff,
                () => Reason::DependsOnLoad,
            };
            Judged { answer: Answer::Unknown, reason, grounds }
        }
        Some(answer) => Judged { answer, reason: Reason::EveryLevel, grounds },
    }
}
