//! The values of options.

use super::settings::{
    AxisFormatter, FontChoice, Fonts, Format, LegendDirection, LegendPosition, RightAxis,
};
use crate::Error;
use crate::color::{Color, Palette};
use crate::font::Wanted;
use crate::format::ImageInfo;
use crate::row_length::RowLength;
use crate::table_markup::Markup;

/// The most pixels a side of the canvas may have where nothing is drawn: each is a row of what is
/// calculated.
const CALCULATED_SIDE_PIXELS_MAX: i64 = 1_000_000;

fn refuse<T>(words: String) -> Result<T, Error> {
    Err(Error::Option(words))
}

/// An integer at the start of a text, 0 if there is none, as C's `atoi`.
pub(super) fn leading_integer(text: &str) -> i64 {
    let text = text.trim_start();
    let sign_length = usize::from(text.starts_with(['-', '+']));
    let digits = text.bytes().skip(sign_length);
    let length = sign_length + digits.take_while(u8::is_ascii_digit).count();
    text.get(..length).and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Seconds, with a fraction if there is nothing else; else the integer at the start of a text.
pub(super) fn row_length(text: &str) -> RowLength {
    RowLength::of_decimal(text)
        .unwrap_or_else(|| RowLength::of_seconds(leading_integer(text).max(0) as u64))
}

/// A number at the start of a text, 0 if there is none, as C's `atof`.
pub(super) fn leading_number(text: &str) -> f64 {
    match rrd::number::parse(text) {
        rrd::number::Parsed::Whole(number) | rrd::number::Parsed::Partial(number, _)
            if number.is_finite() =>
        {
            number
        }
        _ => 0.0,
    }
}

/// A number that must be whole.
pub(super) fn number(text: &str, letter: char) -> Result<f64, Error> {
    match rrd::number::parse(text) {
        rrd::number::Parsed::Whole(number) => Ok(number),
        rrd::number::Parsed::Partial(number, tail) => refuse(format!(
            "option -{letter} - Converted '{text}' to {number:.6}, but cannot convert '{tail}'"
        )),
        rrd::number::Parsed::Nothing => {
            refuse(format!("option -{letter} - Cannot convert '{text}' to float"))
        }
    }
}

/// The distance of tabs, points.
pub(super) fn tab_width(text: &str) -> Result<f64, Error> {
    let points = number(text, 'T')?;
    Ok(if points.is_nan() { 1.0 } else { points.clamp(1.0, 1000.0) })
}

/// Text without control characters; line breaks and tabs stay.
pub(super) fn text(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).take(1000).collect()
}

pub(super) fn pixels(text: &str, side: &str) -> Result<u32, Error> {
    match leading_integer(text) {
        ..10 => refuse(format!("{side} below 10 pixels")),
        many if many > CALCULATED_SIDE_PIXELS_MAX => {
            refuse(format!("{side} above {CALCULATED_SIDE_PIXELS_MAX} pixels"))
        }
        some => Ok(some as u32),
    }
}

/// Whether labels are in SI units; `is_given` tells that it was said before.
pub(super) fn units(text: &str, is_given: bool) -> Result<bool, Error> {
    match text {
        _ if is_given => refuse("--units can only be used once!".into()),
        "si" => Ok(true),
        _ => refuse(format!("invalid argument for --units: {text}")),
    }
}

pub(super) fn color(text: &str, palette: &mut Palette) -> Result<(), Error> {
    let Some((tag, digits)) = text.split_once('#') else {
        return refuse("invalid color def format".into());
    };
    let Some(slot) = palette.named(tag) else {
        return refuse(format!("invalid color name '{tag}'"));
    };
    let length = digits.bytes().take_while(u8::is_ascii_hexdigit).take(8).count();
    if length == 0 {
        return refuse("invalid color def format".into());
    }
    let Some(color) = digits.get(..length).and_then(Color::from_digits) else {
        return refuse("the color format is #RRGGBB[AA]".into());
    };
    *slot = color;
    Ok(())
}

pub(super) fn grid_dash(text: &str) -> Result<(f64, f64), Error> {
    let pair = text
        .split_once(':')
        .and_then(|(on, off)| Some((on.parse::<f64>().ok()?, off.parse::<f64>().ok()?)));
    match pair {
        Some((on, off)) if (0.0..1e4).contains(&on) && (0.0..1e4).contains(&off) => Ok((on, off)),
        _ => refuse("invalid grid-dash format".into()),
    }
}

pub(super) fn zoom(text: &str) -> Result<f64, Error> {
    match number(text, 'm')? {
        zoom if zoom > 0.0 => Ok(zoom.clamp(0.01, 20.0)),
        _ => refuse("zoom factor must be > 0".into()),
    }
}

