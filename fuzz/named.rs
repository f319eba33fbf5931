//! What holds for every sample, whatever the protocol.

use senders::{Form, Sent, database};

/// A series has a key, and perhaps a database, whose name is safe and says of which series it is.
pub fn check(sent: &Sent<'_>) {
    let mut key = Vec::new();
    sent.series.write_key(&mut key);
    assert!(!key.is_empty() && !sent.values.is_empty());
    let identity = sent.series.identity();
    let form = sent.series.form();
    let Ok(name) = database::name(&identity, form) else {
        return;
    };
    assert!(name.len() <= database::NAME_BYTES_MAX, "{name}");
    let is_safe = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\0');
    assert!(name.split('/').all(is_safe), "{name}");
    if form == Form::Labelled {
        assert_eq!(database::identity(&name).as_ref(), Some(&identity), "{name}");
    }
}
