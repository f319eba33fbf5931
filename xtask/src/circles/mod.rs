//! Files of a crate that use each other in a circle can only be read all at once. This finds the
//! circles; those with a reason stand in [`ALLOWED`].

mod paths;
mod crate_files;

use std::fs;
use std::path::Path;

use crate::layers::TABLE;
use crate::sources;
use crate_files::{CrateFiles, Module, Use};

/// A circle that may be.
struct Allowed {
    /// The crate.
    name: &'static str,
    /// Its modules.
    modules: &'static [&'static str],
    /// Why, for the reader of the table.
    #[expect(dead_code, reason = "the table is read by people")]
    reason: &'static str,
}

const ALLOWED: &[Allowed] = &[Allowed {
    name: "rrd",
    modules: &["expression", "rpn", "rpn::compute"],
    reason: "files keep the expression of a COMPUTE source as numbers of operators: the definition \
             has them, and only RPN knows what they mean",
}];

/// Every circle without a reason, a line each, and every reason that has no circle any more.
pub(crate) fn violations() -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut needed = vec![false; ALLOWED.len()];
    for name in TABLE.iter().map(|one| one.name) {
        let files = files_of(name)?;
        for circle in files.circles() {
            let modules: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            let is_it = |it: &Allowed| it.name == name && it.modules.iter().eq(&modules);
            match ALLOWED.iter().position(is_it) {
                Some(nth) => needed[nth] = true,
                None => found.push(told(name, &files.uses_within(&circle))),
            }
        }
    }
    let unneeded = ALLOWED.iter().zip(needed).filter(|(_, needed)| !needed);
    found.extend(unneeded.map(|(it, _)| format!("{}: no circle of {:?}", it.name, it.modules)));
    Ok(found)
}

/// A circle by its uses, a line each.
fn told(name: &str, uses: &[Use]) -> String {
    let line = |it: &Use| format!("\n    {} uses {}", it.module.join("::"), it.used.join("::"));
    format!("{name}: a circle{}", uses.iter().map(line).collect::<String>())
}

fn files_of(name: &str) -> Result<CrateFiles, String> {
    let root = match name {
        "xtask" => Path::new("xtask/src").to_path_buf(),
        _ => Path::new("crates").join(name).join("src"),
    };
    let read = sources::below(&root)?.into_iter().map(|path| {
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok((module_of(path.strip_prefix(&root).unwrap_or(&path)), text))
    });
    let sources = read.collect::<Result<Vec<_>, String>>()?;
    Ok(CrateFiles::of(&sources))
}

/// The module that a file below `src` holds.
fn module_of(path: &Path) -> Module {
    let path = path.with_extension("");
    let mut module: Module = path.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod")
        || matches!(&module[..], [only] if only == "lib" || only == "main")
    {
        module.pop();
    }
    module
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::module_of;

    #[test]
    fn modules_are_told_by_their_files() {
        let words = |path| module_of(Path::new(path)).join("::");
        assert_eq!(words("lib.rs"), "");
        assert_eq!(words("a.rs"), "a");
        assert_eq!(words("a/mod.rs"), "a");
        assert_eq!(words("a/lib.rs"), "a::lib");
    }
}
