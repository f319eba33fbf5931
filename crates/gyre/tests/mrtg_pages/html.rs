//! What other programs read of MRTG's pages.

/// A comment such as `<!-- maxin d 5499 -->`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) key: String,
    pub(super) letter: String,
    /// `None` if there is none, as for a picture that is left out.
    pub(super) value: Option<f64>,
}

/// The comments with numbers, in their order.
pub(super) fn comments(page: &str) -> Vec<Number> {
    let all = texts_between(page, "<!-- ", "-->").into_iter().filter_map(|words| {
        let mut words = words.split(' ');
        let (key, letter) = (words.next()?, words.next()?);
        let is_number = ["max", "av", "cu"].iter().any(|begin| key.starts_with(begin));
        is_number.then(|| Number {
            key: key.to_owned(),
            letter: letter.to_owned(),
            value: words.next().and_then(|value| value.parse().ok()),
        })
    });
    all.collect()
}

/// The comments that mark parts of the page.
pub(super) fn sections(page: &str) -> Vec<String> {
    let all = texts_between(page, "<!-- ", " -->").into_iter();
    all.filter(|words| words.starts_with("Begin") || words.starts_with("End")).collect()
}

/// The values of an attribute of all tags of a kind.
pub(super) fn links(page: &str, tag: &str, attribute: &str) -> Vec<String> {
    let lower = page.to_ascii_lowercase();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = lower[from..].find(&format!("{tag} ")).map(|at| from + at) {
        let end = at + lower[at..].find('>').unwrap();
        let mark = format!("{attribute}=\"");
        if let Some(begin) = lower[at..end].find(&mark) {
            let rest = &page[at + begin + mark.len()..];
            found.push(normal(&rest[..rest.find('"').unwrap()]));
        }
        from = end;
    }
    found
}

/// A link without `a/..` in it.
fn normal(link: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in link.split('/') {
        match part {
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A cell of a picture's table.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    /// The class of its row.
    pub(super) class: String,
    pub(super) text: String,
}

/// The cells of rows with a class within the tables of pictures.
pub(super) fn cells(page: &str) -> Vec<Cell> {
    let mut found = Vec::new();
    for table in texts_between(page, "<div class=\"graph\">", "</table>") {
        for row in texts_between(&table, "<tr class=\"", "</tr>") {
            let (class, row) = row.split_once('"').unwrap();
            for text in texts_between(row, "<td>", "</td>") {
                found.push(Cell { class: class.to_owned(), text: text.trim().to_owned() });
            }
        }
    }
    found
}

/// The number that a text begins with, and the text behind it.
pub(super) fn number_in(text: &str) -> (f64, &str) {
    let (number, rest) = text.split_once(' ').unwrap_or((text, ""));
    (number.parse().unwrap_or(f64::NAN), rest)
}

pub(super) fn title(page: &str) -> String {
    texts_between(page, "<title>", "</title>").remove(0)
}

fn texts_between(text: &str, begin: &str, end: &str) -> Vec<String> {
    let parts = text.split(begin).skip(1).filter_map(|rest| rest.split_once(end));
    parts.map(|(between, _)| between.to_owned()).collect()
}
