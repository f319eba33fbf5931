//! From arguments to elements.

use super::context::Context;
use super::element::{
    Column, Definition, DefinitionKind, Element, Gradient, Ink, Quantity, Rule, Shape, ShapeKind,
    Shift, TextKind,
};
use super::fields::{Fields, split};
use crate::Error;
use crate::color::Color;
use crate::series_request::SeriesRequest;

/// How far a gradient reaches unless `gradheight` says otherwise.
const GRADIENT_HEIGHT_PIXELS: f64 = 50.0;

/// The most elements a graph may have.
const ELEMENTS_MAX: usize = 20_000;

/// Everything that the elements of a graph say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// The definitions in order: each may use those before it.
    pub(crate) definitions: Vec<Definition>,
    /// What moves a definition in time, in order.
    pub(crate) shifts: Vec<Shift>,
    /// What is drawn and printed, in order.
    pub(crate) elements: Vec<Element>,
    /// What must be fetched, each once.
    pub(crate) requests: Vec<SeriesRequest>,
    /// Whether a definition or a shift comes last.
    pub(crate) ends_in_definition: bool,
}

impl Script {
    /// Reads the elements in order.
    pub(crate) fn parse(arguments: &[&str], context: &Context<'_>) -> Result<Self, Error> {
        let mut script = Self::default();
        if arguments.len() > ELEMENTS_MAX {
            return Err(Error::Element("too many elements".into()));
        }
        for argument in arguments {
            script.read(argument, context)?;
        }
        Ok(script)
    }

    fn read(&mut self, whole: &str, context: &Context<'_>) -> Result<(), Error> {
        let (keyword, text) = whole.split_once(':').unwrap_or((whole, ""));
        let has_fields = keyword.len() < whole.len();
        let fields = if has_fields { split(text) } else { Vec::new() };
        let mut fields = Fields::new(whole, fields);
        self.ends_in_definition = matches!(keyword, "DEF" | "CDEF" | "VDEF" | "SHIFT");
        match keyword {
            "DEF" | "CDEF" | "VDEF" => return self.definition(keyword, whole, context),
            "AREA" | "STACK" | "TICK" => self.shape(keyword, &mut fields, whole)?,
            "HRULE" | "VRULE" => self.rule(keyword == "VRULE", &mut fields, whole)?,
            "PRINT" => {
                let printed = self.printed(fields)?;
                self.elements.push(Element::Print(printed));
                return Ok(());
            }
            "GPRINT" => {
                let printed = self.printed(fields)?;
                self.elements.push(Element::Text(TextKind::Gprint(printed)));
                return Ok(());
            }
            "COMMENT" => {
                let text = fields.need("CF/FORMAT")?;
                self.elements.push(Element::Text(TextKind::Comment(text)));
            }
            "TEXTALIGN" => self.align(&mut fields)?,
            "XPORT" => self.column(&mut fields, whole)?,
            "SHIFT" => self.shift(&mut fields, whole)?,
            _ if keyword.starts_with("LINE") => self.shape(keyword, &mut fields, whole)?,
            _ => {
                return Err(Error::Element(format!(
                    "'{keyword}' is not a valid function name in {whole}"
                )));
            }
        }
        fields.finish()
    }

