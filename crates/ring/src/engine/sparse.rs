//! Whether tiles take their disk space as they are written, which the catalogue remembers: it then
//! holds for all groups that are made later, by whatever process opens the store.

use store::Error;

use crate::catalogue::{Catalogue, Changes};

/// The catalogue has this name if tiles take their space as they are written, and lacks it if they
/// take it when a group is made.
const SPARSE: &str = "sparse";

/// Whether the store is sparse; from now on it is if that is `wanted`.
///
/// # Errors
/// Those of the catalogue.
pub(super) fn remembered(catalogue: &Catalogue, wanted: bool) -> Result<bool, Error> {
    let is_sparse = catalogue.named(SPARSE)?.is_some();
    if wanted && !is_sparse {
        let applied = catalogue.applied()?;
        let mut changes = Changes::new();
        changes.put_named(SPARSE, Vec::new());
        catalogue.commit(&changes, applied)?;
        catalogue.commit(&Changes::new(), applied)?; // twice, as any commit
    }
    Ok(is_sparse || wanted)
}
