//! `/metrics/find`, `/metrics/expand` and `/metrics/index.json`.

use std::collections::{BTreeMap, BTreeSet};

use series::{Node, PathPattern, Paths};

use super::answer::Answer;
use super::json::{append_all, append_text, texts};
use super::parameters::Parameters;
use crate::Error;

/// How many parts a path of the index may have.
const PARTS_MAX: usize = 32;

/// Answers `/metrics/find`.
#[must_use]
pub fn find(parameters: &Parameters, paths: &dyn Paths) -> Answer {
    Answer::from_result(found(parameters, paths))
}

fn found(parameters: &Parameters, paths: &dyn Paths) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let query = parameters.required("query")?;
    let base = query.rfind('.').map_or("", |at| &query[..=at]);
    let is_leaf_wanted = parameters.is_set("leavesOnly");
    let wildcards = parameters.is_set("wildcards");
    let nodes = |query: &str| -> Result<Vec<Node>, Error> {
        let mut nodes = paths.find(&PathPattern::new(query)?)?;
        nodes.retain(|it| it.is_series || !is_leaf_wanted);
        nodes.sort_by(|a, b| name(a).cmp(name(b)));
        Ok(nodes)
    };
    let body = match parameters.get("format").unwrap_or("treejson") {
        "treejson" | "" => tree(&nodes(query)?, base, wildcards),
        "completer" => {
            let completed = completed(query, parameters.is_set("automatic_variants"));
            completer(&nodes(&completed)?, wildcards)
        }
        "nodelist" => node_list(&nodes(query)?, parameters)?,
        "json" => list(&nodes(query)?),
        other => {
            return Err(Error::Parameter {
                name: "format",
                expected: "treejson, completer, nodelist or json",
                found: other.to_owned(),
            });
        }
    };
    Ok(Answer::json(body))
}

fn name(node: &Node) -> &str {
    node.path.rsplit('.').next().unwrap_or_default()
}

/// What somebody who typed so much may mean.
fn completed(query: &str, with_variants: bool) -> String {
    let mut query = query.replace("..", "*.");
    if !query.ends_with('*') {
        query.push('*');
    }
    if !with_variants {
        return query;
    }
    let variants = |part: &str| match part.contains(',') && !part.contains('{') {
        true => format!("{{{part}}}"),
        false => part.to_owned(),
    };
    query.split('.').map(variants).collect::<Vec<_>>().join(".")
}

/// A node of a tree: one that is both, a series and a branch, can be opened too.
fn append_tree_node(out: &mut Vec<u8>, text: &str, id: &str, is_series: bool, is_branch: bool) {
    out.extend_from_slice(b"{\"text\":");
    append_text(out, text);
    out.extend_from_slice(b",\"id\":");
    append_text(out, id);
    let (branch, leaf) = (u8::from(is_branch), u8::from(is_series));
    let rest = format!(",\"allowChildren\":{branch},\"expandable\":{branch},\"leaf\":{leaf}}}");
    out.extend_from_slice(rest.as_bytes());
}

fn tree(nodes: &[Node], base: &str, wildcards: bool) -> Vec<u8> {
    let mut seen = BTreeSet::new();
    let nodes: Vec<&Node> = nodes.iter().filter(|it| seen.insert(name(it))).collect();
    let (branches, leaves): (Vec<&Node>, Vec<&Node>) = nodes.iter().partition(|it| it.is_branch);
    let mut out = vec![b'['];
    if wildcards && nodes.len() > 1 {
        let is_branch = !branches.is_empty();
        append_tree_node(&mut out, "*", &format!("{base}*"), !is_branch, is_branch);
        out.push(b',');
    }
    append_all(&mut out, branches.into_iter().chain(leaves), |out, node| {
        let id = format!("{base}{}", name(node));
        append_tree_node(out, name(node), &id, node.is_series, node.is_branch);
    });
    out.push(b']');
    out
}

