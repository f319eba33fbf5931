//! Graphs as the programs around rrdtool write them.

mod mrtg;
mod cacti;
mod librenms;
mod smokeping;
mod munin;
mod collectd;
mod handwritten;

/// One graph.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The program whose way of writing it has, and what it shows.
    pub name: &'static str,
    /// The words behind `graph IMAGE`, in the quoting of rrdtool's pipe mode; lines are one.
    pub words: &'static str,
}

impl Definition {
    /// The words on one line.
    #[must_use]
    pub fn line(&self) -> String {
        self.words.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
    }
}

/// All graphs, by program.
#[must_use]
pub fn all() -> Vec<Definition> {
    let of_programs = [
        mrtg::GRAPHS,
        cacti::GRAPHS,
        librenms::GRAPHS,
        smokeping::GRAPHS,
        munin::GRAPHS,
        collectd::GRAPHS,
        handwritten::GRAPHS,
    ];
    of_programs.concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::all;

    #[test]
    fn each_graph_has_a_name_of_its_own_for_a_file() {
        let names: BTreeSet<&str> = all().iter().map(|it| it.name).collect();
        assert_eq!(names.len(), all().len());
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(names.iter().all(|name| name.chars().all(is_plain)));
        assert!(names.len() >= 60, "{}", names.len());
    }
}
