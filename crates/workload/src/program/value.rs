use std::io::Write;

/// A value of a variable or an expression. Texts are held by variables: a text is the number of the
/// one that holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Double(f64),
    Text(u32),
}

/// What a variable holds whenever it is read, as far as the program tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    Integer,
    Double,
    /// A text, or now this and now that, or nothing: travels as text.
    Text,
}

/// The variables of one client.
#[derive(Clone, Debug)]
pub struct Variables {
    pub(super) values: Box<[Value]>,
    /// By variable; each keeps its memory.
    texts: Box<[Vec<u8>]>,
}

impl Variables {
    /// That many, which hold nothing.
    pub(super) fn new(number: usize) -> Self {
        Self { values: vec![Value::Null; number].into(), texts: vec![Vec::new(); number].into() }
    }

    /// Becomes the same as another of the same program, in the memory that it has.
    pub(super) fn take_over(&mut self, other: &Self) {
        self.values.copy_from_slice(&other.values);
        self.texts.clone_from_slice(&other.texts);
    }

    #[inline]
    pub fn get(&self, variable: usize) -> Value {
        self.values[variable]
    }

    /// The number that a variable of integers holds.
    #[inline]
    pub fn integer(&self, variable: usize) -> i64 {
        match self.values[variable] {
            Value::Integer(number) => number,
            _ => 0,
        }
    }

    pub fn text(&self, holder: u32) -> &[u8] {
        &self.texts[holder as usize]
    }

    /// Gives a variable a value; a text is copied.
    pub fn set(&mut self, variable: usize, value: Value) {
        self.values[variable] = match value {
            Value::Text(holder) if holder as usize != variable => {
                let mut text = std::mem::take(&mut self.texts[variable]);
                text.clear();
                text.extend_from_slice(&self.texts[holder as usize]);
                self.texts[variable] = text;
                Value::Text(variable as u32)
            }
            other => other,
        };
    }

    pub fn set_text(&mut self, variable: usize, text: &[u8]) {
        self.texts[variable].clear();
        self.texts[variable].extend_from_slice(text);
        self.values[variable] = Value::Text(variable as u32);
    }

    /// Appends a value as it stands in a statement's text, texts without quotes.
    pub fn append(&self, value: Value, out: &mut Vec<u8>) {
        match value {
            Value::Null => out.extend_from_slice(b"NULL"),
            Value::Boolean(true) => out.extend_from_slice(b"true"),
            Value::Boolean(false) => out.extend_from_slice(b"false"),
            Value::Integer(number) => {
                out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            }
            Value::Double(number) => append_double(number, out),
            Value::Text(holder) => out.extend_from_slice(self.text(holder)),
        }
    }
}

/// Significant digits of a double that every text of it keeps.
const DIGITS: i32 = 15;

/// As pgbench writes it: C's `%.15g`, but with words of its own for what is no number.
fn append_double(number: f64, out: &mut Vec<u8>) {
    if !number.is_finite() || number == 0.0 {
        // Writing into memory cannot fail, here and below.
        let _ = match number {
            number if number.is_nan() => write!(out, "NaN"),
            f64::INFINITY => write!(out, "Infinity"),
            f64::NEG_INFINITY => write!(out, "-Infinity"),
            number => write!(out, "{number}"),
        };
        return;
    }
    let from = out.len();
    let _ = write!(out, "{number:.*e}", DIGITS as usize - 1);
    let mark = out.iter().rposition(|&byte| byte == b'e').unwrap_or(out.len());
    let exponent = std::str::from_utf8(&out[mark + 1..]).ok().and_then(|text| text.parse().ok());
    let exponent: i32 = exponent.unwrap_or(0);
    out.truncate(mark);
    if (-4..DIGITS).contains(&exponent) {
        out.truncate(from);
        let _ = write!(out, "{number:.*}", (DIGITS - 1 - exponent) as usize);
        strip_zeros(from, out);
    } else {
        strip_zeros(from, out);
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
    }
}

fn strip_zeros(from: usize, out: &mut Vec<u8>) {
    if out[from..].contains(&b'.') {
        while out.last() == Some(&b'0') {
            out.pop();
        }
        if out.last() == Some(&b'.') {
            out.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_as_c_writes_them() {
        let written = |number| {
            let mut out = b"x=".to_vec();
            append_double(number, &mut out);
            String::from_utf8(out).unwrap()
        };
        for (number, text) in [
            (0.5, "0.5"),
            (-3.0, "-3"),
            (0.1 + 0.2, "0.3"),
            (1e15, "1e+15"),
            (123_456_789_012_345.0, "123456789012345"),
            (1.0 / 3.0, "0.333333333333333"),
            (1e-5, "1e-05"),
            (-2.5e-7, "-2.5e-07"),
            (6.02e23, "6.02e+23"),
            (0.0, "0"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
            (9.999_999_999_999_999, "10"),
        ] {
            assert_eq!(written(number), format!("x={text}"));
        }
    }

    #[test]
    fn a_text_that_is_copied_stays_when_the_first_changes() {
        let mut variables = Variables::new(2);
        variables.set_text(0, b"abc");
        variables.set(1, variables.get(0));
        variables.set_text(0, b"d");
        let mut out = Vec::new();
        variables.append(variables.get(1), &mut out);
        assert_eq!(out, b"abc");
    }
}