    /// The position of a definition.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.definitions.iter().position(|each| each.name == name)
    }

    pub(super) fn is_series(&self, position: usize) -> bool {
        self.definitions
            .get(position)
            .is_some_and(|each| !matches!(each.kind, DefinitionKind::Vdef { .. }))
    }

    /// Each keyword has options of its own: the word of another's is a legend, or left over.
    fn shape(&mut self, keyword: &str, fields: &mut Fields<'_>, whole: &str) -> Result<(), Error> {
        let is_line = keyword.starts_with("LINE");
        let mut stack = keyword == "STACK";
        let mut skip_scale = false;
        if is_line || keyword == "AREA" {
            stack = fields.flag("STACK") || fields.flag("stack");
            skip_scale = fields.flag("skipscale");
        }
        let gradient_height = match keyword {
            "AREA" => gradient_height(fields)?,
            _ => GRADIENT_HEIGHT_PIXELS,
        };
        let dashes = if is_line { Dashes::read(fields)? } else { Dashes::default() };
        let share = if keyword == "TICK" { fields.value_of("fraction") } else { None };
        let (mut ink, base_color, value) = self.ink(fields, dashes)?;
        let kind = match keyword {
            "AREA" => ShapeKind::Area {
                gradient: base_color
                    .map(|base_color| Gradient { base_color, height_pixels: gradient_height }),
            },
            "TICK" => {
                let share = share.map_or_else(|| fields.need("FRACTION"), Ok)?;
                ShapeKind::Tick { fraction: fraction(&share)? }
            }
            "STACK" => self.last_kind().ok_or_else(|| {
                Error::Element(format!("No previous LINE or AREA found for {whole}"))
            })?,
            _ => ShapeKind::Line { width: line_width(&keyword["LINE".len()..])? },
        };
        read_legend(fields, &mut ink);
        self.elements.push(Element::Shape(Shape { kind, value, ink, stack, skip_scale }));
        Ok(())
    }

    fn last_kind(&self) -> Option<ShapeKind> {
        self.elements.iter().rev().find_map(|element| match element {
            Element::Shape(shape) if !matches!(shape.kind, ShapeKind::Tick { .. }) => {
                Some(shape.kind)
            }
            _ => None,
        })
    }

    /// `value#color#color`, and a legend that is called so.
    fn ink(
        &self,
        fields: &mut Fields<'_>,
        dashes: Dashes,
    ) -> Result<(Ink, Option<Color>, Quantity), Error> {
        let legend = fields.value_of("legend");
        let value_and_colors = fields.need("VNAME")?;
        let mut parts = value_and_colors.split('#');
        let value = self.quantity(parts.next().unwrap_or(""))?;
        let color = parts.next().and_then(Color::from_digits);
        let base_color = parts.next().and_then(Color::from_digits);
        let Dashes { lengths: dashes, offset: dash_offset } = dashes;
        Ok((
            Ink { color, legend: legend.unwrap_or_default(), dashes, dash_offset },
            base_color,
            value,
        ))
    }

    fn quantity(&self, text: &str) -> Result<Quantity, Error> {
        if let Some(position) = self.position(text) {
            return Ok(Quantity::Of(position));
        }
        match rrd::number::parse(text) {
            rrd::number::Parsed::Whole(number) => Ok(Quantity::Number(number)),
            _ => Err(Error::Element(format!("{text} is not a vname nor a number"))),
        }
    }

    fn rule(&mut self, vertical: bool, fields: &mut Fields<'_>, whole: &str) -> Result<(), Error> {
        let dashes = Dashes::read(fields)?;
        let (mut ink, _, at) = self.ink(fields, dashes)?;
        read_legend(fields, &mut ink);
        if let Quantity::Of(position) = at
            && self.is_series(position)
        {
            let name = &self.definitions[position].name;
            return Err(Error::Element(format!(
                "Using vname {name} of wrong type in line {whole}"
            )));
        }
        self.elements.push(Element::Rule(Rule { vertical, at, ink }));
        Ok(())
    }

    fn column(&mut self, fields: &mut Fields<'_>, whole: &str) -> Result<(), Error> {
        let legend = fields.value_of("legend");
        let of = match self.quantity(&fields.need("VNAME")?)? {
            Quantity::Of(of) if self.is_series(of) => of,
            Quantity::Of(of) => {
                let name = &self.definitions[of].name;
                return Err(Error::Element(format!(
                    "Cannot shift a VDEF: '{name}' in line '{whole}'\n"
                )));
            }
            Quantity::Number(_) => {
                return Err(Error::Element(format!(
                    "Encountered unknown type variable '' in line '{whole}'"
                )));
            }
        };
        let legend = legend.or_else(|| fields.next()).unwrap_or_default();
        self.elements.push(Element::Column(Column { of, legend }));
        Ok(())
    }

    fn align(&mut self, fields: &mut Fields<'_>) -> Result<(), Error> {
        let missing = || Error::Element("No alignment given".into());
        let name = fields.next().ok_or_else(missing)?;
        let align = match name.as_str() {
            "left" => 'l',
            "right" => 'r',
            "center" => 'c',
            "justified" => 'j',
            _ => return Err(Error::Element(format!("Unknown alignment type '{name}'"))),
        };
        self.elements.push(Element::Align(align));
        Ok(())
    }
}

