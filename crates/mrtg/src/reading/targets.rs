//! Validates the keys of each target.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use super::built::Built;
use super::entries::RawTarget;
use super::forecasts;
use super::global_values::with_one_slash;
use super::globals::yes_or_no;
use super::keys::TargetKey as Key;
use super::option_words;
use super::own_keys;
use super::page_keys;
use super::target_keys::Keys;
use super::target_values::{
    WHOLE, above_zero, abs_max, finite, max_bytes, options, periods, pixels, row_counts,
};
use super::thresholds::SharedThresholds;
use super::value::Value;
use crate::language::{Context, Interner, Names, Parsed, parse};
use crate::legends::DefaultLegends;
use crate::text::decode;
use crate::{
    Agent, Error, Globals, Interval, Legends, Note, Options, Poll, Settings, SnmpOptions, Target,
    environment, settings,
};

/// MRTG's default size of a graph.
const DEFAULT_WIDTH_PIXELS: u32 = 400;
const DEFAULT_HEIGHT_PIXELS: u32 = 100;

/// In the order of the fields of [`Legends`].
const LEGEND_KEYS: [Key; 9] = [
    Key::YLegend,
    Key::ShortLegend,
    Key::Legend1,
    Key::Legend2,
    Key::Legend3,
    Key::Legend4,
    Key::Legend5,
    Key::LegendI,
    Key::LegendO,
];

/// Builds targets one after the other; parts that they share are built once.
pub(super) struct Builder<'g> {
    globals: &'g Globals,
    names: &'g Names,
    notes: Vec<Note>,
    agents: Interner<Agent>,
    polls: Interner<Poll>,
    heads: texts::Writer,
    pages: texts::Writer,
    environments: texts::Writer,
    settings: settings::Shared,
    /// By the step, which is in their words.
    legends: HashMap<u64, DefaultLegends>,
    thresholds: SharedThresholds,
    told_options: option_words::Told,
    no_snmp_options: SnmpOptions,
    default_kmg: Arc<[String]>,
    no_directory: Arc<str>,
    /// The decoded text of defaults, by the address of their bytes. All shared text exists when
    /// building begins, so an address is never reused.
    texts: HashMap<(usize, usize), Arc<str>>,
}

impl<'g> Builder<'g> {
    pub(super) fn new(globals: &'g Globals, names: &'g Names) -> Self {
        Self {
            globals,
            names,
            notes: Vec::new(),
            agents: Interner::new(),
            polls: Interner::new(),
            heads: texts::Writer::default(),
            pages: texts::Writer::default(),
            environments: texts::Writer::default(),
            settings: settings::Shared::default(),
            legends: HashMap::new(),
            thresholds: SharedThresholds::default(),
            told_options: option_words::Told::default(),
            no_snmp_options: SnmpOptions::default(),
            default_kmg: ["", "k", "M", "G"].map(str::to_owned).into(),
            no_directory: "".into(),
            texts: HashMap::new(),
        }
    }

    /// Builds these targets.
    pub(super) fn build_all(mut self, all: Vec<RawTarget>) -> Result<Built, Error> {
        let mut targets = Vec::with_capacity(all.len());
        // Each raw target is dropped after use, so that the next one's text reuses its memory.
        for raw in all {
            targets.push(self.build(&raw)?);
        }
        Ok(Built { targets, agents: self.agents, polls: self.polls, notes: self.notes })
    }

    fn build(&mut self, raw: &RawTarget) -> Result<Target, Error> {
        let keys = Keys::new(raw);
        let title = decode(keys.require(Key::Title)?.bytes());
        let settings = self.settings(&keys)?;
        let parsed = self.parse_target(&keys)?;
        let environment =
            keys.read(Key::SetEnv, "NAME=\"value\" ...", environment::parse)?.unwrap_or_default();
        let top = keys.get(Key::PageTop).map(|value| page_keys::with_line_breaks(value.bytes()));
        Ok(Target {
            settings: self.settings.of(settings),
            head: self.heads.put(&[&title, &environment::description(&environment)]),
            page: top.map(|top| self.pages.put(&[&top])),
            environment: environment::put(&environment, &mut self.environments),
            labels: environment::put(&own_keys::labels(&keys)?, &mut self.environments),
            name_is_latin_1: std::str::from_utf8(&raw.name).is_err(),
            name: keys.name.into(),
            position: raw.position.clone(),
            expression: parsed.expression,
            unsupported: parsed.unsupported,
        })
    }

    fn settings(&mut self, keys: &Keys<'_>) -> Result<Settings, Error> {
        let max_bytes = max_bytes(keys)?;
        let options = options(keys)?;
        if let Some(value) = keys.get(Key::Options) {
            self.notes.extend(self.told_options.notes(options, &value.position));
        }
        let directory = self.directory(keys);
        let rows = row_counts(keys)?;
        let interval = own_keys::interval(keys)?.unwrap_or(self.globals.interval);
        Ok(Settings {
            interval,
            follows_speed: own_keys::follows_speed(keys)?,
            path_before_name: path_before_name(self.globals, &directory),
            rows,
            abs_max: abs_max(keys, max_bytes)?,
            forecasts: forecasts::of(keys, interval, rows)?,
            thresholds: self.thresholds.of(keys, &self.globals.thresholds, &mut self.notes)?,
            legends: self.legends_of(keys, options, interval),
            unscaled: periods(keys, Key::Unscaled)?,
            with_peak: periods(keys, Key::WithPeak)?,
            suppress: periods(keys, Key::Suppress)?,
            kilo: keys.read(Key::Kilo, WHOLE, above_zero)?.unwrap_or(1000.0),
            kmg: self.kmg(keys),
            factor: keys.read(Key::Factor, "a number", finite)?.unwrap_or(1.0),
            width_pixels: keys
                .read(Key::XSize, "30 to 600 pixels", |value| pixels(value, 600))?
                .unwrap_or(DEFAULT_WIDTH_PIXELS),
            height_pixels: keys
                .read(Key::YSize, "30 pixels or more", |value| pixels(value, u32::MAX))?
                .unwrap_or(DEFAULT_HEIGHT_PIXELS),
            page: page_keys::of(keys),
            directory: self.directory_text(&directory),
            max_bytes,
            options,
        })
    }

