use crate::Stream;

/// Every so many bytes of what is written carry a number of their own ([`number`]).
pub const NUMBERED: usize = 4096;

/// Fills a buffer with random bytes, which no storage can compress.
pub fn fill_noise(stream: &mut Stream, buffer: &mut [u8]) {
    for chunk in buffer.chunks_mut(8) {
        let bits = stream.bits().to_le_bytes();
        chunk.copy_from_slice(&bits[..chunk.len()]);
    }
}

/// Makes every 4 KiB of a buffer of noise different from all others that were written, by a number
/// that the caller counts up, so that storage which keeps equal blocks only once has to keep
/// them all. Returns the next number.
///
/// ```
/// let mut buffer = vec![0; 3 * workload::storage::NUMBERED];
/// assert_eq!(workload::storage::number(&mut buffer, 1, 40), 43);
/// ```
pub fn number(buffer: &mut [u8], owner: u32, mut next: u64) -> u64 {
    for chunk in buffer.chunks_mut(NUMBERED) {
        if let Some(head) = chunk.first_chunk_mut::<12>() {
            head[..4].copy_from_slice(&owner.to_le_bytes());
            head[4..].copy_from_slice(&next.to_le_bytes());
        }
        next = next.wrapping_add(1);
    }
    next
}
