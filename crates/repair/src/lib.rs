//! What to change in the rows of a database whose past is wrong.
//!
//! ```text
//! rules, one after the other, on each column:   [ row row SPIKE row ... ]   of one archive and source
//!                                                         |
//! then coarser rows whose finer rows changed:         [   row   ]           calculated anew
//!                                                         |
//!                                                  Plan: cells before and after
//! ```
//!
//! The crate plans and changes nothing: [`rrd::refill::change_cells`] makes the changes, and a plan
//! that is turned round ([`Plan::undone`]) takes them back. Archives that forecast are left alone.

mod rule;
mod column;
mod spikes;
mod gaps;
mod shift;
mod merge;
mod coarser;
mod plan;

pub use plan::{Note, Plan, Repair, plan};
pub use rule::{Replacement, Rule, Span};
