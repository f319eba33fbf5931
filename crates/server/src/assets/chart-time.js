// Times of charts: where an axis has its marks and what they say, in the zone of the page.
import { onZone, zone } from "./zone.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY, 7 * DAY,
];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120];

const formats = new Map();
onZone(() => formats.clear());

/** A format of times, made once for each zone. */
function formatOf(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, newFormat({ ...options, hourCycle: "h23" }, zone()));
  return formats.get(key);
}

function newFormat(options, timeZone) {
  try {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-GB", options); // a zone that the browser does not know
  }
}

const words = (seconds, options) => formatOf(options).format(new Date(seconds * 1000));

/** Seconds that clocks of the zone are ahead of UTC. */
function offset(seconds) {
  const fields = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" };
  const parts = {};
  for (const { type, value } of formatOf(fields).formatToParts(new Date(seconds * 1000))) parts[type] = Number(value);
  const local = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  return local / 1000 - Math.floor(seconds);
}

/** The time at which clocks of the zone show this, in seconds as if it were UTC. */
const atLocal = (local, guess) => local - offset(local - guess);

/** The marks of an axis between two times, about `count` of them: `{ at, label, strong }`. */
export function timeTicks(start, end, count) {
  const rough = (end - start) / Math.max(1, count);
  const step = STEPS.find((each) => each >= rough);
  return step ? evenTicks(start, end, step) : monthTicks(start, end, rough);
}

function evenTicks(start, end, step) {
  const ahead = offset(start);
  // Weeks begin on Mondays; 1970 began on a Thursday.
  const shift = step % (7 * DAY) === 0 ? 4 * DAY : 0;
  const found = [];
  for (let local = Math.ceil((start + ahead - shift) / step) * step + shift; found.length < 200; local += step) {
    const at = atLocal(local, ahead);
    if (at > end) break;
    const isDay = local % DAY === 0;
    found.push({ at, strong: isDay && step < DAY, label: evenLabel(at, step, isDay) });
  }
  return found;
}

function evenLabel(at, step, isDay) {
  if (step >= DAY) return words(at, { day: "numeric", month: "short" });
  if (isDay) return words(at, { weekday: "short", day: "numeric" });
  if (step >= MINUTE) return words(at, { hour: "2-digit", minute: "2-digit" });
  return words(at, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

function monthTicks(start, end, rough) {
  const step = MONTHS.find((each) => each * 30 * DAY >= rough) ?? 240;
  const ahead = offset(start);
  const first = new Date((start + ahead) * 1000);
  const from = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step) * step;
  const found = [];
  for (let month = from; found.length < 200; month += step) {
    const at = atLocal(Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000, ahead);
    if (at > end) break;
    const isYear = month % 12 === 0;
    const label = isYear ? words(at, { year: "numeric" }) : words(at, { month: "short" });
    if (at >= start) found.push({ at, strong: isYear, label });
  }
  return found;
}

/** The time of a row: when it began and ended. */
export function rowWords(start, end) {
  const date = words(start, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
  const precise = (end - start) % MINUTE !== 0;
  const clock = { hour: "2-digit", minute: "2-digit", ...(precise ? { second: "2-digit" } : {}) };
  const last = words(end, clock);
  return end - start >= DAY
    ? `${date}, ${lengthWords(end - start)}`
    : `${date}, ${words(start, clock)} – ${last}`;
}

/** A moment: `Fri 20 Nov 2026, 14:40`. */
export function momentWords(seconds) {
  return words(seconds, { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** A length of time: `5 min`, `2 h`, `1.5 days`. */
export function lengthWords(seconds) {
  const of = (unit, name) => `${Number((seconds / unit).toPrecision(3))} ${name}`;
  if (seconds >= 2 * DAY) return of(DAY, "days");
  if (seconds >= HOUR) return of(HOUR, "h");
  return seconds >= MINUTE ? of(MINUTE, "min") : of(1, "s");
}
