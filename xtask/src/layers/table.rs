//! Every crate of the workspace and its layer. ARCHITECTURE.md tells the reasons.

/// A height in the order of crates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    /// No clock, file, socket or environment.
    Pure,
    /// System calls, without policy.
    Machine,
    /// Crates with state and I/O on top of the machine layer.
    Engine,
    /// Crates that face users and other programs.
    Edge,
    /// Tools that the product does not need.
    Beside,
}

/// One line of the table.
pub(crate) struct Crate {
    pub(crate) name: &'static str,
    pub(crate) layer: Layer,
    /// Crates of its own layer that it may use nevertheless.
    pub(crate) also: &'static [&'static str],
    /// Crates of lower layers that it must not use.
    pub(crate) never: &'static [&'static str],
}

/// The crates, lowest first: a newcomer reads from the top.
pub(crate) const TABLE: &[Crate] = &[
    pure("options", &[]),
    pure("manual", &["options"]),
    pure("chance", &[]),
    pure("figures", &[]),
    pure("rrd", &[]),
    pure("rrdfile", &["rrd"]),
    pure("varint", &[]),
    pure("logform", &["rrd", "varint"]),
    pure("livestate", &["rrd", "varint"]),
    pure("geometry", &["rrd"]),
    pure("snmp", &["chance"]),
    pure("texts", &["varint"]),
    pure("access", &[]),
    pure("find", &["varint"]),
    pure("sqlring", &["rrd"]),
    pure("mrtg", &["rrd", "texts"]),
    pure("mrtgpages", &["rrd", "mrtg"]),
    pure("thresholds", &["rrd", "mrtg"]),
    pure("repair", &["rrd"]),
    pure("graph", &["rrd", "options", "figures"]),
    pure("tables", &[]),
    pure("series", &[]),
    pure("promql", &["series"]),
    pure("graphite", &["series", "rrd", "graph"]),
    pure("senders", &[]),
    pure("capacity", &["rrd", "rrdfile", "chance"]),
    Crate {
        name: "disk",
        layer: Layer::Machine,
        also: &[],
        never: &["rrd", "rrdfile", "snmp", "mrtg", "graph", "capacity"], // it knows files, not what is in them
    },
    Crate {
        name: "programs",
        layer: Layer::Machine,
        also: &[],
        never: &["rrd", "rrdfile", "snmp", "mrtg", "graph", "capacity"], // it knows processes, not what they are for
    },
    Crate {
        name: "systemfonts",
        layer: Layer::Machine,
        also: &[],
        never: &["rrd", "rrdfile", "snmp", "mrtg", "capacity"], // it knows fonts, not what is drawn with them
    },
    Crate {
        name: "pagecache",
        layer: Layer::Engine,
        also: &[],
        never: &["rrd", "rrdfile", "snmp", "mrtg", "graph"], // it knows pages, not what is in them
    },
    Crate {
        name: "journal",
        layer: Layer::Engine,
        also: &[],
        never: &["rrd", "rrdfile", "logform", "livestate", "geometry", "snmp", "mrtg", "graph"], // it knows records, not what they say
    },
    Crate {
        name: "store",
        layer: Layer::Engine,
        also: &["journal"],
        never: &["livestate", "snmp", "mrtg", "graph"], // the boundary: it knows no store
    },
    Crate {
        name: "files",
        layer: Layer::Engine,
        also: &["journal", "store"],
        never: &["geometry", "snmp", "mrtg", "graph"],
    },
    Crate {
        name: "ring",
        layer: Layer::Engine,
        also: &["pagecache", "journal", "store", "files"], // the last for its tests alone
        never: &["snmp", "mrtg", "graph"],
    },
    Crate {
        name: "remote",
        layer: Layer::Engine,
        also: &["store", "ring", "files"], // the last for its tests alone
        never: &["geometry", "snmp", "mrtg", "graph"], // it knows calls, whatever store answers them
    },
    Crate {
        name: "planner",
        layer: Layer::Engine,
        also: &["journal", "files", "ring"],
        never: &["snmp", "mrtg", "graph"], // it calculates with what a store costs, and asks no machine
    },
    Crate {
        name: "inventory",
        layer: Layer::Engine,
        also: &["store", "files", "ring"],
        never: &["snmp", "graph"], // it knows databases, not what they measure or show
    },
    Crate {
        name: "feed",
        layer: Layer::Engine,
        also: &["store", "sqlclient", "files", "ring"], // the last two for its tests alone
        never: &["snmp", "mrtg", "graph"],              // it feeds rows, whatever they measure
    },
    Crate {
        name: "lookup",
        layer: Layer::Engine,
        also: &["store", "files", "ring"], // the last two for its tests alone
        never: &["snmp", "mrtg", "graph"], // it names and finds series, whatever they measure
    },
    Crate {
        name: "ranks",
        layer: Layer::Engine,
        also: &["store", "files", "ring"], // the last two for its tests alone
        never: &["rrdfile", "snmp", "mrtg", "graph"], // it ranks rows, whatever they measure
    },
    Crate {
        name: "intake",
        layer: Layer::Engine,
        also: &["store", "files", "ring"], // the last two for its tests alone
        never: &["snmp", "mrtg", "graph"], // it stores what agents measure, whatever that is
    },
    Crate {
        name: "agents",
        layer: Layer::Engine,
        also: &["intake", "store", "files", "ring"], // the last two for its tests alone
        never: &["rrdfile", "snmp", "mrtg", "graph"], // it has sockets, and hands on what comes
    },
    Crate {
        name: "backup",
        layer: Layer::Engine,
        also: &["pagecache", "journal", "store", "ring"],
        never: &["snmp", "mrtg", "graph"], // it copies what a store keeps
    },
    Crate {
        name: "rrdcached",
        layer: Layer::Engine,
        also: &[],
        never: &["snmp", "mrtg", "graph", "disk"], // it asks a daemon, which has the files
    },
    Crate {
        name: "guard",
        layer: Layer::Engine,
        also: &[],
        never: &["rrd", "rrdfile", "snmp", "mrtg", "graph"], // it knows clients, not what they ask for
    },
    Crate {
        name: "sqlclient",
        layer: Layer::Engine,
        also: &[],
        never: &[
            "rrd",
            "rrdfile",
            "livestate",
            "logform",
            "geometry",
            "snmp",
            "mrtg",
            "graph",
            "disk",
        ], // it knows rows of values, not what they say
    },
    Crate {
        name: "collector",
        layer: Layer::Engine,
        also: &[],
        never: &["rrdfile", "graph"], // it is handed a sink, not a store
    },
    Crate { name: "simnet", layer: Layer::Engine, also: &[], never: &["rrdfile", "graph"] },
    Crate {
        name: "doctor",
        layer: Layer::Edge,
        also: &[],
        never: &["snmp", "graph", "collector", "simnet"], // it looks at a machine and a plan
    },
    Crate {
        name: "server",
        layer: Layer::Edge,
        also: &[],
        never: &["snmp", "mrtg", "collector", "simnet"], // it shows what it is given
    },
    Crate {
        name: "rrdtool",
        layer: Layer::Edge,
        also: &[],
        never: &["snmp", "mrtg", "collector", "simnet", "sqlclient", "feed"], // it works on databases, however they were filled
    },
    Crate {
        name: "sqlseries",
        layer: Layer::Edge,
        also: &["rrdtool"],
        never: &["snmp", "mrtg", "collector", "simnet", "feed"], // it reads any table, and knows none of ours
    },
    Crate {
        name: "calc",
        layer: Layer::Edge,
        also: &["rrdtool"],
        never: &["snmp", "mrtg", "collector", "simnet"], // it calculates with rows, however they were filled
    },
    Crate {
        name: "rrdcgi",
        layer: Layer::Edge,
        also: &["rrdtool"],
        never: &["snmp", "mrtg", "collector", "simnet"], // it shows databases, however they were filled
    },
    Crate {
        name: "daemon",
        layer: Layer::Edge,
        also: &["rrdtool"],
        never: &["snmp", "mrtg", "graph", "collector", "simnet"], // it serves databases, however they are filled
    },
    Crate {
        name: "testbed",
        layer: Layer::Edge,
        also: &[],
        never: &["rrd", "rrdfile", "snmp", "mrtg", "graph", "store", "files", "ring", "remote"], // it sets a machine up for whatever runs there
    },
    Crate {
        name: "lab",
        layer: Layer::Edge,
        also: &["testbed", "rrdtool"],
        never: &["snmp", "mrtg", "collector", "simnet"], // it knows files, however they are filled
    },
    Crate {
        name: "gyre",
        layer: Layer::Edge,
        also: &["doctor", "server", "rrdtool", "sqlseries", "calc", "rrdcgi", "daemon"],
        never: &[],
    },
    Crate {
        name: "librrd",
        layer: Layer::Edge,
        also: &["rrdtool", "sqlseries", "rrdcached", "daemon"], // the last for its tests alone
        never: &["snmp", "mrtg", "collector", "simnet"],        // it says in C what `rrdtool` says
    },
    beside("oracle", &[]),
    beside("gallery", &["oracle"]),
    beside("bench", &["oracle", "gallery"]),
    beside("torment", &["oracle"]),
    beside("packer", &["oracle"]),
    beside("xtask", &[]),
];

/// External crates that access the machine: no pure crate may use them.
pub(crate) const MACHINE_CRATES: &[&str] = &[
    "axum", "hyper", "io-uring", "libc", "memmap2", "mio", "nix", "rustix", "socket2", "tokio",
    "ureq",
];

const fn pure(name: &'static str, also: &'static [&'static str]) -> Crate {
    Crate { name, layer: Layer::Pure, also, never: &[] }
}

const fn beside(name: &'static str, also: &'static [&'static str]) -> Crate {
    Crate { name, layer: Layer::Beside, also, never: &[] }
}
