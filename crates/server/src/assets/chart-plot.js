// One figure of a section: a canvas in place of its picture, a legend with numbers, and a box with
// the values of the row under the pointer.
import { entries, isSmoke, layers, smoke } from "./chart-layers.js";
import { format } from "./chart-numbers.js";
import { paint } from "./chart-paint.js";
import { lengthWords, rowWords } from "./chart-time.js";
import { listen } from "./chart-gestures.js";

const PERCENTILE = 0.95;

/** A new element with text, which is never read as HTML. */
export function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

/** The colours of the page, as its style sheets have them. */
export function inksOf(element) {
  // A canvas does not know `light-dark()` and the like: the browser tells what they come to.
  const probe = element.appendChild(document.createElement("span"));
  const style = getComputedStyle(probe);
  const ink = (name) => {
    probe.style.color = `var(${name})`;
    return style.color;
  };
  const inks = {
    font: style.fontFamily,
    text: ink("--text"),
    quiet: ink("--quiet"),
    grid: ink("--chart-grid"),
    axis: ink("--chart-axis"),
    panel: ink("--panel"),
    bad: ink("--bad"),
    smoke: ink("--chart-smoke"),
    lines: [ink("--in"), ink("--out")],
    series: Array.from({ length: 10 }, (_, nth) => ink(`--series-${nth + 1}`)),
  };
  probe.remove();
  return inks;
}

export class Plot {
  /** @param {object} hands what the section does with gestures */
  constructor(figure, mode, hands) {
    Object.assign(this, { figure, mode, hands, plot: figure.dataset.plot, hover: null, frame: null });
    this.canvas = make("canvas", "chart-canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `Chart of ${figure.dataset.title}: arrow keys move and zoom it`);
    this.box = make("div", "chart-box");
    this.box.hidden = true;
    this.box.setAttribute("role", "status");
    this.pick = make("div", "chart-pick");
    this.pick.hidden = true;
    this.legend = make("div", "chart-legend");
    const area = make("div", "chart-area");
    area.append(this.canvas, this.pick, this.box);
    figure.classList.add("drawn");
    figure.append(area, this.legend);
    listen(this.canvas, () => this.frame ?? { left: 0, right: 1 }, { ...hands, ...this.#ownHands() });
  }

  #ownHands() {
    const frame = () => this.frame;
    const at = (share) => frame().left + share * (frame().right - frame().left);
    return {
      onHover: (share) => this.hands.onHover(share == null ? null : frame().seconds(at(share))),
      onStep: (rows) => this.hands.onHover(this.#stepped(rows)),
      onPicking: (from, to) => {
        const [left, right] = [from, to].map(at).sort((one, other) => one - other);
        Object.assign(this.pick.style, { left: `${left}px`, width: `${right - left}px` });
        this.pick.hidden = false;
      },
      onPick: (from, to) => {
        this.pick.hidden = true;
        this.hands.onPick(from, to);
      },
    };
  }

  /** The time of the row before or behind the one of which values are shown. */
  #stepped(rows) {
    const step = this.entries?.[0]?.grid.step ?? 60;
    const from = this.hover ?? (this.frame.start + this.frame.end) / 2;
    return Math.min(this.frame.end, Math.max(this.frame.start, from + rows * step));
  }

  get width() {
    return this.canvas.clientWidth || 600;
  }

  /** Takes over an answer; `draw` shows it. */
  take(answer, inks) {
    this.inks = inks;
    this.asked = { start: answer.start, end: answer.end, now: answer.now };
    const first = answer.charts[0];
    const isSmoked = this.plot === "smoke" && first && isSmoke(first);
    this.smoke = isSmoked ? smoke(first, inks) : null;
    this.entries = this.smoke?.entries ?? entries(answer, this.mode, this.plot, inks);
  }

  /** Shows the rows of a stretch of time, whether they came for it or for another one. */
  draw(span, options) {
    if (!this.entries) return;
    for (const entry of this.entries) entry.numbers = numbersOf(entry, span, this.asked);
    const all = this.smoke?.layers ?? layers(this.entries, this.mode, options, this.inks);
    const line = this.entries.find((entry) => !entry.apart)?.line ?? { unit: "", kilo: 1000 };
    const range = rangeOf(all, span, this.figure.dataset.logarithmic === "true");
    this.frame = paint(this.canvas, { span, range, layers: all, line, inks: this.inks });
    this.#showLegend(span);
    this.#showHover();
  }

  /** Shows the values at a time, or of the whole span. */
  point(seconds) {
    this.hover = seconds;
    if (!this.frame) return;
    this.#showHover();
  }

  #showLegend({ end }) {
    const step = this.entries[0]?.grid.step ?? 0;
    const newest = end > this.asked.now - step ? "Now" : "Last";
    const head = ["", newest, "Average", "Maximum", "95 %"];
    const rows = this.entries.map(({ line, name, colour, numbers, chart }) => {
      const row = make("tr");
      const title = make("th");
      title.scope = "row";
      const ink = make("span", "ink");
      ink.style.background = colour;
      const link = this.mode === "each" || this.mode === "stack" ? make("a", "", name) : make("span", "", name);
      if (link.tagName === "A" && chart.page) link.href = chart.page;
      title.append(ink, link);
      title.title = line.legend;
      const values = [numbers.last, numbers.average, numbers.most, numbers.percentile];
      row.append(title, ...values.map((value, nth) => {
        const cell = make("td", "", format(value, line));
        cell.dataset.label = head[nth + 1];
        return cell;
      }));
      return row;
    });
    const table = make("table");
    const first = make("tr");
    first.append(...head.map((word) => make(word ? "th" : "td", "", word)));
    table.append(first, ...rows);
    this.legend.replaceChildren(table, ...this.#limits());
  }

  /** The limits in words: those far above all values are not on the chart. */
  #limits() {
    const limits = this.entries.flatMap(({ line }) =>
      line.limits.map(({ at, words }) => `${words} at ${format(at, line, 3, true)}`),
    );
    return limits.length ? [make("p", "chart-limits", `Limits: ${limits.join(", ")}`)] : [];
  }

  #showHover() {
    const { hover, frame, entries: found } = this;
    if (hover == null || hover < frame.start || hover > frame.end || !found.length) {
      this.box.hidden = true;
      return;
    }
    const { grid } = found[0];
    const nth = Math.ceil((hover - grid.first) / grid.step);
    const end = grid.first + nth * grid.step;
    const lines = found.map((entry) => hoverLine(entry, hover));
    const row = make("p", "chart-when", rowWords(end - grid.step, end));
    this.box.replaceChildren(row, ...lines, make("p", "chart-row", `a row of ${lengthWords(grid.step)}`));
    this.box.hidden = false;
    this.#place(frame.x(Math.min(frame.end, Math.max(frame.start, end - grid.step / 2))));
  }

