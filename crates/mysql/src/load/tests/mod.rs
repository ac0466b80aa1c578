//! Sessions that run programs, with servers that are made up.

mod digests;
mod scripts;

const OK: &[u8] = &[0, 1, 0, 2, 0, 0, 0];
const END: &[u8] = &[0xfe, 0, 0, 2, 0];

fn packets(first: u8, payloads: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for (sequence, payload) in (first..).zip(payloads) {
        out.extend_from_slice(&(payload.len() as u32).to_le_bytes()[..3]);
        out.push(sequence);
        out.extend_from_slice(payload);
    }
    out
}
