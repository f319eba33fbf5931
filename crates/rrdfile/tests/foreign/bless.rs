//! Makes the frozen files again.

use std::fs;
use std::path::Path;

use oracle::{FOREIGN_MACHINES, Reply, Rrdtool, foreign_rrdtool, program};

use super::{SCRIPTS, directory};

const WHAT: &str = "frozen files of other machines";

/// Makes the files of all machines; each machine's rrdtool must be installed.
pub(super) fn all() {
    one("native", &program("rrdtool", WHAT).expect("rrdtool is there"));
    for machine in FOREIGN_MACHINES {
        one(machine, &foreign_rrdtool(machine, WHAT).expect("cargo xtask foreign"));
    }
}

fn one(machine: &str, program: &Path) {
    let place = directory().join(machine);
    fs::create_dir_all(&place).unwrap();
    let mut rrdtool = Rrdtool::start(program, &place);
    for (script, functions) in SCRIPTS {
        let commands = fs::read_to_string(directory().join(script).with_extension("txt")).unwrap();
        for command in commands.lines() {
            assert_eq!(rrdtool.send(command), Reply::Ok(vec![]), "{machine}: {command}");
        }
        if machine == "native" {
            continue; // the asker has it
        }
        let mut questions = vec![format!("info {script}.rrd"), format!("dump {script}.rrd")];
        let fetches = functions
            .iter()
            .map(|function| format!("fetch {script}.rrd {function} -s 1000000000 -e 1000002700"));
        questions.extend(fetches);
        let mut told = String::new();
        for question in questions {
            let Reply::Ok(lines) = rrdtool.send(&question) else { panic!("{machine}: {question}") };
            told += &format!("$ {question}\n{}\n", lines.join("\n"));
        }
        fs::write(place.join(script).with_extension("out"), told).unwrap();
    }
}