fn number(text: &str) -> Result<f64, Error> {
    match rrd::number::parse(text) {
        rrd::number::Parsed::Whole(number) if number.is_finite() => Ok(number),
        _ => Err(Error::Element(format!("error parsing number {text}"))),
    }
}

fn gradient_height(fields: &mut Fields<'_>) -> Result<f64, Error> {
    let Some(text) = fields.value_of("gradheight") else {
        return Ok(GRADIENT_HEIGHT_PIXELS);
    };
    match number(&text) {
        Ok(pixels) => Ok(pixels.clamp(-1e6, 1e6)),
        Err(_) => Err(Error::Element(format!("Bad gradheight: {text}"))),
    }
}

fn fraction(text: &str) -> Result<f64, Error> {
    Ok(number(text)?.clamp(-1.0, 1.0))
}

fn line_width(text: &str) -> Result<f64, Error> {
    if text.is_empty() {
        return Ok(1.0);
    }
    match text.parse::<f64>() {
        Ok(width) if (0.0..=1000.0).contains(&width) => Ok(width),
        _ => Err(Error::Element(format!("Bad line width: {text}"))),
    }
}

/// The legend is the next field, unless there is one that was called so.
fn read_legend(fields: &mut Fields<'_>, ink: &mut Ink) {
    if ink.legend.is_empty()
        && let Some(legend) = fields.next()
    {
        ink.legend = legend;
    }
}

/// How a line is interrupted.
#[derive(Default)]
struct Dashes {
    /// Of dashes and gaps in turn; empty for a solid line.
    lengths: Vec<f64>,
    offset: f64,
}

impl Dashes {
    fn read(fields: &mut Fields<'_>) -> Result<Self, Error> {
        let offset = match fields.value_of("dash-offset") {
            None => 0.0,
            Some(text) => number(&text)
                .map_err(|_| Error::Element(format!("Could not parse dash-offset: {text}")))?,
        };
        Ok(Self { lengths: dashes(fields)?, offset })
    }
}

/// The most lengths of one list that count.
const DASHES_MAX: usize = 64;

fn dash_lengths(text: &str) -> Result<Vec<f64>, Error> {
    let mut lengths = Vec::new();
    let mut rest = text;
    loop {
        let refuse = |words: &str| Err(Error::Element(format!("{words}: {rest}")));
        let (length, after) = match rrd::number::parse(rest) {
            rrd::number::Parsed::Whole(length) => (length, ""),
            rrd::number::Parsed::Partial(length, after) => (length, after),
            rrd::number::Parsed::Nothing => return refuse("Could not parse number"),
        };
        if !length.is_finite() {
            return refuse("Could not parse number");
        }
        lengths.push(length.clamp(0.0, 1e4));
        if after.is_empty() {
            return Ok(lengths);
        }
        let Some(next) = after.strip_prefix(',') else {
            return Err(Error::Element(format!("expected a ',' at : {after}")));
        };
        rest = next;
    }
}

/// `dashes` alone is five on, five off; an odd list is repeated, one number is on and off.
fn dashes(fields: &mut Fields<'_>) -> Result<Vec<f64>, Error> {
    let Some(text) = fields.value_of("dashes") else {
        let plain = fields.flag("dashes");
        return Ok(if plain { vec![5.0, 5.0] } else { Vec::new() });
    };
    let mut lengths = dash_lengths(&text)?;
    lengths.truncate(DASHES_MAX);
    if lengths.len() % 2 == 1 {
        lengths.extend(lengths.clone());
    }
    let drawable = lengths.iter().sum::<f64>() > 0.1;
    Ok(if drawable { lengths } else { Vec::new() })
}
