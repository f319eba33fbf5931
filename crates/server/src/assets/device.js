// Values under the pointer in the small charts of a device's page. The rows of a chart are asked for
// when the pointer first comes to it.
const SVG = "http://www.w3.org/2000/svg";
const POINTS = 134;
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

/** The rows of a target over the span of the page; null if the server does not tell them. */
async function rowsOf(target, seconds) {
  const asked = new URLSearchParams({ t: target, start: `end-${seconds}s`, end: "now", points: POINTS });
  const answer = await fetch(`/api/charts?${asked}`).catch(() => null);
  if (!answer?.ok) return null;
  const told = await answer.json();
  const chart = told.charts[0];
  return chart ? { start: told.end - seconds, ...chart } : null;
}

/** Tells what lies under the pointer of one chart. */
class Reader {
  constructor(article, seconds) {
    this.target = article.dataset.target;
    this.seconds = seconds;
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
    this.rows ??= rowsOf(this.target, this.seconds);
    const rows = await this.rows;
    if (rows && this.at !== null) this.show(rows);
  }

  show(rows) {
    const seconds = rows.start + this.at * this.seconds;
    const nth = Math.ceil((seconds - rows.first) / rows.step_seconds);
    const values = rows.lines.map((line) => `${line.label} ${worded(line.average[nth] ?? null, line)}`);
    const time = new Date((rows.first + nth * rows.step_seconds) * 1000);
    this.said.textContent = `${shownTime(time)}  ${values.join("  ")}`;
    this.line.setAttribute("d", `M${(this.at * 400).toFixed(1)} 0V100`);
  }

  leave() {
    this.at = null;
    this.said.textContent = "";
    this.line.removeAttribute("d");
  }
}

/** A time in the server's zone; in the browser's where it does not know that one. */
function shownTime(time) {
  const options = { dateStyle: "short", timeStyle: "short" };
  const timeZone = document.documentElement.dataset.zone;
  const told = (more) => time.toLocaleString("sv", { ...options, ...more }).slice("2026-".length);
  try {
    return told({ timeZone });
  } catch {
    return told({});
  }
}

/** The charts are other elements after the page refreshed itself. */
function attach() {
  const place = document.querySelector(".multiples");
  const seconds = Number(place?.dataset.spanSeconds);
  for (const article of place?.querySelectorAll(".port:not([data-read])") ?? []) {
    article.dataset.read = "";
    new Reader(article, seconds);
  }
}

attach();
const results = document.getElementById("results");
if (results) new MutationObserver(attach).observe(results, { childList: true });
