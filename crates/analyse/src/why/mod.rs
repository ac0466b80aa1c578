//! Why a target is slower than another, and what ends the rise of a curve: which resource takes the time,
//! or has nothing left.
//!
//! The time of an operation is clients ÷ throughput (Little's law), and so is that of each part of it: the
//! clients that are in one state at a time ÷ throughput. A part that surely makes more than half of the
//! difference between two targets decides it; else what is at its limit at the slower one in all repeats,
//! and at the faster one in none (B. Gregg's USE method: utilisation, saturation, errors). Where neither is
//! so, it is not known.

mod account;
mod time;

pub use time::TimeOfOperation;

use crate::cell::{CellData, Cells};
use crate::compare::by_pair;
use crate::curve::{CurveData, CurveShape, Point};
use crate::study::each_pair;
use crate::{Comparison, OverallComparison};
use account::{Account, Known};
use findings::{
    AtLimit, Cause, EndOfRise, Finding, PartOfTime, Resource, Rise, Subject, UsedUp, Verdict,
    WhySlower,
};
use model::{Dataset, Level, Metric, Place, Promise, SandboxSpec, Target, Test};
use stats::{Estimate, Sample};
use std::collections::BTreeMap;

/// Share of the difference that is most of it.
const MOST: f64 = 0.5;
/// Share that is enough of something that is known to be more than was seen of it, where nothing else can
/// be most of the difference.
const MUCH: f64 = 0.2;
/// Share of the highest throughput from which on a level is as high.
const AS_HIGH: f64 = 0.9;
/// Limits that are known exactly, so that being at one says more than where the time goes.
const EXACT: [Resource; 2] = [Resource::ServerLimit, Resource::VolumeLimit];

/// Those of a cell.
type ByBlock = BTreeMap<u32, Account>;

/// The accounts of all trials of a test that count.
pub(crate) struct Accounts<'a> {
    dataset: &'a Dataset,
    by_target: BTreeMap<&'a str, BTreeMap<Level, ByBlock>>,
}

/// What was measured of two targets in one block.
#[derive(Clone, Copy)]
struct Both<'a> {
    block: u32,
    slow: &'a Account,
    fast: &'a Account,
}

impl Both<'_> {
    fn difference_ms(&self) -> f64 {
        self.slow.operation_ms() - self.fast.operation_ms()
    }
}

impl<'a> Accounts<'a> {
    pub(crate) fn for_test(dataset: &'a Dataset, test: &Test, cells: &'a Cells<'a>) -> Self {
        let mut by_target: BTreeMap<&str, BTreeMap<Level, ByBlock>> = BTreeMap::new();
        for cell in cells.iter() {
            let known = known(dataset, test, cell.target);
            let account = |(record, block)| {
                model::deadline::look();
                Some((block, Account::for_record(record, known)?))
            };
            let of_cell = cell.usable_in_blocks().filter_map(account).collect();
            by_target.entry(cell.target).or_default().insert(cell.level, of_cell);
        }
        Self { dataset, by_target }
    }

