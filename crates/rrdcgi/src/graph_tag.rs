//! GRAPH: a picture, and the reference to it.

use std::path::Path;

use rrdtool::{Failure, Session, graph};

use crate::reference::{Reference, Words};

/// What GRAPH leaves where no `--imginfo` says otherwise.
const USUAL_REFERENCE: &str = "<IMG SRC=\"./%s\" WIDTH=\"%lu\" HEIGHT=\"%lu\">";

/// A graph that was drawn.
pub(crate) struct Drawn {
    /// What GRAPH leaves in the page.
    pub(crate) reference: String,
    /// The lines of its PRINT elements.
    pub(crate) printed: Vec<String>,
}

/// Draws by the words of rrdgraph.
pub(crate) fn draw(session: &mut Session, words: &[String]) -> Result<Drawn, Failure> {
    let Words { others, format, file } = Words::of(words);
    let drawing = graph::drawing(session, &others);
    // An image for standard output has no place on a page.
    session.out.clear();
    let drawing = drawing?;
    let format = format.unwrap_or(USUAL_REFERENCE);
    let reference = Reference::parse(format).ok_or_else(|| {
        Failure::misuse(format!(
            "invalid format string '{format}' (should match \
             '^(?:[^%]+|%%)*%s(?:[^%]+|%%)*%lu(?:[^%]+|%%)*%lu(?:[^%]+|%%)*$')"
        ))
    })?;
    let file = if file == "-" { "memory" } else { file };
    let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
    let reference = reference.text(&name, drawing.width, drawing.height);
    Ok(Drawn { reference, printed: drawing.printed })
}
