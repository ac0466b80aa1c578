use super::statements::{Value, number};
use std::io::Write;
use workload::oltp::{OltpSource, Step};

/// A statement cut where its values go: sending it as text takes no formatting but that of the
/// numbers.
#[derive(Clone, Debug)]
pub(super) struct TextTemplate {
    /// What comes before each value, and after the last.
    pieces: Box<[Box<[u8]>]>,
    values: Box<[Value]>,
}

impl TextTemplate {
    /// Takes the text with a `?` for each value.
    pub(super) fn new(text: &str, values: Vec<Value>) -> Self {
        let mut pieces: Vec<Vec<u8>> = text.split('?').map(|piece| piece.into()).collect();
        debug_assert_eq!(pieces.len(), values.len() + 1);
        for (index, value) in values.iter().enumerate() {
            if matches!(value, Value::Digits(_)) {
                pieces[index].push(b'\'');
                pieces[index + 1].insert(0, b'\'');
            }
        }
        let pieces = pieces.into_iter().map(Vec::into_boxed_slice).collect();
        Self { pieces, values: values.into() }
    }

    /// Appends the text with its values.
    #[inline]
    pub(super) fn write(&self, step: &Step, source: &mut OltpSource, out: &mut Vec<u8>) {
        let mut pieces = self.pieces.iter();
        for (value, piece) in self.values.iter().zip(&mut pieces) {
            out.extend_from_slice(piece);
            match value {
                Value::Number(parameter) => {
                    // Writing into memory cannot fail.
                    let _ = write!(out, "{}", number(*parameter, step, source));
                }
                Value::Digits(template) => {
                    let start = out.len();
                    out.resize(start + template.len(), 0);
                    source.fill(template, &mut out[start..]);
                }
            }
        }
        for piece in pieces {
            out.extend_from_slice(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::OltpStatements;
    use super::super::statements::Form;
    use model::{Oltp, OltpDialect, OltpMix};
    use workload::oltp::{Statement, Step};

    /// The text of a statement with 7 and 106 as its numbers.
    fn text(statement: Statement, workload: &Oltp) -> String {
        let statements = OltpStatements::new(workload, 1, 1);
        let Form::Text(templates) = statements.form(statement) else { panic!("no text") };
        let step = Step { statement, table: 1, first: 7, second: 106 };
        let mut out = Vec::new();
        templates[0].write(&step, &mut statements.source(0), &mut out);
        String::from_utf8(out).unwrap()
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
        assert_eq!(OltpStatements::new(&workload, 1, 1).per_client(), 1);
    }
}
