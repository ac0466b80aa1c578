/// A size as messages have it: `3.0 MiB`, `5.9 TiB`.
pub fn in_words(bytes: u64) -> String {
    let mut value = bytes as f64 / 1024.0;
    let mut unit = "KiB";
    for next in ["MiB", "GiB", "TiB", "PiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_that_suits_them() {
        assert_eq!(in_words(512), "0.5 KiB");
        assert_eq!(in_words(3 << 20), "3.0 MiB");
        assert_eq!(in_words(6_144_000 << 20), "5.9 TiB");
        assert_eq!(in_words(u64::MAX), "16384.0 PiB");
    }
}
