//! Price lists that clouds publish, breakdowns of Infracost, and files of prices.

use super::{KIB, MIB, output, text};
use crate::Target;
use crate::input::Input;
use ::study::prices;
use std::cell::OnceCell;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Byte 0: a list as CSV, one as JSON, or the file of prices itself, as TOML or JSON.
pub(super) const PRICES: Target = Target {
    name: "prices",
    run: |data| {
        let mut input = Input::new(data);
        let kind = input.byte();
        let rest = input.rest();
        thread_local! {
            static DIRECTORY: OnceCell<Option<TempDir>> = const { OnceCell::new() };
        }
        DIRECTORY.with(|directory| {
            let Some(directory) = directory.get_or_init(|| tempfile::tempdir().ok()) else {
                panic!("no directory can be made for the files")
            };
            read(directory.path(), kind, rest);
        });
    },
    seeds: || {
        let csv = "\"FormatVersion\",\"v1.0\"\n\"SKU\",\"TermType\",\"PriceDescription\",\"EffectiveDate\",\"Unit\",\
                   \"PricePerUnit\",\"Currency\",\"Region Code\"\n\"A\",\"OnDemand\",\"$0.5 per hour\",\"2026-11-01\",\
                   \"Hrs\",\"0.5\",\"USD\",\"eu-central-1\"\n\"B\",\"OnDemand\",\"IOs\",\"2026-11-02\",\"IOs\",\"2e-7\",\"USD\",\"\"\n";
        let json = r#"{"products":{"A":{"attributes":{"regionCode":"eu"}}},"terms":{"OnDemand":{"A":{"A.1":{
                   "effectiveDate":"2026-11-01T00:00:00Z","priceDimensions":{"A.1.2":{"description":"an hour",
                   "unit":"Hrs","pricePerUnit":{"USD":"0.5"}}}}},"B":{"B.1":{"priceDimensions":{"x":{"unit":"GB-Mo",
                   "pricePerUnit":{"USD":"0.1"}}}}}}}}"#;
        let toml = "[a]\nmonthly = 23.5\ncurrency = \"EUR\"\nitems = [{ name = \"x\", amount = 1, per = \"hour\", quantity = 2 }]\n";
        let object = r#"{"a":{"monthly":1,"currency":"USD","region":null,"items":[{"sku":"A"}]}}"#;
        let breakdown = r#"{"currency":"USD","timeGenerated":"2026-11-01T00:00:00Z","projects":[{"breakdown":{
                   "resources":[{"name":"A","costComponents":[{"name":"an hour","unit":"hours","price":"0.5",
                   "monthlyCost":"365"}],"subresources":[{"name":"disk","costComponents":[{"name":"GB",
                   "unit":"GB","price":"0.1","monthlyCost":"20"}]}]},{"name":"B","costComponents":[{
                   "name":"requests","unit":"1M requests","price":"0.2","monthlyCost":"0.4"}]}]}}]}"#;
        let azure = r#"{"Items":[{"meterId":"A","skuId":"B","currencyCode":"USD","unitPrice":0.1,
                   "unitOfMeasure":"100 Hours","type":"Consumption"}]}"#;
        let google = r#"{"skus":[{"skuId":"A","category":{"usageType":"OnDemand"},"pricingInfo":[{
                   "pricingExpression":{"usageUnit":"GiBy.mo","tieredRates":[{"unitPrice":{"currencyCode":"USD",
                   "units":"0","nanos":1000}}]}}]}]}"#;
        let table =
            "SKU ID,Unit description,Per unit quantity,List price (USD)\nA,gibibyte month,1,0.1\n";
        let texts = [
            (0, csv),
            (0, table),
            (1, json),
            (1, azure),
            (1, google),
            (1, breakdown),
            (2, toml),
            (3, object),
        ];
        texts.map(|(kind, text)| [&[kind][..], text.as_bytes()].concat()).into()
    },
    mutations: 150,
    longest: 4 * KIB,
    memory: 16 * MIB,
    dictionary: dictionary!(prices),
};

fn read(directory: &Path, kind: u8, bytes: &[u8]) {
    let written = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        if fs::write(&path, bytes).is_err() {
            panic!("a file cannot be written")
        }
        path
    };
    let path = match kind % 4 {
        kind @ (0 | 1) => {
            let name = if kind == 0 { "list.csv" } else { "list.json" };
            written(name, bytes);
            let of = format!(
                "[a]\nlist = \"{name}\"\nitems = [{{ sku = \"A\" }}, {{ sku = \"B\", name = \"b\" }}]\n\
                 [b]\nlist = \"{name}\"\ncurrency = \"USD\"\nitems = [{{ sku = \"A\", quantity = 2 }}]\n"
            );
            written("prices.toml", of.as_bytes())
        }
        2 => written("prices.toml", text(bytes).as_bytes()),
        _ => written("prices.json", text(bytes).as_bytes()),
    };
    match prices(&path) {
        Ok(found) => {
            for price in found.values() {
                let amounts = price.items.iter().all(|item| {
                    item.amount.is_finite() && item.amount >= 0.0 && !item.name.contains('\n')
                });
                assert!(amounts && price.currency.len() == 3, "{price:?}");
            }
        }
        Err(error) => output::assert_shown(&model::text::message(&error.to_string())),
    }
}
