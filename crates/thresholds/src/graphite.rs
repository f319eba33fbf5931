//! Lines of Graphite's plain text protocol: `path value seconds`.

use std::fmt::Write as _;

use mrtg::{Direction, Target};

/// Appends the line of one reading. MRTG names it `m2g.`, the target's name, and LegendI or LegendO
/// or else `in` or `out`; `_` in any of them becomes `.`, and commas in the target's name vanish.
pub fn append_line(
    out: &mut String,
    target: &Target,
    direction: Direction,
    value: &dyn std::fmt::Display,
    seconds: i64,
) {
    out.push_str("m2g.");
    append_name(out, &target.name, true);
    out.push('.');
    let (label, plain) = match direction {
        Direction::In => (&target.settings.legends.incoming_label, "in"),
        Direction::Out => (&target.settings.legends.outgoing_label, "out"),
    };
    // MRTG's own words for what is not set.
    let is_set = !matches!(&**label, "" | "In" | "Out" | "0");
    append_name(out, if is_set { label } else { plain }, false);
    let _ = writeln!(out, " {value} {seconds}"); // a String takes all
}

/// Blanks would end the path, so that Graphite refused the line: they become `_`.
fn append_name(out: &mut String, name: &str, drops_commas: bool) {
    for each in name.chars() {
        match each {
            ',' if drops_commas => {}
            '_' => out.push('.'),
            blank if blank.is_whitespace() || blank.is_control() => out.push('_'),
            other => out.push(other),
        }
    }
}
