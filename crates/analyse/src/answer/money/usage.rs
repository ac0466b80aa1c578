//! What a transaction takes of what is charged by use.

use crate::cell::CellData;
use crate::cell::volume::operations_per_io;
use crate::{Cell, Metric, TestAnalysis};
use findings::Amount;
use model::{Level, Price, PriceItem, PriceUnit};
use serde::Serialize;
use stats::Estimate;

/// What was measured of it in one cell, as far as a price takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// Transactions for each IO of the server's disk, where IOs are charged and the price does not
    /// say.
    pub requests_per_io: Option<Estimate>,
    /// Bytes that the server sent for a transaction, where gigabytes sent are charged.
    pub sent_bytes_per_request: Option<Estimate>,
    /// Bytes by which a transaction made the data grow, where gigabytes stored are charged and the price does
    /// not say how many there are; below 0 where it shrank.
    pub stored_bytes_per_request: Option<Estimate>,
}

impl Usage {
    pub(super) fn from_data(cell: &CellData<'_>, price: &Price, confidence: f64) -> Self {
        let ios = takes_ios(price).then(|| operations_per_io(cell, confidence)).flatten();
        let sent = || cell.series(Metric::NetworkSent).estimate(confidence);
        let sent = price.charges(PriceUnit::GbSent).then(sent).flatten();
        let stored = takes_size(price).then(|| cell.growth(confidence)).flatten();
        Self {
            requests_per_io: ios,
            sent_bytes_per_request: sent,
            stored_bytes_per_request: stored,
        }
    }

    fn from_cell(cell: &Cell, price: &Price) -> Self {
        let ios = cell.volume.as_ref().and_then(|volume| volume.operations_per_io);
        Self {
            requests_per_io: ios.filter(|_| takes_ios(price)),
            sent_bytes_per_request: cell
                .estimate(Metric::NetworkSent)
                .filter(|_| price.charges(PriceUnit::GbSent)),
            stored_bytes_per_request: cell.growth.filter(|_| takes_size(price)),
        }
    }

    /// What a target took of it where its throughput was nearest to a load, and where that was: how many
    /// transactions share an IO depends on how many there are at a time. `None` where the price takes
    /// nothing that is measured, or nothing was.
    pub(crate) fn nearest(
        test: &TestAnalysis,
        (target, price): (&str, &Price),
        load: f64,
    ) -> Option<(Level, Self)> {
        nearest(test, target, load, |cell| {
            Some(Self::from_cell(cell, price)).filter(|usage| *usage != Self::default())
        })
    }

    pub(super) fn amounts(&self) -> Amounts {
        let amount = |estimate: Option<Estimate>| estimate.as_ref().map(Amount::from_estimate);
        Amounts {
            requests_per_io: amount(self.requests_per_io),
            sent_bytes_per_request: amount(self.sent_bytes_per_request),
            stored_bytes_per_request: amount(self.stored_bytes_per_request).map(growth),
        }
    }
}

/// What a target's cells say where its throughput was nearest to a load, of those that say it.
pub(crate) fn nearest<'a, T>(
    test: &'a TestAnalysis,
    target: &str,
    load: f64,
    say: impl Fn(&'a Cell) -> Option<T>,
) -> Option<(Level, T)> {
    let of_target = test.cells.iter().filter(|cell| cell.target == target);
    let known = of_target.filter_map(|cell| {
        let throughput = cell.estimate(Metric::Throughput)?.point;
        let said = say(cell).filter(|_| throughput > 0.0)?;
        Some(((throughput / load).ln().abs(), (cell.level, said)))
    });
    known.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, found)| found)
}

/// The same as a bill takes it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Amounts {
    pub(super) requests_per_io: Option<Amount>,
    pub(super) sent_bytes_per_request: Option<Amount>,
    pub(super) stored_bytes_per_request: Option<Amount>,
}

/// Data that shrinks is not taken to go on shrinking, and where none was seen to grow, none is charged.
fn growth(bytes: Amount) -> Amount {
    let bytes = bytes.map(|bytes| bytes.max(0.0));
    let high = bytes.interval.map_or(bytes.point, |(_, high)| high);
    if high > 0.0 { bytes } else { Amount::exact(0.0) }
}

/// Whether it charges gigabytes stored, as many as the data has.
pub(crate) fn takes_size(price: &Price) -> bool {
    let takes = |item: &PriceItem| {
        item.per == PriceUnit::GbMonth && item.amount > 0.0 && item.quantity.is_none()
    };
    price.items.iter().any(takes)
}

fn takes_ios(price: &Price) -> bool {
    price.charges(PriceUnit::MillionIos) && price.requests_per_io.is_none()
}
