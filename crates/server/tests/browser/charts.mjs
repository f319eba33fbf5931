// Charts of a target and of several: drawn, moved by wheel, drag and keys, kept in the URL.
import { strict as assert } from "node:assert";
import { SIZES, end, test } from "./harness.mjs";

const TARGET = "/t/site01-core1_1";
const PAIR = "/compare?t=site01-core1_1&t=site01-core1_3";

/** Waits until the chart has rows and tells its archive. */
async function drawn(page) {
  await page.waitForFunction(() => /rows of/.test(document.querySelector("[data-status]")?.textContent ?? ""));
}

const status = (page) => page.textContent("[data-status]");
const words = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.search)));

/** How many points of the canvas have a colour of their own. */
const painted = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector(".chart-canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) count += data[at] > 0;
    return count;
  });

async function centre(page) {
  const box = await page.locator(".chart-canvas").first().boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width };
}

await test("a chart shows rows and their numbers", async (visit) => {
  const { page } = visit;
  await page.goto(visit.address + TARGET);
  await drawn(page);
  assert.ok((await painted(page)) > 20_000);
  assert.match(await status(page), /AVERAGE of 800 rows of 5 min/);
  const legend = await page.textContent(".chart-legend");
  assert.match(legend, /In.*Mb\/s.*Out.*Mb\/s/s);
  const { x, y } = await centre(page);
  await page.mouse.move(x, y);
  const box = await page.textContent(".chart-box");
  assert.match(box, /In \d+\.?\d* Mb\/s/);
  assert.match(box, /a row of 5 min/);
});

await test("wheel, drag and keys move a chart, and the back button", async (visit) => {
  const { page } = visit;
  await page.goto(visit.address + `${TARGET}?span=month`);
  await drawn(page);
  assert.match(await status(page), /rows of (2 h|30 min)/);
  const { x, y, width } = await centre(page);
  // The finest archive holds the newest days.
  await page.mouse.move(x + width * 0.44, y);
  for (let nth = 0; nth < 10; nth++) await page.mouse.wheel(0, -200);
  await page.waitForFunction(() => /rows of (5|30) min/.test(document.querySelector("[data-status]").textContent));
  await page.waitForFunction(() => location.search.includes("start="));
  const zoomed = await words(page);
  assert.ok(Number(zoomed.end) - Number(zoomed.start) < 3 * 86_400, JSON.stringify(zoomed));
  assert.ok((await painted(page)) > 20_000);
  await page.waitForTimeout(1300);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + width / 4, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction((start) => Number(new URLSearchParams(location.search).get("start")) < start, Number(zoomed.start));
  const moved = await words(page);
  const [one, other] = [zoomed, moved].map(({ start, end: until }) => Number(until) - Number(start));
  assert.ok(Math.abs(one - other) <= 2, "a drag keeps the length");
  await page.goBack();
  await page.waitForFunction((start) => new URLSearchParams(location.search).get("start") === start, zoomed.start);
  // On a busy machine the turns of the wheel may be several moves.
  for (let nth = 0; nth < 5 && (await words(page)).span !== "month"; nth++) await page.goBack();
  assert.equal((await words(page)).span, "month");
  await page.waitForFunction(() => document.querySelector("[data-period=month]").ariaCurrent === "page");
  await page.focus(".chart-canvas");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => location.search.includes("start="));
  await page.keyboard.press("Shift+ArrowRight");
  assert.match(await page.textContent(".chart-box"), /a row of/);
  await page.keyboard.press("End");
  await page.waitForFunction(() => location.search.includes("span="));
});

await test("a part that is picked with shift is shown", async (visit) => {
  const { page } = visit;
  await page.goto(visit.address + `${TARGET}?span=week`);
  await drawn(page);
  const { x, y, width } = await centre(page);
  await page.keyboard.down("Shift");
  await page.mouse.move(x - width / 8, y);
  await page.mouse.down();
  await page.mouse.move(x + width / 8, y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => location.search.includes("start="));
  const { start, end: until } = await words(page);
  const days = (Number(until) - Number(start)) / 86_400;
  assert.ok(days > 1.5 && days < 2.2, `${days} days`);
});

