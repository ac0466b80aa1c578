//! The first screen of the page, and that no sentence of it stands there twice.

use crate::support;
use report::Format;
use std::collections::HashSet;

fn page(dataset: &model::Dataset) -> String {
    support::rendered(dataset, Format::Html).replace('\u{a0}', " ")
}

/// A page without its elements of one kind.
fn without(page: &str, element: &str) -> String {
    let (start, end) = (format!("<{element}"), format!("</{element}>"));
    let mut parts = page.split(start.as_str());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(&end).map_or("", |(_, rest)| rest))
}

/// The text of a page outside of drawings, tables and source: a line for each block.
fn text(page: &str) -> String {
    const INLINE: [&str; 7] = ["a", "strong", "span", "code", "small", "title", "summary"];
    let page = page.split_once("<body>").map_or(page, |(_, body)| body);
    let page = ["style", "script", "svg", "table", "pre"]
        .iter()
        .fold(page.to_owned(), |page, element| without(&page, element));
    let mut text = String::new();
    for part in page.split('<').skip(1) {
        let (tag, said) = part.split_once('>').expect("tags are closed");
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
        if !INLINE.contains(&name) {
            text.push('\n');
        }
        text += said;
    }
    text
}

/// Whole sentences, without the test, target and level that they are about.
fn sentences(page: &str) -> Vec<String> {
    const FEWEST_WORDS: usize = 5;
    let mut all = Vec::new();
    for line in text(page).lines() {
        for sentence in line.split(". ").flat_map(|part| part.split("; ")) {
            let about = sentence.split_once(": ").filter(|(about, _)| about.starts_with("oltp"));
            let said = about.map_or(sentence, |(_, said)| said).trim();
            let said = said.trim_end_matches(['.', ';']).to_lowercase();
            let words =
                said.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
            if words.count() >= FEWEST_WORDS {
                all.push(said);
            }
        }
    }
    all
}

#[test]
fn no_sentence_stands_twice_in_the_page() {
    for dataset in [support::usual(), support::crossing(), support::single()] {
        let page = page(&dataset);
        let all = sentences(&page);
        assert!(all.len() > 30, "{all:?}");
        let mut known = HashSet::new();
        for sentence in &all {
            assert!(known.insert(sentence), "twice: {sentence}");
        }
    }
}

#[test]
fn the_first_screen_says_all_in_a_hundred_words_with_one_chart() {
    let page = page(&support::usual());
    let screen = &page[page.find("id=\"answer\"").unwrap()..page.find("<details").unwrap()];
    let said = text(&format!("<section {screen}"));
    let said = said.split_whitespace().collect::<Vec<&str>>().join(" ");
    for words in [
        "Choose relaxed up to 16 clients.",
        "relaxed has 1.91 × the throughput of durable (95 % interval 1.86–1.96)",
        "Based on 35 trials in 8 min 10 s",
        "at 95 % confidence",
        "(31 partly checked, 1 suspect, 3 failed, 1 not run)",
        "1 severe finding and 2 warnings",
        "Not valid for loads outside 1 to 32 clients; durable at 32 clients (no result)",
        "requests that arrive at a fixed rate (this was a closed loop)",
    ] {
        assert!(said.contains(words), "no «{words}» in {said}");
    }
    let words = said.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    assert!(words.clone().count() <= 100, "{} words: {said}", words.count());
    assert_eq!(screen.matches("<figure").count(), 1);
    for heading in ["at 16 clients</th>", "transactions/s</th>", "p95, ms</th>", "a month</th>"] {
        assert!(screen.contains(heading), "no «{heading}» in {screen}");
    }
    assert!(screen.contains("23.00 EUR"));
    for layer in ["#test-0", "#trials", "#findings", "#methods"] {
        assert!(screen.contains(&format!("href=\"{layer}\"")), "no link to {layer}");
    }
}

#[test]
fn every_first_screen_has_at_most_a_hundred_words() {
    for dataset in [
        support::usual(),
        support::demo(),
        support::crossing(),
        support::failures(),
        support::single(),
        support::acceptance(),
        support::crowd(50),
    ] {
        let page = page(&dataset);
        let screen = &page[page.find("id=\"answer\"").unwrap()..];
        let screen = &screen[..screen.find("</section>").unwrap()];
        let said = text(&format!("<body><section {}", without(screen, "details")));
        let words = said.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
        let count = words.count();
        assert!((10..=100).contains(&count), "{count} words: {said}");
    }
}