fn completer(nodes: &[Node], wildcards: bool) -> Vec<u8> {
    let mut out = b"{\"metrics\":[".to_vec();
    // A node that is both, a series and a branch, is told twice.
    let entries = nodes.iter().flat_map(|node| {
        let branch = node.is_branch.then_some((node, false));
        branch.into_iter().chain(node.is_series.then_some((node, true)))
    });
    append_all(&mut out, entries, |out, (node, is_leaf)| {
        out.extend_from_slice(b"{\"path\":");
        let dot = if is_leaf { "" } else { "." };
        append_text(out, &format!("{}{dot}", node.path));
        out.extend_from_slice(b",\"name\":");
        append_text(out, name(node));
        out.extend_from_slice(format!(",\"is_leaf\":\"{}\"}}", u8::from(is_leaf)).as_bytes());
    });
    if wildcards && nodes.len() > 1 {
        out.extend_from_slice(b",{\"name\":\"*\"}");
    }
    out.extend_from_slice(b"]}");
    out
}

/// The names at a position of the paths.
fn node_list(nodes: &[Node], parameters: &Parameters) -> Result<Vec<u8>, Error> {
    let position: i64 = parameters.number("position", "a whole number")?.unwrap_or(-1);
    let part = |path: &'_ str| -> Option<String> {
        let parts: Vec<&str> = path.split('.').collect();
        let at = if position < 0 { position + parts.len() as i64 } else { position };
        parts.get(usize::try_from(at).ok()?).map(|it| (*it).to_owned())
    };
    let names: BTreeSet<String> = nodes.iter().filter_map(|it| part(&it.path)).collect();
    let mut out = b"{\"nodes\":".to_vec();
    out.extend(texts(names.iter().map(String::as_str)));
    out.push(b'}');
    Ok(out)
}

fn list(nodes: &[Node]) -> Vec<u8> {
    let mut nodes: Vec<&Node> = nodes.iter().collect();
    nodes.sort_by(|a, b| a.path.cmp(&b.path));
    let mut out = vec![b'['];
    append_all(&mut out, nodes, |out, node| {
        out.extend_from_slice(b"{\"path\":");
        append_text(out, &node.path);
        out.extend_from_slice(format!(",\"is_leaf\":{}}}", node.is_series).as_bytes());
    });
    out.push(b']');
    out
}

/// Answers `/metrics/expand`.
#[must_use]
pub fn expand(parameters: &Parameters, paths: &dyn Paths) -> Answer {
    Answer::from_result(expanded(parameters, paths))
}

fn expanded(parameters: &Parameters, paths: &dyn Paths) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let leaves_only = parameters.is_set("leavesOnly");
    let mut by_query: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for query in parameters.all("query") {
        let nodes = paths.find(&PathPattern::new(query)?)?.into_iter();
        let wanted = nodes.filter(|it| it.is_series || !leaves_only).map(|it| it.path);
        by_query.entry(query).or_default().extend(wanted);
    }
    let list = |paths: &BTreeSet<String>| texts(paths.iter().map(String::as_str));
    let mut out = b"{\"results\":".to_vec();
    if parameters.is_set("groupByExpr") {
        out.push(b'{');
        append_all(&mut out, &by_query, |out, (query, paths)| {
            append_text(out, query);
            out.push(b':');
            out.extend(list(paths));
        });
        out.push(b'}');
    } else {
        out.extend(list(&by_query.into_values().flatten().collect()));
    }
    out.push(b'}');
    Ok(Answer::json(out))
}

/// Answers `/metrics/index.json`: the paths of all series.
#[must_use]
pub fn index(parameters: &Parameters, paths: &dyn Paths) -> Answer {
    Answer::from_result(indexed(parameters, paths))
}

fn indexed(parameters: &Parameters, paths: &dyn Paths) -> Result<Answer, Error> {
    parameters.check_no_script()?;
    let mut all = BTreeSet::new();
    let mut pattern = "*".to_owned();
    for _ in 0..PARTS_MAX {
        let nodes = paths.find(&PathPattern::new(&pattern)?)?;
        let has_branch = nodes.iter().any(|it| it.is_branch);
        all.extend(nodes.into_iter().filter(|it| it.is_series).map(|it| it.path));
        if !has_branch {
            break;
        }
        pattern.push_str(".*");
    }
    Ok(Answer::json(texts(all.iter().map(String::as_str))))
}
