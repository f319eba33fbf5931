//! Every option of `rrdtool graph` 1.7.2, in the order of the manual's subjects.

use options::getopt::Row;
use options::{Naming, checked, namings, option, switch};

use super::grid_option::{TimeGrid, ValueGrid};
use super::settings::{AutoScale, Settings};
use super::settings_values as value;
use crate::Error;

/// What becomes of an option here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has rrdtool's effect.
    Effective,
    /// It is accepted and changes nothing, because it concerns rrdtool's own machinery or a
    /// matter that this renderer settles otherwise.
    Accepted,
}

/// Options that are accepted and change nothing.
const ACCEPTED: [&str; 3] = ["font-smoothing-threshold", "alt-y-mrtg", "graph-type"];

/// What each option is called and does.
pub const OPTIONS: &[Naming] = &namings(&rows());

/// What becomes of the option of this name.
#[must_use]
pub fn status_of(long: &str) -> Status {
    match long {
        _ if ACCEPTED.contains(&long) => Status::Accepted,
        _ => Status::Effective,
    }
}

/// An option that changes nothing here, whatever its value.
const fn ignored<'a>(
    names: &'static str,
    value: &'static str,
    help: &'static str,
) -> Row<'a, Settings, Error> {
    option(names, value, help, |_, _| ())
}

/// A switch that changes nothing here.
const fn ignored_switch<'a>(names: &'static str, help: &'static str) -> Row<'a, Settings, Error> {
    switch(names, help, |_| ())
}

