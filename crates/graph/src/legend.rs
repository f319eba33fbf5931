//! The legend: texts filled into lines.

use crate::Error;
use crate::arguments::{
    Element, Ink, LegendDirection, Quantity, Rule, Settings, Shape, ShapeKind, TextKind,
};
use crate::calculate::Values;
use crate::color::Color;
use crate::format::Scale;
use crate::plan::Plan;
use crate::print::print;
use crate::summary::Fact;
use crate::text::Line;

/// The box before a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Swatch {
    pub(crate) color: Color,
    pub(crate) shape: SwatchShape,
}

/// What a swatch looks like; all but the first with `--dynamic-labels` alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SwatchShape {
    Box {
        /// Whether its frame is, because the line is.
        is_dashed: bool,
    },
    /// A line of this width.
    Diagonal(f64),
    Horizontal,
    Vertical,
}

impl SwatchShape {
    fn of(element: &Element, ink: &Ink, is_dynamic: bool) -> Self {
        match element {
            Element::Rule(rule) if is_dynamic && rule.vertical => Self::Vertical,
            Element::Rule(_) if is_dynamic => Self::Horizontal,
            Element::Shape(Shape { kind: ShapeKind::Line { width }, .. }) if is_dynamic => {
                Self::Diagonal(*width)
            }
            _ => Self::Box { is_dashed: !ink.dashes.is_empty() },
        }
    }
}

/// A text of the legend, placed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// As it was given.
    pub(crate) text: String,
    pub(crate) line: Line,
    pub(crate) swatch: Option<Swatch>,
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
    /// With its margins.
    pub(crate) width: f64,
}

/// A text with what follows from its control code.
struct Item {
    text: String,
    line: Line,
    is_comment: bool,
    swatch: Option<Swatch>,
    /// `l`, `r`, `c`, `j`, `s`, `u` end a line; `g` leaves out the gap.
    code: Option<char>,
}

/// What the legend is made of, in order.
enum Step {
    Align(char),
    Item(Item),
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
    /// Lays out the legend in an image of `width` pixels; PRINT lines go to `printed`. Beside the
    /// graph it is as wide as its longest line.
    pub(crate) fn lay_out(
        mut self,
        width: f64,
        printed: &mut Vec<String>,
    ) -> Result<Legend, Error> {
        let mut steps = Vec::new();
        for element in &self.plan.script.elements {
            match element {
                Element::Align(align) => steps.push(Step::Align(*align)),
                Element::Print(what) => {
                    printed.push(print(what, self.plan, self.values, &mut self.scale)?);
                }
                _ => steps.extend(self.item(element)?.map(Step::Item)),
            }
        }
        let settings = &self.plan.settings;
        let width = match settings.legend_position.is_beside() {
            true => Lines::of(&steps, settings, f64::INFINITY).width(),
            false => width,
        };
        let mut lines = Lines::of(&steps, settings, width);
        lines.turn(settings.legend_direction);
        Ok(Legend { width, height: lines.y, entries: lines.entries })
    }

    fn item(&mut self, element: &Element) -> Result<Option<Item>, Error> {
        let (text, ink) = match element {
            Element::Shape(shape) => (shape.ink.legend.clone(), Some(&shape.ink)),
            Element::Rule(rule) => {
                let text =
                    if self.is_named(rule) { rule.ink.legend.clone() } else { String::new() };
                (text, Some(&rule.ink))
            }
            Element::Text(TextKind::Comment(text)) => (text.clone(), None),
            Element::Text(TextKind::Gprint(what)) => {
                let text = print(what, self.plan, self.values, &mut self.scale)?;
                (text, None)
            }
            // rrdtool also draws an empty box over the first letters.
            Element::Column(column) => (column.legend.clone(), None),
            Element::Print(_) | Element::Align(_) => return Ok(None),
        };
        let indented = match ink.is_some() && !text.is_empty() {
            true => format!("{INDENT}{text}"),
            false => text,
        };
        let (text, code) = control_code(&indented)?;
        if text.is_empty() && code.is_none() {
            return Ok(None);
        }
        let ink = ink.filter(|_| !text.trim().is_empty());
        let is_dynamic = self.plan.settings.dynamic_labels;
        let swatch = ink.and_then(|ink| {
            let shape = SwatchShape::of(element, ink, is_dynamic);
            Some(Swatch { color: ink.color?, shape })
        });
        let is_comment = matches!(element, Element::Text(TextKind::Comment(_)));
        let settings = &self.plan.settings;
        let (font, color) = (settings.fonts.legend.font(), settings.palette.font);
        let line = Line::read(&text, font, color, settings.markup)?;
        let tab_pixels = settings.tab_points + 2.0 * settings.fonts.legend.points;
        let line = Line { tab_pixels, ..line };
        Ok(Some(Item { text, line, is_comment, swatch, code }))
    }

