//! Connecting to PostgreSQL.

use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::Postgres;
use super::errors::{at_login, told};
use crate::address::{Deadlines, Reach, Server, Tls};
use crate::clockwork::Clockwork;
use crate::connection::Connection;
use crate::session::Session;
use crate::{Error, trust};

/// What the file of a socket begins with; its port follows.
const SOCKET_PREFIX: &str = ".s.PGSQL.";

pub(crate) fn connect(
    server: &Server,
    deadlines: &Deadlines,
) -> Result<Box<dyn Connection>, Error> {
    let config = config(server);
    let clockwork = Clockwork::new()?;
    let client = match &server.tls {
        Tls::Off => log_in(&clockwork, &config, deadlines, NoTls)?,
        Tls::Verify { ca_file } => {
            let tls = rustls_setup(ca_file.as_deref())?;
            log_in(&clockwork, &config, deadlines, tls)?
        }
    };
    let settings = session_settings(deadlines.call);
    let set = async { client.batch_execute(&settings).await.map_err(|error| told(&error)) };
    clockwork.wait(deadlines.connect, set)?;
    Ok(Box::new(Session::new(Postgres::new(client, clockwork, deadlines.call))))
}

fn config(server: &Server) -> Config {
    let mut config = Config::new();
    match &server.reach {
        Reach::Network { host, port } => {
            config.host(host);
            port.map(|port| config.port(port));
        }
        Reach::Socket(path) => socket(&mut config, path),
    }
    config.dbname(&server.database).user(&server.user).application_name("gyre");
    config.ssl_mode(match server.tls {
        Tls::Off => SslMode::Disable,
        Tls::Verify { .. } => SslMode::Require,
    });
    if let Some(password) = &server.password {
        config.password(password.reveal());
    }
    config
}

/// A socket is named by its directory and port, or as the file that it is.
fn socket(config: &mut Config, path: &Path) {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let port = name.strip_prefix(SOCKET_PREFIX).and_then(|port| port.parse().ok());
    match (port, path.parent()) {
        (Some(port), Some(directory)) => config.host_path(directory).port(port),
        _ => config.host_path(path),
    };
}

fn rustls_setup(ca_file: Option<&Path>) -> Result<MakeRustlsConnect, Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(trust::authorities(ca_file)?);
    let config = rustls::ClientConfig::builder().with_root_certificates(roots);
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn log_in<T>(
    clockwork: &Clockwork,
    config: &Config,
    deadlines: &Deadlines,
    tls: T,
) -> Result<Client, Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let asked = async { config.connect(tls).await.map_err(|error| at_login(&error)) };
    let (client, connection) = clockwork.wait(deadlines.connect, asked)?;
    // Its errors reach the client's calls, too.
    clockwork.spawn(async { drop(connection.await) });
    Ok(client)
}

/// The server gives up what its client no longer waits for, and tells of locks before that.
fn session_settings(patience: Duration) -> String {
    let milliseconds = patience.as_millis().clamp(2, i32::MAX as u128);
    format!(
        "SET statement_timeout = {milliseconds}; SET lock_timeout = {}; SET TimeZone = 'UTC'; \
         SET client_min_messages = 'warning'; SET extra_float_digits = 1",
        milliseconds / 2
    )
}
