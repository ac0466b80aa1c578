//! A row of a price list, in whichever format.

/// The terms that are taken: what is committed to for years is paid in parts that no item of a bill has.
pub(super) const ON_DEMAND: &str = "OnDemand";

/// A row of a list, as far as a price takes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) sku: String,
    pub(super) term: String,
    pub(super) description: String,
    pub(super) effective: String,
    pub(super) unit: String,
    pub(super) price: String,
    pub(super) currency: String,
    pub(super) region: String,
    /// Whether it is paid together with the other rows of its SKU.
    pub(super) is_part: bool,
}
