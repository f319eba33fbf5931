//! Whole databases as XML, a format that is independent of the machine.
//!
//! ```text
//!   <rrd> <version/> <step/> <lastupdate/>
//!     <ds> name, type, heartbeat, min, max, last_ds, value, unknown_sec </ds> …
//!     <rra> <cf/> <pdp_per_row/> <params> <xff/> </params>
//!       <cdp_prep> <ds> primary, secondary, value, unknown_datapoints </ds> … </cdp_prep>
//!       <database> <row> <v/> … </row> … </database>
//!     </rra> …
//!   </rrd>
//! ```

mod write;
mod number;
mod elements;
mod parse;
mod rows;
mod range;

pub use elements::XmlError;
pub use parse::parse;
pub use range::forget_values_out_of_range;
pub use write::{Prologue, write, write_by};
