//! `graph`: an image from the arguments of rrdgraph. All drawing is `graph`'s; here databases are
//! read and images written.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::UNIX_EPOCH;

use graph::{Arguments, Drawing, Plan, SeriesRequest};
use rrd::Stretch;
use rrd::fetch::Query;

use crate::databases;
use crate::failure::Failure;
use crate::session::Session;
use crate::verb::Verb;

pub(crate) const VERB: Verb = Verb {
    name: "graph",
    summary: "Draw an image from files",
    operands: "IMAGE|- ELEMENT ... (elements as in rrdgraph_data(1) and rrdgraph_graph(1))",
    options: graph::OPTIONS,
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let drawn = draw(session, words)?;
    save(session, &drawn)?;
    let Drawn { info, drawing, .. } = drawn;
    let has_result = drawing.width > 0 || drawing.table.is_some() || !drawing.printed.is_empty();
    // Where the image itself was asked for first of all, nothing else is to follow it.
    if has_result && words.first() != Some(&"-") {
        // A Vec takes all.
        let _ = match info {
            Some(info) if info.is_empty() => Ok(()),
            Some(info) => writeln!(session.out, "{info}"),
            None => writeln!(session.out, "{}x{}", drawing.width, drawing.height),
        };
        for line in &drawing.printed {
            let _ = writeln!(session.out, "{line}");
        }
    }
    Ok(())
}

/// A graph that was drawn and written, for callers that are no command line.
pub struct Told {
    /// The drawing.
    pub drawing: Drawing,
    /// What `--imginfo` tells, unless that is empty, and the lines of PRINT.
    pub lines: Vec<String>,
}

/// Draws, and writes the image where the words say.
///
/// # Errors
/// The words are wrong, a database has no answer, or the image cannot be written.
pub fn told(session: &mut Session, words: &[&str]) -> Result<Told, Failure> {
    let drawn = draw(session, words)?;
    save(session, &drawn)?;
    let Drawn { info, drawing, .. } = drawn;
    let info = info.filter(|info| !info.is_empty());
    let lines = info.into_iter().chain(drawing.printed.iter().cloned()).collect();
    Ok(Told { drawing, lines })
}

/// A graph, drawn and not yet written.
pub(crate) struct Drawn<'a> {
    /// The name of the image's file; `-` for standard output.
    pub(crate) name: &'a str,
    /// What `--imginfo` tells.
    pub(crate) info: Option<String>,
    /// Whether the image is a PNG file.
    pub(crate) png: bool,
    pub(crate) drawing: Drawing,
}

pub(crate) fn draw<'a>(session: &mut Session, words: &'a [&'a str]) -> Result<Drawn<'a>, Failure> {
    let mut arguments = Arguments::read(words)?;
    let name = arguments.take_file_name()?;
    arguments.find_fonts(systemfonts::FINDER);
    arguments.use_vocabulary(session.vocabulary());
    let zone = session.times.clock().zone().clone();
    let now = session.times.now();
    let mut plan = Plan::new(&arguments, now, &zone)?;
    let png = plan.makes_png();
    if let Some(age_seconds) = plan.age_kept_seconds()
        && is_new_enough(name, now.seconds, age_seconds, png)
    {
        plan.keep_image();
    }
    let drawing = plan.draw_fetched_by(&mut |requests| fetch(session, requests))?;
    let info = plan.image_info(name, &drawing);
    Ok(Drawn { name, info, png, drawing })
}

/// Whether the image that is there is not older than a pixel is long. A PNG file must look like
/// one; of other images rrdtool looks at nothing but the time.
fn is_new_enough(name: &str, now_seconds: i64, age_seconds: i64, png: bool) -> bool {
    let path = Path::new(name);
    let Ok(facts) = std::fs::metadata(path) else { return false };
    let changed = facts.modified().ok();
    let since_1970 = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed_seconds = since_1970.map_or(0, |since| since.as_secs() as i64);
    let is_young = now_seconds - changed_seconds <= age_seconds;
    name != "-" && facts.is_file() && is_young && (!png || is_png(path))
}

/// Whether a file begins as PNG files do, and has the size of its image.
fn is_png(path: &Path) -> bool {
    let mut head = [0; 24];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.starts_with(b"\x89PNG\r\n\x1a\n") && head[12..16] == *b"IHDR"
}

/// The answers to requests, in their order: those of daemons, and all others from databases
/// together.
pub(crate) fn fetch(
    session: &mut Session,
    requests: &[SeriesRequest],
) -> Vec<Result<Stretch, Failure>> {
    let mut answers: Vec<_> =
        requests.iter().map(|request| ask_daemon(session, request).transpose()).collect();
    let (open, wanted): (Vec<_>, Vec<_>) = answers
        .iter_mut()
        .zip(requests)
        .filter(|(answer, _)| answer.is_none())
        .map(|(answer, request)| {
            let query = match databases::is_from_elsewhere(&request.rrd) {
                true => request.query_in_seconds(),
                false => request.query(),
            };
            (answer, (&*request.rrd, query))
        })
        .unzip();
    let found = session.databases.fetch_all(&wanted);
    open.into_iter().zip(found).for_each(|(answer, found)| *answer = Some(found));
    answers.into_iter().flatten().collect()
}

/// What the daemon answers, where one is to be asked.
fn ask_daemon(session: &mut Session, request: &SeriesRequest) -> Result<Option<Stretch>, Failure> {
    if databases::is_from_elsewhere(&request.rrd) {
        return Ok(None);
    }
    let told = session.ask_daemon(request.daemon.as_deref(), |client| {
        let Query { start_seconds, end_seconds, .. } = request.query_in_seconds();
        client.fetch(&request.rrd, &request.cf.to_string(), start_seconds, end_seconds)
    })?;
    Ok(told.map(Stretch::from))
}

fn save(session: &mut Session, drawn: &Drawn<'_>) -> Result<(), Failure> {
    if drawn.name == "-" {
        session.out.extend_from_slice(&drawn.drawing.image);
        return Ok(());
    }
    write(drawn.name, drawn.png, &drawn.drawing)
}

/// Writes the image to its file; where nothing was drawn there is none. No reader finds half of it
/// under its name.
pub(crate) fn write(name: &str, png: bool, drawing: &Drawing) -> Result<(), Failure> {
    if drawing.image.is_empty() {
        return Ok(());
    }
    disk::publish(Path::new(name), &drawing.image).map_err(|error| match png {
        true => Failure::Image(name.into(), error),
        false => Failure::System(format!("Opening '{name}' for write: "), error),
    })
}
