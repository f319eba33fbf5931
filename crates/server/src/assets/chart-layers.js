// From an answer of `/api/charts` to what is painted: layers, and the lines of the legend.
import { align, sum } from "./chart-sums.js";

/** Colours of SmokePing for a loss of so many of 20. */
const LOSS = [[0, "#26ff00"], [1, "#00b8ff"], [2, "#0059ff"], [3, "#5e00ff"], [4, "#7e00ff"], [10, "#dd00ff"], [19, "#ff0000"]];
const PINGS_OF_LOSS = 20;

/** A line of a plot: its rows, the facts of its legend and its colours. */
function entryOf(chart, line, { colour, name = line.label, filled = false }) {
  const grid = { first: chart.first, step: chart.step_seconds };
  return { chart, line, grid, colour, name, filled, values: line.average };
}

/** What a figure shows, by the mode of its section and its own `data-plot`. */
export function entries(answer, mode, plot, inks) {
  const { charts } = answer;
  if (mode === "target") {
    return charts.flatMap((chart) =>
      chart.lines.map((line) => {
        const nth = line.source === "ds1" ? 1 : 0;
        return entryOf(chart, line, { colour: inks.lines[nth], filled: nth === 0 });
      }),
    );
  }
  if (mode === "sum") {
    const total = sum(charts);
    return total.lines.map((line, nth) => entryOf(total, line, { colour: inks.lines[nth], filled: nth === 0 }));
  }
  const found = charts.map((chart) => [chart, chart.lines.find((line) => line.source === plot)]);
  const several = charts.length > 1;
  return found
    .filter(([, line]) => line)
    .map(([chart, line], nth) => {
      const colour = several ? inks.series[nth % inks.series.length] : inks.lines[1];
      return entryOf(chart, line, { colour, name: several ? chart.title || chart.name : line.label });
    });
}

/** The layers of entries that share a plot. */
export function layers(found, mode, shown, inks) {
  if (mode === "stack") return stacked(found);
  const all = found.flatMap((entry) => bandOf(entry, shown, mode));
  for (const { values, grid, colour, filled } of found) {
    if (filled) all.push({ kind: "band", values, grid, colour, opacity: 0.55 });
  }
  for (const { values, grid, colour } of found) all.push({ kind: "line", values, grid, colour });
  if (shown.ghost) all.push(...found.flatMap((entry) => ghostOf(entry, inks)));
  if (shown.percentile) all.push(...found.filter(isKnown).map(percentileOf));
  if (mode === "each") return all;
  return all.concat(found.flatMap(({ line }) => line.limits.map((limit) => limitOf(limit, inks))));
}

const isKnown = (entry) => entry.numbers?.percentile != null;

function bandOf({ line, grid, colour, values, filled }, shown, mode) {
  if (!shown.band || !(line.minimum || line.maximum_rows) || mode === "stack") return [];
  const high = line.maximum_rows ?? values;
  const low = line.minimum ?? values;
  const band = { kind: "band", values: high, low, grid, colour, opacity: filled ? 0.3 : 0.22 };
  return [band];
}

function ghostOf({ line, grid }, inks) {
  if (!line.ghost) return [];
  return [{ kind: "line", values: line.ghost, grid, colour: inks.text, dash: [2, 3], width: 1, opacity: 0.7 }];
}

function percentileOf({ numbers, colour, name }) {
  return { kind: "level", at: numbers.percentile, colour, dash: [6, 3], words: `95th percentile ${name}` };
}

function limitOf({ at, words }, inks) {
  return { kind: "level", at, words, colour: inks.bad, dash: [10, 3] };
}

function stacked(found) {
  const rows = align(found);
  let below = null;
  return rows.map(({ values, grid, colour }) => {
    const low = below ?? values.map(() => 0);
    const top = values.map((value, nth) => low[nth] + (value ?? 0));
    below = top;
    return { kind: "band", values: top, low, grid, colour, opacity: 0.8 };
  });
}

/** Whether the rows of a database are those of SmokePing. */
export const isSmoke = (chart) => {
  const has = (source) => chart.lines.some((line) => line.source === source);
  return has("median") && has("loss") && has("ping1");
};

/** SmokePing's picture: grey between pairs of round trip times, the median by its loss. */
export function smoke(chart, inks) {
  const line = (source) => chart.lines.find((each) => each.source === source);
  const grid = { first: chart.first, step: chart.step_seconds };
  const pings = chart.lines.filter(({ source }) => /^ping\d+$/.test(source));
  pings.sort((one, other) => Number(one.source.slice(4)) - Number(other.source.slice(4)));
  const pairs = Math.floor(pings.length / 2);
  const bands = Array.from({ length: pairs }, (_, nth) => ({
    kind: "band", grid, colour: inks.smoke, opacity: Math.min(0.6, 1.6 / Math.max(1, pairs)),
    low: pings[nth].average, values: pings[pings.length - 1 - nth].average,
  }));
  const loss = line("loss").average;
  const median = line("median");
  const colours = loss.map((lost) => lossColour(lost, pings.length));
  const strokes = { kind: "strokes", grid, values: median.average, colours };
  const facts = { ...median, unit: "s" };
  const lost = { ...line("loss"), isPlain: true };
  return {
    layers: [...bands, strokes],
    entries: [
      entryOf(chart, facts, { colour: LOSS[0][1], name: "median" }),
      { ...entryOf(chart, lost, { colour: LOSS[6][1], name: "lost pings" }), apart: true },
    ],
  };
}

/** The colour of a loss; SmokePing's steps are of 20 pings, others in proportion. */
function lossColour(lost, pings) {
  if (lost == null) return LOSS[0][1];
  const of20 = (lost / Math.max(1, pings)) * PINGS_OF_LOSS;
  return (LOSS.find(([most]) => of20 <= most + 1e-9) ?? LOSS.at(-1))[1];
}