    /// Where the time went, in the order of the cells; of those of which something is known.
    pub(crate) fn times(&self, cells: &Cells<'_>) -> Vec<TimeOfOperation> {
        let confidence = self.dataset.study.confidence;
        let estimate = |values: Vec<f64>| {
            Sample::new(values).ok().map(|sample| Estimate::of_median(&sample, confidence))
        };
        let of = |cell: &CellData<'_>| {
            let trials: Vec<&Account> = self.of_cell(cell.target, cell.level)?.values().collect();
            let operation = trials.iter().map(|trial| trial.operation_ms()).collect();
            let parts = Resource::ALL.into_iter().filter_map(|resource| {
                let all: Option<Vec<f64>> =
                    trials.iter().map(|trial| trial.milliseconds(resource)).collect();
                Some((resource, estimate(all?)?))
            });
            Some(TimeOfOperation {
                target: cell.target.to_owned(),
                level: cell.level,
                operation_ms: estimate(operation)?,
                parts: parts.collect(),
            })
        };
        // Of servers that nothing is seen of, the load generator's part says nothing.
        let is_seen = |time: &TimeOfOperation| {
            time.parts.keys().any(|resource| *resource != Resource::LoadGenerator)
        };
        cells.iter().filter_map(of).filter(is_seen).collect()
    }

    fn of_cell(&self, target: &str, level: Level) -> Option<&ByBlock> {
        self.by_target.get(target)?.get(&level)
    }

    fn both<'s>(&'s self, slower: &str, faster: &str, level: Level) -> Vec<Both<'s>> {
        let (slow, fast) = (self.of_cell(slower, level), self.of_cell(faster, level));
        let Some((slow, fast)) = slow.zip(fast) else { return Vec::new() };
        let both = |(&block, slow)| Some(Both { block, slow, fast: fast.get(&block)? });
        slow.iter().filter_map(both).collect()
    }

    /// For every pair of targets that differs, over all levels and at each, what decides that.
    pub(crate) fn findings(
        &self,
        test: &str,
        metric: Metric,
        comparisons: &[Comparison],
        overall: &[OverallComparison],
    ) -> Vec<Finding> {
        let by_level = by_pair(comparisons, metric);
        let of_pair = |(baseline, candidate): (&str, &str)| {
            let is_own = |one: &&OverallComparison| {
                one.metric == metric && one.baseline == baseline && one.candidate == candidate
            };
            let over_all = overall.iter().find(is_own).and_then(|one| {
                self.explain((baseline, candidate, one.verdict), &one.levels, true)
            });
            let at_levels = by_level.get(&(baseline, candidate)).into_iter().flatten();
            let at_levels = at_levels.filter_map(|one| {
                self.explain((baseline, candidate, one.verdict), &[one.level], false)
            });
            // What is said of all levels need not be said of each, nor that one of them alone is too
            // little to tell.
            let said = over_all.clone();
            let at_levels = at_levels.filter(move |why| {
                said.as_ref().is_none_or(|all| !all.says(why) && !accounts_for(all, why))
            });
            over_all.into_iter().chain(at_levels).collect::<Vec<_>>()
        };
        let all = each_pair(&self.dataset.study).flat_map(of_pair);
        all.map(|why| Finding::new(Subject::test(test), why)).collect()
    }

    /// `None` where the two do not differ, or their trials cannot be set against one another.
    fn explain(
        &self,
        (baseline, candidate, verdict): (&str, &str, Verdict),
        levels: &[Level],
        together: bool,
    ) -> Option<WhySlower> {
        let (slower, faster) = match verdict {
            Verdict::CandidateBetter => (baseline, candidate),
            Verdict::BaselineBetter => (candidate, baseline),
            Verdict::Equivalent | Verdict::Unresolved => return None,
        };
        let by_level: Vec<Vec<Both<'_>>> =
            levels.iter().map(|&level| self.both(slower, faster, level)).collect();
        let all: Vec<Both<'_>> = by_level.iter().flatten().copied().collect();
        let difference_ms = mean(all.iter().map(Both::difference_ms));
        // The slowest may be slower where the mean is not.
        if all.is_empty() || difference_ms <= 0.0 {
            return None;
        }
        let mut parts = self.parts(&by_level);
        parts.sort_by(|a, b| b.share.point.total_cmp(&a.share.point));
        let limits = limits(&by_level);
        let exact = limits.iter().find(|limit| EXACT.contains(&limit.resource));
        let surely = |part: &&PartOfTime, least: f64| {
            part.share.interval.is_some_and(|interval| interval.low > least)
        };
        // It is the same for both: where it takes longer, that follows from how replies come.
        let is_targets = |part: &&PartOfTime| part.resource != Resource::LoadGenerator;
        let most = parts.iter().filter(is_targets).find(|part| surely(part, MOST));
        let alone = || {
            let one = parts.iter().find(|part| surely(part, MUCH))?;
            let is_open = |part: &&PartOfTime| {
                part.share.interval.is_none_or(|interval| interval.high > MOST)
            };
            let others = parts.iter().filter(|part| part.resource != one.resource);
            let is_only = one.resource == Resource::LogSync && others.filter(is_open).count() == 0;
            (is_only && only_slower_waits(&all)).then_some(Cause::AtLeast(*one))
        };
        let by_design = || {
            // What syncs take of processors is theirs.
            let mut others = parts.iter().filter(is_targets);
            let first = others.find(|part| part.resource != Resource::Processors)?;
            let is_seen = first.resource == Resource::LogSync && surely(&first, 0.0);
            (is_seen && only_slower_waits(&all) && self.differ_in_commits_alone(slower, faster))
                .then_some(Cause::OnlyDifference(*first))
        };
        let by_limit = || limits.first().map(|limit| Cause::Limit(*limit));
        let cause = match (exact, most) {
            (Some(limit), _) => Some(Cause::Limit(*limit)),
            (None, Some(part)) => Some(Cause::Time(*part)),
            (None, None) => by_limit().or_else(alone).or_else(by_design),
        };
        Some(WhySlower {
            slower: slower.to_owned(),
            faster: faster.to_owned(),
            levels: levels.to_vec(),
            together,
            difference_ms,
            cause,
            parts,
        })
    }

    /// Whether the study makes two targets differ in nothing but whether commits wait for the disk.
    fn differ_in_commits_alone(&self, one: &str, other: &str) -> bool {
        let target = |name: &str| self.dataset.study.targets.iter().find(|spec| spec.name == name);
        let Some((one, other)) = target(one).zip(target(other)) else { return false };
        let (Place::Sandbox(first), Place::Sandbox(second)) = (&one.place, &other.place) else {
            return false;
        };
        let durability = one.system.facts().durability.iter();
        let commits: Vec<&str> = durability
            .filter(|setting| setting.promise == Promise::CommitsOnDisk)
            .map(|setting| setting.name)
            .collect();
        let others = |place: &SandboxSpec| {
            let mut place = place.clone();
            place.settings.retain(|name, _| !commits.contains(&model::setting_name(name).as_str()));
            place
        };
        let around =
            |target: &Target| (target.system, target.path.clone(), target.load_hosts.clone());
        around(one) == around(other) && others(first) == others(second)
    }

    /// What is known of the difference. Over several levels, which count alike, each is measured by the time
    /// of its operations at the faster target, and a block is one measurement.
    fn parts(&self, by_level: &[Vec<Both<'_>>]) -> Vec<PartOfTime> {
        let confidence = 1.0 - 2.0 * (1.0 - self.dataset.study.confidence);
        let of = |resource: Resource| {
            let mut by_block: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
            let (mut slower, mut faster) = (Vec::new(), Vec::new());
            for both in by_level {
                let unit = mean(both.iter().map(|both| both.fast.operation_ms()));
                for both in both {
                    let (slow_ms, fast_ms) = times(resource, *both)?;
                    let measured = ((slow_ms - fast_ms) / unit, both.difference_ms() / unit);
                    by_block.entry(both.block).or_default().push(measured);
                    slower.push(slow_ms);
                    faster.push(fast_ms);
                }
            }
            let whole = by_block.values().filter(|levels| levels.len() == by_level.len());
            let measured: Vec<(f64, f64)> = whole
                .map(|levels| {
                    let of = |part: fn(&(f64, f64)) -> f64| mean(levels.iter().map(part));
                    (of(|one| one.0), of(|one| one.1))
                })
                .collect();
            let share = stats::part_of(&measured, confidence)?;
            let (slower_ms, faster_ms) = (mean(slower.into_iter()), mean(faster.into_iter()));
            Some(PartOfTime { resource, slower_ms, faster_ms, share })
        };
        Resource::ALL.into_iter().filter_map(of).collect()
    }

    /// Whether throughput grows by more than half of what clients do from that point to the last; `None`
    /// where that is not sure.
    fn keeps_rising(&self, from: &Point, last: &Point) -> Option<bool> {
        let clients = f64::from(last.level.clients) / f64::from(from.level.clients);
        let ratio = last.series.ratio_to(&from.series, self.dataset.study.confidence)?;
        let (interval, half) = (ratio.interval?, f64::midpoint(1.0, clients));
        (interval.high < half || interval.low > half).then_some(interval.low > half)
    }

    /// Where the rise of a curve ends, as far as that is known, and what is at its limit there. Where it is
    /// not sure that it rises no more, a limit says that.
    fn end_of_rise(&self, data: &CurveData) -> Option<EndOfRise> {
        let target = &data.curve.target;
        let (last, below) = data.points.split_last()?;
        let bends = matches!(data.curve.shape, CurveShape::Flat | CurveShape::Declines { .. });
        // Of a flat curve the highest point may be the last.
        let ends = bends.then(|| first_as_high(data)).filter(|&level| level != last.level);
        if let Some(level) = ends {
            return Some(EndOfRise {
                level,
                rise: Rise::Ends,
                at_limit: self.at_limit(target, level),
            });
        }
        let mut slows = None;
        let mut may_end = None;
        let mut from_here_on = self.at_limit(target, last.level);
        for point in below.iter().rev() {
            let (level, at_limit) = (point.level, self.at_limit(target, point.level));
            let is_here =
                |other: &UsedUp| at_limit.iter().any(|one| one.resource == other.resource);
            from_here_on.retain(is_here);
            if at_limit.is_empty() {
                continue;
            }
            match self.keeps_rising(point, last) {
                Some(true) => {}
                Some(false) => slows = Some(EndOfRise { level, rise: Rise::Slows, at_limit }),
                None if from_here_on.is_empty() => {}
                None => {
                    let is_on = |one: &UsedUp| {
                        from_here_on.iter().any(|other| one.resource == other.resource)
                    };
                    let at_limit = at_limit.into_iter().filter(is_on).collect();
                    may_end = Some(EndOfRise { level, rise: Rise::Unresolved, at_limit });
                }
            }
        }
        slows.or(may_end)
    }

    /// What was at its limit in all trials of a level, with how much of it was in use.
    fn at_limit(&self, target: &str, level: Level) -> Vec<UsedUp> {
        let trials: Vec<&Account> =
            self.of_cell(target, level).into_iter().flat_map(BTreeMap::values).collect();
        let used_up = |resource| Some(UsedUp { resource, used: in_all(&trials, resource)? });
        Resource::ALL.into_iter().filter_map(used_up).collect()
    }

    /// Which resources were at their limit where curves stop rising.
    pub(crate) fn ends_of_rise(&self, test: &str, curves: &[CurveData]) -> Vec<Finding> {
        let of = |data: &CurveData| {
            let target = &data.curve.target;
            let found = self.end_of_rise(data)?;
            let is_measured =
                !found.level.is_open() && !self.of_cell(target, found.level)?.is_empty();
            is_measured.then(|| Finding::new(Subject::test(test).on(target).at(found.level), found))
        };
        curves.iter().filter_map(of).collect()
    }
}

