//! The words of a question, from the URL and from a posted form.

use axum::body::Bytes;
use axum::http::{HeaderMap, Uri, header};

/// Names and values in order; those of the URL first.
#[derive(Clone, Debug, Default)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// The words of a request.
    pub(super) fn of(uri: &Uri, headers: &HeaderMap, body: &Bytes) -> Self {
        let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_form =
            kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
        let body: &[u8] = if is_form { body } else { &[] };
        let url = uri.query().unwrap_or_default().as_bytes();
        let words = form_urlencoded::parse(url).chain(form_urlencoded::parse(body));
        Self(words.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// All names and values.
    pub(super) fn into_words(self) -> Vec<(String, String)> {
        self.0
    }

    /// The first value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// All values of a name.
    pub(super) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_places_are_there_in_order() {
        let uri: Uri = "/render?target=a&from=-1h".parse().unwrap();
        let mut headers = HeaderMap::new();
        let body = Bytes::from_static(b"target=b%2Bc&target=d+e");
        assert_eq!(Form::of(&uri, &headers, &body).all("target").count(), 1);
        let kind = "application/x-www-form-urlencoded; charset=utf-8";
        headers.insert(header::CONTENT_TYPE, kind.parse().unwrap());
        let form = Form::of(&uri, &headers, &body);
        assert_eq!(form.all("target").collect::<Vec<_>>(), ["a", "b+c", "d e"]);
        assert_eq!((form.get("from"), form.get("until")), (Some("-1h"), None));
    }
}
