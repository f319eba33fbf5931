//! Why a series of a SQL database has no answer, in rrdtool's words where it has them.

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SqlError {
    /// The name ends before the driver does.
    #[error("formatstring wrong as we did not find \"/\"- {0}")]
    NoDriver(String),
    /// The name lacks a part.
    #[error("formatstring wrong - {0}")]
    Format(String),
    /// A percent sign is followed by no hexadecimal number.
    #[error("string escape error at: {0}")]
    Escape(String),
    /// There is no such driver.
    #[error(
        "libdbi - no such driver: {0} (possibly a dynamic link problem of the driver being linked \
         without -ldbi)"
    )]
    Driver(String),
    /// An option is missing.
    #[error("{driver} needs {option}=")]
    Missing {
        /// The driver.
        driver: &'static str,
        /// The option.
        option: &'static str,
    },
    /// An option is no number.
    #[error("expected a port, found {0}")]
    Port(String),
    /// There is no connection.
    #[error("libdbi: problems connecting to db with connect string {path} - error: {error}")]
    Connect {
        /// The name, without its password.
        path: String,
        /// What the database says.
        error: sqlclient::Error,
    },
    /// The database refuses the query.
    #[error("libdbi: problems with query: {sql} - errormessage: {error}")]
    Query {
        /// The query.
        sql: String,
        /// What the database says.
        error: sqlclient::Error,
    },
    /// The window has too many steps.
    #[error("a window of {rows} rows is more than {rows_max}: ask for a coarser step")]
    TooMany {
        /// How many it has.
        rows: i64,
        /// How many it may have.
        rows_max: i64,
    },
}
