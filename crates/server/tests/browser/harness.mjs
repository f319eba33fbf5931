// Drives Debian's Chromium for tests of pages. A test is a module that calls `test(name, steps)`;
// it is run as `node TEST.mjs ADDRESS NODE_MODULES PICTURES`.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AssertionError } from "node:assert";

const [address, modules, pictures] = process.argv.slice(2);
const load = createRequire(join(modules, "node_modules", "x.js"));
const { chromium } = load("playwright-core");
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const PATIENCE_MILLISECONDS = 15_000;

export const SIZES = {
  wide: { width: 1280, height: 900 },
  phone: { width: 360, height: 740 },
};

/** What a step may use: a page of a new browser context, and the helpers below. */
class Visit {
  constructor(context, page, complaints) {
    Object.assign(this, { context, page, complaints, address });
  }

  /** Opens a path of the site and waits until its scripts have run. */
  async open(path) {
    await this.page.goto(address + path, { waitUntil: "load" });
    return this.page;
  }

  /** Fails if axe finds anything. */
  async isAccessible() {
    // The content policy forbids scripts in the page, not what the debugger evaluates.
    await this.page.evaluate(axe);
    const found = await this.page.evaluate(() => window.axe.run(document));
    const told = found.violations.map((rule) => {
      const nodes = rule.nodes.slice(0, 5);
      const places = nodes.map((node) => `${node.target}: ${node.failureSummary}`);
      return `${rule.id}: ${rule.help}\n  ${places.join("\n  ")}`;
    });
    if (told.length) throw new AssertionError({ message: `${this.page.url()}\n${told.join("\n")}` });
  }

  /** Fails if the page is wider than its window: then a phone scrolls sideways. */
  async fits() {
    const [content, window] = await this.page.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
    ]);
    if (content > window) {
      throw new AssertionError({ message: `${this.page.url()}: ${content} px wide in ${window}` });
    }
  }

  /** Keeps a picture of the page. */
  async picture(name) {
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  }

  /** Asks whoever started the test to do something with the server, and waits until it is done. */
  async ask(what) {
    console.log(`ASK ${what}`);
    await answers.next();
  }
}

let browser;

/** Runs the steps in a new visit; scripts that fail and refused content fail the test, too. */
export async function test(name, steps, { size = SIZES.wide, dark = false, ...options } = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
  });
  const colorScheme = dark ? "dark" : "light";
  const context = await browser.newContext({ viewport: size, colorScheme, ...options });
  context.setDefaultTimeout(PATIENCE_MILLISECONDS);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`script: ${error.stack ?? error}`));
  page.on("console", (message) => {
    const text = message.text();
    // The fixture's operator has put a script into his page, and it must not run.
    if (message.type() !== "error" || text.startsWith("Executing inline script")) return;
    complaints.push(`console: ${text}`);
  });
  const visit = new Visit(context, page, complaints);
  try {
    await steps(visit);
    if (complaints.length) throw new AssertionError({ message: complaints.join("\n") });
    console.log(`passed: ${name}`);
  } catch (error) {
    console.log(`FAILED: ${name}: ${error.stack ?? error}\n${complaints.join("\n")}`);
    await visit.picture(`failed-${name.replaceAll(/\W+/g, "-")}`).catch(() => {});
    process.exitCode = 1;
  } finally {
    await context.close();
  }
}

/** Ends the browser; the last call of every test. */
export async function end() {
  await browser?.close();
  process.exit();
}
