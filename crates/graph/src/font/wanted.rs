//! What `--font` asks for: families in order of preference, and a style.

/// The style of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Heavy strokes.
    pub bold: bool,
    /// Slanted letters.
    pub italic: bool,
    /// Narrow letters.
    pub condensed: bool,
}

/// A font by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The first that is there is taken; none stands for the default.
    pub families: Vec<String>,
    /// The style.
    pub style: Style,
}

impl Wanted {
    /// Reads `Family,Other Family Bold Italic 12`: words of style stand behind the families, and
    /// the last may be a size, which `--font` gives elsewhere.
    pub(crate) fn parse(text: &str) -> Self {
        let mut style = Style::default();
        let mut families = text.trim();
        while let Some((before, word)) = last_word(families) {
            if !is_size(word) && !style.take(word) {
                break;
            }
            families = before;
        }
        let families = families.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self { families: families.map(str::to_owned).collect(), style }
    }
}

/// What stands before the last word, and the word, if it may be one of style.
fn last_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let start = text.rfind([' ', ',']).map_or(0, |at| at + 1);
    let (before, word) = text.split_at(start);
    (!word.is_empty()).then_some((before, word))
}

fn is_size(word: &str) -> bool {
    word.trim_end_matches("px").parse::<f64>().is_ok_and(f64::is_finite)
}

impl Style {
    /// Whether a word is one of style; what it says is kept, as far as a face can have it.
    fn take(&mut self, word: &str) -> bool {
        let word = word.to_lowercase().replace('-', "");
        match word.as_str() {
            "bold" | "semibold" | "demibold" | "ultrabold" | "extrabold" | "heavy" | "black"
            | "ultraheavy" | "extrablack" | "ultrablack" => self.bold = true,
            "italic" | "oblique" => self.italic = true,
            "condensed" | "semicondensed" | "extracondensed" | "ultracondensed" => {
                self.condensed = true;
            }
            "normal" | "roman" | "regular" | "book" | "medium" | "light" | "thin"
            | "ultralight" | "extralight" | "semilight" | "demilight" | "smallcaps"
            | "expanded" | "semiexpanded" | "extraexpanded" | "ultraexpanded" => {}
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_style_stand_behind_families() {
        let families = |text: &str| Wanted::parse(text).families;
        assert_eq!(families("DejaVu Sans Mono"), ["DejaVu Sans Mono"]);
        assert_eq!(families("DejaVu Sans,Arial, Bold Italic 12"), ["DejaVu Sans", "Arial"]);
        assert_eq!(families("Bold"), [""; 0]);
        assert_eq!(families(""), [""; 0]);
        assert_eq!(families("Black Letter"), ["Black Letter"]);
        let style = Wanted::parse("Sans Semi-Bold Oblique Condensed 9px").style;
        assert_eq!(style, Style { bold: true, italic: true, condensed: true });
        assert_eq!(Wanted::parse("Sans").style, Style::default());
    }
}
