use serde::Serialize;
use std::borrow::Cow;

/// What a column says of a trial. Of a text that stands in the data nothing is copied.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Field<'a> {
    Null,
    Flag(bool),
    Count(u64),
    Whole(i64),
    Number(f64),
    Text(Cow<'a, str>),
}

macro_rules! fields {
    ($($from:ty => |$value:ident| $field:expr;)+) => {
        $(impl<'a> From<$from> for Field<'a> {
            fn from($value: $from) -> Self {
                $field
            }
        })+
    };
}

fields! {
    bool => |flag| Self::Flag(flag);
    u64 => |count| Self::Count(count);
    u32 => |count| Self::Count(count.into());
    usize => |count| Self::Count(count as u64);
    i64 => |whole| Self::Whole(whole);
    // There is no JSON for numbers that are not finite.
    f64 => |number| if number.is_finite() { Self::Number(number) } else { Self::Null };
    String => |text| Self::Text(Cow::Owned(text));
    &'a str => |text| Self::Text(Cow::Borrowed(text));
    &'a String => |text| Self::Text(Cow::Borrowed(text));
}

impl<'a, T: Into<Field<'a>>> From<Option<T>> for Field<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
