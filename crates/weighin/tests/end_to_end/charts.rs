//! Charts in files of their own.

use crate::support::Workplace;
use resvg::tiny_skia::Pixmap;
use std::fmt::Write;
use std::fs;

/// A workplace with a results file of two targets at two levels, made without a server.
fn with_results() -> Workplace {
    let place = Workplace::new();
    let mut table = String::from("target,test,clients,repeat,metric,value,unit\n");
    for (target, speed) in [("one", 1.0), ("two", 1.4)] {
        for (clients, repeat) in [(1, 1), (1, 2), (8, 1), (8, 2)] {
            let rate = f64::from(clients * 100 + repeat) * speed;
            let _ =
                writeln!(table, "{target},oltp,{clients},{repeat},transactions_per_s,{rate},1/s");
        }
    }
    place.write("table.csv", table);
    place.weighin(&["import", "csv", "table.csv", "--out", "run.weighin"]).done();
    place
}

#[test]
fn a_chart_is_drawn_and_replaces_only_its_like() {
    let place = with_results();
    let chart = |more: &[&str]| place.weighin(&[&["chart", "run.weighin"], more].concat());
    let text = |name: &str| fs::read_to_string(place.path(name)).unwrap();
    let said = chart(&["--out", "slide.svg"]).done();
    assert!(said.contains("Wrote slide.svg"), "{said}");
    let light = text("slide.svg");
    let drawing = roxmltree::Document::parse(&light).unwrap();
    let lines = drawing.descendants().filter(|node| node.attribute("class") == Some("line"));
    assert_eq!(lines.count(), 2, "one for each target");
    // An earlier chart is replaced.
    chart(&["--out", "slide.svg", "--theme", "dark", "--width", "640"]).done();
    assert!(text("slide.svg") != light && text("slide.svg").contains("width=\"640\""));
    // The drawing of somebody else is not, unless the user says so.
    place.write("own.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    chart(&["--out", "own.svg"]).refused(2, &["own.svg exists already", "--overwrite"]);
    assert!(text("own.svg").ends_with("/>"));
    chart(&["--out", "own.svg", "--overwrite"]).done();
    assert_eq!(text("own.svg"), light);
    assert_eq!(chart(&["--out", "-"]).done(), light);
}

#[test]
fn what_cannot_be_drawn_says_why_and_writes_nothing() {
    let place = with_results();
    let refused = |more: &[&str], said: &[&str]| {
        let arguments = [&["chart", "run.weighin", "--out", "slide.svg"], more].concat();
        place.weighin(&arguments).refused(2, said);
        assert!(!place.path("slide.svg").exists());
    };
    refused(&["--chart", "sideways"], &["no chart `sideways`", "percentiles"]);
    refused(&["--chart", "pareto"], &["no data", "`price`"]);
    refused(&["--chart", "heatmap"], &["no data"]);
    refused(&["--test", "olap"], &["no test `olap`", "oltp"]);
    refused(&["--repeat", "1"], &["--repeat chooses a trial", "heatmap, trial"]);
    refused(&["--width", "100"], &["--width", "200"]);
    refused(&["--scale", "2"], &["--scale", "PNG"]);
    refused(&["--format", "png", "--width", "8000", "--scale", "4"], &["pixels", "--width"]);
    let ending = place.weighin(&["chart", "run.weighin", "--out", "slide.jpg"]);
    ending.refused(2, &["slide.jpg does not end in .svg or .png", "--format"]);
}

#[test]
fn a_png_is_as_wide_as_asked_for_has_words_and_replaces_only_its_like() {
    let place = with_results();
    let chart = |more: &[&str]| place.weighin(&[&["chart", "run.weighin"], more].concat());
    let image = |name: &str| Pixmap::decode_png(&fs::read(place.path(name)).unwrap()).unwrap();
    chart(&["--out", "slide.png", "--width", "640"]).done();
    let small = image("slide.png");
    assert_eq!(small.width(), 640);
    chart(&["--out", "slide.png", "--width", "640", "--scale", "2", "--theme", "dark"]).done();
    let large = image("slide.png");
    assert_eq!((large.width(), large.height()), (1280, 2 * small.height()));
    let corner = |image: &Pixmap| image.pixel(1, 1).unwrap().red();
    assert!(corner(&small) > 200 && corner(&large) < 60, "the themes have their backgrounds");
    // The heading is words alone: of the first lines of pixels some are as dark as ink.
    let ink = (0..60).flat_map(|y| (0..300).map(move |x| (x, y)));
    let ink = ink.filter(|&(x, y)| small.pixel(x, y).unwrap().red() < 100).count();
    assert!(ink > 200, "{ink} dark pixels where the heading is");
    // Both lines are there, in their colours.
    for colour in [(0x00, 0x72, 0xb2), (0xd5, 0x5e, 0x00)] {
        let near = |is: u8, wanted: i32| (i32::from(is) - wanted).abs() < 40;
        let has = |pixel: &&resvg::tiny_skia::PremultipliedColorU8| {
            near(pixel.red(), colour.0)
                && near(pixel.green(), colour.1)
                && near(pixel.blue(), colour.2)
        };
        assert!(small.pixels().iter().filter(has).count() > 50, "{colour:?}");
    }
    // An image of somebody else stays.
    let foreign = Pixmap::new(4, 4).unwrap().encode_png().unwrap();
    place.write("own.png", &foreign);
    chart(&["--out", "own.png"]).refused(2, &["own.png exists already", "--overwrite"]);
    assert_eq!(fs::read(place.path("own.png")).unwrap(), foreign);
    // What the file is called does not decide where the format is named.
    chart(&["--out", "slide.image", "--format", "png", "--width", "640"]).done();
    assert_eq!(image("slide.image").data(), small.data());
}
