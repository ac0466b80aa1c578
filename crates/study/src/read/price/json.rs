//! Price lists as JSON: products of AWS, and their prices by term and SKU; retail prices of Azure; SKUs of Google
//! Cloud's catalog; or the breakdown that Infracost makes of a Terraform project.

use super::azure::RetailPrice;
use super::google::CatalogSku;
use super::infracost::{Project, parts};
use super::row::Row;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{Error, Read};

/// What a file in UTF-8 may begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    #[serde(default)]
    products: BTreeMap<String, Product>,
    terms: Option<Terms>,
    /// Of Azure, a page of its answers.
    #[serde(rename = "Items")]
    retail_prices: Option<Vec<RetailPrice>>,
    /// Of Google Cloud, likewise.
    skus: Option<Vec<CatalogSku>>,
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
pub(super) fn rows(mut file: impl Read, wanted: &[String]) -> Result<Vec<Row>, Error> {
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text).trim_ascii_start();
    if text.starts_with(b"[") {
        // Pages of Azure's answers, put together.
        let all: Vec<RetailPrice> = serde_json::from_slice(text).map_err(Error::other)?;
        return Ok(all.iter().filter_map(|price| price.row(wanted)).collect());
    }
    let list: File = serde_json::from_slice(text).map_err(Error::other)?;
    if let Some(prices) = &list.retail_prices {
        return Ok(prices.iter().filter_map(|price| price.row(wanted)).collect());
    }
    if let Some(skus) = &list.skus {
        return Ok(skus.iter().flat_map(|sku| sku.rows(wanted)).collect());
    }
    if let Some(projects) = &list.projects {
        if list.currency.is_empty() {
            return Err(Error::other("this breakdown names no `currency`"));
        }
        return Ok(parts(projects, wanted, &list.currency, &list.time_generated));
    }
    let none = "it has neither `terms` (AWS), `Items` (Azure), `skus` (Google Cloud) nor `projects` (Infracost)";
    let terms = list.terms.ok_or_else(|| Error::other(none))?;
    Ok(of_terms(&list.products, &terms, wanted))
}

/// Of a list of AWS.
fn of_terms(products: &BTreeMap<String, Product>, terms: &Terms, wanted: &[String]) -> Vec<Row> {
    let mut rows = Vec::new();
    for sku in wanted {
        let region = products.get(sku).and_then(|product| {
            let Attributes { region_code, location } = &product.attributes;
            region_code.clone().or_else(|| location.clone())
        });
        let offers = terms.on_demand.get(sku).into_iter().flat_map(BTreeMap::values);
        for offer in offers {
            for dimension in offer.price_dimensions.values() {
                rows.extend(dimension.price_per_unit.iter().map(|(currency, price)| Row {
                    sku: sku.clone(),
                    is_on_demand: true,
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
    rows
}
