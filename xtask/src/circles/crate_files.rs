//! Which file of a crate uses which other.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{Path, paths};
use crate::tokens::{tokens, without_tests};

/// A module, as its path below the crate: none of its words for `lib.rs` or `main.rs`.
pub(super) type Module = Vec<String>;

/// A module that uses another.
pub(super) struct Use {
    pub(super) module: Module,
    pub(super) used: Module,
}

/// How many re-exports are followed from one module to the next.
const EXPORTS_MAX: usize = 8;

/// The files of a crate, and what they use.
pub(super) struct CrateFiles {
    modules: BTreeSet<Module>,
    uses: BTreeMap<Module, Vec<(Module, String)>>,
    /// What a module's `use` items bring into it: a name there may be another module's.
    exports: BTreeMap<(Module, String), (Module, String)>,
}

impl CrateFiles {
    /// Of modules with their sources.
    pub(super) fn of(sources: &[(Module, String)]) -> Self {
        let modules = sources.iter().map(|(module, _)| module.clone()).collect();
        let mut files = Self { modules, uses: BTreeMap::new(), exports: BTreeMap::new() };
        for (module, text) in sources {
            let tokens = without_tests(&tokens(text));
            let (used, inline) = paths(&tokens);
            for path in &used {
                if let Some((target, name)) = files.target(module, path)
                    && target != *module
                {
                    files.exports.insert((module.clone(), name.clone()), (target, name));
                }
            }
            let all = used.iter().chain(&inline);
            let found = all.filter_map(|path| files.target(module, path)).collect();
            files.uses.insert(module.clone(), found);
        }
        files
    }

    /// The module that a path leads to, and the name behind it; `None` where it leads elsewhere.
    fn target(&self, from: &Module, path: &Path<'_>) -> Option<(Module, String)> {
        let mut words = path.iter().copied().peekable();
        let mut module = match *words.peek()? {
            "crate" => {
                words.next();
                Module::new()
            }
            "self" => {
                words.next();
                from.clone()
            }
            "super" => {
                let mut module = from.clone();
                while words.next_if_eq(&"super").is_some() {
                    module.pop()?;
                }
                module
            }
            first => {
                let child = below(from, first);
                self.modules.contains(&child).then(|| from.clone())?
            }
        };
        while let Some(child) =
            words.peek().map(|word| below(&module, word)).filter(|it| self.modules.contains(it))
        {
            module = child;
            words.next();
        }
        let name = words.next().filter(|word| *word != "self").unwrap_or_default();
        Some((module, name.to_owned()))
    }

    /// The modules whose items a module uses. Those above it do not count: a module may always see
    /// what its parents declare.
    fn used_by(&self, module: &Module) -> BTreeSet<Module> {
        let resolved = self.uses[module].iter().map(|found| {
            let mut found = found;
            for _ in 0..EXPORTS_MAX {
                match self.exports.get(found) {
                    Some(next) => found = next,
                    None => break,
                }
            }
            found.0.clone()
        });
        resolved.filter(|target| !module.starts_with(target)).collect()
    }

    /// The uses within a circle.
    pub(super) fn uses_within(&self, circle: &[Module]) -> Vec<Use> {
        let of_module = |module: &Module| {
            let used = self.used_by(module).into_iter().filter(|used| circle.contains(used));
            used.map(|used| Use { module: module.clone(), used }).collect::<Vec<_>>()
        };
        circle.iter().flat_map(of_module).collect()
    }

    /// The circles: modules each of which leads to all others of its circle.
    pub(super) fn circles(&self) -> Vec<Vec<Module>> {
        let edges: BTreeMap<&Module, BTreeSet<Module>> =
            self.modules.iter().map(|module| (module, self.used_by(module))).collect();
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            edges.keys().map(|module| (*module, reach(module, &edges))).collect();
        let mut circles = Vec::new();
        let mut seen = BTreeSet::new();
        for module in edges.keys() {
            let leads_back = |other: &&&Module| reached[**other].contains(*module);
            let circle: Vec<Module> =
                reached[*module].iter().filter(leads_back).map(|other| (*other).clone()).collect();
            if circle.len() > 1 && seen.insert(circle.clone()) {
                circles.push(circle);
            }
        }
        circles
    }
}

/// The module of that name below another.
fn below(module: &Module, name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// All modules that one leads to, over any number of steps.
fn reach<'m>(
    from: &Module,
    edges: &'m BTreeMap<&'m Module, BTreeSet<Module>>,
) -> BTreeSet<&'m Module> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&'m Module> = edges[from].iter().collect();
    while let Some(module) = waiting.pop() {
        if reached.insert(module) {
            waiting.extend(&edges[module]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::CrateFiles;

    fn circles(sources: &[(&str, &str)]) -> Vec<String> {
        let module = |path: &str| {
            path.split("::").filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let sources: Vec<_> =
            sources.iter().map(|(path, text)| (module(path), (*text).to_owned())).collect();
        let told = |circle: &Vec<Vec<String>>| {
            circle.iter().map(|module| module.join("::")).collect::<Vec<_>>().join(" ")
        };
        CrateFiles::of(&sources).circles().iter().map(told).collect()
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
        let lib = ("", "mod a; mod b; pub use a::A;");
        assert_eq!(circles(&[lib, ("a", "use crate::b::B;"), ("b", "use crate::a::A;")]), ["a b"]);
        assert_eq!(circles(&[lib, ("a", "use crate::b::B;"), ("b", "use crate::A;")]), ["a b"]);
        assert!(circles(&[lib, ("a", "use crate::b::B;"), ("b", "use std::io;")]).is_empty());
        let tests = "#[cfg(test)] mod tests { use crate::a::A; }";
        assert!(circles(&[lib, ("a", "use crate::b::B;"), ("b", tests)]).is_empty());
    }

    #[test]
    fn what_a_parent_declares_makes_no_circle() {
        let parent = ("a", "mod c; use c::C;");
        assert!(circles(&[("", "mod a;"), parent, ("a::c", "use super::A;")]).is_empty());
        let three = [("", "mod a; mod b;"), parent, ("a::c", "use crate::b::B;")];
        let back = ("b", "fn f() { crate::a::c::g() }");
        assert_eq!(circles(&[three[0], three[1], three[2], back]), ["a::c b"]);
    }
}