/// What a resource takes of an operation at both, in milliseconds; `None` where that is not known of either.
///
/// Where the processors of both have no time left, clients wait for them in proportion to the processor
/// time of an operation, as far as they wait for nothing else.
fn times(resource: Resource, Both { slow, fast, .. }: Both<'_>) -> Option<(f64, f64)> {
    let known = (slow.milliseconds(resource)?, fast.milliseconds(resource)?);
    if resource != Resource::Processors || !(slow.processors_full && fast.processors_full) {
        return Some(known);
    }
    let (slow_cpus, fast_cpus) = (slow.own_cpus?, fast.own_cpus?);
    let available = f64::midpoint(slow_cpus, fast_cpus);
    let in_queue = |account: &Account, cpus: f64, used: f64| {
        let own = cpus / account.throughput * 1e3;
        let elsewhere: f64 = account
            .in_state
            .iter()
            .filter(|(other, _)| !matches!(other, Resource::Processors | Resource::LoadGenerator))
            .map(|(_, clients)| clients)
            .sum();
        let at_most = (account.clients - elsewhere).max(0.0) / account.throughput * 1e3;
        (account.clients * own / available).min(at_most).max(used)
    };
    Some((in_queue(slow, slow_cpus, known.0), in_queue(fast, fast_cpus, known.1)))
}

