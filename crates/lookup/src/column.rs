//! One label of all databases.

use std::sync::Arc;

use series::Matcher;
use std::collections::HashMap;

/// The value of one label in each database, by the database's position.
#[derive(Debug)]
pub(crate) struct Column {
    /// The values that there are; the first is the empty text, for databases without the label.
    values: Vec<Arc<str>>,
    /// For each database the position of its value; those at the end without the label are missing.
    of_database: Vec<u32>,
    positions: HashMap<Arc<str>, u32>,
}

impl Column {
    pub(crate) fn new() -> Self {
        let empty: Arc<str> = Arc::from("");
        let positions = std::iter::once((empty.clone(), 0)).collect();
        Self { values: vec![empty], of_database: Vec::new(), positions }
    }

    pub(crate) fn set(&mut self, database: usize, value: &str) {
        // Neighbours are often alike.
        let position = match self.of_database.last().copied() {
            Some(latest) if *self.values[latest as usize] == *value => latest,
            _ => self.place(value),
        };
        if self.of_database.len() <= database {
            self.of_database.resize(database + 1, 0);
        }
        self.of_database[database] = position;
    }

    fn place(&mut self, value: &str) -> u32 {
        self.positions.get(value).copied().unwrap_or_else(|| {
            let (shared, position) = (Arc::<str>::from(value), self.values.len() as u32);
            self.values.push(shared.clone());
            self.positions.insert(shared, position);
            position
        })
    }

    /// Adds the databases of another column behind so many of this one.
    pub(crate) fn append(&mut self, before: usize, other: &Self) {
        let places: Vec<u32> = other.values.iter().map(|value| self.place(value)).collect();
        self.of_database.resize(before, 0);
        self.of_database.extend(other.of_database.iter().map(|it| places[*it as usize]));
    }

    /// No value comes any more.
    pub(crate) fn finish(&mut self) {
        self.positions = HashMap::new();
        self.of_database.shrink_to_fit();
    }

    /// The position of a database's value.
    pub(crate) fn position(&self, database: usize) -> u32 {
        self.of_database.get(database).copied().unwrap_or(0)
    }

    pub(crate) fn value(&self, position: u32) -> &Arc<str> {
        &self.values[position as usize]
    }

    pub(crate) fn values_count(&self) -> usize {
        self.values.len()
    }

    /// For each value whether it meets a condition.
    pub(crate) fn accepted(&self, matcher: &Matcher) -> Vec<bool> {
        self.values.iter().map(|value| matcher.matches(value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[(usize, &str)]) -> Column {
        let mut column = Column::new();
        values.iter().for_each(|(database, value)| column.set(*database, value));
        column
    }

    #[test]
    fn columns_one_behind_the_other_are_one() {
        let mut all = column(&[(0, "a"), (1, "b")]);
        all.append(4, &column(&[(1, "c"), (2, "a")]));
        all.finish();
        let values: Vec<&str> = (0..8).map(|it| &**all.value(all.position(it))).collect();
        assert_eq!(values, ["a", "b", "", "", "", "c", "a", ""]);
        assert_eq!(all.values_count(), 4);
    }
}
