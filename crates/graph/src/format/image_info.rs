//! What `--imginfo` tells of an image.

/// A format such as `<img src="%s" width="%lu" height="%lu">`, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImageInfo {
    /// What stands before the name, the width and the height, and behind all of them; nothing at
    /// all for an empty format.
    texts: Vec<String>,
}

/// In the order in which they must come.
const PLACES: [&str; 3] = ["%s", "%lu", "%lu"];

impl ImageInfo {
    /// Reads a format: these three, once each, and text.
    pub(crate) fn parse(format: &str) -> Option<Self> {
        let mut texts = vec![String::new()];
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('%') {
            texts.last_mut()?.push_str(before);
            if let Some(after) = after.strip_prefix('%') {
                texts.last_mut()?.push('%');
                rest = after;
                continue;
            }
            let place = PLACES.get(texts.len() - 1)?;
            rest = after.strip_prefix(&place[1..])?;
            texts.push(String::new());
        }
        texts.last_mut()?.push_str(rest);
        let is_whole = texts.len() > PLACES.len() || format.is_empty();
        is_whole.then_some(Self { texts })
    }

    pub(crate) fn text(&self, name: &str, width: u64, height: u64) -> String {
        match &self.texts[..] {
            [a, b, c, d] => format!("{a}{name}{b}{width}{c}{height}{d}"),
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ImageInfo;

    #[test]
    fn formats() {
        let text = |format| ImageInfo::parse(format).map(|info| info.text("x.png", 481, 141));
        assert_eq!(text("<%s|%lu|%lu>100%%").as_deref(), Some("<x.png|481|141>100%"));
        assert_eq!(text("").as_deref(), Some(""));
        for wrong in ["x", "%s", "%s %lu", "%lu %s", "%s %lu %lu %lu", "%s %d %d", "%n", "%", "%5s"]
        {
            assert_eq!(text(wrong), None, "{wrong}");
        }
    }
}
