//! Charts in files of their own: sound, complete, and of what was asked for.

use crate::support;
use report::{ChartRequest, NoChart, Theme, TrialChoice, chart, is_own};
use roxmltree::Document;

fn request(kind: &str) -> ChartRequest {
    ChartRequest {
        kind: kind.to_owned(),
        test: None,
        trial: TrialChoice::default(),
        theme: Theme::Light,
        width: 1280,
    }
}

fn drawn(dataset: &model::Dataset, request: &ChartRequest) -> Result<String, NoChart> {
    chart(&support::analysis(dataset), request)
}

/// Classes that stand in a drawing.
fn has_class(document: &Document, class: &str) -> bool {
    let mut nodes = document.descendants().filter_map(|node| node.attribute("class"));
    nodes.any(|classes| classes.split(' ').any(|one| one == class))
}

#[test]
fn every_kind_is_sound_xml_that_refers_to_nothing_and_needs_no_variables() {
    let dataset = support::with_latencies();
    for (kind, class) in [
        ("throughput", "line"),
        ("latency", "band"),
        ("percentiles", "line"),
        ("heatmap", "heat"),
        ("trial", "trace"),
    ] {
        let svg = drawn(&dataset, &request(kind)).unwrap();
        let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{kind}: {error}"));
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "svg");
        assert_eq!(root.attribute("width"), Some("1280"), "{kind}");
        assert!(has_class(&document, class), "{kind}");
        for forbidden in ["var(", "url(", "href", "<script", "NaN", "inf\""] {
            assert!(!svg.contains(forbidden), "{kind} contains {forbidden}");
        }
        let elsewhere = svg.replace("http://www.w3.org/2000/svg", "").contains("http");
        assert!(!elsewhere, "{kind}");
        assert!(is_own(svg.as_bytes()), "{kind} may be replaced");
        assert!(svg.contains("commit-durability"), "{kind} says of which study it is");
    }
    assert!(!is_own(
        b"<svg xmlns=\"http://www.w3.org/2000/svg\">\n<metadata>Inkscape</metadata>\n"
    ));
}

#[test]
fn what_operations_take_has_charts_of_its_own() {
    let dataset = support::usual();
    let svg = drawn(&dataset, &request("disk_written_per_op_bytes")).unwrap();
    assert!(has_class(&Document::parse(&svg).unwrap(), "line"));
    let none = drawn(&dataset, &request("nothing")).unwrap_err();
    assert!(none.help.contains("disk_written_per_op_bytes"), "{}", none.help);
    assert!(!none.help.contains("server_cpu_per_op_us"), "it was not seen: {}", none.help);
}

#[test]
fn names_cannot_become_markup() {
    let svg = drawn(&support::hostile(), &request("throughput")).unwrap();
    assert!(Document::parse(&svg).is_ok());
    assert!(!svg.contains(support::HOSTILE));
}

#[test]
fn themes_differ_in_colours_alone_and_the_width_in_its_number() {
    let dataset = support::usual();
    let light = request("throughput");
    let dark = ChartRequest { theme: Theme::Dark, width: 640, ..light.clone() };
    let [light, dark] = [&light, &dark].map(|request| drawn(&dataset, request).unwrap());
    let after_style = |svg: &str| svg.split("</style>").nth(1).unwrap().to_owned();
    assert_eq!(after_style(&light), after_style(&dark));
    assert!(light.contains(".paper { fill: #fff; }") && dark.contains(".paper { fill: #14171b; }"));
    assert!(dark.contains(" width=\"640\""));
}

#[test]
fn the_trial_is_the_one_that_was_chosen_or_says_what_there_is() {
    let dataset = support::with_latencies();
    let choose = |target: Option<&str>, level, repeat| {
        let target = target.map(str::to_owned);
        let trial = TrialChoice { target, level, repeat };
        drawn(&dataset, &ChartRequest { trial, ..request("heatmap") })
    };
    let chosen = choose(Some("durable"), Some(4), Some(2)).unwrap();
    assert!(chosen.contains("durable, 4 clients, repeat 2"), "{chosen}");
    let free = choose(None, None, None).unwrap();
    assert!(free.contains("relaxed, 16 clients"), "the recommendation: {free}");
    let none = choose(Some("durable"), Some(5), None).unwrap_err();
    assert!(none.help.contains("durable 4"), "{none:?}");
    assert!(choose(Some("durable"), Some(4), Some(9)).is_err());
}

#[test]
fn a_trial_says_what_its_lines_and_shades_are() {
    let dataset = support::with_latencies();
    let svg = drawn(&dataset, &request("trial")).unwrap();
    let document = Document::parse(&svg).unwrap();
    let said: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    for (words, class) in [
        ("warm-up", "warmup"),
        ("latency: the darker, the more operations", "shade"),
        ("processors in use", "busy"),
        ("waiting for IO", "iowait"),
        ("writes, mean %util", "write"),
        ("reads, busiest disk", "read"),
    ] {
        assert!(said.contains(&words) && has_class(&document, class), "{words}: {said:?}");
    }
    assert!(!said.contains(&"outage"), "there was none");
    // The names stand under the lines of the head and above the panels, and one beside another.
    let y = |text: &str| -> f64 {
        let mut nodes = document.descendants().filter(|node| node.has_tag_name("text"));
        let node = nodes.find(|node| node.text() == Some(text)).unwrap();
        node.attribute("y").unwrap().parse().unwrap()
    };
    let chart =
        document.descendants().find(|node| node.attribute("class") == Some("chart")).unwrap();
    let top: f64 = chart.attribute("y").unwrap().parse().unwrap();
    let heads = document.descendants().filter(|node| node.attribute("class") == Some("said"));
    let heads = heads.filter_map(|node| node.attribute("y")?.parse::<f64>().ok());
    let head = heads.fold(0.0, f64::max);
    assert!(head < y("warm-up") && y("warm-up") < y("waiting for IO") && y("waiting for IO") < top);
}

#[test]
fn what_there_is_not_is_said_with_what_there_is() {
    let dataset = support::usual();
    let none = drawn(&dataset, &request("sideways")).unwrap_err();
    assert!(none.what.contains("`sideways`") && none.help.contains("percentiles"), "{none:?}");
    let costs = drawn(&dataset, &request("pareto")).unwrap_err();
    assert!(costs.help.contains("price"), "{costs:?}");
    let other = ChartRequest { test: Some("olap".to_owned()), ..request("throughput") };
    let other = drawn(&dataset, &other).unwrap_err();
    assert!(other.help.contains("oltp"), "{other:?}");
    // Seconds without latencies have no heat map.
    assert!(drawn(&dataset, &request("heatmap")).is_err());
    let mut empty = support::usual();
    empty.trials.clear();
    for kind in ["throughput", "percentiles", "pareto", "heatmap", "trial"] {
        assert!(drawn(&empty, &request(kind)).is_err(), "{kind}");
    }
}

#[test]
fn many_targets_have_a_legend_and_one_level_has_rows() {
    let crowd = drawn(&support::huge(), &request("throughput")).unwrap();
    assert!(crowd.contains("nvme-raid1") || crowd.contains("metal"));
    assert!(Document::parse(&crowd).is_ok());
    let single = drawn(&support::single(), &request("throughput")).unwrap();
    let document = Document::parse(&single).unwrap();
    assert!(has_class(&document, "thick") || has_class(&document, "mark"));
}
