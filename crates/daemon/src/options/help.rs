//! The help, out of the rows.

use ::options::help::{Columns, append_options, wrap};
use ::options::{Described, namings};

use super::rows::rows;

const COLUMNS: Columns = Columns { indent: 25, width: 88 };

const SUMMARY: &str = "Takes updates of round robin databases and answers for them, as rrdcached \
                       does and over its protocol: of .rrd files, which it keeps up to date, or \
                       of a ring store.";
const NOTES: &str = "\
SIGTERM and SIGINT end it; with a journal, files are then left as they are unless -F is given.
SIGUSR1 has every file written first, SIGUSR2 none.
";

/// The daemon for its page and for completions.
pub(crate) fn described(program: &str) -> Described {
    Described {
        called: program.to_owned(),
        synopsis: format!("{program} [OPTION] ..."),
        summary: SUMMARY.to_owned(),
        options: namings(&rows()).to_vec(),
        notes: NOTES.to_owned(),
    }
}

/// What `--help` prints.
pub(crate) fn text(program: &str) -> String {
    let Described { synopsis, summary, options, notes, .. } = described(program);
    let mut text = format!("Usage: {synopsis}\n\n");
    wrap(&mut text, &summary, COLUMNS.width, 0);
    text.push('\n');
    append_options(&mut text, &options, COLUMNS);
    text + "\n" + &notes
}

#[cfg(test)]
mod tests {
    use super::{namings, rows, text};

    #[test]
    fn every_option_is_told_in_lines_that_fit() {
        let text = text("rrdcached");
        for option in namings(&rows()) {
            assert!(text.contains(&format!("--{}", option.long)), "{}", option.long);
        }
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    }
}
