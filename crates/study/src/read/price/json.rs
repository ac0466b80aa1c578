//! Price lists as JSON: products, and their prices by term and SKU; or the breakdown that Infracost makes of a
//! Terraform project.

use super::infracost::{Project, parts};
use super::row::{ON_DEMAND, Row};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufReader, Error, Read};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(default)]
    products: BTreeMap<String, Product>,
    terms: Option<Terms>,
    /// Of Infracost, as what follows.
    projects: Option<Vec<Project>>,
    #[serde(default)]
    currency: String,
    #[serde(default)]
    time_generated: String,
}

#[derive(Deserialize)]
struct Product {
    #[serde(default)]
    attributes: Attributes,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attributes {
    region_code: Option<String>,
    location: Option<String>,
}

#[derive(Deserialize)]
struct Terms {
    #[serde(rename = "OnDemand", default)]
    on_demand: BTreeMap<String, BTreeMap<String, Offer>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Offer {
    #[serde(default)]
    effective_date: String,
    #[serde(default)]
    price_dimensions: BTreeMap<String, Dimension>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dimension {
    #[serde(default)]
    description: String,
    unit: String,
    price_per_unit: BTreeMap<String, String>,
}

/// The rows of some SKUs, as a list as CSV has them.
pub(super) fn rows(file: impl Read, skus: &[String]) -> Result<Vec<Row>, Error> {
    let list: File = serde_json::from_reader(BufReader::new(file)).map_err(Error::other)?;
    if let Some(projects) = &list.projects {
        if list.currency.is_empty() {
            return Err(Error::other("this breakdown names no `currency`"));
        }
        return Ok(parts(projects, skus, &list.currency, &list.time_generated));
    }
    let terms = list.terms.ok_or_else(|| Error::other("it has neither `terms` nor `projects`"))?;
    let mut rows = Vec::new();
    for sku in skus {
        let region = list.products.get(sku).and_then(|product| {
            let Attributes { region_code, location } = &product.attributes;
            region_code.clone().or_else(|| location.clone())
        });
        let offers = terms.on_demand.get(sku).into_iter().flat_map(BTreeMap::values);
        for offer in offers {
            for dimension in offer.price_dimensions.values() {
                rows.extend(dimension.price_per_unit.iter().map(|(currency, price)| Row {
                    sku: sku.clone(),
                    term: ON_DEMAND.to_owned(),
                    description: dimension.description.clone(),
                    effective: offer.effective_date.clone(),
                    unit: dimension.unit.clone(),
                    price: price.clone(),
                    currency: currency.clone(),
                    region: region.clone().unwrap_or_default(),
                    is_part: false,
                }));
            }
        }
    }
    Ok(rows)
}