    fn parse_target(&mut self, keys: &Keys<'_>) -> Result<Parsed, Error> {
        let value = keys.require(Key::Target)?;
        let own_options = keys.snmp_options()?;
        let ipv4_only = keys.read(Key::IPv4Only, "yes or no", yes_or_no)?.unwrap_or(false);
        let no_high_capacity = keys.read(Key::NoHC, "yes or no", yes_or_no)?.unwrap_or(false);
        let alias = own_keys::alias(keys)?;
        let global_options = self.globals.snmp_options.as_ref();
        let mut context = Context {
            agents: &mut self.agents,
            polls: &mut self.polls,
            names: self.names,
            has_conversion_code: self.globals.conversion_code,
            snmp_options: own_options.as_ref().or(global_options).unwrap_or(&self.no_snmp_options),
            ipv4_only: ipv4_only || !self.globals.enable_ipv6,
            no_high_capacity,
            alias,
            transport: own_keys::transport(keys)?,
        };
        let parsed = parse(value.bytes(), &mut context)
            .map_err(|short| Error::at(&value.position, keys.misread(value, short)))?;
        for key in [Key::GyreAlias, Key::GyreMaxBytes] {
            if keys.get(key).is_some() {
                own_keys::only_interface(keys, key, &parsed.named)?;
            }
        }
        self.note_shortcomings(keys, value, &parsed);
        Ok(parsed)
    }

    fn note_shortcomings(&mut self, keys: &Keys<'_>, value: &Value, parsed: &Parsed) {
        let (target, position) = (&keys.name, &value.position);
        if let Some(reason) = parsed.unsupported {
            let (target, position) = (target.clone(), position.clone());
            self.notes.push(Note::NotPolled { target, position, reason });
        }
        if parsed.ipv6_off {
            let (target, position) = (target.clone(), position.clone());
            self.notes.push(Note::Ipv6Off { target, position });
        }
    }

    fn legends_of(
        &mut self,
        keys: &Keys<'_>,
        options: Options,
        interval: Interval,
    ) -> Arc<Legends> {
        let new = || DefaultLegends::new(interval);
        let legends = self.legends.entry(interval.step_seconds()).or_insert_with(new);
        let defaults = Arc::clone(legends.for_options(options));
        if !LEGEND_KEYS.into_iter().any(|key| keys.get(key).is_some()) {
            return defaults;
        }
        let mut legends = Legends::clone(&defaults);
        let places = [
            &mut legends.y_axis,
            &mut legends.unit,
            &mut legends.incoming,
            &mut legends.outgoing,
            &mut legends.incoming_peak,
            &mut legends.outgoing_peak,
            &mut legends.ratio,
            &mut legends.incoming_label,
            &mut legends.outgoing_label,
        ];
        for (key, place) in LEGEND_KEYS.into_iter().zip(places) {
            let hides = matches!(key, Key::LegendI | Key::LegendO);
            if let Some(value) = keys.get(key)
                && (hides || !value.bytes().is_empty())
            {
                *place = self.text(value);
            }
        }
        Arc::new(legends)
    }

    /// Decoded text; shared if the bytes are shared.
    fn text(&mut self, value: &Value) -> Arc<str> {
        match value.shared_key() {
            Some(place) => {
                let text = self.texts.entry(place).or_insert_with(|| decode(value.bytes()).into());
                Arc::clone(text)
            }
            None => decode(value.bytes()).into(),
        }
    }

    fn kmg(&self, keys: &Keys<'_>) -> Arc<[String]> {
        let Some(value) = keys.get(Key::Kmg) else {
            return Arc::clone(&self.default_kmg);
        };
        let text: String = decode(value.bytes()).split_whitespace().collect();
        if text.is_empty() {
            return Arc::clone(&self.default_kmg);
        }
        // Of commas alone, one prefix is left, which is empty: numbers are written in full.
        text.trim_end_matches(',').split(',').map(str::to_owned).collect()
    }

    fn directory(&self, keys: &Keys<'_>) -> Vec<u8> {
        let set = keys.get(Key::Directory).map(Value::bytes).filter(|value| !value.is_empty());
        set.map(with_one_slash).unwrap_or_default()
    }

    fn directory_text(&self, directory: &[u8]) -> Arc<str> {
        if directory.is_empty() { Arc::clone(&self.no_directory) } else { decode(directory).into() }
    }
}

/// Concatenates strings instead of joining paths: an absolute `Directory` is still below `LogDir`.
fn path_before_name(globals: &Globals, directory: &[u8]) -> Arc<[u8]> {
    [globals.log_dir.as_os_str().as_bytes(), directory].concat().into()
}
