//! SKUs of Google Cloud's billing catalog as its API answers.

use super::row::{ON_DEMAND, Row};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CatalogSku {
    sku_id: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    category: Category,
    #[serde(default)]
    service_regions: Vec<String>,
    /// In order of time; the last one holds.
    #[serde(default)]
    pricing_info: Vec<PricingInfo>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Category {
    #[serde(default)]
    usage_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PricingInfo {
    #[serde(default)]
    effective_time: String,
    pricing_expression: PricingExpression,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PricingExpression {
    usage_unit: String,
    #[serde(default)]
    tiered_rates: Vec<TieredRate>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TieredRate {
    unit_price: Money,
}

/// Whole units of a currency as a text, and billionths of one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Money {
    currency_code: String,
    #[serde(default)]
    units: String,
    #[serde(default)]
    nanos: u32,
}

impl Money {
    fn amount(&self) -> String {
        let units = if self.units.is_empty() { "0" } else { &self.units };
        format!("{units}.{:09}", self.nanos)
    }
}

impl CatalogSku {
    /// Its prices, one for each tier, if it is wanted.
    pub(super) fn rows(&self, wanted: &[String]) -> Vec<Row> {
        let latest = self.pricing_info.last().filter(|_| wanted.contains(&self.sku_id));
        let Some(PricingInfo { effective_time, pricing_expression }) = latest else {
            return Vec::new();
        };
        let usage = self.category.usage_type.as_str();
        let row = |rate: &TieredRate| Row {
            sku: self.sku_id.clone(),
            is_on_demand: usage.is_empty() || ON_DEMAND.contains(&usage),
            description: self.description.clone(),
            effective: effective_time.clone(),
            unit: pricing_expression.usage_unit.clone(),
            price: rate.unit_price.amount(),
            currency: rate.unit_price.currency_code.clone(),
            region: match self.service_regions.as_slice() {
                [only] => only.clone(),
                _ => String::new(),
            },
            is_part: false,
        };
        pricing_expression.tiered_rates.iter().map(row).collect()
    }
}
