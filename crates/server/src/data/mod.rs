//! Data in and out: databases as JSON, and the protocols of query languages.
//!
//! ```text
//!  GET    /api/databases?q=r1/*               names
//!         /api/databases/NAME                 definition and state
//!         /api/databases/NAME/rows?start=-1d  rows
//!         /api/databases/NAME/last            the newest value of each data source
//!         /api/top?series=in&by=max           the series with the largest values
//!         /api/events?q=r1/*              final rows as they come: server-sent events
//!         /api/openapi.json                   all of this, for programs
//!  PUT    /api/databases/NAME                 makes a database
//!  DELETE /api/databases/NAME                 deletes it
//!  POST   /api/samples                        updates databases
//!         /write  /api/v2/write  /api/v1/write  samples of agents
//! ```
//!
//! Names are relative and behind percent signs: `router%2Fport1.rrd`.

mod problem;
mod form;
mod arrivals;
mod context;
mod names;
mod about;
mod stretch;
mod rows;
mod top;
mod samples;
mod creation;
mod events;
mod openapi;
mod prometheus;
mod graphite;
mod writes;
mod router;

pub use arrivals::Arrivals;
pub use context::DataContext;
pub(crate) use prometheus::seen;
pub use router::data_router;

/// Where it is asked what the text of a board shows.
pub(crate) const BOARD_PREVIEW: &str = "/api/boards/preview";

/// Whether what is posted there is a question of a query language, or about a board, which changes nothing.
pub(crate) fn is_question(path: &str) -> bool {
    if path == writes::REMOTE_WRITE {
        return false;
    }
    let beginnings =
        ["/api/v1/", BOARD_PREVIEW, "/render", "/metrics/", "/tags", "/functions", "/events/"];
    beginnings.iter().any(|beginning| path.starts_with(beginning))
}
