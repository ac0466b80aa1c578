//! What an operation takes of the machine that its target is on.

use super::{Table, TableCell, Tone, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::{count, list};
use crate::view;
use crate::words::with_unit;
use analyse::{Analysis, Comparison, Metric, TestAnalysis, Verdict};
use model::{Level, Resource};
use stats::Estimate;
use std::collections::{BTreeSet, HashMap};

/// What it takes, by what that is of. Side by side all figures would be wider than a page: each group has
/// tables of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceGroup {
    Processors,
    Disks,
    Network,
}

impl ResourceGroup {
    pub(crate) const ALL: [Self; 3] = [Self::Processors, Self::Disks, Self::Network];

    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Processors => "Processors and memory",
            Self::Disks => "Disks and log",
            Self::Network => "Network and data",
        }
    }

    fn of_resource(resource: Resource) -> Self {
        match resource {
            Resource::ServerCpu
            | Resource::ServerSystemCpu
            | Resource::ReplicaCpu
            | Resource::PathCpu
            | Resource::HostCpu
            | Resource::ContextSwitches
            | Resource::Memory => Self::Processors,
            Resource::DiskReads
            | Resource::DiskWrites
            | Resource::DiskReadBytes
            | Resource::DiskWrittenBytes
            | Resource::LogBytes
            | Resource::CacheMisses
            | Resource::WriteAmplification => Self::Disks,
            Resource::NetworkReceived
            | Resource::NetworkSent
            | Resource::PacketsReceived
            | Resource::PacketsSent
            | Resource::RoundTrips
            | Resource::SpacePerRow
            | Resource::Growth => Self::Network,
        }
    }
}

/// The cells of a test of which such figures are known, the levels in order. Without any it has no rows.
pub(crate) fn resources(analysis: &Analysis, test: &TestAnalysis, group: ResourceGroup) -> Table {
    let axis = LevelAxis::for_test(test);
    let known = known(test, group);
    let mut table = Table::new(columns(&axis, "target", test, &known));
    let mut ordered: Vec<&analyse::Cell> = test.cells.iter().collect();
    ordered.sort_by_key(|cell| cell.level);
    let mut previous = None;
    for cell in ordered {
        let figures: Vec<Option<Estimate>> =
            known.iter().map(|metric| cell.estimate(*metric)).collect();
        if figures.iter().all(Option::is_none) {
            continue;
        }
        let mut row = vec![
            TableCell::text(axis.text(cell.level)),
            TableCell::target(&cell.target, view::series(analysis, &cell.target)),
        ];
        let each = known.iter().zip(&figures);
        row.extend(each.map(|(metric, figure)| TableCell::of_metric(*metric, figure.as_ref())));
        match previous.replace(cell.level) == Some(cell.level) {
            true => table.push(row),
            false => table.push_group(row),
        }
    }
    table.without_empty_columns()
}

/// How the pairs of a test compare in them, at each level and over all together.
pub(crate) fn resource_ratios(test: &TestAnalysis, group: ResourceGroup) -> Table {
    let axis = LevelAxis::for_test(test);
    let known = known(test, group);
    let mut table = Table::new(columns(&axis, "compared", test, &known));
    for (baseline, candidate) in view::pairs(test) {
        let is_pair = |base: &str, other: &str| base == baseline && other == candidate;
        let name = format!("{candidate} ÷ {baseline}");
        let of_pair = test
            .comparisons
            .iter()
            .filter(|one| is_pair(&one.baseline, &one.candidate) && known.contains(&one.metric));
        let of_pair: HashMap<(Level, Metric), &Comparison> =
            of_pair.map(|one| ((one.level, one.metric), one)).collect();
        let levels: BTreeSet<Level> = of_pair.keys().map(|(level, _)| *level).collect();
        for (place, &level) in levels.iter().enumerate() {
            let mut row = vec![TableCell::text(axis.text(level)), TableCell::text(&name)];
            row.extend(known.iter().map(|metric| {
                let found = of_pair.get(&(level, *metric));
                ratio(found.map(|one| (&one.ratio, one.verdict)))
            }));
            match place {
                0 => table.push_group(row),
                _ => table.push(row),
            }
        }
        let overall = |metric: Metric| {
            let found = test.overall.iter().filter(|one| is_pair(&one.baseline, &one.candidate));
            found.into_iter().find(|one| one.metric == metric)
        };
        let Some(first) = known.iter().copied().find_map(overall) else { continue };
        let over = match first.all_levels {
            true => TableCell::text("all"),
            false => {
                let levels = first.levels.iter().map(|&level| count(axis.number(level).into()));
                TableCell::text("together").with_note(list(&levels.collect::<Vec<_>>()))
            }
        };
        let mut row = vec![over, TableCell::text(&name)];
        row.extend(
            known.iter().map(|metric| ratio(overall(*metric).map(|one| (&one.ratio, one.verdict)))),
        );
        table.push(row);
    }
    table.without_empty_columns()
}

/// What of a group is known of any cell.
fn known(test: &TestAnalysis, group: ResourceGroup) -> Vec<Metric> {
    let is_in = |metric: &Metric| metric.resource().map(ResourceGroup::of_resource) == Some(group);
    let has = |metric: &Metric| test.cells.iter().any(|cell| cell.estimate(*metric).is_some());
    Metric::of_resources().filter(is_in).filter(has).collect()
}

fn columns(
    axis: &LevelAxis,
    what: &'static str,
    test: &TestAnalysis,
    known: &[Metric],
) -> Vec<super::Column> {
    let mut columns = vec![numbers(axis.name()), words(what)];
    let name = |metric: &Metric| numbers(with_unit(*metric, view::counted(test)));
    columns.extend(known.iter().map(name));
    columns
}

/// A ratio with its interval: faint where it is not resolved.
fn ratio(found: Option<(&Estimate, Verdict)>) -> TableCell {
    let Some((ratio, verdict)) = found else { return TableCell::text("") };
    let tone = match verdict {
        Verdict::CandidateBetter => Tone::Good,
        Verdict::BaselineBetter => Tone::Bad,
        Verdict::Equivalent => Tone::Plain,
        Verdict::Unresolved => Tone::Doubtful,
    };
    TableCell::estimate(Some(ratio)).with_tone(tone)
}
