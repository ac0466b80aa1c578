//! Retail prices of Azure as its API answers.

use super::row::{ON_DEMAND, Row};
use serde::Deserialize;
use serde_json::Number;

/// A price of a meter in a region.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RetailPrice {
    #[serde(default)]
    meter_id: String,
    #[serde(default)]
    sku_id: String,
    #[serde(default)]
    meter_name: String,
    currency_code: String,
    unit_price: Number,
    unit_of_measure: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    effective_start_date: String,
    #[serde(default)]
    arm_region_name: String,
}

impl RetailPrice {
    /// What it says, if it is of a meter or a SKU that is wanted.
    pub(super) fn row(&self, wanted: &[String]) -> Option<Row> {
        let ids = [&self.meter_id, &self.sku_id];
        let sku = ids.into_iter().find(|id| wanted.contains(id))?;
        Some(Row {
            sku: sku.clone(),
            is_on_demand: ON_DEMAND.contains(&self.kind.as_str()),
            description: self.meter_name.clone(),
            effective: self.effective_start_date.clone(),
            unit: self.unit_of_measure.clone(),
            price: self.unit_price.to_string(),
            currency: self.currency_code.clone(),
            region: self.arm_region_name.clone(),
            is_part: false,
        })
    }
}
