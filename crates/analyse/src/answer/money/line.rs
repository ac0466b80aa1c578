//! What a target costs as a function of its load: a fixed part, and a part for each request.

use super::usage::{Amounts, takes_size};
use findings::{Amount, CostGap};
use model::{Price, PriceUnit};
use serde::Serialize;

/// Seconds of a month: a twelfth of a year of 365 days.
const MONTH_SECONDS: f64 = 3600.0 * Price::MONTH_HOURS;
/// Bytes of a gigabyte, as providers charge it.
const GIGABYTE: f64 = 1e9;

/// Cost against load: `monthly` + `per_million` × millions of requests. A request is a transaction
/// of the test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostLine {
    /// ISO 4217 code.
    pub currency: String,
    /// What a month costs without any load.
    pub monthly: f64,
    /// What a million requests add to that.
    pub per_million: Amount,
    /// Where storage is charged by the size of the data, what it grows by.
    pub growth: Option<StorageGrowth>,
}

/// What a bill has of data that a load adds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StorageGrowth {
    /// It grows evenly throughout the month, so that half of what it grows by is charged.
    Charged {
        /// 10⁹ bytes that a million requests add.
        gigabytes_per_million: Amount,
    },
    /// By how much was not measured: the bill is for the data as it was before the load.
    NotMeasured,
}

impl StorageGrowth {
    /// By how many gigabytes the data grows in a month with so many requests per second.
    pub fn gigabytes_at(self, load: Amount) -> Option<Amount> {
        match self {
            Self::Charged { gigabytes_per_million } => {
                let millions = load.map(|load| load * MONTH_SECONDS / 1e6);
                Some(gigabytes_per_million.with(millions, |each, millions| each * millions))
            }
            Self::NotMeasured => None,
        }
    }
}

impl CostLine {
    /// The bill of a price, where a request takes so much and the data has so many bytes. What the
    /// price says of either goes before what was measured.
    ///
    /// # Errors
    /// What is needed and not known.
    pub(crate) fn from_price(
        price: &Price,
        measured: Amounts,
        dataset_bytes: Option<u64>,
    ) -> Result<Self, CostGap> {
        let gigabytes = dataset_bytes.map(|bytes| bytes as f64 / GIGABYTE);
        let monthly = price.fixed_monthly(gigabytes).ok_or(CostGap::Gigabytes)?;
        let growth = takes_size(price).then(|| match measured.stored_bytes_per_request {
            Some(bytes) => StorageGrowth::Charged {
                gigabytes_per_million: bytes.map(|bytes| bytes * 1e6 / GIGABYTE),
            },
            None => StorageGrowth::NotMeasured,
        });
        let mut per_million = Amount::exact(0.0);
        for item in price.items.iter().filter(|item| item.amount > 0.0) {
            match item.per {
                PriceUnit::Month | PriceUnit::Hour => {}
                PriceUnit::GbMonth if item.quantity.is_some() => {}
                PriceUnit::GbMonth => {
                    if let Some(StorageGrowth::Charged { gigabytes_per_million }) = growth {
                        // It is there for half of the month on average.
                        let each = gigabytes_per_million.map(|added| item.amount * added / 2.0);
                        per_million = per_million.with(each, |a, b| a + b);
                    }
                }
                PriceUnit::MillionRequests => per_million = per_million.map(|c| c + item.amount),
                PriceUnit::MillionIos => {
                    let given = price.requests_per_io.map(Amount::exact);
                    let requests =
                        given.or(measured.requests_per_io).ok_or(CostGap::RequestsPerIo)?;
                    let each = requests.map(|requests| item.amount / requests);
                    per_million = per_million.with(each, |a, b| a + b);
                }
                PriceUnit::GbSent => {
                    let bytes = measured.sent_bytes_per_request.ok_or(CostGap::SentBytes)?;
                    let each = bytes.map(|bytes| item.amount * bytes * 1e6 / GIGABYTE);
                    per_million = per_million.with(each, |a, b| a + b);
                }
            }
        }
        Ok(Self { currency: price.currency.clone(), monthly, per_million, growth })
    }

    /// What a month costs at a load in requests per second.
    pub(crate) fn monthly_at(&self, load: Amount) -> Amount {
        if self.per_million == Amount::exact(0.0) {
            return Amount::exact(self.monthly);
        }
        let millions = load.map(|load| load * MONTH_SECONDS / 1e6);
        self.per_million.with(millions, |each, millions| self.monthly + each * millions)
    }

    /// What a million requests cost at a load in requests per second that lasts all month.
    pub(crate) fn per_million_at(&self, load: Amount) -> Amount {
        let share = load.map(|load| self.monthly / (load * MONTH_SECONDS) * 1e6);
        share.with(self.per_million, |share, each| share + each)
    }
}

