//! `graphv`: draws, and tells all about the image as named values.

use graph::{Drawing, LegendText};
use rrd::Tick;

use crate::facts::{self, Fact, FactValue};
use crate::failure::Failure;
use crate::graph::{Drawn, draw, write};
use crate::session::Session;
use crate::verb::Verb;

pub(crate) const VERB: Verb = Verb {
    name: "graphv",
    summary: "Draw an image from files, and print what is known of it as `key = value`",
    operands: "IMAGE|- ELEMENT ... (elements as in rrdgraph_data(1) and rrdgraph_graph(1))",
    options: graph::OPTIONS,
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let facts = facts(session, words)?;
    facts::append(&mut session.out, &facts);
    Ok(())
}

/// Draws, and tells all that `rrd_graph_v` tells, in rrdtool's order. The image goes to its file,
/// or is the last of the values where the file is called `-`.
///
/// # Errors
/// The words are wrong, a database has no answer, or the image cannot be written.
pub fn facts(session: &mut Session, words: &[&str]) -> Result<Vec<Fact>, Failure> {
    let Drawn { name, info, png, drawing } = draw(session, words)?;
    let mut facts = Vec::new();
    if drawing.table.is_some() {
        of_table(&drawing, &mut facts);
        prints(&drawing, &mut facts);
    } else {
        prints(&drawing, &mut facts);
        if drawing.width > 0 {
            of_image(&drawing, &mut facts);
        }
    }
    if let Some(info) = info.filter(|info| !info.is_empty()) {
        facts.push(Fact::text("image_info", info));
    }
    if name != "-" {
        write(name, png, &drawing)?;
    } else if !drawing.image.is_empty() {
        facts.push(Fact { key: "image".into(), value: FactValue::Blob(drawing.image) });
    }
    Ok(facts)
}

fn prints(drawing: &Drawing, facts: &mut Vec<Fact>) {
    for (nth, line) in drawing.printed.iter().enumerate() {
        facts.push(Fact::text(format!("print[{nth}]"), &**line));
    }
}

fn of_table(drawing: &Drawing, facts: &mut Vec<Fact>) {
    if let Some(window) = drawing.table {
        facts.push(time("graph_start", window.tick, window.start_seconds));
        facts.push(time("graph_end", window.tick, window.end_seconds));
        facts.push(time("graph_step", window.tick, window.step_seconds.cast_signed()));
    }
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
    facts.push(time("graph_start", drawing.tick, drawing.start_seconds));
    facts.push(time("graph_end", drawing.tick, drawing.end_seconds));
    if drawing.is_kept {
        return;
    }
    facts.push(Fact::value("value_min", drawing.value_min));
    facts.push(Fact::value("value_max", drawing.value_max));
    for (nth, text) in drawing.legend.iter().enumerate() {
        facts.push(Fact::text(format!("legend[{nth}]"), &*text.text));
        facts.push(Fact::text(format!("coords[{nth}]"), coords(text)));
    }
}

/// Left, top, right and bottom edge in whole pixels.
fn coords(text: &LegendText) -> String {
    let half = text.height / 2.0;
    let edges = [text.left, text.middle - half, text.right, text.middle + half];
    edges.map(|edge| (edge.round_ties_even() as i64).to_string()).join(",")
}

/// Times before 1970 are counted as librrd counts them, in a type without a sign. One with a fraction
/// is a text: a double would be printed with too few digits.
fn time(key: &str, tick: Tick, time: i64) -> Fact {
    match tick.is_second() {
        true => Fact::count(key, time.cast_unsigned()),
        false => Fact::text(key, tick.told(time).to_string()),
    }
}
