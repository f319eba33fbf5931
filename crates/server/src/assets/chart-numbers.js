// Numbers of charts: with prefixes, as the server writes them, and even steps for an axis.
const LARGE = ["", "k", "M", "G", "T", "P", "E"];
const SMALL = ["", "m", "µ", "n", "p"];

/** The prefix for numbers of this size: `{ prefix, divisor }`. */
function prefixFor(size, kilo) {
  const base = kilo === 1024 ? 1024 : 1000;
  let nth = 0;
  let divisor = 1;
  while (size >= base * divisor && nth < LARGE.length - 1) {
    divisor *= base;
    nth += 1;
  }
  if (nth || size === 0 || size >= 1) return { prefix: LARGE[nth], divisor };
  while (size < divisor * 0.9995 && nth < SMALL.length - 1) {
    divisor /= 1000;
    nth += 1;
  }
  return { prefix: SMALL[nth], divisor };
}

/**
 * A value with its unit: `12.3 Mb/s`; a dash for an unknown one.
 * @param {number|null} value
 * @param {{unit: string, kilo: number, isPlain?: boolean}} line whose unit it has; plain: no prefixes
 * @param {number} digits how many are significant
 * @param {boolean} isShort whether zeros at the end are left out
 */
export function format(value, line, digits = 3, isShort = false) {
  if (value == null || !Number.isFinite(value)) return "–";
  const plain = { prefix: "", divisor: 1 };
  const { prefix, divisor } = line.isPlain ? plain : prefixFor(Math.abs(value), line.kilo);
  const scaled = value / divisor;
  const exact = scaled.toPrecision(Math.max(digits, wholeDigits(scaled)));
  const text = isShort || Number.isInteger(value) ? String(Number(exact)) : exact;
  return `${text} ${prefix}${line.unit}`.trim();
}

const wholeDigits = (value) => String(Math.trunc(Math.abs(value))).length;

/** Even steps between two values, about `count` of them, in multiples of the kilo. */
export function ticks(least, most, count, kilo) {
  const rough = (most - least) / Math.max(1, count);
  if (!(rough > 0)) return [least];
  const { divisor } = kilo === 1024 && rough >= 1024 ? prefixFor(rough, 1024) : { divisor: 1 };
  const scaled = rough / divisor;
  const power = 10 ** Math.floor(Math.log10(scaled));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= scaled * 0.999) * power * divisor;
  const found = [];
  for (let nth = Math.ceil(least / step - 1e-9) || 0; nth * step <= most * (1 + 1e-9); nth++) found.push(nth * step);
  return found;
}

/** Powers of ten between two values above zero. */
export function powers(least, most) {
  const found = [];
  for (let nth = Math.floor(Math.log10(least)); 10 ** nth <= most; nth++) {
    if (10 ** nth >= least) found.push(10 ** nth);
  }
  return found;
}
