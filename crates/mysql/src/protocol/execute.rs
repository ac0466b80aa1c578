use super::frame::write_packet;
use super::statement::{COM_STMT_EXECUTE, TYPE_LONGLONG, TYPE_STRING};

const TYPE_DOUBLE: u8 = 0x05;

/// A type that a parameter keeps, whatever its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// A signed 64-bit integer.
    Int,
    Double,
    Text,
}

/// A value of a parameter, of its type or NULL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamValue<'a> {
    Null,
    Int(i64),
    Double(f64),
    Text(&'a [u8]),
}

/// Writes `COM_STMT_EXECUTE` for values of any length, into memory that is kept.
#[derive(Debug, Default)]
pub struct ExecuteWriter {
    payload: Vec<u8>,
    nulls: usize,
    parameters: usize,
}

impl ExecuteWriter {
    /// Begins the packet of a statement with parameters of these types. `first` is for the first
    /// execution of the statement on its connection: types travel with that one.
    pub fn begin(&mut self, statement_id: u32, first: bool, types: &[ParamType]) {
        let out = &mut self.payload;
        out.clear();
        out.push(COM_STMT_EXECUTE);
        out.extend_from_slice(&statement_id.to_le_bytes());
        // No cursor; one execution.
        out.push(0);
        out.extend_from_slice(&1_u32.to_le_bytes());
        self.parameters = 0;
        self.nulls = out.len();
        if types.is_empty() {
            return;
        }
        out.resize(out.len() + types.len().div_ceil(8), 0);
        out.push(u8::from(first));
        if first {
            for one in types {
                let code = match one {
                    ParamType::Int => TYPE_LONGLONG,
                    ParamType::Double => TYPE_DOUBLE,
                    ParamType::Text => TYPE_STRING,
                };
                out.extend_from_slice(&[code, 0]);
            }
        }
    }

    /// Adds the value of the next parameter.
    pub fn value(&mut self, value: ParamValue<'_>) {
        let out = &mut self.payload;
        match value {
            ParamValue::Null => out[self.nulls + self.parameters / 8] |= 1 << (self.parameters % 8),
            ParamValue::Int(number) => out.extend_from_slice(&number.to_le_bytes()),
            ParamValue::Double(number) => out.extend_from_slice(&number.to_le_bytes()),
            ParamValue::Text(text) => {
                let length = text.len() as u64;
                match length {
                    0..=250 => out.push(length as u8),
                    251..=0xFFFF => {
                        out.push(0xFC);
                        out.extend_from_slice(&length.to_le_bytes()[..2]);
                    }
                    0x1_0000..=0xFF_FFFF => {
                        out.push(0xFD);
                        out.extend_from_slice(&length.to_le_bytes()[..3]);
                    }
                    _ => {
                        out.push(0xFE);
                        out.extend_from_slice(&length.to_le_bytes());
                    }
                }
                out.extend_from_slice(text);
            }
        }
        self.parameters += 1;
    }

    /// How many values it has so far.
    pub fn values(&self) -> usize {
        self.parameters
    }

    /// Appends the packet, which has all its values; returns the sequence number of the reply as
    /// [`super::write_query`] does.
    pub fn end(&self, out: &mut Vec<u8>) -> u8 {
        write_packet(0, &[], &self.payload, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{ExecuteTemplate, ParamKind};

    #[test]
    fn integers_and_texts_travel_as_in_a_template() {
        let template = ExecuteTemplate::new(&[ParamKind::Int, ParamKind::Str(3)]);
        for first in [true, false] {
            let (mut fixed, mut free) = (Vec::new(), Vec::new());
            let mut slots = template.write(7, first, &mut fixed);
            slots.set_int(0, -5);
            slots.str_slot(1).copy_from_slice(b"abc");
            let mut writer = ExecuteWriter::default();
            writer.begin(7, first, &[ParamType::Int, ParamType::Text]);
            writer.value(ParamValue::Int(-5));
            writer.value(ParamValue::Text(b"abc"));
            assert_eq!(writer.end(&mut free), 1);
            assert_eq!(free, fixed);
        }
    }

    #[test]
    fn what_is_null_has_a_bit_and_no_value() {
        let mut writer = ExecuteWriter::default();
        writer.begin(1, true, &[ParamType::Text; 10]);
        (0..9).for_each(|_| writer.value(ParamValue::Null));
        writer.value(ParamValue::Text(&[b'x'; 300]));
        let mut out = Vec::new();
        writer.end(&mut out);
        assert_eq!(out[14..17], [0xff, 0x01, 1]);
        assert_eq!(out[17 + 20..][..4], [0xfc, 0x2c, 0x01, b'x']);
        assert_eq!(out.len(), 17 + 20 + 3 + 300);
    }
}
