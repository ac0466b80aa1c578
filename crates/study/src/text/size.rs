use model::bounds::MAX_VM_DATA;

/// Units of sizes in bytes, longer names before those that they end in. Storage engineers write
/// `16k` for 16 KiB, as fio and DiskSpd do; `kB`, `MB` and `GB` are those of the makers of disks.
const UNITS: [(&str, u64); 16] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("m", 1 << 20),
    ("M", 1 << 20),
    ("g", 1 << 30),
    ("G", 1 << 30),
    ("B", 1),
];

/// Why a text is no size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// A number without a unit.
    #[error("`{0}` has no unit: write `{0}B` for bytes, or use KiB, MiB, GiB or TiB")]
    NoUnit(String),
    /// Neither a number nor a unit.
    #[error("`{0}` is not a size: write it like `4KiB`, `2MiB` or `40GiB`")]
    Malformed(String),
    /// More than a 64-bit number of bytes.
    #[error("`{0}` is larger than any disk")]
    TooLarge(String),
    /// More than a virtual machine may have.
    #[error("`{0}` is too much for one virtual machine: the most is 256 TiB")]
    TooMuch(String),
}

/// Reads the size of a virtual machine's data; the text is that of [`parse_size`].
///
/// # Errors
/// When the text has another form, or the size is above [`MAX_VM_DATA`].
pub(crate) fn parse_data(text: &str) -> Result<u64, SizeError> {
    match parse_size(text)? {
        bytes if bytes <= MAX_VM_DATA => Ok(bytes),
        _ => Err(SizeError::TooMuch(text.trim().chars().take(40).collect())),
    }
}

/// Reads a size such as `512B`, `16KiB`, `16k`, `2MiB`, `40GiB` or `40GB` into bytes.
///
/// # Errors
/// When the unit is missing, the text has another form, or the size is beyond 64 bits.
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    let quoted = || text.trim().chars().take(40).collect::<String>();
    let trimmed = text.trim();
    let digits = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(digits);
    if number.is_empty() {
        return Err(SizeError::Malformed(quoted()));
    }
    if unit.is_empty() {
        return Err(SizeError::NoUnit(quoted()));
    }
    let unit = unit.trim_start();
    let (_, bytes) = UNITS
        .into_iter()
        .find(|(name, _)| *name == unit)
        .ok_or_else(|| SizeError::Malformed(quoted()))?;
    let number: u64 = number.parse().map_err(|_| SizeError::TooLarge(quoted()))?;
    number.checked_mul(bytes).ok_or_else(|| SizeError::TooLarge(quoted()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_two_or_of_ten() {
        for (text, bytes) in [
            ("512B", 512),
            ("16KiB", 16 << 10),
            ("16k", 16 << 10),
            ("2 MiB", 2 << 20),
            ("40GiB", 40 << 30),
            ("40GB", 40_000_000_000),
            ("3TiB", 3 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn the_data_of_a_virtual_machine_has_a_bound() {
        assert_eq!(parse_data("256TiB"), Ok(MAX_VM_DATA));
        assert_eq!(parse_data("257TiB"), Err(SizeError::TooMuch("257TiB".into())));
        let message = SizeError::TooMuch(String::new()).to_string();
        assert!(message.contains(&format!("{} TiB", MAX_VM_DATA >> 40)), "{message}");
    }

    #[test]
    fn other_texts_are_refused_with_what_is_wrong_with_them() {
        assert_eq!(parse_size("40"), Err(SizeError::NoUnit("40".into())));
        assert_eq!(parse_size("99999999999TiB"), Err(SizeError::TooLarge("99999999999TiB".into())));
        for text in ["", "GiB", "-1k", "1.5GiB", "4kiB", "4 K B", "ß"] {
            assert!(matches!(parse_size(text), Err(SizeError::Malformed(_))), "{text}");
        }
    }
}