pub(super) fn font(text: &str, fonts: &mut Fonts) -> Result<(), Error> {
    let Some((tag, rest)) = text.split_once(':') else {
        return refuse("invalid text property format".into());
    };
    let (size, family) = rest.split_once(':').unwrap_or((rest, ""));
    let size = match rrd::number::parse(size) {
        // What follows the number is passed over.
        rrd::number::Parsed::Whole(size) | rrd::number::Parsed::Partial(size, _)
            if size.is_finite() && !rest.starts_with(char::is_whitespace) =>
        {
            size
        }
        _ => return refuse("invalid text property format".into()),
    };
    let choices: &mut [&mut FontChoice] = match tag {
        "DEFAULT" => &mut fonts.all(),
        "TITLE" => &mut [&mut fonts.title],
        "AXIS" => &mut [&mut fonts.axis],
        "UNIT" => &mut [&mut fonts.unit],
        "LEGEND" => &mut [&mut fonts.legend],
        "WATERMARK" => &mut [&mut fonts.watermark],
        _ => return refuse(format!("invalid fonttag '{tag}'")),
    };
    let wanted = Wanted::parse(family);
    for choice in choices {
        if size > 0.0 {
            choice.points = size.clamp(1.0, 200.0);
        }
        if !family.is_empty() {
            choice.choose(&wanted);
        }
    }
    Ok(())
}

/// Whether the edges of letters are smoothed. Letters are not hinted, so that `light` is `normal`.
pub(super) fn font_render_mode(text: &str) -> Result<bool, Error> {
    match text {
        "normal" | "light" => Ok(true),
        "mono" => Ok(false),
        _ => refuse(format!("unknown font-render-mode '{text}'")),
    }
}

/// Whether edges are smoothed.
pub(super) fn graph_render_mode(text: &str) -> Result<bool, Error> {
    match text {
        "normal" => Ok(true),
        "mono" => Ok(false),
        _ => refuse(format!("unknown graph-render-mode '{text}'")),
    }
}

/// `scale:shift`.
pub(super) fn right_axis(text: &str) -> Result<RightAxis, Error> {
    let number = |text: &str| match rrd::number::parse(text) {
        rrd::number::Parsed::Whole(number) if number.is_finite() => Some(number),
        _ => None,
    };
    let pair =
        text.split_once(':').and_then(|(scale, shift)| Some((number(scale)?, number(shift)?)));
    match pair {
        None => refuse("invalid right-axis format expected scale:shift".into()),
        Some((0.0, _)) => refuse("the second_axis_scale  must not be 0".into()),
        Some((scale, shift)) => Ok(RightAxis { scale, shift }),
    }
}

pub(super) fn axis_formatter(text: &str, side: &str) -> Result<AxisFormatter, Error> {
    Ok(match text {
        "numeric" => AxisFormatter::Numeric,
        "timestamp" => AxisFormatter::Timestamp,
        "duration" => AxisFormatter::Duration,
        _ => return refuse(format!("Unknown {side} axis formatter")),
    })
}

pub(super) fn legend_position(text: &str) -> Result<LegendPosition, Error> {
    Ok(match text {
        "north" => LegendPosition::North,
        "south" => LegendPosition::South,
        "west" => LegendPosition::West,
        "east" => LegendPosition::East,
        _ => return refuse(format!("unknown legend-position '{text}'")),
    })
}

pub(super) fn legend_direction(text: &str) -> Result<LegendDirection, Error> {
    Ok(match text {
        "topdown" => LegendDirection::TopDown,
        "bottomup" => LegendDirection::BottomUp,
        "bottomup2" => LegendDirection::BottomUpWithin,
        _ => return refuse(format!("unknown legend-position '{text}'")),
    })
}

/// What `--imginfo` prints; nothing for an empty one but the end of its line.
pub(super) fn image_info(text: &str) -> Result<ImageInfo, Error> {
    ImageInfo::parse(text).ok_or_else(|| Error::ImageInfo(text.into()))
}

pub(super) fn format(text: &str) -> Result<Format, Error> {
    let table = |markup, with_time| Ok(Format::Table { markup, with_time });
    match text {
        "PNG" => Ok(Format::Png),
        "SVG" => Ok(Format::Svg),
        "PDF" => Ok(Format::Pdf),
        "EPS" => Ok(Format::Eps),
        "XML" => table(Markup::Xml { numbered: false }, true),
        "XMLENUM" => table(Markup::Xml { numbered: true }, true),
        "JSON" => table(Markup::Json, false),
        "JSONTIME" => table(Markup::Json, true),
        "CSV" => table(Markup::Separated(b','), true),
        "TSV" => table(Markup::Separated(b'\t'), true),
        "SSV" => table(Markup::Separated(b';'), true),
        _ => refuse(format!("unsupported graphics format '{text}'")),
    }
}

/// A graph of series over time is the only one that there is.
pub(super) fn graph_type(text: &str) -> Result<(), Error> {
    match text {
        "TIME" => Ok(()),
        "XY" => refuse("XY diagram not implemented".into()),
        _ => refuse(format!("unsupported graphics type '{text}'")),
    }
}

pub(super) fn base(text: &str) -> Result<f64, Error> {
    match leading_integer(text) {
        base @ (1000 | 1024) => Ok(base as f64),
        _ => refuse("the only sensible value for base apart from 1000 is 1024".into()),
    }
}