    /// Whether a rule has an entry. One at a value beyond the limits that options give has none,
    /// even where the axis reaches further: so it is with rrdtool.
    fn is_named(&self, rule: &Rule) -> bool {
        let settings = &self.plan.settings;
        let fact = |position| self.values.fact(position);
        let is_seen = match (rule.vertical, rule.at) {
            (true, Quantity::Number(seconds)) => self.is_in_window(seconds),
            (true, Quantity::Of(position)) => {
                self.is_in_window(fact(position).map_or(f64::NAN, Fact::when))
            }
            (false, at) => {
                let value = match at {
                    Quantity::Number(number) => number,
                    Quantity::Of(position) => fact(position).map_or(f64::NAN, |fact| fact.value),
                };
                !(value < settings.lower || value > settings.upper) // limits may be NaN
            }
        };
        settings.force_rules_legend || is_seen
    }

    fn is_in_window(&self, seconds: f64) -> bool {
        (self.plan.start_seconds as f64..=self.plan.end_seconds as f64).contains(&seconds)
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
    points: f64,
    width: f64,
    align: char,
    entries: Vec<Entry>,
    line: Vec<Entry>,
    /// The length of the line so far.
    fill: f64,
    /// Where the next text begins, from the line's left end.
    next_x: f64,
    y: f64,
    /// The most that a line was filled.
    fill_max: f64,
    /// Whether the line in the making has a text that is no comment.
    says_more: bool,
    /// The heights of the first and of the last line that has one.
    within: Option<(f64, f64)>,
}

impl Lines {
    fn new(settings: &Settings, width: f64) -> Self {
        Self {
            points: settings.fonts.legend.points,
            width,
            align: 'j',
            entries: Vec::new(),
            line: Vec::new(),
            fill: 0.0,
            next_x: 0.0,
            y: 0.0,
            fill_max: 0.0,
            says_more: false,
            within: None,
        }
    }

    fn of(steps: &[Step], settings: &Settings, width: f64) -> Self {
        let mut lines = Self::new(settings, width);
        for step in steps {
            match step {
                Step::Align(align) => lines.align = *align,
                Step::Item(item) => lines.add(item),
            }
        }
        let align = lines.align;
        lines.end_line(align);
        lines
    }

    /// The width that the longest line needs.
    fn width(&self) -> f64 {
        self.fill_max + 2.0 * self.gap()
    }

    /// Turns the order of the lines.
    fn turn(&mut self, direction: LegendDirection) {
        let last = self.entries.iter().map(|entry| entry.y).fold(0.0, f64::max);
        let turned = match direction {
            LegendDirection::TopDown => None,
            LegendDirection::BottomUp => Some((0.0, last)),
            LegendDirection::BottomUpWithin => self.within,
        };
        let Some((first, last)) = turned else { return };
        let entries = self.entries.iter_mut();
        let within = entries.filter(|entry| (first..=last).contains(&entry.y));
        within.for_each(|entry| entry.y = first + last - entry.y);
    }

    /// The margin on either side, and the gap between two texts.
    fn gap(&self) -> f64 {
        self.points * 2.0
    }

    fn room(&self) -> f64 {
        self.width - 2.0 * self.gap()
    }

    fn add(&mut self, item: &Item) {
        if !item.text.is_empty() {
            self.place(item);
            self.says_more |= !item.is_comment;
        }
        if let Some(code) = item.code.filter(|code| *code != 'g') {
            self.end_line(code);
        }
    }

    /// Counts a gap *before* each text but the first, and draws it *behind* each but the last;
    /// with `\g` the two may differ, as they do in rrdtool.
    fn place(&mut self, item: &Item) {
        let (swatch, code) = (item.swatch, item.code);
        let line = item.line.clone();
        let width = line.width();
        let is_glued = code == Some('g');
        let mut gap = if is_glued { 0.0 } else { self.gap() };
        // A text that ends its line stays on it, even if it is too long.
        let may_wrap = is_glued || code.is_none();
        if may_wrap && !self.line.is_empty() && self.fill + gap + width > self.room() {
            self.end_line(self.align);
            // rrdtool forgets here that there was to be no gap.
            gap = self.gap();
        }
        if !self.line.is_empty() {
            self.fill += gap;
        }
        self.fill += width;
        let x = self.next_x;
        self.next_x += width + gap;
        let text = item.text.clone();
        self.line.push(Entry { text, line, swatch, x, y: 0.0, width });
    }

    fn end_line(&mut self, code: char) {
        let leading = (self.points * 1.8).trunc();
        let spare = self.room() - self.fill;
        let count = self.line.len();
        self.fill_max = self.fill_max.max(self.fill);
        if std::mem::take(&mut self.says_more) {
            let (first, _) = self.within.unwrap_or((self.y, self.y));
            self.within = Some((first, self.y));
        }
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
        if code == 'u' {
            self.y = (self.y - self.points * 1.8).trunc();
        }
        self.fill = 0.0;
        self.next_x = 0.0;
    }
}
