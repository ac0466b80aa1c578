//! Reports of more targets than can be told one by one.

use crate::support::{crowd, rendered};
use report::Format;
use test_support::imported;

#[test]
fn fifty_targets_at_twelve_levels_are_a_page_that_can_be_read() {
    let data = crowd(50);
    let page = rendered(&data, Format::Html);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let answer = &page[page.find("id=\"answer\"").unwrap()..page.find("id=\"test-0\"").unwrap()];
    // The six best; the ten best are in the layer of the test, and the others folded there.
    assert_eq!(answer.split("<details").next().unwrap().matches("<tr").count(), 7);
    let layer = &page[page.find("id=\"test-0\"").unwrap()..];
    assert_eq!(layer.split("<details").next().unwrap().matches("<tr").count(), 11);
    let words = page.split("<table").next().unwrap().split_whitespace().count();
    assert!(answer.contains(" has the best figure, ") && words < 3_000, "{words}");
    assert!(layer.contains("Of 1,225 pairs of targets"), "{layer}");
    // No sentence for each pair, and none of the tables.
    assert!(!page.contains("m01 ÷ m00") && !page.contains("ahead of m00 at every level"));
    assert_eq!(
        page.matches("<g class=\"faint\" data-s=\"faint\">").count(),
        2 * 44,
        "in both widths of the chart"
    );
    let matrix = &page[page.find("class=\"scroll matrix\"").unwrap()..];
    let matrix = &matrix[..matrix.find("</table>").unwrap()];
    let decided = matrix.matches('▲').count();
    assert!(decided > 300 && decided == matrix.matches('▼').count(), "{decided}");
    assert_eq!(matrix.matches("<tr").count(), 51);
    let markdown = rendered(&data, Format::Markdown);
    assert!(markdown.contains("### Who is ahead of whom") && !markdown.contains("### m01 ÷ m00"));
}

#[test]
fn eight_targets_are_told_one_by_one() {
    let page = rendered(&crowd(8), Format::Html);
    assert!(!page.contains("class=\"scroll matrix\"") && page.contains("m01 ÷ m00"));
    assert_eq!(page.matches("<g class=\"faint\" data-s=\"faint\">").count(), 0);
}

#[test]
fn who_is_behind_one_of_the_first_is_not_said_to_be_as_good() {
    let mut table = "target,test,metric,value,clients,block\n".to_owned();
    for (target, values) in [
        ("low", [990, 1000, 1010, 995, 1005]),
        ("wide", [1900, 800, 3600, 700, 3000]),
        ("high", [2490, 2500, 2510, 2495, 2505]),
    ] {
        for (block, value) in (1..).zip(values) {
            table += &format!("{target},oltp,throughput,{value},1,{block}\n");
        }
    }
    let markdown = rendered(&imported("chain", &table), Format::Markdown);
    assert!(
        markdown.contains("**It is undecided between wide and high at 1 client.**"),
        "{markdown}"
    );
    let headline = markdown.lines().find(|line| line.starts_with("At their peaks")).unwrap();
    assert!(headline.contains("high and wide cannot be told apart"), "{headline}");
    assert!(headline.contains("low is clearly behind at least one other target"), "{headline}");
    for place in ["| 1 (tie) | high |", "| 1 (tie) | wide |", "| 3 | low |"] {
        assert!(markdown.contains(place), "{markdown}");
    }
}
