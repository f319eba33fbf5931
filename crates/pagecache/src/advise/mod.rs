//! Gives advice about files, and checks whether it had an effect.
//!
//! ```text
//! bytes   0        4096      8192      12288     16384    20000
//! page    |    0    |    1    |    2    |    3    |   4   |
//! stretch       [5000 ............ 13000)
//! whole                   [    2    ]              what can be dropped: pages wholly inside
//! touched           [    1    |    2    |    3    ]   what is read for it
//! ```
//!
//! The kernel drops clean pages that no process maps, locks or uses at that moment. A page counts
//! as gone once the kernel says so. *Not for* advice that ends when the descriptor is closed: the
//! reader itself must give such advice.

mod stretch;
mod evict;
mod bring;

pub use bring::{ask_for, loaded_pages, lock, touch};
pub use evict::{Eviction, evict};
pub use stretch::Stretch;
