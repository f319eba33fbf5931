//! The help, out of the table.

use super::table::TABLE;

/// Where what an option does is told.
const COLUMN: usize = 25;
const WIDTH: usize = 88;

/// What `--help` prints.
pub(crate) fn text(program: &str) -> String {
    let mut text = format!(
        "Usage: {program} [OPTION] ...\n\n\
         Takes updates of round robin databases and answers for them, as rrdcached does and over its\n\
         protocol: of .rrd files, which it keeps up to date, or of a ring store.\n\n"
    );
    for option in TABLE {
        let value = option.value.map(|value| format!(" {value}")).unwrap_or_default();
        let names = match option.short {
            Some(short) => format!("  -{short}, --{}{value}", option.long),
            None => format!("      --{}{value}", option.long),
        };
        append(&mut text, &names, option.help);
    }
    text.push_str(
        "\nSIGTERM and SIGINT end it; with a journal, files are then left as they are unless -F is \
         given.\nSIGUSR1 has every file written first, SIGUSR2 none.\n",
    );
    text
}

fn append(text: &mut String, names: &str, help: &str) {
    let mut line = format!("{names:<width$}", width = COLUMN);
    if names.len() + 2 > COLUMN {
        text.push_str(names);
        text.push('\n');
        line = " ".repeat(COLUMN);
    }
    for word in help.split_whitespace() {
        if line.len() + word.len() >= WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = " ".repeat(COLUMN);
        }
        line.push_str(word);
        line.push(' ');
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{TABLE, WIDTH, text};

    #[test]
    fn every_option_is_told_in_lines_that_fit() {
        let text = text("rrdcached");
        for option in TABLE {
            assert!(text.contains(&format!("--{}", option.long)), "{}", option.long);
        }
        assert!(text.lines().all(|line| line.len() <= WIDTH + 12), "{text}");
    }
}
