//! Parts of calls and answers: bytes, names, doubles, and databases as files.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use livestate::seasons;
use rrd::{Archive, Definition, LiveState, Snapshot, Timestamp};
use rrdfile::layout::RowIndex;
use rrdfile::{Header, Unwritable};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use store::Outline;

use super::{Malformed, own_form};

/// A byte string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes<'a>(pub Cow<'a, [u8]>);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Bytes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&[u8]>::deserialize(deserializer).map(|bytes| Self(Cow::Borrowed(bytes)))
    }
}

/// The name of a database, which may be any path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'a>(pub Cow<'a, Path>);

impl<'a> Name<'a> {
    pub(super) fn of(path: &'a Path) -> Self {
        Self(Cow::Borrowed(path))
    }
}

impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_os_str().as_bytes())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        Ok(Self::of(Path::new(OsStr::from_bytes(bytes))))
    }
}

/// Doubles, encoded by their bits.
#[derive(Clone, Debug)]
pub(super) struct Doubles<'a>(pub Cow<'a, [f64]>);

impl PartialEq for Doubles<'_> {
    fn eq(&self, other: &Self) -> bool {
        let bits = |doubles: &Self| doubles.0.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
        bits(self) == bits(other)
    }
}

impl Serialize for Doubles<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if cfg!(target_endian = "little") {
            return serializer.serialize_bytes(bytemuck::cast_slice(&self.0));
        }
        let bytes: Vec<u8> = self.0.iter().flat_map(|value| value.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Doubles<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (doubles, rest) = <&[u8]>::deserialize(deserializer)?.as_chunks();
        match rest {
            [] => Ok(Self(doubles.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())),
            _ => Err(de::Error::custom("bytes are left behind doubles")),
        }
    }
}

/// The largest possible file, for headers without their file.
const FILE_BYTES_MAX: u64 = i64::MAX as u64;

/// Encodes the header of a file, or what no file can say in gyre's own form.
pub(super) fn of_header(header: &Header) -> Bytes<'static> {
    let bytes = header.encode().unwrap_or_else(|_| own_form::of_header(header));
    Bytes(bytes.into())
}

/// Decodes what [`of_header`] encoded.
pub(super) fn header(bytes: &Bytes<'_>) -> Result<Header, Malformed> {
    let malformed = |reason: &dyn std::fmt::Display| Malformed::new("the head of a file", reason);
    if own_form::is_own(&bytes.0) {
        return own_form::header(&bytes.0).map_err(|it| malformed(&it));
    }
    let needed = Header::bytes_needed(&bytes.0, FILE_BYTES_MAX).map_err(|it| malformed(&it))?;
    if needed != bytes.0.len() {
        return Err(malformed(&format!("it takes {needed} bytes, not {}", bytes.0.len())));
    }
    Header::decode(&bytes.0, FILE_BYTES_MAX).map_err(|it| malformed(&it))
}

/// Encodes definition and last update, as the header of a new file. `None` if the file would be too
/// large.
pub(super) fn of_outline(
    definition: &Definition,
    last_update: Timestamp,
) -> Option<Bytes<'static>> {
    let live = LiveState::fresh(definition, last_update);
    let newest_rows = vec![RowIndex(0); definition.archives.len()];
    Some(of_header(&Header::new(definition.clone(), live, newest_rows)?))
}

/// Decodes what [`of_outline`] encoded.
pub(super) fn outline(bytes: &Bytes<'_>) -> Result<Outline, Malformed> {
    let Header { definition, live, .. } = header(bytes)?;
    Ok(Outline { definition, last_update: live.last_update })
}

/// Encodes a whole database as a file whose newest rows are in the last slots. The rows of seasons
/// stay in their slots, because the slots determine when they are smoothed.
///
/// `None` if the file would be too large, or does not fit in memory.
pub(super) fn of_snapshot(snapshot: &Snapshot) -> Option<Bytes<'static>> {
    let rings = &snapshot.live.forecast.rings;
    let newest = |(nth, archive): (usize, &Archive)| {
        let season = rings.iter().find(|ring| ring.archive == nth);
        let last = archive.rows.saturating_sub(1);
        RowIndex(season.map_or(last, |ring| ring.newest_slot.min(last)))
    };
    let archives = snapshot.definition.archives.iter().enumerate();
    let newest_rows: Vec<RowIndex> = archives.map(newest).collect();
    let bytes = match rrdfile::encode(snapshot, newest_rows.clone()) {
        Err(Unwritable::Beyond(_)) => own_whole(snapshot, newest_rows),
        made => made.ok(),
    };
    bytes.map(|bytes| Bytes(bytes.into()))
}

fn own_whole(snapshot: &Snapshot, newest_rows: Vec<RowIndex>) -> Option<Vec<u8>> {
    let (definition, live) = (snapshot.definition.clone(), snapshot.live.clone());
    own_form::of_whole(&Header::new(definition, live, newest_rows)?, &snapshot.rows)
}

/// Decodes what [`of_snapshot`] encoded; other parts of the file are ignored.
pub(super) fn snapshot(bytes: &Bytes<'_>) -> Result<(Header, Snapshot), Malformed> {
    let (header, mut snapshot) = whole(bytes)?;
    seasons::place(&mut snapshot, |archive| header.newest_rows[archive].0);
    Ok((header, snapshot))
}

/// Decodes a file, or what has gyre's own form.
pub(super) fn whole(bytes: &Bytes<'_>) -> Result<(Header, Snapshot), Malformed> {
    if own_form::is_own(&bytes.0) {
        let whole = own_form::whole(&bytes.0);
        return whole.map_err(|reason| Malformed::new("a database in gyre's own form", reason));
    }
    rrdfile::decode(&bytes.0).map_err(|reason| Malformed::new("an .rrd file", reason))
}
