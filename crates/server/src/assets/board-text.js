// A board as text. The server reads it; this writes what the choices of a page say.

/** What a panel may be about, by its key, and what people call it. */
export const SUBJECTS = {
  target: "targets, by name (* for many)",
  find: "targets, by search",
  database: "databases, by name (* for many)",
  promql: "a query (PromQL)",
  graphite: "a query (Graphite)",
};

const DEFAULTS = { kind: "lines", first: 12, each: false, by: "last", width: 1 };
const HEIGHT_DEFAULT = 180;
const UNITS = [[604800, "w"], [86400, "d"], [3600, "h"], [60, "m"], [1, "s"]];

/** A span of seconds in the largest unit that fits: `6h`. */
export function spanText(seconds) {
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0 && seconds >= size) ?? [1, "s"];
  return `${seconds / size}${unit}`;
}

/** The key of what a panel is about. */
export function subjectOf(panel) {
  return Object.keys(SUBJECTS).find((key) => panel[key] !== undefined && panel[key] !== null);
}

/** A text between quotes, as TOML and JSON both write it. */
function quoted(text) {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function valueText(value) {
  if (Array.isArray(value)) {
    return value.length === 1 ? quoted(value[0]) : `[${value.map(quoted).join(", ")}]`;
  }
  return typeof value === "string" ? quoted(value) : String(value);
}

/** The lines of some keys that are there and are not as they would be anyway. */
function lines(values) {
  return Object.entries(values)
    .filter(([key, value]) => value !== undefined && value !== null && value !== "" && value !== DEFAULTS[key])
    .map(([key, value]) => `${key} = ${valueText(value)}`);
}

function panelText(panel) {
  const { title, kind, source, first, each, by, unit, width, height_pixels } = panel;
  const subject = subjectOf(panel) ?? "find";
  const height = height_pixels === HEIGHT_DEFAULT ? undefined : height_pixels;
  const values = { title, [subject]: panel[subject], kind, source, first, each, by, unit, height, width };
  return ["[[row.panel]]", ...lines(values)].join("\n");
}

/** The text of a board. */
export function boardText(board) {
  const head = lines({ title: board.title, refresh: board.refresh, span: board.span });
  const rows = board.rows.map((row) =>
    [["[[row]]", ...lines({ title: row.title })].join("\n"), ...row.panels.map(panelText)].join("\n\n"));
  return `${[head.join("\n"), ...rows].join("\n\n")}\n`;
}