/// Whether what decides over all levels together is much of the difference at one of them as well, where
/// the repeats of that one alone decide nothing.
fn accounts_for(all: &WhySlower, one: &WhySlower) -> bool {
    let Some(decides) = all.cause.and_then(|cause| cause.part()) else { return false };
    let part = one.parts.iter().find(|part| part.resource == decides.resource);
    one.cause.is_none()
        && all.slower == one.slower
        && one.levels.iter().all(|level| all.levels.contains(level))
        && part.is_some_and(|part| part.share.point >= MUCH)
}

/// What is at its limit at the slower one in all repeats, and at the faster one in none, at more than half
/// of the levels.
fn limits(by_level: &[Vec<Both<'_>>]) -> Vec<AtLimit> {
    let of = |resource: Resource| {
        let alone = |both: &&Vec<Both<'_>>| {
            let is_at_limit = |account: &Account| account.at_limit.contains_key(&resource);
            both.len() > 1
                && both.iter().all(|both| is_at_limit(both.slow) && !is_at_limit(both.fast))
        };
        let those: Vec<&Vec<Both<'_>>> = by_level.iter().filter(alone).collect();
        let used = |account: &Account| account.used.get(&resource).copied();
        let all = || those.iter().flat_map(|both| both.iter());
        let faster: Vec<f64> = all().filter_map(|both| used(both.fast)).collect();
        (those.len() * 2 > by_level.len()).then(|| AtLimit {
            resource,
            slower: mean(all().filter_map(|both| used(both.slow))),
            faster: (!faster.is_empty()).then(|| mean(faster.into_iter())),
        })
    };
    Resource::ALL.into_iter().filter_map(of).collect()
}

