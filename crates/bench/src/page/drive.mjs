// Drives Chromium for `bench page`: reads commands as lines of JSON, answers each with a line.
// Run as `node drive.mjs ADDRESS NODE_MODULES CHROMIUM`.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { join } from "node:path";

const [address, modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "node_modules", "x.js"))("playwright-core");
const PATIENCE_MILLISECONDS = 30_000;
const QUIET_MILLISECONDS = 200;
/** High enough for all charts of a device: pictures that are not on the screen are not loaded. */
const TALL = { width: 1280, height: 6000 };
const USUAL = { width: 1280, height: 900 };

/**
 * Runs in each page before its own scripts: notes when answers of the server were drawn.
 * Times are those of `performance.now()`, which begins with the navigation.
 */
function watch() {
  const seen = { open: 0, answers: 0, drawnAt: 0 };
  window.benchSeen = seen;
  // A frame that follows an answer has been handed to the screen when the task behind it runs.
  const drawn = () =>
    requestAnimationFrame(() => setTimeout(() => (seen.drawnAt = performance.now()), 0));
  const plain = window.fetch;
  window.fetch = async (...words) => {
    seen.open += 1;
    try {
      const answer = await plain(...words);
      const json = answer.json.bind(answer);
      answer.json = async () => {
        const value = await json();
        seen.answers += 1;
        drawn();
        return value;
      };
      return answer;
    } finally {
      seen.open -= 1;
    }
  };
  document.addEventListener("load", (event) => event.target.tagName === "IMG" && drawn(), true);
  addEventListener("load", drawn);
}

/** The time when the page showed all that it asks for by itself. */
async function settled(quietMilliseconds) {
  const seen = window.benchSeen;
  for (;;) {
    const images = [...document.images].filter((image) => !image.complete);
    const isQuiet = performance.now() - seen.drawnAt > quietMilliseconds;
    if (seen.drawnAt && !seen.open && !images.length && isQuiet) return seen.drawnAt;
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** Writes words into the search field; the milliseconds until a result leads to the target. */
async function searched({ words, href }) {
  const field = document.querySelector('input[type="search"], input[name="q"]');
  const isThere = () =>
    document.querySelector(`[data-page="${href}"]`) ||
    [...document.links].some((link) => new URL(link.href).pathname === href);
  field.focus();
  const begun = performance.now();
  field.value = words;
  field.dispatchEvent(new InputEvent("input", { bubbles: true, data: words.at(-1) }));
  while (!isThere()) {
    if (performance.now() - begun > 5000) return { failure: `no result is ${href}` };
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  }
  return { milliseconds: performance.now() - begun };
}

/** Presses a button of the chart; the milliseconds until rows of a new answer are drawn. */
async function pressed(label) {
  const button = document.querySelector(`button[aria-label="${label}"]`);
  if (!button) return { failure: `no button ${label}` };
  const seen = window.benchSeen;
  const before = seen.answers;
  const begun = performance.now();
  button.click();
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  await frame();
  // What is there already, with a margin on both sides, needs no new answer.
  const isAsked = seen.open > 0 || seen.answers > before;
  const known = performance.now() - begun;
  if (!isAsked) return { milliseconds: known, isAsked };
  while (seen.answers === before || seen.drawnAt < begun) {
    if (performance.now() - begun > 5000) return { failure: "no answer" };
    await new Promise((done) => setTimeout(done, 1));
  }
  return { milliseconds: seen.drawnAt - begun, isAsked };
}

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
});

/** A page of a new visitor, whose cache is empty. */
async function visit(path, viewport = USUAL) {
  const context = await browser.newContext({ viewport });
  context.setDefaultTimeout(PATIENCE_MILLISECONDS);
  await context.addInitScript(watch);
  const page = await context.newPage();
  const answer = await page.goto(address + path, { waitUntil: "load" });
  if (!answer.ok()) {
    await context.close();
    throw new Error(`${path}: ${answer.status()}`);
  }
  return page;
}

const deeds = {
  /** The bytes of a first load, as they came over the wire, by kind. */
  async load({ path }) {
    const context = await browser.newContext({ viewport: USUAL });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const kinds = new Map();
    const bytes = {};
    session.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, type));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const kind = kinds.get(requestId) ?? "Other";
      bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
    });
    const begun = performance.now();
    await page.goto(address + path, { waitUntil: "networkidle" });
    const milliseconds = performance.now() - begun;
    await context.close();
    return { bytes, milliseconds };
  },

  /** The milliseconds from a navigation to the last chart of its page. */
  async cold({ path }) {
    const page = await visit(path, TALL);
    const milliseconds = await page.evaluate(settled, QUIET_MILLISECONDS);
    const counts = await page.evaluate(() => ({
      pictures: document.images.length,
      canvases: document.querySelectorAll("canvas").length,
      drawings: document.querySelectorAll("svg").length,
      answers: window.benchSeen.answers,
      server: performance.getEntriesByType("navigation")[0].responseEnd,
    }));
    await page.context().close();
    return { milliseconds, ...counts };
  },

  /** The milliseconds from the last letter to the result, for each of many targets. */
  async search({ path, questions }) {
    const page = await visit(path);
    const all = [];
    for (const question of questions) {
      all.push(await page.evaluate(searched, question));
    }
    await page.context().close();
    return { all };
  },

  /** The milliseconds from a press to the rows, for each of many presses. */
  async press({ path, labels }) {
    const page = await visit(path);
    await page.evaluate(settled, QUIET_MILLISECONDS);
    const all = [];
    for (const label of labels) {
      all.push(await page.evaluate(pressed, label));
      await page.waitForTimeout(QUIET_MILLISECONDS);
    }
    await page.context().close();
    return { all };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  const done = deeds[command.do](command).catch((error) => ({ failure: String(error) }));
  console.log(JSON.stringify(await done));
}
await browser.close();
process.exit();
