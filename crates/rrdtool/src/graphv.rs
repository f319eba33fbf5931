//! `graphv`: draws, and tells all about the image as named values.

use graph::{Drawing, LegendText};

use crate::facts::{Fact, FactValue};
use crate::failure::Failure;
use crate::graph::drawing;
use crate::session::Session;

/// Draws, and tells all that `rrd_graph_v` tells, in rrdtool's order. The image goes to its file,
/// or is the last of the values where the file is called `-`.
///
/// # Errors
/// The words are wrong, a database has no answer, or the image cannot be written.
pub fn facts(session: &mut Session, words: &[&str]) -> Result<Vec<Fact>, Failure> {
    let before = session.out.len();
    let drawing = drawing(session, words)?;
    // Of an image for `-` there is nothing to print.
    let image = session.out.split_off(before);
    let mut facts = Vec::new();
    for (nth, line) in drawing.printed.iter().enumerate() {
        facts.push(Fact::text(format!("print[{nth}]"), &**line));
    }
    if drawing.width > 0 {
        of_image(&drawing, &mut facts);
    }
    if !image.is_empty() {
        facts.push(Fact { key: "image".into(), value: FactValue::Blob(image) });
    }
    Ok(facts)
}

fn of_image(drawing: &Drawing, facts: &mut Vec<Fact>) {
    for (key, pixels) in [
        ("graph_left", drawing.graph_left),
        ("graph_top", drawing.graph_top),
        ("graph_width", drawing.graph_width),
        ("graph_height", drawing.graph_height),
        ("image_width", drawing.width),
        ("image_height", drawing.height),
    ] {
        facts.push(Fact::count(key, u64::from(pixels)));
    }
    // Times before 1970 are counted as librrd counts them, in a type without a sign.
    facts.push(Fact::count("graph_start", drawing.start_seconds.cast_unsigned()));
    facts.push(Fact::count("graph_end", drawing.end_seconds.cast_unsigned()));
    facts.push(Fact::value("value_min", drawing.value_min));
    facts.push(Fact::value("value_max", drawing.value_max));
    for (nth, text) in drawing.legend.iter().enumerate() {
        facts.push(Fact::text(format!("legend[{nth}]"), &*text.text));
        facts.push(Fact::text(format!("coords[{nth}]"), coords(text)));
    }
}

/// The height of a line of the legend, in pixels.
const LINE_PIXELS: f64 = 14.0;

/// Left, top, right and bottom edge in whole pixels.
fn coords(text: &LegendText) -> String {
    let half = LINE_PIXELS / 2.0;
    let edges = [text.left, text.middle - half, text.right, text.middle + half];
    edges.map(|edge| (edge as i64).to_string()).join(",")
}
