//! How paths are printed.

/// Writes a path: its bytes, or, for a terminal, with control characters escaped.
pub(crate) fn put_path(out: &mut Vec<u8>, path: &[u8], for_terminal: bool) {
    if for_terminal && path.iter().any(u8::is_ascii_control) {
        let escaped = path.iter().flat_map(|byte| match byte.is_ascii_control() {
            true => std::ascii::escape_default(*byte).collect::<Vec<u8>>(),
            false => vec![*byte],
        });
        out.extend(escaped);
    } else {
        out.extend_from_slice(path);
    }
}

#[cfg(test)]
mod tests {
    use super::put_path;

    #[test]
    fn a_terminal_gets_no_control_bytes() {
        let path = |for_terminal| {
            let mut out = Vec::new();
            put_path(&mut out, b"a\x1b[31m\n\xff", for_terminal);
            out
        };
        assert_eq!(path(false), b"a\x1b[31m\n\xff");
        assert_eq!(path(true), b"a\\x1b[31m\\n\xff");
    }
}
