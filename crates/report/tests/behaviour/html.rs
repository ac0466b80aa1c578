//! The page: self-contained, escaped, sound, and not too large.

use crate::support::{self, HOSTILE, LONG};
use report::{Format, render};
use std::collections::HashSet;

fn page(dataset: &model::Dataset) -> String {
    support::rendered(dataset, Format::Html)
}

/// The values of an attribute, in order.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn nothing_is_fetched_from_anywhere() {
    let page = page(&support::hostile());
    for forbidden in ["http:", "https:", "src=", "@import", "url(", "<link"] {
        assert!(!page.contains(forbidden), "the page contains {forbidden}");
    }
    assert!(attributes(&page, "href").iter().all(|target| target.starts_with('#')));
}

#[test]
fn names_and_files_cannot_become_markup() {
    let page = page(&support::hostile());
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!page.contains(HOSTILE));
    assert!(!page.contains("<script>alert(2)"));
    assert_eq!(page.matches("<script>").count(), 1, "only the page's own script");
    assert!(page.contains(LONG), "a long name stands somewhere in full");
}

#[test]
fn ids_are_unique_and_what_links_and_labels_name_exists() {
    let all = [support::usual(), support::hostile(), support::single(), support::huge()];
    for dataset in all {
        let page = page(&dataset);
        let ids = attributes(&page, "id");
        let known: HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(known.len(), ids.len());
        let links = attributes(&page, "href");
        assert!(!links.is_empty());
        let named = links.iter().map(|link| &link[1..]);
        for target in named.chain(attributes(&page, "aria-labelledby")) {
            assert!(known.contains(target), "nothing has the id {target}");
        }
    }
}

#[test]
fn figures_lead_to_their_cell_and_cells_to_each_of_their_trials() {
    let dataset = support::usual();
    let page = page(&dataset);
    let links = attributes(&page, "href");
    let cells = links.iter().filter(|link| link.starts_with("#c0-")).count();
    assert_eq!(cells, 2, "one for each target of the first screen");
    // Every trial can be reached in its cell, and from its row in the list what is drawn of it.
    for record in &dataset.trials {
        let drawing = format!("#t{}", record.position);
        let to_drawing = links.iter().filter(|link| **link == drawing).count();
        assert!(to_drawing >= 2, "{to_drawing} links to {}", record.key);
        let row = format!("#p{}", record.position);
        assert!(links.contains(&row.as_str()), "no link to the row of {}", record.key);
    }
    // Findings about single trials name them.
    let findings =
        page.split("id=\"findings\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(findings.contains("href=\"#t"), "{findings}");
}

#[test]
fn what_operations_take_is_drawn_resource_by_resource() {
    let page = page(&support::usual());
    let charts = page.split("class=\"multiples\"").nth(1).unwrap();
    let charts = charts.split("</details>").next().unwrap();
    for metric in ["disk_writes_per_op", "disk_written_per_op"] {
        let id = format!("id=\"{metric}-0-narrow\"");
        assert_eq!(charts.matches(&id).count(), 1, "{metric}");
    }
    // Nothing is drawn of what is zero everywhere, or was not seen.
    for metric in ["disk_reads_per_op", "server_cpu_per_op"] {
        assert!(!charts.contains(metric), "{metric}");
    }
    assert!(charts.contains("Written to disk</strong>, bytes"), "they have units");
}

#[test]
fn server_variables_are_listed_once_and_compactly() {
    let dataset = support::usual();
    let page = page(&dataset);
    let listed = page.split("<pre class=\"variables\" tabindex=\"0\">").nth(1).unwrap();
    let listed: Vec<&str> = listed.split("</pre>").next().unwrap().lines().collect();
    let mut names: Vec<&String> =
        dataset.targets.iter().flat_map(|target| target.server.variables.keys()).collect();
    names.sort();
    names.dedup();
    assert_eq!(listed.len(), names.len());
    for (line, name) in listed.iter().zip(names) {
        assert!(line.starts_with(&format!("{name} =")), "{line}");
    }
}

#[test]
fn the_same_data_gives_the_same_page() {
    let dataset = support::usual();
    assert_eq!(page(&dataset), page(&dataset));
}