await test("switches, exports and the command follow what is shown", async (visit) => {
  const { page } = visit;
  await page.goto(visit.address + TARGET);
  await drawn(page);
  const asked = page.waitForRequest((request) => request.url().includes("ghost=604800"));
  await page.getByLabel("Week before").check();
  await asked;
  await page.getByLabel("95 %").check();
  await page.waitForFunction(() => location.search.includes("ghost=1") && location.search.includes("p95=1"));
  await page.focus(".chart-canvas");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => location.search.includes("start="));
  const { start, end: until } = await words(page);
  const links = await page.$$eval("[data-export]", (all) => all.map((link) => link.href));
  assert.equal(links.length, 4);
  for (const link of links) {
    const url = new URL(link);
    assert.deepEqual([url.searchParams.get("start"), url.searchParams.get("end")], [start, until]);
    const answer = await visit.context.request.get(link);
    assert.equal(answer.status(), 200, link);
    assert.ok((await answer.body()).length > 500, link);
  }
  const command = await page.textContent("[data-command]");
  assert.ok(command.includes(`--start=${start} `) && command.includes(`--end=${until} `), command);
});

await test("a zoom shows new rows at once", async (visit) => {
  const { page } = visit;
  await page.goto(visit.address + `${TARGET}?span=week`);
  await drawn(page);
  const times = [];
  for (let nth = 0; nth < 12; nth++) {
    const took = await page.evaluate(async (factor) => {
      const canvas = document.querySelector(".chart-canvas");
      const { left, width, top } = canvas.getBoundingClientRect();
      const before = performance.getEntriesByType("resource").length;
      const began = performance.now();
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: factor, clientX: left + width / 2, clientY: top + 50, bubbles: true, cancelable: true }));
      while (performance.getEntriesByType("resource").length === before) {
        if (performance.now() - began > 2000) return null; // the rows that were there were good enough
        await new Promise((done) => setTimeout(done, 1));
      }
      await new Promise(requestAnimationFrame);
      return performance.now() - began;
    }, nth % 4 < 2 ? -500 : 500);
    if (took != null) times.push(took);
  }
  times.sort((one, other) => one - other);
  const middle = times[Math.floor(times.length / 2)];
  console.log(`passed: rows of a zoom after ${middle.toFixed(1)} ms in the middle, ${times.at(-1).toFixed(1)} ms at most, of ${times.length}`);
  assert.ok(middle < 1000, `${times}`); // far more than it takes on a machine that is idle
});

for (const mode of ["each", "stack", "sum"]) {
  await test(`several targets: ${mode}`, async (visit) => {
  const { page } = visit;
    await page.goto(visit.address + `${PAIR}&mode=${mode}`);
    await drawn(page);
    assert.ok((await painted(page)) > 8000);
    assert.equal(await page.locator(".chart-canvas").count(), mode === "sum" ? 1 : 2);
    const rows = await page.locator(".chart-legend").first().locator("tr").count();
    assert.equal(rows, 3, "a heading and two lines");
    await visit.picture(`compare-${mode}`);
  });
}

for (const [look, options] of Object.entries({
  light: {},
  dark: { dark: true },
  phone: { size: SIZES.phone },
  "phone-dark": { size: SIZES.phone, dark: true },
  "no-script": { javaScriptEnabled: false },
})) {
  for (const [name, path] of Object.entries({ chart: `${TARGET}?span=week&ghost=1&p95=1`, month: `${TARGET}?span=month`, compare: PAIR })) {
    await test(`${name} ${look}`, async (visit) => {
      await visit.open(path);
      if (look !== "no-script") {
        await drawn(visit.page);
        await visit.isAccessible();
      } else {
        const width = await visit.page.$eval(".chart img", (image) => image.naturalWidth);
        assert.ok(width > 100, "without scripts there is a picture");
      }
      await visit.fits();
      await visit.picture(`${name}-${look}`);
    }, options);
  }
}

await test("a free span without scripts", async (visit) => {
  const { page } = visit;
  await page.goto(visit.address + TARGET);
  await page.fill("input[name=start]", "end-3d");
  await page.click(".chart-span button");
  const { start } = await words(page);
  assert.equal(start, "end-3d");
  assert.match(await page.getAttribute(".chart img", "src"), /span\.svg\?start=\d+&end=\d+/);
}, { javaScriptEnabled: false });

await end();
