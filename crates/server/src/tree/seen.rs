//! The entries of a directory that a visitor may see.

use std::io;

use access::Scope;

use super::pages::{PAGE_ENTRIES, below, path_of};
use super::{EntriesPage, Tree};

/// The most pages that are looked through for one that a visitor may see.
const PAGES_MAX: usize = 64;

/// A page of what may be seen. Where the next page would begin with a name that may not, the list
/// goes on to one that may: a link must not tell of others.
pub(super) fn list(
    tree: &dyn Tree,
    scope: &Scope,
    directory: &str,
    from: &str,
) -> io::Result<EntriesPage> {
    let listed = |from: &str| {
        let mut page = tree.list(directory, from, PAGE_ENTRIES)?;
        page.entries.retain(|entry| {
            let name = path_of(directory, entry);
            if entry.is_directory { scope.sees_directory(&name) } else { scope.sees(&name) }
        });
        Ok::<_, io::Error>(page)
    };
    let is_hidden = |next: &str| {
        // Where a page begins may be written as a directory.
        let name = below(directory, next.trim_end_matches('/'));
        !scope.sees(&name) && !scope.sees_directory(&name)
    };
    let mut page = listed(from)?;
    for _ in 1..PAGES_MAX {
        let Some(next) = page.next.take_if(|next| is_hidden(next)) else { return Ok(page) };
        let more = listed(&next)?;
        page.entries.extend(more.entries);
        page.next = more.next;
    }
    page.next.take_if(|next| is_hidden(next));
    Ok(page)
}
