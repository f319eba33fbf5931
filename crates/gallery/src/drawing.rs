//! One program that draws in rrdtool's pipe mode.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gallery::definitions::Definition;
use oracle::{Reply, Rrdtool};

/// A program at work.
pub(crate) struct Drawer {
    program: Rrdtool,
    /// What its pictures' names begin with.
    name: &'static str,
    directory: PathBuf,
}

/// What became of one graph.
pub(crate) struct Drawn {
    /// The picture, unless the program refused.
    pub(crate) picture: Result<PathBuf, String>,
    /// What was printed: the size and each PRINT.
    pub(crate) printed: Vec<String>,
    /// The shortest time of all rounds.
    pub(crate) time: Duration,
}

impl Drawer {
    /// `directory` has the databases; pictures go there, too.
    pub(crate) fn start(program: &Path, name: &'static str, directory: &Path) -> Self {
        Self { program: Rrdtool::start(program, directory), name, directory: directory.into() }
    }

    pub(crate) fn draw(&mut self, definition: &Definition, rounds: u32) -> Drawn {
        let file = format!("{}-{}.png", definition.name, self.name);
        let command = format!("graph {file} {}", definition.line());
        let mut time = Duration::MAX;
        let mut reply = Reply::Error("not drawn".to_owned());
        for _ in 0..rounds {
            // A picture that is there already would be left alone by --lazy.
            let _ = std::fs::remove_file(self.directory.join(&file));
            let start = Instant::now();
            reply = self.program.send(&command);
            time = time.min(start.elapsed());
        }
        match reply {
            Reply::Ok(printed) => Drawn { picture: Ok(self.directory.join(file)), printed, time },
            Reply::Error(error) => Drawn { picture: Err(error), printed: Vec::new(), time },
        }
    }
}
