//! Which columns of a price list as CSV say what, by the names that each cloud gives them.

use workload::data::CsvRow;

/// What a column says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    Sku,
    Term,
    Description,
    Effective,
    Unit,
    /// How many units the price is for.
    UnitQuantity,
    Price,
    Currency,
    Region,
}

/// The columns of one kind of list. Names are compared without case, blanks and signs, and without what stands
/// in brackets at the end.
struct Vocabulary {
    cloud: &'static str,
    columns: &'static [Column],
}

struct Column {
    says: Says,
    /// What it may be called, the best first.
    names: &'static [&'static str],
    is_needed: bool,
}

const fn needed(says: Says, names: &'static [&'static str]) -> Column {
    Column { says, names, is_needed: true }
}

const fn known(says: Says, names: &'static [&'static str]) -> Column {
    Column { says, names, is_needed: false }
}

/// The price lists of AWS; Azure's retail prices and price sheets; the pricing table of Google Cloud's console, and
/// what its pricing export to BigQuery has once tiers are rows.
const KNOWN: [Vocabulary; 3] = [
    Vocabulary {
        cloud: "AWS",
        columns: &[
            needed(Says::Sku, &["SKU"]),
            needed(Says::Term, &["TermType"]),
            needed(Says::Description, &["PriceDescription"]),
            needed(Says::Effective, &["EffectiveDate"]),
            needed(Says::Unit, &["Unit"]),
            needed(Says::Price, &["PricePerUnit"]),
            needed(Says::Currency, &["Currency"]),
            known(Says::Region, &["Region Code", "Location"]),
        ],
    },
    Vocabulary {
        cloud: "Azure",
        columns: &[
            needed(Says::Sku, &["meterId", "skuId"]),
            known(Says::Sku, &["skuId"]),
            needed(Says::Term, &["type", "priceType"]),
            known(Says::Description, &["meterName"]),
            known(Says::Effective, &["effectiveStartDate"]),
            needed(Says::Unit, &["unitOfMeasure"]),
            needed(Says::Price, &["unitPrice", "retailPrice"]),
            needed(Says::Currency, &["currencyCode", "currency", "billingCurrency"]),
            known(Says::Region, &["armRegionName", "meterRegion", "location"]),
        ],
    },
    Vocabulary {
        cloud: "Google Cloud",
        columns: &[
            needed(Says::Sku, &["SKU ID"]),
            known(Says::Description, &["SKU description"]),
            known(Says::Effective, &["pricing_as_of_time"]),
            needed(Says::Unit, &["Unit description", "pricing_unit_description", "pricing_unit"]),
            known(Says::UnitQuantity, &["Per unit quantity", "pricing_unit_quantity"]),
            needed(Says::Price, &["List price", "account_currency_amount", "usd_amount"]),
            known(Says::Currency, &["account_currency_code", "Currency"]),
        ],
    },
];

/// Letters and digits of a name, small, up to a bracket: `List price ($)` is `listprice`.
fn plain(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default();
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Where the columns are that are taken.
#[derive(Debug)]
pub(super) struct Columns {
    places: Vec<(Says, usize)>,
    /// The currency that the heading of the price names.
    pub(super) currency: Option<String>,
}

/// How a row lacks the names of columns of the list that it is most like.
#[derive(Debug)]
pub(super) struct Lack {
    cloud: &'static str,
    has: usize,
    missing: Vec<&'static str>,
}

impl Columns {
    pub(super) fn from_names(row: &CsvRow) -> Result<Self, Lack> {
        let names: Vec<String> = row
            .fields()
            .map(|field| String::from_utf8_lossy(field.unwrap_or_default()).into_owned())
            .collect();
        let [first, others @ ..] = &KNOWN;
        others.iter().fold(first.found_in(&names), |found, kind| {
            found.or_else(|lack| kind.found_in(&names).map_err(|other| lack.or_nearer(other)))
        })
    }

    /// The places of the columns that say it, the best first.
    pub(super) fn places(&self, says: Says) -> impl Iterator<Item = usize> {
        self.places.iter().filter(move |(of, _)| *of == says).map(|(_, place)| *place)
    }
}

impl Vocabulary {
    fn found_in(&self, names: &[String]) -> Result<Columns, Lack> {
        let plain_names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        let place = |column: &Column| {
            let of = |name: &&str| plain_names.iter().position(|one| *one == plain(name));
            column.names.iter().find_map(of)
        };
        let needs = || self.columns.iter().filter(|column| column.is_needed);
        let missing: Vec<&str> =
            needs().filter(|column| place(column).is_none()).map(|c| c.names[0]).collect();
        if !missing.is_empty() {
            let has = needs().count() - missing.len();
            return Err(Lack { cloud: self.cloud, has, missing });
        }
        let places: Vec<(Says, usize)> =
            self.columns.iter().filter_map(|column| Some((column.says, place(column)?))).collect();
        let heading = places.iter().find(|(says, _)| *says == Says::Price);
        let currency = heading.and_then(|(_, place)| in_brackets(&names[*place]));
        Ok(Columns { places, currency })
    }
}

/// `List price (EUR)` names a currency, `List price ($)` any dollar.
fn in_brackets(heading: &str) -> Option<String> {
    let (_, rest) = heading.split_once('(')?;
    let code = rest.trim_end().strip_suffix(')')?;
    (code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())).then(|| code.to_owned())
}

impl Lack {
    /// The one of these whose list the row is more like.
    pub(super) fn or_nearer(self, other: Self) -> Self {
        let is_nearer = (other.has, self.missing.len()) > (self.has, other.missing.len());
        if is_nearer { other } else { self }
    }

    /// What is missing, or, of a row that is like none of the lists, what all of them have.
    pub(super) fn text(&self) -> String {
        if self.has > 0 {
            let Self { cloud, missing, .. } = self;
            let columns = if missing.len() == 1 { "the column" } else { "the columns" };
            return format!("as a price list of {cloud} it lacks {columns} {}", missing.join(", "));
        }
        let of = |kind: &Vocabulary| {
            let needed = kind.columns.iter().filter(|column| column.is_needed);
            let names: Vec<&str> = needed.map(|column| column.names[0]).collect();
            format!("{} ({})", names.join(", "), kind.cloud)
        };
        let all: Vec<String> = KNOWN.iter().map(of).collect();
        format!("no row has the columns of a price list: {}", all.join("; or "))
    }
}