/// The options, in the order of the manual's subjects.
pub(crate) const fn rows<'a>() -> [Row<'a, Settings, Error>; 61] {
    [
        option("-s --start", "TIME", "where it begins (end-24h)", |it, text| {
            it.start = Some(text.into())
        }),
        option("-e --end", "TIME", "where it ends (now)", |it, text| it.end = Some(text.into())),
        option("-S --step", "SECONDS", "rows are at least this long", |it, text| {
            it.row_length = value::row_length(text)
        }),
        option("-t --title", "TEXT", "above the graph", |it, text| {
            it.title = value::text(&text.replace("\\n", "\n"))
        }),
        option("-v --vertical-label", "TEXT", "beside the value axis", |it, text| {
            it.vertical_label = value::text(text)
        }),
        checked("-w --width", "PIXELS", "of the canvas (400)", |it, text| {
            it.width = value::pixels(text, "width")?;
            Ok(())
        }),
        checked("-h --height", "PIXELS", "of the canvas (100)", |it, text| {
            it.height = value::pixels(text, "height")?;
            Ok(())
        }),
        switch("-j --only-graph", "the canvas alone", |it| it.only_graph = true),
        switch("-D --full-size-mode", "width and height are those of the image", |it| {
            it.full_size = true
        }),
        checked(
            "-u --upper-limit",
            "VALUE",
            "the value axis reaches at least up to it",
            |it, text| {
                it.upper = value::number(text, 'u')?;
                Ok(())
            },
        ),
        checked(
            "-l --lower-limit",
            "VALUE",
            "the value axis reaches at least down to it",
            |it, text| {
                it.lower = value::number(text, 'l')?;
                Ok(())
            },
        ),
        switch("-r --rigid", "the limits are not moved by the data", |it| it.rigid = true),
        switch("--allow-shrink", "with --rigid: the limits may come closer", |it| {
            it.allow_shrink = true
        }),
        switch("-A --alt-autoscale", "limits close to the data", |it| {
            it.auto_scale = it.auto_scale.max(AutoScale::Both)
        }),
        switch("-J --alt-autoscale-min", "the lower limit close to the data", |it| {
            it.auto_scale = it.auto_scale.max(AutoScale::Minimum)
        }),
        switch("-M --alt-autoscale-max", "the upper limit close to the data", |it| {
            it.auto_scale = it.auto_scale.max(AutoScale::Maximum)
        }),
        switch("-N --no-gridfit", "lines and edges need not meet whole pixels", |it| {
            it.grid_fit = false
        }),
        checked(
            "-x --x-grid",
            "none|GTM:GST:MTM:MST:LTM:LST:LPR:LFM",
            "lines and labels of the time axis",
            |it, text| {
                it.time_grid = TimeGrid::parse(text)?;
                Ok(())
            },
        ),
        option("--week-fmt", "FORMAT", "how weeks are labelled (Week %V)", |it, text| {
            it.week_format = text.into()
        }),
        checked(
            "-y --y-grid",
            "none|STEP:FACTOR",
            "lines and labels of the value axis",
            |it, text| {
                it.value_grid = ValueGrid::parse(text)?;
                Ok(())
            },
        ),
        checked(
            "--left-axis-formatter",
            "numeric|timestamp|duration",
            "what the values of the axis stand for (numeric)",
            |it, text| {
                it.left_format.formatter = value::axis_formatter(text, "left")?;
                Ok(())
            },
        ),
        option("--left-axis-format", "FORMAT", "of the labels of the value axis", |it, text| {
            it.left_format.text = text.into()
        }),
        switch("-Y --alt-y-grid", "a value axis with lines by another rule", |it| {
            it.alternative_value_grid = true
        }),
        switch("-o --logarithmic", "a logarithmic value axis", |it| it.logarithmic = true),
        option("-X --units-exponent", "EXPONENT", "the power of ten of all labels", |it, text| {
            it.units_exponent = Some(value::leading_integer(text).clamp(-99, 99) as i32)
        }),
        option(
            "-L --units-length",
            "LETTERS",
            "room for the labels of the value axis (6)",
            |it, text| {
                it.units_length = value::leading_integer(text).clamp(0, 100) as u32;
                it.keeps_label_room = true;
            },
        ),
        checked("--units", "si", "SI units on a logarithmic axis", |it, text| {
            it.si_log_units = value::units(text, it.si_log_units)?;
            Ok(())
        }),
        checked(
            "--right-axis",
            "SCALE:SHIFT",
            "labels on the right, for the values on the left times SCALE plus SHIFT",
            |it, text| {
                it.right_axis = Some(value::right_axis(text)?);
                Ok(())
            },
        ),
        option("--right-axis-label", "TEXT", "beside the right axis", |it, text| {
            it.right_label = value::text(text)
        }),
        checked(
            "--right-axis-formatter",
            "numeric|timestamp|duration",
            "what the values of the right axis stand for (numeric)",
            |it, text| {
                it.right_format.formatter = value::axis_formatter(text, "right")?;
                Ok(())
            },
        ),
        option("--right-axis-format", "FORMAT", "of the labels of the right axis", |it, text| {
            it.right_format.text = text.into()
        }),
        switch("-g --no-legend", "no legend", |it| it.legend = false),
        switch(
            "-F --force-rules-legend",
            "HRULE and VRULE are in the legend even if they are not seen",
            |it| it.force_rules_legend = true,
        ),
        checked(
            "--legend-position",
            "north|south|west|east",
            "beside which edge the legend stands (south)",
            |it, text| {
                it.legend_position = value::legend_position(text)?;
                Ok(())
            },
        ),
        checked(
            "--legend-direction",
            "topdown|bottomup|bottomup2",
            "the order of the legend's lines (topdown)",
            |it, text| {
                it.legend_direction = value::legend_direction(text)?;
                Ok(())
            },
        ),
        switch("-z --lazy", "keep an image that is not older than a pixel is long", |it| {
            it.lazy = true
        }),
        option(
            "-d --daemon",
            "ADDRESS",
            "an rrdcached to go through; RRDCACHED_ADDRESS says the same",
            |it, text| it.daemon = Some(text.into()),
        ),
        checked(
            "-f --imginfo",
            "FORMAT",
            "tell this of the image, with %s %lu %lu for name, width, height",
            |it, text| {
                it.image_info = Some(value::image_info(text)?);
                Ok(())
            },
        ),
        checked("-c --color", "TAG#RRGGBB[AA]", "the colour of a part", |it, text| {
            value::color(text, &mut it.palette)?;
            Ok(())
        }),
        checked("--grid-dash", "ON:OFF", "how lines of the grid are dashed (1:1)", |it, text| {
            it.grid_dash = value::grid_dash(text)?;
            Ok(())
        }),
        option("--border", "PIXELS", "of the bevel (2)", |it, text| {
            it.border = value::leading_number(text).clamp(0.0, 100.0)
        }),
        switch("--dynamic-labels", "a line's mark in the legend is a line", |it| {
            it.dynamic_labels = true
        }),
        checked("-m --zoom", "FACTOR", "the image is so many times as large", |it, text| {
            it.zoom = value::zoom(text)?;
            Ok(())
        }),
        checked("-n --font", "TAG:SIZE[:FONT]", "the size of texts, in points", |it, text| {
            value::font(text, &mut it.fonts)?;
            Ok(())
        }),
        checked(
            "-R --font-render-mode",
            "normal|light|mono",
            "whether the edges of letters are smoothed",
            |it, text| {
                it.smooth_letters = value::font_render_mode(text)?;
                Ok(())
            },
        ),
        ignored("-B --font-smoothing-threshold", "SIZE", "no effect"),
        switch("-P --pango-markup", "texts have tags such as <b>", |it| it.markup = true),
        checked(
            "-G --graph-render-mode",
            "normal|mono",
            "whether edges are smoothed",
            |it, text| {
                it.antialias = value::graph_render_mode(text)?;
                Ok(())
            },
        ),
        switch("-E --slope-mode", "lines lead from value to value instead of steps", |it| {
            it.slope = true
        }),
        checked(
            "-a --imgformat",
            "PNG|SVG|PDF|EPS|XML|XMLENUM|JSON|JSONTIME|CSV|TSV|SSV",
            "the format of the image, or of a table of its series (PNG)",
            |it, text| {
                it.format = value::format(text)?;
                Ok(())
            },
        ),
        switch("-i --interlaced", "a PNG file shows a coarse image first", |it| {
            it.interlaced = true
        }),
        checked("-T --tabwidth", "POINTS", "the distance of tabs (40)", |it, text| {
            it.tab_points = value::tab_width(text)?;
            Ok(())
        }),
        checked("-b --base", "1000|1024", "of the units k, M, G (1000)", |it, text| {
            it.base = value::base(text)?;
            Ok(())
        }),
        option("-W --watermark", "TEXT", "below the graph", |it, text| {
            it.watermark = value::text(text).replace('\n', " ").chars().take(99).collect()
        }),
        switch(
            "-Z --use-nan-for-all-missing-data",
            "a database that cannot be read is an unknown one",
            |it| it.missing_is_unknown = true,
        ),
        switch("--add-jsontime", "rows of JSON have their times", |it| it.json_times = true),
        switch("--utc", "the time axis is in UTC", |it| it.utc = true),
        switch("-I --no-minor", "no minor lines of the grid", |it| it.minor_grid = false),
        switch("--disable-rrdtool-tag", "without rrdtool's name at the right edge", |it| {
            it.tag = false
        }),
        ignored_switch("--alt-y-mrtg", "no effect"),
        checked("--graph-type", "TIME", "no effect", |_, text| value::graph_type(text)),
    ]
}

#[cfg(test)]
mod tests {
    use super::{ACCEPTED, OPTIONS};

    #[test]
    fn what_is_named_apart_exists() {
        for name in ACCEPTED {
            assert!(OPTIONS.iter().any(|naming| naming.long == name), "{name}");
        }
    }
}
