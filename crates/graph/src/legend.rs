//! The legend: texts filled into lines.

use crate::Error;
use crate::arguments::{Element, Quantity, TextKind};
use crate::calculate::Values;
use crate::color::Color;
use crate::font::Size;
use crate::format::Scale;
use crate::plan::Plan;
use crate::print::print;
use crate::summary::Fact;

/// A text of the legend, placed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) text: String,
    /// The colours of the box before it: two if it is a gradient.
    pub(crate) color: Option<Color>,
    /// The left edge, pixels.
    pub(crate) x: f64,
    /// The middle of the line, pixels below the first line's.
    pub(crate) y: f64,
    pub(crate) width: f64,
}

/// The legend of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legend {
    pub(crate) entries: Vec<Entry>,
    /// How far the lines reach below the middle of the first one.
    pub(crate) height: f64,
}

/// A text with what follows from its control code.
struct Item {
    text: String,
    color: Option<Color>,
    /// `l`, `r`, `c`, `j`, `s`, `u` end a line; `g` leaves out the gap.
    code: Option<char>,
}

/// Collects the texts of a graph and prints its numbers.
pub(crate) struct Collector<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) values: &'a Values,
    pub(crate) scale: Scale,
}

/// The blanks that make room for the box.
const INDENT: &str = "  ";

impl Collector<'_> {
    /// Lays out the legend in an image of `width` pixels; PRINT lines go to `printed`.
    pub(crate) fn lay_out(
        mut self,
        width: f64,
        printed: &mut Vec<String>,
    ) -> Result<Legend, Error> {
        let settings = &self.plan.settings;
        let mut lines = Lines::new(settings.fonts.legend, settings.tab_pixels, width);
        for element in &self.plan.script.elements {
            match element {
                Element::Align(align) => lines.align = *align,
                Element::Print(what) => {
                    printed.push(print(what, self.plan, self.values, &mut self.scale)?);
                }
                _ => {
                    if let Some(item) = self.item(element)? {
                        lines.add(item);
                    }
                }
            }
        }
        let align = lines.align;
        lines.end_line(align);
        Ok(Legend { entries: lines.entries, height: lines.y })
    }

    fn item(&mut self, element: &Element) -> Result<Option<Item>, Error> {
        let (text, color, boxed) = match element {
            Element::Shape(shape) => (shape.ink.legend.clone(), shape.ink.color, true),
            Element::Rule(rule) => {
                let shown = !rule.vertical || self.in_window(rule.at);
                let text = if shown { rule.ink.legend.clone() } else { String::new() };
                (text, rule.ink.color, true)
            }
            Element::Text(TextKind::Comment(text)) => (text.clone(), None, false),
            Element::Text(TextKind::Gprint(what)) => {
                let text = print(what, self.plan, self.values, &mut self.scale)?;
                (text, None, false)
            }
            Element::Print(_) | Element::Align(_) | Element::Column(_) => return Ok(None),
        };
        let indented = match boxed && !text.is_empty() {
            true => format!("{INDENT}{text}"),
            false => text,
        };
        let (text, code) = control_code(&indented)?;
        if text.is_empty() && code.is_none() {
            return Ok(None);
        }
        let color = color.filter(|_| boxed && !text.trim().is_empty());
        Ok(Some(Item { text, color, code }))
    }

    fn in_window(&self, at: Quantity) -> bool {
        let seconds = match at {
            Quantity::Number(seconds) => seconds,
            Quantity::Of(position) => self.values.fact(position).map_or(f64::NAN, Fact::when),
        };
        let force = self.plan.settings.force_rules_legend;
        force || (self.plan.start_seconds as f64..=self.plan.end_seconds as f64).contains(&seconds)
    }
}

/// Takes the control code off the end of a text; `\t` becomes a tab anywhere.
fn control_code(text: &str) -> Result<(String, Option<char>), Error> {
    let text = text.replace("\\t", "\t");
    let mut reversed = text.chars().rev();
    let (Some(last), Some('\\')) = (reversed.next(), reversed.next()) else {
        return Ok((text, None));
    };
    let code = match last {
        'n' => 'l',
        'l' | 'r' | 'c' | 'j' | 's' | 'u' | 'g' => last,
        _ => {
            return Err(Error::Element(format!("Unknown control code at the end of '{text}'")));
        }
    };
    let mut rest = text[..text.len() - 2].to_owned();
    if code == 'g' {
        rest.truncate(rest.trim_end_matches(' ').len());
    }
    Ok((rest, Some(code)))
}

/// The lines in the making.
struct Lines {
    size: Size,
    points: f64,
    tab_pixels: f64,
    width: f64,
    align: char,
    entries: Vec<Entry>,
    line: Vec<Entry>,
    /// The length of the line so far.
    fill: f64,
    /// Where the next text begins, from the line's left end.
    next_x: f64,
    y: f64,
}

impl Lines {
    fn new(points: f64, tab_pixels: f64, width: f64) -> Self {
        Self {
            size: Size::from_points(points),
            points,
            tab_pixels,
            width,
            align: 'j',
            entries: Vec::new(),
            line: Vec::new(),
            fill: 0.0,
            next_x: 0.0,
            y: 0.0,
        }
    }

    /// The margin on either side, and the gap between two texts.
    fn gap(&self) -> f64 {
        self.points * 2.0
    }

    fn room(&self) -> f64 {
        self.width - 2.0 * self.gap()
    }

    fn add(&mut self, item: Item) {
        if !item.text.is_empty() {
            self.place(item.text, item.color, item.code == Some('g'));
        }
        if let Some(code) = item.code.filter(|code| *code != 'g') {
            self.end_line(code);
        }
    }

    /// Counts a gap *before* each text but the first, and draws it *behind* each but the last;
    /// with `\g` the two may differ, as they do in rrdtool.
    fn place(&mut self, text: String, color: Option<Color>, glued: bool) {
        let width = self.size.width(&text, self.tab_pixels);
        let gap = if glued { 0.0 } else { self.gap() };
        if !self.line.is_empty() && self.fill + gap + width > self.room() {
            self.end_line(self.align);
        }
        if !self.line.is_empty() {
            self.fill += gap;
        }
        self.fill += width;
        let x = self.next_x;
        self.next_x += width + gap;
        self.line.push(Entry { text, color, x, y: 0.0, width });
    }

    fn end_line(&mut self, code: char) {
        let leading = (self.points * 1.8).trunc();
        if code == 'u' {
            self.y -= leading;
        }
        let spare = self.room() - self.fill;
        let count = self.line.len();
        for (nth, mut entry) in self.line.drain(..).enumerate() {
            let shift = match code {
                'r' => spare,
                'c' => spare / 2.0,
                'j' if count > 1 => spare * nth as f64 / (count - 1) as f64,
                _ => 0.0,
            };
            entry.x += self.points * 2.0 + shift;
            entry.y = self.y;
            self.entries.push(entry);
        }
        if code == 's' {
            self.y += leading - self.points;
        } else if count > 0 {
            self.y += leading;
        }
        self.fill = 0.0;
        self.next_x = 0.0;
    }
}