/// Whether commits wait for the disk at the slower one alone. What they wait is longer than what the disks
/// take for it: the file system has its part, and whoever waited has to get a processor again.
fn only_slower_waits(all: &[Both<'_>]) -> bool {
    all.iter()
        .all(|both| both.slow.commits_wait == Some(true) && both.fast.commits_wait == Some(false))
}

/// The lowest level from which on throughput is not clearly below the peak, nor by what was measured.
fn first_as_high(data: &CurveData) -> Level {
    let top = data.points[data.index].throughput.point;
    let is_as_high = |level: &Level| {
        let point = data.points.iter().find(|point| point.level == *level);
        point.is_some_and(|point| point.throughput.point >= AS_HIGH * top)
    };
    let levels = data.curve.level_with_peak.iter().copied();
    levels.filter(is_as_high).min().unwrap_or(data.curve.peak)
}

/// How much of a resource was in use on average, where it was at its limit in all of several trials.
fn in_all(trials: &[&Account], resource: Resource) -> Option<f64> {
    let used: Option<Vec<f64>> =
        trials.iter().map(|trial| trial.at_limit.get(&resource).copied()).collect();
    used.filter(|used| used.len() > 1).map(|used| mean(used.into_iter()))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    if n > 0.0 { sum / n } else { 0.0 }
}

fn known(dataset: &Dataset, test: &Test, target: &str) -> Known {
    let spec = dataset.study.targets.iter().find(|spec| spec.name == target);
    let facts = dataset.targets.iter().find(|facts| facts.target == target);
    let commits_wait = spec.zip(facts).and_then(|(spec, facts)| {
        let kept = spec.system.durability(&facts.server.variables);
        kept.into_iter().find(|kept| kept.promise == Promise::CommitsOnDisk).map(|kept| kept.kept)
    });
    let limits = spec.and_then(|spec| match &spec.place {
        Place::Sandbox(sandbox) => sandbox.volume.map(|volume| volume.limits),
        _ => None,
    });
    Known {
        commits_wait,
        limits: limits.unwrap_or_default(),
        no_connection_left: spec.map_or(&[], |spec| spec.system.facts().no_connection_left),
        sent_together: test.key_value().map_or(1, |keys| keys.pipeline.max(1)),
    }
}
