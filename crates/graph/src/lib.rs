//! rrdgraph arguments to plan, series, scene, PNG, SVG, PDF and EPS, pure.
//!
//! ```text
//!   arguments --Plan::new--> Plan --requests--> (whoever has the data) --> Series
//!       Series --calculate--> values --curves, axes, legend--> Scene --> PNG, SVG, PDF or EPS
//! ```
//!
//! The crate knows no store, clock or file: [`draw`] is handed a function that answers
//! [`SeriesRequest`]s. Layout, axes and texts follow rrdtool's, so that a graph has the same size
//! and says the same; `tests/` holds them against a live rrdtool.

mod time_window;
mod row_length;
mod series_request;
mod plan;
mod arguments;
mod error;
mod leads;
mod calculated;
mod calculate;
mod reduce;
mod summary;
mod print;
mod format;
mod curves;
mod value_axis;
mod time_axis;
mod legend;
mod layout;
mod compose;
mod scene;
mod svg;
mod placed_line;
mod pdf;
mod eps;
mod png;
mod markup;
mod bidi;
mod text;
mod font;
mod color;
mod rounding;
mod drawing;
mod export;
mod table_markup;
mod table_number;
mod table;
mod rows;
mod plot;

pub use arguments::{Arguments, OPTIONS, Status, status_of};
pub use drawing::{Drawing, Fetch, LegendText, TableWindow, draw};
pub use error::{Error, Undrawn};
pub use export::{Export, ExportWindow, Note, NoteKind};
pub use font::{FontFile, FontFinder, Style, Wanted};
pub use plan::Plan;
pub use plot::{Axis, Legend, Panel, Plot, Scale};
pub use row_length::RowLength;
pub use rows::{Bounds, RowColumn, RowFact, RowPrint, RowsAnswer, RowsPlan, RowsTold, RowsWindow};
pub use series_request::{SeriesRequest, without_password};
pub use table::TableForm;
pub use table_markup::Markup;
