// Tells the values under the pointer of a chart that the server drew. They are read from the lines
// themselves: a plane is 1000 wide and 1000 high, and says what its edges mean.
import { shown } from "./zone.js";

const SIDE = 1000;
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

/** The points of a line, with times in seconds and values. */
function pointsOf(line, { start, end, low, high }) {
  const points = [];
  for (const [, x, y] of line.getAttribute("d").matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)) {
    points.push({
      at: start + ((end - start) * x) / SIDE,
      value: low + (high - low) * (1 - y / SIDE),
    });
  }
  return points;
}

function nearest(points, at) {
  let best;
  for (const point of points) {
    if (!best || Math.abs(point.at - at) < Math.abs(best.at - at)) best = point;
  }
  return best;
}

/** What is told of a chart at a time: a name and a value for each of its curves. */
function toldAt(plot, at) {
  const { start, end, low, high, kilo, unit } = plot.dataset;
  const edges = { start: Number(start), end: Number(end), low: Number(low), high: Number(high) };
  const figure = plot.closest("figure");
  const isStack = figure.classList.contains("stacked");
  const names = [...figure.querySelectorAll(".legend .name")].map((name) => name.textContent);
  const apart = ((edges.end - edges.start) / 400) * 3;
  let below = 0;
  let time = at;
  const told = [];
  [...plot.querySelectorAll(".line")].forEach((line, nth) => {
    const point = nearest(pointsOf(line, edges), at);
    if (!point || Math.abs(point.at - at) > apart) return;
    const value = isStack ? point.value - below : point.value;
    if (isStack) below = point.value;
    if (nth === 0) time = point.at;
    told.push({ nth, name: names[nth] ?? "", words: written(value, Number(kilo), unit) });
  });
  return { time, told };
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
  const { time, told } = toldAt(plot, Number(start) + (Number(end) - Number(start)) * place);
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
