// Rows of several charts on one grid: that of the longest rows.

/** The value of a grid's row that ends at `end`: the mean of the rows within it. */
function within({ values, grid }, end, length) {
  const last = Math.ceil((end - grid.first) / grid.step - 1e-9);
  const count = Math.max(1, Math.round(length / grid.step));
  let total = 0;
  let known = 0;
  for (let nth = last - count + 1; nth <= last; nth++) {
    if (values[nth] == null) continue;
    total += values[nth];
    known += 1;
  }
  return known ? total / known : null;
}

/** The same entries, all with rows on one grid. */
export function align(entries) {
  const filled = entries.filter(({ values }) => values.length);
  if (!filled.length) return [];
  const step = Math.max(...filled.map(({ grid }) => grid.step));
  // Rows of every archive begin at multiples of their length.
  const start = Math.min(...filled.map(({ grid }) => grid.first - grid.step));
  const first = Math.floor(start / step + 1e-9) * step + step;
  const ends = filled.map(({ grid, values }) => grid.first + (values.length - 1) * grid.step);
  const count = Math.max(0, Math.ceil((Math.max(...ends) - first) / step - 1e-9) + 1);
  const grid = { first, step };
  return filled.map((entry) => ({
    ...entry,
    grid,
    values: Array.from({ length: count }, (_, nth) => within(entry, first + nth * step, step)),
  }));
}

/** One chart that is the sum of all, line by line; a row is unknown where all are. */
export function sum(charts) {
  const sources = [...new Set(charts.flatMap((chart) => chart.lines.map(({ source }) => source)))];
  const gridOf = (chart) => ({ first: chart.first, step: chart.step_seconds });
  const of = (member) => (source) =>
    align(
      charts.flatMap((chart) => {
        const line = chart.lines.find((each) => each.source === source);
        return line?.[member] ? [{ line, values: line[member], grid: gridOf(chart) }] : [];
      }),
    );
  const added = (rows) =>
    (rows[0]?.values ?? []).map((_, nth) => {
      const known = rows.map(({ values }) => values[nth]).filter((value) => value != null);
      return known.length ? known.reduce((one, other) => one + other) : null;
    });
  let grid = { first: 0, step: 1 };
  const lines = sources.map((source) => {
    const rows = of("average")(source);
    const ghosts = of("ghost")(source);
    grid = rows[0]?.grid ?? grid;
    const facts = charts.flatMap((chart) => chart.lines).find((line) => line.source === source);
    return {
      ...facts, limits: [], maximum: null, minimum: null, maximum_rows: null, percentile_95: null, last: null,
      average: added(rows), ghost: ghosts.length ? added(ghosts) : null,
    };
  });
  return { title: "Sum", name: "sum", first: grid.first, step_seconds: grid.step, lines, archive: "" };
}
