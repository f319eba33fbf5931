// Tells the values under the pointer of a chart that the server drew. Each line says its own: its
// points as `SECONDS:VALUE`, counted from the start of the chart, their unit and their distance.
import { shown } from "./zone.js";

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];
const TOLD_MAX = 12;

/** A number as the server writes it: `12.3 Mb/s`. */
function written(value, kilo, unit) {
  let scaled = value;
  let prefix = 0;
  while (Math.abs(scaled) >= kilo && prefix + 1 < PREFIXES.length) {
    scaled /= kilo;
    prefix += 1;
  }
  const size = Math.abs(scaled);
  const digits = scaled === 0 || size >= 100 ? 0 : size < 10 ? 2 : 1;
  return `${scaled.toFixed(digits)} ${PREFIXES[prefix]}${unit}`.trim();
}

const known = new WeakMap();

/** The points of a line, with seconds since the start of its chart and values. */
function pointsOf(line) {
  if (!known.has(line)) {
    const pairs = line.dataset.points.split(" ").filter(Boolean);
    known.set(line, pairs.map((pair) => {
      const [behind, value] = pair.split(":").map(Number);
      return { behind, value };
    }));
  }
  return known.get(line);
}

function nearest(points, behind) {
  const apart = (point) => Math.abs(point.behind - behind);
  return points.reduce((best, point) => (best && apart(best) <= apart(point) ? best : point), null);
}

/** What is told of a chart so long behind its start: a name and a value for each of its curves. */
function toldAt(plot, behind) {
  const { start, end } = plot.dataset;
  const names = [...plot.closest("figure").querySelectorAll(".legend .name")].map((name) => name.textContent);
  const width = (Number(end) - Number(start)) / 400;
  let time = behind;
  const told = [];
  [...plot.querySelectorAll(".line")].forEach((line, nth) => {
    const { kilo, unit, step } = line.dataset;
    const point = nearest(pointsOf(line), behind);
    if (!point || Math.abs(point.behind - behind) > Math.max(3 * width, Number(step))) return;
    if (!told.length) time = point.behind;
    told.push({ nth, name: names[nth] ?? "", words: written(point.value, Number(kilo), unit) });
  });
  return { time: Number(start) + time, told };
}

function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function hide(plot) {
  for (const old of plot.querySelectorAll(".cross, .readout")) old.remove();
}

function show(plot, clientX) {
  hide(plot);
  const plane = plot.querySelector(".plane");
  const box = plane.getBoundingClientRect();
  const place = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
  const { start, end } = plot.dataset;
  const { time, told } = toldAt(plot, (Number(end) - Number(start)) * place);
  if (!told.length) return;
  const cross = element("div", "cross");
  cross.style.left = `${place * box.width}px`;
  cross.style.height = `${box.height}px`;
  const list = element("ul", "readout");
  list.append(element("li", "", shown(time, "minute")));
  for (const { nth, name, words } of told.slice(0, TOLD_MAX)) {
    const line = document.createElement("li");
    line.append(element("span", `swatch ink-${nth % 10}`), element("span", "name", name));
    line.append(element("b", "", words));
    list.append(line);
  }
  plane.parentElement.append(cross, list);
  const width = list.getBoundingClientRect().width;
  const left = place * box.width + 12;
  list.style.left = `${left + width > box.width ? Math.max(0, left - width - 24) : left}px`;
}

/** Watches all charts, also those that come later. */
export function tellUnderPointer() {
  let current = null;
  document.addEventListener("pointermove", (event) => {
    const plot = event.target.closest?.(".plot");
    if (current && current !== plot) hide(current);
    current = plot;
    if (plot) show(plot, event.clientX);
  });
  document.addEventListener("pointerleave", () => current && hide(current));
}
