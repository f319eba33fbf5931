//! net-snmp's snmptable shows the tables of a device as snmpwalk walks them.

use super::{MORNING, ask, config, oracle};
use simnet::{Config, SimulatedNetwork};
use snmp::{Oid, Request, Version};
use std::collections::{BTreeMap, BTreeSet};

/// What no cell has in it.
const SEPARATOR: &str = "\t";

/// A table as its MIB has it.
struct Table {
    name: &'static str,
    /// Where it is, below [`GROUPS`].
    place: &'static str,
    columns: u32,
    rows: usize,
}

const TABLES: [Table; 5] = [
    Table { name: "ifTable", place: "interfaces 2", columns: 22, rows: 48 },
    Table { name: "ifXTable", place: "ifMIBObjects 1", columns: 19, rows: 48 },
    Table { name: "hrStorageTable", place: "hrStorage 3", columns: 7, rows: 4 },
    Table { name: "hrDeviceTable", place: "hrDevice 2", columns: 6, rows: 2 },
    Table { name: "hrProcessorTable", place: "hrDevice 3", columns: 2, rows: 2 },
];

const GROUPS: &str = "\
mib2 OBJECT IDENTIFIER ::= { iso 3 6 1 2 1 }
interfaces OBJECT IDENTIFIER ::= { mib2 2 }
ifMIB OBJECT IDENTIFIER ::= { mib2 31 }
ifMIBObjects OBJECT IDENTIFIER ::= { ifMIB 1 }
host OBJECT IDENTIFIER ::= { mib2 25 }
hrStorage OBJECT IDENTIFIER ::= { host 2 }
hrDevice OBJECT IDENTIFIER ::= { host 3 }
";

/// A cell: the row's index and the number of the column.
type Cells = BTreeMap<Place, String>;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    row: String,
    column: u32,
}

/// A MIB of these tables. snmptable has to have one, and Debian has none of these on board; of what
/// it says, the tool needs the names and numbers alone: with a type that it does not know, it shows
/// values as they come.
fn mib() -> String {
    let mut text = format!("TABLES-MIB DEFINITIONS ::= BEGIN\n{GROUPS}");
    for Table { name, place, columns, .. } in &TABLES {
        let entry = name.replace("Table", "Entry");
        let index = format!("INDEX {{ {entry}Column1 }}");
        text += &object(name, &format!("SEQUENCE OF {entry}Row"), "", place);
        text += &object(&entry, &format!("{entry}Row"), &index, &format!("{name} 1"));
        for column in 1..=*columns {
            let (name, place) = (format!("{entry}Column{column}"), format!("{entry} {column}"));
            text += &object(&name, "Any", "", &place);
        }
    }
    text + "END\n"
}

fn object(name: &str, syntax: &str, more: &str, place: &str) -> String {
    format!(
        "{name} OBJECT-TYPE SYNTAX {syntax} ACCESS read-only STATUS mandatory DESCRIPTION \"\" \
         {more} ::= {{ {place} }}\n"
    )
}

/// What snmpwalk says, by the MIB's names.
fn walked(text: &str, table: &Table) -> Cells {
    let entry = format!("TABLES-MIB::{}Column", table.name.replace("Table", "Entry"));
    let cell = |line: &str| {
        let cell = line.strip_prefix(&entry).and_then(|rest| rest.split_once(" ="));
        let (name, value) = cell.unwrap_or_else(|| panic!("{line}"));
        let (column, row) = name.split_once('.').unwrap();
        let place = Place { row: row.to_owned(), column: column.parse().unwrap() };
        (place, value.trim_start().to_owned())
    };
    text.lines().map(cell).collect()
}

/// What snmptable says.
fn shown(text: &str) -> Cells {
    // A title, an empty line, the names of the columns, the rows.
    let mut lines = text.lines().skip(2);
    let names = lines.next().unwrap().split(SEPARATOR).skip(1);
    let digits = names.map(|name| name.trim_start_matches(|it: char| !it.is_ascii_digit()));
    let columns: Vec<u32> = digits.map(|digits| digits.parse().unwrap()).collect();
    let row = |line: &str| {
        let mut cells = line.split(SEPARATOR).map(str::to_owned);
        let row = cells.next().unwrap();
        let cells: Vec<String> = cells.collect();
        assert_eq!(cells.len(), columns.len(), "{line}");
        let columns = columns.clone();
        let place = move |column| Place { row: row.clone(), column };
        columns.into_iter().map(place).zip(cells)
    };
    lines.flat_map(row).collect()
}

#[test]
fn snmptable_shows_what_snmpwalk_walks() {
    let directory = std::env::temp_dir().join(format!("gyre-simnet-mib-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("TABLES-MIB.txt"), mib()).unwrap();
    // While the clock stands, all see the same values.
    let network = SimulatedNetwork::start(&config(), || MORNING).unwrap();
    let address = network.devices()[0].address.to_string();
    let mibs = ["-v2c", "-cpublic", "-M", directory.to_str().unwrap(), "-m", "TABLES-MIB"];
    for table in &TABLES {
        let name = format!("TABLES-MIB::{}", table.name);
        let run = |program, options: &[&str]| {
            let output = oracle(program, &[&mibs, options, &[&*address, &name]].concat())?;
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success() && errors.is_empty(), "{program} {name}: {errors}");
            Some(String::from_utf8(output.stdout).unwrap())
        };
        let Some(text) = run("snmpwalk", &["-OQ"]) else { return };
        let walked = walked(&text, table);
        assert_eq!(walked.len(), table.columns as usize * table.rows, "{name}");
        // By GETBULK, and by GETNEXT.
        for options in [&["-Ci", "-Cf", SEPARATOR][..], &["-CB", "-Ci", "-Cf", SEPARATOR]] {
            let Some(text) = run("snmptable", options) else { return };
            let shown = shown(&text);
            assert_eq!(shown.len(), walked.len(), "{name}");
            for pair in shown.iter().zip(&walked) {
                assert_eq!(pair.0, pair.1, "{name}");
            }
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
}

/// A walk may begin anywhere: at a group, a table, an entry, a column.
#[test]
fn what_follows_each_beginning_of_a_name_is_its_first_instance() {
    let network = SimulatedNetwork::start(&Config { ports: 3, ..config() }, || MORNING).unwrap();
    let answer = |request| ask(&network, 0, Version::V2c, request).unwrap().bindings;
    let walked = answer(Request::Walk("1.3.6.1".parse().unwrap()));
    let names: BTreeSet<Oid> = walked.into_iter().map(|binding| binding.oid).collect();
    let beginnings = |name: &Oid| {
        let arcs: Vec<u32> = name.arcs().collect();
        (4..=arcs.len()).map(move |length| Oid::from_arcs(&arcs[..length]).unwrap())
    };
    let all: BTreeSet<Oid> = names.iter().flat_map(beginnings).collect();
    assert!(all.len() > 350, "{}", all.len());
    for beginning in all {
        let expected = names.iter().find(|name| **name > beginning);
        let next = answer(Request::Next(beginning.clone()));
        let next = next.first().map(|binding| &binding.oid).filter(|oid| **oid != beginning);
        assert_eq!(next, expected, "after {beginning}");
    }
}
