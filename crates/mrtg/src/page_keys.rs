//! The keys of the HTML pages that MRTG writes for a target.

use std::sync::Arc;

/// What a configuration asks of the HTML page of a target. Everything in it is the operator's:
/// texts are HTML where MRTG takes HTML.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageKeys {
    /// `PageFoot`: HTML for the end of the page, in which `\n` is already replaced by line breaks.
    pub foot: Option<Arc<str>>,
    /// `AddHead`: HTML for the end of the head, in which `\n` is already replaced by line breaks.
    pub add_head: Option<Arc<str>>,
    /// `BodyTag`: the tag that begins the body, or only its attributes.
    pub body_tag: Option<Arc<str>>,
    /// `Background`: the colour of the page, as `#e0e0e0`.
    pub background: Option<Arc<str>>,
    /// `TextColor`: the colour of texts, as `#002244`.
    pub text_colour: Option<Arc<str>>,
    /// `Colours`: the colours of both values and of their maxima; `None` if they are not set, or
    /// are not four of the form `NAME#rrggbb`.
    pub colours: Option<Arc<[NamedColour; 4]>>,
    /// `Timezone`: the name of a time zone. MRTG sets TZ to it and shows it after the time.
    pub timezone: Option<Arc<str>>,
    /// `Extension`: how the name of the page ends, without the dot; MRTG's default is `html`.
    pub extension: Option<Arc<str>>,
}

/// A colour with the name that the legend shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedColour {
    /// Its name, as `GREEN`.
    pub name: String,
    /// Its code, as `#00cc00`.
    pub code: String,
}

/// `NAME#rrggbb`, four times, with commas between; a fifth one is for `dorelpercent`.
pub(crate) fn colours(text: &str) -> Option<[NamedColour; 4]> {
    let mut all = text.split(',').map(|word| named_colour(word.trim()));
    Some([all.next()??, all.next()??, all.next()??, all.next()??])
}

fn named_colour(word: &str) -> Option<NamedColour> {
    let (name, digits) = word.split_once('#')?;
    let is_colour = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_colour.then(|| NamedColour { name: name.to_owned(), code: format!("#{digits}") })
}

#[cfg(test)]
mod tests {
    use super::colours;

    #[test]
    fn colours_have_names_and_codes() {
        let four = colours("RED#ff0000, GRAY#808080,AMBER#efa000,VIOLET#aa00ff").unwrap();
        assert_eq!((four[0].name.as_str(), four[1].code.as_str()), ("RED", "#808080"));
        let with_fifth = "A#ff0000,B#808080,C#efa000,D#aa00ff,E#000000";
        assert_eq!(colours(with_fifth).unwrap()[3].name, "D");
        for wrong in ["", "RED#ff0000", "A#1,B#2,C#3,D#4", "red,green,blue,white"] {
            assert_eq!(colours(wrong), None, "{wrong}");
        }
    }
}
