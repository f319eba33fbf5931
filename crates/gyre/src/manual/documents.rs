//! The documents that are pages of the manual.

/// A document.
pub(super) struct Document {
    /// Its file below docs/.
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    /// The page behind `gyre-`: a verb, or another subject.
    pub(super) page: &'static str,
    pub(super) section: u8,
    /// What it is about; the table of verbs says that of a verb.
    pub(super) brief: &'static str,
}

macro_rules! documents {
    ($($file:literal $page:literal $section:literal $brief:literal,)*) => {
        &[$(Document {
            file: $file,
            text: include_str!(concat!("../../../../docs/", $file)),
            page: $page,
            section: $section,
            brief: $brief,
        }),*]
    };
}

/// Section 1 has verbs, 3 a library, 5 files, 7 the rest.
pub(super) const DOCUMENTS: &[Document] = documents! {
    "run.md" "run" 1 "",
    "demo.md" "demo" 1 "",
    "network.md" "network" 1 "",
    "graph.md" "graph" 1 "",
    "calc.md" "calc" 1 "",
    "daemon.md" "rrdcached" 1 "",
    "rrdcgi.md" "rrdcgi" 1 "",
    "mrtg-pages.md" "pages" 1 "",
    "convert.md" "convert" 1 "",
    "fincore.md" "fincore" 1 "",
    "fadvise.md" "fadvise" 1 "",
    "repair.md" "repair" 1 "",
    "doctor.md" "doctor" 1 "",
    "simulate.md" "simulate" 1 "",
    "plan.md" "plan" 1 "",
    "backup.md" "backup" 1 "",
    "store.md" "store" 1 "",
    "sql.md" "sql" 1 "",
    "librrd.md" "librrd" 3 "rrdtool's library in C, by gyre",
    "mrtg.md" "mrtg" 5 "mrtg.cfg, the configuration of gyre run",
    "thresholds.md" "thresholds" 5 "limits, forecasts and alerts in mrtg.cfg",
    "boards.md" "boards" 5 "files of boards, which show what belongs together",
    "intake.md" "intake" 5 "the file that says how samples of agents are taken",
    "snmpv3.md" "snmpv3" 5 "users of SNMPv3 in mrtg.cfg",
    "query.md" "query" 7 "series of databases: names, rules, JSON over HTTP",
    "promql.md" "promql" 7 "PromQL over databases",
    "prometheus.md" "prometheus" 7 "Prometheus' API over databases",
    "graphite.md" "graphite" 7 "Graphite's language and API over databases",
    "grafana.md" "grafana" 7 "Grafana with gyre as its source",
    "pages.md" "web" 7 "the web pages of gyre run",
    "security.md" "security" 7 "who may ask: tokens, certificates, TLS",
    "compatibility.md" "compatibility" 7 "gyre in rrdtool's place: every option, every difference",
};

/// What a page says of a verb that rrdtool has, too: a section for each.
pub(super) const VERBS: &str = include_str!("../../../../docs/databases.md");
