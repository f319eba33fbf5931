//! The words of the gallery.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
Usage: gallery [--to DIRECTORY] [--only TEXT] [--rounds N] [--json]

Draws graphs as MRTG, Cacti, LibreNMS, SmokePing, Munin, collectd and people write them, with
Debian's rrdtool and with the gyre beside this program, from the same files.

  --to DIRECTORY  where the pictures and index.html go (target/gallery)
  --only TEXT     graphs whose names have this text
  --rounds N      how often each is drawn for the times (3)
  --json          what was compared, as JSON
";

/// What was asked for.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) to: PathBuf,
    pub(crate) only: String,
    pub(crate) rounds: u32,
    pub(crate) as_json: bool,
}

impl Arguments {
    pub(crate) fn read(words: &[String]) -> Result<Self, String> {
        let mut found =
            Self { to: "target/gallery".into(), only: String::new(), rounds: 3, as_json: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--to" => found.to = value()?.into(),
                "--only" => found.only = value()?.clone(),
                "--rounds" => {
                    let text = value()?;
                    let rounds = text.parse().ok().filter(|rounds| *rounds > 0);
                    found.rounds = rounds.ok_or_else(|| {
                        format!("--rounds: expected a number from 1, found {text}")
                    })?;
                }
                "--json" => found.as_json = true,
                other => return Err(format!("{other} is no option\n\n{USAGE}")),
            }
        }
        Ok(found)
    }
}
