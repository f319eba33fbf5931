//! How a package stands to others.

/// The kinds of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    /// It does not work without them.
    Requires,
    /// Most who have it want them, too.
    Recommends,
    /// Some want them, too.
    Suggests,
    /// They cannot be installed together.
    Conflicts,
    /// It can stand for them.
    Provides,
}

/// A package that another one names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// How.
    pub kind: RelationKind,
    /// Its name; in a .deb also several with `|` between them.
    pub name: String,
    /// The least version that will do.
    pub version: Option<String>,
}

impl Relation {
    /// Any version of a package.
    pub(super) fn any(kind: RelationKind, name: &str) -> Self {
        Self { kind, name: name.to_owned(), version: None }
    }

    /// A version of a package and all later ones.
    pub(super) fn since(kind: RelationKind, name: &str, version: &str) -> Self {
        Self { kind, name: name.to_owned(), version: Some(version.to_owned()) }
    }
}
