// Paints one chart on a canvas: axes, then its layers from the bottom to the top. A layer is
// `{ kind, grid: { first, step }, ... }`: rows end at `first + n * step`; `null` is a gap.
import { format, powers, ticks } from "./chart-numbers.js";
import { timeTicks } from "./chart-time.js";

const TOP = 10;
const BOTTOM = 22;
const RIGHT = 10;
const FONT_PIXELS = 11;

/** Where times and values lie on the canvas. */
export class Frame {
  /**
   * @param {{width: number, height: number}} size in CSS pixels
   * @param {{start: number, end: number}} span
   * @param {{least: number, most: number, logarithmic: boolean}} range
   */
  constructor(size, left, span, range) {
    Object.assign(this, { ...size, left, ...span, ...range, top: TOP });
    this.right = size.width - RIGHT;
    this.bottom = size.height - BOTTOM;
  }

  x(seconds) {
    return this.left + ((seconds - this.start) / (this.end - this.start)) * (this.right - this.left);
  }

  seconds(x) {
    return this.start + ((x - this.left) / (this.right - this.left)) * (this.end - this.start);
  }

  y(value) {
    const share = this.logarithmic
      ? Math.log(Math.max(value, this.least) / this.least) / Math.log(this.most / this.least)
      : (value - this.least) / (this.most - this.least);
    return this.bottom - share * (this.bottom - this.top);
  }

  /** The rows of a grid that are seen: the first, and the one behind the last. */
  rows({ first, step }, count) {
    const at = (seconds) => Math.min(count, Math.max(0, Math.floor((seconds - first) / step)));
    return [at(this.start), Math.min(count, at(this.end) + 2)];
  }
}

/** Paints everything; returns the frame. */
export function paint(canvas, { span, range, layers, line, inks }) {
  const size = fit(canvas);
  const pen = canvas.getContext("2d");
  pen.font = `${FONT_PIXELS}px ${inks.font}`;
  const marks = range.logarithmic
    ? powers(range.least, range.most)
    : ticks(range.least, range.most, size.height / 42, line.kilo);
  const labels = marks.map((at) => (at === 0 ? "0" : format(at, line, 3, true)));
  const widest = Math.max(24, ...labels.map((label) => pen.measureText(label).width));
  const frame = new Frame(size, Math.ceil(widest) + 10, span, range);
  pen.clearRect(0, 0, size.width, size.height);
  paintValues(pen, frame, marks, labels, inks);
  paintTimes(pen, frame, inks);
  pen.save();
  pen.beginPath();
  pen.rect(frame.left, 0, frame.right - frame.left, frame.bottom + 1);
  pen.clip();
  for (const layer of layers) KINDS[layer.kind](pen, frame, layer, inks);
  pen.restore();
  if (!layers.some(hasRows(frame))) paintNothing(pen, frame, inks);
  return frame;
}

/** Gives the canvas as many points as the screen has. */
function fit(canvas) {
  const box = canvas.getBoundingClientRect();
  const size = { width: Math.max(80, box.width), height: Math.max(60, box.height) };
  const ratio = devicePixelRatio || 1;
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  return size;
}

function hasRows(frame) {
  return ({ values, grid }) => {
    if (!values) return false;
    const [from, to] = frame.rows(grid, values.length);
    for (let nth = from; nth < to; nth++) if (values[nth] != null) return true;
    return false;
  };
}

