use super::ValueType;

/// Values that variables pick from, such as a million ids: as numbers where all of them are, otherwise
/// as one text with the places where each ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values(Kept);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    /// Each number less the least of them.
    Narrow {
        least: i64,
        above: Box<[u32]>,
    },
    Integers(Box<[i64]>),
    Texts {
        bytes: Box<[u8]>,
        ends: Box<[u32]>,
    },
}

/// No values.
impl Default for Values {
    fn default() -> Self {
        Self(Kept::Texts { bytes: Box::default(), ends: Box::default() })
    }
}

impl Values {
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Narrow { above, .. } => above.len(),
            Kept::Integers(numbers) => numbers.len(),
            Kept::Texts { ends, .. } => ends.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Kept::Narrow { above, .. } => size_of_val(&**above),
            Kept::Integers(numbers) => size_of_val(&**numbers),
            Kept::Texts { bytes, ends } => bytes.len() + size_of_val(&**ends),
        }
    }

    pub(super) fn value_type(&self) -> ValueType {
        match &self.0 {
            Kept::Texts { .. } => ValueType::Text,
            _ => ValueType::Integer,
        }
    }

    /// The number in a row, from 0; 0 where there is none.
    #[inline]
    pub fn integer(&self, row: usize) -> i64 {
        match &self.0 {
            Kept::Narrow { least, above } => {
                above.get(row).map_or(0, |above| least.wrapping_add(i64::from(*above)))
            }
            Kept::Integers(numbers) => numbers.get(row).copied().unwrap_or(0),
            Kept::Texts { .. } => 0,
        }
    }

    /// The text in a row, from 0; `None` where values are numbers.
    #[inline]
    pub fn text(&self, row: usize) -> Option<&[u8]> {
        let Kept::Texts { bytes, ends } = &self.0 else { return None };
        let from = row.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| *end);
        Some(ends.get(row).map_or(b"", |end| &bytes[from as usize..*end as usize]))
    }
}

/// Collects [`Values`] one by one.
#[derive(Debug)]
pub struct ValuesBuilder {
    numbers: Vec<i64>,
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// Whether one of them was no number.
    texts: bool,
    most_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    #[error("there are no values")]
    Empty,
    #[error("the values take more than {} MiB of memory", most_bytes >> 20)]
    TooMuch { most_bytes: usize },
}

impl ValuesBuilder {
    /// Values that take at most so much memory once they are collected; twice as much in between.
    pub fn new(most_bytes: usize) -> Self {
        let most_bytes = most_bytes.min(u32::MAX as usize);
        Self { numbers: vec![], bytes: vec![], ends: vec![], texts: false, most_bytes }
    }

    /// Adds a value as it is written.
    ///
    /// # Errors
    /// When they take too much memory.
    pub fn push(&mut self, value: &[u8]) -> Result<(), ValuesError> {
        match number(value) {
            Some(number) if !self.texts => self.numbers.push(number),
            _ => {
                self.become_texts();
                self.push_text(value);
            }
        }
        let used = size_of_val(&*self.numbers) + self.bytes.len() + size_of_val(&*self.ends);
        match used > self.most_bytes {
            true => Err(ValuesError::TooMuch { most_bytes: self.most_bytes }),
            false => Ok(()),
        }
    }

    /// # Errors
    /// When there are none.
    pub fn finish(self) -> Result<Values, ValuesError> {
        if self.texts {
            let (bytes, ends) = (self.bytes.into(), self.ends.into());
            return Ok(Values(Kept::Texts { bytes, ends }));
        }
        let least = *self.numbers.iter().min().ok_or(ValuesError::Empty)?;
        let above: Option<Box<[u32]>> = self
            .numbers
            .iter()
            .map(|number| number.checked_sub(least).and_then(|above| u32::try_from(above).ok()))
            .collect();
        Ok(Values(match above {
            Some(above) => Kept::Narrow { least, above },
            None => Kept::Integers(self.numbers.into()),
        }))
    }

    /// What was taken for numbers are texts that look like numbers.
    fn become_texts(&mut self) {
        if self.texts {
            return;
        }
        self.texts = true;
        for number in std::mem::take(&mut self.numbers) {
            self.push_text(itoa::Buffer::new().format(number).as_bytes());
        }
    }

    fn push_text(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        // Too much is refused before it comes to as many bytes as a place can have.
        self.ends.push(self.bytes.len().min(u32::MAX as usize) as u32);
    }
}

/// The number that a text is, where it is written as numbers are: `007` is a text.
fn number(text: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (itoa::Buffer::new().format(number).as_bytes() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(all: &[&str]) -> Values {
        let mut builder = ValuesBuilder::new(1 << 20);
        all.iter().for_each(|value| builder.push(value.as_bytes()).unwrap());
        builder.finish().unwrap()
    }

    #[test]
    fn numbers_stay_numbers_and_anything_else_makes_texts_of_all() {
        let numbers = values(&["-3", "5", "4294967292"]);
        assert_eq!([0, 1, 2].map(|row| numbers.integer(row)), [-3, 5, 4_294_967_292]);
        assert_eq!((numbers.text(0), numbers.bytes()), (None, 12));
        let wide = values(&["-9223372036854775808", "9223372036854775807"]);
        assert_eq!([0, 1].map(|row| wide.integer(row)), [i64::MIN, i64::MAX]);
        for last in ["007", "", "+1", "ö", "1.5", "9223372036854775808"] {
            let texts = values(&["12", last, "3"]);
            let read = [0, 1, 2].map(|row| texts.text(row).unwrap());
            assert_eq!(read, [b"12", last.as_bytes(), b"3"]);
        }
    }

    #[test]
    fn a_million_take_little_memory_and_too_many_are_refused() {
        let mut ids = ValuesBuilder::new(100 << 20);
        let mut texts = ValuesBuilder::new(100 << 20);
        for number in 0..1_000_000_u32 {
            ids.push(format!("{}", 7_000_000_000_u64 + u64::from(number)).as_bytes()).unwrap();
            texts.push(format!("customer-{number:09}-abcdef").as_bytes()).unwrap();
        }
        let (ids, texts) = (ids.finish().unwrap(), texts.finish().unwrap());
        assert_eq!(ids.bytes(), 4_000_000);
        assert_eq!(texts.bytes(), 29_000_000);
        assert_eq!(ids.integer(999_999), 7_000_999_999);
        assert_eq!(texts.text(999_999).unwrap(), b"customer-000999999-abcdef");

        let mut few = ValuesBuilder::new(20);
        assert_eq!(few.push(b"1"), Ok(()));
        assert_eq!(few.push(&[b'x'; 13]), Err(ValuesError::TooMuch { most_bytes: 20 }));
        assert_eq!(ValuesBuilder::new(20).finish(), Err(ValuesError::Empty));
    }
}
