//! An option: its names, its value, its description and its setter.

/// The help of an option.
#[derive(Clone, Copy, Debug)]
pub struct Naming {
    /// The name after `--`.
    pub long: &'static str,
    /// The letter after `-`, if there is one.
    pub short: Option<char>,
    /// The name of its value, if it takes one.
    pub value: Option<&'static str>,
    /// Its description.
    pub help: &'static str,
}

/// An option that sets something in a `T`. Its value is a `V`; a refused value gives an `E`.
pub struct Row<T, V, E> {
    naming: Naming,
    setter: Setter<T, V, E>,
}

impl<T, V, E> Clone for Row<T, V, E> {
    fn clone(&self) -> Self {
        *self
    }
}

// Whatever it sets, it is made of names and a function.
impl<T, V, E> Copy for Row<T, V, E> {}

/// What an option does to the settings.
pub(crate) enum Setter<T, V, E> {
    Switch(fn(&mut T)),
    Value(fn(&mut T, V)),
    Checked(fn(&mut T, V) -> Result<(), E>),
}

impl<T, V, E> Clone for Setter<T, V, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, V, E> Copy for Setter<T, V, E> {}

/// An option that takes no value. It is named as in the help: `--long`, or `-l --long`.
#[must_use]
pub const fn switch<T, V, E>(
    names: &'static str,
    help: &'static str,
    set: fn(&mut T),
) -> Row<T, V, E> {
    Row { naming: Naming::new(names, None, help), setter: Setter::Switch(set) }
}

/// An option that takes any value, which the help calls `value`. For its names see [`switch`].
#[must_use]
pub const fn option<T, V, E>(
    names: &'static str,
    value: &'static str,
    help: &'static str,
    set: fn(&mut T, V),
) -> Row<T, V, E> {
    Row { naming: Naming::new(names, Some(value), help), setter: Setter::Value(set) }
}

/// An option that refuses some values.
#[must_use]
pub const fn checked<T, V, E>(
    names: &'static str,
    value: &'static str,
    help: &'static str,
    set: fn(&mut T, V) -> Result<(), E>,
) -> Row<T, V, E> {
    Row { naming: Naming::new(names, Some(value), help), setter: Setter::Checked(set) }
}

impl Naming {
    /// # Panics
    ///
    /// The names are neither `--long` nor `-l --long`; this is found at compile time.
    const fn new(names: &'static str, value: Option<&'static str>, help: &'static str) -> Self {
        let (short, long) = match names.as_bytes() {
            [b'-', b'-', ..] => (None, names.split_at(2).1),
            [b'-', letter, b' ', b'-', b'-', ..] => (Some(*letter as char), names.split_at(5).1),
            _ => panic!("expected `--long` or `-l --long`"),
        };
        Self { long, short, value, help }
    }
}

impl<T, V, E> Setter<T, V, E> {
    /// Sets the option; a switch ignores the value.
    pub(crate) fn apply(&self, settings: &mut T, value: V) -> Result<(), E> {
        match self {
            Self::Switch(set) => set(settings),
            Self::Value(set) => set(settings, value),
            Self::Checked(set) => set(settings, value)?,
        }
        Ok(())
    }
}

impl<T, V, E> Row<T, V, E> {
    /// The help of the option.
    #[must_use]
    pub const fn naming(&self) -> &Naming {
        &self.naming
    }

    pub(crate) const fn setter(&self) -> &Setter<T, V, E> {
        &self.setter
    }
}

/// Tables of rows, one behind the other: a table for each topic, and one for the program.
///
/// # Panics
/// If they do not have `N` rows together; where that is a constant, it does not compile.
#[must_use]
pub const fn joined<T, V, E, const N: usize>(tables: &[&[Row<T, V, E>]]) -> [Row<T, V, E>; N] {
    let mut all = [tables[0][0]; N];
    let (mut table, mut count) = (0, 0);
    while table < tables.len() {
        let mut nth = 0;
        while nth < tables[table].len() {
            all[count] = tables[table][nth];
            (nth, count) = (nth + 1, count + 1);
        }
        table += 1;
    }
    assert!(count == N, "there are as many rows as are told");
    all
}

/// What the help says of each of these options.
#[must_use]
pub const fn namings<T, V, E, const N: usize>(rows: &[Row<T, V, E>; N]) -> [Naming; N] {
    let mut found = [Naming { long: "", short: None, value: None, help: "" }; N];
    let mut nth = 0;
    while nth < N {
        found[nth] = rows[nth].naming;
        nth += 1;
    }
    found
}
