//! The switches in the foot of every page: the zone of times, light or dark. Scripts show them and
//! keep what is chosen in the browser; without scripts they are hidden.

use maud::{Markup, html};

/// Both switches; `zone` is the name of the server's zone.
pub(super) fn switches(zone: &str) -> Markup {
    html! {
        span.switches {
            label {
                "Times "
                select #zone-choice {
                    option value="server" { "of the server (" (zone) ")" }
                    option value="viewer" { "of this device" }
                }
            }
            label {
                "Look "
                select #look-choice {
                    option value="system" { "as the system" }
                    option value="light" { "light" }
                    option value="dark" { "dark" }
                }
            }
        }
    }
}
