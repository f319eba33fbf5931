//! The cases: blocks of lines.
//!
//! ```text
//! --units                     the row of the page
//! ours: 1.7.2 has no ...      rrdtool does not draw it, and why
//! with: -o -l 1               words of both
//! a:                          the first value
//! b: --units=si               the second
//! ```

/// One row of the page with two values.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) row: String,
    /// Whether rrdtool is not asked.
    pub(crate) ours_alone: bool,
    /// Words of both.
    pub(crate) with: String,
    pub(crate) first: String,
    pub(crate) second: String,
}

impl Case {
    /// The cases of a file.
    pub(crate) fn all(text: &str) -> Vec<Self> {
        text.split("\n\n").filter(|block| !block.trim().is_empty()).map(Self::of).collect()
    }

    fn of(block: &str) -> Self {
        let mut lines = block.lines();
        let row = lines.next().expect("a case begins with its row").to_owned();
        let mut case = Self { row, ..Self::default() };
        let mut values = 0;
        for line in lines {
            let (key, value) = line.split_once(':').expect("a line has a key");
            let value = value.trim_start().to_owned();
            match key {
                "ours" => case.ours_alone = true,
                "with" => case.with = value,
                "a" => case.first = value,
                "b" => case.second = value,
                other => panic!("{other} is no key: {block}"),
            }
            values += usize::from(matches!(key, "a" | "b"));
        }
        assert_eq!(values, 2, "a case has two values: {block}");
        case
    }
}
