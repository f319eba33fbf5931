//! Texts in lines.

/// Paragraphs of a line each, in lines of at most so many bytes where words allow that.
pub(crate) fn lines(text: &str, bytes_max: usize) -> Vec<String> {
    text.lines().flat_map(|paragraph| fold(paragraph, bytes_max)).collect()
}

fn fold(paragraph: &str, bytes_max: usize) -> Vec<String> {
    let mut done = Vec::new();
    let mut line = String::new();
    for word in paragraph.split_whitespace() {
        if !line.is_empty() && line.len() + 1 + word.len() > bytes_max {
            done.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    done.push(line);
    done
}
