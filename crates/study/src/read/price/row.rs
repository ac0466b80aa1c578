//! A row of a price list, in whichever format.

/// The terms that are taken, as AWS and Azure call them: what is committed to for years is paid in parts that no
/// item of a bill has.
pub(super) const ON_DEMAND: [&str; 2] = ["OnDemand", "Consumption"];

/// A row of a list, as far as a price takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) sku: String,
    /// Whether nothing is committed to.
    pub(super) is_on_demand: bool,
    pub(super) description: String,
    pub(super) effective: String,
    pub(super) unit: String,
    pub(super) price: String,
    /// Empty where the list names none.
    pub(super) currency: String,
    pub(super) region: String,
    /// Whether it is paid together with the other rows of its SKU.
    pub(super) is_part: bool,
}

impl Row {
    /// What it is told apart by from other prices of its SKU: lists have a row for each region that a price
    /// holds for.
    pub(super) fn price_and_unit(&self) -> [&str; 3] {
        [&self.unit, &self.price, &self.currency]
    }
}
