//! The legend: its texts with their values, filled into lines.

mod entry;
mod lines;

use crate::Error;
use crate::arguments::{Element, Quantity, TextKind, ValueGrid};
use crate::calculate::Values;
use crate::format::Scale;
use crate::plan::Plan;
use crate::print::print;
use crate::summary::Fact;
use crate::text::Line;
use lines::{Ending, Item, Lines, Step};

pub(crate) use entry::{Entry, Swatch, SwatchShape};

/// The legend of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legend {
    pub(crate) entries: Vec<Entry>,
    /// How far the lines reach below the middle of the first one.
    pub(crate) height: f64,
    /// With its margins.
    pub(crate) width: f64,
}

/// How far below the middle of a line in the layout, which is at a whole pixel, its texts reach, in
/// a font of this size: there rrdtool puts the lowest of each, whatever its font.
pub(crate) fn foot(points: f64) -> f64 {
    (points * 1.2).fract() + points * 0.8
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
        let mut last = None;
        for element in &self.plan.script.elements {
            last = None;
            match element {
                Element::Align(align) => steps.push(Step::Align(*align)),
                Element::Print(what) => {
                    printed.push(print(what, self.plan, self.values, &mut self.scale)?);
                }
                _ => {
                    let item = self.item(element)?;
                    last = item.as_ref().map(Ending::of);
                    steps.extend(item.map(Step::Item));
                }
            }
        }
        // A definition counts as what shows nothing.
        let last = last.filter(|_| !self.plan.script.ends_in_definition);
        steps.push(Step::End(last.unwrap_or(Ending::Nothing)));
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
                let shown = match rule.vertical {
                    true => self.in_window(rule.at),
                    false => self.in_limits(rule.at),
                };
                let text = if shown { rule.ink.legend.clone() } else { String::new() };
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
        let line = self.line(&text)?;
        Ok(Some(Item { text, line, is_comment, swatch, code }))
    }

    fn line(&self, text: &str) -> Result<Line, Error> {
        let settings = &self.plan.settings;
        let (font, color) = (settings.fonts.legend.font(), settings.palette.font);
        let line = Line::read(text, font, color, settings.markup)?;
        // rrdtool's tabs count from where it wrote last, which the labels of the axis move.
        let margin = match settings.value_grid {
            ValueGrid::None if !settings.keeps_label_room => 0.0,
            _ => 2.0 * settings.fonts.legend.points,
        };
        Ok(Line { tab_pixels: settings.tab_points + margin, ..line })
    }

    /// Only the limits that are asked for count, and those even where the data widen them.
    fn in_limits(&self, at: Quantity) -> bool {
        let value = match at {
            Quantity::Number(value) => value,
            Quantity::Of(position) => self.values.fact(position).map_or(f64::NAN, |it| it.value),
        };
        let settings = &self.plan.settings;
        settings.force_rules_legend || !(value > settings.upper || value < settings.lower)
    }

    fn in_window(&self, at: Quantity) -> bool {
        let window = self.values.window;
        let seconds = match at {
            Quantity::Number(seconds) => seconds * f64::from(window.tick.per_second()),
            Quantity::Of(position) => self.values.fact(position).map_or(f64::NAN, Fact::when),
        };
        let force = self.plan.settings.force_rules_legend;
        force || window.contains(seconds)
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
