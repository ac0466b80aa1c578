//! Totals against the same per unit: per virtual machine, per GB.

use super::checked::Checked;
use super::figure::{Figure, Row};
use super::pattern::Pattern;
use findings::{Identity, Origin, Range, Term};
use model::{FigureNumber, FigureValue};

/// A total and the same per smaller unit, in one row.
struct Shared<'a> {
    row: Row<'a>,
    total: Figure<'a>,
    part: Figure<'a>,
    /// What the total is of (`volume`, or empty), and what the part is of (`vm`).
    scopes: (&'a str, &'a str),
    /// How many units make the total.
    units: Range,
}

impl Shared<'_> {
    /// Whether both must have the same number of units: rows of one target, as it stands in one
    /// file, under loads that differ only in what is read and written.
    fn same_set_up(&self, other: &Self) -> bool {
        let set_up = |shared: &Self| {
            let pattern = Pattern::for_test(&shared.row.key.test).set_up();
            let test = (pattern == Pattern::default()).then_some(&shared.row.key.test);
            (pattern, test.cloned(), shared.row.key.level)
        };
        self.row.file == other.row.file
            && self.row.key.target == other.row.key.target
            && self.scopes == other.scopes
            && set_up(self) == set_up(other)
    }
}

pub(super) fn check(rows: &[Row<'_>], checked: &mut Checked) {
    let mut groups: Vec<Vec<Shared>> = Vec::new();
    for shared in rows.iter().flat_map(shared) {
        match groups.iter_mut().find(|group| group[0].same_set_up(&shared)) {
            Some(group) => group.push(shared),
            None => groups.push(vec![shared]),
        }
    }
    for group in groups {
        same_number(&group, checked);
    }
}

/// The number of units that most rows allow must fit all. Where no majority agrees, nothing is
/// known of the number, and nothing is said.
fn same_number(group: &[Shared<'_>], checked: &mut Checked) {
    let agreeing = |at: f64| group.iter().filter(move |s| s.units.meets(Range::exact(at)));
    let candidates = group.iter().map(|shared| shared.units.low);
    let Some(at) = candidates.max_by_key(|&at| agreeing(at).count()) else { return };
    let holds = agreeing(at).count();
    if holds < 2 || 2 * holds <= group.len() {
        return;
    }
    let low = agreeing(at).map(|s| s.units.low).fold(f64::NEG_INFINITY, f64::max);
    let high = agreeing(at).map(|s| s.units.high).fold(f64::INFINITY, f64::min);
    let units = Range { nominal: f64::midpoint(low, high), low, high };
    // One row of those that agree stands for the number itself.
    let first = group.iter().position(|shared| shared.units.meets(Range::exact(at)));
    for (_, shared) in group.iter().enumerate().filter(|(i, _)| Some(*i) != first) {
        let Some(follows) = shared.total.range.over(units) else { continue };
        let terms = vec![shared.total.term(), shared.term(units)];
        let identity = Identity::PerUnit { holds };
        checked.expect(&shared.row, identity, terms, follows, &shared.part);
    }
}

impl Shared<'_> {
    fn term(&self, units: Range) -> Term {
        let (total, part) = self.scopes;
        let resolution = (units.high - units.low) / 2.0;
        let number = FigureNumber { value: units.nominal, resolution };
        Term {
            name: if total.is_empty() { part.to_owned() } else { format!("{part}_per_{total}") },
            value: FigureValue::Number(number),
            unit: String::new(),
            origin: Origin::OtherRows,
        }
    }
}

/// Every figure that is a total or per something, against the largest of its kind in the row.
fn shared<'a>(row: &Row<'a>) -> Vec<Shared<'a>> {
    let split = |figure: Figure<'a>| {
        let (base, scope) = figure.name().split_once("_per_").unwrap_or((figure.name(), ""));
        (base, scope, figure)
    };
    let figures: Vec<(&str, &str, Figure)> =
        row.figures().map(split).filter(|(_, scope, _)| *scope != "s").collect();
    let mut all = Vec::new();
    for &(base, scope, part) in figures.iter().filter(|(_, scope, _)| !scope.is_empty()) {
        let of_base = figures.iter().filter(|(other, _, _)| *other == base);
        let largest = of_base.max_by(|a, b| a.2.range.nominal.total_cmp(&b.2.range.nominal));
        let Some(&(_, total_scope, total)) = largest.filter(|(_, other, _)| *other != scope) else {
            continue;
        };
        if let Some(units) = total.range.over(part.range) {
            all.push(Shared { row: *row, total, part, scopes: (total_scope, scope), units });
        }
    }
    all
}
