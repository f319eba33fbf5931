//! Counts code: the lines of a crate's `src` without blank lines, comments and tests.

use std::fs;

use crate::layers::{Crate, TABLE};
use crate::sources;

/// The code of one crate.
pub(crate) struct Count {
    pub(crate) name: &'static str,
    /// Whether it is part of the product.
    pub(crate) product: bool,
    pub(crate) lines: usize,
}

/// Every crate below `crates/`, in the order of the layers.
pub(crate) fn of_crates() -> Result<Vec<Count>, String> {
    let crates = TABLE.iter().filter(|one| one.name != "xtask");
    let count = |one: &Crate| {
        let product = sources::product().any(|name| name == one.name);
        let mut lines = 0;
        for path in sources::of_crate(one.name)? {
            let text = fs::read_to_string(&path);
            lines += of_text(&text.map_err(|error| format!("{}: {error}", path.display()))?);
        }
        Ok(Count { name: one.name, product, lines })
    };
    crates.map(count).collect()
}

/// The lines of code in a source formatted by rustfmt: an item marked `#[cfg(test)]` ends with a
/// closing brace at the indentation of its first line.
fn of_text(text: &str) -> usize {
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code == "#[cfg(test)]" {
            pass_over_item(&mut lines);
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
    }
    count
}

/// Skips the lines of one item: up to its semicolon if it has no block, otherwise to the end of the
/// block.
fn pass_over_item<'t>(lines: &mut impl Iterator<Item = &'t str>) {
    let first = lines.by_ref().find(|line| !line.trim_start().starts_with("#["));
    let Some(first) = first.filter(|line| line.ends_with('{')) else { return };
    let indent = first.len() - first.trim_start().len();
    let end = format!("{}}}", &first[..indent]);
    let _ = lines.find(|line| *line == end);
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn blank_lines_comments_and_tests_do_not_count() {
        let text = "//! Of a file.\n\nuse a::b; // 1\n\n/// Of a function.\nfn f() {\n    // why\n    g();\n}\n";
        assert_eq!(of_text(text), 4);
        let tests = "#[cfg(test)]\nmod tests {\n    fn t() {\n    }\n}\nfn g() {}\n";
        assert_eq!(of_text(tests), 1);
        assert_eq!(of_text("#[cfg(test)]\nuse a;\n#[cfg(test)]\n#[allow(x)]\nmod t;\nmod u;\n"), 1);
        assert_eq!(
            of_text("impl A {\n    #[cfg(test)]\n    fn t() {\n    }\n    fn u() {}\n}\n"),
            3
        );
        assert_eq!(of_text("#[cfg(test)]"), 0);
    }
}
