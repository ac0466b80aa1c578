//! Prices out of lists that a cloud publishes, and files of prices.

use model::{AskedLoad, Price, PriceUnit, Study};
use std::path::Path;
use study::{load, prices};
use tempfile::TempDir;

/// Its first lines say what it is; the columns are those that AWS documents, in another order than here.
const CSV: &str = r#""FormatVersion","v1.0"
"Disclaimer","This list, made for a test, is for information only"
"Publication Date","2026-11-02T08:00:00Z"
"Version","20261102080000"
"OfferCode","AmazonRDS"
"SKU","OfferTermCode","RateCode","TermType","PriceDescription","EffectiveDate","StartingRange","EndingRange","Unit","PricePerUnit","Currency","LeaseContractLength","Product Family","serviceCode","Location","Region Code"
"AAAA","JR","AAAA.JR.6Y","OnDemand","USD 0.29 per db.r7g.large Single-AZ instance hour, in the region","2026-11-01","0","Inf","Hrs","0.2900000000","USD",,"Database Instance","AmazonRDS","EU (Frankfurt)","eu-central-1"
"AAAA","HU","AAAA.HU.2T","Reserved","Upfront Fee","2026-10-01",,,"Quantity","900","USD","1yr","Database Instance","AmazonRDS","EU (Frankfurt)","eu-central-1"
"BBBB","JR","BBBB.JR.6Y","OnDemand","$0.22 per 1 million I/O requests","2026-11-01","0","Inf","IOs","0.0000002200","USD",,"System Operation","AmazonRDS","EU (Frankfurt)","eu-central-1"
"CCCC","JR","CCCC.JR.6Y","OnDemand","USD 0.119 per GB-month","2026-09-01","0","Inf","GB-Mo","0.1190000000","USD",,"Database Storage","AmazonRDS","EU (Frankfurt)","eu-central-1"
"DDDD","JR","DDDD.JR.A","OnDemand","first 10 TB","2026-11-01","0","10240","GB","0.09","USD",,"Data Transfer","AWSDataTransfer","EU (Frankfurt)","eu-central-1"
"DDDD","JR","DDDD.JR.B","OnDemand","next 40 TB","2026-11-01","10240","51200","GB","0.085","USD",,"Data Transfer","AWSDataTransfer","EU (Frankfurt)","eu-central-1"
"EEEE","JR","EEEE.JR.6Y","OnDemand","USD 0.12 per IOPS-month","2026-11-01","0","Inf","IOPS-Mo","0.12","USD",,"Provisioned IOPS","AmazonRDS","EU (Frankfurt)","eu-central-1"
"FFFF","JR","FFFF.JR.6Y","OnDemand","per snapshot","2026-11-01","0","Inf","Snapshots","0.12","USD",,"Other","AmazonRDS","EU (Frankfurt)","eu-central-1"
"#;

const JSON: &str = r#"{
  "formatVersion": "v1.0", "offerCode": "AmazonRDS", "publicationDate": "2026-11-02T08:00:00Z",
  "products": { "AAAA": { "sku": "AAAA", "productFamily": "Database Instance",
    "attributes": { "servicecode": "AmazonRDS", "location": "EU (Frankfurt)", "regionCode": "eu-central-1" } } },
  "terms": {
    "OnDemand": { "AAAA": { "AAAA.JR": { "offerTermCode": "JR", "sku": "AAAA",
      "effectiveDate": "2026-11-01T00:00:00Z", "termAttributes": {},
      "priceDimensions": { "AAAA.JR.6Y": { "rateCode": "AAAA.JR.6Y", "description": "an hour",
        "beginRange": "0", "endRange": "Inf", "unit": "Hrs", "appliesTo": [],
        "pricePerUnit": { "USD": "0.2900000000" } } } } } },
    "Reserved": {}
  }
}"#;

/// What Infracost says of a database and its storage, and of backups whose size it was not told.
const BREAKDOWN: &str = r#"{
  "version": "0.2", "currency": "EUR", "timeGenerated": "2026-11-03T09:10:11.5Z",
  "projects": [{ "name": "shop", "metadata": {}, "pastBreakdown": { "resources": [] }, "breakdown": {
    "resources": [
      { "name": "aws_db_instance.main", "resourceType": "aws_db_instance", "monthlyCost": "214.6",
        "costComponents": [
          { "name": "Database instance (on-demand, Single-AZ, db.r7g.large)", "unit": "hours",
            "hourlyQuantity": "1", "monthlyQuantity": "730", "price": "0.262", "monthlyCost": "191.26" }],
        "subresources": [{ "name": "disk", "costComponents": [
          { "name": "Storage (general purpose SSD, gp3)", "unit": "GB", "monthlyQuantity": "200",
            "price": "0.1167", "monthlyCost": "23.34" }] }] },
      { "name": "aws_db_instance.dumped", "costComponents": [
          { "name": "Additional backup storage", "unit": "GB", "hourlyQuantity": null,
            "monthlyQuantity": null, "price": "0.095", "hourlyCost": null, "monthlyCost": null }] },
      { "name": "aws_iam_role.free", "costComponents": [] }
    ] } }]
}"#;

