//! What is said of the processes that made a trial's load.

use super::{Column, Field, TrialRow};
use analyse::{StartSpread, start_spread};
use model::{GeneratorShare, HeldProcessors, LoadResult, OwnProcessors, SideBySide};

/// The columns; the shares are null where one process made the load.
pub(super) const COLUMNS: [Column; 11] = [
    ("load_generators", |row| row.loaded(|load| load.generators.len().max(1).into())),
    ("generator_share_min", |row| row.share(|shares| shares.reduce(f64::min))),
    ("generator_share_max", |row| row.share(|shares| shares.reduce(f64::max))),
    ("load_hosts", |row| row.load_hosts()),
    ("start_spread_ms", |row| row.spread(|spread| spread.seconds)),
    ("start_spread_uncertainty_ms", |row| row.spread(|spread| spread.uncertainty_seconds)),
    ("side_by_side", |row| {
        row.beside(|others| {
            let with: Vec<String> = others.with.iter().map(u32::to_string).collect();
            with.join(", ").into()
        })
    }),
    ("began_at_ms", |row| row.beside(|others| others.began_at.0.into())),
    ("slices", |row| {
        row.loaded(|load| match load.slices.len() {
            0 => Field::Null,
            count => count.into(),
        })
    }),
    ("own_processors", |row| row.own_processors()),
    ("processor_exchanges", |row| row.apart().map_or(Field::Null, |own| own.exchanges.into())),
];

impl TrialRow<'_> {
    /// The machines that made the load, where that was not the one that weighin ran on.
    fn load_hosts(&self) -> Field<'static> {
        let load_hosts = self.record.map_or(&[][..], |record| &record.sampling.load_hosts);
        let names: Vec<&str> = load_hosts.iter().map(|load_host| load_host.host.as_str()).collect();
        if names.is_empty() { Field::Null } else { names.join(", ").into() }
    }

    /// The processors that target and load had to themselves, and for how many seconds.
    fn own_processors(&self) -> Field<'static> {
        let set = |set: &HeldProcessors| {
            let numbers: Vec<String> = set.processors.iter().map(u32::to_string).collect();
            format!("{}: {:.1} s", numbers.join(", "), set.held.as_secs_f64())
        };
        let sets = |own: &OwnProcessors| own.sets.iter().map(set).collect::<Vec<_>>().join(" / ");
        self.apart().map_or(Field::Null, |own| sets(own).into())
    }

    fn apart(&self) -> Option<&OwnProcessors> {
        self.record?.sampling.account.processor_use.apart.as_ref()
    }

    /// What is known of the trials that ran beside it, where there were any.
    fn beside(&self, value: fn(&SideBySide) -> Field<'static>) -> Field<'static> {
        let others = self.record.and_then(|record| record.side_by_side.as_ref());
        others.map_or(Field::Null, value)
    }

    /// A figure of how far apart these began.
    fn spread(&self, figure: fn(StartSpread) -> f64) -> Field<'static> {
        let spread = self.record.and_then(|record| start_spread(record.load()?, &record.sampling));
        spread.map(|spread| figure(spread) * 1e3).into()
    }

    /// A figure of the shares that the generators have of all transactions.
    fn share(
        &self,
        figure: impl FnOnce(&mut dyn Iterator<Item = f64>) -> Option<f64>,
    ) -> Field<'_> {
        self.loaded(|load: &LoadResult| {
            let all = load.measure.transactions;
            let share = |part: &GeneratorShare| part.transactions as f64 / all as f64;
            let shares = &mut load.generators.iter().map(share);
            if all > 0 { figure(shares).into() } else { Field::Null }
        })
    }
}