/// The load in requests per second at which a difference of so much a month is made up for by
/// so much a million requests.
pub(super) fn load_that_makes_up(monthly: f64, per_million: f64) -> f64 {
    monthly / per_million * 1e6 / MONTH_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::PriceItem;

    fn item(amount: f64, per: PriceUnit, quantity: Option<f64>) -> PriceItem {
        PriceItem { name: "x".into(), amount, per, quantity }
    }

    fn ios(requests: Amount) -> Amounts {
        Amounts { requests_per_io: Some(requests), ..Amounts::default() }
    }

    fn sending(bytes: f64) -> Amounts {
        Amounts { sent_bytes_per_request: Some(Amount::exact(bytes)), ..Amounts::default() }
    }

    #[test]
    fn every_unit_is_charged_as_it_says() {
        let mut price = Price::from_items(
            "USD",
            vec![
                item(10.0, PriceUnit::Month, Some(2.0)),
                item(0.1, PriceUnit::Hour, None),
                item(0.5, PriceUnit::GbMonth, None),
                item(0.25, PriceUnit::GbMonth, Some(100.0)),
                item(0.2, PriceUnit::MillionRequests, None),
                item(3.0, PriceUnit::MillionIos, None),
                item(0.09, PriceUnit::GbSent, None),
            ],
        );
        price.requests_per_io = Some(30.0);
        let line = CostLine::from_price(&price, sending(2_000.0), Some(4_000_000_000)).unwrap();
        assert!((line.monthly - (20.0 + 73.0 + 2.0 + 25.0)).abs() < 1e-9);
        // Per million requests 0.2, 0.1 for IOs, and 2 GB.
        assert!((line.per_million.point - 0.48).abs() < 1e-12 && line.per_million.is_exact());
        // 1,000 a second are 2,628 millions a month.
        let load = Amount::exact(1000.0);
        assert!((line.monthly_at(load).point - (120.0 + 0.48 * 2628.0)).abs() < 1e-9);
        assert!((line.per_million_at(load).point - (120.0 / 2628.0 + 0.48)).abs() < 1e-12);
    }

    #[test]
    fn data_that_grows_is_charged_for_half_of_what_a_month_adds() {
        let price =
            |quantity| Price::from_items("USD", vec![item(0.5, PriceUnit::GbMonth, quantity)]);
        let growing = |point, interval| Amounts {
            stored_bytes_per_request: Some(Amount { point, interval }),
            ..Amounts::default()
        };
        let line = |price: &Price, amounts| {
            CostLine::from_price(price, amounts, Some(4_000_000_000)).unwrap()
        };
        let grows = line(&price(None), growing(100.0, Some((80.0, 140.0))));
        // 0.1 GB for a million: 262.8 GB by the end of a month of 1,000/s, half of them on average.
        let load = Amount::exact(1_000.0);
        let added = grows.growth.unwrap().gigabytes_at(load).unwrap();
        assert!((added.point - 262.8).abs() < 1e-9, "{added:?}");
        let bill = grows.monthly_at(load);
        assert!((bill.point - (2.0 + 65.7)).abs() < 1e-9, "{bill:?}");
        let (low, high) = bill.interval.unwrap();
        assert!((low - 54.56).abs() < 1e-9 && (high - 93.98).abs() < 1e-9, "{bill:?}");
        let unseen = line(&price(None), Amounts::default());
        assert_eq!(unseen.growth, Some(StorageGrowth::NotMeasured));
        assert_eq!(unseen.monthly_at(load), Amount::exact(2.0));
        // So many gigabytes are paid for, whatever the data takes of them.
        let provisioned = line(&price(Some(4.0)), growing(100.0, None));
        assert_eq!((provisioned.growth, provisioned.monthly_at(load).point), (None, 2.0));
    }

    #[test]
    fn what_is_needed_and_not_known_is_named() {
        let of = |per| {
            CostLine::from_price(
                &Price::from_items("USD", vec![item(1.0, per, None)]),
                Amounts::default(),
                None,
            )
        };
        assert_eq!(of(PriceUnit::GbMonth), Err(CostGap::Gigabytes));
        assert_eq!(of(PriceUnit::MillionIos), Err(CostGap::RequestsPerIo));
        assert_eq!(of(PriceUnit::GbSent), Err(CostGap::SentBytes));
        assert!(of(PriceUnit::MillionRequests).is_ok());
    }

    #[test]
    fn measured_ios_carry_their_interval_into_the_bill() {
        let price = Price::from_items("USD", vec![item(10.0, PriceUnit::MillionIos, None)]);
        let measured = Amount { point: 5.0, interval: Some((4.0, 10.0)) };
        let line = CostLine::from_price(&price, ios(measured), None).unwrap();
        assert_eq!(line.per_million.interval, Some((1.0, 2.5)));
        let once = Amount { point: 5.0, interval: None };
        let line = CostLine::from_price(&price, ios(once), None).unwrap();
        assert_eq!(line.per_million, Amount { point: 2.0, interval: None });
    }
}
