//! The parts of a document in which a word may be found.

/// A part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field(u8);

/// How many fields there can be, so that a set of them is 64 bits.
const FIELDS_MAX: u8 = 64;

impl Field {
    /// What the document is called; every document has a name of its own.
    pub const NAME: Self = Self(0);
    /// What its page is headed with.
    pub const TITLE: Self = Self(1);
    /// What it is measured from.
    pub const DEVICE: Self = Self(2);
    /// A description.
    pub const REMARK: Self = Self(3);
    /// An address in a network.
    pub const ADDRESS: Self = Self(4);
    /// The first of the labels.
    pub(crate) const LABELS: Self = Self(5);
    /// Labels beyond the number of fields. They are found by their values alone.
    pub(crate) const MORE_LABELS: Self = Self(FIELDS_MAX - 2);
    /// The beginning of the name once more: such hits come before all others.
    pub(crate) const BEGINNING: Self = Self(FIELDS_MAX - 1);

    /// The fields that have the same name for all documents.
    pub(crate) fn built_in() -> impl Iterator<Item = (Self, &'static str, &'static str)> {
        BUILT_IN.iter().copied()
    }

    /// The field of the label with this number.
    pub(crate) fn of_label(nth: usize) -> Self {
        let field = u8::try_from(nth).ok().and_then(|nth| nth.checked_add(Self::LABELS.0));
        field.map(Self).filter(|field| *field < Self::MORE_LABELS).unwrap_or(Self::MORE_LABELS)
    }

    pub(crate) fn number(self) -> u8 {
        self.0
    }

    pub(crate) fn numbered(number: u8) -> Option<Self> {
        (number < FIELDS_MAX).then_some(Self(number))
    }
}

/// Each with its name, and another one that people may write.
const BUILT_IN: [(Field, &str, &str); 5] = [
    (Field::NAME, "name", "target"),
    (Field::TITLE, "title", "title"),
    (Field::DEVICE, "device", "host"),
    (Field::REMARK, "remark", "description"),
    (Field::ADDRESS, "address", "ip"),
];

/// A set of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields(u64);

impl Fields {
    pub(crate) const ALL: Self = Self(u64::MAX);
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn has(self, field: Field) -> bool {
        self.0 >> field.0 & 1 == 1
    }

    /// With this field, too. The name comes with its beginning.
    pub(crate) fn with(self, field: Field) -> Self {
        let beginning = if field == Field::NAME { 1 << Field::BEGINNING.0 } else { 0 };
        Self(self.0 | 1 << field.0 | beginning)
    }
}