#[test]
fn the_answer_comes_before_what_it_rests_on() {
    let page = page(&support::usual());
    let sections =
        ["<h1>What does", "id=\"answer\"", "id=\"findings\"", "id=\"test-0\"", "id=\"time\""];
    let places: Vec<usize> = sections.iter().map(|s| page.find(s).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(page.contains("clients together relaxed has"));
}

#[test]
fn failed_and_missing_trials_are_shown() {
    let page = page(&support::usual());
    assert!(page.contains("the server allows 20 connections, and 32 clients are needed"));
    assert!(page.contains("set max_connections to 40 or more"));
    assert!(page.contains("class=\"failure\""), "the chart marks the level that failed");
    assert!(page.contains("1 trial of the plan not run"));
}

#[test]
fn drawings_hold_only_numbers_and_close_every_element() {
    for dataset in [support::usual(), support::hostile(), support::single()] {
        let page = page(&dataset);
        let drawings: Vec<&str> =
            page.split("<svg").skip(1).map(|d| d.split("</svg>").next().unwrap()).collect();
        assert!(drawings.len() > 10);
        for drawing in drawings {
            for attribute in
                ["d", "x", "y", "x1", "x2", "y1", "y2", "transform", "viewBox", "width", "height"]
            {
                for value in attributes(drawing, attribute) {
                    assert!(
                        !value.contains("NaN") && !value.contains("inf"),
                        "{attribute}={value}"
                    );
                }
            }
            let body = drawing.split_once('>').unwrap().1;
            let opened = body.matches('<').count() - body.matches("</").count();
            assert_eq!(opened, body.matches("</").count(), "{drawing}");
        }
    }
}

#[test]
fn timelines_show_what_was_sampled_and_no_more() {
    let mut dataset = support::usual();
    let sampled = page(&dataset);
    for panel in ["IOs/s", "merged requests/s", "MB/s", "await, ms", "aqu-sz", "%util"] {
        assert!(sampled.contains(&format!(">{panel}, vda</text>")), "{panel}");
    }
    assert!(sampled.contains("dirty data, MiB"));
    dataset.trials.iter_mut().for_each(|record| record.sampling.volume.clear());
    let unknown = page(&dataset);
    assert!(unknown.contains("disk writes/s, vda") && !unknown.contains("%util, vda"));
    dataset.trials.iter_mut().for_each(|record| record.sampling.samples.clear());
    let bare = page(&dataset);
    assert!(
        !bare.contains("disk writes/s, ")
            && !bare.contains("%util, ")
            && !bare.contains("dirty data, MiB")
    );
    assert!(bare.contains(">transactions/s</text>"), "throughput needs no samples");
}

#[test]
fn trials_of_an_aa_control_are_drawn_and_listed_trials_lead_to_them() {
    let mut dataset = support::usual();
    dataset.study.aa_control = dataset.study.targets.pop();
    let control = dataset.study.aa_control.as_ref().unwrap().name.clone();
    let page = page(&dataset);
    let mut drawn = 0;
    for record in dataset.trials.iter().filter(|record| record.key.target == control) {
        if record.load().is_some() {
            let position = record.position;
            let figure = format!("<figure id=\"t{position}\">");
            let (_, after) = page.split_once(&figure).unwrap_or_else(|| panic!("no {figure}"));
            assert!(after.split("</figure>").next().unwrap().contains("<svg"), "{figure}");
            assert!(
                page.contains(&format!("<a href=\"#t{position}\">{position}</a>")),
                "{position}"
            );
            drawn += 1;
        }
    }
    assert!(drawn > 1, "{drawn}");
}

#[test]
fn a_target_without_a_result_has_a_dash_that_leads_nowhere() {
    let mut dataset = support::usual();
    let without = dataset.study.targets[0].name.clone();
    for record in dataset.trials.iter_mut().filter(|record| record.key.target == without) {
        let failure = model::Failure::new(model::FailureKind::Other, "it broke", "");
        record.end = model::TrialEnd::Failed(failure);
    }
    let page = page(&dataset);
    let answer = page.split("id=\"answer\"").nth(1).unwrap().split("</section>").next().unwrap();
    let row = answer.split("<tr").find(|row| row.contains(&without)).unwrap();
    assert!(row.contains('–') || row.contains('—'), "{row}");
    for dash in ["–", "—"] {
        assert!(!page.contains(&format!(">{dash}</a>")), "{row}");
    }
}

#[test]
fn an_outage_is_a_band_in_every_panel_of_its_trial() {
    let mut dataset = support::usual();
    assert!(!page(&dataset).contains("class=\"outage\""));
    if let Some(load) = dataset.trials.iter_mut().find_map(|record| record.load_mut()) {
        load.outages = vec![model::Outage {
            first_error: std::time::Duration::from_secs(4),
            first_success: None,
            recovered: None,
            failed: 1,
        }];
    }
    // Throughput, processors, dirty data, MiB and six of the disk.
    assert_eq!(page(&dataset).matches("class=\"outage\"").count(), 9);
}

#[test]
fn too_few_transactions_show_no_high_percentile() {
    let mut dataset = support::usual();
    for record in &mut dataset.trials {
        let clients = record.key.level.clients;
        if let Some(load) = record.load_mut() {
            load.latencies.clear();
            load.intervals.retain(|interval| interval.phase != model::Phase::Measure);
            load.measure.transactions = 71;
            // As long as 71 transactions take where all clients are busy (Little's law).
            let latency = load.measure.elapsed * clients / 71;
            (0..71).for_each(|_| load.latencies.record(latency));
        }
        test_support::balance(record);
    }
    let page = page(&dataset);
    let chart =
        page.split("id=\"latency_p95-0-wide\"").nth(1).unwrap().split("</svg>").next().unwrap();
    assert!(!chart.contains("data-y="), "71 values do not support a 95th percentile");
    let chart =
        page.split("id=\"throughput-0-wide\"").nth(1).unwrap().split("</svg>").next().unwrap();
    assert!(chart.contains("data-y="));
}

#[test]
fn a_study_without_any_trial_still_renders() {
    let mut dataset = support::usual();
    dataset.trials.clear();
    dataset.targets.clear();
    let analysis = support::analysis(&dataset);
    for format in [Format::Html, Format::Markdown, Format::Json, Format::Csv] {
        let mut out = Vec::new();
        render(&analysis, format, &mut out).unwrap();
        assert!(!String::from_utf8(out).unwrap().contains("NaN"));
    }
    assert!(report::terminal_summary(&analysis, 80, false).contains("no target has a trial"));
}

#[test]
fn a_latency_heat_map_stands_under_the_throughput_of_every_trial_that_has_latencies() {
    let dataset = support::with_latencies();
    let drawn = page(&dataset);
    assert!(drawn.contains("how many operations of a second took how long"));
    let loads = dataset.trials.iter().filter(|record| record.load().is_some()).count();
    assert_eq!(drawn.matches("<g class=\"heat\"").count(), loads);
    let bare = page(&support::usual());
    assert!(!bare.contains("<g class=\"heat\"") && !bare.contains("latency, ms</text>"));
}

#[test]
fn a_huge_study_draws_trials_of_every_level_and_lists_the_doubtful_ones() {
    let dataset = support::huge();
    let page = page(&dataset);
    let (_, time) = page.split_once("id=\"time\"").expect("the section");
    let (time, _) = time.split_once("class=\"layer\"").expect("the next one");
    assert!(time.contains("300 of 1,439 trials are drawn"), "one is missing");
    assert_eq!(time.matches("<figure id=\"t").count(), 300);
    for level in 0..12 {
        assert!(time.contains(&format!("id=\"frame-0-{level}-0\"")), "level {level}");
    }
    let doubtful = support::analysis(&dataset)
        .tests
        .iter()
        .flat_map(|test| &test.cells)
        .flat_map(|cell| &cell.trials)
        .filter(|trial| {
            trial.validity != analyse::Validity::Valid || dataset.trials[trial.record].has_failed()
        })
        .count();
    let said = format!("{doubtful} of {} trials", dataset.trials.len());
    assert!(doubtful > 0 && doubtful < dataset.trials.len(), "{said}");
    let (_, trials) = page.split_once("id=\"trials\"").expect("the section");
    let (_, list) = trials.split_once("failed or are doubtful").expect("the list");
    let (_, body) = list.split_once("<tbody>").expect("its rows");
    let (body, _) = body.split_once("</tbody>").expect("their end");
    assert_eq!(body.matches("<tr").count(), doubtful, "{said}");
    for target in &dataset.study.targets {
        assert!(page.contains(&target.name), "{} is missing", target.name);
    }
}

#[test]
fn a_crossing_and_laws_are_drawn_over_the_throughput_alone() {
    let page = page(&support::crossing());
    // A wide and a narrow chart.
    assert_eq!(page.matches("class=\"crossing\"").count(), 2);
    assert_eq!(page.matches("class=\"crossing-interval\"").count(), 2);
    assert!(page.matches("class=\"law\"").count() >= 2);
    assert!(page.contains("Choose steady up to 4 clients; choose climber from 16 clients"));
    assert!(page.contains("climber overtakes steady between"));
    assert!(page.contains("A dotted upright line marks where one target overtakes another"));
    assert_eq!(self::page(&support::single()).matches("class=\"crossing\"").count(), 0);
}
