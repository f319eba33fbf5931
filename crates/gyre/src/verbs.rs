//! The verbs of gyre's own: what each is called, does, and is described by. Dispatch, `gyre --help`,
//! the manual and completions read this table.

use options::{Described, help};

use crate::verb::Verb;
use crate::{
    backup, by_text, calc, completions, config, convert, demo, doctor, export, fadvise, fincore,
    import, lab, manual, network, pages, plan, repair, ring, run, simulate, sql, status, token,
    version,
};

/// The verbs that measure.
const MEASURING: &[Verb] = &[
    Verb {
        name: "run",
        brief: "poll the targets of an mrtg.cfg, store what they say, serve the pages",
        main: |words| run::main(words),
        described: run::described,
    },
    Verb {
        name: "config",
        brief: "check an mrtg.cfg, or explain what one of its targets means",
        main: |words| config::main(words),
        described: config::described,
    },
    Verb {
        name: "status",
        brief: "tell how a run is doing: its cycles, devices that do not answer, what \
                was counted",
        main: |words| status::main(words),
        described: status::described,
    },
    Verb {
        name: "demo",
        brief: "the same over a simulated network with a simulated past",
        main: |words| demo::main(words),
        described: demo::described,
    },
    Verb {
        name: "network",
        brief: "simulate a network of devices that answer SNMP on loopback, with \
                faults on demand",
        main: |words| network::main(words),
        described: network::described,
    },
];

/// The verbs for what was measured, and for the machine.
const KEEPING: &[Verb] = &[
    Verb {
        name: "calc",
        brief: "calculate with the rows of one database, or of each, all or the top of many",
        main: |words| calc::main(words),
        described: calc::described,
    },
    Verb {
        name: "rrdcached",
        brief: "take updates and answer for databases over rrdcached's protocol, of \
                .rrd files or of a ring store",
        main: |words| by_text::rrdcached(&words),
        described: || vec![daemon::program::described("gyre rrdcached")],
    },
    Verb {
        name: "rrdcgi",
        brief: "make a web page from a template with tags that draw graphs, for a web server",
        main: |words| rrdcgi::program::gyre(&words),
        described: || vec![rrdcgi::program::described()],
    },
    Verb {
        name: "inspect",
        brief: "show what a ring store holds, and what it takes on disk and in memory",
        main: |words| ring::inspect(words),
        described: ring::inspect_described,
    },
    Verb {
        name: "import",
        brief: "take .rrd files, and .log files of MRTG's, into a ring store",
        main: |words| import::main(words),
        described: import::described,
    },
    Verb {
        name: "export",
        brief: "write databases of a ring store to .rrd files, or their rows as \
                tables (CSV, JSON, line protocol, Arrow, Parquet)",
        main: |words| export::main(words),
        described: export::described,
    },
    Verb {
        name: "pages",
        brief: "write the HTML pages and pictures that MRTG writes, and indexmaker's index",
        main: |words| pages::main(words),
        described: pages::described,
    },
    Verb {
        name: "convert",
        brief: "make .rrd files of other machines, and of old versions, files of this one",
        main: |words| convert::main(words),
        described: convert::described,
    },
    Verb {
        name: "verify",
        brief: "read a whole ring store and name what is damaged",
        main: |words| ring::verify(words),
        described: ring::verify_described,
    },
    Verb {
        name: "fincore",
        brief: "show which pages of files the page cache holds, and what they are",
        main: |words| fincore::main(words.into_iter()),
        described: fincore::described,
    },
    Verb {
        name: "fadvise",
        brief: "bring files into the page cache, drop them from it, keep them in it; \
                advise about them",
        main: |words| fadvise::main(words),
        described: fadvise::described,
    },
    Verb {
        name: "repair",
        brief: "take spikes out of the rows of databases, fill gaps, shift, scale, \
                merge; with undo",
        main: |words| repair::main(words),
        described: repair::described,
    },
    Verb {
        name: "doctor",
        brief: "look at this machine: what it could do better, and what that would gain",
        main: |words| doctor::main(words),
        described: doctor::described,
    },
    Verb {
        name: "simulate",
        brief: "say how many pages updates read and write in so much memory, before \
                there is a machine",
        main: |words| simulate::main(words),
        described: simulate::described,
    },
    Verb {
        name: "plan",
        brief: "say how many databases this machine carries, and what they cost it, \
                kept in which way",
        main: |words| plan::main(words),
        described: plan::described,
    },
    Verb {
        name: "lab",
        brief: "say where the experiments are that this rests on: in gyre-lab, a \
                program of its own",
        main: |words| lab::main(words),
        described: lab::described,
    },
    Verb {
        name: "backup",
        brief: "copy what is new in a live ring store or directory to a backup; list \
                and check it",
        main: |words| backup::main(words),
        described: backup::described,
    },
    Verb {
        name: "restore",
        brief: "put back what a backup holds, or the XML of one database",
        main: |words| by_text::restore(words),
        described: restore_described,
    },
    Verb {
        name: "store",
        brief: "make a ring store; list, rename, delete and tune its databases",
        main: |words| ring::store(words),
        described: ring::store_described,
    },
    Verb {
        name: "sql",
        brief: "feed the rows of a store into tables of SQLite, MariaDB or \
                PostgreSQL; compare them",
        main: |words| sql::main(words),
        described: sql::described,
    },
    Verb {
        name: "token",
        brief: "make and list tokens, by which `gyre run` knows who may see its pages",
        main: |words| token::main(words),
        described: token::described,
    },
    Verb {
        name: "manual",
        brief: "show the manual: a page for each verb, and for each language and file \
                of gyre's",
        main: |words| manual::main(words, all()),
        described: manual::described,
    },
    Verb {
        name: "completions",
        brief: "print what a shell needs to complete verbs and options when Tab is pressed",
        main: |words| completions::main(words, all()),
        described: completions::described,
    },
    Verb {
        name: "version",
        brief: "tell the version of this program, and the formats that it reads and writes",
        main: |words| version::main(words),
        described: version::described,
    },
];

