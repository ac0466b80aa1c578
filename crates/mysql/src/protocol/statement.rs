use super::frame::{HEADER, header};

pub(super) const COM_STMT_EXECUTE: u8 = 0x17;
/// Column type of an 8-byte integer, and of a character string, as the execute packet gives them.
pub(super) const TYPE_LONGLONG: u8 = 0x08;
pub(super) const TYPE_STRING: u8 = 0xFE;

/// Where the statement id stands in an execute packet.
const ID_AT: usize = HEADER + 1;

/// Kind of a statement's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A signed 64-bit integer.
    Int,
    /// A character string of exactly that many bytes.
    Str(u8),
}

/// A `COM_STMT_EXECUTE` packet, encoded once and then only copied and patched.
///
/// The packet is the one that libmariadb sends: parameter types travel with the first execution
/// of a statement on a connection and not with the later ones.
#[derive(Clone, Debug)]
pub struct ExecuteTemplate {
    /// With types; values zeroed.
    first: Box<[u8]>,
    /// Without types.
    again: Box<[u8]>,
    /// Offset of each value, counted from the end of the packet, where both forms are alike, and
    /// its length.
    slots: Box<[Slot]>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    from_end: usize,
    length: usize,
}

impl ExecuteTemplate {
    /// Encodes the packet for these parameters.
    ///
    /// # Panics
    /// With more than 65 535 parameters, more than the protocol can prepare.
    pub fn new(params: &[ParamKind]) -> Self {
        assert!(params.len() <= usize::from(u16::MAX), "a statement has at most 65535 parameters");
        let mut values = Vec::new();
        let mut starts = Vec::with_capacity(params.len());
        for param in params {
            let length = match *param {
                ParamKind::Int => 8,
                ParamKind::Str(length) => {
                    match length {
                        0..=250 => values.push(length),
                        // Larger first bytes are markers of longer forms of a length.
                        251.. => values.extend_from_slice(&[0xFC, length, 0]),
                    }
                    usize::from(length)
                }
            };
            starts.push((values.len(), length));
            values.resize(values.len() + length, 0);
        }
        let slots = starts
            .into_iter()
            .map(|(start, length)| Slot { from_end: values.len() - start, length })
            .collect();
        Self { first: encode(params, true, &values), again: encode(params, false, &values), slots }
    }

    /// Appends the packet for a statement. `first` is for the first execution of the statement on
    /// its connection. The values must be filled in through what is returned.
    #[inline]
    pub fn write<'a>(
        &'a self,
        statement_id: u32,
        first: bool,
        out: &'a mut Vec<u8>,
    ) -> ParamSlots<'a> {
        let template = if first { &self.first } else { &self.again };
        let start = out.len();
        out.extend_from_slice(template);
        let packet = &mut out[start..];
        packet[ID_AT..ID_AT + 4].copy_from_slice(&statement_id.to_le_bytes());
        ParamSlots { slots: &self.slots, packet }
    }
}

fn encode(params: &[ParamKind], with_types: bool, values: &[u8]) -> Box<[u8]> {
    let mut packet = vec![0; HEADER];
    packet.push(COM_STMT_EXECUTE);
    packet.extend_from_slice(&0_u32.to_le_bytes());
    let no_cursor = 0;
    packet.push(no_cursor);
    packet.extend_from_slice(&1_u32.to_le_bytes());
    if !params.is_empty() {
        let nulls = params.len().div_ceil(8);
        packet.resize(packet.len() + nulls, 0);
        packet.push(u8::from(with_types));
        if with_types {
            for param in params {
                let signed = 0;
                packet.extend_from_slice(&match param {
                    ParamKind::Int => [TYPE_LONGLONG, signed],
                    ParamKind::Str(_) => [TYPE_STRING, signed],
                });
            }
        }
        packet.extend_from_slice(values);
    }
    // 65 535 parameters of 255 bytes stay below 16 MiB − 16: one frame is always enough.
    let length = packet.len() - HEADER;
    packet[..HEADER].copy_from_slice(&header(length, 0));
    packet.into_boxed_slice()
}

/// The places of a packet's values. A value that is not set is 0 or zero bytes.
#[derive(Debug)]
pub struct ParamSlots<'a> {
    slots: &'a [Slot],
    packet: &'a mut [u8],
}

impl ParamSlots<'_> {
    /// Sets an integer; parameters count from 0.
    ///
    /// # Panics
    /// When the parameter is a string of another length than 8 bytes, or there is none of that
    /// number.
    #[inline]
    pub fn set_int(&mut self, index: usize, value: i64) {
        self.str_slot(index).copy_from_slice(&value.to_le_bytes());
    }

    /// The bytes of a string, to be filled by the caller; parameters count from 0.
    ///
    /// # Panics
    /// When there is no parameter of that number.
    #[inline]
    pub fn str_slot(&mut self, index: usize) -> &mut [u8] {
        let slot = self.slots[index];
        let start = self.packet.len() - slot.from_end;
        &mut self.packet[start..start + slot.length]
    }
}
