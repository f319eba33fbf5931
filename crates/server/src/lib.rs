//! The HTTP edge: pages and graphs, rendered on the server.
//!
//! ```text
//!  GET /                      the targets: search, pages of 50
//!      /t/NAME                a target and its graphs
//!      /compare?t=A&t=B       several targets in one chart
//!      /graph/NAME/day.svg    one graph: target -> rrdgraph arguments -> `graph` -> image
//!      /api/charts?t=NAME     rows for charts
//!      /status  /api/...      the collector's status; the same as JSON
//!      /boards  /board/NAME   what is watched together
//!      /metrics               the same for Prometheus
//! ```
//!
//! Without a configuration that names targets, the pages show a [`Tree`] of databases, by
//! directory. Each database has a graph of each of its data sources.
//!
//! The server knows neither the collector nor its configuration: a [`Site`] tells what to show, and
//! a [`store::Store`] has the values. Every page works without scripts; with scripts it refreshes
//! itself.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "an edge: a socket and the clock")]

mod limits;
mod site;
mod unknown;
mod alerting;
mod status;
mod exposition;
mod heard;
mod span;
mod period;
mod url_words;
mod extent;
mod graph_arguments;
mod drawing;
mod finding;
mod view;
mod comparison;
mod numbers;
mod latest;
mod charts;
mod ranks;
mod rank_state;
mod own;
mod own_graph;
mod pages;
mod api;
mod search;
mod metrics;
mod assets;
mod hosts;
mod visitor;
mod proxies;
mod gate;
mod quota;
mod request_log;
mod router;
mod tree;
mod data;
mod boards;
mod progress;
mod connections;
mod watched;
mod peer;
mod serving;
mod listen;

pub use alerting::{AlertReceiver, Alerting};
/// Requests and what answers them; [`Router::merge`] puts two together.
pub use axum::Router;
pub use boards::{
    BoardPages, BoardsContext, Checked, Fault, Shelf, WrongBoard, WrongFile, boards_router,
};
pub use data::{Arrivals, DataContext, data_router};
pub use finding::Names;
pub use gate::Gate;
pub use graph_arguments::{StaticInks, static_arguments};
pub use heard::Heard;
pub use hosts::Hosts;
pub use limits::{Limit, LimitAt, LimitSide};
pub use listen::{Running, start, start_encrypted};
pub use own::{Outlook, Own, OwnFinding, OwnSeries, OwnSource};
pub use pages::path::target as path_of_target;
pub use period::Period;
pub use progress::Patience;
pub use proxies::Proxies;
pub use request_log::RequestLog;
pub use router::router;
pub use serving::Limits;
pub use site::{
    BrokenLimit, Catalogue, Line, Look, Maxima, Periods, Site, StorePlace, Target, Targets,
};
pub use status::{
    Cycle, Device, DeviceCounts, Durations, Health, Histogram, LastError, Round, Sql, Status,
    Totals, Writing,
};
pub use tree::{EntriesPage, Entry, Metric, Tree, TreeContext, Unanswered, tree_router};
pub use view::Context;
