//! A row of the table as text.

use super::row::{Row, Target};

/// The head of the table.
pub(crate) fn head() -> String {
    columns(["benchmark", "what", "ours", "theirs", "ratio", "target", "verdict"])
}

/// A line of the table.
pub(crate) fn line(benchmark: &str, row: &Row) -> String {
    let ours = match (row.ours, row.spread) {
        (None, _) => "-".to_owned(),
        (Some(figure), None) => with_unit(figure, &row.unit),
        (Some(figure), Some(spread)) => {
            format!("{} ±{:.0}%", with_unit(figure, &row.unit), spread * 1e2)
        }
    };
    let theirs = match (&row.rival, row.rivals_figure()) {
        (Some(rival), Some(figure)) => format!("{} {rival}", with_unit(figure, &row.unit)),
        _ => String::new(),
    };
    let ratio = row.ratio.map(significant).unwrap_or_default();
    let target = match row.target {
        Some(Target::AtMost(most)) => format!("<= {}", significant(most)),
        Some(Target::AtLeast(least)) => format!(">= {}", significant(least)),
        Some(Target::Times(times)) => format!("{}x", significant(times)),
        None => String::new(),
    };
    columns([benchmark, &row.what, &ours, &theirs, &ratio, &target, verdict(row)])
}

/// A line of the table, and below it what is noted beside the figure.
pub(crate) fn lines(benchmark: &str, row: &Row) -> String {
    let mut text = line(benchmark, row);
    let others = row.peers.iter().filter(|(name, _)| Some(*name) != row.rival.as_ref());
    let others = others.map(|(name, figure)| format!("{name}: {}", with_unit(*figure, &row.unit)));
    for note in others.chain(row.notes.iter().cloned()) {
        text += &format!("\n        {note}");
    }
    text
}

fn verdict(row: &Row) -> &'static str {
    match row.met {
        Some(true) => "met",
        Some(false) => "MISSED",
        None => "",
    }
}

fn columns([benchmark, what, ours, theirs, ratio, target, verdict]: [&str; 7]) -> String {
    let line = format!(
        "{benchmark:9}  {what:58}  {ours:>18}  {theirs:>24}  {ratio:>6}  {target:>9}  {verdict}"
    );
    line.trim_end().to_owned()
}

fn with_unit(figure: f64, unit: &str) -> String {
    let space = if unit.starts_with('/') || unit.is_empty() { "" } else { " " };
    format!("{}{space}{unit}", significant(figure))
}

/// Three significant digits.
pub(crate) fn significant(figure: f64) -> String {
    match figure.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        size if size >= 1.0 => format!("{figure:.2}"),
        _ => format!("{figure:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{head, line, lines, significant};
    use crate::report::Row;

    #[test]
    fn figures_have_three_digits_that_count() {
        let figures = [1234.5, 12.345, 1.2345, 0.12345, 0.0].map(significant);
        assert_eq!(figures, ["1234", "12.3", "1.23", "0.123", "0"]);
    }

    #[test]
    fn a_line_has_a_word_below_each_word_of_the_head() {
        let turns = [vec![10.0; 3], vec![20.0; 3]];
        let row = Row::of_turns("create", "/s", "rrdtool", &turns).times(1.5);
        let line = line("rrdtool", &row);
        let words: Vec<&str> = line.split_whitespace().collect();
        let expected = "rrdtool create 20.0/s ±0% 10.0/s rrdtool 2.00 1.50x met";
        assert_eq!(words.join(" "), expected);
        let end = |text: &str, word| text.find(word).map(|at| at + str::len(word));
        assert_eq!(end(&head(), "ratio"), end(&line.replace('±', "+"), "2.00"));
    }

    #[test]
    fn notes_and_further_peers_stand_below() {
        let row = Row::new("a cycle", "s", 1.5).beside([("rrdtool", 3.0), ("librrd", 2.0)]);
        let text = lines("store", &row.note("by hand"));
        assert!(text.ends_with("\n        librrd: 2.00 s\n        by hand"), "{text}");
    }
}
