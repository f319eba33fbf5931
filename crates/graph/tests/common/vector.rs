//! Grids and labels of SVG pictures, rrdtool's and gyre's.

use std::collections::HashMap;

/// What the axes of a picture show.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Axes {
    /// Where lines stand: minor and major of the time axis, minor and major of the value axis.
    pub(crate) minor_x: Vec<f64>,
    pub(crate) major_x: Vec<f64>,
    pub(crate) minor_y: Vec<f64>,
    pub(crate) major_y: Vec<f64>,
    /// Texts with the start of their baseline.
    pub(crate) texts: Vec<Text>,
}

/// A text with the start of its baseline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) words: String,
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// The width of a blank in the labels of axes.
const BLANK_PIXELS: f64 = 6.0;

/// The characters by which rrdtool's glyphs are known.
const CHARACTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,+-%' _";

/// Glyphs of rrdtool's SVG by their outline.
pub(crate) struct Glyphs(HashMap<String, char>);

impl Glyphs {
    /// Learns them from a picture whose only text is [`Self::lesson`].
    pub(crate) fn learn(svg: &str) -> Self {
        let outlines = outlines(svg);
        let uses = uses(svg);
        let glyphs = uses.iter().flatten().map(|glyph| outlines[&glyph.name].clone());
        let known: HashMap<_, _> = glyphs.zip(format!("{CHARACTERS}:").chars()).collect();
        assert_eq!(known.len(), CHARACTERS.len() + 1, "each character has its own outline");
        Self(known)
    }

    /// The text to learn from, as a COMMENT has it.
    pub(crate) fn lesson() -> String {
        format!("COMMENT:{CHARACTERS}\\:")
    }

    /// Reads rrdtool's picture.
    pub(crate) fn read(&self, svg: &str) -> Axes {
        let outlines = outlines(svg);
        let mut axes = Axes::default();
        for glyphs in uses(svg) {
            let letter = |glyph: &Glyph| self.0.get(&outlines[&glyph.name]).copied();
            let words: String = glyphs.iter().map(|glyph| letter(glyph).unwrap_or('?')).collect();
            // Labels of the value axis are filled up with blanks in front.
            let blanks = words.bytes().take_while(|it| *it == b' ').count();
            if let Some(first) = glyphs.get(blanks) {
                let words = words[blanks..].to_owned();
                axes.texts.push(Text { words, x: first.x, y: first.y });
            }
        }
        for path in svg.split("<path ").filter(|path| path.contains("dasharray")) {
            axes.take_line(path, "stroke-width:0.4;", "stroke-width:0.6;");
        }
        axes.in_order()
    }
}

struct Glyph {
    name: String,
    x: f64,
    y: f64,
}

/// The outline of each glyph by its name.
fn outlines(svg: &str) -> HashMap<String, String> {
    let symbols = svg.split("<symbol ").skip(1);
    symbols.map(|it| (attribute(it, "id").to_owned(), attribute(it, "d").to_owned())).collect()
}

/// The glyphs of each text.
fn uses(svg: &str) -> Vec<Vec<Glyph>> {
    let groups = svg.split("<g style=\"fill:").skip(1);
    let texts = groups.map(|group| {
        let inside = group.split("</g>").next().unwrap_or("");
        let uses = inside.split("<use ").skip(1);
        let glyph = |it: &str| Glyph {
            name: attribute(it, "xlink:href").trim_start_matches('#').to_owned(),
            x: attribute(it, "x").parse().expect("a number"),
            y: attribute(it, "y").parse().expect("a number"),
        };
        uses.map(glyph).collect()
    });
    texts.filter(|glyphs: &Vec<Glyph>| !glyphs.is_empty()).collect()
}

fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let start = format!(" {name}=\"");
    let padded =
        element.find(&start[1..]).filter(|at| *at == 0).map(|_| &element[start.len() - 1..]);
    let value = padded.or_else(|| element.split_once(&start).map(|(_, rest)| rest));
    value.and_then(|rest| rest.split('"').next()).unwrap_or("")
}

impl Axes {
    /// Reads gyre's picture.
    pub(crate) fn of_gyre(svg: &str) -> Self {
        let mut axes = Self::default();
        for path in svg.split("<path ").filter(|path| path.contains("dasharray")) {
            axes.take_line(path, "stroke-width=\"0.4\"", "stroke-width=\"0.6\"");
        }
        for element in svg.split("<text ").skip(1) {
            let words = element.split_once('>').and_then(|(_, rest)| rest.split("</text>").next());
            let words = words.unwrap_or("");
            // Blanks that browsers would leave out are no-break spaces.
            let words = words.replace('\u{a0}', " ");
            let blanks = words.bytes().take_while(|it| *it == b' ').count();
            let x: f64 = attribute(element, "x").parse().expect("a number");
            axes.texts.push(Text {
                words: words[blanks..].to_owned(),
                x: x + BLANK_PIXELS * blanks as f64,
                y: attribute(element, "y").parse().expect("a number"),
            });
        }
        axes.in_order()
    }

    fn take_line(&mut self, path: &str, minor: &str, major: &str) {
        let data = attribute(path, "d").replace(['M', 'L', 'V', 'H'], " ");
        let numbers: Vec<f64> = data.split_whitespace().filter_map(|it| it.parse().ok()).collect();
        let is_vertical = match numbers[..] {
            [x, _, to, _] => x == to,
            _ => attribute(path, "d").contains('V'),
        };
        let at = |nth: usize| numbers.get(nth).copied().unwrap_or_default();
        match (path.contains(minor), path.contains(major), is_vertical) {
            (true, _, true) => self.minor_x.push(at(0)),
            (_, true, true) => self.major_x.push(at(0)),
            (true, _, false) => self.minor_y.push(at(1)),
            (_, true, false) => self.major_y.push(at(1)),
            _ => {}
        }
    }

    fn in_order(mut self) -> Self {
        let lists = [&mut self.minor_x, &mut self.major_x, &mut self.minor_y, &mut self.major_y];
        for list in lists {
            list.sort_by(f64::total_cmp);
            list.dedup();
        }
        self.texts.retain(|text| !text.words.trim().is_empty());
        self.texts.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
        self
    }
}