/// Two rows of Azure's retail prices, with the columns in no order: a machine, on demand and reserved, in two regions
/// of one price; a disk.
const AZURE: &str = "\u{feff}\"currencyCode\",\"meterId\",\"skuId\",\"tierMinimumUnits\",\"unitPrice\",\"unitOfMeasure\",\"type\",\"meterName\",\"armRegionName\",\"effectiveStartDate\"
\"EUR\",\"m-1\",\"DZH/00TG\",\"0\",\"0.096\",\"1 Hour\",\"Consumption\",\"D2s v5\",\"westeurope\",\"2026-10-01T00:00:00Z\"
\"EUR\",\"m-1\",\"DZH/00TG\",\"0\",\"0.096\",\"1 Hour\",\"Consumption\",\"D2s v5\",\"northeurope\",\"2026-10-01T00:00:00Z\"
\"EUR\",\"m-1\",\"DZH/00TG\",\"0\",\"497\",\"1 Hour\",\"Reservation\",\"D2s v5\",\"westeurope\",\"2026-10-01T00:00:00Z\"
\"EUR\",\"m-2\",\"DZH/00TH\",\"0\",\"0.11\",\"1 GB/Month\",\"Consumption\",\"Storage data stored\",\"westeurope\",\"2026-11-01T00:00:00Z\"
\"EUR\",\"m-3\",\"DZH/00TI\",\"0\",\"0.05\",\"10K\",\"Consumption\",\"Write operations\",\"westeurope\",\"2026-11-01T00:00:00Z\"
";

const AZURE_ITEM: &str = r#"{ "currencyCode": "EUR", "tierMinimumUnits": 0.0, "retailPrice": 0.096, "unitPrice": 0.096,
  "armRegionName": "westeurope", "effectiveStartDate": "2026-10-01T00:00:00Z", "meterId": "m-1", "skuId": "DZH/00TG",
  "meterName": "D2s v5", "unitOfMeasure": "1 Hour", "type": "Consumption" }"#;

/// The pricing table of Google Cloud's console, for an account that pays in a currency.
fn google(currency: &str) -> String {
    format!(
        "Google service,Service ID,SKU description,SKU ID,Product taxonomy,Unit description,Per unit quantity,\
         Tiered usage start,List price ({currency})\n\
         Cloud SQL,9662,vCPU in Frankfurt,AAAA-1,\"GCP, SQL\",hour,1,0,0.0413\n\
         Cloud SQL,9662,RAM in Frankfurt,AAAA-2,\"GCP, SQL\",gibibyte hour,1,0,0.007\n\
         Cloud SQL,9662,Storage in Frankfurt,AAAA-3,\"GCP, SQL\",gibibyte month,1,0,0.204\n\
         Network,6F81,Egress,AAAA-4,GCP,gibibyte,1,0,0\n\
         Network,6F81,Egress,AAAA-4,GCP,gibibyte,1,100,0.12\n"
    )
}

const CATALOG: &str = r#"{ "skus": [{ "name": "services/9662/skus/AAAA-3", "skuId": "AAAA-3",
  "description": "Storage in Frankfurt", "category": { "usageType": "OnDemand" }, "serviceRegions": ["europe-west3"],
  "pricingInfo": [{ "effectiveTime": "2026-11-04T07:08:09Z", "pricingExpression": { "usageUnit": "GiBy.mo",
    "displayQuantity": 1, "tieredRates": [{ "startUsageAmount": 0,
      "unitPrice": { "currencyCode": "USD", "units": "0", "nanos": 204000000 } }] } }] }], "nextPageToken": "" }"#;

fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    std::fs::write(directory.path().join("rds.csv"), CSV).unwrap();
    std::fs::write(directory.path().join("rds.json"), JSON).unwrap();
    std::fs::write(directory.path().join("infracost.json"), BREAKDOWN).unwrap();
    std::fs::write(directory.path().join("azure.csv"), AZURE).unwrap();
    let page =
        format!("{{ \"BillingCurrency\": \"EUR\", \"Items\": [{AZURE_ITEM}], \"Count\": 1 }}");
    std::fs::write(directory.path().join("page.json"), page).unwrap();
    std::fs::write(directory.path().join("pages.json"), format!("[{AZURE_ITEM}]")).unwrap();
    std::fs::write(directory.path().join("table.csv"), google("$")).unwrap();
    std::fs::write(directory.path().join("table-eur.csv"), google("EUR")).unwrap();
    std::fs::write(directory.path().join("catalog.json"), CATALOG).unwrap();
    directory
}

fn written(directory: &Path, name: &str, text: &str) -> std::path::PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn study_with(price: &str) -> Result<Study, String> {
    let directory = directory();
    let text = format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nsandbox = {{}}\nprice = {{ {price} }}\n\
         [[test]]\nworkload = \"oltp_read_only\"\nclients = [1]\n"
    );
    load(&written(directory.path(), "s.toml", &text)).map_err(|error| error.to_string())
}

fn price_with(price: &str) -> Price {
    study_with(price).unwrap().targets[0].price.clone().unwrap()
}

#[test]
fn items_are_looked_up_in_the_csv_of_a_cloud_by_sku() {
    let price = price_with(
        "list = \"rds.csv\", items = [{ sku = \"AAAA\", quantity = 2 }, { sku = \"BBBB\" }, \
         { name = \"storage\", sku = \"CCCC\" }, { name = \"support\", amount = 29 }, \
         { sku = \"EEEE\", quantity = 3000 }]",
    );
    assert_eq!((price.currency.as_str(), price.region.as_deref()), ("USD", Some("eu-central-1")));
    assert_eq!(price.date.as_deref(), Some("2026-11-01"), "the youngest of its parts");
    let of = |name: &str| {
        let item = price.items.iter().find(|item| item.name.starts_with(name)).unwrap();
        (item.amount, item.per, item.quantity)
    };
    assert_eq!(of("USD 0.29 per db.r7g.large"), (0.29, PriceUnit::Hour, Some(2.0)));
    let (ios, per, _) = of("$0.22 per 1 million");
    assert!((ios - 0.22).abs() < 1e-12 && per == PriceUnit::MillionIos);
    assert_eq!(of("storage"), (0.119, PriceUnit::GbMonth, None));
    assert_eq!(of("support"), (29.0, PriceUnit::Month, None));
    assert_eq!(of("USD 0.12 per IOPS"), (0.12, PriceUnit::Month, Some(3000.0)));
}

#[test]
fn the_json_of_a_cloud_says_the_same() {
    let of = |list: &str| {
        price_with(&format!("list = \"{list}\", items = [{{ name = \"i\", sku = \"AAAA\" }}]"))
    };
    assert_eq!(of("rds.json"), of("rds.csv"));
    let twice = "list = \"rds.json\", items = [{ name = \"primary\", sku = \"AAAA\" }, \
                 { name = \"replicas\", sku = \"AAAA\", quantity = 2 }]";
    assert_eq!(price_with(twice).items.len(), 2);
}

#[test]
fn meters_of_azure_are_looked_up_in_its_csv_and_its_json() {
    let price = price_with(
        "list = \"azure.csv\", items = [{ sku = \"m-1\", quantity = 2 }, { sku = \"DZH/00TH\" }]",
    );
    assert_eq!((price.currency.as_str(), price.date.as_deref()), ("EUR", Some("2026-11-01")));
    assert_eq!(price.region.as_deref(), Some("westeurope"));
    let items: Vec<_> = price
        .items
        .iter()
        .map(|item| (item.name.as_str(), item.amount, item.per, item.quantity))
        .collect();
    let disk = ("Storage data stored", 0.11, PriceUnit::GbMonth, None);
    assert_eq!(items, [("D2s v5", 0.096, PriceUnit::Hour, Some(2.0)), disk]);
    let of = |list: &str| price_with(&format!("list = \"{list}\", items = [{{ sku = \"m-1\" }}]"));
    assert_eq!(of("page.json"), of("azure.csv"));
    assert_eq!(of("pages.json"), of("azure.csv"));
    let counted = study_with("list = \"azure.csv\", items = [{ sku = \"m-3\" }]").unwrap_err();
    assert!(counted.contains("m-3 is priced by the 10K, which a load does not"), "{counted}");
}

