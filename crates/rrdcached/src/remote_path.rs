//! What a file is called towards a daemon.

use std::path::Path;

use crate::Error;

/// The path that is sent to a daemon.
///
/// One behind a socket of this machine sees our files, but from another directory: it is told the
/// real path, without links; a file need not exist, its directory must. One elsewhere is told paths
/// below its own base directory: of an absolute path that begins with `stripped`
/// (`RRDCACHED_STRIPPATH`) the rest, of others nothing.
///
/// # Errors
/// Where a path leads to no directory here, or an absolute one remains for a daemon elsewhere.
pub fn remote_path(path: &str, is_local: bool, stripped: Option<&str>) -> Result<String, Error> {
    if is_local {
        return real(path);
    }
    if !path.starts_with('/') {
        return Ok(path.to_owned());
    }
    let rest = stripped.and_then(|prefix| path.strip_prefix(prefix));
    let rest = rest.ok_or(Error::AbsolutePath)?;
    Ok(rest.trim_start_matches('/').to_owned())
}

fn real(path: &str) -> Result<String, Error> {
    let wrong = |source| Error::RealPath { path: path.to_owned(), source };
    let given = Path::new(path);
    let real = given.canonicalize().or_else(|error| {
        let name = given.file_name().ok_or(error)?;
        let directory = match given.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        directory.canonicalize().map(|real| real.join(name))
    });
    let real = real.map_err(wrong)?;
    let text = real.into_os_string().into_string();
    text.map_err(|path| Error::Word(path.to_string_lossy().into_owned()))
}

#[cfg(test)]
mod tests {
    use super::remote_path;
    use crate::Error;

    #[test]
    fn tells_whole_paths_to_a_neighbour() {
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        let expected = here.join("none.rrd").into_os_string().into_string().unwrap();
        assert_eq!(remote_path("src/../none.rrd", true, None).unwrap(), expected);
        assert_eq!(remote_path("none.rrd", true, Some("none")).unwrap(), expected);
        assert_eq!(remote_path(&format!("{expected}/.."), true, None).ok(), None);
        let above = here.join("src/..").into_os_string().into_string().unwrap();
        assert_eq!(remote_path(&above, true, Some(&above)).unwrap(), here.to_str().unwrap());
        let lost = remote_path("none/none.rrd", true, None).unwrap_err();
        assert_eq!(lost.to_string(), "realpath(none/none.rrd): No such file or directory");
        assert!(matches!(remote_path("", true, None), Err(Error::RealPath { .. })));
    }

    #[test]
    fn tells_relative_paths_to_others() {
        assert_eq!(remote_path("a/b", false, None).unwrap(), "a/b");
        assert_eq!(remote_path("a/b", false, Some("a")).unwrap(), "a/b");
        for prefix in ["/srv", "/srv/"] {
            assert_eq!(remote_path("/srv/a/b", false, Some(prefix)).unwrap(), "a/b");
        }
        for prefix in [None, Some("/var")] {
            let refused = remote_path("/srv/a/b", false, prefix);
            assert!(matches!(refused, Err(Error::AbsolutePath)));
        }
    }
}
