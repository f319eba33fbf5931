//! `graph`: an image from the arguments of rrdgraph. All drawing is `graph`'s; here databases are
//! read and images written.

use std::io::Write as _;

use graph::{Arguments, Drawing, SeriesRequest, draw};
use rrd::Stretch;

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
    let drawing = drawing(session, words)?;
    let has_result = !drawing.image.is_empty() || !drawing.printed.is_empty();
    // Where the image itself was asked for first of all, nothing else is to follow it.
    if has_result && words.first() != Some(&"-") {
        let _ = writeln!(session.out, "{}x{}", drawing.width, drawing.height); // a Vec takes all
        for line in &drawing.printed {
            let _ = writeln!(session.out, "{line}");
        }
    }
    Ok(())
}

/// Draws, and writes the image where the words say.
///
/// # Errors
/// The words are wrong, a database has no answer, or the image cannot be written.
pub fn drawing(session: &mut Session, words: &[&str]) -> Result<Drawing, Failure> {
    let mut arguments = Arguments::read(words)?;
    let name = arguments.take_file_name()?;
    arguments.find_fonts(&systemfonts::find);
    let zone = session.times.clock().zone().clone();
    let now = session.times.now();
    let drawing = draw(&arguments, now, &zone, &mut |requests| fetch(session, requests))?;
    write(session, name, &drawing)?;
    Ok(drawing)
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
        .map(|(answer, request)| (answer, (&*request.rrd, request.query())))
        .unzip();
    let found = session.databases.fetch_all(&wanted);
    open.into_iter().zip(found).for_each(|(answer, found)| *answer = Some(found));
    answers.into_iter().flatten().collect()
}

/// What the daemon answers, where one is to be asked.
fn ask_daemon(session: &mut Session, request: &SeriesRequest) -> Result<Option<Stretch>, Failure> {
    if databases::is_from_program(&request.rrd) {
        return Ok(None);
    }
    let told = session.ask_daemon(request.daemon.as_deref(), |client| {
        let (start_seconds, end_seconds) = (request.start_seconds, request.end_seconds);
        client.fetch(&request.rrd, request.cf.name(), start_seconds, end_seconds)
    })?;
    Ok(told.map(Stretch::from))
}

/// The image goes to its file, or to standard output for `-`; where nothing was drawn there is
/// none.
fn write(session: &mut Session, name: &str, drawing: &Drawing) -> Result<(), Failure> {
    if name == "-" {
        session.out.extend_from_slice(&drawing.image);
    } else if !drawing.image.is_empty() {
        std::fs::write(name, &drawing.image)
            .map_err(Failure::system(format!("Opening '{name}' for write: ")))?;
    }
    Ok(())
}
