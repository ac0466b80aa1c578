use super::*;
use model::ReadLimit;
use std::collections::BTreeMap;

#[derive(Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct Inner {
    count: u64,
    #[serde(default)]
    length: Duration,
    other: Option<f64>,
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Plain,
    Number(f64),
    Parts { of: Vec<Inner> },
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Outer {
    text: String,
    kinds: Vec<Kind>,
    counters: BTreeMap<String, i64>,
    flag: bool,
}

fn outer() -> Outer {
    let inner = Inner { count: MOST, length: Duration::new(3, 7), other: Some(-1.5e-300) };
    Outer {
        text: "a \"quoted\" line\n\\ 数据 \u{1}".to_owned(),
        kinds: vec![Kind::Plain, Kind::Number(0.1 + 0.2), Kind::Parts { of: vec![inner] }],
        counters: [("a\"b".to_owned(), i64::MIN), (String::new(), i64::MAX)].into(),
        flag: true,
    }
}

fn read_freely<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, String> {
    read(text, &ReadBudget::default()).map_err(|wrong| wrong.to_string())
}

#[test]
fn what_serde_writes_is_read() {
    let text = serde_json::to_string(&outer()).unwrap();
    assert_eq!(read_freely(&text), Ok(outer()));
    // What a later version may have added.
    let more = text.replace("\"flag\"", "\"more\":[{\"a\":[[],{}]},\"]\",-1.5,null],\"flag\"");
    assert_eq!(read_freely(&more), Ok(outer()));
    let number: f64 = read_freely("null").unwrap();
    assert!(number.is_nan());
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let text = serde_json::to_string(&outer()).unwrap();
    let told = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        read_freely::<Outer>(&text.replace(from, to)).unwrap_err()
    };
    let most = MOST.to_string();
    let place = "kinds[2].parts.of[0].count: ";
    assert_eq!(told(&most, "9007199254740993"), format!("{place}9007199254740993 is out of range"));
    assert!(told(&most, "-5").starts_with(place), "{}", told(&most, "-5"));
    assert!(told(&most, "99999999999999999999999").ends_with("out of range"));
    assert!(told("\"plain\"", "\"odd\"").starts_with("kinds[0]: unknown variant `odd`"));
    assert!(told("\"secs\":3", "\"secs\":316224001").contains("length: 316224001 seconds"));
    assert!(told("\"secs\":3", "\"secs\":9007199254740992").contains("out of range"));
    assert!(told("-1.5e-300", "1e999").contains("other: 1e999"));
    assert!(told("true", "tru").contains("cannot be there"));
}

#[test]
fn whatever_is_cut_off_or_changed_ends_without_harm() {
    let text = serde_json::to_string(&outer()).unwrap();
    for place in (0..text.len()).filter(|place| text.is_char_boundary(*place)) {
        assert!(read_freely::<Outer>(&text[..place]).is_err(), "{place}");
        let (before, rest) = text.split_at(place);
        for odd in ["\"", "\\", "{", "}", "[", "]", ",", ":", "9", "-", "n", "é"] {
            let rest: String = rest.chars().skip(1).collect();
            let _ = read_freely::<Outer>(&format!("{before}{odd}{rest}"));
        }
    }
    let deep = format!("{{\"text\":{}", "[".repeat(1_000_000));
    assert!(read_freely::<BTreeMap<String, serde_json::Value>>(&deep).is_err());
}

#[test]
fn what_is_made_is_charged_before_it_is_made() {
    let limit = ReadLimit { bytes: 1 << 20, ..ReadLimit::default() };
    let none = "{\"count\":0,\"other\":null},".repeat(40_000);
    let budget = limit.budget();
    let list = format!("[{}]", none.trim_end_matches(','));
    let told = read::<Vec<Inner>>(&list, &budget).unwrap_err().to_string();
    assert!(told.contains("raise it with --read-limit"), "{told}");
    assert!(budget.verdict().is_err() && budget.used() <= limit.bytes);
}
