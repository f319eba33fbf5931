//! The databases to keep.

use rrd::Definition;

/// Databases of several layouts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fleet {
    /// Groups of databases of the same kind, in the order in which they are polled.
    pub groups: Vec<FleetGroup>,
}

/// Databases of one layout that are updated together.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetGroup {
    /// Their layout.
    pub definition: Definition,
    /// The number of databases.
    pub databases: u64,
    /// Seconds between two updates of a database; equal to the step if each step has one update.
    /// Counted in the ticks of the layout, as the step is.
    pub cadence_seconds: u64,
}

impl FleetGroup {
    /// A group that is updated once a step.
    #[must_use]
    pub fn new(definition: Definition, databases: u64) -> Self {
        let cadence_seconds = definition.step_seconds;
        Self { definition, databases, cadence_seconds }
    }

    /// The time between two updates of a database in seconds, whatever the tick.
    #[must_use]
    pub fn cadence_in_seconds(&self) -> f64 {
        self.definition.tick.seconds_of(self.cadence_seconds)
    }

    /// Updates of all of them a second.
    #[must_use]
    pub fn updates_per_second(&self) -> f64 {
        self.databases as f64 / self.cadence_in_seconds()
    }
}

impl Fleet {
    /// A fleet of one layout, updated once a step.
    #[must_use]
    pub fn of(definition: Definition, databases: u64) -> Self {
        Self { groups: vec![FleetGroup::new(definition, databases)] }
    }

    /// The number of databases.
    #[must_use]
    pub fn databases(&self) -> u64 {
        self.groups.iter().map(|group| group.databases).sum()
    }

    /// Updates of all of them a second.
    #[must_use]
    pub fn updates_per_second(&self) -> f64 {
        self.groups.iter().map(FleetGroup::updates_per_second).sum()
    }

    /// The shortest time between two updates of one database: the length of a cycle.
    #[must_use]
    pub fn shortest_cadence_seconds(&self) -> f64 {
        self.groups.iter().map(FleetGroup::cadence_in_seconds).reduce(f64::min).unwrap_or(0.0)
    }

    /// The same mix with this number of databases: each group is scaled and rounded.
    #[must_use]
    pub fn resized(&self, databases: u64) -> Self {
        let before = self.databases().max(1) as f64;
        let share = |group: &FleetGroup| group.databases as f64 / before * databases as f64;
        let resized = |group: &FleetGroup| FleetGroup {
            databases: share(group).round() as u64,
            ..group.clone()
        };
        Self { groups: self.groups.iter().map(resized).collect() }
    }
}
