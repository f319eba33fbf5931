//! The answer to a request for charts.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use jiff::tz::TimeZone;
use serde_json::json;

use super::asked::{Asked, Refused};
use super::chart::Charts;
use super::databases::Databases;
use super::subject::Subject;
use super::{csv, json, read};

/// In which form charts are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    Csv,
}

/// What names lead to, as far as the visitor may see it.
pub(crate) struct Finder<'f> {
    /// A target.
    pub(crate) target: &'f dyn Fn(&str) -> Option<Subject>,
    /// A database.
    pub(crate) database: &'f dyn Fn(&str) -> Option<Subject>,
}

/// What all answers need.
pub(crate) struct Asking<'a> {
    /// What stands behind the question mark of the URL.
    pub(crate) query: &'a str,
    pub(crate) form: Form,
    pub(crate) now_seconds: i64,
    pub(crate) zone: &'a TimeZone,
}

/// The charts that a request asks for, or why there are none.
pub(crate) fn answer(
    databases: &(impl Databases + ?Sized),
    finder: &Finder<'_>,
    asking: &Asking<'_>,
) -> Response {
    match charts(databases, finder, asking) {
        Ok(charts) => sent(&charts, asking),
        Err(refused) => {
            let headers =
                [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
            let body = json!({ "error": refused.to_string() }).to_string();
            (refused.status(), headers, body).into_response()
        }
    }
}

fn charts(
    databases: &(impl Databases + ?Sized),
    finder: &Finder<'_>,
    asking: &Asking<'_>,
) -> Result<Charts, Refused> {
    let now_seconds = asking.now_seconds;
    let asked = Asked::of(asking.query, now_seconds, asking.zone)?;
    let charts = read::charts(databases, finder.all(&asked)?, &asked)?;
    Ok(Charts { span: asked.span, now_seconds, charts })
}

impl Finder<'_> {
    /// Everything that is asked for, targets first.
    fn all(&self, asked: &Asked) -> Result<Vec<Subject>, Refused> {
        let target =
            |name: &String| (self.target)(name).ok_or_else(|| Refused::NoTarget(name.clone()));
        let database =
            |name: &String| (self.database)(name).ok_or_else(|| Refused::NoDatabase(name.clone()));
        asked.targets.iter().map(target).chain(asked.databases.iter().map(database)).collect()
    }
}

impl Refused {
    fn status(&self) -> StatusCode {
        match self {
            Self::Span(_) | Self::Number { .. } | Self::Subjects(_) => StatusCode::BAD_REQUEST,
            Self::NoTarget(_) | Self::NoDatabase(_) => StatusCode::NOT_FOUND,
            Self::TooMuch { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        }
    }
}

fn sent(charts: &Charts, asking: &Asking<'_>) -> Response {
    let no_store = (header::CACHE_CONTROL, "no-store");
    match asking.form {
        Form::Json => {
            let kind = (header::CONTENT_TYPE, "application/json");
            ([kind, no_store], json::json(charts)).into_response()
        }
        Form::Csv => {
            let kind = (header::CONTENT_TYPE, "text/csv; charset=utf-8");
            let file = (header::CONTENT_DISPOSITION, "attachment; filename=\"gyre.csv\"");
            ([kind, no_store, file], csv::csv(charts, asking.zone)).into_response()
        }
    }
}
