//! What a target costs, as it is offered.

use serde::{Deserialize, Serialize};

/// What a target costs: line items in one currency, with what the offer holds for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// ISO 4217 code. Amounts of different currencies are never added or compared.
    pub currency: String,
    /// All that is paid for. None at all is a target that costs nothing.
    pub items: Vec<PriceItem>,
    /// When the price was offered, in the user's words.
    pub date: Option<String>,
    /// Where, such as a provider's region.
    pub region: Option<String>,
    /// For how long one commits oneself, such as `on demand` or `1 year reserved`.
    pub term: Option<String>,
    /// Transactions that make one IO of those that are charged; above 0. Where it is absent and
    /// IOs are charged, it is measured, if the server's disk can be seen.
    pub requests_per_io: Option<f64>,
}

/// One line of a bill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriceItem {
    /// What it is for.
    pub name: String,
    /// For one unit of `per`; 0 or more.
    pub amount: f64,
    /// What is counted.
    pub per: PriceUnit,
    /// How many months, hours or gigabytes are paid for at the same time, such as 2 volumes; 1
    /// when absent, and for gigabytes the size of the test's data. Absent where the load decides.
    pub quantity: Option<f64>,
}

/// What a line item counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceUnit {
    /// Months.
    Month,
    /// Hours, of which a month has 730.
    Hour,
    /// Millions of IOs, reads and writes of the disk alike.
    MillionIos,
    /// Gigabytes (10⁹ bytes) kept for a month.
    GbMonth,
    /// Gigabytes (10⁹ bytes) that the target sends to its clients.
    GbSent,
    /// Millions of requests; a request is a transaction of the test.
    MillionRequests,
}

impl PriceUnit {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Month,
        Self::Hour,
        Self::MillionIos,
        Self::GbMonth,
        Self::GbSent,
        Self::MillionRequests,
    ];

    /// The name that study files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::Hour => "hour",
            Self::MillionIos => "million_ios",
            Self::GbMonth => "gb_month",
            Self::GbSent => "gb_sent",
            Self::MillionRequests => "million_requests",
        }
    }

    /// Whether a study says how many are paid for; else the load decides.
    pub fn has_quantity(self) -> bool {
        match self {
            Self::Month | Self::Hour | Self::GbMonth => true,
            Self::MillionIos | Self::GbSent | Self::MillionRequests => false,
        }
    }
}

impl Price {
    /// Hours of a month: a twelfth of a year of 365 days.
    pub const MONTH_HOURS: f64 = 730.0;

    /// A price of these items, of which nothing else is known.
    pub fn from_items(currency: impl Into<String>, items: Vec<PriceItem>) -> Self {
        let currency = currency.into();
        Self { currency, items, date: None, region: None, term: None, requests_per_io: None }
    }

    /// So much a month, whatever the load.
    pub fn monthly(amount: f64, currency: impl Into<String>) -> Self {
        Self::from_items(currency, vec![PriceItem::monthly(amount)])
    }

    /// What is paid for a month whatever the load, where the data takes so many gigabytes (10⁹
    /// bytes); `None` where it takes those and they are not known.
    pub fn fixed_monthly(&self, gigabytes: Option<f64>) -> Option<f64> {
        let of_item = |item: &PriceItem| {
            Some(match item.per {
                PriceUnit::Month => item.amount * item.quantity.unwrap_or(1.0),
                PriceUnit::Hour => item.amount * item.quantity.unwrap_or(1.0) * Self::MONTH_HOURS,
                PriceUnit::GbMonth => item.amount * item.quantity.or(gigabytes)?,
                PriceUnit::MillionIos | PriceUnit::GbSent | PriceUnit::MillionRequests => 0.0,
            })
        };
        self.items.iter().map(of_item).sum()
    }

    /// Whether such units are charged.
    pub fn charges(&self, unit: PriceUnit) -> bool {
        self.items.iter().any(|item| item.per == unit && item.amount > 0.0)
    }
}

impl PriceItem {
    /// So much a month for the whole.
    pub fn monthly(amount: f64) -> Self {
        Self { name: "monthly".to_owned(), amount, per: PriceUnit::Month, quantity: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_as_it_was_written() {
        let item = |per, quantity| PriceItem { name: "x".into(), amount: 0.1, per, quantity };
        let price = Price {
            items: PriceUnit::ALL.map(|per| item(per, per.has_quantity().then_some(2.0))).into(),
            date: Some("2012-11".into()),
            region: Some("us-east-1".into()),
            term: Some("on demand".into()),
            requests_per_io: Some(40.0),
            ..Price::monthly(0.0, "USD")
        };
        let text = serde_json::to_string(&price).unwrap();
        assert_eq!(serde_json::from_str::<Price>(&text).unwrap(), price);
    }
}
