//! Bytes per second against operations per second.

use super::checked::Checked;
use super::figure::{Figure, Row};
use super::pattern::Pattern;
use super::units::Dimension;
use findings::{Identity, Origin, Prefix, Range, Term};
use model::{FigureNumber, FigureValue};

/// What stands for operations per second in a figure's name, and for bytes in that of its sister.
const OPERATIONS: &str = "iops";
const BYTES: [&str; 3] = ["bandwidth", "bw", "throughput"];
const BLOCK_SIZE: [&str; 2] = ["block_size", "bs"];
const KIB: f64 = 1024.0;

/// Operations and bytes of the same requests.
struct Flow<'a> {
    row: Row<'a>,
    operations: Figure<'a>,
    bytes: Figure<'a>,
    block: Range,
    block_term: Term,
}

impl Flow<'_> {
    fn follows(&self) -> Range {
        self.operations.range * self.block
    }

    fn read_as(&self, prefix: Prefix) -> Figure<'_> {
        match prefix {
            Prefix::Decimal => self.bytes,
            Prefix::Binary => self.bytes.read_as_binary(),
        }
    }

    fn holds(&self, prefix: Prefix) -> bool {
        self.follows().meets(self.read_as(prefix).range)
    }
}

/// Many write MB for 10⁶ bytes, many for 2²⁰, but nobody for both in one table: the reading under
/// which more figures hold is that of the file.
pub(super) fn check(rows: &[Row<'_>], checked: &mut Checked) {
    let mut files: Vec<&str> = rows.iter().map(|row| row.file).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let of_file = rows.iter().filter(|row| row.file == file);
        let flows: Vec<Flow> = of_file.flat_map(flows).collect();
        let count = |prefix| flows.iter().filter(|flow| flow.holds(prefix)).count();
        let (decimal, binary) = (count(Prefix::Decimal), count(Prefix::Binary));
        let (prefix, other, holds) = if decimal >= binary {
            (Prefix::Decimal, Prefix::Binary, decimal)
        } else {
            (Prefix::Binary, Prefix::Decimal, binary)
        };
        for flow in &flows {
            let identity = Identity::Bandwidth { prefix, holds, other_holds: flow.holds(other) };
            let terms = vec![flow.operations.term(), flow.block_term.clone()];
            checked.expect(&flow.row, identity, terms, flow.follows(), &flow.read_as(prefix));
        }
    }
}

fn flows<'a>(row: &Row<'a>) -> Vec<Flow<'a>> {
    let Some((block, block_term)) = block(row) else { return Vec::new() };
    let flow = |operations: Figure<'a>| {
        if operations.unit.dimension != Dimension::Rate || !operations.name().contains(OPERATIONS) {
            return None;
        }
        let sister = |name| row.figure(&operations.name().replacen(OPERATIONS, name, 1));
        let bytes = BYTES.iter().find_map(|name| sister(name))?;
        (bytes.unit.dimension == Dimension::DataRate).then(|| Flow {
            row: *row,
            operations: as_precise(row, operations),
            bytes: as_precise(row, bytes),
            block,
            block_term: block_term.clone(),
        })
    };
    row.figures().filter_map(flow).collect()
}

/// A total may have been reckoned from what is printed per unit, or the other way round.
fn as_precise<'a>(row: &Row<'a>, figure: Figure<'a>) -> Figure<'a> {
    let base = |name: &'a str| name.split("_per_").next().unwrap_or(name);
    let parts = row
        .figures()
        .filter(|part| base(part.name()) == base(figure.name()) && part.name() != figure.name());
    parts.fold(figure, |figure, part| figure.no_finer_than(&part))
}

fn block(row: &Row<'_>) -> Option<(Range, Term)> {
    if let Some(printed) = row.any(&BLOCK_SIZE, Dimension::Data) {
        // Blocks are powers of two, whatever the unit says.
        return Some((Range::exact(printed.read_as_binary().range.nominal), printed.term()));
    }
    let bytes = Pattern::for_test(&row.key.test).block? as f64;
    let number = FigureNumber { value: bytes / KIB, resolution: 0.0 };
    let term = Term {
        name: BLOCK_SIZE[0].to_owned(),
        value: FigureValue::Number(number),
        unit: "KiB".to_owned(),
        origin: Origin::TestName,
    };
    Some((Range::exact(bytes), term))
}