#[test]
fn why_others_are_slower_stands_beside_the_choice() {
    let targets = &["durable", "relaxed"];
    let mut data =
        support::dataset(&support::Shape { targets, levels: 4, repeats: 3, troubles: false });
    let screen = |data: &model::Dataset| {
        let page = page(data);
        let screen = &page[page.find("id=\"answer\"").unwrap()..page.find("<details").unwrap()];
        text(&format!("<section {screen}"))
    };
    assert!(!screen(&data).contains("slower"), "nothing that was seen explains it");
    for record in data.trials.iter_mut().filter(|record| record.key.target == "durable") {
        // Nine of ten clients wait for locks at any time.
        let waits_ms = f64::from(record.key.level.clients) * 900.0;
        for sample in &mut record.sampling.samples {
            let waited = (waits_ms * sample.at_seconds) as i64;
            let counters = sample.counters.as_mut().expect("counters");
            counters.edit(|all| all.insert(model::signal::LOCK_WAIT_MILLIS.to_owned(), waited));
        }
    }
    let said = screen(&data);
    let why = "durable is slower because 90 % of its clients wait for locks at any time.";
    assert!(said.contains(why), "{said}");
    let terminal = report::terminal_summary(&support::analysis(&data), 300, false);
    assert!(terminal.replace('\u{a0}', " ").contains(why), "{terminal}");
}

#[test]
fn everything_else_is_folded_but_for_severe_findings() {
    let layers = |dataset: &model::Dataset| {
        let page = page(dataset);
        let layers = page.split("<details class=\"layer\"").skip(1);
        let opened = layers.clone().filter(|layer| layer.starts_with(" open")).count();
        (layers.count(), opened)
    };
    let (all, open) = layers(&support::usual());
    assert!(all >= 6 && open == 1, "{all} layers, {open} open");
    let (_, open) = layers(&support::crossing());
    assert_eq!(open, 0);
}

#[test]
fn a_study_of_failures_says_so_first() {
    let page = page(&support::failures());
    let screen = &page[page.find("id=\"answer\"").unwrap()..page.find("<details").unwrap()];
    assert!(screen.contains("There is no answer: no target has a trial that counts."), "{screen}");
    assert!(screen.contains("(12 failed)") && screen.contains("2 severe findings"), "{screen}");
    assert!(!screen.contains("Not valid for") && !screen.contains("<figure"), "{screen}");
}

#[test]
fn a_target_that_is_ahead_over_the_range_is_chosen_though_single_levels_are_open() {
    let mut table = "target,test,metric,value,clients,block\n".to_owned();
    for block in 1..=5_u32 {
        for (number, clients) in (1..).zip([1, 4, 16]) {
            for (target, factor) in [("slow", 1.0), ("fast", 1.12)] {
                // Blocks scatter in another order at each level, so that none decides by itself.
                let scatters = [0.85, 1.18, 0.95, 1.08, 0.97];
                let place = (block + number * 2) as usize % scatters.len();
                let scatter = if target == "fast" { scatters[place] } else { 1.0 };
                let noise = f64::from((block * 7 + number * 3) % 5) / 200.0;
                let value = 1000.0 * factor * scatter * (1.0 + noise);
                table += &format!("{target},oltp,throughput,{value:.1},{clients},{block}\n");
            }
        }
    }
    let data = test_support::imported("range", &table);
    let page = support::rendered(&data, Format::Markdown);
    let choice = page.lines().find(|line| line.starts_with("**")).unwrap();
    assert_eq!(
        choice,
        "**Choose fast over the range of 1 to 16 clients; no level alone decides. That is by the mean \
         over these levels; at their peaks fast is not ahead of slow.**"
    );
}

#[test]
fn a_failover_without_an_end_stands_beside_the_choice_and_what_was_lost() {
    let mut data = support::acceptance();
    let of_failover = |record: &&mut model::TrialRecord| {
        (record.key.test.as_str(), record.key.target.as_str()) == ("primary lost", "candidate")
    };
    let lost = model::Failure::new(model::FailureKind::TimedOut, "no write came back", "");
    data.trials.iter_mut().find(of_failover).expect("a trial").end = model::TrialEnd::Failed(lost);
    let said = text(&page(&data));
    for words in [
        "candidate failed in 1 of 3 trials.",
        "current lost no acknowledged write",
        "candidate lost no acknowledged write in 2 trials; of 1 other, which failed, it is not known",
    ] {
        assert!(said.contains(words), "no «{words}» in {said}");
    }
}
