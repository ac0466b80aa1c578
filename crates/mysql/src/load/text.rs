/// Appends a text that means the same in every SQL mode: whether a backslash is a character or escapes
/// the next depends on it.
pub(crate) fn quote(text: &[u8], out: &mut Vec<u8>) {
    const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";
    if text.contains(&b'\\') {
        out.extend_from_slice(b"_utf8mb4 X'");
        for byte in text {
            out.push(HEXADECIMAL[usize::from(byte >> 4)]);
            out.push(HEXADECIMAL[usize::from(byte & 15)]);
        }
    } else {
        out.push(b'\'');
        for &byte in text {
            if byte == b'\'' {
                out.push(byte);
            }
            out.push(byte);
        }
    }
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::super::packets::{Encoding, ways};
    use super::quote;
    use model::{Oltp, OltpDialect, OltpMix};
    use sql::Statements;
    use workload::oltp::{Statement, program};
    use workload::program::Value;

    /// The text of a statement with 7 and 106 as its numbers.
    fn text(statement: Statement, workload: &Oltp) -> String {
        let statements = Statements::new(program(workload), 1, 1);
        let all = Statement::all_of(&workload.transaction);
        let number = all.iter().position(|one| *one == statement).unwrap();
        let Encoding::Text(templates) = &ways(&statements)[number] else { panic!("no text") };
        let mut run = statements.run(0);
        // The first and the last row.
        run.variables.set(1, Value::Integer(7));
        run.variables.set(2, Value::Integer(106));
        let mut out = Vec::new();
        templates[0].write(&mut run, quote, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_text_means_the_same_in_every_mode() {
        let written = |text: &str| {
            let mut out = Vec::new();
            quote(text.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written("it's"), "'it''s'");
        assert_eq!(written("a\\'"), "_utf8mb4 X'615c27'");
    }

    #[test]
    fn values_stand_in_the_text() {
        let workload = Oltp { prepared: false, ..Oltp::preset(OltpMix::ReadWrite) };
        assert_eq!(text(Statement::PointSelect, &workload), "SELECT c FROM sbtest1 WHERE id=7");
        assert_eq!(
            text(Statement::OrderRange, &workload),
            "SELECT c FROM sbtest1 WHERE id BETWEEN 7 AND 106 ORDER BY c"
        );
        let older = Oltp { dialect: OltpDialect::Sysbench05, ..workload.clone() };
        assert_eq!(
            text(Statement::SimpleRange, &older),
            "SELECT c FROM sbtest1 WHERE id BETWEEN 7 AND 7+99"
        );
        let insert = text(Statement::Insert, &workload);
        let rest = insert.strip_prefix("INSERT INTO sbtest1 (id, k, c, pad) VALUES (7, 106, '");
        let (c, pad) = rest.unwrap().split_once("', '").unwrap();
        assert_eq!((c.len(), pad.len()), (119, 59 + "')".len()));
        assert!(pad.ends_with("')"));
    }

    #[test]
    fn new_rows_travel_as_text_even_where_other_statements_are_prepared() {
        let mut workload = Oltp::preset(OltpMix::Insert);
        let insert = text(Statement::InsertRow, &workload);
        assert!(insert.starts_with("INSERT INTO sbtest1 (id, k, c, pad) VALUES (7, 106, '"));
        workload.dialect = OltpDialect::Sysbench04;
        assert_eq!(Statements::new(program(&workload), 1, 1).per_client(), 1);
    }
}