/// `gyre restore`: rrdtool's verb, and what is put back of a backup.
fn restore_described() -> Vec<Described> {
    let xml = rrdtool::find("restore").map(|verb| verb.described());
    xml.into_iter().chain([backup::restore_described()]).collect()
}

/// All verbs that rrdtool does not have, and `restore`, which does more here.
pub(crate) fn all() -> impl Iterator<Item = &'static Verb> {
    MEASURING.iter().chain(KEEPING)
}

/// The verb of a name.
pub(crate) fn find(name: &str) -> Option<&'static Verb> {
    all().find(|verb| verb.name == name)
}

/// Columns of the list, and the column in which words begin.
const WIDTH: usize = 100;
const INDENT: usize = 15;

/// What `gyre --help` prints.
pub(crate) fn overview() -> String {
    let mut text = "Usage: gyre VERB [OPTIONS] ...\n\n".to_owned();
    put_all(&mut text, MEASURING);
    let names: Vec<&str> = rrdtool::VERBS.iter().map(|verb| verb.name).collect();
    text += "  ";
    help::wrap(&mut text, &names.join(", "), WIDTH, 2);
    text += "               ";
    let words = "work on one database, in an .rrd file or by its name in a ring store (STORE/NAME); \
                 `gyre VERB --help` tells more";
    help::wrap(&mut text, words, WIDTH, INDENT);
    put_all(&mut text, KEEPING);
    text += "  -            the same verbs on databases, one command a line on standard input\n\n";
    let names = "Called by the name rrdtool, rrdcreate, rrdupdate, rrdinfo, rrdcached or rrdcgi, it \
                 answers as that program does. `gyre manual VERB` shows the page of a verb.";
    help::wrap(&mut text, names, WIDTH, 0);
    text
}

fn put_all(text: &mut String, verbs: &[Verb]) {
    for Verb { name, brief, .. } in verbs {
        *text += &format!("  {name:<13}");
        help::wrap(text, brief, WIDTH, INDENT);
    }
}
