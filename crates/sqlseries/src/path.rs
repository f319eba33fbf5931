//! The parts of a name that begins with `sql//`.

use rrd::number::integer;

use crate::error::SqlError;

/// How such names begin.
pub(crate) const PREFIX: &str = "sql//";
/// What follows the options.
const OPTIONS_END: &str = "//";
/// Steps are at least this long unless the name says otherwise.
const STEP_MIN_SECONDS: i64 = 300;
/// Twice this and more between two values is a gap, unless the name says otherwise.
const DERIVE_MAX_SECONDS: i64 = 600;

/// What a name says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SqlPath<'a> {
    pub(crate) driver: &'a str,
    /// Those that are the driver's.
    pub(crate) options: Vec<DriverOption<'a>>,
    /// `rrdminstepsize`
    pub(crate) step_min_seconds: i64,
    /// `rrdfillmissing`
    pub(crate) fill_seconds: i64,
    /// `rrdderivemaxstep`
    pub(crate) derive_max_seconds: i64,
    /// Each is asked by itself.
    pub(crate) tables: Vec<String>,
    pub(crate) time: TimeColumn,
    pub(crate) value: String,
    /// Whether the rate of change is asked for.
    pub(crate) derive: bool,
    /// The parts of WHERE.
    pub(crate) conditions: Vec<String>,
}

/// `NAME=VALUE`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DriverOption<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: String,
}

/// The column of times.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TimeColumn {
    pub(crate) sql: String,
    /// Whether it has dates, and not seconds since 1970.
    pub(crate) is_date: bool,
}

impl<'a> SqlPath<'a> {
    /// Reads a name.
    pub(crate) fn read(path: &'a str) -> Result<Self, SqlError> {
        let rest = path.strip_prefix(PREFIX).unwrap_or(path);
        let Some((driver, _)) = rest.split_once('/') else {
            return Err(SqlError::NoDriver(rest.to_owned()));
        };
        let wrong = || SqlError::Format(driver.to_owned());
        let (options, body) = rest[driver.len()..].split_once(OPTIONS_END).ok_or_else(wrong)?;
        let pieces: Vec<&str> = body.split('/').collect();
        let [tables, time, value, rest @ ..] = &pieces[..] else { return Err(wrong()) };
        if rest.is_empty() {
            return Err(wrong());
        }
        let derive = rest.first() == Some(&"derive");
        let conditions = rest.iter().skip(usize::from(derive)).filter(|sql| !sql.is_empty());
        let mut read = Self {
            driver,
            options: Vec::new(),
            step_min_seconds: STEP_MIN_SECONDS,
            fill_seconds: 0,
            derive_max_seconds: DERIVE_MAX_SECONDS,
            tables: tables.split('+').map(unescaped).collect::<Result<_, _>>()?,
            time: time_column(time)?,
            value: unescaped(value)?,
            derive,
            conditions: conditions.map(|sql| unescaped(sql)).collect::<Result<_, _>>()?,
        };
        for option in options.split('/').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').ok_or_else(wrong)?;
            read.take_option(name, unescaped(value)?);
        }
        Ok(read)
    }

    fn take_option(&mut self, name: &'a str, value: String) {
        let seconds = integer::leading(&value, false).map_or(0, |(seconds, _)| seconds);
        let or = |usual| if seconds > 0 { seconds } else { usual };
        match name {
            "rrdminstepsize" => self.step_min_seconds = or(STEP_MIN_SECONDS),
            "rrdfillmissing" => self.fill_seconds = or(0),
            "rrdderivemaxstep" => self.derive_max_seconds = or(DERIVE_MAX_SECONDS),
            _ => self.options.push(DriverOption { name, value }),
        }
    }

    /// The value of a driver's option; the last one counts.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().rev().find(|option| option.name == name);
        found.map(|option| option.value.as_str()).filter(|value| !value.is_empty())
    }
}

fn time_column(text: &str) -> Result<TimeColumn, SqlError> {
    let (is_date, name) = match text.strip_prefix('*') {
        Some(name) => (true, name),
        None => (false, text),
    };
    Ok(TimeColumn { sql: unescaped(name)?, is_date })
}

/// `%2f` is a slash, and `%%` a percent sign.
fn unescaped(text: &str) -> Result<String, SqlError> {
    let wrong = || SqlError::Escape(text.to_owned());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'%' {
            bytes.push(byte);
        } else if let Some(behind) = rest.strip_prefix(b"%") {
            bytes.push(b'%');
            rest = behind;
        } else {
            let (digits, behind) = rest.split_at_checked(2).ok_or_else(wrong)?;
            let digit = |byte: u8| char::from(byte).to_digit(16).ok_or_else(wrong);
            bytes.push((digit(digits[0])? * 16 + digit(digits[1])?) as u8);
            rest = behind;
        }
    }
    match bytes.contains(&0) {
        true => Err(wrong()),
        false => String::from_utf8(bytes).map_err(|_| wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::SqlPath;

    fn told(path: &str) -> String {
        SqlPath::read(path).expect_err(path).to_string()
    }

    #[test]
    fn all_parts_are_read() {
        let path = "sql//mysql/host=::1/password=a%2fb%%/rrdminstepsize=60/rrdfillmissing=90x/\
                    rrdderivemaxstep=x//a+b/*t/v%2b1/derive/id=1//x='%41'";
        let read = SqlPath::read(path).expect("it is one");
        assert_eq!((read.driver, read.option("host")), ("mysql", Some("::1")));
        assert_eq!((read.option("password"), read.option("user")), (Some("a/b%"), None));
        assert_eq!((read.step_min_seconds, read.fill_seconds), (60, 90));
        assert_eq!((read.derive_max_seconds, read.derive), (600, true));
        assert_eq!((read.tables, read.value.as_str()), (vec!["a".into(), "b".into()], "v+1"));
        assert!(read.time.is_date && read.time.sql == "t");
        assert_eq!(read.conditions, ["id=1", "x='A'"]);
    }

    #[test]
    fn wrong_names_are_told_in_rrdtools_words() {
        assert_eq!(told("sql//"), "formatstring wrong as we did not find \"/\"- ");
        assert_eq!(told("sql//mysql"), "formatstring wrong as we did not find \"/\"- mysql");
        for path in [
            "sql//mysql/",
            "sql//mysql/dbname=a",
            "sql//mysql/dbname=a//",
            "sql//mysql/dbname=a//t/u",
            "sql//mysql/dbname=a//t/u/v",
            "sql//mysql/dbname//t/u/v/",
        ] {
            assert_eq!(told(path), "formatstring wrong - mysql", "{path}");
        }
        for escape in ["%", "%4", "%zz", "%00", "%ff"] {
            let path = format!("sql//mysql/dbname=a//t/u/v/{escape}");
            assert_eq!(told(&path), format!("string escape error at: {escape}"));
        }
    }
}
