//! What is on the site, in the order of its list.

/// Pages about one thing.
pub(super) struct Group {
    pub(super) title: &'static str,
    /// Their paths in the repository.
    pub(super) paths: &'static [&'static str],
}

const fn group(title: &'static str, paths: &'static [&'static str]) -> Group {
    Group { title, paths }
}

/// The group of the manual's pages, which are not in the repository.
pub(super) const MANUAL: &str = "Manual";

/// All groups but [`MANUAL`].
pub(super) const GROUPS: &[Group] = &[
    group(
        "Begin",
        &["README.md", "docs/tutorial.md", "docs/packages.md", "docs/demo.md", "CHANGELOG.md"],
    ),
    group(
        "Measure",
        &[
            "docs/run.md",
            "docs/mrtg.md",
            "docs/thresholds.md",
            "docs/snmpv3.md",
            "docs/network.md",
            "docs/intake.md",
        ],
    ),
    group(
        "Look",
        &[
            "docs/pages.md",
            "docs/boards.md",
            "docs/graph.md",
            "docs/calc.md",
            "docs/mrtg-pages.md",
            "docs/rrdcgi.md",
        ],
    ),
    group(
        "Ask",
        &[
            "docs/query.md",
            "docs/promql.md",
            "docs/prometheus.md",
            "docs/graphite.md",
            "docs/grafana.md",
            "docs/sql.md",
        ],
    ),
    group(
        "Keep",
        &[
            "docs/store.md",
            "docs/databases.md",
            "docs/backup.md",
            "docs/repair.md",
            "docs/convert.md",
            "docs/security.md",
        ],
    ),
    group("In rrdtool's place", &["docs/compatibility.md", "docs/daemon.md", "docs/librrd.md"]),
    group(
        "Machines",
        &[
            "docs/doctor.md",
            "docs/plan.md",
            "docs/simulate.md",
            "docs/model.md",
            "docs/fincore.md",
            "docs/fadvise.md",
            "docs/page-cache.md",
            "docs/lab.md",
            "docs/bench/README.md",
            "docs/bench/page.md",
        ],
    ),
    group(
        "Inside",
        &[
            "ARCHITECTURE.md",
            "docs/inside/crates.md",
            "docs/inside/files.md",
            "docs/inside/ring-store.md",
            "docs/torment.md",
        ],
    ),
];
