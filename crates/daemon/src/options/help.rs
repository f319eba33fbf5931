//! The help, out of the rows.

use ::options::help::{Columns, append_options};
use ::options::namings;

use super::rows::rows;

const COLUMNS: Columns = Columns { indent: 25, width: 88 };

/// What `--help` prints.
pub(crate) fn text(program: &str) -> String {
    let mut text = format!(
        "Usage: {program} [OPTION] ...\n\n\
         Takes updates of round robin databases and answers for them, as rrdcached does and over its\n\
         protocol: of .rrd files, which it keeps up to date, or of a ring store.\n\n"
    );
    append_options(&mut text, &namings(&rows()), COLUMNS);
    text.push_str(
        "\nSIGTERM and SIGINT end it; with a journal, files are then left as they are unless -F is \
         given.\nSIGUSR1 has every file written first, SIGUSR2 none.\n",
    );
    text
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
