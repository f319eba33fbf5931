//! GRAPH: a picture, and the reference to it.

use rrdtool::{Failure, Session, graph};

/// What GRAPH leaves where no `--imginfo` says otherwise.
const USUAL_REFERENCE: &str = "<IMG SRC=\"./%s\" WIDTH=\"%lu\" HEIGHT=\"%lu\">";

/// Draws by the words of rrdgraph. Gives what `--imginfo` tells of the picture, and the lines of
/// PRINT.
///
/// As with rrdcgi, `--imginfo` counts only as a word of its own: `-f` and `--imginfo=` give way to
/// the usual reference, which comes behind all words.
pub(crate) fn draw(session: &mut Session, words: &[String]) -> Result<Vec<String>, Failure> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    if !words.contains(&"--imginfo") {
        words.extend(["--imginfo", USUAL_REFERENCE]);
    }
    let told = graph::told(session, &words);
    // An image for standard output has no place on a page.
    session.out.clear();
    Ok(told?.lines)
}
