use super::{Table, TableCell, numbers, words};
use crate::view;
use crate::words::{at, short_unit};
use analyse::TestAnalysis;

/// The ranking of a test in a few columns, which need no headings.
pub(crate) fn places(test: &TestAnalysis) -> Table {
    let mut table = Table::new([words(""), words(""), numbers(""), words("")]);
    let mut last = 0;
    for place in view::ranked(test) {
        let is_shared = std::mem::replace(&mut last, place.place) == place.place;
        let label = if is_shared { "=".to_owned() } else { format!("{}.", place.place) };
        let interval = place.figure.interval.map_or("no interval".to_owned(), |interval| {
            crate::numbers::range(interval.low, interval.high)
        });
        let figure = crate::numbers::figure(place.figure.point);
        let row = [
            label,
            place.target.clone(),
            format!("{figure}{}", short_unit(test)),
            format!("({interval}){}", at(place.level)),
        ];
        table.push(row.map(TableCell::text));
    }
    table
}
