// Values under the pointer in the small charts of a device's page. The rows of a chart are asked for
// when the pointer first comes to it, of the time that the chart shows.
import { shown } from "./zone.js";

const SVG = "http://www.w3.org/2000/svg";
const POINTS = 134;
/** After so long, rows that did not come are asked for again. */
const RETRY_MILLISECONDS = 3000;
const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

/** A value with its unit, as the page shows it: `12.3 Mb/s`. */
function worded(value, { unit, kilo }) {
  if (value === null) return "–";
  const base = Math.max(kilo, 2);
  let [scaled, prefix] = [value, 0];
  while (Math.abs(scaled) >= base && prefix + 1 < PREFIXES.length) [scaled, prefix] = [scaled / base, prefix + 1];
  const size = Math.abs(scaled);
  const digits = size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return `${scaled.toFixed(digits)} ${PREFIXES[prefix]}${unit}`;
}

/** The rows of a target over the span of its chart; null if the server does not tell them. */
async function rowsOf(target, { start, end }) {
  const asked = new URLSearchParams({ t: target, start, end, points: POINTS });
  try {
    const answer = await fetch(`/api/charts?${asked}`);
    return answer.ok ? ((await answer.json()).charts[0] ?? null) : null;
  } catch {
    return null;
  }
}

/** Tells what lies under the pointer of one chart. */
class Reader {
  /** @param {{start: number, end: number}} span what the chart shows, in seconds since 1970 */
  constructor(article, span) {
    this.target = article.dataset.target;
    this.span = span;
    this.svg = article.querySelector("svg");
    this.said = document.createElement("span");
    this.said.className = "said";
    article.querySelector(".drawn").append(this.said);
    this.line = document.createElementNS(SVG, "path");
    this.line.classList.add("at");
    this.svg.append(this.line);
    this.svg.addEventListener("pointermove", (event) => this.tell(event));
    this.svg.addEventListener("pointerleave", () => this.leave());
  }

  async tell(event) {
    const box = this.svg.getBoundingClientRect();
    this.at = (event.clientX - box.left) / box.width;
    this.rows ??= this.ask();
    const rows = await this.rows;
    if (rows && this.at !== null) this.show(rows);
  }

  /** A failed answer is not kept for good. */
  async ask() {
    const rows = await rowsOf(this.target, this.span);
    if (!rows) setTimeout(() => (this.rows = null), RETRY_MILLISECONDS);
    return rows;
  }

  show(rows) {
    const { start, end } = this.span;
    const seconds = start + this.at * (end - start);
    const nth = Math.ceil((seconds - rows.first) / rows.step_seconds);
    const values = rows.lines.map((line) => `${line.label} ${worded(line.average[nth] ?? null, line)}`);
    const time = shown(rows.first + nth * rows.step_seconds, "minute").slice("2026-".length);
    this.said.textContent = `${time}  ${values.join("  ")}`;
    this.line.setAttribute("d", `M${(this.at * 400).toFixed(1)} 0V100`);
  }

  leave() {
    this.at = null;
    this.said.textContent = "";
    this.line.removeAttribute("d");
  }
}

/** The charts are other elements after the page refreshed itself. */
function attach() {
  const place = document.querySelector(".multiples");
  const span = { start: Number(place?.dataset.start), end: Number(place?.dataset.end) };
  for (const article of place?.querySelectorAll(".port:not([data-read])") ?? []) {
    article.dataset.read = "";
    new Reader(article, span);
  }
}

attach();
const results = document.getElementById("results");
if (results) new MutationObserver(attach).observe(results, { childList: true });
