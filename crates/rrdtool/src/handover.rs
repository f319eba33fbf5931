//! `update` through a daemon: the samples are handed over as the daemon understands them.
//!
//! A daemon takes times in seconds and a reading for each data source. Here times get their number
//! and templates their sources, so that whatever `update` takes without a daemon it takes with one.

use rrd::sample::{SampleError, TimeText};
use rrdcached::{Client, Error, Fact, FactValue};

use crate::failure::Failure;
use crate::order::{Order, moment};
use crate::session::{Session, Times};

/// Hands samples over until one is refused.
pub(crate) fn hand_over(
    session: &mut Session,
    address: &str,
    order: &Order<'_>,
) -> Result<(), Failure> {
    // A daemon that cannot be reached is named before anything that is wrong with the samples.
    session.ask_reachable_daemon(Some(address), |_| Ok(()))?;
    let template = match order.template {
        Some(names) => Some(Template::new(names, &sources(session, address, order.file)?)?),
        None => None,
    };
    let with_time = |sample: &&str| in_numbers(sample, &mut session.times);
    let samples: Result<Vec<String>, SampleError> = order.samples.iter().map(with_time).collect();
    let mut samples =
        samples.map_err(|error| Failure::misuse(format!("{}: {error}", order.file)))?;
    if let Some(template) = &template {
        for sample in &mut samples {
            *sample = template.complete(sample)?;
        }
    }
    let words: Vec<&str> = samples.iter().map(String::as_str).collect();
    let taken = session.ask_reachable_daemon(Some(address), |client| match order.skip_past {
        false => client.update(order.file, &words),
        true => words.iter().try_for_each(|sample| update_if_new(client, order.file, sample)),
    });
    taken.map(drop)
}

/// One sample, passed over if the daemon has a later one.
fn update_if_new(client: &mut Client, file: &str, sample: &str) -> Result<(), Error> {
    match client.update(file, &[sample]) {
        Err(Error::Refused { message, .. })
            if message.starts_with("illegal attempt to update using time") =>
        {
            Ok(())
        }
        taken => taken,
    }
}

/// A sample whose time is a number of seconds, or `N`.
fn in_numbers(sample: &str, times: &mut Times) -> Result<String, SampleError> {
    let (time, readings) = match (sample.split_once('@'), sample.split_once(':')) {
        (Some((time, readings)), _) => (TimeText::AtStyle(time), readings),
        (None, Some((time, readings))) if time.starts_with('-') => match time.parse() {
            Ok(seconds) => (TimeText::Number(seconds), readings),
            Err(_) => return Ok(sample.to_owned()),
        },
        _ => return Ok(sample.to_owned()),
    };
    let moment = moment(time, times)?;
    Ok(match moment.micros {
        0 => format!("{}:{readings}", moment.seconds),
        // As the client tells the time of day.
        micros => format!("{}.{micros:06}000:{readings}", moment.seconds),
    })
}

/// The names of the data sources that take readings. A daemon of this machine has our files; one
/// elsewhere is asked.
fn sources(session: &mut Session, address: &str, file: &str) -> Result<Vec<String>, Failure> {
    let told = session.ask_reachable_daemon(Some(address), |client| match client.is_local() {
        true => Ok(None),
        false => client.info(file).map(|facts| Some(sources_of(&facts))),
    });
    if let Some(names) = told?.flatten() {
        return Ok(names);
    }
    let (definition, _) = session.databases.describe(file)?;
    let reading = definition.sources.into_iter().filter(|source| source.kind.takes_readings());
    Ok(reading.map(|source| source.name).collect())
}

fn sources_of(facts: &[Fact]) -> Vec<String> {
    let reading = facts.iter().filter_map(|fact| {
        let name = fact.key.strip_prefix("ds[")?.strip_suffix("].type")?;
        (fact.value != FactValue::Text("COMPUTE".into())).then(|| name.to_owned())
    });
    reading.collect()
}

/// Which reading of a sample belongs to which data source.
struct Template {
    /// For each data source, the place of its reading.
    places: Vec<Option<usize>>,
    names: usize,
}

impl Template {
    fn new(template: &str, sources: &[String]) -> Result<Self, Failure> {
        let mut places = vec![None; sources.len()];
        let names: Vec<&str> = template.split(':').collect();
        for (place, name) in names.iter().enumerate() {
            let source = sources.iter().position(|source| source == name);
            let free = source.filter(|source| places[*source].is_none());
            let source = free.ok_or_else(|| {
                Failure::misuse(format!(
                    "rrd_map_template_to_values: there are fields in template ({template}) that \
                     are not in the rrdfile ({})",
                    sources.join(":")
                ))
            })?;
            places[source] = Some(place);
        }
        Ok(Self { places, names: names.len() })
    }

    /// The sample with a reading for each data source, `U` for those that the template leaves out.
    fn complete(&self, sample: &str) -> Result<String, Failure> {
        let mut fields = sample.split(':');
        let mut completed = fields.next().unwrap_or_default().to_owned();
        let readings: Vec<&str> = fields.collect();
        if readings.len() != self.names {
            return Err(Failure::misuse(format!(
                "rrd_map_template_to_values: mismatch of number of fields in template ({}) with \
                 number of fields in values ({})",
                self.names,
                readings.len()
            )));
        }
        for place in &self.places {
            completed.push(':');
            completed.push_str(place.map_or("U", |place| readings[place]));
        }
        Ok(completed)
    }
}

#[cfg(test)]
mod tests {
    use super::Template;

    #[test]
    fn puts_readings_in_their_places() {
        let sources = ["a", "b", "c"].map(str::to_owned);
        let template = Template::new("c:a", &sources).unwrap();
        assert_eq!(template.complete("N:1:2").unwrap(), "N:2:U:1");
        assert!(template.complete("N:1").is_err());
        assert!(template.complete("N:1:2:3").is_err());
        for wrong in ["a:d", "a:a", ""] {
            assert!(Template::new(wrong, &sources).is_err(), "{wrong}");
        }
    }
}
