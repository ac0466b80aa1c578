use crate::{Keys, Stream};
use model::{Oltp, OltpDialect};

/// Values of column `c`: ten groups of digits.
pub(super) fn c_template(dialect: OltpDialect) -> &'static [u8] {
    match dialect {
        OltpDialect::Sysbench04 => OLD_C,
        OltpDialect::Sysbench05 | OltpDialect::Sysbench10 => C,
    }
}

/// Values of column `pad`: five groups of digits.
pub(super) fn pad_template(dialect: OltpDialect) -> &'static [u8] {
    match dialect {
        OltpDialect::Sysbench04 => OLD_PAD,
        OltpDialect::Sysbench05 | OltpDialect::Sysbench10 => PAD,
    }
}

const C: &[u8] = b"###########-###########-###########-###########-###########-\
###########-###########-###########-###########-###########";
const PAD: &[u8] = b"###########-###########-###########-###########-###########";
/// Generation 0.4 wrote random numbers below 2^30 here, most of which have nine digits.
const OLD_C: &[u8] = b"#########-#########-#########-#########-#########-\
#########-#########-#########-#########-#########";
const OLD_PAD: &[u8] = b"#########-#########-#########-#########-#########";

/// What generation 0.4 put into every row.
const OLD_ROW: [&str; 3] = ["0", " ", "qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt"];

/// The rows that a test table starts with, in order of `id`.
///
/// `k` has the distribution that the workload draws its keys with, as in sysbench.
///
/// ```
/// // sysbench's columns: c has ten groups of eleven digits, pad five.
/// let tables = model::Oltp::preset(model::OltpMix::ReadOnly);
/// let mut rows = workload::oltp::RowSource::new(&tables, 7, 1, 1, 1);
/// let mut row = Vec::new();
/// assert!(rows.append(["", ",", ",", ",", ";"], &mut row));
/// assert!(!rows.append(["", ",", ",", ",", ";"], &mut row), "one row was asked for");
/// let fields: Vec<usize> = row.split(|&byte| byte == b',').map(<[u8]>::len).collect();
/// assert!(row.starts_with(b"1,") && row.ends_with(b";"));
/// assert_eq!(fields[2..], [119, 59 + 1]);
/// ```
#[derive(Clone, Debug)]
pub struct RowSource {
    keys: Keys,
    stream: Stream,
    dialect: OltpDialect,
    next_id: u32,
    last_id: u32,
}

impl RowSource {
    /// The rows `from..=to` of a table (rows and tables count from 1). The same rows come out
    /// however a table is cut into ranges only if the cuts are the same: each range has a
    /// stream of its own, so that ranges can be made in parallel.
    pub fn new(workload: &Oltp, seed: u64, table: u32, from: u32, to: u32) -> Self {
        let number = (u64::from(table) << 32) | u64::from(from);
        Self {
            keys: Keys::new(workload.distribution, &workload.keys, 1, workload.table_size),
            stream: Stream::new(seed, "rows", number),
            dialect: workload.dialect,
            next_id: from,
            last_id: to,
        }
    }

    /// Appends one row as the fields `id k c pad`, each preceded by the matching separator of
    /// `around` (before `id`, `k`, `c`, `pad`) and the row followed by its last part. Returns
    /// false, and appends nothing, when there are no more rows.
    pub fn append(&mut self, around: [&str; 5], out: &mut Vec<u8>) -> bool {
        if self.next_id > self.last_id {
            return false;
        }
        out.extend_from_slice(around[0].as_bytes());
        append_number(self.next_id, out);
        if self.dialect == OltpDialect::Sysbench04 {
            for (before, value) in around[1..].iter().zip(OLD_ROW) {
                out.extend_from_slice(before.as_bytes());
                out.extend_from_slice(value.as_bytes());
            }
        } else {
            out.extend_from_slice(around[1].as_bytes());
            append_number(self.keys.draw(&mut self.stream), out);
            out.extend_from_slice(around[2].as_bytes());
            append_digits(&mut self.stream, C, out);
            out.extend_from_slice(around[3].as_bytes());
            append_digits(&mut self.stream, PAD, out);
        }
        out.extend_from_slice(around[4].as_bytes());
        self.next_id += 1;
        true
    }
}

fn append_digits(stream: &mut Stream, template: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + template.len(), 0);
    stream.fill(template, &mut out[start..]);
}

/// Appends a number in decimal.
pub(super) fn append_number(number: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{KeyDistribution, OltpMix};

    #[test]
    fn rows_have_consecutive_ids_and_values_of_sysbenchs_shape() {
        let workload = Oltp {
            table_size: 1_000,
            distribution: KeyDistribution::Uniform,
            ..Oltp::preset(OltpMix::ReadWrite)
        };
        let mut rows = RowSource::new(&workload, 1, 1, 9, 11);
        let mut out = Vec::new();
        while rows.append(["", ",", ",", ",", "\n"], &mut out) {}
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
        assert_eq!(lines.iter().map(|l| l[0]).collect::<Vec<_>>(), ["9", "10", "11"]);
        for line in lines {
            assert!((1..=1_000).contains(&line[1].parse::<u32>().unwrap()));
            assert_eq!((line[2].len(), line[3].len()), (119, 59));
            assert_eq!(line[2].split('-').map(str::len).collect::<Vec<_>>(), [11; 10]);
            assert_eq!(line[3].split('-').map(str::len).collect::<Vec<_>>(), [11; 5]);
        }
    }

    #[test]
    fn the_rows_of_generation_04_are_all_alike() {
        let mut workload = Oltp::preset(OltpMix::ReadWrite);
        workload.dialect = OltpDialect::Sysbench04;
        let mut out = Vec::new();
        assert!(RowSource::new(&workload, 1, 1, 7, 7).append(["", ",", ",", ",", ";"], &mut out));
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "7,0, ,qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt;"
        );
    }
}