#[test]
fn skus_of_google_cloud_are_looked_up_in_its_table_and_its_catalog() {
    let items = "items = [{ sku = \"AAAA-1\", quantity = 4 }, { sku = \"AAAA-2\", quantity = 16 }, \
                 { sku = \"AAAA-3\" }]";
    let price = price_with(&format!("list = \"table-eur.csv\", {items}"));
    assert_eq!((price.currency.as_str(), price.date), ("EUR", None));
    let [cores, memory, storage] = price.items.as_slice() else { panic!("{:?}", price.items) };
    assert_eq!((cores.amount, cores.per, cores.quantity), (0.0413, PriceUnit::Hour, Some(4.0)));
    assert_eq!((memory.amount, memory.per, memory.quantity), (0.007, PriceUnit::Hour, Some(16.0)));
    // A gibibyte is 1.0737 gigabytes, by which the size of the data is counted.
    assert!((storage.amount * 1.073_741_824 - 0.204).abs() < 1e-12, "{storage:?}");
    assert_eq!((storage.name.as_str(), storage.per), ("Storage in Frankfurt", PriceUnit::GbMonth));
    let sold =
        price_with("list = \"catalog.json\", items = [{ sku = \"AAAA-3\", quantity = 100 }]");
    assert_eq!((sold.items[0].amount, sold.items[0].quantity), (0.204, Some(100.0)));
    assert_eq!((sold.currency.as_str(), sold.region.as_deref()), ("USD", Some("europe-west3")));
    assert_eq!(sold.date.as_deref(), Some("2026-11-04"));

    let dollars = study_with(&format!("list = \"table.csv\", {items}")).unwrap_err();
    assert!(dollars.contains("does not say in which currency"), "{dollars}");
    let stated = price_with(&format!("list = \"table.csv\", currency = \"USD\", {items}"));
    assert_eq!(stated.currency, "USD");
    let tiers = study_with("list = \"table-eur.csv\", items = [{ sku = \"AAAA-4\" }]").unwrap_err();
    assert!(tiers.contains("2 prices of AAAA-4: tiers"), "{tiers}");
}

#[test]
fn a_list_that_lacks_columns_is_refused_with_their_names() {
    let refused = |text: &str| {
        let directory = directory();
        written(directory.path(), "list.csv", text);
        let prices_of = "[a]\nlist = \"list.csv\"\nitems = [{ sku = \"A\" }]\n";
        prices(&written(directory.path(), "p.toml", prices_of)).unwrap_err().to_string()
    };
    for (text, part) in [
        (
            "meterId,meterName,unitPrice,type,currencyCode\nA,b,1,Consumption,EUR\n",
            "as a price list of Azure it lacks the column unitOfMeasure",
        ),
        (
            "made today\n\nSKU,Unit,PricePerUnit,EffectiveDate,PriceDescription\nA,Hrs,1,2026,x\n",
            "as a price list of AWS it lacks the columns TermType, Currency",
        ),
        (
            "SKU ID,List price ($)\nA,1\n",
            "as a price list of Google Cloud it lacks the column Unit",
        ),
        ("a,b\n1,2\n", "no row has the columns of a price list: SKU, TermType"),
        ("", "it is empty"),
    ] {
        let message = refused(text);
        assert!(message.contains(part), "{text}: {message}");
    }
    let directory = directory();
    written(directory.path(), "list.json", "{ \"prices\": [] }");
    let prices_of = "[a]\nlist = \"list.json\"\nitems = [{ sku = \"A\" }]\n";
    let none = prices(&written(directory.path(), "p.toml", prices_of)).unwrap_err().to_string();
    assert!(
        none.contains("neither `terms` (AWS), `Items` (Azure), `skus` (Google Cloud)"),
        "{none}"
    );
}

#[test]
fn a_resource_of_infracost_is_paid_with_all_its_parts() {
    let of = |item: &str| price_with(&format!("list = \"infracost.json\", items = [{{ {item} }}]"));
    let price = of("sku = \"aws_db_instance.main\"");
    assert_eq!((price.currency.as_str(), price.date.as_deref()), ("EUR", Some("2026-11-03")));
    let parts: Vec<_> =
        price.items.iter().map(|item| (item.amount, item.per, item.quantity)).collect();
    assert_eq!(parts, [(191.26, PriceUnit::Month, None), (23.34, PriceUnit::Month, None)]);
    assert!(price.items[0].name.starts_with("Database instance (on-demand"), "{price:?}");
    let two = of("sku = \"aws_db_instance.main\", quantity = 2, name = \"replicas\"");
    assert_eq!(two.items[1].quantity, Some(2.0));
    assert!(two.items[1].name.starts_with("replicas: Storage (general"), "{two:?}");

    let refused = |sku: &str| {
        let list = format!("list = \"infracost.json\", items = [{{ sku = \"{sku}\" }}]");
        study_with(&list).unwrap_err()
    };
    let unknown = refused("aws_db_instance.dumped");
    assert!(unknown.contains("Additional backup storage is priced by the GB"), "{unknown}");
    assert!(unknown.contains("say it in Infracost’s usage file"), "{unknown}");
    for none in ["aws_iam_role.free", "aws_db_instance.other"] {
        assert!(refused(none).contains("the address of a resource that costs something"));
    }
}

