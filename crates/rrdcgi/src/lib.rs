//! rrdcgi: a web page from a template with tags such as `<RRD::GRAPH ...>`.
//!
//! ```text
//!   template --page::render--> tag and words --Answers--> text in the tag's place
//!   query, form ---------------> variables ----^   ^---- session: graphs and databases
//! ```
//!
//! [`page`], [`words`], [`query`] and [`reply`] know bytes alone; [`answers`] has the session, and
//! [`program`] the command line and the request. What the tags say and how they nest are as in
//! rrdcgi 1.7.2, whose pages these are compared with, byte for byte.
#![allow(clippy::disallowed_methods)] // an edge: it meets the clock, files and the environment

pub mod program;
mod page;
mod text;
mod words;
mod tag;
mod answers;
mod graph_tag;
mod time_tag;
mod include;
mod environment;
mod query;
mod reply;
