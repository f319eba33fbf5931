//! Connecting to MariaDB.

use std::path::Path;
use std::time::Duration;

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Opts, OptsBuilder, SslOpts};

use super::errors::{at_login, is_unknown_variable, told};
use super::{MariaDb, STATEMENTS_MAX};
use crate::address::{Deadlines, Reach, Server, Tls};
use crate::clockwork::Clockwork;
use crate::connection::Connection;
use crate::session::Session;
use crate::{Error, trust};

pub(crate) fn connect(
    server: &Server,
    deadlines: &Deadlines,
) -> Result<Box<dyn Connection>, Error> {
    let options = options(server)?;
    let clockwork = Clockwork::new()?;
    let work = async {
        let mut connection = Conn::new(options).await.map_err(|error| at_login(&error))?;
        set_up(&mut connection, deadlines.call).await?;
        Ok(connection)
    };
    let connection = clockwork.wait(deadlines.connect, work)?;
    Ok(Box::new(Session::new(MariaDb { connection, clockwork, patience: deadlines.call })))
}

fn options(server: &Server) -> Result<Opts, Error> {
    let builder = OptsBuilder::default()
        .db_name(Some(&server.database))
        .user(Some(&server.user))
        .pass(server.password.as_ref().map(|password| password.reveal()))
        .stmt_cache_size(STATEMENTS_MAX)
        .prefer_socket(false) // where it connects is the address's to say
        .client_found_rows(true); // rows affected are counted as the other databases count them
    let builder = match &server.reach {
        Reach::Socket(path) => {
            let path = path
                .to_str()
                .ok_or_else(|| Error::Unreachable(format!("{}: expected UTF-8", path.display())))?;
            builder.socket(Some(path))
        }
        Reach::Network { host, port } => {
            let builder = builder.ip_or_hostname(host);
            port.map_or(builder.clone(), |port| builder.tcp_port(port))
        }
    };
    Ok(match &server.tls {
        Tls::Off => builder.into(),
        Tls::Verify { ca_file } => builder.ssl_opts(rustls_setup(ca_file.as_deref())?).into(),
    })
}

fn rustls_setup(ca_file: Option<&Path>) -> Result<SslOpts, Error> {
    let roots = trust::authorities(ca_file)?;
    let roots = roots.into_iter().map(|root| root.to_vec().into()).collect();
    Ok(SslOpts::default().with_disable_built_in_roots(true).with_root_certs(roots))
}

/// Values that do not fit are errors, and the server gives up what its client no longer waits for;
/// it tells of locks before that.
async fn set_up(connection: &mut Conn, patience: Duration) -> Result<(), Error> {
    let seconds = patience.as_secs_f64();
    let lock_seconds = (patience.as_secs() / 2).max(1);
    let settings = format!(
        "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,\
         NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', innodb_lock_wait_timeout = {lock_seconds}"
    );
    connection.query_drop(settings).await.map_err(|error| told(&error))?;
    let limit = format!("SET SESSION max_statement_time = {seconds}");
    match connection.query_drop(limit).await {
        Err(error) if is_unknown_variable(&error) => Ok(()), // MySQL has none for writing
        outcome => outcome.map_err(|error| told(&error)),
    }
}
