//! DEF, CDEF and VDEF.

use rrd::rpn::{Program, Vocabulary};

use super::context::Context;
use super::element::{Definition, DefinitionKind};
use super::element_parse::Script;
use super::fields::{Fields, split};
use super::times;
use crate::Error;
use crate::row_length::RowLength;
use crate::series_request::SeriesRequest;
use crate::summary::Summary;
use crate::time_window::TimeWindow;

impl Script {
    pub(super) fn definition(
        &mut self,
        keyword: &str,
        whole: &str,
        context: &Context<'_>,
    ) -> Result<(), Error> {
        let text = whole.get(keyword.len() + 1..).unwrap_or("");
        let Some((name, rest)) = text.split_once('=') else {
            return Err(Error::Element(match keyword {
                "DEF" => format!("No argument for definition of DS in {whole}"),
                _ => format!("don't understand '{text}'"),
            }));
        };
        let mut fields = Fields::new(whole, split(rest));
        let kind = match keyword {
            "DEF" => self.def(&mut fields, whole, context)?,
            "CDEF" => self.cdef(&mut fields, name, context.vocabulary)?,
            _ => self.vdef(&mut fields, name)?,
        };
        fields.finish()?;
        // A second DEF of a name is ignored by rrdtool's lookup; other repeats are errors.
        if self.position(name).is_some() && keyword != "DEF" {
            return Err(Error::Element(format!("trying to reuse vname {name}")));
        }
        let name = name.to_owned();
        self.definitions.push(Definition { name, kind });
        Ok(())
    }

    fn def(
        &mut self,
        fields: &mut Fields<'_>,
        whole: &str,
        context: &Context<'_>,
    ) -> Result<DefinitionKind, Error> {
        let missing = |what| {
            move || Error::Element(format!("No argument for definition of {what} in {whole}"))
        };
        let step = fields.value_of("step");
        let start = fields.value_of("start");
        let end = fields.value_of("end");
        let reduce = fields.value_of("reduce");
        let daemon = fields.value_of("daemon");
        let rrd = fields.next().ok_or_else(missing("DS"))?;
        let source_name = fields.next().ok_or_else(missing("DS"))?;
        let cf_name = fields.next().ok_or_else(missing("CF"))?;
        let cf = cf_name.parse().map_err(|()| Error::Element(format!("bad CF: {cf_name}")))?;
        let reduce = match reduce {
            None => cf,
            Some(name) => {
                name.parse().map_err(|()| Error::Element(format!("bad reduce CF: {name}")))?
            }
        };
        let row_length = match step {
            None => context.row_length,
            Some(text) => own_row_length(&text)
                .ok_or_else(|| Error::Element(format!("Bad step value: {text}")))?,
        };
        let window = context.own_window(start.as_deref(), end.as_deref())?;
        // Where the window lies too far away for such fine ticks, they are not told.
        let window = window.in_finer(window.tick.finer(row_length.tick)).unwrap_or(window);
        let TimeWindow { tick, start_seconds, end_seconds } = window;
        let step_seconds = row_length.in_ticks(tick);
        let request =
            SeriesRequest { rrd, cf, tick, start_seconds, end_seconds, step_seconds, daemon };
        let request = self.request(request);
        // `step=` chooses the archive, and makes rows longer, but not shorter than a pixel.
        let row_length = row_length.longer(context.row_length);
        Ok(DefinitionKind::Def { request, source_name, row_length, reduce })
    }

    /// The position of a fetch; equal fetches are one.
    fn request(&mut self, request: SeriesRequest) -> usize {
        let known = self.requests.iter().position(|each| *each == request);
        known.unwrap_or_else(|| {
            self.requests.push(request);
            self.requests.len() - 1
        })
    }

    fn cdef(
        &mut self,
        fields: &mut Fields<'_>,
        name: &str,
        vocabulary: Vocabulary,
    ) -> Result<DefinitionKind, Error> {
        let text = fields.next().unwrap_or_default();
        let program = Program::parse_in(vocabulary, &text, &mut |word| self.position(word))?;
        let has_series = program.variables().any(|index| self.is_series(index));
        if self.position(name).is_none() && !has_series {
            return Err(rrd::rpn::RpnError::NoSeries.into());
        }
        Ok(DefinitionKind::Cdef(program))
    }

    fn vdef(&mut self, fields: &mut Fields<'_>, name: &str) -> Result<DefinitionKind, Error> {
        let text = fields.next().unwrap_or_default();
        let Some((of, function)) = text.split_once(',') else {
            return Err(Error::Element(format!("Comma expected in VDEF definition {text}")));
        };
        let of = match self.position(of) {
            Some(of) if self.is_series(of) => of,
            Some(_) => {
                return Err(Error::Element(format!(
                    "variable '{of}' not DEF nor CDEF in VDEF '{name}'"
                )));
            }
            None => {
                return Err(Error::Element(format!("Not a valid vname: {of} in line {text}")));
            }
        };
        let summary = Summary::parse(function, name)?;
        Ok(DefinitionKind::Vdef { of, summary })
    }
}

/// Reads `step=`.
fn own_row_length(text: &str) -> Option<RowLength> {
    match text.parse() {
        Ok(seconds @ 1..=1_000_000_000) => Some(RowLength::of_seconds(seconds)),
        Ok(_) => None,
        Err(_) => RowLength::of_decimal(text),
    }
}

impl Context<'_> {
    /// The window of a DEF that may bring its own start or end.
    fn own_window(&self, start: Option<&str>, end: Option<&str>) -> Result<TimeWindow, Error> {
        if start.is_none() && end.is_none() {
            return Ok(self.window);
        }
        let TimeWindow { tick, start_seconds, end_seconds } = self.window;
        let graph_start = tick.told(start_seconds).to_string();
        let graph_end = tick.told(end_seconds).to_string();
        times::window(
            start.unwrap_or(&graph_start),
            end.unwrap_or(&graph_end),
            self.now_seconds,
            self.zone,
        )
    }
}
