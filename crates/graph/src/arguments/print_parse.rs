//! PRINT and GPRINT.

use super::element::{Printed, PrintedAs};
use super::element_parse::Script;
use super::fields::Fields;
use crate::Error;
use crate::format::NumberFormat;

impl Script {
    pub(super) fn printed(&mut self, mut fields: Fields<'_>) -> Result<Printed, Error> {
        let printed_as = printed_as(&mut fields)?;
        let name = fields.need("VNAME")?;
        let of = self
            .position(&name)
            .ok_or_else(|| Error::Element(format!("undefined vname {name}")))?;
        let mut cf = None;
        if self.is_series(of) {
            let text = fields.need("CF/FORMAT")?;
            cf = Some(
                text.parse()
                    .map_err(|()| Error::Element(format!("bad CF for DEF/CDEF: {text}")))?,
            );
        }
        let format = fields.need("CF/FORMAT")?;
        fields.finish()?;
        if printed_as == PrintedAs::Number && NumberFormat::parse(&format).is_none() {
            return Err(Error::Format(format));
        }
        Ok(Printed { of, cf, printed_as, format })
    }
}

/// The last word that says it counts; one before it is left over, unless it is `strftime`.
fn printed_as(fields: &mut Fields<'_>) -> Result<PrintedAs, Error> {
    let is_time = fields.flag("strftime") || fields.value_of("strftime").is_some();
    let of_value = match fields.value_of("vformatter").as_deref() {
        Some("timestamp") => PrintedAs::Timestamp,
        Some("duration") => PrintedAs::Duration,
        Some(other) => return Err(Error::Element(format!("Unsupported vformatter: {other}"))),
        None => match fields.last_of(&["valstrftime", "valstrfduration"]) {
            Some("valstrftime") => PrintedAs::Timestamp,
            Some(_) => PrintedAs::Duration,
            None => PrintedAs::Number,
        },
    };
    Ok(if is_time { PrintedAs::Time } else { of_value })
}