function paintNothing(pen, frame, inks) {
  pen.fillStyle = inks.quiet;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText("No values in this time", (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2);
}

function paintValues(pen, frame, marks, labels, inks) {
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.lineWidth = 1;
  marks.forEach((at, nth) => {
    const y = Math.round(frame.y(at)) + 0.5;
    pen.strokeStyle = at === 0 ? inks.axis : inks.grid;
    stroke(pen, [[frame.left, y], [frame.right, y]]);
    pen.fillStyle = inks.quiet;
    pen.fillText(labels[nth], frame.left - 6, y);
  });
}

function paintTimes(pen, frame, inks) {
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const marks = timeTicks(frame.start, frame.end, (frame.right - frame.left) / 78);
  for (const { at, label, strong } of marks) {
    const x = Math.round(frame.x(at)) + 0.5;
    if (x < frame.left - 1 || x > frame.right + 1) continue;
    pen.strokeStyle = strong ? inks.axis : inks.grid;
    stroke(pen, [[x, frame.top], [x, frame.bottom]]);
    const half = pen.measureText(label).width / 2;
    if (x - half < 0 || x + half > frame.width) continue;
    pen.fillStyle = strong ? inks.text : inks.quiet;
    pen.fillText(label, x, frame.bottom + 6);
  }
}

function stroke(pen, points) {
  pen.beginPath();
  points.forEach(([x, y], nth) => (nth ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

/** The stretches of rows that are known: `[from, to)`, each row with both of its values. */
function runs(frame, { grid, values, low = values }) {
  const [first, end] = frame.rows(grid, values.length);
  const found = [];
  let from = -1;
  for (let nth = first; nth <= end; nth++) {
    const isKnown = nth < end && values[nth] != null && low[nth] != null;
    if (isKnown && from < 0) from = nth;
    if (!isKnown && from >= 0) {
      found.push([from, nth]);
      from = -1;
    }
  }
  return found;
}

/** Goes along the tops of rows, from the left to the right or back. */
function along(pen, frame, grid, values, [from, to], back = false) {
  for (let nth = 0; nth < to - from; nth++) {
    const row = back ? to - 1 - nth : from + nth;
    const y = frame.y(values[row]);
    const ends = [frame.x(grid.first + (row - 1) * grid.step), frame.x(grid.first + row * grid.step)];
    const [one, other] = back ? ends.reverse() : ends;
    pen.lineTo(one, y);
    pen.lineTo(other, y);
  }
}

/** Fills between two columns, or between one and zero. */
function paintBand(pen, frame, layer) {
  const { grid, values, low, colour, opacity = 1 } = layer;
  pen.fillStyle = colour;
  pen.globalAlpha = opacity;
  for (const run of runs(frame, layer)) {
    pen.beginPath();
    along(pen, frame, grid, values, run);
    if (low) along(pen, frame, grid, low, run, true);
    else {
      const zero = frame.y(Math.max(0, frame.least));
      pen.lineTo(frame.x(grid.first + (run[1] - 1) * grid.step), zero);
      pen.lineTo(frame.x(grid.first + (run[0] - 1) * grid.step), zero);
    }
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function paintLine(pen, frame, layer) {
  const { grid, values, colour, width = 1.5, dash = [], opacity = 1 } = layer;
  Object.assign(pen, { strokeStyle: colour, lineWidth: width, lineJoin: "round", globalAlpha: opacity });
  pen.setLineDash(dash);
  pen.beginPath();
  for (const run of runs(frame, layer)) {
    const x = frame.x(grid.first + (run[0] - 1) * grid.step);
    pen.moveTo(x, frame.y(values[run[0]]));
    along(pen, frame, grid, values, run);
  }
  pen.stroke();
  pen.setLineDash([]);
  pen.globalAlpha = 1;
}

/** A line across, with words: a limit, a percentile, an expected maximum. */
function paintLevel(pen, frame, { at, words, colour, dash = [] }, inks) {
  if (at > frame.most || at < frame.least) return;
  const y = Math.round(frame.y(at)) + 0.5;
  Object.assign(pen, { strokeStyle: colour, lineWidth: 1 });
  pen.setLineDash(dash);
  stroke(pen, [[frame.left, y], [frame.right, y]]);
  pen.setLineDash([]);
  pen.textAlign = "right";
  pen.textBaseline = y - frame.top < 14 ? "top" : "bottom";
  pen.lineWidth = 3;
  pen.strokeStyle = inks.panel;
  const place = [words, frame.right - 4, pen.textBaseline === "top" ? y + 2 : y - 2];
  pen.strokeText(...place);
  pen.fillStyle = inks.text;
  pen.fillText(...place);
}

/** Short strokes, one for each row, each in a colour of its own. */
function paintStrokes(pen, frame, { grid, values, colours }) {
  const [from, to] = frame.rows(grid, values.length);
  pen.lineWidth = 2;
  for (let nth = from; nth < to; nth++) {
    if (values[nth] == null) continue;
    const y = frame.y(values[nth]);
    const x = frame.x(grid.first + (nth - 1) * grid.step);
    pen.strokeStyle = colours[nth];
    stroke(pen, [[x, y], [Math.max(x + 1.5, frame.x(grid.first + nth * grid.step)), y]]);
  }
}

const KINDS = { band: paintBand, line: paintLine, level: paintLevel, strokes: paintStrokes };
