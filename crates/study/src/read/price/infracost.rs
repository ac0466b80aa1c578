//! The breakdown of a Terraform project that Infracost makes: the costs of its resources, part by part.

use super::row::Row;
use serde::Deserialize;

/// The unit of what a breakdown has the costs of a month of.
pub(super) const MONTH: &str = "month";

#[derive(Deserialize)]
pub(super) struct Project {
    breakdown: Option<Breakdown>,
}

#[derive(Deserialize)]
struct Breakdown {
    #[serde(default)]
    resources: Vec<Resource>,
}

/// A resource, or a part of one such as a disk of a machine.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    name: String,
    #[serde(default)]
    cost_components: Vec<Component>,
    #[serde(default)]
    subresources: Vec<Resource>,
}

/// Numbers are texts.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    name: String,
    unit: String,
    price: String,
    /// Absent of what depends on a use that Infracost was not told.
    monthly_cost: Option<String>,
}

/// The parts of resources with these addresses: what a month of each costs where it is known how much there
/// is of it, else the price of one.
pub(super) fn parts(
    projects: &[Project],
    addresses: &[String],
    currency: &str,
    made: &str,
) -> Vec<Row> {
    let all = projects.iter().filter_map(|project| project.breakdown.as_ref());
    let resources = all.flat_map(|breakdown| &breakdown.resources);
    let mut rows = Vec::new();
    for resource in resources.filter(|resource| addresses.contains(&resource.name)) {
        resource.each(&mut |component| {
            let (unit, price) = match &component.monthly_cost {
                Some(cost) => (MONTH, cost),
                None => (component.unit.as_str(), &component.price),
            };
            rows.push(Row {
                sku: resource.name.clone(),
                is_on_demand: true,
                description: component.name.clone(),
                effective: made.to_owned(),
                unit: unit.to_owned(),
                price: price.clone(),
                currency: currency.to_owned(),
                region: String::new(),
                is_part: true,
            });
        });
    }
    rows
}

impl Resource {
    /// Its own components, then those of its parts, which the parser nests no deeper than it allows JSON to be.
    fn each<'a>(&'a self, put: &mut impl FnMut(&'a Component)) {
        self.cost_components.iter().for_each(&mut *put);
        for part in &self.subresources {
            part.each(put);
        }
    }
}
