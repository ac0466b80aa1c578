//! Drawings as pixels.

use crate::exit::CliError;
use report::{PNG_MARK, SECOND_CHUNK};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, Query};
use resvg::usvg::{Group, ImageHrefResolver, Node, Options, Tree};
use std::sync::Arc;

/// Most pixels of an image: 256 MiB of memory.
const MOST_PIXELS: u64 = 64 << 20;

/// A PNG of a drawing, with so many pixels in place of each of its own. Words are drawn with the fonts
/// of this machine.
///
/// # Errors
/// When the machine has no font for them, or there would be too many pixels.
pub(crate) fn png(svg: &str, scale: u32) -> Result<Vec<u8>, CliError> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    let tree = tree(svg, fonts)?;
    let image = pixels(&tree, scale)?;
    let encoded = image.encode_png().map_err(|error| failed(&error.to_string()))?;
    Ok(marked(encoded))
}

/// The drawing with its words laid out.
fn tree(svg: &str, mut fonts: Database) -> Result<Tree, CliError> {
    let Some(family) = sans_serif(&mut fonts) else { return Err(no_fonts()) };
    let options = Options {
        font_family: family,
        fontdb: Arc::new(fonts),
        // A drawing of weighin's refers to nothing; whatever its words are, no file is read for them.
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(&error.to_string()))?;
    match words(tree.root()) {
        Words { written, drawn: 0 } if written > 0 => Err(no_fonts()),
        _ => Ok(tree),
    }
}

/// The family that stands for fonts without serifs, made sure that there is one; `None` where there are
/// no fonts at all.
fn sans_serif(fonts: &mut Database) -> Option<String> {
    let is_there = |fonts: &Database| {
        let query = Query { families: &[Family::SansSerif], ..Query::default() };
        fonts.query(&query).is_some()
    };
    if !is_there(fonts) {
        let faces: Vec<_> = fonts.faces().filter(|face| !face.families.is_empty()).collect();
        let plain = |name: &str| name.contains("Sans");
        let chosen = faces.iter().max_by_key(|face| {
            (!face.monospaced, face.families.iter().any(|(name, _)| plain(name)))
        });
        let name = chosen?.families.first()?.0.clone();
        fonts.set_sans_serif_family(name);
    }
    Some(fonts.family_name(&Family::SansSerif).to_owned())
}

/// How many texts a drawing has, and how many of them have something to be seen.
#[derive(Debug, Default, PartialEq)]
struct Words {
    written: usize,
    drawn: usize,
}

fn words(group: &Group) -> Words {
    let mut words = Words::default();
    for node in group.children() {
        match node {
            Node::Group(inner) => {
                let inner = self::words(inner);
                words.written += inner.written;
                words.drawn += inner.drawn;
            }
            Node::Text(text) => {
                words.written += 1;
                words.drawn += usize::from(text.flattened().has_children());
            }
            Node::Path(_) | Node::Image(_) => {}
        }
    }
    words
}

fn pixels(tree: &Tree, scale: u32) -> Result<Pixmap, CliError> {
    let scale = scale as f32;
    let size = tree.size().to_int_size().scale_by(scale);
    let size =
        size.filter(|size| u64::from(size.width()) * u64::from(size.height()) <= MOST_PIXELS);
    let image = size.and_then(|size| Pixmap::new(size.width(), size.height()));
    let mut image = image.ok_or_else(|| {
        CliError::usage(
            format!("the image would have more than {} million pixels", MOST_PIXELS >> 20),
            "choose a smaller --width or --scale, or write an SVG",
        )
    })?;
    resvg::render(tree, Transform::from_scale(scale, scale), &mut image.as_mut());
    Ok(image)
}

/// The same with a text chunk by which weighin knows it again.
fn marked(png: Vec<u8>) -> Vec<u8> {
    let Some((head, rest)) = png.split_at_checked(SECOND_CHUNK) else { return png };
    let contents = [b"tEXt", PNG_MARK].concat();
    let length = u32::try_from(PNG_MARK.len()).unwrap_or_default().to_be_bytes();
    let sum = crc32fast::hash(&contents).to_be_bytes();
    [head, &length, &contents, &sum, rest].concat()
}

fn no_fonts() -> CliError {
    CliError::unavailable(
        "this machine has no font that the words of the chart could be drawn with",
        "install one (on Debian and Ubuntu: apt-get install fonts-dejavu-core), or write an SVG, \
         which is drawn with the fonts of whoever looks at it",
    )
}

fn failed(why: &str) -> CliError {
    CliError::unavailable(format!("cannot draw the chart: {why}"), "write an SVG")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str =
        "<image href=\"/etc/passwd\"/><rect fill=\"red\" width=\"999\" height=\"999\"/>";

    fn drawing(text: &str) -> String {
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"50\" viewBox=\"0 0 100 25\">\
             <style>text {{ font-family: system-ui, sans-serif; font-size: 12px; }}</style>\
             <rect width=\"100\" height=\"25\" fill=\"#fff\"/><text x=\"5\" y=\"15\">{escaped}</text></svg>"
        )
    }

    /// How many pixels are not white.
    fn ink(png: &[u8]) -> usize {
        let image = Pixmap::decode_png(png).unwrap();
        image.pixels().iter().filter(|pixel| pixel.red() < 128).count()
    }

    #[test]
    fn words_are_drawn_and_the_size_is_what_was_asked_for() {
        let (with, without) = (png(&drawing("Wörter"), 1).unwrap(), png(&drawing(""), 1).unwrap());
        assert_eq!(ink(&without), 0);
        assert!(ink(&with) > 100, "{}", ink(&with));
        let large = Pixmap::decode_png(&png(&drawing("Wörter"), 3).unwrap()).unwrap();
        assert_eq!((large.width(), large.height()), (600, 150));
        assert!(png(&drawing("x").replace("200", "200000"), 4).is_err());
    }

    #[test]
    fn names_are_words_whatever_they_hold_and_no_file_is_read() {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        let named = tree(&drawing(HOSTILE), fonts.clone()).unwrap();
        assert_eq!(words(named.root()), Words { written: 1, drawn: 1 });
        assert!(!named.root().children().iter().any(|node| matches!(node, Node::Image(_))));
        // Not even where they could: of an element that refers to a file nothing is drawn.
        let refers = drawing("")
            .replace("<text", "<image href=\"/proc/self/exe\" width=\"9\" height=\"9\"/><text");
        let refers = tree(&refers, fonts).unwrap();
        assert!(!refers.root().children().iter().any(|node| matches!(node, Node::Image(_))));
    }

    #[test]
    fn a_machine_without_fonts_is_told_what_to_install() {
        let error = tree(&drawing("words"), Database::new()).unwrap_err();
        let said = format!("{error:?}");
        assert!(said.contains("no font") && said.contains("fonts-dejavu-core"), "{said}");
    }

    #[test]
    fn an_image_is_known_again_as_weighins() {
        let image = png(&drawing("a"), 1).unwrap();
        assert!(report::is_own(&image));
        let foreign = Pixmap::new(3, 3).unwrap().encode_png().unwrap();
        assert!(!report::is_own(&foreign));
        assert!(report::is_own(&marked(foreign)));
    }
}
