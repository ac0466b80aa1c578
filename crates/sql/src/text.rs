use workload::program::{Parameter, Run, Text, Value};

/// A statement cut where its values go: sending it as text takes no formatting but that of the
/// numbers.
#[derive(Clone, Debug)]
pub struct TextTemplate {
    /// What comes before each value, and after the last.
    pieces: Box<[Box<[u8]>]>,
    parameters: Box<[Parameter]>,
}

impl TextTemplate {
    pub fn new(text: &Text, parameters: &[Parameter]) -> Self {
        let pieces = text.0.iter().map(|piece| piece.as_bytes().into()).collect();
        Self { pieces, parameters: parameters.into() }
    }

    /// Appends the text with its values, and returns how many rows it inserts that a source made.
    /// `quote` appends a text as the server takes one.
    #[inline]
    pub fn write(&self, run: &mut Run, quote: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) -> u64 {
        let mut rows = 0;
        let mut pieces = self.pieces.iter();
        for (parameter, piece) in self.parameters.iter().zip(&mut pieces) {
            out.extend_from_slice(piece);
            match *parameter {
                Parameter::Variable(variable) => match run.variables.get(variable) {
                    Value::Text(holder) => quote(run.variables.text(holder), out),
                    value => run.variables.append(value, out),
                },
                Parameter::Digits(template) => {
                    out.push(b'\'');
                    let start = out.len();
                    out.resize(start + template.len(), 0);
                    run.draws.fill(template, &mut out[start..]);
                    out.push(b'\'');
                }
                Parameter::Made(source) => rows += u64::from(run.draws.append(source, out)),
                Parameter::Verbatim(variable) => {
                    run.variables.append(run.variables.get(variable), out);
                }
            }
        }
        for piece in pieces {
            out.extend_from_slice(piece);
        }
        rows
    }
}
