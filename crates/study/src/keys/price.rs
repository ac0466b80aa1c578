//! The keys of prices.

use crate::keys::Maybe;
use crate::keys::choices::PerUnit;
use crate::keys::key::{Choice, Key};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

/// What a target costs: `monthly`, `items`, or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("allOf" = [
    { "anyOf": [{ "required": ["monthly"] }, { "required": ["items"] }] },
    { "anyOf": [{ "required": ["currency"] }, { "required": ["list"] }] },
]))]
pub(crate) struct PriceTable {
    /// Per month, for the whole or for what is not among the items.
    #[schemars(with = "Option<f64>", range(min = 0))]
    pub monthly: Maybe<f64>,
    /// Line items of the bill: storage, IOs, replicas and support are part of the price.
    #[schemars(with = "Option<Vec<PriceItemTable>>")]
    pub items: Option<Vec<Spanned<PriceItemTable>>>,
    /// The price list that items with a `sku` are looked up in, in CSV or JSON: as AWS publishes it, Azure's
    /// retail prices or price sheet, Google Cloud's pricing table or catalog; or what `infracost breakdown
    /// --format json` makes of a Terraform project. Its path is relative to this file.
    #[schemars(with = "Option<String>")]
    pub list: Maybe<String>,
    /// ISO 4217 code, such as `EUR`.
    #[schemars(
        with = "Option<String>",
        regex(pattern = "^[A-Z]{3}$"),
        extend("x-absent" = "that of `list`")
    )]
    pub currency: Maybe<String>,
    /// When it was offered, such as `2026-11`.
    #[schemars(extend("x-absent" = "that of `list`, where there is one"))]
    pub date: Option<String>,
    /// Where it is offered, such as `eu-central-1`.
    pub region: Option<String>,
    /// What one commits oneself to, such as `on demand`.
    pub term: Option<String>,
    /// Transactions that make one of the IOs that are charged.
    #[schemars(
        with = "Option<f64>",
        extend("exclusiveMinimum" = 0, "x-absent" = "measured, where the server's disk can be seen")
    )]
    pub requests_per_io: Maybe<f64>,
}

/// One line of a bill.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{ "required": ["name", "amount"] }, { "required": ["sku"] }]))]
pub(crate) struct PriceItemTable {
    /// What it is for.
    #[schemars(
        with = "Option<String>",
        length(min = 1, max = 64),
        extend("x-absent" = "what the price list calls it")
    )]
    pub name: Maybe<String>,
    /// Which product of the price list it is: the list gives its amount, on demand, and what is counted. The
    /// SKU of AWS, `meterId` or `skuId` of Azure, the SKU ID of Google Cloud; in a breakdown of Infracost the address
    /// of a resource, such as `aws_db_instance.main`, with all its parts.
    #[schemars(with = "Option<String>")]
    pub sku: Maybe<String>,
    /// For one of what `per` says.
    #[schemars(with = "Option<f64>", range(min = 0))]
    pub amount: Maybe<f64>,
    /// What is counted.
    pub per: Key<Choice<PerUnit>>,
    /// How many at the same time, such as 2 volumes. Not for millions of IOs or requests, which the load
    /// decides.
    #[schemars(
        with = "Option<f64>",
        range(min = 0),
        extend("x-absent" = "1; for `gb_month` the size of the test's data")
    )]
    pub quantity: Maybe<f64>,
}