#[test]
fn what_a_list_cannot_say_is_refused() {
    let item = |item: &str| format!("list = \"rds.csv\", items = [{{ {item} }}]");
    for (price, part) in [
        (item("sku = \"ZZZZ\""), "has no SKU ZZZZ on demand"),
        (item("sku = \"DDDD\""), "2 prices of DDDD: tiers"),
        (item("sku = \"EEEE\""), "how many are paid for"),
        (item("sku = \"FFFF\""), "priced by the Snapshots"),
        (item("sku = \"AAAA\", amount = 1"), "remove `amount`"),
        (item("sku = \"BBBB\", quantity = 2"), "the load decides"),
        (item("name = \"x\", amount = 1"), "items with a `sku`, and there is none"),
        ("currency = \"EUR\", ".to_owned() + &item("sku = \"AAAA\""), "on demand in EUR"),
        ("currency = \"USD\", items = [{ sku = \"AAAA\" }]".into(), "the price names none"),
        ("list = \"none.csv\", items = [{ sku = \"AAAA\" }]".into(), "cannot be read"),
        (
            "list = \"s.toml\", items = [{ sku = \"AAAA\" }]".into(),
            "no row has the columns of a price list",
        ),
    ] {
        let message = study_with(&price).unwrap_err();
        assert!(message.contains(part), "{price}: {message}");
    }
}

#[test]
fn a_file_of_prices_has_those_of_a_study_by_target() {
    let directory = directory();
    let toml = "[a]\nmonthly = 23\ncurrency = \"EUR\"\ndate = \"2026-11\"\n\
                [\"b c\"]\nlist = \"rds.csv\"\nitems = [{ sku = \"AAAA\" }]\n";
    let found = prices(&written(directory.path(), "p.toml", toml)).unwrap();
    assert_eq!(found["a"].date.as_deref(), Some("2026-11"));
    assert_eq!(found["b c"].items[0].per, PriceUnit::Hour);
    // What the JSON report has of a target can be given as it is.
    let report = serde_json::to_string(&serde_json::json!({ "b c": found["b c"] })).unwrap();
    let again = prices(&written(directory.path(), "p.json", &report)).unwrap();
    assert_eq!(again["b c"], found["b c"]);
    for (name, text, part) in [
        ("x.toml", "a = 3", "is no table"),
        ("x.toml", "[a]\nmontly = 3", "`montly`"),
        ("x.toml", "[a]\nmonthly = -3\ncurrency = \"EUR\"", "a price is 0 or more"),
        ("x.json", "{", "no prices can be read"),
    ] {
        let refused = prices(&written(directory.path(), name, text)).unwrap_err().to_string();
        assert!(refused.contains(part), "{text}: {refused}");
    }
    let none = prices(&directory.path().join("none.toml")).unwrap_err().to_string();
    assert!(none.contains("no prices can be read"), "{none}");
}

#[test]
fn the_load_that_a_study_asks_about_is_a_rate_or_clients_and_perhaps_has_a_bound() {
    let of = |asked: &str| {
        let text = format!(
            "[study]\nname = \"s\"\nanswer_at = {asked}\n[[target]]\nname = \"a\"\nsandbox = {{}}\n\
             [[test]]\nworkload = \"oltp_read_only\"\nclients = [1]\n"
        );
        study::parse(&text, "s.toml").map(|study| study.answer_at).map_err(|e| e.to_string())
    };
    let asked = of("{ rate = 2000, slo = \"p95 < 20ms\" }").unwrap().unwrap();
    assert_eq!(asked.load, AskedLoad::Rate(2_000.0));
    assert_eq!(asked.slo.unwrap().to_string(), "p95 < 20 ms");
    assert_eq!(of("{ clients = 64 }").unwrap().unwrap().load, AskedLoad::Clients(64));
    for (written, part) in [
        ("{ slo = \"p95 < 20ms\" }", "`answer_at` has no `rate` and no `clients`"),
        ("{ rate = 5, clients = 5 }", "`answer_at` has a `rate` and `clients`"),
        ("{ rate = 0 }", "from 1 to"),
        ("{ rate = 5, slo = \"p95\" }", "`slo`"),
    ] {
        let message = of(written).unwrap_err();
        assert!(message.contains(part), "{written}: {message}");
    }
}