  #place(x) {
    const width = this.box.offsetWidth;
    const isRight = x + 14 + width > this.canvas.clientWidth;
    const left = isRight ? Math.max(0, x - 14 - width) : x + 14;
    this.box.style.transform = `translateX(${Math.round(left)}px)`;
    this.box.style.setProperty("--at", `${Math.round(x - left)}px`);
  }
}

/** A value at a time, with the smallest and largest behind it. */
function hoverLine({ line, grid, values, name, colour }, seconds) {
  const nth = Math.ceil((seconds - grid.first) / grid.step);
  const row = make("p");
  const ink = make("span", "ink");
  ink.style.background = colour;
  row.append(ink, make("span", "", `${name} `), make("b", "", format(values[nth], line, 6)));
  const low = line.minimum?.[nth];
  const high = line.maximum_rows?.[nth];
  const isKnown = values === line.average && (low != null || high != null);
  const [least, most] = [low, high].map((value) => value != null && format(value, line, 4));
  if (isKnown) row.append(make("small", "", least ? ` ${least} to ${most || "–"}` : ` at most ${most}`));
  const ghost = values === line.average ? line.ghost?.[nth] : null;
  if (ghost != null) row.append(make("small", "", ` · a week before ${format(ghost, line, 4)}`));
  return row;
}

/**
 * Newest, mean, largest and 95th percentile of the rows that are seen. Of the very span that was
 * asked for, the server tells some of them from the rows behind those that it put together.
 */
function numbersOf({ values, grid, line }, { start, end }, asked) {
  const isAsked = Math.abs(start - asked.start) < grid.step && Math.abs(end - asked.end) < grid.step;
  const told = isAsked && values === line.average ? line : {};
  const from = Math.max(0, Math.floor((start - grid.first) / grid.step) + 1);
  const to = Math.min(values.length, Math.floor((end - grid.first) / grid.step) + 1);
  const known = [];
  let most = null;
  const tops = values === line.average ? (line.maximum_rows ?? values) : values;
  for (let nth = from; nth < to; nth++) {
    if (values[nth] != null) known.push(values[nth]);
    if (tops[nth] != null && (most == null || tops[nth] > most)) most = tops[nth];
  }
  if (!known.length) return { last: null, average: null, most: null, percentile: null };
  const last = told.last ?? known.at(-1);
  const average = known.reduce((one, other) => one + other) / known.length;
  known.sort((one, other) => one - other);
  const percentile = told.percentile_95 ?? known[Math.round(PERCENTILE * (known.length - 1))];
  return { last, average, most, percentile };
}

/** The values that the axis has to reach. */
function rangeOf(all, { start, end }, logarithmic) {
  let [least, most] = [Infinity, -Infinity];
  const levels = all.filter(({ kind }) => kind === "level");
  for (const { grid, values, low } of all) {
    if (!values) continue;
    const from = Math.max(0, Math.floor((start - grid.first) / grid.step) + 1);
    const to = Math.min(values.length, Math.ceil((end - grid.first) / grid.step) + 1);
    for (let nth = from; nth < to; nth++) {
      const [bottom, top] = [low ? low[nth] : values[nth], values[nth]];
      if (top != null && top > most) most = top;
      if (bottom != null && bottom < least && (!logarithmic || bottom > 0)) least = bottom;
    }
  }
  if (most === -Infinity) return { least: 0, most: 1, logarithmic: false };
  // A limit far above all values would make them flat.
  for (const { at } of levels) if (at > most && at < most * 2.5) most = at;
  if (logarithmic && most > 0) return { least: Math.min(least, most / 10), most: most * 1.2, logarithmic };
  return { least: Math.min(0, least * 1.08), most: most > 0 ? most * 1.08 : 1, logarithmic: false };
}
