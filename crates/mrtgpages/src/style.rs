//! The style of pages, in their heads: a page needs no other file but its pictures.

use mrtg::{NamedColour, PageKeys};

/// MRTG's colours of both values and of their maxima, with the names that its legend shows.
const COLOURS: [(&str, &str); 4] =
    [("GREEN", "#00cc00"), ("BLUE", "#0000ff"), ("DARK GREEN", "#006600"), ("MAGENTA", "#ff00ff")];

/// What all pages have.
const BASE: &str = "
body{margin:0 auto;padding:1rem;max-width:60rem;background:var(--paper);color:var(--ink);\
font:1rem/1.5 system-ui,sans-serif}
:root{--paper:#fff;--ink:#1c2127;--quiet:#59636e;--line:#d1d9e0;--link:#0550ae}
a{color:var(--link)}
h1{font-size:1.5rem;line-height:1.25}
h2{margin:0 0 .5rem;font-size:1.05rem}
.quiet,address{color:var(--quiet);font-size:.875rem;font-style:normal}
.graph,#legend,#footer{margin:1.25rem 0;padding-top:1rem;border-top:1px solid var(--line)}
img{max-width:100%;height:auto}
.graph table,#legend table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
td,th{padding:.125rem 1.5rem .125rem 0;font-weight:400;text-align:left}
.graph td,.graph thead th{text-align:right}
@media(max-width:45rem){td,th{padding-right:.5rem}.graph td+td~td,.graph thead th:last-child{padding-right:0}}
thead th{color:var(--quiet)}
.ink::before{content:\"\";display:inline-block;width:.7em;height:.7em;margin-right:.5em;border-radius:2px;\
background:var(--ink)}
";

/// What pages have whose colours are not the configuration's: a dark scheme. The pictures are
/// light: they are shown inverted with their hues kept, and their paper lets that of the page through.
const DARK: &str = ":root{color-scheme:light dark}
@media(prefers-color-scheme:dark){
:root{--paper:#171b21;--ink:#d5dae0;--quiet:#9aa4af;--line:#333b45;--link:#79b8ff}
img.picture,.ink::before{filter:invert(1) hue-rotate(180deg)}
img.picture{mix-blend-mode:screen}}
";

/// What the index has beside that.
const INDEX: &str = ".targets{display:grid;gap:1.5rem;\
grid-template-columns:repeat(var(--columns),minmax(0,1fr));padding:0;list-style:none}
.targets h2{margin:0 0 .25rem;overflow-wrap:anywhere}
@media(max-width:45rem){.targets{grid-template-columns:minmax(0,1fr)}}
";

/// The style of a target's page.
pub(crate) fn of_page(keys: Option<&PageKeys>) -> String {
    let mut style = BASE.to_owned();
    for (class, colour) in ["in", "out", "inpeak", "outpeak"].iter().zip(colours(keys)) {
        style.push_str(&format!(".{class} .ink::before{{background:{}}}\n", colour.code));
    }
    let asked = |word: Option<&str>| word.filter(|word| is_colour(word)).map(str::to_owned);
    let paper = asked(keys.and_then(|keys| keys.background.as_deref()));
    let ink = asked(keys.and_then(|keys| keys.text_colour.as_deref()));
    if paper.is_none() && ink.is_none() && keys.is_none_or(|keys| keys.body_tag.is_none()) {
        return style + DARK;
    }
    for (name, colour) in [("paper", paper), ("ink", ink)] {
        if let Some(colour) = colour {
            style.push_str(&format!(":root{{--{name}:{colour}}}\n"));
        }
    }
    style
}

/// The style of the index.
pub(crate) fn of_index(columns: u32) -> String {
    format!("{BASE}{INDEX}:root{{--columns:{columns}}}\nbody{{max-width:none}}\n{DARK}")
}

/// The colours of both values and of their maxima, with their names.
pub(crate) fn colours(keys: Option<&PageKeys>) -> [NamedColour; 4] {
    let own = keys.and_then(|keys| keys.colours.as_deref());
    own.cloned().unwrap_or_else(|| {
        COLOURS.map(|(name, code)| NamedColour { name: name.to_owned(), code: code.to_owned() })
    })
}

/// Whether a word is a colour and nothing else: `#e0e0e0`, or a name such as `white`.
fn is_colour(word: &str) -> bool {
    match word.strip_prefix('#') {
        Some(digits) => {
            (3..=8).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
        None => !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()),
    }
}

#[cfg(test)]
mod tests {
    use mrtg::PageKeys;

    use super::of_page;

    #[test]
    fn only_colours_get_into_the_style() {
        let keys = |background: &str| PageKeys {
            background: Some(background.into()),
            ..PageKeys::default()
        };
        let style = of_page(Some(&keys("#e0e0e0")));
        assert!(style.contains("--paper:#e0e0e0") && !style.contains("prefers-color-scheme"));
        let style = of_page(Some(&keys("red}</style><script>")));
        assert!(!style.contains("script") && style.contains("prefers-color-scheme"));
    }
}
