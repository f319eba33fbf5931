// The time that a section shows, and the URL that says so: `?span=week` moves along with the
// clock, `?start=SECONDS&end=SECONDS` stays. Whoever follows a link may write times in any words that
// the server reads, such as `end-2h` or `20231114`: what they mean stands in the section.
const SECONDS_MIN = 60;
const SECONDS_MAX = 25 * 366 * 86_400;
/** Moves of one hand within this time are one step of the back button. */
const STEP_MILLISECONDS = 1200;

export class Shown {
  /** @param {Record<string, number>} lengths the named spans, in seconds */
  constructor(section, lengths) {
    this.lengths = lengths;
    this.initial = section.dataset.span;
    this.clock = Number(section.dataset.now) - Date.now() / 1000;
    this.moved = 0;
    this.told = { words: this.#written(), start: Number(section.dataset.start), end: Number(section.dataset.end) };
    this.options = { ghost: false, percentile: false, band: true };
    this.read();
  }

  /** The time of the server. */
  now() {
    return Date.now() / 1000 + this.clock;
  }

  /** Takes over what the URL says. */
  read() {
    const words = new URLSearchParams(location.search);
    this.options.ghost = words.has("ghost");
    this.options.percentile = words.has("p95");
    this.options.band = words.get("band") !== "0";
    const { start, end } = this.#fixed();
    if (end > start) return this.#fix(start, end);
    this.name = this.lengths[words.get("span")] ? words.get("span") : this.initial;
    this.length = this.lengths[this.name] ?? 86_400;
  }

  /** The words for a stretch of time, as the URL has them; empty where it has none. */
  #written() {
    const words = new URLSearchParams(location.search);
    const [start, end] = ["start", "end"].map((name) => words.get(name) ?? "");
    return start || end ? `${start} ${end}` : "";
  }

  /** The stretch that the URL asks for: as the server read it, or in seconds, as `keep` wrote it. */
  #fixed() {
    const words = this.#written();
    if (!words) return {};
    if (words === this.told.words) return this.told;
    const [start, end] = words.split(" ").map(Number);
    return { start, end };
  }

  #fix(start, end) {
    Object.assign(this, { name: null, start, end, length: end - start });
  }

  /** Start and end, in seconds. */
  span() {
    if (this.start == null || this.name) {
      const end = Math.ceil(this.now());
      return { start: end - this.length, end };
    }
    return { start: this.start, end: this.end };
  }

  /** Whether the chart moves along with the clock. */
  isLive() {
    return this.name != null;
  }

  /** Shows another stretch, as far as there is one. */
  set(start, end) {
    const length = Math.min(SECONDS_MAX, Math.max(SECONDS_MIN, end - start));
    if (length !== end - start) {
      start = (start + end - length) / 2;
      end = start + length;
    }
    const last = this.now() + length * 0.04;
    const shift = Math.min(0, last - end) + Math.max(0, -start);
    this.#fix(start + shift, end + shift);
  }

  /** Shows the last hour, day and so on. */
  live(name = this.name ?? this.initial) {
    this.name = name;
    this.length = this.lengths[name] ?? 86_400;
  }

  /** The words of the URL. */
  words() {
    const words = new URLSearchParams(location.search);
    for (const name of ["span", "start", "end", "ghost", "p95", "band"]) words.delete(name);
    if (this.name) words.set("span", this.name);
    else for (const name of ["start", "end"]) words.set(name, Math.round(this.span()[name]));
    if (this.options.ghost) words.set("ghost", "1");
    if (this.options.percentile) words.set("p95", "1");
    if (!this.options.band) words.set("band", "0");
    return words;
  }

  /** Keeps what is shown in the URL, as one step of the back button or as part of the last one. */
  keep() {
    const address = `?${this.words()}`;
    if (address === location.search) return;
    const isNew = performance.now() - this.moved > STEP_MILLISECONDS;
    this.moved = performance.now();
    if (isNew) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
}
