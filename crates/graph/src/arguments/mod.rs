//! The language of rrdgraph: options, and elements such as `DEF:…` and `AREA:…`.

mod given;
mod option_rows;
mod settings;
mod settings_values;
mod grid_option;
mod context;
mod fields;
mod element;
mod element_parse;
mod definition_parse;
mod print_parse;
mod shift_parse;
mod times;

pub use given::Arguments;
pub use option_rows::{OPTIONS, Status, status_of};

pub(crate) use context::Context;
pub(crate) use element::{
    Definition, DefinitionKind, Element, Gradient, Ink, Printed, PrintedAs, Quantity, Rule, Shape,
    ShapeKind, Shift, TextKind,
};
pub(crate) use element_parse::Script;
pub(crate) use grid_option::{TimeGrid, TimeStep, TimeUnit, ValueGrid};
pub(crate) use settings::{
    AutoScale, AxisFormat, AxisFormatter, FontChoice, Format, LegendDirection, LegendPosition,
    Settings,
};
pub(crate) use times::window;
