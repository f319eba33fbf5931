//! Rules that name series: any text is rules or one error, and rules name any database.
//!
//! The first line is the name of a database.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookup::{Naming, Rules};

fuzz_target!(|text: &str| {
    let (database, text) = text.split_once('\n').unwrap_or(("router/port1.rrd", text));
    let rules = match Rules::of_text(text) {
        Ok(rules) => rules,
        Err(wrong) => return assert!(!wrong.to_string().is_empty()),
    };
    for database in [database, "router/port1.rrd", "cpu/host=a,core=1.rrd", ""] {
        let (naming, by_rule) = rules.naming(database);
        assert!(by_rule.is_none_or(|nth| (1..=rules.count()).contains(&nth)));
        let shown = naming.metric_shown();
        // A sender's name may have any letter, and is shown as it is.
        let is_sent = naming.metric.ends_with(Naming::BEHIND);
        let is_fine = |letter: char| letter.is_ascii_alphanumeric() || "_:{}".contains(letter);
        assert!(is_sent || shown.chars().all(is_fine), "{shown:?}");
        assert!(!is_sent || by_rule.is_none(), "{shown:?}");
        // The same name is always the same series.
        assert_eq!(rules.naming(database), (naming, by_rule));
    }
});
